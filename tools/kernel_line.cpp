#include "kernel_line.hpp"

#include "failure.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hpart_command
{

namespace
{

// Adds "n=512"; false when it is not of that form or the name is there already.
bool add_dim(std::string_view setting, Dims &dims)
{
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    const auto value_text = setting.substr(equals + 1);
    const auto *end = value_text.data() + value_text.size();
    std::int64_t value = 0;
    const auto result = std::from_chars(value_text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || value < 1) return false;
    return dims.emplace(setting.substr(0, equals), value).second;
}

} // namespace

Dims parse_dims(std::string_view argument, std::string_view text)
{
    Dims dims;
    auto rest = text;
    while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        if (!add_dim(rest.substr(0, comma), dims) || comma + 1 == rest.size())
            refuse(argument, " is ", in_quotes(text),
                   "; it must be NAME=SIZE settings joined with commas, sizes 1 or more, as in n=512,k=512");
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return dims;
}

std::optional<KernelLine> parse_kernel_line(std::string_view line)
{
    KernelLine parsed;
    const auto next_word = [&line] {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const auto word = line.substr(0, line.find(' '));
        line.remove_prefix(word.size());
        return word;
    };
    parsed.kernel = next_word();
    if (parsed.kernel.empty()) return std::nullopt;
    for (auto word = next_word(); !word.empty(); word = next_word())
        if (!add_dim(word, parsed.dims)) return std::nullopt;
    return parsed;
}

std::string dims_text(const Dims &dims)
{
    std::string out;
    for (const auto &[name, value] : dims) out += text(out.empty() ? "" : ",", name, "=", value);
    return out;
}

std::optional<double> operations(const KernelLine &line, std::int64_t size)
{
    const auto dim = [&line](std::string_view name) {
        const auto found = line.dims.find(name);
        return found == line.dims.end() ? 0.0 : static_cast<double>(found->second);
    };
    const auto rows = static_cast<double>(size);
    if (line.kernel == "dgemm" && dim("n") > 0 && dim("k") > 0) return 2 * rows * dim("n") * dim("k");
    if (line.kernel == "dgemv" && dim("n") > 0) return 2 * rows * dim("n");
    // The usual count for a complex transform of N points: 5 N log2 N.
    if (line.kernel == "zfft" && dim("n") > 0) return 5 * rows * dim("n") * std::log2(rows * dim("n"));
    return std::nullopt;
}

} // namespace hpart_command
