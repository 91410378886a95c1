// The words of drawings and pages: the problem, its processors and their sizes.
#include "core/text.hpp"
#include "failure.hpp"
#include "kernel_line.hpp"
#include "plots.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

std::string kernel_in(const Json &result, const std::string &path)
{
    if (!result.contains("kernel")) return {};
    auto kernel = text_member(result, "kernel", path);
    const auto dims = result.value("dims", Json());
    if (is_of_programs(kernel) || !dims.is_object()) return kernel;
    std::map<std::string, Json, DimOrder> in_order; // an older result may have another
    for (const auto &[name, value] : dims.items()) in_order.emplace(name, value);
    for (const auto &[name, value] : in_order)
        kernel += text(" ", name, "=", value.is_string() ? value.get<std::string>() : value.dump());
    return kernel;
}

std::string whole_text(double size)
{
    constexpr double most = 1e15;
    return std::abs(size) < most && size == std::floor(size) ? std::to_string(static_cast<std::int64_t>(size))
                                                             : text(size);
}

std::string size_text(double size, std::string_view kernel)
{
    return is_builtin(kernel) ? whole_text(size) + (size == 1 ? " row" : " rows") : "size " + whole_text(size);
}

std::string work_text(double size, std::string_view kernel)
{
    const auto out = size_text(size, kernel);
    return kernel.empty() || is_of_programs(kernel) ? out : text(out, " of ", kernel);
}

std::string processors_text(const std::vector<std::string> &names)
{
    constexpr std::size_t most = 4;
    if (names.size() > most) return hpart::pluralise(names.size(), "processor");
    const auto is_number = [](const std::string &name) { return hpart::parse_int(name).has_value(); };
    std::string out = std::ranges::all_of(names, is_number) ? "processors " : "";
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
    return out;
}

std::string names_text(const std::vector<std::string> &names)
{
    std::string out;
    for (const auto &name : names) out += (out.empty() ? "" : " | ") + name;
    return out;
}

std::vector<std::string> distribution_lines(const Json &result, std::size_t widest, const std::string &path)
{
    constexpr std::size_t most_lines = 3;
    std::vector<std::string> lines;
    const auto sizes = result.value("distribution", Json());
    for (std::size_t i = 0; sizes.is_array() && i < sizes.size(); ++i) {
        if (!sizes[i].is_number()) refuse(input_name(path), " has a distribution that is not of sizes");
        const auto part = text(whole_text(sizes[i].get<double>()), i + 1 < sizes.size() ? " |" : "");
        if (!lines.empty() && lines.back().size() + 1 + part.size() <= widest) {
            lines.back() += " " + part;
        } else if (lines.size() == most_lines) {
            lines.back() = "...";
            break;
        } else {
            lines.push_back(part);
        }
    }
    return lines;
}

} // namespace hpart_command
