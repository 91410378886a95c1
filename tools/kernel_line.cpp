#include "kernel_line.hpp"

#include "arguments.hpp"
#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hpart_command
{

namespace
{

// Adds "n=512"; false when it is not of that form or the name is there already.
bool add_dim(std::string_view setting, Dims &dims)
{
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    const auto value = parse_count(setting.substr(equals + 1));
    if (!value || *value < 1) return false;
    return dims.emplace(setting.substr(0, equals), *value).second;
}

// The names of dimensions that are given by their order; empty for a kernel that is not known here.
std::vector<std::string> names_of_dims(std::string_view kernel)
{
    if (kernel == "dgemm") return {"n", "k"};
    if (kernel == "dgemv" || kernel == "fft2d" || kernel == "zfft") return {"n"};
    return {};
}

// "512x512" as "n=512,k=512"; other texts unchanged.
std::string with_names(std::string_view text, std::string_view kernel)
{
    const auto names = names_of_dims(kernel);
    const auto sizes = split(text, 'x');
    if (text.find('=') != std::string_view::npos || sizes.size() != names.size()) return std::string(text);
    std::string named;
    for (std::size_t k = 0; k < names.size(); ++k)
        named += hpart_command::text(k == 0 ? "" : ",", names[k], "=", sizes[k]);
    return named;
}

} // namespace

Dims parse_dims(std::string_view argument, std::string_view text, std::string_view kernel)
{
    Dims dims;
    if (text.empty()) return dims;
    const auto named = with_names(text, kernel);
    for (const auto setting : split(named, ',')) {
        if (add_dim(setting, dims)) continue;
        const auto equals = setting.find('=');
        const auto name = setting.substr(0, equals);
        const auto value = equals == std::string_view::npos ? std::nullopt : parse_count(setting.substr(equals + 1));
        if (!value || name.empty())
            refuse(argument, " is ", in_quotes(text),
                   "; it must be NAME=SIZE settings joined with commas, as in n=512,k=512, or the sizes in their order "
                   "joined by x, as in 512x512");
        if (*value < 1)
            refuse(argument, " is ", in_quotes(text), ", where ", in_quotes(name), " is ", *value,
                   "; a dimension must be 1 or more");
        refuse(argument, " is ", in_quotes(text), ", where ", in_quotes(name), " is given twice");
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

bool is_builtin(std::string_view line)
{
    const auto parsed = parse_kernel_line(line);
    return parsed && !names_of_dims(parsed->kernel).empty();
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
    if ((line.kernel == "fft2d" || line.kernel == "zfft") && dim("n") > 0) return 5 * rows * dim("n") * std::log2(rows * dim("n"));
    return std::nullopt;
}

} // namespace hpart_command
