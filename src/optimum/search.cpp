// Every size has bounds of its true value. A measured size has its interval's bounds. Another size has no upper bound; its lower
// bound is the value that its measured neighbours suggest, divided by the jaggedness.
#include "optimum/search.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>

namespace hpart::optimum
{

namespace
{

// The first sizes: every sixteenth, but so many at least.
constexpr std::size_t first_stride = 16, least_first_sizes = 8;
// Repetitions of a point are spread over time in batches: a disturbance of one batch spares the next.
constexpr std::int64_t longest_batch = 5;
// Repetitions of the time of a point whose energy is measured.
constexpr std::int64_t time_repetitions = 3;
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
            out.push_back({request.processor, request.point, now, request.kind});
            request.repetitions -= now;
            is_left = is_left || request.repetitions > 0;
        }
    }
    return out;
}

constexpr double longest_solution = 10; // seconds
constexpr std::int64_t largest_solution = std::int64_t{1} << 30;

} // namespace

Control limits_of_solution() { return {nullptr, longest_solution, largest_solution}; }

Distribution require_found(Distribution found)
{
    if (found.x.empty())
        fail(Status::limit, "an exact partition between two measurements found nothing within ", longest_solution,
             " s and ", largest_solution, " bytes; give fewer sizes, or multiples of a larger one");
    return found;
}

Search::Search(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules,
               std::vector<FunctionKind> deciding)
    : rules_(rules), deciding_(std::move(deciding))
{
    for (const auto &all : sizes) {
        const auto end = std::upper_bound(all.begin(), all.end(), rules.size);
        const std::vector<std::int64_t> of_processor(all.begin(), end);
        times_.emplace_back(of_processor, rules.quantile);
        energies_.emplace_back(of_processor, rules.quantile, false); // quotients of a window
        for (auto &bounds : bounds_)
            bounds.push_back(
                {std::vector<double>(of_processor.size(), 0), std::vector<double>(of_processor.size(), infinity)});
    }
    const auto is_none = [](const auto &function) { return function.count() == 0; };
    if (std::all_of(times_.begin(), times_.end(), is_none))
        fail(Status::infeasible, "the size is ", rules.size, "; no processor may get a size that small");
    solve_times(platform(true)); // fails where nothing sums to the size
    find_possible(sizes);
}

// Each processor may get any of the sizes as far as is known here.
void Search::find_possible(const std::vector<std::vector<std::int64_t>> &sizes)
{
    std::vector<std::int64_t> of_any;
    for (const auto &all : sizes) of_any.insert(of_any.end(), all.begin(), all.end());
    std::sort(of_any.begin(), of_any.end());
    of_any.erase(std::unique(of_any.begin(), of_any.end()), of_any.end());
    const auto possible = possible_sizes(of_any, sizes.size(), rules_.size);
    for (const auto &function : times_) {
        auto &points = possible_.emplace_back();
        for (std::size_t k = 0; k < function.count(); ++k)
            if (std::binary_search(possible.begin(), possible.end(), function.sizes()[k])) points.push_back(k);
    }
}

std::size_t Search::index_of(std::size_t processor, std::int64_t size) const
{
    const auto &sizes = times_[processor].sizes();
    return static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), size) - sizes.begin());
}

void Search::exclude(std::size_t processor, std::size_t point)
{
    times_[processor].exclude(point);
    energies_[processor].exclude(point);
}

void Search::set_base_power(double watts, double half_width)
{
    base_power_ = watts;
    base_half_width_ = half_width;
}

Interval Search::value_of(std::span<const std::int64_t> x, Objective objective) const
{
    const auto &kind = objective_kind(objective);
    Interval time{}, sum{}, energy{};
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        const auto k = index_of(i, x[i]);
        if (kind.needs_times()) {
            const auto of_one = times_[i].interval(k);
            sum = {sum.value + of_one.value, sum.low + of_one.low, sum.high + of_one.high};
            time = {std::max(time.value, of_one.value), std::max(time.low, of_one.low),
                    std::max(time.high, of_one.high)};
        }
        if (kind.needs_energies) {
            const auto of_one = energies_[i].interval(k);
            energy = {energy.value + of_one.value, energy.low + of_one.low, energy.high + of_one.high};
        }
    }
    switch (objective) {
    case Objective::time: return time;
    case Objective::sum_time: return sum;
    case Objective::energy: return energy;
    case Objective::total_energy:
        return {base_power_ * time.value + energy.value,
                std::max(0.0, base_power_ - base_half_width_) * time.low + energy.low,
                (base_power_ + base_half_width_) * time.high + energy.high};
    }
    fail_objective(objective);
}

