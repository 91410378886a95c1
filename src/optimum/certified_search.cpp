// Every size has bounds of its true time: a measured one those of its interval; another one no upper bound, and as lower one what its measured
// neighbours suggest over the jaggedness. L, the least time by the lower bounds, bounds every distribution from below; U, the least by the
// upper bounds, bounds its distribution x_U from above: two exact partitions. U <= (1 + precision) L certifies x_U. Else the search measures
// what keeps L low or U high: sizes of x_L that were never measured, then points of either whose interval reaches beyond (1 + precision) L.
// Energies add up: L and U are sums, and the points of x_L whose intervals are widest, in joules, keep L low.
// This is best-arm identification with a combinatorial oracle: Chen, Lin, King, Lyu, Chen: Combinatorial pure exploration of multi-armed
// bandits, NIPS 2014.
#include "optimum/certified_search.hpp"

#include "core/error.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <cstdlib>

namespace hpart::optimum
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();
// The first sizes: every sixteenth, but so many at least; of times up to so many times that of a measured distribution.
constexpr std::size_t first_stride = 16, least_first_sizes = 8;
constexpr double first_range = 2;
// Two repetitions: if one is a spike, the other shows it.
constexpr std::int64_t first_repetitions = 2;
// Repetitions of a point are spread over time in batches: a disturbance of one batch spares the next.
constexpr std::int64_t longest_batch = 5;
// Energies: measures again the points with at least this share of the largest excess.
constexpr double least_share = 0.25;
// Batches of each point of a certified distribution, at least.
constexpr std::int64_t least_batches = 2;

// Splits requests into batches and interleaves them.
std::vector<Request> in_turn(std::vector<Request> requests)
{
    std::vector<Request> out;
    for (bool is_left = true; is_left;) {
        is_left = false;
        for (auto &request : requests) {
            if (request.repetitions == 0) continue;
            const auto now = request.repetitions <= longest_batch + 1 ? request.repetitions : longest_batch;
            out.push_back({request.processor, request.point, now});
            request.repetitions -= now;
            is_left = is_left || request.repetitions > 0;
        }
    }
    return out;
}

} // namespace

CertifiedSearch::CertifiedSearch(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules) : rules_(rules)
{
    for (const auto &all : sizes) {
        const auto end = std::upper_bound(all.begin(), all.end(), rules.size);
        functions_.emplace_back(std::vector<std::int64_t>(all.begin(), end), rules.quantile);
        const auto count = functions_.back().count();
        bounds_.push_back({std::vector<double>(count, 0), std::vector<double>(count, infinity)});
    }
    const auto is_none = [](const auto &function) { return function.count() == 0; };
    if (std::all_of(functions_.begin(), functions_.end(), is_none))
        fail(Status::infeasible, "the size is ", rules.size, "; no processor may get a size that small");
    solve(true, Objective::time); // fails where nothing sums to the size
}

std::size_t CertifiedSearch::index_of(std::size_t processor, std::int64_t size) const
{
    const auto &sizes = functions_[processor].sizes();
    return static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), size) - sizes.begin());
}

std::vector<Request> CertifiedSearch::next()
{
    for (; first_steps_ < 3; ++first_steps_) {
        auto requests = first_steps_ < 2 ? first_distribution() : first_sizes();
        if (requests.empty()) continue;
        ++first_steps_;
        return requests;
    }
    update();
    std::vector<Request> requests;
    for (const auto &[i, k] : points_that_decide()) {
        const auto have = functions_[i].repetitions(k);
        if (have >= rules_.max_repetitions) continue;
        const auto more = std::max(first_repetitions, have / 2);
        requests.push_back({i, k, std::min(more, rules_.max_repetitions - have)});
    }
    if (requests.empty()) return requests;
    if (rules_.objective == Objective::time) { // energies are measured one after another
        fill_time(requests);
        accompany(requests, optimistic_);
    }
    // Batches that are measured at the same time take as long.
    std::stable_sort(requests.begin(), requests.end(),
                     [this](const auto &a, const auto &b) { return expected_seconds(a) > expected_seconds(b); });
    return in_turn(std::move(requests));
}

