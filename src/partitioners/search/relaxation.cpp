// Rounding. A point is left out of a hull only if it is above the chord, or below by at most 8u of the costs that the chord
// spans (u = 2^-53): cross products of differences of exact numbers have that relative error. Chords nest at most as deep as a class has
// options. A slope has 3u; a sum of k terms of known magnitude has k u. So 16u (options of the longest class + edges + classes),
// times the sum of the magnitudes involved, covers every bound here together with a rounded sum over the classes.
#include "partitioners/search/relaxation.hpp"

#include "core/checked.hpp"
#include "core/doubles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

// True if option b is on or above the chord from a to c.
bool is_above_chord(const Choices &choices, std::size_t a, std::size_t b, std::size_t c)
{
    const auto run = [&](std::size_t from, std::size_t to) {
        return static_cast<double>(choices.sizes[to] - choices.sizes[from]);
    };
    const auto rise = [&](std::size_t from, std::size_t to) { return choices.costs[to] - choices.costs[from]; };
    return rise(a, b) * run(a, c) >= rise(a, c) * run(a, b);
}

} // namespace

Relaxation::Relaxation(const Choices &choices, std::int64_t target) : base_(choices.classes(), 0)
{
    std::size_t longest = 0;
    std::vector<std::size_t> hull; // reused
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        longest = std::max(longest, choices.count(i));
        bound_ += choices.costs_of(i).front();
        add_hull(choices, i, hull);
    }
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge &a, const Edge &b) { return a.slope < b.slope; });
    rounding_ = 16 * unit_roundoff * static_cast<double>(longest + edges_.size() + choices.classes() + 8);
    // A slope is off by half the smallest double at most, over sizes up to the target; products and sums of such costs once each.
    underflow_ = std::numeric_limits<double>::denorm_min() *
                 (static_cast<double>(target) + 4 * static_cast<double>(edges_.size() + choices.classes() + 8));
    find_base(target);
}

void Relaxation::add_hull(const Choices &choices, std::size_t i, std::vector<std::size_t> &hull)
{
    hull.clear();
    for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k) {
        while (hull.size() >= 2 && is_above_chord(choices, hull[hull.size() - 2], hull.back(), k)) hull.pop_back();
        hull.push_back(k);
    }
    for (std::size_t v = 1; v < hull.size(); ++v) {
        const auto size = choices.sizes[hull[v]] - choices.sizes[hull[v - 1]];
        const auto cost = choices.costs[hull[v]] - choices.costs[hull[v - 1]];
        auto slope = cost / static_cast<double>(size);
        if (v > 1) slope = std::max(slope, edges_.back().slope);
        edges_.push_back({slope, size, cost, i});
    }
}

void Relaxation::find_base(std::int64_t target)
{
    residual_ = target;
    for (const auto &edge : edges_) {
        if (residual_ == 0) break;
        multiplier_ = edge.slope;
        if (edge.size > residual_) {
            bound_ += edge.slope * static_cast<double>(residual_);
            break;
        }
        residual_ -= edge.size;
        bound_ += edge.cost;
        base_[edge.owner] += edge.size;
    }
}

double safe_bound(const Choices &choices, const Relaxation &relaxation)
{
    double magnitude = std::abs(relaxation.bound());
    for (const auto &edge : relaxation.edges())
        if (edge.slope <= relaxation.multiplier()) magnitude += std::abs(edge.cost);
    for (std::size_t i = 0; i < choices.classes(); ++i) magnitude += choices.costs_of(i).front();
    return std::max(0.0, relaxation.bound() - relaxation.rounding() * magnitude - relaxation.underflow());
}

CoreFilter::CoreFilter(const Choices &choices, std::int64_t target, const Relaxation &relaxation, double cap)
    : choices_(choices), multiplier_(relaxation.multiplier()), rounding_(relaxation.rounding()),
      least_(choices.classes())
{
    auto bound = multiplier_ * static_cast<double>(target);
    auto magnitude = std::abs(bound);
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        auto least = std::numeric_limits<double>::infinity();
        for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k) least = std::min(least, reduced(k));
        least_[i] = least;
        bound += least;
        magnitude += std::abs(least);
    }
    spare_ = cap - bound + rounding_ * (std::abs(cap) + magnitude) + relaxation.underflow();
}

void SuffixBound::rebuild(std::size_t owner)
{
    Value value{0, 0};
    for (auto i = owner + 1; i < choices_.classes(); ++i) value.cost += choices_.costs_of(i).front();
    value.magnitude = value.cost;
    sizes_.assign(1, 0);
    values_.assign(1, value);
    slopes_.clear();
    for (const auto &edge : relaxation_.edges()) {
        if (edge.owner <= owner) continue;
        value.cost += edge.cost;
        value.magnitude += std::abs(edge.cost);
        sizes_.push_back(saturating_add(sizes_.back(), edge.size));
        values_.push_back(value);
        slopes_.push_back(edge.slope);
    }
    slopes_.push_back(0);
    start();
}

SuffixBound::Value SuffixBound::at_most(std::int64_t size)
{
    while (sizes_[at_] > size) --at_;
    const auto beyond = slopes_[at_] * static_cast<double>(size - sizes_[at_]);
    return {values_[at_].cost + beyond, values_[at_].magnitude + std::abs(beyond)};
}

} // namespace hpart
