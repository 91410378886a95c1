// Triangular diagonal blocks as their inverses, so that solving is a product; but only where that is as accurate.
#pragma once

#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/on_host.hpp"

namespace hpart
{

class DiagonalBlocks
{
  public:
    DiagonalBlocks(Scalar type, std::int64_t count, std::int64_t width, bool row_major)
    {
        for (std::int64_t k = 0; k < count; ++k) blocks_.push_back({{}, {}, {type, width, width, row_major}, false});
    }

    struct Shape {
        Triangle triangle = Triangle::lower;
        bool unit_diagonal = false;
    };
    void invert(std::int64_t k, const HostMatrix &a, const Shape &shape);
    // Zeros are written out.
    HostMatrix inverse(std::int64_t k) const;

    // True if a product with the inverse is as accurate as a solution.
    bool is_accurate(std::int64_t k) const { return blocks_[static_cast<std::size_t>(k)].is_accurate; }

    // solved = op(block)^-1 right, on the device and in `to`.
    void solve(DeviceWork &work, std::int64_t k, const DeviceFactor &inverse, const DeviceBlock &right,
               const DeviceBlock &solved, const HostMatrix &to) const;

  private:
    struct Block {
        HostMatrix a;
        Shape shape;
        Workspace inverse;
        bool is_accurate = false;
    };
    std::vector<Block> blocks_;
};

} // namespace hpart
