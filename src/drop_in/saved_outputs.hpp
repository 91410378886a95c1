// Results of a call as they were, for a device that fails midway.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace hpart::drop_in
{

// The memory of a result: lines of so many bytes. A triangle has the first elements of each line, up to the diagonal, or those from there on.
struct Output {
    char *data = nullptr;
    std::int64_t lines = 0, bytes = 0, distance = 0;
    std::int64_t element = 0; // bytes; 0: no triangle
    bool is_first = false;
};

class SavedOutputs
{
  public:
    explicit SavedOutputs(std::span<const Output> outputs) : outputs_(outputs)
    {
        for (const auto &output : outputs) {
            copies_.emplace_back(new char[static_cast<std::size_t>(output.lines * output.bytes)]);
            for_each_line(output, copies_.back().get(),
                          [](char *line, char *copy, std::size_t bytes) { std::memcpy(copy, line, bytes); });
        }
    }
    void restore() const
    {
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            for_each_line(outputs_[k], copies_[k].get(),
                          [](char *line, const char *copy, std::size_t bytes) { std::memcpy(line, copy, bytes); });
    }

  private:
    template <typename Copy> static void for_each_line(const Output &output, char *copy, Copy &&move)
    {
        for (std::int64_t line = 0; line < output.lines; ++line) {
            const auto diagonal = line * output.element;
            const auto first = output.is_first ? 0 : diagonal,
                       end = output.is_first ? diagonal + output.element : output.bytes;
            move(output.data + line * output.distance + first, copy + line * output.bytes + first,
                 static_cast<std::size_t>(end - first));
        }
    }

    std::span<const Output> outputs_;
    std::vector<std::unique_ptr<char[]>> copies_;
};

} // namespace hpart::drop_in