// The best distribution at equal speeds, then that at the speeds seen.
std::vector<Request> CertifiedSearch::first_distribution()
{
    std::vector<Request> requests;
    const auto x = solve_trends();
    for (std::size_t i = 0; i < processors(); ++i)
        if (x[i] > 0 && !functions_[i].is_measured(index_of(i, x[i])))
            requests.push_back({i, index_of(i, x[i]), first_repetitions});
    if (!requests.empty()) accompany(requests, x);
    return requests;
}

std::vector<std::int64_t> CertifiedSearch::solve_trends()
{
    // A processor that was given nothing counts as the fastest one: it is tried.
    double fastest = infinity;
    for (const auto &function : functions_)
        for (std::size_t k = 0; k < function.count(); ++k)
            if (function.is_measured(k))
                fastest = std::min(fastest, function.interval(k).value / static_cast<double>(function.sizes()[k]));
    if (fastest == infinity) fastest = 1;
    for (std::size_t i = 0; i < processors(); ++i)
        for (std::size_t k = 0; k < functions_[i].count(); ++k)
            bounds_[i].low[k] = functions_[i].measured() > 0 ? functions_[i].trend(k)
                                                             : fastest * static_cast<double>(functions_[i].sizes()[k]);
    return solve(true, Objective::time).x;
}

std::vector<Request> CertifiedSearch::first_sizes()
{
    update();
    std::vector<Request> requests;
    for (std::size_t i = 0; i < processors(); ++i) {
        auto count = functions_[i].count();
        const auto most = rules_.all_sizes ? infinity : first_range * certificate_.upper;
        while (count > 0 && functions_[i].trend(count - 1) > most) --count;
        const auto stride = rules_.all_sizes ? 1 : std::clamp<std::size_t>(count / least_first_sizes, 1, first_stride);
        for (std::size_t k = 0; k < count; ++k)
            if ((k % stride == 0 || k + 1 == count) && !functions_[i].is_measured(k) && !functions_[i].is_excluded(k))
                requests.push_back({i, k, first_repetitions});
    }
    // The processors in turn, from small sizes on: a search that ends early knows something of each.
    std::stable_sort(requests.begin(), requests.end(), [](const auto &a, const auto &b) { return a.point < b.point; });
    return requests;
}

double CertifiedSearch::value_of(const Distribution &found) const
{
    return rules_.objective == Objective::time ? found.seconds : found.joules;
}

Distribution CertifiedSearch::solve(bool is_lower, Objective objective) const
{
    Platform platform(static_cast<std::int64_t>(processors()));
    for (std::size_t i = 0; i < processors(); ++i) {
        const auto &values = is_lower ? bounds_[i].low : bounds_[i].high;
        std::vector<std::int64_t> sizes;
        std::vector<double> costs;
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (values[k] == infinity || functions_[i].is_excluded(k)) continue;
            sizes.push_back(functions_[i].sizes()[k]);
            costs.push_back(values[k]);
        }
        const auto at = static_cast<std::int64_t>(i);
        platform.set_time_function(at, sizes, costs); // every size needs one
        if (objective == Objective::energy) platform.set_energy_function(at, sizes, costs);
    }
    PartitionRequest request;
    request.objective = objective;
    request.size = rules_.size;
    request.wants_joules = objective != Objective::time;
    Control control;
    return partition(platform, request, control);
}

