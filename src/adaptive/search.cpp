// The search of the best distribution: rules 2 to 4 and 6 to 8 of docs/background/adaptive.md.

#include "adaptive/adaptive.hpp"
#include "adaptive/trials.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hpart
{

namespace
{

// A search ends after so many moves that gained nothing.
constexpr std::int64_t most_failures = 6;
// Choosing a trial for more processors takes more than 50 ms.
constexpr std::int64_t most_processors = 64;
// Before trials.
constexpr std::int64_t failures_before_trials = 1;
// Jitter below these shares of the tolerance and of the noise is not worth trials.
constexpr double jitter_share = 1.2, noise_share = 1.5;
// Times of a cold start differ more than lucky sizes do.
constexpr double implausible_jitter = 0.25;
// A processor was cold if its first speed is so many times below its second.
constexpr double cold_start = 2;
// The price of a trial in iterations, and its growth with each failure. Lower: more moves, less time (docs/background/adaptive.md).
constexpr double price_of_trial = 0.4, price_growth = 0.1;
// Iterations that a distribution is kept before it is judged where there is noise: 2^(failures - free_failures), at most
// longest_hold.
constexpr std::int64_t free_failures = 1, longest_hold = 32;
// Iterations of a distribution before a processor idles.
constexpr std::int64_t times_before_idling = 2;
// Iterations of a settled distribution. Later iterations are compared with their mean.
constexpr std::int64_t settling = 8;
// The share of the tolerance by which a move's target may exceed the best time; the rest is for the steps after it.
constexpr double target_share = 0.5;
// Noise below this share of the tolerance is ignored.
constexpr double quiet_share = 0.1;

} // namespace

void Adaptive::decide(bool has_changed)
{
    if (has_changed) begin_search();
    const double seconds = current_seconds();
    compare_with_best(seconds);
    if (!is_within_bounds(current_)) {
        begin_search();
        move_within_bounds();
        return;
    }
    if (awaits_confirmation()) return;

    if (state_ == State::settled) {
        if (!has_drifted(seconds)) return;
        forget_other_sizes();
        begin_search();
    }
    state_ = State::searching;
    // An idle processor shows no more times: the last one is confirmed first if a fixed cost follows from it.
    if (held_ < (wants_idle(2) ? std::max(hold(), times_before_idling) : hold())) return;
    const bool idles = wants_idle(1);
    const bool is_new = !is_judged_;
    judge_run(seconds);
    if (idles) is_trying_ = false;
    if (!idles && (is_trying_ || (is_new && (is_good_enough() || failures_ >= failures_before_trials)))) {
        if (auto trial = find_trial(seconds)) {
            move_to(std::move(*trial));
            return;
        }
    }
    const bool has_given_up = is_trying_ || (!idles && failures_ >= most_failures && !is_good_enough());
    auto x = has_given_up ? best_->x : is_good_enough() ? current_ : choose_move(seconds);
    if (try_idle(seconds, x)) return;
    if (!has_phases()) { // the balance of means is not the best there
        if (x == current_) state_ = State::converged;
        if (has_given_up) state_ = State::settled;
    }
    move_to(std::move(x));
}

// Before a search ends, or continues without them, unknown processors get the smallest size. False if there are none, or it would not
// pay.
bool Adaptive::try_idle(double seconds, const std::vector<std::int64_t> &next)
{
    const auto limits = bounds();
    std::vector<std::size_t> untried;
    auto room = size_;
    for (std::size_t i = 0; i < processors_.size(); ++i) {
        room -= limits[i].smallest;
        if (processors_[i].function.is_known() || limits[i].largest == 0) continue;
        if (next[i] > 0) return false; // it is tried anyhow
        untried.push_back(i);
    }
    if (room < static_cast<std::int64_t>(untried.size())) untried.resize(static_cast<std::size_t>(room));
    if (untried.empty()) return false;
    auto with_trials = limits;
    for (std::size_t i = 0; i < processors_.size(); ++i)
        if (!processors_[i].function.is_known()) with_trials[i] = {0, 0};
    for (const auto i : untried) with_trials[i] = {1, 1};
    auto x = level(curves(), with_trials, size_);
    const double gain = settings_.horizon * seconds; // no less than what any move can gain
    if (settings_.move_cost * static_cast<double>(moved_between(current_, x)) > gain) return false;
    move_to(std::move(x));
    is_judged_ = true; // a trial is no failure
    return true;
}

// A distribution that may gain by lucky sizes; none where sizes are not lucky, or no trial pays.
std::optional<std::vector<std::int64_t>> Adaptive::find_trial(double seconds)
{
    if (!(seconds > 0)) return std::nullopt; // nothing to do
    TrialRequest request;
    for (const auto &processor : processors_) {
        if (!processor.function.is_known()) return std::nullopt;
        request.functions.push_back(&processor.function);
    }
    request.noise = noise_.deviation();
    if (!is_trying_) {
        const bool has_compared = std::any_of(request.functions.begin(), request.functions.end(),
                                              [](const auto *function) { return function->observations().size() > 1; });
        if (!has_compared) return std::nullopt; // a distribution that is balanced at once is left alone
        const double jitter = std::sqrt(learned_variances(request.functions, request.noise).jitter);
        if (jitter < std::max(jitter_share * settings_.tolerance, noise_share * request.noise)) return std::nullopt;
        if (jitter > implausible_jitter && !has_doubted_) { // a cold start, rather
            has_doubted_ = true;
            forget_other_sizes();
            compare_with_best(seconds);
            return std::nullopt;
        }
        if (processors() > most_processors) return std::nullopt;
        is_trying_ = true;
        origin_ = best_->x;
    }
    request.bounds = bounds();
    request.origin = origin_;
    request.best = best_->x;
    request.seconds = best_->seconds;
    request.current = current_;
    request.horizon = settings_.horizon;
    request.price = price_of_trial * static_cast<double>(iterations_of_trial()) *
                    (1 + price_growth * static_cast<double>(failed_trials_));
    request.move_cost = settings_.move_cost;
    return choose_trial(request);
}

bool Adaptive::awaits_confirmation()
{
    const bool has_suspect = std::any_of(processors_.begin(), processors_.end(),
                                         [](const auto &processor) { return processor.suspect.has_value(); });
    return deferred_ = has_suspect && !deferred_;
}

// True when the best distribution by the functions leaves a processor idle that has at least that size.
bool Adaptive::wants_idle(std::int64_t size) const
{
    if (is_good_enough() || failures_ >= most_failures + processors()) return false;
    const auto best = level(curves(), bounds(), size_);
    for (std::size_t i = 0; i < best.size(); ++i)
        if (best[i] == 0 && current_[i] >= size) return true;
    return false;
}

double Adaptive::least_by_functions(const std::vector<MonotoneCurve> &curves) const
{
    return seconds_of(curves, level(curves, bounds(), size_));
}

void Adaptive::compare_with_best(double seconds)
{
    const double least = least_by_functions(curves());
    excess_ = seconds > least ? seconds / least - 1 : 0;
}

bool Adaptive::is_good_enough() const { return excess_ <= settings_.tolerance + margin(); }

void Adaptive::forget_other_sizes()
{
    for (std::size_t i = 0; i < processors_.size(); ++i) processors_[i].function.forget_all_but(current_[i]);
}

// A first iteration also loads programs, makes contexts and touches memory. Only its times are there yet.
void Adaptive::forget_cold_start()
{
    for (std::size_t i = 0; i < processors_.size(); ++i) {
        auto &function = processors_[i].function;
        const auto *now = function.find(current_[i]);
        const auto speed = [](const Observation &seen) { return static_cast<double>(seen.size) / seen.seconds; };
        const auto is_cold = [&](const Observation &seen) { return cold_start * speed(seen) < speed(*now); };
        if (now != nullptr && std::any_of(function.observations().begin(), function.observations().end(), is_cold))
            function.forget_all_but(current_[i]);
    }
}

// True when a settled distribution has become worse, too slowly to be detected as a change of speed.
bool Adaptive::has_drifted(double seconds)
{
    if (held_ <= settling) {
        settled_seconds_ = seconds;
        settled_excess_ = excess_;
    }
    const double allowance = settings_.tolerance + margin();
    return seconds > settled_seconds_ * (1 + allowance) || excess_ > settled_excess_ + allowance;
}

// Compares the distribution that was run with the best of this search.
void Adaptive::judge_run(double seconds)
{
    const bool is_best = best_ && best_->x == current_;
    const bool is_faster = !best_ || seconds < best_->seconds * (1 - target_share * settings_.tolerance);
    if (!is_best && !is_faster && !is_judged_) ++(is_trying_ ? failed_trials_ : failures_);
    if (is_faster) failed_trials_ = 0;
    is_judged_ = true;
    if (is_best || !best_ || seconds < best_->seconds) best_ = {current_, seconds};
}

std::vector<std::int64_t> Adaptive::choose_move(double seconds) const
{
    const auto all_curves = curves();
    const double nearest = least_by_functions(all_curves) * (1 + target_share * settings_.tolerance);
    auto x = move_least(all_curves, bounds(), nearest, current_, size_);
    if (settings_.move_cost == 0) return x;
    // Compares the gain and cost of the whole move and of shorter moves towards the best.
    constexpr int ways = 8;
    double best_net = 0;
    auto best = current_;
    for (int k = 0; k < ways; ++k) {
        if (k > 0) x = move_least(all_curves, bounds(), nearest + (seconds - nearest) * k / ways, current_, size_);
        const double net = settings_.horizon * (seconds - seconds_of(all_curves, x)) -
                           settings_.move_cost * static_cast<double>(moved_between(current_, x));
        if (!(net > best_net)) continue;
        best_net = net;
        best = x;
    }
    return best;
}

void Adaptive::begin_search()
{
    best_.reset();
    failures_ = failed_trials_ = 0;
    is_trying_ = has_doubted_ = false;
    state_ = State::searching;
}

void Adaptive::move_to(std::vector<std::int64_t> x)
{
    if (x == current_) return;
    ++moves_;
    moved_ += moved_between(current_, x);
    current_ = std::move(x);
    held_ = 0;
    is_judged_ = deferred_ = false;
}

bool Adaptive::is_within_bounds(const std::vector<std::int64_t> &x) const
{
    const auto limits = bounds();
    for (std::size_t i = 0; i < limits.size(); ++i)
        if (x[i] < limits[i].smallest || x[i] > limits[i].largest) return false;
    return true;
}

void Adaptive::move_within_bounds()
{
    const auto all_curves = curves();
    // While nothing is known, nothing is known to be slow.
    const double most = !knows_functions() ? std::numeric_limits<double>::infinity()
                                           : least_by_functions(all_curves) * (1 + target_share * settings_.tolerance);
    move_to(move_least(all_curves, bounds(), most, current_, size_));
}

bool Adaptive::has_phases() const
{
    return std::any_of(processors_.begin(), processors_.end(), [](const auto &each) { return each.varies; });
}

std::int64_t Adaptive::hold() const
{
    if (is_trying_) {
        // As long as noise may hide that it is the best.
        const bool is_worse = best_ && best_->x != current_ && current_seconds() > best_->seconds * (1 + 2 * margin());
        return is_worse ? 1 : iterations_of_trial();
    }
    if (has_phases()) return longest_hold;
    if (noise_.is_below(quiet_share * settings_.tolerance) || failures_ <= free_failures) return 1;
    return std::min(longest_hold, std::int64_t{1} << (failures_ - free_failures));
}

std::int64_t Adaptive::iterations_of_trial() const
{
    const double needed = noise_.deviation() / settings_.tolerance;
    return static_cast<std::int64_t>(std::clamp(needed * needed, 1.0, static_cast<double>(longest_hold)));
}

double Adaptive::margin() const { return noise_.of_largest(static_cast<double>(std::max<std::int64_t>(held_, 1))); }

// The start of a search: at another size, or from known functions.

namespace
{

// The same shares of another size.
std::vector<std::int64_t> scaled(const std::vector<std::int64_t> &x, std::int64_t from, std::int64_t to)
{
    std::vector<std::int64_t> out;
    std::int64_t sum = 0, given = 0;
    for (const auto part : x) {
        sum += part;
        const double share = static_cast<double>(sum) / static_cast<double>(from);
        const auto end = std::min(to, static_cast<std::int64_t>(std::llround(static_cast<double>(to) * share)));
        out.push_back(end - given);
        given = end;
    }
    return out;
}

std::vector<Observation> times_of(const Points &points)
{
    std::vector<Observation> times;
    for (std::size_t k = 0; k < points.count(); ++k) {
        if (std::isnan(points.seconds[k]) || points.sizes[k] > largest_size) continue;
        times.push_back({points.sizes[k], std::clamp(points.seconds[k], least_seconds, longest_seconds), 1, 0});
    }
    return times;
}

} // namespace

void Adaptive::set_size(std::int64_t size)
{
    check_size(processors(), size);
    if (size == size_) return;
    auto next = *this;
    next.size_ = size;
    next.require_feasible();
    next.begin_search();
    next.held_ = 0;
    next.is_judged_ = false;
    if (iteration_ == 0 && knows_functions())
        next.current_ = next.best_by_points();
    else
        next.current_ = size_ == 0 ? level(next.curves(), next.bounds(), size) : scaled(current_, size_, size);
    if (!next.is_within_bounds(next.current_)) {
        next.move_within_bounds();
    } else if (iteration_ > 0 && knows_functions()) {
        const double seconds = seconds_of(next.curves(), next.current_);
        next.compare_with_best(seconds);
        if (next.excess_ > settings_.tolerance) next.move_to(next.choose_move(seconds));
    }
    *this = std::move(next);
}

void Adaptive::start_from(const Platform &platform)
{
    if (iteration_ > 0)
        fail_argument(pluralise(iteration_, "iteration"), " came before; functions must be given before the first one");
    if (platform.count() != processors())
        fail_argument("the platform has ", pluralise(platform.count(), "processor"), "; it must have ", processors());
    auto next = *this;
    for (std::int64_t i = 0; i < processors(); ++i) {
        auto &processor = next.processors_[static_cast<std::size_t>(i)];
        processor.function.set(times_of(platform.points(i)));
        processor.largest = platform.processor(i).limits.largest;
        if (processor.largest < processor.limits.smallest)
            fail(Status::infeasible, "processor[", i, "] takes at most ", processor.largest,
                 " by the platform; its smallest size is ", processor.limits.smallest);
    }
    if (!next.knows_functions()) fail_argument("the platform has no time functions; profile them, or set them");
    next.require_feasible();
    next.begin_search();
    next.current_ = next.best_by_points();
    *this = std::move(next);
}

bool Adaptive::knows_functions() const
{
    return std::any_of(processors_.begin(), processors_.end(),
                       [](const auto &processor) { return processor.function.is_known(); });
}

// The exact optimum over the sizes that are known; where these leave gaps, and what lies between them promises far less, the best
// by the curves.
std::vector<std::int64_t> Adaptive::best_by_points() const
{
    const auto all_curves = curves();
    auto levelled = level(all_curves, bounds(), size_);
    PartitionRequest request;
    request.size = size_;
    request.wants_joules = false;
    auto control = limits_of_update();
    try {
        auto exact = partition(functions(), request, control);
        if (exact.x.empty()) return levelled;
        const bool is_near = exact.seconds <= seconds_of(all_curves, levelled) * (1 + settings_.change);
        if (is_near && is_within_bounds(exact.x)) return std::move(exact.x);
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw; // the points do not sum to the size
    }
    return levelled;
}

} // namespace hpart
