// Which test answers whether a target is a sum: one step alone, bit sets, or lists that meet.

#include "partitioners/search/subset_sum.hpp"

#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

namespace hpart
{

ChoiceSteps::ChoiceSteps(ReducedChoices reduced)
    : reduced_(std::move(reduced)), copies_(reduced_.choices.copies()), goal_(reduced_.target)
{
    if (reduced_.room == std::numeric_limits<std::int64_t>::max()) return; // is only known to be larger
    downwards_ = reduced_.room - goal_ < goal_;
    if (downwards_) goal_ = reduced_.room - goal_;
}

std::span<const std::int64_t> ChoiceSteps::steps_of(std::size_t f) const
{
    const auto sizes = reduced_.choices.sizes_of_function(f);
    if (!downwards_) return {sizes.begin() + 1, std::upper_bound(sizes.begin(), sizes.end(), goal_)};
    steps_.clear();
    for (auto k = sizes.size() - 1; k-- > 0 && sizes.back() - sizes[k] <= goal_;)
        steps_.push_back(sizes.back() - sizes[k]);
    return steps_;
}

std::vector<std::int64_t> ChoiceSteps::sizes_after(const std::vector<TakenStep> &taken) const
{
    std::vector<std::vector<TakenStep>> left(copies_.size()); // of each function
    for (const auto &step : taken) left[step.owner].push_back(step);
    std::vector<std::int64_t> sizes;
    sizes.reserve(reduced_.choices.classes());
    for (const auto f : reduced_.choices.function_of) {
        sizes.push_back(downwards_ ? reduced_.choices.sizes_of_function(f).back() : 0);
        if (left[f].empty()) continue;
        auto &step = left[f].back();
        sizes.back() += downwards_ ? -step.step : step.step;
        if (--step.copies == 0) left[f].pop_back();
    }
    return reduced_.restore(std::move(sizes));
}

namespace
{

constexpr double quick_operations = 1e7; // milliseconds
constexpr double most_operations = 1e12; // beyond that bit sets would take hours
constexpr double operations_in_list_byte = 4;
constexpr std::int64_t brief_bytes = 1 << 25;

// Most realistic targets are one step of one class away.
Steps find_one_step(const StepSource &source)
{
    const auto goal = source.goal();
    if (goal == 0) return std::vector<TakenStep>{};
    for (std::size_t c = 0; c < source.classes(); ++c) {
        if (source.copies(c) == 0) continue;
        const auto steps = source.steps_of(c);
        if (std::binary_search(steps.begin(), steps.end(), goal)) return std::vector<TakenStep>{{c, goal, 1}};
    }
    return std::nullopt;
}

template <typename Take>
std::optional<std::vector<std::int64_t>> sizes_by(const Choices &choices, std::int64_t target, const Take &take)
{
    auto reduced = reduce(choices, target);
    if (!reduced) return std::nullopt;
    const ChoiceSteps steps(std::move(*reduced));
    const auto taken = take(steps);
    if (!taken) return std::nullopt;
    return steps.sizes_after(*taken);
}

} // namespace

Steps find_steps(const StepSource &source, Control &control, SimdLevel level)
{
    if (auto taken = find_one_step(source)) return taken;
    const auto cost = bit_cost(source);
    const auto memory = control.memory_limit();
    const bool bits_fit = cost.bytes <= static_cast<double>(memory) && cost.operations <= most_operations;
    if (bits_fit && cost.operations <= quick_operations) return find_steps_by_bits(source, control, level);
    if (!bits_fit) return meet_in_the_middle(source, memory, control);
    // Lists often meet early, or see all combinations where there are few; given about as much time as the bit sets will take.
    const auto list_bytes = std::min(static_cast<std::int64_t>(cost.operations / operations_in_list_byte), memory / 8);
    if (auto taken = within_limits([&] { return meet_in_the_middle(source, list_bytes, control); })) return *taken;
    return find_steps_by_bits(source, control, level);
}

Steps find_steps_quickly(const StepSource &source, std::int64_t work)
{
    auto brief = Control::of_work(work, brief_bytes);
    if (auto taken = find_one_step(source)) return taken;
    return within_limits([&] { return meet_in_the_middle(source, brief_bytes, brief); }).value_or(std::nullopt);
}

std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control)
{
    ++control.counters.sum_tests;
    return sizes_by(choices, target, [&](const ChoiceSteps &steps) { return find_steps(steps, control); });
}