void Search::ask(std::vector<Request> &requests, std::size_t i, std::size_t k, FunctionKind kind,
                 std::int64_t repetitions) const
{
    const auto &time = times_[i];
    if (kind == FunctionKind::energy && !time.is_measured(k))
        requests.push_back({i, k, std::min(time_repetitions, rules_.max_repetitions), FunctionKind::time});
    const auto left = rules_.max_repetitions - function(i, kind).repetitions(k);
    if (left > 0) requests.push_back({i, k, std::min(repetitions, left), kind});
}

std::vector<Request> Search::next()
{
    for (; first_steps_ < 4; ++first_steps_) {
        auto requests = first_steps_ < 2    ? first_distribution()
                        : first_steps_ == 2 ? first_sizes()
                                            : first_sizes_again();
        if (requests.empty()) continue;
        ++first_steps_;
        return requests;
    }
    update();
    std::vector<Request> requests;
    for (const auto &[i, k, kind] : points_that_decide())
        ask(requests, i, k, kind, std::max(first_repetitions, function(i, kind).repetitions(k) / 2));
    if (requests.empty()) return requests;
    fill_time(requests);
    // Batches that are measured at the same time take as long.
    std::stable_sort(requests.begin(), requests.end(),
                     [this](const auto &a, const auto &b) { return expected_value(a) > expected_value(b); });
    return in_turn(std::move(requests));
}

bool Search::is_at_max_repetitions() const
{
    for (const auto kind : deciding_)
        for (const auto &of_one : functions(kind))
            for (std::size_t k = 0; k < of_one.count(); ++k)
                if (of_one.repetitions(k) >= rules_.max_repetitions &&
                    (!of_one.is_exhausted(k) || of_one.batches(k) < least_batches))
                    return true;
    return false;
}

// The best distribution at equal speeds, then that at the speeds seen.
std::vector<Request> Search::first_distribution()
{
    std::vector<Request> requests;
    const auto x = solve_trends();
    for (std::size_t i = 0; i < processors(); ++i)
        if (x[i] > 0 && !function(i).is_measured(index_of(i, x[i])))
            ask(requests, i, index_of(i, x[i]), kind(), first_repetitions);
    if (!requests.empty()) accompany(requests, x);
    return requests;
}

std::vector<std::int64_t> Search::solve_trends()
{
    // A processor that was given nothing counts as the fastest one: it is tried.
    const auto &all = functions(deciding_.front());
    double fastest = infinity;
    for (const auto &function : all)
        for (std::size_t k = 0; k < function.count(); ++k)
            if (function.is_measured(k))
                fastest = std::min(fastest, function.interval(k).value / static_cast<double>(function.sizes()[k]));
    if (fastest == infinity) fastest = 1;
    auto &bounds = bounds_[static_cast<std::size_t>(deciding_.front())];
    for (std::size_t i = 0; i < processors(); ++i)
        for (std::size_t k = 0; k < all[i].count(); ++k)
            bounds[i].low[k] =
                all[i].measured() > 0 ? all[i].trend(k) : fastest * static_cast<double>(all[i].sizes()[k]);
    return solve_times(platform(true)).x;
}

double Search::first_value(std::size_t i, std::size_t k) const
{
    const double time = times_[i].trend(k);
    if (!needs_energies(rules_.objective)) return time;
    return energies_[i].trend(k) + (objective_kind(rules_.objective).needs_base_power ? base_power_ * time : 0);
}

