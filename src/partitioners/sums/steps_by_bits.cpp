// Is `goal` a sum of at most one step of each class: by bit sets.
//
// R_i, the sums of steps of the classes before i, is a bit set of 0 .. goal. R_{i+1} is R_i joined with R_i shifted by each step;
// a run of consecutive steps a .. b is one dilation by b - a + 1 in log2 shifts. first[v] is the class at which v was first
// reached. A value first reached at i is v' + step with v' reached before i, so that the walk back from the goal never fails and
// takes at most one step of a class: the answer is exact.
// Time: (2 runs + log2 of the longest run) goal / 64 words a class; memory: goal / 2 bits and 4 goal bytes.
// Source: design of hpart; dilation by runs is the usual doubling.
#include "partitioners/limits.hpp"
#include "partitioners/sums/bit_row.hpp"
#include "partitioners/sums/steps.hpp"

#include <algorithm>
#include <bit>

namespace hpart
{

namespace
{

struct Run {
    std::int64_t begin;
    std::int64_t length;
};

std::vector<Run> runs_of(const std::vector<std::int64_t> &steps)
{
    std::vector<Run> runs;
    for (const auto step : steps) {
        if (!runs.empty() && runs.back().begin + runs.back().length == step)
            ++runs.back().length;
        else
            runs.push_back({step, 1});
    }
    return runs;
}

class BitSearch
{
  public:
    explicit BitSearch(const Steps &steps)
        : steps_(steps), reached_(steps.goal), grown_(steps.goal), dilated_(steps.goal),
          first_(static_cast<std::size_t>(steps.goal + 1))
    {
        reached_.set(0);
    }

    bool reach_goal(Control &control)
    {
        Pacer pacer(control, "testing whether a sum can be made");
        for (std::size_t i = 0; i < steps_.steps.size() && !reached_.test(steps_.goal); ++i)
            if (!steps_.steps[i].empty()) add_class(i, pacer);
        return reached_.test(steps_.goal);
    }

    std::vector<std::int64_t> walk_back() const
    {
        std::vector<std::int64_t> taken(steps_.steps.size(), 0);
        for (auto v = steps_.goal; v > 0;) {
            const auto i = first_[static_cast<std::size_t>(v)];
            const auto &steps = steps_.steps[i];
            const auto step = *std::find_if(steps.begin(), steps.end(), [&](std::int64_t w) {
                return w == v || (w < v && reached_.test(v - w) && first_[static_cast<std::size_t>(v - w)] < i);
            });
            taken[i] = step;
            v -= step;
        }
        return taken;
    }

  private:
    void add_class(std::size_t i, Pacer &pacer)
    {
        const auto &steps = steps_.steps[i];
        top_ = steps.back() > steps_.goal - top_ ? steps_.goal : top_ + steps.back();
        const auto last = BitRow::word_of(top_);
        grown_.copy(reached_, last);
        for (const auto run : runs_of(steps)) {
            pacer.spend(static_cast<std::int64_t>(last) + 1);
            if (run.length == 1) {
                grown_.or_shifted(reached_, run.begin, last);
                continue;
            }
            dilated_.copy(reached_, last);
            dilated_.dilate(run.length, last);
            grown_.or_shifted(dilated_, run.begin, last);
        }
        note_new_values(i, last);
    }

    void note_new_values(std::size_t i, std::size_t last)
    {
        for (std::size_t w = 0; w <= last; ++w)
            for (auto fresh = grown_.word(w) & ~reached_.word(w); fresh != 0; fresh &= fresh - 1) {
                const auto v = static_cast<std::int64_t>(w) * BitRow::word_bits + std::countr_zero(fresh);
                if (v <= steps_.goal) first_[static_cast<std::size_t>(v)] = static_cast<std::uint32_t>(i);
            }
        std::swap(reached_, grown_);
    }

    const Steps &steps_;
    BitRow reached_;
    BitRow grown_;
    BitRow dilated_;
    std::vector<std::uint32_t> first_;
    std::int64_t top_ = 0; // no larger value is reached
};

} // namespace

BitCost bit_cost(const Steps &steps)
{
    const auto goal = static_cast<double>(steps.goal);
    double row_passes = 0;
    for (const auto &of_class : steps.steps) {
        const auto runs = runs_of(of_class);
        for (const auto run : runs)
            row_passes += static_cast<double>(2 + std::bit_width(static_cast<std::uint64_t>(run.length)));
    }
    // Each value is also noted once.
    return {3 * goal / 8 + 4 * goal, row_passes * goal / BitRow::word_bits + goal};
}

Taken take_steps_by_bits(const Steps &steps, Control &control)
{
    BitSearch search(steps);
    if (!search.reach_goal(control)) return std::nullopt;
    return search.walk_back();
}

} // namespace hpart
