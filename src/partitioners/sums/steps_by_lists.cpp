// Is `goal` a sum of at most one step of each class: by two sorted lists of sums that meet.
//
// The classes are dealt to two lists one by one, always to the shorter list; a list holds all sums of at most one step of each of
// its classes, up to the goal. After each class two pointers look for a value of either list that sum to the goal: a hit is an
// answer at any time, and no hit once all classes are dealt is a proof that there is none. Lists meet after the square root of
// the number of combinations, whatever the sizes are: this is the test for sizes that no bit set can hold.
// Each value knows the class at which it was first reached, as in steps_by_bits.cpp, so that it can be walked back.
// Source: Horowitz and Sahni's two lists (1974), grown until they meet.
#include "core/checked.hpp"
#include "partitioners/limits.hpp"
#include "partitioners/sums/steps.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

struct Sum {
    std::int64_t value;
    std::size_t first; // class at which it was first reached
};

bool less_value(const Sum &a, const Sum &b) { return a.value < b.value; }

class SumList
{
  public:
    const std::vector<Sum> &sums() const { return sums_; }
    std::size_t size() const { return sums_.size(); }

    // Joins the sums with each of them plus each step.
    void add_class(std::size_t i, const std::vector<std::int64_t> &steps, std::int64_t goal, Pacer &pacer)
    {
        std::vector<Sum> fresh;
        for (const auto step : steps) {
            for (const auto &sum : sums_) {
                if (sum.value > goal - step) break;
                fresh.push_back({sum.value + step, i});
            }
            pacer.spend(static_cast<std::int64_t>(sums_.size()));
        }
        pacer.spend(static_cast<std::int64_t>(fresh.size()));
        std::sort(fresh.begin(), fresh.end(), less_value);
        std::vector<Sum> joined;
        joined.reserve(sums_.size() + fresh.size());
        // Of equal values the older stands first and stays.
        std::merge(sums_.begin(), sums_.end(), fresh.begin(), fresh.end(), std::back_inserter(joined), less_value);
        joined.erase(
            std::unique(joined.begin(), joined.end(), [](const Sum &a, const Sum &b) { return a.value == b.value; }),
            joined.end());
        sums_ = std::move(joined);
    }

    void walk_back(std::int64_t value, const Steps &steps, std::vector<std::int64_t> &taken) const
    {
        while (value > 0) {
            const auto i = first_of(value);
            const auto step = *std::find_if(steps.steps[i].begin(), steps.steps[i].end(), [&](std::int64_t w) {
                if (w >= value) return w == value;
                return first_of(value - w) < i;
            });
            taken[i] = step;
            value -= step;
        }
    }

  private:
    // The class at which the value was first reached; one past all classes when it was not.
    std::size_t first_of(std::int64_t value) const
    {
        const auto found = std::lower_bound(sums_.begin(), sums_.end(), Sum{value, 0}, less_value);
        return found != sums_.end() && found->value == value ? found->first : std::numeric_limits<std::size_t>::max();
    }

    std::vector<Sum> sums_{{0, 0}};
};

// The value of a that makes the goal with one of b.
std::optional<std::int64_t> meeting(const SumList &a, const SumList &b, std::int64_t goal)
{
    auto high = b.sums().rbegin();
    for (const auto &low : a.sums()) {
        while (high != b.sums().rend() && high->value > goal - low.value) ++high;
        if (high == b.sums().rend()) return std::nullopt;
        if (high->value == goal - low.value) return low.value;
    }
    return std::nullopt;
}

// Bytes while a list of that length takes in a class: the sums, the fresh ones, both joined.
std::int64_t bytes_to_grow(std::size_t sums, std::size_t steps)
{
    const auto fresh = checked_mul(static_cast<std::int64_t>(sums), static_cast<std::int64_t>(steps));
    const auto bytes = fresh ? checked_mul(*fresh, 3 * static_cast<std::int64_t>(sizeof(Sum))) : fresh;
    return bytes.value_or(std::numeric_limits<std::int64_t>::max());
}

} // namespace

Taken take_steps_by_lists(const Steps &steps, std::int64_t memory_bytes, Control &control)
{
    Pacer pacer(control, "testing whether a sum can be made");
    SumList a;
    SumList b;
    for (std::size_t i = 0;; ++i) {
        if (const auto part = meeting(a, b, steps.goal)) {
            std::vector<std::int64_t> taken(steps.steps.size(), 0);
            a.walk_back(*part, steps, taken);
            b.walk_back(steps.goal - *part, steps, taken);
            return taken;
        }
        if (i == steps.steps.size()) return std::nullopt;
        if (steps.steps[i].empty()) continue;
        auto &shorter = a.size() <= b.size() ? a : b;
        if (bytes_to_grow(shorter.size(), steps.steps[i].size()) > memory_bytes) fail_memory(memory_bytes);
        shorter.add_class(i, steps.steps[i], steps.goal, pacer);
    }
}

} // namespace hpart
