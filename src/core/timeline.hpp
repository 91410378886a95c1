// The times of a run's commands, in Chrome's trace format: Perfetto, chrome://tracing, hpart plot and hpart report draw it.
#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

class Timeline
{
  public:
    static constexpr std::size_t most_commands = 1000000; // a file of some 100 MB

    // Status::io if the file cannot be written.
    explicit Timeline(std::string path);

    // Seconds since it began.
    double now() const { return seconds_since(start_); }
    // A command's time, in seconds since the trace began, in the line of this name. From any thread. Left out without memory.
    void add(const std::string &line, std::string_view command, double begin, double end) noexcept;
    // Counts a command that is not kept.
    void leave_out() noexcept;
    bool empty() const;
    // Status::io.
    void write() const;

  private:
    struct Command {
        std::size_t line;
        std::string name;
        double begin, end;
    };
    std::string path_;
    Clock::time_point start_ = Clock::now();
    mutable std::mutex mutex_;
    std::map<std::string, std::size_t> lines_;
    std::vector<Command> commands_;
    std::int64_t left_out_ = 0;
};

} // namespace hpart
