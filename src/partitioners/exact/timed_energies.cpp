#include "partitioners/exact/timed_energies.hpp"

#include "core/doubles.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace hpart
{

namespace
{
constexpr double widest_tilt = 0.05; // relative: blocks are passed over again when multipliers have gone farther
constexpr std::size_t many = 16;     // a part of all points that is not worth taking out one by one
} // namespace

const CostFunctions &TimedEnergies::within(double longest)
{
    if (longest >= prepared_.extremes().longest_seconds) return prepared_.energies();
    if (!functions_ || longest > longest_)
        begin_anew(longest);
    else if (longest < longest_)
        remove_between(longest);
    longest_ = longest;
    return *functions_;
}

void TimedEnergies::expect(double multiplier)
{
    if (std::abs(multiplier - tilt_) <= widest_tilt * std::abs(multiplier)) return;
    tilt_ = multiplier;
    if (functions_) functions_->set_tilt(tilt_);
}

void TimedEnergies::begin_anew(double longest)
{
    joules_ = instance_.joules;
    functions_.emplace(prepared_.energies(), joules_);
    if (tilt_ == 0) tilt_ = functions_->tilt();
    if (tilt_ != functions_->tilt()) functions_->set_tilt(tilt_);
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto end = instance_.function_end(f);
        auto k = instance_.function_begin(f);
        going_.resize(end - k);
        std::size_t count = 0;
        for (; k < end; ++k) { // without branches, which nobody could predict
            const bool is_slow = instance_.seconds[k] > longest;
            going_[count] = k;
            count += is_slow ? 1 : 0;
            joules_[k] = is_slow ? infinity : joules_[k];
        }
        going_.resize(count);
        functions_->update(f, going_);
    }
}

// Those of time above `longest` that are still there.
void TimedEnergies::remove_between(double longest)
{
    const auto &order = prepared_.slowest_first();
    auto next = std::partition_point(order.begin(), order.end(),
                                     [&](std::size_t k) { return instance_.seconds[k] > longest_; });
    going_.clear();
    for (; next != order.end() && instance_.seconds[*next] > longest; ++next) going_.push_back(*next);
    remove(going_);
}

void TimedEnergies::remove(std::vector<std::size_t> &points)
{
    for (const auto k : points) joules_[k] = infinity;
    if (points.size() > joules_.size() / many) {
        functions_.emplace(instance_.function_first, instance_.sizes, joules_, prepared_.simd_level(), tilt_);
        return;
    }
    std::sort(points.begin(), points.end());
    const auto &first = instance_.function_first;
    for (std::size_t k = 0; k < points.size();) {
        const auto next = std::upper_bound(first.begin(), first.end(), points[k]);
        const auto end = static_cast<std::size_t>(
            std::lower_bound(points.begin() + static_cast<std::ptrdiff_t>(k), points.end(), *next) - points.begin());
        functions_->update(static_cast<std::size_t>(next - first.begin()) - 1, std::span(points).subspan(k, end - k));
        k = end;
    }
}

} // namespace hpart
