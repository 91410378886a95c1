// A trial shall take at most T, less than the best distribution that was run. A processor's chance to take at most T at a size is 1
// or 0 where the size was run, up to noise; elsewhere the trend and its jitter give it. Processors look for lucky sizes at the same
// time: a success needs about c^-(1 + 1 / (p - 1)) trials if every one of the p processors has a chance of at least c. Two
// processors need luck at once, since one's size is the other's; many find theirs one by one. For each of a few T, an exact
// partition over 1 / chance in place of time finds the largest c. The T wins that promises the largest gain over the horizon less
// the trials' price. Among its distributions, an exact partition over -log(chance) in place of energy finds the distribution that
// most likely succeeds at once. This is a search by probability of improvement (Kushner 1964) with exact partitions as its
// optimiser.

#include "adaptive/trials.hpp"

#include "core/error.hpp"
#include "models/platform.hpp"
#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

// Gains that a trial may aim at, as shares of the best time.
constexpr std::array gains{0.02, 0.04, 0.07, 0.1, 0.14, 0.19, 0.25, 0.33, 0.45};
// Sizes of a processor that are looked at: as many steps up and down, each this share of its part.
constexpr std::int64_t reach = 48, steps_of_part = 64;
// The partitions of an update take no more work, about 50 ms, and no more memory. The clock is no limit: an update then depends on its
// times alone.
constexpr std::int64_t most_work = 50 << 20;
constexpr std::int64_t largest_partition = std::int64_t{1} << 26;
// Less likely sizes are left out.
constexpr double least_chance = 1e-4;
// The least chance of a processor in the chosen distribution, as a share of c.
constexpr double chance_share = 0.7;

// Deviations that are looked at, and the prior of the trend's: log-normal.
constexpr std::array walks{0.05, 0.15, 0.5, 1.5};
constexpr std::array jitters{0.005, 0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.32};
constexpr double usual_walk = 0.15, spread_of_walks = 0.7;

struct TrialCandidate {
    std::int64_t size;
    std::int64_t place; // steps above the first one, at least 1
    double mean, deviation;

    double chance(double seconds) const
    {
        return size == 0 ? 1 : 0.5 * std::erfc((mean - std::log(seconds)) / deviation / std::sqrt(2.0));
    }
};

struct Candidates {
    std::vector<std::vector<TrialCandidate>> of_processor;
    std::int64_t sum = 0; // of the places
};

Candidates candidates_of(const TrialRequest &request)
{
    auto step = std::numeric_limits<std::int64_t>::max();
    for (const auto part : request.origin)
        if (part > 0) step = std::min(step, part);
    step = std::max<std::int64_t>(1, step / steps_of_part);
    const auto variances = learned_variances(request.functions, request.noise);
    Candidates all;
    for (std::size_t i = 0; i < request.functions.size(); ++i) {
        const auto &function = *request.functions[i];
        const auto origin = request.origin[i];
        const auto stride = std::max<std::int64_t>(1, origin / step / steps_of_part) * step;
        const auto middle = (request.best[i] - origin) / stride;
        const auto first = std::max(middle - reach, (request.bounds[i].smallest - origin) / stride);
        const auto last = std::min(middle + reach, (request.bounds[i].largest - origin) / stride);
        const Trend trend(function, variances, request.noise);
        auto &candidates = all.of_processor.emplace_back();
        for (auto k = first; k <= last; ++k) {
            TrialCandidate candidate{origin + k * stride, (k - first) * (stride / step) + 1, 0, 1};
            if (const auto *known = function.find(candidate.size)) {
                candidate.mean = std::log(known->seconds);
                candidate.deviation = std::max(1e-3, request.noise / std::sqrt(known->count));
            } else if (candidate.size > 0) {
                const auto estimate = trend.at(candidate.size);
                candidate.mean = estimate.mean;
                candidate.deviation = std::sqrt(estimate.variance);
            }
            candidates.push_back(candidate);
        }
        all.sum += 1 - first * (stride / step);
    }
    return all;
}

// The candidates of least cost, one per processor; none where they do not sum up, or none was found in time. Infinity leaves a candidate out.
template <typename Cost>
std::vector<const TrialCandidate *> solve(const Candidates &all, Objective objective, Control &control, Cost cost)
{
    Platform platform(static_cast<std::int64_t>(all.of_processor.size()));
    for (std::size_t i = 0; i < all.of_processor.size(); ++i) {
        std::vector<std::int64_t> places;
        std::vector<double> costs;
        for (const auto &candidate : all.of_processor[i]) {
            const double value = cost(i, candidate);
            if (std::isinf(value)) continue;
            places.push_back(candidate.place);
            costs.push_back(value);
        }
        platform.set_time_function(static_cast<std::int64_t>(i), places, costs);
        if (objective == Objective::energy) platform.set_energy_function(static_cast<std::int64_t>(i), places, costs);
    }
    PartitionRequest request;
    request.objective = objective;
    request.size = all.sum;
    request.options.set_text("idle_processors", "forbidden");
    request.wants_joules = false;
    std::vector<const TrialCandidate *> chosen;
    try {
        const auto found = partition(platform, request, control);
        if (found.x.empty()) return chosen;
        for (std::size_t i = 0; i < all.of_processor.size(); ++i) {
            const auto &candidates = all.of_processor[i];
            chosen.push_back(&*std::find_if(candidates.begin(), candidates.end(),
                                            [&](const TrialCandidate &each) { return each.place == found.x[i]; }));
        }
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw;
    }
    return chosen;
}

} // namespace

