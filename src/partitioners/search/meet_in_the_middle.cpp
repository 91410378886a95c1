// Is `goal` a sum of steps, at most one of each copy of each class: by two sorted lists of sums that meet.
//
// The copies of the classes, layers, are dealt to two lists one by one, always to the shorter list; a list holds all sums of at most one
// step of each of its layers, up to the goal. After each layer two pointers look for a value of either list that sum to the goal: a
// hit is an answer at any time, and no hit once all layers are dealt is a proof that there is none. Lists meet after the square
// root of the number of combinations, whatever the sizes are: this is the test for sizes that no bit set can hold. A copy that adds
// nothing to its list makes the class's other copies needless: their steps could be taken in that list as well.
// Each value knows the layer at which it was first reached, as in subset_sum_by_bits.cpp, so that it can be walked back.
// Source: Horowitz and Sahni's two lists (1974), grown until they meet.
#include "core/numbers.hpp"
#include "partitioners/search/limits.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

struct ReachedSum {
    std::int64_t value;
    std::size_t first; // layer at which it was first reached
};

bool less_value(const ReachedSum &a, const ReachedSum &b) { return a.value < b.value; }

class SumList
{
  public:
    const std::vector<ReachedSum> &sums() const { return sums_; }
    std::size_t size() const { return sums_.size(); }

    // Joins the sums with each of them plus each step. False when that adds nothing.
    bool add_layer(std::size_t layer, std::span<const std::int64_t> steps, std::int64_t goal, Pacer &pacer)
    {
        std::vector<ReachedSum> fresh;
        fresh.reserve(sums_.size() * steps.size());
        for (const auto step : steps) {
            for (const auto &sum : sums_) {
                if (sum.value > goal - step) break;
                fresh.push_back({sum.value + step, layer});
            }
            pacer.spend(static_cast<std::int64_t>(sums_.size()));
        }
        std::sort(fresh.begin(), fresh.end(), paced(pacer, less_value));
        std::vector<ReachedSum> joined;
        joined.reserve(sums_.size() + fresh.size());
        // merge and unique keep the older of equal values.
        std::merge(sums_.begin(), sums_.end(), fresh.begin(), fresh.end(), std::back_inserter(joined),
                   paced(pacer, less_value));
        joined.erase(std::unique(joined.begin(), joined.end(),
                                 [](const ReachedSum &a, const ReachedSum &b) { return a.value == b.value; }),
                     joined.end());
        const bool grew = joined.size() > sums_.size();
        sums_ = std::move(joined);
        return grew;
    }

    void walk_back(std::int64_t value, const StepSource &source, const std::vector<std::size_t> &owners,
                   std::vector<TakenStep> &taken) const
    {
        while (value > 0) {
            const auto layer = first_of(value);
            const auto steps = source.steps_of(owners[layer]);
            const auto step = *std::find_if(steps.begin(), steps.end(), [&](std::int64_t w) {
                if (w >= value) return w == value;
                return first_of(value - w) < layer;
            });
            taken.push_back({owners[layer], step, 1});
            value -= step;
        }
    }

  private:
    // The layer at which the value was first reached; one past all layers when it was not.
    std::size_t first_of(std::int64_t value) const
    {
        const auto found = std::lower_bound(sums_.begin(), sums_.end(), ReachedSum{value, 0}, less_value);
        return found != sums_.end() && found->value == value ? found->first : std::numeric_limits<std::size_t>::max();
    }

    std::vector<ReachedSum> sums_{{0, 0}};
};

// The value of a that makes the goal with one of b.
std::optional<std::int64_t> meeting(const SumList &a, const SumList &b, std::int64_t goal, Pacer &pacer)
{
    auto high = b.sums().rbegin();
    for (const auto &low : a.sums()) {
        pacer.spend(1);
        while (high != b.sums().rend() && high->value > goal - low.value) ++high;
        if (high == b.sums().rend()) return std::nullopt;
        if (high->value == goal - low.value) return low.value;
    }
    return std::nullopt;
}

// Bytes while a list of that length takes in a layer: the sums, the fresh ones, both joined.
std::int64_t bytes_to_grow(std::size_t sums, std::size_t steps)
{
    const auto fresh = checked_mul(static_cast<std::int64_t>(sums), static_cast<std::int64_t>(steps));
    const auto bytes = fresh ? checked_mul(*fresh, 3 * static_cast<std::int64_t>(sizeof(ReachedSum))) : fresh;
    return bytes.value_or(std::numeric_limits<std::int64_t>::max());
}

} // namespace

Steps meet_in_the_middle(const StepSource &source, std::int64_t memory_bytes, Control &control)
{
    Pacer pacer(control, "testing whether a sum can be made");
    const auto goal = source.goal();
    SumList a;
    SumList b;
    std::vector<std::size_t> owners; // of the layers
    if (goal == 0) return std::vector<TakenStep>{};
    for (std::size_t c = 0; c < source.classes(); ++c) {
        const auto steps = source.steps_of(c);
        if (steps.empty()) continue;
        for (auto copy = source.copies(c); copy > 0; --copy) {
            auto &shorter = a.size() <= b.size() ? a : b;
            if (bytes_to_grow(shorter.size(), steps.size()) > memory_bytes) fail_memory(memory_bytes);
            owners.push_back(c);
            if (!shorter.add_layer(owners.size() - 1, steps, goal, pacer)) break;
            if (const auto part = meeting(a, b, goal, pacer)) {
                std::vector<TakenStep> taken;
                a.walk_back(*part, source, owners, taken);
                b.walk_back(goal - *part, source, owners, taken);
                return taken;
            }
        }
    }
    return std::nullopt;
}

} // namespace hpart