std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target)
{
    return sizes_by(choices, target, [](const ChoiceSteps &steps) { return find_steps_quickly(steps, brief_work); });
}

// Is `goal` a sum of steps, at most one of each copy of each class: by bit sets.
//
// A layer is one copy of a class. R, the sums of steps of the layers before, is a bit set of 0 .. goal; after a layer it is joined with
// R shifted by each of the class's steps. A run of consecutive steps a .. b, with 2^q <= b - a + 1 < 2^(q + 1), is E_q shifted by a joined
// with E_q shifted by b + 1 - 2^q, where E_0 = R and E_{k+1} is E_k joined with E_k shifted by 2^k: the E are shared by all runs. Once a
// copy adds nothing to R, its class's other copies add nothing either. first[v] is the layer at which v was first reached. A value
// first reached at a layer is v' + step with v' reached before it, so that the walk back from the goal never fails and takes at most
// one step of a layer: the answer is exact.
// Time: (2 runs + log2 of the longest run) goal / 64 words a layer; memory: (3 + log2 of the longest run) goal / 8 + 4 goal bytes.
// Source: design of hpart; dilation by runs is the usual doubling.

namespace
{

struct Run {
    std::int64_t begin;
    std::int64_t length;

    // The q of the description.
    std::int64_t width() const
    {
        return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(length))); // 2^q
    }
    int doublings() const { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length))) - 1; }
};

void find_runs(std::span<const std::int64_t> steps, std::vector<Run> &runs)
{
    runs.clear();
    for (const auto step : steps) {
        if (!runs.empty() && runs.back().begin + runs.back().length == step)
            ++runs.back().length;
        else
            runs.push_back({step, 1});
    }
}

int most_doublings(const std::vector<Run> &runs)
{
    int most = 0;
    for (const auto &run : runs) most = std::max(most, run.doublings());
    return most;
}

class BitSearch
{
  public:
    BitSearch(const StepSource &source, SimdLevel level)
        : source_(source), goal_(source.goal()), level_(level), reached_(goal_, level), grown_(goal_, level),
          first_(new std::uint32_t[static_cast<std::size_t>(goal_ + 1)])
    {
        reached_.set(0);
    }

    bool reach_goal(Control &control)
    {
        Pacer pacer(control, "testing whether a sum can be made");
        for (std::size_t c = 0; c < source_.classes(); ++c) {
            const auto steps = source_.steps_of(c);
            if (steps.empty()) continue;
            find_runs(steps, runs_);
            const auto largest = steps.back();
            for (auto copy = source_.copies(c); copy > 0; --copy) {
                if (!add_layer(c, largest, pacer)) break;
                if (reached_.test(goal_)) return true;
            }
        }
        return reached_.test(goal_);
    }

    std::vector<TakenStep> walk_back() const
    {
        std::vector<TakenStep> taken;
        for (auto v = goal_; v > 0;) {
            const auto layer = first_[static_cast<std::size_t>(v)];
            const auto owner = owners_[layer];
            const auto steps = source_.steps_of(owner);
            const auto step = *std::find_if(steps.begin(), steps.end(), [&](std::int64_t w) {
                return w == v || (w < v && reached_.test(v - w) && first_[static_cast<std::size_t>(v - w)] < layer);
            });
            taken.push_back({owner, step, 1});
            v -= step;
        }
        return taken;
    }

