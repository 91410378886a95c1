// Data of the functions that least_sum needs for any target: made once, used by many sums.
#pragma once

#include "partitioners/search/choices.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

// A vertex of a function's lower convex hull, by increasing size.
struct HullVertex {
    std::int64_t size;
    double cost;
    double slope; // to the next vertex; infinity at the last
    std::size_t point;
};

// The points of a function, by increasing size; the arrays are the caller's. A point of infinite cost is absent.
struct CostPoints {
    std::span<const std::int64_t> sizes;
    std::span<const double> costs;
    EqualSteps steps{};
};

// The options of each function of the choices, as its points.
std::vector<CostPoints> cost_points_of(const Choices &choices);

// Everything beside the points only guides the search: no answer depends on it.
class CostFunctions
{
  public:
    static constexpr std::size_t block_points = 32;

    // Without a tilt set_tilt() must give one before anything but the hulls is asked for.
    CostFunctions(std::vector<CostPoints> points, SimdLevel level, std::optional<double> tilt = 0);
    // The same with other arrays of the same values; some costs may become infinite later.
    CostFunctions(CostFunctions other, std::vector<CostPoints> points) : CostFunctions(std::move(other))
    {
        points_ = std::move(points);
    }

    SimdLevel simd_level() const { return level_; }
    std::size_t functions() const { return points_.size(); }
    std::size_t count(std::size_t f) const { return points_[f].sizes.size(); }
    std::span<const std::int64_t> sizes(std::size_t f) const { return points_[f].sizes; }
    std::span<const double> costs(std::size_t f) const { return points_[f].costs; }

    // The hull of the existing points; empty if there are none.
    std::span<const HullVertex> hull(std::size_t f) const
    {
        return {vertices_.data() + hulls_[f].first, hulls_[f].count};
    }
    // Blocks of block_points points.
    struct Blocks {
        const double *least_costs; // of cost - tilt x size
        const double *last_sizes;  // and one before them: below all sizes of the first block
        std::size_t count;
    };
    Blocks blocks(std::size_t f) const
    {
        const auto first = block_first_[f];
        return {least_costs_.data() + first, last_sizes_.data() + first + f + 1, block_first_[f + 1] - first};
    }
    // The point of that size; count(f) when there is none.
    std::size_t find(std::size_t f, std::int64_t size) const
    {
        return find_size(points_[f].sizes, points_[f].steps, size);
    }

    // A multiplier near those that will be asked for: blocks are then told apart better.
    double tilt() const { return tilt_; }
    void set_tilt(double tilt);

    // After costs of function f became infinite at some points, which increase.
    void update(std::size_t f, std::span<const std::size_t> removed);
    // The same of the hull alone: set_tilt() must follow.
    void update_hull(std::size_t f);

  private:
    struct Hull {
        std::size_t first;
        std::uint32_t count;
        std::uint32_t room;
    };

    void make_blocks(std::size_t f);
    void make_block(std::size_t f, std::size_t b);
    void add_vertices(std::size_t f, std::span<const HullVertex> known);
    void add_vertices_between(std::size_t f, std::size_t left, std::size_t right);
    std::optional<std::size_t> lowest_between(std::size_t f, std::size_t left, std::size_t right) const;
    void store_hull(std::size_t f);

    std::vector<CostPoints> points_;
    std::vector<std::size_t> block_first_;
    std::vector<double> least_costs_; // of the blocks
    std::vector<double> last_sizes_;  // a 0 before the sizes of each function
    SimdLevel level_;
    double tilt_;
    std::vector<Hull> hulls_;
    std::vector<HullVertex> vertices_;
    std::vector<std::size_t> chain_; // of the hull in the making
    std::vector<std::size_t> ends_;
};

} // namespace hpart
