// Data of the functions that least_sum needs for any target: made once, used by many sums.
#pragma once

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

// The points of all functions, function after function, sizes increasing within each; the arrays are the caller's. A point of
// infinite cost is absent. Everything beside the points only guides the search: no answer depends on it.
class CostFunctions
{
  public:
    static constexpr std::size_t block_points = 32;

    // Without a tilt set_tilt() must give one before anything but the hulls is asked for.
    CostFunctions(std::span<const std::size_t> first, std::span<const std::int64_t> sizes,
                  std::span<const double> costs, SimdLevel level, std::optional<double> tilt = 0);
    // The same with these costs, which are equal; some may become infinite later.
    CostFunctions(CostFunctions other, std::span<const double> costs) : CostFunctions(std::move(other))
    {
        costs_ = costs;
    }

    std::size_t functions() const { return first_.size() - 1; }
    std::size_t begin(std::size_t f) const { return first_[f]; }
    std::size_t end(std::size_t f) const { return first_[f + 1]; }
    const std::int64_t *sizes() const { return sizes_.data(); }
    const double *costs() const { return costs_.data(); }

    // The hull of the existing points; empty if there are none.
    std::span<const HullVertex> hull(std::size_t f) const
    {
        return {vertices_.data() + hulls_[f].first, hulls_[f].count};
    }
    // Blocks of block_points points from begin(f) on.
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
    // The point of that size; end(f) when there is none.
    std::size_t find(std::size_t f, std::int64_t size) const;

    // A multiplier near those that will be asked for: blocks are then told apart better.
    double tilt() const { return tilt_; }
    void set_tilt(double tilt);

    // After costs of function f became infinite at some points: `removed` of them, increasing.
    void update(std::size_t f, std::span<const std::size_t> removed);

  private:
    struct Hull {
        std::size_t first;
        std::uint32_t count;
        std::uint32_t room;
    };

    void make_blocks(std::size_t f);
    void make_block(std::size_t f, std::size_t b);
    void add_vertices(std::size_t f, std::span<const HullVertex> known);
    void add_vertices_between(std::size_t left, std::size_t right);
    std::optional<std::size_t> lowest_between(std::size_t left, std::size_t right) const;
    void store_hull(std::size_t f);

    std::span<const std::size_t> first_;
    std::span<const std::int64_t> sizes_;
    std::span<const double> costs_;
    std::vector<std::int64_t>
        steps_; // distance of the sizes of a function from its second on, when it is the same for all; else 0
    std::vector<std::size_t> block_first_;
    std::vector<double> least_costs_; // of the blocks
    std::vector<double> last_sizes_;  // a 0 before those of each function
    SimdLevel level_;
    double tilt_;
    std::vector<Hull> hulls_;
    std::vector<HullVertex> vertices_;
    std::vector<std::size_t> chain_; // of the hull in the making
    std::vector<std::size_t> ends_;
};

} // namespace hpart
