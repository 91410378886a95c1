// The cuts of a product: tiles of C that stay on the device while panels of A and B stream past them.
#pragma once

#include "core/numbers.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/scalar.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace hpart
{

// Tiles that the caller asks for, by the option tile.

struct TileSize {
    std::int64_t mb = 0, nb = 0, kb = 0;
};

// "MBxNBxKB"
TileSize parse_tile(std::string_view text);

// The steps of an operation.
struct TileSteps {
    double number = 0, flops = 0; // of each
};

// Commands of a step cost some 10 to 200 us, by the device: the most steps that may cost more than they compute take
// seconds, and what counts as work takes longer than its commands on any processor of up to 100 GF/s.
constexpr double most_small_steps = 1e5, worth_a_step = 1 << 20;
bool is_sensible(const TileSteps &steps);

// Fails where there would be so many steps, of so little work each, that their commands alone take minutes, or days.
void refuse_small_tile(const TileSize &tile, const std::function<TileSteps(const TileSize &)> &steps_of);

// C = alpha op(A) op(B) + beta C, row-major. Sizes are positive.
struct GemmShape {
    Scalar type = Scalar::d;
    bool a_transposed = false, b_transposed = false; // stored as k x m, n x k
    bool reads_c = false;                            // beta is not 0
    std::int64_t m = 0, n = 0, k = 0;

    std::int64_t element_bytes() const { return bytes_of(type); }
    // NOLINTNEXTLINE(modernize-use-nullptr,readability-implicit-bool-conversion): Clang's own words for a default
    auto operator<=>(const GemmShape &) const = default;
};

// C tiles of mb x nb, panels of depth kb; the last of each may be smaller.
struct GemmPlan {
    std::int64_t mb = 0, nb = 0, kb = 0;
    std::int64_t c_buffers = 1;            // 1 or 2 tiles of C are on the device
    std::int64_t strip_rows = 0;           // a tile comes and goes in strips of so many rows
    bool c_in_strips = false;              // each strip is a buffer of its own
    std::int64_t a_slots = 2, b_slots = 2; // panels of A and of B on the device
    bool by_rows = true;                   // tiles of a row of C one after another; else of a column
    bool serpentine = true;                // each row, and each sweep over k, goes back where the one before ended

    // NOLINTNEXTLINE(modernize-use-nullptr,readability-implicit-bool-conversion): Clang's own words for a default
    auto operator<=>(const GemmPlan &) const = default;

    std::int64_t tile_rows(const GemmShape &shape) const { return ceil_div(shape.m, mb); }
    std::int64_t tile_columns(const GemmShape &shape) const { return ceil_div(shape.n, nb); }
    std::int64_t panels(const GemmShape &shape) const { return ceil_div(shape.k, kb); }
    std::int64_t strips() const { return ceil_div(mb, strip_rows); }
};

// The memory of the device and the rules by which it is taken.
struct DeviceSpace {
    std::int64_t limit_bytes = 0;
    std::int64_t granule_bytes = 1;
    std::int64_t largest_buffer_bytes = 0;
    std::int64_t largest_side = std::numeric_limits<std::int64_t>::max(); // of a tile with its padding
};

// The device's buffers under a plan.
struct GemmBuffers {
    std::int64_t c_bytes = 0;              // of a tile, or of a strip
    std::int64_t c_buffers = 0;            // of all tiles
    std::int64_t a_bytes = 0, b_bytes = 0; // of a panel
    bool possible = false;                 // no buffer is above the largest allocation, no side above the largest
    std::int64_t total_bytes = 0;          // with each rounded up to the granule
};
// The plan with each strip of C in a buffer of its own where a tile is above the largest allocation.
GemmPlan split_where_needed(GemmPlan plan, const GemmShape &shape, const DeviceSpace &space);
GemmBuffers buffers_of(const GemmShape &shape, const GemmPlan &plan, const DeviceSpace &space);

struct GemmTraffic {
    std::int64_t in_bytes = 0, out_bytes = 0;
    std::int64_t total() const { return in_bytes + out_bytes; }
};

// Elements of each operand's panels that are brought to the device; of very large products more than integers hold.
struct PanelTraffic {
    double a = 0, b = 0;
};
PanelTraffic estimated_panels(const GemmShape &shape, const GemmPlan &plan);

// Bytes that the plan moves, by a formula: as many as the walk counts (one_device.hpp), and no fewer where there are more slots than
// panels in a sweep.
GemmTraffic estimated_traffic(const GemmShape &shape, const GemmPlan &plan);

// No plan moves less: T. M. Smith, B. Lowery, J. Langou, R. A. van de Geijn, "A tight I/O lower bound for matrix
// multiplication" (2017), with a device of so many elements, whose bound counts C's reads and writes; and each operand once.
GemmTraffic least_traffic(const GemmShape &shape, std::int64_t device_bytes);

// A plan's time on three in-order queues.

// Seconds until a queue sees the end of another queue's command: a thread wakes up, or a GPU reads a flag.
constexpr double queue_latency_of_threads = 3e-5, queue_latency_of_gpus = 5e-6;

struct DeviceModel {
    std::string device = "the device"; // for messages
    DeviceSpace space;
    std::int64_t row_multiple = 1, column_multiple = 1; // of tiles at the full rate
    std::int64_t compute_units = 1;
    bool on_cores = false; // kernels run on cores of the host, in their caches
    LinkRates link;
    bool is_staged = false; // all that moves is staged, at the link's rates
    double queue_latency = queue_latency_of_threads;
    int lookahead = 2;
    // Time of one product: rows x columns of C, depth.
    std::function<double(std::int64_t, std::int64_t, std::int64_t)> kernel_seconds;
    // Bytes of the device's memory that the kernel takes for itself.
    std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)> scratch_bytes;
};

struct PredictedTime {
    double seconds = 0;
    double kernel_seconds = 0; // were nothing else to do
    double in_seconds = 0, out_seconds = 0;
    bool is_of_part = false; // of a long walk, which is taken to go on like that
};

// The part that takes longest: "kernel", "transfers in", "transfers out".
const char *longest_part(const PredictedTime &time);

// From the first command to the end of the last. Long walks are followed for a while.
PredictedTime simulate(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

// A product's least time, computed at once, without a search for tiles.
double least_seconds(const GemmShape &shape, const DeviceModel &model);
// The same of its kernels.
double kernel_seconds(const GemmShape &shape, const DeviceModel &model);

} // namespace hpart
