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

} // namespace hpart
