// The search of a distribution that is optimal within a ratio, with a certificate, from few measurements. See certified_search.cpp.
#pragma once

#include "optimum/search.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace hpart::optimum
{

struct Certificate {
    bool certified = false;
    double lower = 0;                                       // no distribution takes less, seconds or joules
    double upper = std::numeric_limits<double>::infinity(); // x takes no more
    std::vector<std::int64_t> x;                            // empty: none is measured
    double jaggedness = 1;                                  // the largest that is assumed; 1: none
};

class CertifiedSearch final : public Search
{
  public:
    CertifiedSearch(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules);

    // By all that is known now.
    const Certificate &certificate();
    // As it was when next() or certificate() was called last.
    const Certificate &last() const { return certificate_; }

  private:
    Distribution solve(bool is_lower) const;
    double objective_value(const Distribution &found) const;
    void look() override;
    Points points_that_decide() const override;
    double largest_first_value() const override;
    void fill_time(std::vector<Request> &requests) const override;

    std::vector<std::int64_t> optimistic_; // of least lower bounds
    Certificate certificate_;
};

// The search of a Pareto front of time and energy, certified within a ratio, from few measurements. See certified_search.cpp.

struct FrontCertificate {
    bool certified = false;
    double covered = 0;            // share of the points of lower
    std::vector<FrontPoint> lower; // no distribution is below it
    std::vector<FrontPoint> upper; // its distributions take no more; empty: none is measured
};

class CertifiedFront final : public Search
{
  public:
    // rules.objective: energy (dynamic) or total_energy.
    CertifiedFront(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules);

    // By all that is known now.
    const FrontCertificate &certificate();
    // As it was when next() or certificate() was called last.
    const FrontCertificate &last() const { return certificate_; }

  private:
    std::vector<FrontPoint> solve(bool is_lower) const;
    void look() override;
    Points points_that_decide() const override;
    double largest_first_value() const override;
    void fill_time(std::vector<Request> &requests) const override;

    std::vector<std::size_t> open_; // points of lower that upper does not cover
    FrontCertificate certificate_;
};

} // namespace hpart::optimum