  private:
    // False when no new sum is reached.
    bool add_layer(std::size_t owner, std::int64_t largest, Pacer &pacer)
    {
        top_ = largest > goal_ - top_ ? goal_ : top_ + largest;
        const auto last = BitRow::word_of(top_);
        const auto doublings = most_doublings(runs_);
        dilate(doublings, last);
        grown_.copy(reached_, last);
        for (const auto &run : runs_) {
            const auto q = run.doublings();
            const auto &dilated = q == 0 ? reached_ : dilated_[static_cast<std::size_t>(q - 1)];
            const auto width = run.width();
            grown_.or_shifted(dilated, run.begin, last);
            if (run.length > width) grown_.or_shifted(dilated, run.begin + run.length - width, last);
            pacer.spend(static_cast<std::int64_t>(last) + 1);
        }
        pacer.spend(doublings * (static_cast<std::int64_t>(last) + 1));
        return note_new_values(owner, last, pacer);
    }

    void dilate(int doublings, std::size_t last)
    {
        while (static_cast<int>(dilated_.size()) < doublings) dilated_.emplace_back(goal_, level_);
        for (int q = 0; q < doublings; ++q) {
            const auto at = static_cast<std::size_t>(q);
            const auto &narrow = q == 0 ? reached_ : dilated_[at - 1];
            dilated_[at].copy(narrow, last);
            dilated_[at].or_shifted(narrow, std::int64_t{1} << q, last);
        }
    }

    bool note_new_values(std::size_t owner, std::size_t last, Pacer &pacer)
    {
        const auto layer = static_cast<std::uint32_t>(owners_.size());
        bool any = false;
        for (std::size_t w = 0; w <= last; ++w) {
            auto fresh = grown_.word(w) & ~reached_.word(w);
            pacer.spend(std::popcount(fresh));
            for (; fresh != 0; fresh &= fresh - 1) {
                const auto v = static_cast<std::int64_t>(w) * BitRow::word_bits + std::countr_zero(fresh);
                if (v > goal_) break;
                first_[static_cast<std::size_t>(v)] = layer;
                any = true;
            }
        }
        std::swap(reached_, grown_);
        if (any) owners_.push_back(owner);
        return any;
    }

    const StepSource &source_;
    std::int64_t goal_;
    SimdLevel level_;
    BitRow reached_;
    BitRow grown_;
    std::vector<BitRow> dilated_;            // E_1, E_2, ...
    std::unique_ptr<std::uint32_t[]> first_; // of values that are reached; the others are never written
    std::vector<std::size_t> owners_;        // of the layers
    std::vector<Run> runs_;
    std::int64_t top_ = 0; // no larger value is reached
};

} // namespace

BitCost bit_cost(const StepSource &source)
{
    const auto goal = static_cast<double>(source.goal());
    double row_passes = 0;
    int doublings = 0;
    std::vector<Run> runs;
    for (std::size_t c = 0; c < source.classes(); ++c) {
        const auto steps = source.steps_of(c);
        if (steps.empty()) continue;
        find_runs(steps, runs);
        const auto longest = most_doublings(runs);
        doublings = std::max(doublings, longest);
        // Every layer but the last raises the largest sum by the largest step, or fills a hole.
        const auto most_steps = source.goal() / steps.back();
        const auto layers = std::min(static_cast<double>(source.copies(c)), 2 * (static_cast<double>(most_steps) + 1));
        row_passes += layers * (2 * static_cast<double>(runs.size()) + longest);
    }
    // Each value is also noted once.
    return {(3 + doublings) * goal / 8 + 4 * goal, row_passes * goal / BitRow::word_bits + goal};
}

Steps find_steps_by_bits(const StepSource &source, Control &control, SimdLevel level)
{
    BitSearch search(source, level);
    if (!search.reach_goal(control)) return std::nullopt;
    return search.walk_back();
}

} // namespace hpart
