// The search of a distribution that is optimal within a ratio, with a certificate, from few measurements. See certified_search.cpp.
#pragma once

#include "optimum/function_estimate.hpp"
#include "partitioners/calls/partition.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace hpart::optimum
{

struct SearchRules {
    Objective objective = Objective::time; // or energy: the least sum of the processors' energies
    std::int64_t size = 0;
    double precision = 0.05;
    double quantile = 1.645;               // of the normal distribution, one-sided
    double jaggedness = 0;                 // 0: learned
    bool all_sizes = false;                // measures every size: no jaggedness is assumed
    std::int64_t max_repetitions = 100000; // of a point
};

// A measurement that a processor is to do next.
struct Request {
    std::size_t processor;
    std::size_t point; // an index of its sizes
    std::int64_t repetitions;
};

struct Certificate {
    bool certified = false;
    double lower = 0;                                       // no distribution takes less, seconds or joules
    double upper = std::numeric_limits<double>::infinity(); // x takes no more
    std::vector<std::int64_t> x;                            // empty: none is measured
    double jaggedness = 1;                                  // the largest that is assumed; 1: none
};

class CertifiedSearch
{
  public:
    // Sizes of each processor, increasing and positive; those above the size are left out. Fails when no sizes sum to the size.
    CertifiedSearch(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules);

    std::size_t processors() const { return functions_.size(); }
    const FunctionEstimate &function(std::size_t i) const { return functions_[i]; }
    FunctionEstimate &function(std::size_t i) { return functions_[i]; }
    std::size_t index_of(std::size_t processor, std::int64_t size) const;

    // The next measurements: a processor's in their order, those of different ones at the same time. None: the search has ended.
    std::vector<Request> next();
    // By all that is known now.
    const Certificate &certificate();
    // As it was when next() or certificate() was called last.
    const Certificate &last() const { return certificate_; }

  private:
    using Points = std::set<std::pair<std::size_t, std::size_t>>; // of processor and point

    struct Bounds {
        std::vector<double> low, high; // high is infinite where a size is not measured
    };

    Distribution solve(bool is_lower, Objective objective) const;
    double value_of(const Distribution &found) const;
    std::vector<std::int64_t> solve_trends();
    std::vector<Request> first_distribution();
    std::vector<Request> first_sizes();
    void update();
    Points points_that_decide() const;
    double excess(std::size_t i, std::size_t k) const;
    void fill_time(std::vector<Request> &requests) const;
    void accompany(std::vector<Request> &requests, const std::vector<std::int64_t> &x) const;
    double expected_seconds(const Request &request) const;

    SearchRules rules_;
    std::vector<FunctionEstimate> functions_;
    std::vector<Bounds> bounds_;
    std::vector<std::int64_t> optimistic_; // of least lower bounds
    Certificate certificate_;
    int first_steps_ = 0;
};

} // namespace hpart::optimum