Control limits_of_update() { return Control::of_work(most_work, largest_partition); }

Variances learned_variances(const std::vector<const PartialFunction *> &functions, double noise)
{
    std::vector<std::pair<double, Variances>> likelihoods;
    double most = -std::numeric_limits<double>::infinity();
    for (const double walk : walks) {
        for (const double jitter : jitters) {
            const Variances variances{walk * walk, jitter * jitter};
            const double unlikely = std::log(walk / usual_walk) / spread_of_walks;
            double sum = -0.5 * unlikely * unlikely;
            for (const auto *function : functions) sum += Trend(*function, variances, noise).log_likelihood();
            likelihoods.emplace_back(sum, variances);
            most = std::max(most, sum);
        }
    }
    Variances mean{};
    double weights = 0;
    for (const auto &[likelihood, variances] : likelihoods) {
        const double weight = std::exp(likelihood - most);
        weights += weight;
        mean.walk += weight * variances.walk;
        mean.jitter += weight * variances.jitter;
    }
    return {mean.walk / weights, mean.jitter / weights};
}

std::optional<std::vector<std::int64_t>> choose_trial(const TrialRequest &request)
{
    const auto all = candidates_of(request);
    auto control = limits_of_update();
    const double exponent = 1 + 1 / std::max(1.0, static_cast<double>(request.functions.size()) - 1);
    double most = 0, goal = 0, least = 0, trials = 0;
    for (const double gain : gains) {
        const double seconds = request.seconds * (1 - gain);
        const auto found = solve(all, Objective::time, control, [&](std::size_t, const TrialCandidate &candidate) {
            const double chance = candidate.chance(seconds);
            return chance < least_chance ? std::numeric_limits<double>::infinity() : 1 / chance;
        });
        if (found.empty()) break;
        double chance = 1;
        for (const auto *candidate : found) chance = std::min(chance, candidate->chance(seconds));
        const double needed = std::pow(chance, -exponent);
        const double net = gain * request.horizon - request.price * needed;
        if (net <= most) continue;
        most = net;
        goal = seconds;
        trials = needed;
        least = chance * chance_share;
    }
    if (most == 0) return std::nullopt;
    const double gained = request.horizon * (request.seconds - goal);
    const auto found = solve(all, Objective::energy, control, [&](std::size_t i, const TrialCandidate &candidate) {
        const double chance = candidate.chance(goal);
        if (chance < least) return std::numeric_limits<double>::infinity();
        const auto moved = static_cast<double>(std::max<std::int64_t>(0, candidate.size - request.current[i]));
        return -std::log(chance) + request.move_cost * moved / gained;
    });
    if (found.empty()) return std::nullopt; // no move can pay
    std::vector<std::int64_t> x;
    x.reserve(found.size());
    for (const auto *candidate : found) x.push_back(candidate->size);
    const double moving = request.move_cost * static_cast<double>(moved_between(request.current, x));
    if (moving * trials > gained) return std::nullopt;
    return x;
}

namespace
{

// Standard deviations that are taken for chance: of one time, and of the largest mean of many processors.
constexpr double chance_of_one = 4, chance_of_largest = 2;
// Repeated times in which one weighs half as much as the last.
constexpr double kept_share = 0.99;
// Standard deviation over mean absolute residual of a normal distribution. Outliers raise it less than a root mean square.
constexpr double deviation_of_mean_residual = 1.2533;

// A deviation from a mean of n times has (n + 1) / n times the variance of one time.
double spread(double count) { return (count + 1) / count; }

} // namespace

void Noise::add(double ratio, double count)
{
    residuals_ = kept_share * residuals_ + std::abs(ratio) / std::sqrt(spread(count));
    residual_count_ = kept_share * residual_count_ + 1;
}

double Noise::deviation() const
{
    return residual_count_ > 0 ? deviation_of_mean_residual * residuals_ / residual_count_ : 0;
}

double Noise::scaled(double ratio, double count) { return std::sqrt(spread(count)) * ratio; }

double Noise::of_one(double count) const { return scaled(chance_of_one * deviation(), count); }

double Noise::of_largest(double count) const { return chance_of_largest * deviation() / std::sqrt(count); }

namespace
{

// Bisections of an interval [t, 2t] until none of a double's 53 bits is open.
constexpr int bisections = 54;

struct Level {
    std::vector<std::int64_t> x;
    std::int64_t sum = 0;
};

Level level_at(const std::vector<MonotoneCurve> &curves, const std::vector<SizeBounds> &bounds, double seconds)
{
    Level level;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        level.x.push_back(std::max(bounds[i].smallest, curves[i].largest_within(seconds, bounds[i].largest)));
        level.sum += level.x.back();
    }
    return level;
}

} // namespace

