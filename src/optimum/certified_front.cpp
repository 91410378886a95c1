// The front over the lower bounds: no distribution is below it. The front over the upper bounds: its distributions take no more.
// This front is certified if each point of the lower front has a point of it within (1 + precision) times its time and energy. Else
// the search measures the distributions of the points that are not covered: sizes that were never measured, then points whose
// intervals are too wide. Once all its intervals are narrow, such a distribution covers its own point.
#include "optimum/certified_front.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>

namespace hpart::optimum
{

namespace
{

// Total energies are rounded in another order.
constexpr double rounding = 1e-12;

} // namespace

CertifiedFront::CertifiedFront(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules)
    : Search(sizes, rules, {FunctionKind::time, FunctionKind::energy})
{
}

std::vector<FrontPoint> CertifiedFront::solve(bool is_lower) const
{
    FrontRequest request;
    request.size = rules().size;
    request.energy = rules().objective == Objective::total_energy ? FrontEnergy::total : FrontEnergy::dynamic;
    request.options = options();
    auto control = limits_of_solution();
    return compute_front(platform(is_lower), request, control).points;
}

void CertifiedFront::look()
{
    certificate_ = {};
    certificate_.lower = solve(true);
    try {
        certificate_.upper = solve(false);
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw; // not enough is measured
    }
    open_.clear();
    const auto &upper = certificate_.upper;
    const double goal = (1 + rules().precision) * (1 + rounding);
    std::size_t u = 0; // upper's last point of no more than the goal's time has the least energy of these
    for (std::size_t l = 0; l < certificate_.lower.size(); ++l) {
        const auto &point = certificate_.lower[l];
        while (u < upper.size() && upper[u].seconds <= goal * point.seconds) ++u;
        if (u == 0 || upper[u - 1].joules > goal * point.joules) open_.push_back(l);
    }
    const auto all = static_cast<double>(certificate_.lower.size());
    certificate_.covered = 1 - static_cast<double>(open_.size()) / all;
    // Energies that were measured as nothing certify nothing.
    certificate_.certified = open_.empty() && upper.back().joules > 0 && points_that_decide().empty();
}

const FrontCertificate &CertifiedFront::certificate()
{
    update();
    return certificate_;
}

CertifiedFront::Points CertifiedFront::points_that_decide() const
{
    Points points;
    if (open_.empty()) {
        for (const auto &point : certificate_.upper) add_measured_once(points, point.x);
        return points;
    }
    for (const auto l : open_) add_unmeasured(points, certificate_.lower[l].x);
    if (!points.empty()) return points;
    for (const auto l : open_) {
        const auto &[seconds, joules, x] = certificate_.lower[l];
        const double goal = 1 + rules().precision;
        add_open_times(points, x, goal * seconds);
        if (value_of(x, rules().objective).high > goal * joules) add_open_terms(points, x);
    }
    return points;
}

// Frugal sizes may be slow, fast ones dear.
double CertifiedFront::largest_first_value() const { return std::numeric_limits<double>::infinity(); }

void CertifiedFront::fill_time(std::vector<Request> &) const {}

} // namespace hpart::optimum
