// Source: the fine-grained performance model of Al-Hashimi and Basuhail, "Data Locality Aware Partitioning ..." (2021), section V.A: for
// each n a function of x measured in small steps, of which a problem of that n uses its own.
#include "models/family.hpp"

#include "core/error.hpp"

#include <cmath>

namespace hpart
{

namespace
{

std::string names_of(const Platform &platform)
{
    std::string names;
    for (std::int64_t i = 0; i < platform.count(); ++i) names += text(i == 0 ? "" : ",", platform.processor(i).name);
    return names;
}

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

void Family::add(std::int64_t parameter, Platform platform)
{
    if (parameter < 1) fail_argument("parameter is ", parameter, "; it must be positive");
    if (slices_.contains(parameter)) fail_argument("parameter is ", parameter, "; the family has that slice already");
    if (!slices_.empty()) {
        const auto expected = names_of(slices_.begin()->second);
        const auto names = names_of(platform);
        if (names != expected)
            fail_argument("the platform has the processors ", in_quotes(names), "; those of the family are ",
                          in_quotes(expected));
        const auto mode = math_mode_of(platform), others = math_mode_of(slices_.begin()->second);
        if (mode != others)
            fail_argument("the platform was measured with the math mode ", in_quotes(mode),
                          ", those of the family with ", in_quotes(others), "; measure all with the same");
    }
    slices_.emplace(parameter, std::move(platform));
}

Platform Family::slice(std::int64_t parameter, BetweenSlices between_slices) const
{
    const auto above = slices_.lower_bound(parameter);
    if (above != slices_.end() && above->first == parameter) return above->second;
    if (slices_.empty()) fail_argument("parameter is ", parameter, "; the family has no slices");
    const bool has_below = above != slices_.begin();
    const bool has_above = above != slices_.end();
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

} // namespace hpart
