#include "core/error.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/opencl_query.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/gemm_opencl.hpp"
#include "out_of_card/in_card/gemm_tiled.cl.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

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
    std::int64_t hidden_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

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

// Times the tilings until the time for it is up, the first in any case.
std::size_t fastest_tiling(DeviceSession &session, Scalar type)
{
    constexpr double budget_seconds = 3; // most of it goes to the device's compiler
    constexpr int most_runs = 3;
    const auto side = session.info().on_host_cores ? std::int64_t{256} : std::int64_t{1024};
    auto *const device = opencl_native(session.device()).device;
    GemmTrial trial(session, type, {side, side, side / 4}, {});
    const auto begin = Clock::now();
    std::optional<std::size_t> best;
    auto least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < std::size(tilings); ++t) {
        if (best && seconds_since(begin) > budget_seconds) break;
        if (!can_run(device, type, tilings[t])) continue;
        try {
            TiledGemm gemm(session, type, tilings[t]);
            const auto seconds = trial.seconds(gemm, trial.largest(), most_runs, budget_seconds / most_runs);
            if (seconds < least) {
                least = seconds;
                best = t;
            }
        } catch (const Error &) { // too many registers, say: another may do
            if (t + 1 == std::size(tilings) && !best) throw;
        }
    }
    if (!best) fail(Status::unsupported, session.info().spec, " can run none of the library's kernels for products");
    return *best;
}

} // namespace

std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type)
{
    const auto name = gemm_profile_name("tiled", type, "variant");
    const auto found = session.profile().numbers(name);
    if (found && found->size() == 1 && (*found)[0] >= 0 && (*found)[0] < static_cast<double>(std::size(tilings)))
        return std::make_shared<TiledGemm>(session, type, tilings[static_cast<std::size_t>((*found)[0])]);
    const auto best = fastest_tiling(session, type);
    session.profile().keep(name, std::vector<double>{static_cast<double>(best)});
    return std::make_shared<TiledGemm>(session, type, tilings[best]);
}

} // namespace hpart
