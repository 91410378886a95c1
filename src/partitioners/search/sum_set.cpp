// The sums nearest to a target that cannot be met, for the message.
//
// If all classes offer 0, idling one class after another steps a sum down by at most the largest size. The nearest sum above the target
// is then within one largest size of it. The sums up to there are collected, unless they are too many for lists and for bits.

#include "partitioners/search/sum_set.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

constexpr double most_word_operations = 2e8; // well under a second
constexpr double most_combinations = 1 << 20;
constexpr auto largest_asked = std::numeric_limits<std::int64_t>::max() - 1; // the C interface takes no larger size

struct Extent {
    std::int64_t unit = 0;    // common divisor of all sizes
    std::int64_t largest = 0; // size
    std::int64_t sum = 0;     // of the largest sizes
    double options = 0;       // of all classes
};

Extent extent_of(const Choices &choices)
{
    Extent extent;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        const auto sizes = choices.sizes_of_function(f);
        extent.unit = common_divisor(extent.unit, sizes, 0);
        extent.largest = std::max(extent.largest, sizes.back());
        extent.sum = saturating_add(extent.sum, saturating_mul(copies[f], sizes.back()));
        extent.options += static_cast<double>(copies[f]) * static_cast<double>(sizes.size());
    }
    return extent;
}

double count_combinations(const Choices &choices)
{
    double product = 1;
    for (std::size_t i = 0; i < choices.classes(); ++i) product *= static_cast<double>(choices.count(i));
    return product;
}

} // namespace

NearestSums nearest_sums(const Choices &choices, std::int64_t target, Control &control)
{
    const auto extent = extent_of(choices);
    NearestSums out;
    out.above.is_none = target >= extent.sum;
    if (target > extent.sum) out.below.sum = extent.sum;
    const auto last = std::min({saturating_add(target, extent.largest), extent.sum, largest_asked});
    const auto unit = std::max<std::int64_t>(extent.unit, 1);
    const auto highest = std::max<std::int64_t>(last / unit, 0);
    const auto work = extent.options * static_cast<double>(highest) / BitRow::word_bits;
    if (work > most_word_operations && count_combinations(choices) > most_combinations) return out;
    within_limits([&] {
        Pacer pacer(control, "looking for the nearest feasible sizes");
        SumSet sums(highest, SumSet::Begin::as_list, control.memory_limit());
        sums.add_zero();
        for (std::size_t i = 0; i < choices.classes(); ++i) sums = sums.plus_one_of(choices.sizes_of(i), unit, pacer);
        const auto in_units = [&](std::int64_t size) { return size < 0 ? size : size / unit; };
        if (const auto below = sums.nearest_below(in_units(target - 1) + 1)) out.below.sum = *below * unit;
        if (const auto above = sums.nearest_above(in_units(target))) out.above.sum = *above * unit;
        out.below.is_none = !out.below.sum;
        out.above.is_none = !out.above.sum;
        return true;
    });
    return out;
}

// Is `goal` a sum of steps, at most one of each copy of each class: by two sorted lists of sums that meet.
//
// The copies of the classes, layers, are dealt to two lists one by one, always to the shorter list; a list holds all sums of at most one
// step of each of its layers, up to the goal. After each layer two pointers look for a value of either list that sum to the goal: a
// hit is an answer at any time, and no hit once all layers are dealt is a proof that there is none. Lists meet after the square
// root of the number of combinations, whatever the sizes are: this is the test for sizes that no bit set can hold. A copy that adds
// nothing to its list makes the class's other copies needless: their steps could be taken in that list as well.
// Each value knows the layer at which it was first reached, as in subset_sum.cpp, so that it can be walked back.
// Source: Horowitz and Sahni's two lists (1974), grown until they meet.

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
