// L, the least time by the lower bounds, bounds every distribution from below; U, the least by the upper bounds, bounds its distribution
// x_U from above: two exact partitions. U <= (1 + precision) L certifies x_U. Else the search measures what keeps L low or U high: sizes of
// x_L that were never measured, then points of either whose interval reaches beyond (1 + precision) L.
// Energies and sums of times add up: L and U are sums, and the points of x_L whose intervals are widest keep L low. Total energies add
// the base power times the time.
// This is best-arm identification with a combinatorial oracle: Chen, Lin, King, Lyu, Chen: Combinatorial pure exploration of multi-armed
// bandits, NIPS 2014.

#include "optimum/certified_search.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace hpart::optimum
{

namespace
{

// The first sizes have values up to so many times the value of a measured distribution.
constexpr double first_range = 2;

std::vector<FunctionKind> deciding(Objective objective)
{
    const auto &kind = objective_kind(objective);
    std::vector<FunctionKind> deciding;
    if (kind.needs_times()) deciding.push_back(FunctionKind::time);
    if (kind.needs_energies) deciding.push_back(FunctionKind::energy);
    return deciding;
}

} // namespace

CertifiedSearch::CertifiedSearch(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules)
    : Search(sizes, rules, deciding(rules.objective))
{
}

double CertifiedSearch::objective_value(const Distribution &found) const
{
    return needs_energies(rules().objective) ? found.joules : found.seconds;
}

Distribution CertifiedSearch::solve(bool is_lower) const
{
    PartitionRequest request;
    request.objective = rules().objective;
    request.size = rules().size;
    request.wants_joules = needs_energies(request.objective);
    request.options = options();
    auto control = limits_of_solution();
    return require_found(partition(platform(is_lower), request, control));
}

void CertifiedSearch::look()
{
    certificate_ = {};
    certificate_.jaggedness = jaggedness();
    const auto lower = solve(true);
    optimistic_ = lower.x;
    certificate_.lower =
        lower.limit_reached ? std::get<double>(lower.report.get("lower_bound")) : objective_value(lower);
    try {
        auto upper = solve(false);
        certificate_.upper = objective_value(upper);
        certificate_.x = std::move(upper.x);
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw; // not enough is measured
    }
    // Values that were measured as nothing certify nothing.
    certificate_.certified = certificate_.upper > 0 &&
                             certificate_.upper <= (1 + rules().precision) * certificate_.lower &&
                             points_that_decide().empty();
}

const Certificate &CertifiedSearch::certificate()
{
    update();
    return certificate_;
}

CertifiedSearch::Points CertifiedSearch::points_that_decide() const
{
    Points points;
    const double goal = (1 + rules().precision) * certificate_.lower;
    if (certificate_.upper <= goal) {
        add_measured_once(points, certificate_.x);
        return points;
    }
    add_unmeasured(points, optimistic_);
    if (!points.empty()) return points;
    if (!objective_kind(rules().objective).is_longest_time()) {
        add_open_terms(points, optimistic_);
        return points;
    }
    add_open_times(points, optimistic_, goal);
    add_open_times(points, certificate_.x, goal);
    return points;
}

double CertifiedSearch::largest_first_value() const { return first_range * certificate_.upper; }

// While the slowest processor measures, the others measure sizes near their part of x_L. Terms of a sum are measured one after another.
void CertifiedSearch::fill_time(std::vector<Request> &requests) const
{
    if (!objective_kind(rules().objective).is_longest_time()) return;
    std::vector<double> busy(processors(), 0);
    Points asked;
    for (const auto &request : requests) {
        busy[request.processor] += expected_value(request);
        asked.insert({request.processor, request.point, request.kind});
    }
    const double longest = *std::max_element(busy.begin(), busy.end());
    const double most = certificate_.upper / (1 + rules().precision); // slower sizes are in no better distribution
    for (std::size_t i = 0; i < processors(); ++i) {
        const auto &of_one = function(i);
        std::vector<std::pair<std::int64_t, std::size_t>> wanted;
        for (const auto k : possible_points(i))
            if (!of_one.is_measured(k) && !of_one.is_excluded(k) && bounds(kind())[i].low[k] < most &&
                !asked.contains({i, k, kind()}))
                wanted.emplace_back(std::abs(of_one.sizes()[k] - optimistic_[i]), k);
        std::sort(wanted.begin(), wanted.end());
        for (const auto &[distance, k] : wanted) {
            const Request request{i, k, first_repetitions};
            busy[i] += expected_value(request);
            if (busy[i] > longest) break;
            requests.push_back(request);
        }
    }
    accompany(requests, optimistic_);
}

// The front over the lower bounds: no distribution is below it. The front over the upper bounds: its distributions take no more.
// This front is certified if each point of the lower front has a point of it within (1 + precision) times its time and energy. Else
// the search measures the distributions of the points that are not covered: sizes that were never measured, then points whose
// intervals are too wide. Once all its intervals are narrow, such a distribution covers its own point.

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
    request.energy = objective_kind(rules().objective).needs_base_power ? FrontEnergy::total : FrontEnergy::dynamic;
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
