#include "partitioners/exact/timed_energies.hpp"

#include <algorithm>
#include <span>

namespace hpart
{

namespace
{
constexpr std::size_t many = 16; // a part of all points that is not worth taking out one by one
} // namespace

TimedEnergies::TimedEnergies(const Prepared &prepared)
    : prepared_(prepared), instance_(prepared.instance()), joules_(instance_.joules),
      functions_(prepared.energies(), joules_)
{
}

const CostFunctions &TimedEnergies::within(double longest)
{
    if (longest > longest_) begin_anew();
    longest_ = longest;
    const auto &order = prepared_.slowest_first();
    going_.clear();
    for (; removed_ < order.size() && instance_.seconds[order[removed_]] > longest; ++removed_)
        going_.push_back(order[removed_]);
    remove(going_);
    return functions_;
}

void TimedEnergies::begin_anew()
{
    std::copy(instance_.joules.begin(), instance_.joules.end(), joules_.begin());
    functions_ = CostFunctions(prepared_.energies(), joules_);
    removed_ = 0;
}

void TimedEnergies::remove(std::vector<std::size_t> &points)
{
    for (const auto k : points) joules_[k] = std::numeric_limits<double>::infinity();
    if (points.size() > joules_.size() / many) {
        functions_ = CostFunctions(instance_.function_first, instance_.sizes, joules_);
        return;
    }
    std::sort(points.begin(), points.end());
    const auto &first = instance_.function_first;
    for (std::size_t k = 0; k < points.size();) {
        const auto next = std::upper_bound(first.begin(), first.end(), points[k]);
        const auto end = static_cast<std::size_t>(
            std::lower_bound(points.begin() + static_cast<std::ptrdiff_t>(k), points.end(), *next) - points.begin());
        functions_.update(static_cast<std::size_t>(next - first.begin()) - 1, std::span(points).subspan(k, end - k));
        k = end;
    }
}

} // namespace hpart
