// Data-locality partitioning. Problem: least time, where a processor that joins pays the exchange with the one that it takes work from. A
// greedy heuristic. Source: Al-Hashimi and Basuhail, "A Proposed Data Partitioning Approach on Heterogeneous HPC Platforms: Data Locality
// Perspective" (2021), V.C and Algorithm 1. The exchange is that of the option `communication` (chain or chain-any: latency + border bytes / bandwidth, and the host
// links of accelerators); with none and summa it is 0, with host the times have the cost already.
//
// As its text has it: the first processor is the one with the least time of any size from n / p on, with that size. Then, as long as the sizes
// do not sum to n, the processor under way grows to its next size, unless another processor can take more for less: one that has a
// size, above what it has and within the rest, whose time with the exchange is below that of the growth. That one gets its largest
// such size, the one with the largest gain first, and is under way from now on.
//
// Repaired:
// - The printed loop never updates its sum and never ends; it raises the size under way once for every size that does not fit; and it
//   grows sizes by one, where functions have gaps. Here the sum is kept and sizes are those of the functions.
// - Nothing is said of a processor that cannot grow within the rest while no other is faster: the growth that costs least, of any processor,
//   is taken.
// - When none can grow and the sum is not n, the printed search is stuck. Here the sizes found become shares, and the distribution
//   nearest to them is given.
// - Nothing is said of functions that end before n / p: the largest size of all begins.
// Time O(steps x p m), at most p m steps; about p m for smooth functions.
#include "partitioners/papers/data_locality.hpp"

#include "partitioners/balance/baselines.hpp"
#include "partitioners/communication/communication.hpp"
#include "partitioners/limits.hpp"

#include <limits>
#include <numeric>
#include <optional>

namespace hpart
{

namespace
{

class GreedySearch
{
  public:
    GreedySearch(const Question &question, Control &control)
        : question_(question), instance_(question.instance), pacer_(control, "sharing out the size"),
          point_(instance_.processors()), rest_(question.size)
    {
        for (std::size_t i = 0; i < point_.size(); ++i) point_[i] = instance_.begin(i);
    }

    // Sizes that sum to the size of the question, or to less where the search is stuck.
    std::vector<std::int64_t> run()
    {
        if (!begin()) return sizes();
        while (rest_ > 0) {
            pacer_.spend(static_cast<std::int64_t>(instance_.sizes.size()));
            const auto growth = next(under_way_);
            const auto seconds = growth ? instance_.seconds[*growth] : never;
            auto step = growth ? best_gain(seconds) : cheapest_growth();
            if (!step && growth) step = Step{under_way_, *growth};
            if (!step) break;
            take(*step);
        }
        return sizes();
    }

  private:
    struct Step {
        std::size_t processor;
        std::size_t point;
    };

    static constexpr double never = std::numeric_limits<double>::infinity();

    std::int64_t size_of(std::size_t i) const { return instance_.sizes[point_[i]]; }
    std::int64_t gain(std::size_t i, std::size_t k) const { return instance_.sizes[k] - size_of(i); }

    void take(const Step &step)
    {
        rest_ -= gain(step.processor, step.point);
        point_[step.processor] = step.point;
        under_way_ = step.processor;
    }

    // The least time of a size from n / p on; of equal ones the larger size.
    bool begin()
    {
        const auto p = static_cast<std::int64_t>(point_.size());
        const auto share = question_.size / p + (question_.size % p > 0 ? 1 : 0);
        std::optional<Step> first;
        std::optional<Step> largest;
        const auto is_before = [&](std::size_t k, const std::optional<Step> &than) {
            if (!than || instance_.seconds[k] != instance_.seconds[than->point])
                return !than || instance_.seconds[k] < instance_.seconds[than->point];
            return instance_.sizes[k] > instance_.sizes[than->point];
        };
        for (std::size_t i = 0; i < point_.size(); ++i)
            for (auto k = instance_.begin(i); k < instance_.end(i) && instance_.sizes[k] <= rest_; ++k) {
                if (instance_.sizes[k] >= share && is_before(k, first)) first = Step{i, k};
                if (instance_.sizes[k] > 0 && (!largest || instance_.sizes[k] > instance_.sizes[largest->point]))
                    largest = Step{i, k};
            }
        if (!first) first = largest;
        if (first) take(*first);
        return first.has_value();
    }

    // The next size of a processor, within the rest.
    std::optional<std::size_t> next(std::size_t i) const
    {
        const auto k = point_[i] + 1;
        if (k >= instance_.end(i) || gain(i, k) > rest_) return std::nullopt;
        return k;
    }

    double exchange(std::size_t i) const
    {
        if (question_.communication == nullptr || i == under_way_) return 0;
        return question_.communication->exchange(i, under_way_);
    }

    // The largest gain of another processor whose time, with the exchange, stays below the limit.
    std::optional<Step> best_gain(double limit) const
    {
        std::optional<Step> best;
        for (std::size_t i = 0; i < point_.size(); ++i) {
            if (i == under_way_) continue;
            const auto cost = exchange(i);
            for (auto k = point_[i] + 1; k < instance_.end(i) && gain(i, k) <= rest_; ++k)
                if (instance_.seconds[k] + cost < limit && (!best || gain(i, k) > gain(best->processor, best->point)))
                    best = Step{i, k};
        }
        return best;
    }

    std::optional<Step> cheapest_growth() const
    {
        std::optional<Step> best;
        auto least = never;
        for (std::size_t i = 0; i < point_.size(); ++i) {
            const auto k = next(i);
            if (!k || instance_.seconds[*k] + exchange(i) >= least) continue;
            least = instance_.seconds[*k] + exchange(i);
            best = Step{i, *k};
        }
        return best;
    }

    std::vector<std::int64_t> sizes() const
    {
        std::vector<std::int64_t> x(point_.size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = size_of(i);
        return x;
    }

    const Question &question_;
    const Instance &instance_;
    Pacer pacer_;
    std::vector<std::size_t> point_; // of each processor, where it is
    std::int64_t rest_;
    std::size_t under_way_ = 0;
};

} // namespace

Solution data_locality(const Question &question, Control &control, Work &work)
{
    auto x = GreedySearch(question, control).run();
    if (std::accumulate(x.begin(), x.end(), std::int64_t{0}) == question.size)
        return {Outcome::found, std::move(x), objective_bound(question)};
    return nearest_to_shares(question, {x.begin(), x.end()}, control, work);
}

} // namespace hpart
