#include "adaptive/trend.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

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