// Beyond the largest measured size its neighbours alone tell nothing: a size may be as fast as the best one. A search that goes on from
// a file of smaller sizes would otherwise never look at larger ones.
bool Search::may_be_faster(std::size_t i, std::size_t k, double most) const
{
    const auto &of_one = function(i);
    double best = infinity; // of a unit
    for (std::size_t j = 0; j < of_one.count(); ++j) {
        if (!of_one.is_measured(j)) continue;
        if (j >= k) return false;
        best = std::min(best, of_one.interval(j).value / static_cast<double>(of_one.sizes()[j]));
    }
    return best * static_cast<double>(of_one.sizes()[k]) <= most;
}

std::vector<Request> Search::first_sizes()
{
    update();
    std::vector<Request> requests;
    for (std::size_t i = 0; i < processors(); ++i) {
        auto count = possible_[i].size();
        const auto most = rules_.all_sizes ? infinity : largest_first_value();
        const auto is_too_large = [&](std::size_t k) { return first_value(i, k) > most && !may_be_faster(i, k, most); };
        while (count > 0 && is_too_large(possible_[i][count - 1])) --count;
        const auto stride = rules_.all_sizes ? 1 : std::clamp<std::size_t>(count / least_first_sizes, 1, first_stride);
        for (std::size_t at = 0; at < count; ++at)
            if (const auto k = possible_[i][at];
                (at % stride == 0 || at + 1 == count) && !function(i).is_measured(k) && !function(i).is_excluded(k))
                ask(requests, i, k, kind(), first_repetitions);
    }
    // The processors in turn, from small sizes on: a search that ends early knows something of each.
    std::stable_sort(requests.begin(), requests.end(), [](const auto &a, const auto &b) { return a.point < b.point; });
    first_sizes_ = requests;
    return requests;
}

// Once more, later: tells if other programs slow whole batches.
std::vector<Request> Search::first_sizes_again() const
{
    std::vector<Request> requests;
    for (const auto &[i, k, repetitions, kind] : first_sizes_)
        if (!function(i, kind).is_excluded(k)) ask(requests, i, k, kind, 1);
    return requests;
}

Platform Search::platform(bool is_lower) const
{
    Platform platform(static_cast<std::int64_t>(processors()));
    for (std::size_t i = 0; i < processors(); ++i) {
        std::vector<std::int64_t> sizes;
        std::array<std::vector<double>, 2> costs; // of deciding_
        for (std::size_t k = 0; k < times_[i].count(); ++k) {
            if (times_[i].is_excluded(k) || (!is_lower && !is_measured(i, k))) continue;
            sizes.push_back(times_[i].sizes()[k]);
            for (std::size_t d = 0; d < deciding_.size(); ++d) {
                const auto &[low, high] = bounds(deciding_[d])[i];
                costs[d].push_back(is_lower ? low[k] : high[k]);
            }
        }
        const auto at = static_cast<std::int64_t>(i);
        platform.set_time_function(at, sizes, costs[0]); // every size needs one
        if (needs_energies(rules_.objective)) platform.set_energy_function(at, sizes, costs[deciding_.size() - 1]);
    }
    const double half_width = is_lower ? -base_half_width_ : base_half_width_;
    platform.set_base_power(std::max(0.0, base_power_ + half_width));
    return platform;
}

Platform Search::times(bool with_trends) const
{
    Platform platform(static_cast<std::int64_t>(processors()));
    for (std::size_t i = 0; i < processors(); ++i) {
        const auto &time = times_[i];
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        for (std::size_t k = 0; k < time.count(); ++k) {
            const bool has_trend = with_trends && time.measured() > 0 && !time.is_excluded(k);
            if (!time.is_measured(k) && !has_trend) continue;
            sizes.push_back(time.sizes()[k]);
            seconds.push_back(time.is_measured(k) ? time.interval(k).value : time.trend(k));
        }
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, seconds);
    }
    return platform;
}

Options Search::options()
{
    Options options;
    options.set_text("interpolate", "none");
    return options;
}

Distribution Search::solve_times(const Platform &platform) const
{
    PartitionRequest request;
    request.size = rules_.size;
    request.wants_joules = false;
    request.options = options();
    auto control = limits_of_solution();
    return require_found(partition(platform, request, control));
}

bool Search::is_measured(std::size_t i, std::size_t k) const
{
    return std::all_of(deciding_.begin(), deciding_.end(), [&](auto kind) { return function(i, kind).is_measured(k); });
}

