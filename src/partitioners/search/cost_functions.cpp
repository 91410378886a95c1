// Lower hulls by the lowest point below each chord (quickhull): a few vectorised passes where hulls have few vertices. When points
// go, the vertices that stay are vertices still: only the gaps between them are made again.

#include "partitioners/search/cost_functions.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// Into the second-level cache, while the hull before it is made.
void prefetch(const CostPoints &points)
{
    constexpr std::size_t values_of_line = 8;
    for (std::size_t k = 0; k < points.sizes.size(); k += values_of_line) {
        __builtin_prefetch(&points.sizes[k], 0, 2);
        __builtin_prefetch(&points.costs[k], 0, 2);
    }
}

} // namespace

std::vector<CostPoints> cost_points_of(const Choices &choices)
{
    std::vector<CostPoints> points;
    points.reserve(choices.functions());
    for (std::size_t f = 0; f < choices.functions(); ++f)
        points.push_back({choices.sizes_of_function(f), choices.costs_of_function(f)});
    return points;
}

CostFunctions::CostFunctions(std::vector<CostPoints> points, SimdLevel level, std::optional<double> tilt)
    : points_(std::move(points)), level_(level), tilt_(tilt.value_or(0))
{
    block_first_.push_back(0);
    for (std::size_t f = 0; f < functions(); ++f) {
        if (f + 1 < functions()) prefetch(points_[f + 1]);
        hulls_.push_back({0, 0, 0});
        add_vertices(f, {});
        store_hull(f);
        const auto sizes = points_[f].sizes;
        block_first_.push_back(block_first_.back() + (sizes.size() + block_points - 1) / block_points);
        least_costs_.resize(block_first_.back());
        last_sizes_.push_back(0);
        for (auto b = block_first_[f]; b < block_first_.back(); ++b) {
            const auto last = std::min((b - block_first_[f] + 1) * block_points, sizes.size()) - 1;
            last_sizes_.push_back(static_cast<double>(sizes[last]));
        }
        if (tilt) make_blocks(f);
    }
}

void CostFunctions::make_block(std::size_t f, std::size_t b)
{
    const auto sizes = points_[f].sizes;
    const auto costs = points_[f].costs;
    const auto to = std::min((b + 1) * block_points, sizes.size());
    const auto reduced = [&](std::size_t k) { return costs[k] - tilt_ * static_cast<double>(sizes[k]); };
    auto even = infinity; // two of them: a comparison does not wait for the one before it
    auto odd = infinity;
    auto k = b * block_points;
    for (; k + 1 < to; k += 2) {
        even = std::min(even, reduced(k));
        odd = std::min(odd, reduced(k + 1));
    }
    if (k < to) even = std::min(even, reduced(k));
    least_costs_[block_first_[f] + b] = std::min(even, odd);
}

void CostFunctions::make_blocks(std::size_t f)
{
    for (std::size_t b = 0; b < block_first_[f + 1] - block_first_[f]; ++b) make_block(f, b);
}

void CostFunctions::set_tilt(double tilt)
{
    tilt_ = tilt;
    for (std::size_t f = 0; f < functions(); ++f) make_blocks(f);
}

// The chain of the hull of function f. `known`: vertices of before that are still there stay vertices, and nothing comes between
// two that followed one another.
void CostFunctions::add_vertices(std::size_t f, std::span<const HullVertex> known)
{
    chain_.clear();
    const auto costs = points_[f].costs;
    std::size_t first = 0;
    auto last = costs.size();
    while (first < last && costs[first] == infinity) ++first;
    while (first < last && costs[last - 1] == infinity) --last;
    if (first == last) return;
    chain_.push_back(first);
    bool is_gap = false; // since the last of the chain
    for (const auto &[size, cost, slope, point] : known) {
        if (costs[point] == infinity) {
            is_gap = true;
            continue;
        }
        if (point != first) {
            if (is_gap) add_vertices_between(f, chain_.back(), point);
            chain_.push_back(point);
        }
        is_gap = false;
    }
    if (chain_.back() == last - 1) return;
    add_vertices_between(f, chain_.back(), last - 1);
    chain_.push_back(last - 1);
}

// The lowest point below the chord of two vertices is a vertex; again on both sides of it.
void CostFunctions::add_vertices_between(std::size_t f, std::size_t left, std::size_t right)
{
    ends_.assign(1, right);
    while (!ends_.empty()) {
        const auto end = ends_.back();
        if (const auto lowest = lowest_between(f, left, end)) {
            ends_.push_back(*lowest);
            continue;
        }
        if (end != right) chain_.push_back(end);
        left = end;
        ends_.pop_back();
    }
}

std::optional<std::size_t> CostFunctions::lowest_between(std::size_t f, std::size_t left, std::size_t right) const
{
    if (right - left < 2) return std::nullopt;
    const auto sizes = points_[f].sizes;
    const auto costs = points_[f].costs;
    const auto slope = (costs[right] - costs[left]) / static_cast<double>(sizes[right] - sizes[left]);
    const auto count = right - left - 1;
    const auto found = least_reduced(level_, sizes.data() + left + 1, costs.data() + left + 1, count, slope);
    if (found == count) return std::nullopt;
    const auto lowest = left + 1 + found;
    const auto reduced = [&](std::size_t k) { return costs[k] - slope * static_cast<double>(sizes[k]); };
    const bool is_below = reduced(lowest) < std::min(reduced(left), reduced(right));
    return is_below ? std::optional(lowest) : std::nullopt;
}

void CostFunctions::store_hull(std::size_t f)
{
    auto &hull = hulls_[f];
    hull.count = static_cast<std::uint32_t>(chain_.size());
    if (hull.count >
        hull.room) { // moves it to the end, with twice the room at least: so no more room is left behind than used
        hull.first = vertices_.size();
        hull.room = std::max(hull.count, 2 * hull.room);
        vertices_.resize(hull.first + hull.room);
    }
    for (std::size_t v = 0; v < chain_.size(); ++v) {
        const auto k = chain_[v];
        const auto size = points_[f].sizes[k];
        const auto cost = points_[f].costs[k];
        vertices_[hull.first + v] = {size, cost, infinity, k};
        if (v == 0) continue;
        auto &before = vertices_[hull.first + v - 1];
        before.slope = (cost - before.cost) / static_cast<double>(size - before.size);
    }
}

void CostFunctions::update(std::size_t f, std::span<const std::size_t> removed)
{
    std::size_t next = 0; // the first point behind the blocks made
    for (const auto k : removed) {
        if (k < next) continue;
        make_block(f, k / block_points);
        next = (k / block_points + 1) * block_points;
    }
    update_hull(f);
}

void CostFunctions::update_hull(std::size_t f)
{
    const auto vertices = hull(f);
    if (std::none_of(vertices.begin(), vertices.end(), [&](auto &v) { return points_[f].costs[v.point] == infinity; }))
        return;
    add_vertices(f, vertices);
    store_hull(f);
}

} // namespace hpart