std::vector<std::int64_t> level(const std::vector<MonotoneCurve> &curves, const std::vector<SizeBounds> &bounds,
                                std::int64_t size)
{
    double enough = 0;
    for (std::size_t i = 0; i < curves.size(); ++i)
        enough = std::max(enough, curves[i].seconds(std::min(bounds[i].largest, size)));
    enough = std::min(enough, std::numeric_limits<double>::max()); // a time measured may be near it
    auto below = level_at(curves, bounds, 0);
    auto above = level_at(curves, bounds, enough);
    if (below.sum >= size) above = below; // then all is at its smallest
    while (above.sum > size) {
        auto half = level_at(curves, bounds, enough / 2);
        if (half.sum < size) break;
        enough /= 2;
        above = std::move(half);
    }
    double too_short = enough / 2;
    for (int k = 0; k < bisections && above.sum > size; ++k) {
        const double middle = too_short + (enough - too_short) / 2;
        auto found = level_at(curves, bounds, middle);
        if (found.sum >= size) {
            enough = middle;
            above = std::move(found);
        } else {
            too_short = middle;
            below = std::move(found);
        }
    }
    // Processors that reach the next size at exactly this time share the rest.
    auto surplus = above.sum - size;
    for (std::size_t i = 0; i < curves.size() && surplus > 0; ++i) {
        const auto back = std::min(surplus, above.x[i] - below.x[i]);
        above.x[i] -= back;
        surplus -= back;
    }
    return above.x;
}

std::vector<std::int64_t> move_least(const std::vector<MonotoneCurve> &curves, std::vector<SizeBounds> bounds,
                                     double seconds, const std::vector<std::int64_t> &current, std::int64_t size)
{
    std::vector<std::int64_t> nearest;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        auto &[smallest, largest] = bounds[i];
        largest = std::max(smallest, curves[i].largest_within(seconds, largest));
        nearest.push_back(std::clamp(current[i], smallest, largest));
    }
    // Adds the missing work or removes the excess, never both.
    const bool adds = std::accumulate(nearest.begin(), nearest.end(), std::int64_t{0}) <= size;
    for (std::size_t i = 0; i < curves.size(); ++i) (adds ? bounds[i].smallest : bounds[i].largest) = nearest[i];
    return level(curves, bounds, size);
}

double seconds_of(const std::vector<MonotoneCurve> &curves, const std::vector<std::int64_t> &x)
{
    double seconds = 0;
    for (std::size_t i = 0; i < curves.size(); ++i) seconds = std::max(seconds, curves[i].seconds(x[i]));
    return seconds;
}

std::int64_t moved_between(const std::vector<std::int64_t> &from, const std::vector<std::int64_t> &to)
{
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < from.size(); ++i) moved += std::max<std::int64_t>(0, to[i] - from[i]);
    return moved;
}

namespace
{

// Degrees of freedom of Student's t: a fall of speed, or a cold start, is an outlier and weighs little.
constexpr double freedom = 4;

} // namespace

Trend::Trend(const PartialFunction &function, Variances variances, double noise) : variances_(variances)
{
    std::vector<double> before; // variances of the filter's predictions
    for (const auto &known : function.observations()) {
        const double place = std::log(static_cast<double>(known.size));
        const double speed = place - std::log(known.seconds);
        const double error = variances.jitter + noise * noise / known.count;
        if (states_.empty()) {
            before.push_back(error);
            states_.push_back({place, speed, error});
            continue;
        }
        const auto &last = states_.back();
        const double predicted = last.variance + variances.walk * (place - last.place);
        const double sum = predicted + error;
        const double off = speed - last.mean;
        log_likelihood_ -= 0.5 * (std::log(sum) + (freedom + 1) * std::log1p(off * off / (freedom * sum)));
        before.push_back(predicted);
        states_.push_back({place, last.mean + off * predicted / sum, predicted * error / sum});
    }
    for (auto k = states_.size() - 1; k-- > 0;) {
        const auto &next = states_[k + 1];
        auto &state = states_[k];
        const double gain = state.variance / before[k + 1];
        state.mean += gain * (next.mean - state.mean);
        state.variance += gain * gain * (next.variance - before[k + 1]);
    }
}

LogTime Trend::log_speed(double place) const
{
    const auto above =
        std::partition_point(states_.begin(), states_.end(), [&](const State &state) { return state.place < place; });
    if (above == states_.begin()) return {above->mean, above->variance + variances_.walk * (above->place - place)};
    const auto below = above - 1;
    if (above == states_.end()) return {below->mean, below->variance + variances_.walk * (place - below->place)};
    const double gap = above->place - below->place, way = (place - below->place) / gap;
    return {below->mean + way * (above->mean - below->mean),
            below->variance + way * (above->variance - below->variance) + variances_.walk * gap * way * (1 - way)};
}

LogTime Trend::at(std::int64_t size) const
{
    const double place = std::log(static_cast<double>(size));
    const auto speed = log_speed(place);
    return {place - speed.mean, speed.variance + variances_.jitter};
}

} // namespace hpart