void Search::update()
{
    jaggedness_ = 1;
    for (const auto kind : deciding_)
        for (std::size_t i = 0; i < processors(); ++i) {
            const auto &of_one = function(i, kind);
            auto &[low, high] = bounds_[static_cast<std::size_t>(kind)][i];
            auto jaggedness = of_one.learned_jaggedness();
            if (rules_.jaggedness > 0) jaggedness = {rules_.jaggedness, rules_.jaggedness};
            if (std::any_of(possible_[i].begin(), possible_[i].end(), [&](auto k) { return !of_one.is_measured(k); }))
                jaggedness_ = std::max(jaggedness_, jaggedness.of_best_speed);
            for (std::size_t k = 0; k < of_one.count(); ++k) {
                low[k] = of_one.lower_bound(k, jaggedness);
                high[k] = of_one.is_measured(k) ? of_one.interval(k).high : infinity;
            }
        }
    look();
}

void Search::add_unmeasured(Points &points, std::span<const std::int64_t> x) const
{
    add_points(points, x, kind(), [this](auto i, auto k) { return !is_measured(i, k); });
}

void Search::add_measured_once(Points &points, std::span<const std::int64_t> x) const
{
    for (const auto kind : deciding_)
        add_points(points, x, kind, [&](auto i, auto k) {
            const auto &of_one = function(i, kind);
            const auto least = std::min(of_one.certain_repetitions(), rules_.max_repetitions);
            return of_one.batches(k) < least_batches || of_one.repetitions(k) < least;
        });
}

void Search::add_open_times(Points &points, std::span<const std::int64_t> x, double goal) const
{
    // A point that is above the goal in any case decides nothing more.
    const auto &all = bounds(FunctionKind::time);
    add_points(points, x, FunctionKind::time, [&](auto i, auto k) {
        return all[i].high[k] > goal && all[i].low[k] <= goal && !times_[i].is_exhausted(k);
    });
}

// The excess of an upper end over the bound that would certify it alone, in seconds or joules: of each term; of the time, through the
// base power.
void Search::add_open_terms(Points &points, std::span<const std::int64_t> x) const
{
    const auto &terms = bounds(kind());
    const auto excess = [&](auto i, auto k) {
        if (function(i).repetitions(k) >= rules_.max_repetitions || function(i).is_exhausted(k)) return 0.0;
        return terms[i].high[k] - (1 + rules_.precision) * terms[i].low[k];
    };
    double largest = 0, of_time = 0;
    add_points(points, x, kind(), [&](auto i, auto k) {
        largest = std::max(largest, excess(i, k));
        return false;
    });
    Points times;
    if (objective_kind(rules_.objective).needs_base_power) {
        const auto time = value_of(x, Objective::time);
        const double goal = (1 + rules_.precision) * time.low;
        add_points(times, x, FunctionKind::time, [&](auto i, auto k) {
            return bounds(FunctionKind::time)[i].high[k] > goal && times_[i].repetitions(k) < rules_.max_repetitions &&
                   !times_[i].is_exhausted(k);
        });
        if (!times.empty()) of_time = base_power_ * (time.high - goal);
    }
    largest = std::max(largest, of_time);
    if (largest <= 0) return;
    add_points(points, x, kind(), [&](auto i, auto k) { return excess(i, k) >= least_share * largest; });
    if (of_time >= least_share * largest) points.merge(times);
}

void Search::accompany(std::vector<Request> &requests, const std::vector<std::int64_t> &x) const
{
    for (std::size_t i = 0; i < processors(); ++i) {
        const bool is_asked =
            std::any_of(requests.begin(), requests.end(), [&](const auto &request) { return request.processor == i; });
        if (!is_asked && x[i] > 0) ask(requests, i, index_of(i, x[i]), kind(), first_repetitions);
    }
}

double Search::expected_value(const Request &request) const
{
    const auto &of_one = function(request.processor, request.kind);
    const double once =
        of_one.is_measured(request.point) ? of_one.interval(request.point).value : of_one.trend(request.point);
    return once * static_cast<double>(request.repetitions);
}

} // namespace hpart::optimum