void CertifiedSearch::update()
{
    certificate_ = {};
    for (std::size_t i = 0; i < processors(); ++i) {
        const auto &function = functions_[i];
        auto &[low, high] = bounds_[i];
        auto jaggedness = function.learned_jaggedness();
        if (rules_.jaggedness > 0) jaggedness = {rules_.jaggedness, rules_.jaggedness};
        if (function.measured() < function.count())
            certificate_.jaggedness = std::max(certificate_.jaggedness, jaggedness.of_best_speed);
        for (std::size_t k = 0; k < function.count(); ++k) {
            low[k] = function.lower_bound(k, jaggedness);
            high[k] = function.is_measured(k) ? function.interval(k).high : infinity;
        }
    }
    const auto lower = solve(true, rules_.objective);
    optimistic_ = lower.x;
    certificate_.lower = value_of(lower);
    try {
        auto upper = solve(false, rules_.objective);
        certificate_.upper = value_of(upper);
        certificate_.x = std::move(upper.x);
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw; // not enough is measured
    }
    // Energies that were measured as nothing certify nothing.
    certificate_.certified = (certificate_.upper > 0 || rules_.objective == Objective::time) &&
                             certificate_.upper <= (1 + rules_.precision) * certificate_.lower &&
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
    const auto add_of = [&](const std::vector<std::int64_t> &x, const auto &is_wanted) {
        for (std::size_t i = 0; i < x.size(); ++i)
            if (const auto k = index_of(i, x[i]); x[i] > 0 && is_wanted(i, k)) points.insert({i, k});
    };
    const double goal = (1 + rules_.precision) * certificate_.lower;
    if (certificate_.upper <= goal) {
        add_of(certificate_.x, [&](auto i, auto k) { return functions_[i].batches(k) < least_batches; });
        return points;
    }
    add_of(optimistic_, [&](auto i, auto k) { return !functions_[i].is_measured(k); });
    if (!points.empty()) return points;
    if (rules_.objective == Objective::time) {
        // A point that is above the goal in any case decides nothing more.
        const auto is_open = [&](auto i, auto k) { return bounds_[i].high[k] > goal && bounds_[i].low[k] <= goal; };
        add_of(optimistic_, is_open);
        add_of(certificate_.x, is_open);
        return points;
    }
    double largest = 0;
    add_of(optimistic_, [&](auto i, auto k) {
        largest = std::max(largest, excess(i, k));
        return false;
    });
    add_of(optimistic_, [&](auto i, auto k) { return largest > 0 && excess(i, k) >= least_share * largest; });
    return points;
}

// The excess of a measured point's upper end over the bound that would certify it alone; 0 if its repetitions are used up.
double CertifiedSearch::excess(std::size_t i, std::size_t k) const
{
    if (functions_[i].repetitions(k) >= rules_.max_repetitions) return 0;
    return bounds_[i].high[k] - (1 + rules_.precision) * bounds_[i].low[k];
}

// While the slowest processor measures, the others measure sizes near their part of x_L.
void CertifiedSearch::fill_time(std::vector<Request> &requests) const
{
    std::vector<double> busy(processors(), 0);
    Points asked;
    for (const auto &request : requests) {
        busy[request.processor] += expected_seconds(request);
        asked.insert({request.processor, request.point});
    }
    const double longest = *std::max_element(busy.begin(), busy.end());
    const double most = certificate_.upper / (1 + rules_.precision); // slower sizes are in no better distribution
    for (std::size_t i = 0; i < processors(); ++i) {
        const auto &function = functions_[i];
        std::vector<std::pair<std::int64_t, std::size_t>> wanted;
        for (std::size_t k = 0; k < function.count(); ++k)
            if (!function.is_measured(k) && !function.is_excluded(k) && bounds_[i].low[k] < most &&
                !asked.contains({i, k}))
                wanted.emplace_back(std::abs(function.sizes()[k] - optimistic_[i]), k);
        std::sort(wanted.begin(), wanted.end());
        for (const auto &[distance, k] : wanted) {
            const Request request{i, k, first_repetitions};
            busy[i] += expected_seconds(request);
            if (busy[i] > longest) break;
            requests.push_back(request);
        }
    }
}

// Who was asked for nothing measures its part of x, so that the others do not run alone.
void CertifiedSearch::accompany(std::vector<Request> &requests, const std::vector<std::int64_t> &x) const
{
    for (std::size_t i = 0; i < processors(); ++i) {
        const bool is_asked =
            std::any_of(requests.begin(), requests.end(), [&](const auto &request) { return request.processor == i; });
        if (is_asked || x[i] == 0) continue;
        const auto k = index_of(i, x[i]);
        const auto left = rules_.max_repetitions - functions_[i].repetitions(k);
        if (left > 0) requests.push_back({i, k, std::min(first_repetitions, left)});
    }
}

double CertifiedSearch::expected_seconds(const Request &request) const
{
    const auto &function = functions_[request.processor];
    const double once =
        function.is_measured(request.point) ? function.interval(request.point).value : function.trend(request.point);
    return once * static_cast<double>(request.repetitions);
}

} // namespace hpart::optimum
