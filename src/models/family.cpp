// Source: the fine-grained performance model of Al-Hashimi and Basuhail, "Data Locality Aware Partitioning ..." (2021), section
// V.A: for each n a function of x measured in small steps. A problem uses the function of its n.
#include "models/family.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "models/platform_table.hpp"

#include <cmath>

namespace hpart
{

namespace
{

// "tf32" of "sgemm n=512 math=tf32": how the kernel's library computed, if not as usual.
std::string_view math_mode_of(const Platform &platform)
{
    constexpr std::string_view key = " math=";
    const std::string_view kernel = platform.kernel();
    const auto at = kernel.find(key);
    return at == std::string_view::npos ? "usual" : kernel.substr(at + key.size());
}

// The values at the sizes where both functions have one.
struct Values {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;
};

Values between(const Points &below, const Column<double> &values_below, const Points &above,
               const Column<double> &values_above, double weight)
{
    Values out;
    for (std::size_t k = 0, j = 0; k < below.count(); ++k) {
        while (j < above.count() && above.sizes[j] < below.sizes[k]) ++j;
        if (j == above.count()) break;
        if (above.sizes[j] != below.sizes[k] || std::isnan(values_below[k]) || std::isnan(values_above[j])) continue;
        out.sizes.push_back(below.sizes[k]);
        // Convex form for non-negative values: the result lies between them and cannot overflow.
        out.values.push_back((1 - weight) * values_below[k] + weight * values_above[j]);
    }
    return out;
}

Platform interpolated(const Platform &below, const Platform &above, double weight)
{
    auto out = below;
    // Nothing was measured here: comments stay, facts of measurements do not.
    out.facts = {};
    below.facts.each<std::string>([&](const std::string &comment) { out.facts.add(comment); });
    if (above.kernel() != below.kernel()) out.set_kernel("");
    for (std::int64_t i = 0; i < out.count(); ++i) {
        const auto &low = below.points(i);
        const auto &high = above.points(i);
        const auto time = between(low, low.seconds, high, high.seconds, weight);
        const auto energy = between(low, low.joules, high, high.joules, weight);
        out.set_time_function(i, time.sizes, time.values);
        out.set_energy_function(i, energy.sizes, energy.values);
    }
    return out;
}

} // namespace

Family parse_family(std::string_view content, const std::string &name)
{
    auto family = parse_table(content, name, TableKind::family);
    const auto &[first, first_slice] = *family.begin();
    const auto expected = math_mode_of(first_slice);
    for (const auto &[parameter, platform] : family) {
        const auto mode = math_mode_of(platform);
        if (mode != expected)
            fail(Status::format, name, ": parameter ", parameter, " was measured with the math mode ", in_quotes(mode),
                 ", parameter ", first, " with ", in_quotes(expected), "; measure all with the same");
    }
    return family;
}

Platform slice_of(const Family &family, std::int64_t parameter, BetweenSlices between_slices)
{
    const auto above = family.lower_bound(parameter);
    if (above != family.end() && above->first == parameter) return above->second;
    const bool has_below = above != family.begin();
    const bool has_above = above != family.end();
    if (between_slices == BetweenSlices::linear && has_below && has_above) {
        const auto below = std::prev(above);
        // As integers: from 2^53 on, doubles of different parameters may be equal.
        const auto part = static_cast<double>(parameter - below->first);
        const auto whole = static_cast<double>(above->first - below->first);
        return interpolated(below->second, above->second, part / whole);
    }
    fail_argument("parameter is ", parameter, "; the family has no slice of it: the nearest are ",
                  has_below ? text(std::prev(above)->first, " below") : "none below", " and ",
                  has_above ? text(above->first, " above") : "none above",
                  has_below && has_above ? ", and option interpolate=linear takes what lies between them" : "");
}

Platform read_slice(const std::string &path, std::int64_t parameter, BetweenSlices between_slices)
{
    const auto content = read_file(path);
    return slice_of(parse_family(content, path), parameter, between_slices);
}

} // namespace hpart
