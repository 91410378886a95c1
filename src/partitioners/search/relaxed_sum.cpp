// For any multiplier, multiplier x target + the sum of the least reduced costs is a bound (core.hpp). When points go, only the functions whose
// best point is among them change.
// Rounding: core.cpp's margin, with one more rounding of each product with a number of copies, and all terms that were ever added.
#include "partitioners/search/relaxed_sum.hpp"

#include "partitioners/search/core.hpp"
#include "partitioners/search/least_within.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

RelaxedSum::RelaxedSum(const SumOverFunctions &sum, LeastPoints least)
    : sum_(sum), least_(std::move(least)), has_base_(true)
{
    add_all();
}

RelaxedSum::RelaxedSum(const SumOverFunctions &sum, double multiplier) : sum_(sum)
{
    least_.multiplier = multiplier;
    least_.points.resize(sum.functions.functions());
    least_.copies.resize(sum.functions.functions());
    for (const auto f : sum.function_of) ++least_.copies[f];
    find_all(sum.longest);
}

std::unique_ptr<RelaxedSum> RelaxedSum::renewed() const
{
    auto least = find_least_points(sum_, multiplier(), least_.points);
    return least ? std::unique_ptr<RelaxedSum>(new RelaxedSum(sum_, std::move(*least))) : nullptr;
}

void RelaxedSum::add_all()
{
    value_ = magnitude_ = 0;
    terms_ = 0;
    add(multiplier() * static_cast<double>(sum_.target));
    for (std::size_t f = 0; f < least_.points.size(); ++f) add(reduced(f));
}

std::optional<BreakSolution> RelaxedSum::base() const
{
    return has_base_ ? std::optional(break_solution_of(sum_, least_)) : std::nullopt;
}

// All copies together.
double RelaxedSum::reduced(std::size_t f) const
{
    const auto k = least_.points[f];
    const auto size = static_cast<double>(sum_.functions.sizes(f)[k]);
    return static_cast<double>(least_.copies[f]) * (sum_.functions.costs(f)[k] - multiplier() * size);
}

void RelaxedSum::add(double term)
{
    value_ += term;
    magnitude_ += std::abs(term);
    ++terms_;
}

double RelaxedSum::bound() const
{
    if (!(value_ < infinity)) return value_;
    const auto classes = std::max(terms_, sum_.classes());
    return std::max(0.0, value_ - 4 * core_margin(classes, {value_, magnitude_}, 0));
}

// False where the function has no point: the bound is then infinite.
bool RelaxedSum::find_point(std::size_t f)
{
    const auto last = last_within_target(sum_, f);
    if (last < sum_.functions.count(f)) {
        const auto least = least_within(sum_, f, {0, last}, multiplier());
        least_.points[f] = static_cast<std::uint32_t>(least.point);
        if (least.reduced < infinity) return true;
    }
    value_ = infinity;
    return false;
}

void RelaxedSum::shorten(double longest)
{
    sum_.longest = longest;
    has_base_ = false;
    for (std::size_t f = 0; f < least_.points.size(); ++f) {
        if (!sum_.is_absent(f, least_.points[f])) continue;
        add(-reduced(f));
        if (!find_point(f)) return;
        add(reduced(f));
    }
}

void RelaxedSum::find_all(double longest)
{
    sum_.longest = longest;
    has_base_ = false;
    for (std::size_t f = 0; f < least_.points.size(); ++f)
        if (!find_point(f)) return;
    add_all();
}

RelaxedSum RelaxedSum::within(double longest) const
{
    auto other = *this;
    if (longest <= sum_.longest)
        other.shorten(longest);
    else
        other.find_all(longest);
    return other;
}

} // namespace hpart
