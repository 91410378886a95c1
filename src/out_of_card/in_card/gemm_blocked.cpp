#include "out_of_card/devices/opencl_handles.hpp"
#include "out_of_card/in_card/block_grid.hpp"
#include "out_of_card/in_card/gemm_blocked.cl.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/gemm_opencl.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// Sizes that suit the registers and caches.
struct Blocking {
    std::int64_t width = 0;   // lanes of a vector
    std::int64_t rows = 0;    // of a tile, which is summed in registers
    std::int64_t vectors = 0; // of a tile's columns
    std::int64_t depth = 0;
    std::int64_t block_rows = 0;
    std::int64_t block_columns = 0;

    std::int64_t columns() const { return vectors * width; }
    BlockLimits limits() const { return {rows, columns(), block_rows, block_columns}; }
};

std::int64_t width_of_vectors(cl_device_id device, Scalar type)
{
    const auto what = is_double(type) ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT;
    const std::int64_t width = cl_value<cl_uint>(device, what);
    constexpr std::int64_t bytes_of_usual_vectors = 16, widest = 16;
    // A driver that makes vectors out of work-items itself tells 1.
    return width < 2 ? bytes_of_usual_vectors / real_bytes_of(type) : std::min(width, widest);
}

Blocking blocking_of(cl_device_id device, Scalar type)
{
    const auto element = bytes_of(type), parts = parts_of(type);
    Blocking blocking;
    blocking.width = width_of_vectors(device, type);
    // Sums, a row of B and an element of A: of 32 registers where vectors have 64 bytes, else of 16.
    const bool has_many_registers = blocking.width * real_bytes_of(type) == 64;
    blocking.vectors = 3;
    blocking.rows = (has_many_registers ? 8 : 4) / parts;

    // A sliver of B should stay in the first-level cache, but C be read and written seldom: from 96 to 384 the rate changes by a
    // few percent, with floats best above 300.
    blocking.depth = type == Scalar::d ? 128 : type == Scalar::s ? 320 : 192;
    const auto local = static_cast<std::int64_t>(cl_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
    while (blocking.depth > 1 && blocking.depth * (blocking.columns() + blocking.rows) * element > local / 2)
        blocking.depth /= 2;

    // Packed A should stay in the second-level cache.
    constexpr std::int64_t most_bytes_of_a = 512 << 10, most_rows = 256, most_columns = 1024, kept_for_driver = 1024;
    const auto for_a =
        std::min(most_bytes_of_a, local - kept_for_driver - blocking.depth * blocking.columns() * element);
    blocking.block_rows =
        std::clamp(round_down(for_a / (blocking.depth * element), blocking.rows), blocking.rows, most_rows);
    blocking.block_columns = round_down(most_columns, blocking.columns());
    return blocking;
}

class BlockedGemm final : public InCardGemm
{
  public:
    BlockedGemm(DeviceSession &session, Scalar type)
        : session_(session), native_(opencl_native(session.device())), type_(type),
          units_(session.info().compute_units), blocking_(blocking_of(native_.device, type))
    {
    }

    std::string_view name() const override { return "blocked"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return blocking_.rows; }
    std::int64_t column_multiple() const override { return blocking_.columns(); }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    bool passes_over_parts() const override { return true; }

    Launch product(const DeviceGemm &what) override
    {
        constexpr std::array<std::size_t, 2> items = {1, 1};
        const auto compile = [this](bool transpose_a, bool transpose_b) {
            auto definitions = gemm_definitions(type_, transpose_a, transpose_b);
            definitions.set("WIDTH", blocking_.width).set("ROWS", blocking_.rows).set("VECTORS", blocking_.vectors);
            definitions.set("DEPTH", blocking_.depth).set("BLOCK_ROWS", blocking_.block_rows);
            return std::make_shared<OpenClKernel>(native_, gemm_blocked_source, definitions, "gemm");
        };
        auto kernel = variants_.get<cl_long, cl_long, cl_long>(session_, type_, what, items, compile);
        const auto grid = block_grid(blocking_.limits(), what.m, what.n, units_);
        const OpenClRange range{
            {static_cast<std::size_t>(grid.column_parts), static_cast<std::size_t>(grid.row_parts), 1}, items};
        const auto part_depth = ceil_div(what.k, ceil_div(what.k, blocking_.depth));
        return gemm_launch(std::move(kernel), range, type_, what, cl_long{grid.rows}, cl_long{grid.columns},
                           cl_long{part_depth});
    }

  private:
    DeviceSession &session_; // that keeps it
    OpenClNative native_;
    Scalar type_;
    std::int64_t units_;
    Blocking blocking_;
    GemmVariants variants_;
};

} // namespace

std::shared_ptr<InCardGemm> make_blocked_gemm(DeviceSession &session, Scalar type)
{
    return std::make_shared<BlockedGemm>(session, type);
}

} // namespace hpart
