// Problem: of the distributions of n with times <= T, one with the fewest active processors. Exact.
//
// Bound: let M_i be the largest size of i within T, and q the least number of largest M_i whose sum is n or more. At least q processors
// are active. Most often these q attain it (of equal M_i the earlier functions): one of them takes less, or several do, which an exact
// test for sums decides.
// If q is not attained so, or some processor may not idle: least_sum with cost 1 for each active processor.
// Time: O(functions log functions) and a test for sums; the fallback takes least_sum.cpp's time. Source: design of hpart.
#include "partitioners/exact/sum_within_time.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/time_steps.hpp"
#include "partitioners/search/least_sum.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace hpart
{

namespace
{

constexpr std::int64_t widest_goal = 1 << 16; // bits; beyond, the exact search does not take much longer

class FewestSearch
{
  public:
    FewestSearch(const Prepared &prepared, std::int64_t size, const TimeLevel &level, Control &control)
        : prepared_(prepared), instance_(prepared.instance()), size_(size), level_(level), control_(control)
    {
    }

    std::optional<std::vector<std::int64_t>> attain_bound()
    {
        for (const auto &function : instance_.of_function)
            if (!function.may_idle()) return std::nullopt;
        if (!choose_largest()) return std::nullopt;
        return attain();
    }

  private:
    std::int64_t copies(std::size_t f) const { return static_cast<std::int64_t>(prepared_.groups().copies(f)); }

    // The q processors: chosen_[f] of each function. False when their sum does not fit.
    bool choose_largest()
    {
        std::vector<std::size_t> order(instance_.functions());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return level_.largest[a] > level_.largest[b]; });
        chosen_.assign(instance_.functions(), 0);
        auto missing = size_;
        for (const auto f : order) {
            if (missing <= 0) break;
            const auto largest = level_.largest[f];
            if (largest == 0) return false;
            chosen_[f] = std::min(copies(f), (missing - 1) / largest + 1);
            const auto taken = checked_mul(chosen_[f], largest);
            if (!taken) return false;
            missing -= *taken;
        }
        excess_ = -missing;
        return true;
    }

    // From their largest sizes: one of them takes less, or several do.
    Steps steps_down() const
    {
        if (excess_ == 0) return std::vector<TakenStep>{};
        for (std::size_t f = 0; f < chosen_.size(); ++f)
            if (chosen_[f] > 0 && is_within(instance_.of_function[f], level_.largest[f] - excess_, level_.seconds))
                return std::vector<TakenStep>{{f, excess_, 1}};
        if (excess_ > widest_goal) return std::nullopt;
        const Origin origin{level_.seconds, level_.largest, true, excess_};
        TimeSteps steps(prepared_, origin, 1);
        for (std::size_t f = 0; f < chosen_.size(); ++f) steps.leave_out(f, copies(f) - chosen_[f]);
        return find_steps_by_bits(steps, control_, prepared_.simd_level());
    }

    std::optional<std::vector<std::int64_t>> attain()
    {
        const auto taken = steps_down();
        if (!taken) return std::nullopt;
        const std::vector<std::int64_t> idle(instance_.functions(), 0);
        Assignment assignment(prepared_, idle);
        for (const auto &step : *taken) {
            assignment.change(step.owner, level_.largest[step.owner] - step.step, step.copies);
            chosen_[step.owner] -= step.copies;
        }
        for (std::size_t f = 0; f < chosen_.size(); ++f) assignment.change(f, level_.largest[f], chosen_[f]);
        return assignment.take();
    }

    const Prepared &prepared_;
    const Instance &instance_;
    std::int64_t size_;
    const TimeLevel &level_;
    Control &control_;
    std::vector<std::int64_t> chosen_;
    std::int64_t excess_ = 0;
};

} // namespace

std::vector<std::int64_t> fewest_within_time(const Prepared &prepared, std::int64_t size, const TimeLevel &level,
                                             Control &control)
{
    if (auto x = FewestSearch(prepared, size, level, control).attain_bound()) return std::move(*x);
    const auto &instance = prepared.instance();
    const auto choices = choices_where(
        instance, size,
        [&](const FunctionPoints &function, std::size_t k) { return function.seconds[k] <= level.seconds; },
        [](const FunctionPoints &function, std::size_t k, std::size_t) { return function.sizes[k] == 0 ? 0.0 : 1.0; });
    auto fewest = least_sum(choices, size, {}, control);
    if (fewest.outcome != Outcome::found)
        fail(Status::limit, "the fewest active processors were not determined within the limits");
    return std::move(fewest.sizes);
}

} // namespace hpart
