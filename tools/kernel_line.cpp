#include "kernel_line.hpp"

#include "arguments.hpp"
#include "core/text.hpp"
#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

namespace hpart_command
{

namespace
{

constexpr std::string_view is_size = "size";

// Adds "n=512" or "n=size"; false when it is not of that form or the name is there already.
bool add_dim(std::string_view setting, Dims &dims)
{
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    const auto text = setting.substr(equals + 1);
    const auto value = text == is_size ? equal_to_size : hpart::parse_count(text).value_or(0);
    if (value < 1 && text != is_size) return false;
    return dims.emplace(setting.substr(0, equals), value).second;
}

bool is_any_of(std::string_view kernel, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), kernel) != names.end();
}

// The names of dimensions that are given by their order; empty for a kernel that is not known here.
std::vector<std::string> names_of_dims(std::string_view kernel)
{
    if (is_any_of(kernel, {"dgemm", "sgemm"})) return {"n", "k"};
    if (is_any_of(kernel, {"dgemv", "sgemv", "fft2d", "zfft", "cfft"})) return {"n"};
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
        const auto size = equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
        const auto value = size == is_size ? std::optional<std::int64_t>(1) : hpart::parse_count(size);
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
    constexpr std::string_view math = "math=";
    for (auto word = next_word(); !word.empty(); word = next_word())
        if (word.starts_with(math))
            parsed.math_mode = word.substr(math.size());
        else if (!add_dim(word, parsed.dims))
            return std::nullopt;
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
    for (const auto &[name, value] : dims) {
        out += text(out.empty() ? "" : ",", name, "=");
        out += value == equal_to_size ? std::string(is_size) : text(value);
    }
    return out;
}

Json dims_json(const Dims &dims)
{
    Json out = Json::object();
    for (const auto &[name, value] : dims) out[name] = value == equal_to_size ? Json(is_size) : Json(value);
    return out;
}

std::optional<double> operations(const KernelLine &line, std::int64_t size)
{
    const auto rows = static_cast<double>(size);
    const auto dim = [&](std::string_view name) {
        const auto found = line.dims.find(name);
        if (found == line.dims.end()) return 0.0;
        return found->second == equal_to_size ? rows : static_cast<double>(found->second);
    };
    if (is_any_of(line.kernel, {"dgemm", "sgemm"}) && dim("n") > 0 && dim("k") > 0)
        return 2 * rows * dim("n") * dim("k");
    if (is_any_of(line.kernel, {"dgemv", "sgemv"}) && dim("n") > 0) return 2 * rows * dim("n");
    // The usual count for a complex transform of N points: 5 N log2 N.
    if (is_any_of(line.kernel, {"fft2d", "zfft", "cfft"}) && dim("n") > 0)
        return 5 * rows * dim("n") * std::log2(rows * dim("n"));
    return std::nullopt;
}

} // namespace hpart_command
