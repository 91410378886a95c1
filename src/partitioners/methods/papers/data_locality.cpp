// Data-locality partitioning. Problem: least time, where a processor that joins pays the exchange with the processor that it takes
// work from. A greedy heuristic. Source: Al-Hashimi and Basuhail, "A Proposed Data Partitioning Approach on Heterogeneous HPC
// Platforms: Data Locality Perspective" (2021), V.C and Algorithm 1. The option `communication` gives the exchange (chain or
// chain-any: latency + border bytes / bandwidth, and the host links of accelerators); with none and summa it is 0, with host the
// times have the cost already.
//
// As its text has it: the first processor is the one with the least time of any size from n / p on, with that size. Then, as long
// as the sizes do not sum to n, the processor under way grows, until another has a size, above its own and within the rest, whose
// time with the exchange is less. That processor takes the size and is under way from now on.
//
// Repairs of the printed defects: docs/background/papers.md. A processor grows to the size of the least time, which passes over spikes.
// Time O(steps x (p + m)), at most p m steps.
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/papers.hpp"

#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/search/choices.hpp"

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
    GreedySearch(const PartitionProblem &problem, Control &control)
        : problem_(problem), instance_(problem.instance), pacer_(control, "sharing out the size"),
          point_(instance_.processors()), rest_(problem.size)
    {
    }

    // Sizes that sum to the size of the problem, or to less where the search is stuck.
    std::vector<std::int64_t> run()
    {
        if (!begin()) return sizes();
        for (std::size_t i = 0; i < point_.size(); ++i) growths_.push_back(best_growth_of(i));
        while (rest_ > 0) {
            const auto step = cheapest_growth();
            if (!step) break;
            take(*step);
            growths_[under_way_] = best_growth_of(under_way_);
        }
        return sizes();
    }

  private:
    struct Step {
        std::size_t processor;
        std::size_t point;
    };

    static constexpr auto nothing = std::numeric_limits<std::size_t>::max();

    std::int64_t size_of(std::size_t i) const { return size_at(i, point_[i]); }
    std::int64_t size_at(std::size_t i, std::size_t k) const { return instance_.of(i).sizes[k]; }
    double seconds_at(std::size_t i, std::size_t k) const { return instance_.of(i).seconds[k]; }
    std::int64_t gain(std::size_t i, std::size_t k) const { return size_at(i, k) - size_of(i); }

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
        const auto share = problem_.size / p + (problem_.size % p > 0 ? 1 : 0);
        std::optional<Step> first;
        std::optional<Step> largest;
        const auto size_of_step = [&](const Step &step) { return size_at(step.processor, step.point); };
        const auto is_before = [&](const Step &step, const std::optional<Step> &than) {
            if (!than) return true;
            const auto seconds = seconds_at(step.processor, step.point);
            const auto others = seconds_at(than->processor, than->point);
            return seconds != others ? seconds < others : size_of_step(step) > size_of_step(*than);
        };
        for (std::size_t i = 0; i < point_.size(); ++i)
            for (std::size_t k = 0; k < instance_.of(i).count() && size_at(i, k) <= rest_; ++k) {
                const Step step{i, k};
                if (size_at(i, k) >= share && is_before(step, first)) first = step;
                if (size_at(i, k) > 0 && (!largest || size_at(i, k) > size_of_step(*largest))) largest = step;
            }
        if (!first) first = largest;
        if (first) take(*first);
        return first.has_value();
    }

    double exchange(std::size_t i) const
    {
        if (problem_.communication == nullptr || i == under_way_) return 0;
        return problem_.communication->exchange(i, under_way_);
    }

    // The processor's point of least time among its larger sizes within the rest; ties: the largest size.
    std::size_t best_growth_of(std::size_t i)
    {
        auto best = nothing;
        const auto count = instance_.of(i).count();
        for (auto k = point_[i] + 1; k < count && gain(i, k) <= rest_; ++k)
            if (best == nothing || seconds_at(i, k) <= seconds_at(i, best)) best = k;
        pacer_.spend(static_cast<std::int64_t>(count - point_[i]));
        return best;
    }

    // The growth of the least time, exchange included. Ties: the processor under way, then the largest gain, then the first
    // processor.
    std::optional<Step> cheapest_growth()
    {
        std::optional<Step> best;
        auto least = std::numeric_limits<double>::infinity();
        const auto consider = [&](std::size_t i) {
            auto &k = growths_[i];
            if (k != nothing && gain(i, k) > rest_) k = best_growth_of(i);
            if (k == nothing) return;
            const auto seconds = seconds_at(i, k) + exchange(i);
            const bool may_replace = best && seconds == least && best->processor != under_way_;
            if (seconds < least || (may_replace && gain(i, k) > gain(best->processor, best->point))) {
                least = seconds;
                best = Step{i, k};
            }
        };
        consider(under_way_);
        for (std::size_t i = 0; i < point_.size(); ++i)
            if (i != under_way_) consider(i);
        pacer_.spend(static_cast<std::int64_t>(point_.size()));
        return best;
    }

    std::vector<std::int64_t> sizes() const
    {
        std::vector<std::int64_t> x(point_.size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = size_of(i);
        return x;
    }

    const PartitionProblem &problem_;
    const Instance &instance_;
    Pacer pacer_;
    std::vector<std::size_t> point_;   // of each processor, where it is
    std::vector<std::size_t> growths_; // and the point that it would grow to
    std::int64_t rest_;
    std::size_t under_way_ = 0;
};

} // namespace

Solution data_locality(const PartitionProblem &problem, Control &control)
{
    auto x = GreedySearch(problem, control).run();
    if (std::accumulate(x.begin(), x.end(), std::int64_t{0}) == problem.size)
        return {Outcome::found, std::move(x), objective_bound(problem)};
    return nearest_to_shares(problem, {x.begin(), x.end()}, control);
}

} // namespace hpart
