// The search of a Pareto front of time and energy, certified within a ratio, from few measurements. See certified_front.cpp.
#pragma once

#include "optimum/search.hpp"

#include <vector>

namespace hpart::optimum
{

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
