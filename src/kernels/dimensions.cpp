#include "kernels/dimensions.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr std::int64_t unset = 0;

std::string example(std::span<const std::string_view> names)
{
    std::string out;
    for (const auto name : names) out += text(out.empty() ? "" : ",", name, "=512");
    return out;
}

} // namespace

std::vector<Dimension> parse_dimensions(std::string_view dims, std::span<const std::string_view> names,
                                        std::string_view kernel)
{
    if (dims.empty() && !names.empty())
        fail_parameter("dims", " of ", kernel, " are missing; give '", example(names),
                       "', or 'size' in place of a number");
    const auto fail_form = [&](const auto &...reason) {
        fail_parameter("dims", " of ", kernel, " are ", in_quotes(dims), reason...,
                       "; they must be positive, or 'size', as '", example(names), "'");
    };
    std::vector<Dimension> out;
    for (const auto name : names) out.push_back({std::string(name), unset});
    for (auto rest = dims; !rest.empty();) {
        const auto comma = std::min(rest.find(','), rest.size());
        const auto item = rest.substr(0, comma);
        if (comma + 1 == rest.size()) fail_form(", which end with a comma");
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const auto equals = item.find('=');
        if (equals == std::string_view::npos) fail_form(", where ", in_quotes(item), " has no '='");
        const auto found =
            std::find_if(out.begin(), out.end(), [&](const auto &dim) { return dim.name == item.substr(0, equals); });
        if (found == out.end()) fail_form(", where ", in_quotes(item.substr(0, equals)), " is none of its dimensions");
        if (found->value != unset) fail_form(", which name ", found->name, " twice");
        const auto text = item.substr(equals + 1);
        const auto value = text == "size" ? equal_to_size : parse_int(text).value_or(unset);
        if (value < 1 && text != "size") fail_form(", where ", in_quotes(item), " has no positive integer");
        found->value = value;
    }
    for (const auto &dim : out)
        if (dim.value == unset) fail_form(", where ", dim.name, " is missing");
    return out;
}

std::string describe_kernel(std::string_view kernel, std::span<const Dimension> dimensions)
{
    std::string out(kernel);
    for (const auto &dim : dimensions) {
        out += text(" ", dim.name, "=");
        out += dim.value == equal_to_size ? "size" : text(dim.value);
    }
    return out;
}

} // namespace hpart
