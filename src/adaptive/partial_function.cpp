#include "adaptive/partial_function.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

// Times in a mean: more and a slow drift would be followed too late, fewer and noise would remain.
constexpr double most_count = 32;
// The weight of a speed that two times confirmed.
constexpr double confirmed_count = 2;
// The weight of a time that was scaled instead of measured.
constexpr double scaled_count = 0.125;
// Iterations in which the weight of an observation halves.
constexpr double half_life = 8;
constexpr std::size_t most_observations = 64;

struct Pool {
    std::size_t first; // observation
    double seconds, weight;
};

double scaled(double seconds, double factor) { return std::clamp(seconds * factor, least_seconds, longest_seconds); }

double weight_of(const Observation &observation, std::int64_t iteration)
{
    // Never nothing: an old time is still better than none.
    const double age = static_cast<double>(iteration - observation.iteration) / half_life;
    return observation.count * std::max(std::exp2(-age), 1e-9);
}

} // namespace

std::vector<Observation>::iterator PartialFunction::position(std::int64_t size)
{
    return std::partition_point(observations_.begin(), observations_.end(),
                                [&](const Observation &known) { return known.size < size; });
}

const Observation *PartialFunction::find(std::int64_t size) const
{
    const auto found = std::partition_point(observations_.begin(), observations_.end(),
                                            [&](const Observation &known) { return known.size < size; });
    return found != observations_.end() && found->size == size ? &*found : nullptr;
}

void PartialFunction::add(std::int64_t size, double seconds, std::int64_t iteration, double count)
{
    const auto known = position(size);
    if (known == observations_.end() || known->size != size) {
        observations_.insert(known, {size, seconds, count, iteration});
        if (observations_.size() > most_observations) drop_oldest();
        return;
    }
    known->count = std::min(known->count + 1, most_count);
    known->seconds += (seconds - known->seconds) / known->count;
    known->iteration = iteration;
}

void PartialFunction::rescale(std::int64_t size, double seconds, std::int64_t iteration)
{
    const auto changed = *find(size);
    const double factor = seconds / changed.seconds;
    for (auto &observation : observations_) {
        if (observation.iteration > changed.iteration) continue;
        observation.seconds = scaled(observation.seconds, factor);
        observation.count = scaled_count;
    }
    *position(size) = {size, seconds, confirmed_count, iteration};
}

bool PartialFunction::contradicts(std::int64_t size, double seconds, double factor) const
{
    return std::any_of(observations_.begin(), observations_.end(), [&](const Observation &known) {
        return known.size < size ? known.seconds > seconds * factor : known.seconds * factor < seconds;
    });
}

void PartialFunction::scale(double factor)
{
    for (auto &observation : observations_) {
        observation.seconds = scaled(observation.seconds, factor);
        observation.count = scaled_count;
    }
}

void PartialFunction::remove(std::int64_t size)
{
    std::erase_if(observations_, [&](const Observation &known) { return known.size == size; });
}

void PartialFunction::forget_single_times()
{
    std::erase_if(observations_, [](const Observation &known) { return known.count <= 1; });
}

void PartialFunction::forget_all_but(std::int64_t size)
{
    if (const auto *known = find(size)) observations_ = {Observation(*known)};
}

MonotoneCurve PartialFunction::curve(std::int64_t iteration) const
{
    std::vector<Pool> pools;
    for (std::size_t k = 0; k < observations_.size(); ++k) {
        pools.push_back({k, observations_[k].seconds, weight_of(observations_[k], iteration)});
        while (pools.size() > 1 && pools[pools.size() - 2].seconds > pools.back().seconds) {
            const auto last = pools.back();
            pools.pop_back();
            auto &merged = pools.back();
            const double weight = merged.weight + last.weight;
            merged.seconds += (last.seconds - merged.seconds) * (last.weight / weight);
            merged.weight = weight;
        }
    }
    std::vector<Knot> knots;
    for (std::size_t pool = 0; pool < pools.size(); ++pool) {
        const auto end = pool + 1 < pools.size() ? pools[pool + 1].first : observations_.size();
        for (auto k = pools[pool].first; k < end; ++k) knots.push_back({observations_[k].size, pools[pool].seconds});
    }
    return MonotoneCurve(std::move(knots));
}

void PartialFunction::drop_oldest()
{
    observations_.erase(std::min_element(observations_.begin(), observations_.end(),
                                         [](const auto &a, const auto &b) { return a.iteration < b.iteration; }));
}

namespace
{

// Sizes that differ by a smaller factor do not tell a fixed cost from noise.
constexpr double spread_of_sizes = 1.5;
// The share by which times may be off.
constexpr double error_of_time = 0.1;

double real(std::int64_t size) { return static_cast<double>(size); }

// The least time at which a line through the first knot and a larger one meets the size 0, however the two are off.
double fixed_cost(const std::vector<Knot> &knots)
{
    const auto &first = knots.front();
    const double seconds = first.seconds * (1 - error_of_time);
    double fixed = seconds;
    bool is_known = false;
    for (const auto &knot : knots) {
        if (real(knot.size) < spread_of_sizes * real(first.size)) continue;
        is_known = true;
        const double slope = (knot.seconds * (1 + error_of_time) - seconds) / real(knot.size - first.size);
        fixed = std::min(fixed, seconds - slope * real(first.size));
    }
    return is_known ? std::max(fixed, 0.0) : 0;
}

} // namespace

MonotoneCurve::MonotoneCurve(std::vector<Knot> knots) : knots_(std::move(knots)), fixed_(fixed_cost(knots_)) {}

MonotoneCurve MonotoneCurve::of_speed(double sizes_per_second) { return MonotoneCurve({{1, 1 / sizes_per_second}}); }

double MonotoneCurve::seconds(std::int64_t size) const
{
    if (size <= 0) return 0;
    const auto above =
        std::partition_point(knots_.begin(), knots_.end(), [&](const Knot &knot) { return knot.size < size; });
    if (above == knots_.end()) return real(size) / speed();
    if (above == knots_.begin()) return fixed_ + (above->seconds - fixed_) * (real(size) / real(above->size));
    const auto below = above - 1;
    return below->seconds +
           (above->seconds - below->seconds) * (real(size - below->size) / real(above->size - below->size));
}

std::int64_t MonotoneCurve::largest_within(double seconds, std::int64_t most) const
{
    if (most <= 0 || this->seconds(most) <= seconds) return std::max<std::int64_t>(most, 0);
    const auto above =
        std::partition_point(knots_.begin(), knots_.end(), [&](const Knot &knot) { return knot.seconds <= seconds; });
    double guess = 0;
    if (above == knots_.end()) {
        guess = seconds * speed();
    } else if (above == knots_.begin()) {
        guess = seconds > fixed_ ? real(above->size) * ((seconds - fixed_) / (above->seconds - fixed_)) : 0;
    } else {
        const auto below = above - 1;
        guess = real(below->size) +
                real(above->size - below->size) * ((seconds - below->seconds) / (above->seconds - below->seconds));
    }
    // The guess is near the answer, or far from it where the times of two knots differ by a rounding. `most` takes longer.
    std::int64_t within = 0, beyond = most;
    const auto look_at = [&](std::int64_t size) {
        if (size > within && size < beyond) (this->seconds(size) <= seconds ? within : beyond) = size;
    };
    const auto near = static_cast<std::int64_t>(std::clamp(guess, 0.0, real(most)));
    for (std::int64_t step = -1; step <= 2; ++step) look_at(near + step);
    while (beyond - within > 1) look_at(within + (beyond - within) / 2);
    return within;
}

} // namespace hpart
