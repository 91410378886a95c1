// Products cut so that no operand is too long for a library's 32-bit offsets.
#pragma once

#include "core/containers.hpp"
#include "core/numbers.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/scalar.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hpart
{

// The distance of rows on a device.

// Elements between rows of so many elements: whole cache lines and one more, so that rows do not lie a power of two apart;
// rows within a cache line lie close.
inline std::int64_t padded_row(std::int64_t elements, Scalar type)
{
    constexpr std::int64_t cache_line_bytes = 64;
    const auto line = cache_line_bytes / bytes_of(type);
    return elements <= line ? elements : round_up(elements, line) + line;
}

// The product, or parts of it to be made in this order: each of an operand's elements are at most `longest` apart, first and last counted.
std::vector<DeviceGemm> within_span(const DeviceGemm &what, std::int64_t longest);

// The cuts of C into blocks that the units of a processor take one by one.

struct BlockLimits {
    std::int64_t row_multiple = 1, column_multiple = 1; // blocks are of whole tiles
    std::int64_t most_rows = 1, most_columns = 1;       // of a block
};

struct BlockGrid {
    std::int64_t rows = 0, columns = 0; // of a block; the last ones may have fewer
    std::int64_t row_parts = 0, column_parts = 0;

    std::int64_t blocks() const { return row_parts * column_parts; }
    // Work of the unit that ends last, in units of a product's two operations.
    double cost(std::int64_t units) const;
};

// Cuts an m x n matrix, neither empty, for so many units: into few and large blocks, but enough that a unit which comes late, as it
// copies, leaves its share to the others, and as many as all units end together with: nine blocks take two units as long
// as ten.
BlockGrid block_grid(const BlockLimits &limits, std::int64_t m, std::int64_t n, std::int64_t units);

// In-card transforms where the device's memory is the host's: by FFTW, some lines at a time.

// A shape's transform in parts that may run at once. Plans are estimated until as much time was spent as it takes to
// measure better ones; a repeated transform's are measured at once.
class FftLines
{
  public:
    // FFTW's plans for groups of lines.
    struct Plans;

    FftLines(const DeviceFftShape &shape, std::int64_t parts);
    FftLines(const FftLines &) = delete;
    FftLines &operator=(const FftLines &) = delete;
    ~FftLines();

    std::int64_t parts() const { return parts_; }
    // Those for a run that is about to be given; they live as long as this.
    const Plans &plans_for_a_run();
    // Part `part` of the lines of `data`; a part at most once at a time. Throws nothing.
    void run(const Plans &plans, std::int64_t part, void *data) const noexcept;

  private:
    std::unique_ptr<const Plans> make_plans(bool measured) const;
    void run_group(const Plans &plans, std::int64_t group, unsigned char *data, unsigned char *gathered) const;

    DeviceFftShape shape_;
    std::int64_t row_;   // neighbouring lines: the columns of an array, or all contiguous lines
    std::int64_t group_; // lines of a whole group
    std::int64_t groups_per_row_, groups_, parts_;
    double seconds_ = 0; // spent, about
    std::unique_ptr<const Plans> guessed_, measured_;
    mutable std::vector<AlignedVector<unsigned char>> gathered_; // a part each
};

} // namespace hpart
