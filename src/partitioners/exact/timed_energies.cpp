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

std::vector<CostPoints> TimedEnergies::points() const
{
    std::vector<CostPoints> out;
    out.reserve(instance_.functions());
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto &function = instance_.of_function[f];
        out.push_back(
            {function.sizes, std::span(joules_).subspan(instance_.first[f], function.count()), function.steps});
    }
    return out;
}

void TimedEnergies::begin_anew(double longest)
{
    joules_ = instance_.all_joules();
    functions_.emplace(prepared_.energies(), points());
    if (tilt_ == 0) tilt_ = functions_->tilt();
    if (tilt_ != functions_->tilt()) functions_->set_tilt(tilt_);
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto seconds = instance_.of_function[f].seconds;
        auto *joules = joules_.data() + instance_.first[f];
        of_function_.resize(seconds.size());
        std::size_t count = 0;
        for (std::size_t k = 0; k < seconds.size(); ++k) { // without branches, which nobody could predict
            const bool is_slow = seconds[k] > longest;
            of_function_[count] = k;
            count += is_slow ? 1 : 0;
            joules[k] = is_slow ? infinity : joules[k];
        }
        functions_->update(f, std::span(of_function_).first(count));
    }
}

// Those of time above `longest` that are still there.
void TimedEnergies::remove_between(double longest)
{
    const auto &order = prepared_.slowest_first();
    const auto is_above = [&](double bound) {
        return [this, bound](const PointPlace &place) { return instance_.seconds_at(place) > bound; };
    };
    const auto begin = std::partition_point(order.begin(), order.end(), is_above(longest_));
    const auto end = std::find_if_not(begin, order.end(), is_above(longest));
    for (auto place = begin; place != end; ++place) joules_[instance_.first[place->function] + place->index] = infinity;
    if (static_cast<std::size_t>(end - begin) > joules_.size() / many) {
        functions_.emplace(points(), prepared_.simd_level(), tilt_);
        return;
    }
    going_.assign(begin, end);
    std::sort(going_.begin(), going_.end());
    for (std::size_t k = 0; k < going_.size();) {
        const auto f = going_[k].function;
        of_function_.clear();
        for (; k < going_.size() && going_[k].function == f; ++k) of_function_.push_back(going_[k].index);
        functions_->update(f, of_function_);
    }
}

} // namespace hpart
