// The search of a fast distribution of an application if only the time of whole runs is known. See one_time_search.cpp.
#pragma once

#include "optimum/one_time_model.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace hpart::optimum
{

// The distribution of these sizes whose parts are nearest to the shares. Fails when none sum to the size.
std::vector<std::int64_t> nearest_distribution(const std::vector<std::vector<std::int64_t>> &all, std::int64_t size,
                                               const std::vector<double> &shares);

class OneTimeSearch
{
  public:
    // Sizes that each processor may get besides 0, increasing. Fails when none sum to the size. max_runs: before the search ends.
    OneTimeSearch(std::vector<std::vector<std::int64_t>> sizes, std::int64_t size, std::int64_t max_runs);

    // The next distribution to run; empty: the search has ended.
    std::vector<std::int64_t> next();
    void add(const std::vector<std::int64_t> &x, double seconds);
    void add_failure(const std::vector<std::int64_t> &x);

    std::vector<std::int64_t> nearest(const std::vector<double> &shares) const
    {
        return nearest_distribution(sizes_, size_, shares);
    }
    std::vector<std::int64_t> equal() const { return nearest(std::vector<double>(sizes_.size(), 1)); }

    const std::vector<Tried> &tried() const { return tried_; }
    // The distributions of least mean times that did not fail, the best first.
    std::vector<Tried> best(std::size_t count) const;
    std::int64_t runs() const { return runs_; }
    // True if it ended because no other distribution is likely to gain.
    bool is_settled() const { return is_settled_; }

  private:
    enum class Stage : std::uint8_t { more, little_more, gains, finals, end };

    Tried &entry(const std::vector<std::int64_t> &x);
    double noise() const;
    bool is_known(const std::vector<std::int64_t> &x) const
    {
        return std::any_of(tried_.begin(), tried_.end(), [&](const auto &one) { return one.x == x; });
    }
    std::vector<std::int64_t> repeated() const;
    std::vector<std::int64_t> without_one() const;
    void learn_rates();
    bool is_alone_slowest(std::size_t i) const;
    std::vector<std::int64_t> with_more(std::size_t i, double factor) const;
    std::vector<std::int64_t> next_with_more();
    std::vector<std::int64_t> likely_to_gain();
    std::vector<std::int64_t> untried(std::int64_t most) const;
    std::optional<std::vector<std::int64_t>> likeliest(double seconds, double &probability) const;
    void queue_finals();

    std::vector<std::vector<std::int64_t>> sizes_;
    std::int64_t size_, max_runs_, runs_ = 0;
    std::vector<Tried> tried_;
    OneTimeModel model_;
    Stage stage_ = Stage::more;
    std::size_t turn_ = 0;      // the processor that gets more than its share
    int attempts_ = 0;          // of it
    std::vector<double> rates_; // seconds a unit, at most
    std::vector<std::int64_t> asked_;
    std::vector<std::vector<std::int64_t>> finals_;
    bool is_settled_ = false;
};

} // namespace hpart::optimum
