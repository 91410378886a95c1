// Lower hulls by the monotone chain (Andrew 1979), one pass a function. When points go, the vertices that stay are vertices still:
// only the gaps between them are made again.
#include "partitioners/sums/cost_functions.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t common_step(std::span<const std::int64_t> sizes)
{
    if (sizes.size() < 3) return 0;
    const auto step = sizes[2] - sizes[1];
    for (std::size_t k = 3; k < sizes.size(); ++k)
        if (sizes[k] - sizes[k - 1] != step) return 0;
    return step;
}

} // namespace

CostFunctions::CostFunctions(std::span<const std::size_t> first, std::span<const std::int64_t> sizes,
                             std::span<const double> costs, double tilt)
    : first_(first), sizes_(sizes), costs_(costs), tilt_(tilt)
{
    block_first_.push_back(0);
    for (std::size_t f = 0; f < functions(); ++f) {
        const auto count = end(f) - begin(f);
        steps_.push_back(common_step(sizes_.subspan(begin(f), count)));
        block_first_.push_back(block_first_.back() + (count + block_points - 1) / block_points);
        least_costs_.resize(block_first_.back());
        last_sizes_.push_back(0);
        for (auto b = block_first_[f]; b < block_first_.back(); ++b) {
            const auto last = std::min((b - block_first_[f] + 1) * block_points, count) - 1;
            last_sizes_.push_back(static_cast<double>(sizes_[begin(f) + last]));
        }
        make_blocks(f);
        hulls_.push_back({0, 0, 0});
        chain_.clear();
        extend_hull(begin(f), end(f), 0);
        store_hull(f);
    }
}

void CostFunctions::make_block(std::size_t f, std::size_t b)
{
    const auto from = begin(f) + b * block_points;
    const auto to = std::min(from + block_points, end(f));
    auto least = infinity;
    for (auto k = from; k < to; ++k) least = std::min(least, costs_[k] - tilt_ * static_cast<double>(sizes_[k]));
    least_costs_[block_first_[f] + b] = least;
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

// Appends the points from .. to - 1 to the chain; its first `fixed` vertices stay.
void CostFunctions::extend_hull(std::size_t from, std::size_t to, std::size_t fixed)
{
    const auto is_above_chord = [&](std::size_t a, std::size_t b, std::size_t c) {
        const auto run = [&](std::size_t l, std::size_t r) { return static_cast<double>(sizes_[r] - sizes_[l]); };
        return (costs_[b] - costs_[a]) * run(a, c) >= (costs_[c] - costs_[a]) * run(a, b);
    };
    for (auto k = from; k < to; ++k) {
        if (costs_[k] == infinity) continue;
        while (chain_.size() > std::max<std::size_t>(fixed, 1) &&
               is_above_chord(chain_[chain_.size() - 2], chain_.back(), k))
            chain_.pop_back();
        chain_.push_back(k);
    }
}

void CostFunctions::store_hull(std::size_t f)
{
    auto &hull = hulls_[f];
    hull.count = static_cast<std::uint32_t>(chain_.size());
    if (hull.count >
        hull.room) { // to the end; at least twice as much room, so that all that is left behind is no more than what is used
        hull.first = vertices_.size();
        hull.room = std::max(hull.count, 2 * hull.room);
        vertices_.resize(hull.first + hull.room);
    }
    for (std::size_t v = 0; v < chain_.size(); ++v) {
        const auto k = chain_[v];
        vertices_[hull.first + v] = {sizes_[k], costs_[k], infinity, k};
        if (v == 0) continue;
        auto &before = vertices_[hull.first + v - 1];
        before.slope = (costs_[k] - before.cost) / static_cast<double>(sizes_[k] - before.size);
    }
}

std::size_t CostFunctions::find(std::size_t f, std::int64_t size) const
{
    const auto first = begin(f);
    const auto last = end(f);
    if (first == last || size < sizes_[first] || size > sizes_[last - 1]) return last;
    if (size == sizes_[first]) return first;
    if (steps_[f] > 0) {
        const auto distance = size - sizes_[first + 1];
        if (distance < 0 || distance % steps_[f] != 0) return last;
        return first + 1 + static_cast<std::size_t>(distance / steps_[f]);
    }
    const auto begins = sizes_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto ends = sizes_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto found = std::lower_bound(begins, ends, size);
    return *found == size ? static_cast<std::size_t>(found - sizes_.begin()) : last;
}

void CostFunctions::update(std::size_t f, std::span<const std::size_t> removed)
{
    bool hull_changed = false;
    const auto vertices = hull(f);
    for (const auto k : removed) {
        make_block(f, (k - begin(f)) / block_points);
        hull_changed |= std::any_of(vertices.begin(), vertices.end(), [&](auto &v) { return v.point == k; });
    }
    if (!hull_changed) return;
    chain_.clear();
    auto next = begin(f); // first point not yet looked at
    bool gap = true;      // points before the next vertex that stays may be vertices now
    for (const auto &vertex : vertices) {
        if (costs_[vertex.point] == infinity) {
            gap = true;
            continue;
        }
        const auto fixed = chain_.size();
        if (gap && next < vertex.point)
            extend_hull(next, vertex.point + 1, fixed);
        else
            chain_.push_back(vertex.point);
        next = vertex.point + 1;
        gap = false;
    }
    if (gap) extend_hull(next, end(f), chain_.size());
    store_hull(f);
}

} // namespace hpart
