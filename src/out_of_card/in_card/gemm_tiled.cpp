#include "core/error.hpp"
#include "out_of_card/devices/opencl_handles.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/gemm_opencl.hpp"
#include "out_of_card/in_card/gemm_tiled.cl.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"

#include <array>

namespace hpart
{

namespace
{

struct Tiling {
    std::int64_t group_rows, group_columns; // items of a group
    std::int64_t item_rows, item_columns;   // elements of an item
    std::int64_t depth;

    std::int64_t rows() const { return group_rows * item_rows; }
    std::int64_t columns() const { return group_columns * item_columns; }
    std::int64_t local_bytes(Scalar type) const { return depth * (rows() + columns() + 2) * bytes_of(type); }
};

// Few, unlike, best guess first: groups of 64 to 256 items, 4 to 64 sums an item. The last runs on every device of OpenCL.
constexpr Tiling tilings[] = {{16, 16, 4, 4, 16}, {8, 8, 4, 4, 16}, {16, 16, 8, 8, 8},
                              {8, 16, 8, 4, 8},   {8, 8, 8, 8, 8},  {1, 1, 4, 4, 8}};

bool can_run(cl_device_id device, Scalar type, const Tiling &tiling)
{
    const auto local = static_cast<std::int64_t>(cl_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
    const auto items = static_cast<std::int64_t>(cl_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    const auto most = cl_value<std::array<std::size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    return tiling.local_bytes(type) <= local && tiling.group_rows * tiling.group_columns <= items &&
           tiling.group_columns <= static_cast<std::int64_t>(most[0]) &&
           tiling.group_rows <= static_cast<std::int64_t>(most[1]);
}

class TiledGemm final : public InCardGemm
{
  public:
    TiledGemm(DeviceSession &session, Scalar type, const Tiling &tiling)
        : session_(session), native_(opencl_native(session.device())), type_(type), tiling_(tiling)
    {
    }

    std::string_view name() const override { return "tiled"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return tiling_.rows(); }
    std::int64_t column_multiple() const override { return tiling_.columns(); }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    bool passes_over_parts() const override { return true; }

    Launch product(const DeviceGemm &what) override
    {
        const auto count = [](std::int64_t value) { return static_cast<std::size_t>(value); };
        const std::array items = {count(tiling_.group_columns), count(tiling_.group_rows)};
        const auto compile = [this](bool transpose_a, bool transpose_b) {
            auto definitions = gemm_definitions(type_, transpose_a, transpose_b);
            definitions.set("GROUP_ROWS", tiling_.group_rows).set("GROUP_COLUMNS", tiling_.group_columns);
            definitions.set("ITEM_ROWS", tiling_.item_rows).set("ITEM_COLUMNS", tiling_.item_columns);
            definitions.set("DEPTH", tiling_.depth);
            return std::make_shared<OpenClKernel>(native_, gemm_tiled_source, definitions, "gemm");
        };
        auto kernel = variants_.get(session_, type_, what, items, compile);
        const auto range = tall_range(ceil_div(what.n, tiling_.columns()), ceil_div(what.m, tiling_.rows()), items);
        return gemm_launch(std::move(kernel), range, type_, what);
    }

  private:
    DeviceSession &session_; // that keeps it
    OpenClNative native_;
    Scalar type_;
    Tiling tiling_;
    GemmVariants variants_;
};

// True if the device compiles it and runs a tile: it may need too many registers, say.
bool runs(DeviceSession &session, TiledGemm &gemm, const Tiling &tiling, bool is_last)
{
    try {
        GemmTrial trial(session, gemm, {tiling.rows(), tiling.columns(), tiling.depth});
        trial.seconds(trial.largest(), 1, 0);
        return true;
    } catch (const Error &error) {
        if (error.status() == Status::out_of_memory) return true; // no room to try: whoever asks has none either
        if (is_last) throw;
        return false;
    }
}

} // namespace

std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type, std::size_t first)
{
    auto *const device = opencl_native(session.device()).device;
    for (auto tiling = std::begin(tilings) + first; tiling < std::end(tilings); ++tiling) {
        if (!can_run(device, type, *tiling)) continue;
        auto gemm = std::make_shared<TiledGemm>(session, type, *tiling);
        if (runs(session, *gemm, *tiling, tiling + 1 == std::end(tilings))) return gemm;
    }
    fail(Status::unsupported, session.info().spec, " can run none of the library's kernels for products");
}

std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type)
{
    return make_tiled_gemm(session, type, 0);
}

} // namespace hpart
