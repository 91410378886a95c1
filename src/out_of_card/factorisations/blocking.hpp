// The widths of a left-looking method on a device: the least predicted time among the widths that fit its memory.
#pragma once

#include "core/numbers.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hpart
{

// A step of an operation that one device does left-looking, and the widths that it works with.

enum class StepKind : std::uint8_t { lu, cholesky, qr, update, solve };

constexpr bool is_factorisation(StepKind method)
{
    return method == StepKind::lu || method == StepKind::cholesky || method == StepKind::qr;
}

struct FactorisationStep {
    StepKind method = StepKind::lu;
    Scalar type = Scalar::d;
    bool row_major = true;
    std::int64_t rows = 0, columns = 0;  // of the matrix that stays on the device by blocks of columns
    std::int64_t depth = 0;              // of all panels together
    bool reads_old = true;               // false: what was there before is not used
    HostMatrix matrix = {}, factor = {}; // the one staying by blocks, and another whose panels stream past
};

inline FactorisationStep factorisation_of(StepKind method, const HostMatrix &a)
{
    return {method, a.type, a.row_major, a.rows, a.columns, std::min(a.rows, a.columns), true, a, {}};
}
// An update of C's lower triangle by a factor of k columns.
inline FactorisationStep update_of(const HostMatrix &c, std::int64_t k, bool reads_old, const HostMatrix &factor)
{
    return {StepKind::update, c.type, c.row_major, c.rows, c.columns, k, reads_old, c, factor};
}
// With a triangle on the left.
inline FactorisationStep solution_of(const HostMatrix &b, const HostMatrix &triangle)
{
    return {StepKind::solve, b.type, b.row_major, b.rows, b.columns, b.rows, true, b, triangle};
}

// Cholesky of a row-major matrix by blocks of rows: the columns' rows would be short, which costs links, but not devices on
// the host's cores.
inline bool is_by_rows(const DeviceSession &session, const FactorisationStep &problem)
{
    return problem.method == StepKind::cholesky && problem.row_major && !session.info().on_host_cores;
}

// Widths of the blocks on the device and of the host's panels.
struct LeftLookingShape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t panel = 0;    // columns of a panel
    std::int64_t resident = 0; // of a block: whole panels
    // Columns of the last panel, at least: when so few are left they are the host's, which factors them at once. At most
    // the panel's where columns on the right are to be updated with it.
    std::int64_t last_panel = 0;
    bool panels_on_device = false; // the device factors them, by a library
    // Columns of the panels that Cholesky, and LU on the device, send together and apply at once to a later block: whole panels. By
    // blocks of rows, the columns of A that are sent together.
    std::int64_t streamed = 0;
};

// Additions and multiplications of the operations, by the formulas of LAPACK Working Note 41; complex ones count for four
// real ones.

inline double lu_flops(const HostMatrix &a)
{
    const auto m = static_cast<double>(a.rows), n = static_cast<double>(a.columns), least = std::min(m, n);
    return flops_per_product(a.type) * least * (m * n - least * (m + n) / 2 + least * least / 3);
}

inline double cholesky_flops(const HostMatrix &a)
{
    const auto n = static_cast<double>(a.rows);
    return flops_per_product(a.type) * n * n * n / 6;
}

inline double qr_flops(const HostMatrix &a)
{
    const auto tall = static_cast<double>(std::max(a.rows, a.columns)),
               least = static_cast<double>(std::min(a.rows, a.columns));
    return flops_per_product(a.type) * least * least * (tall - least / 3);
}

// Operations of an update of one triangle by a factor of k columns.
inline double update_flops(const HostMatrix &c, std::int64_t k)
{
    const auto n = static_cast<double>(c.rows);
    return flops_per_product(c.type) * n * n * static_cast<double>(k) / 2;
}

// With a triangle of order n.
inline double solve_flops(const HostMatrix &b, std::int64_t n)
{
    return flops_per_product(b.type) * static_cast<double>(n) * static_cast<double>(b.rows) *
           static_cast<double>(b.columns) / 2;
}

// With so many reflectors.
inline double reflection_flops(const HostMatrix &b, std::int64_t reflectors)
{
    const auto count = static_cast<double>(reflectors);
    return flops_per_product(b.type) * count * (2 * static_cast<double>(b.rows) - count / 2) *
           static_cast<double>(b.columns);
}

inline double q_flops(const HostMatrix &a, std::int64_t reflectors)
{
    const auto m = static_cast<double>(a.rows), n = static_cast<double>(a.columns),
               count = static_cast<double>(reflectors);
    return flops_per_product(a.type) * count * (2 * m * n - count * (m + n) + 2 * count * count / 3);
}

inline double flops_of(const FactorisationStep &problem)
{
    const HostMatrix matrix{.type = problem.type, .rows = problem.rows, .columns = problem.columns};
    switch (problem.method) {
    case StepKind::lu: return lu_flops(matrix);
    case StepKind::cholesky: return cholesky_flops(matrix);
    case StepKind::qr: return qr_flops(matrix);
    case StepKind::update: return update_flops(matrix, problem.depth);
    case StepKind::solve: break;
    }
    return solve_flops(matrix, problem.rows);
}

// On a device, of a block: padded against leading dimensions that are powers of two.
std::int64_t bytes_of_block(const DeviceSession &session, Scalar type, bool row_major, std::int64_t rows,
                            std::int64_t columns);

// The caller's wishes.
struct LeftLookingWish {
    std::optional<std::int64_t> width; // of panels
    double share = 1;                  // of the device's free memory
    FlowOptions flow;
    bool times_kernels = false; // for a better prediction

    // Options panel_width, queues and staging.
    static LeftLookingWish from(const Options &options, double share_of_memory = 1);
};

struct PredictedShape {
    LeftLookingShape shape;
    double seconds = 0;
};

// The times of runs correct the choice between panels on the device and on the host.
std::shared_ptr<Correction> correction_of_panels(DeviceSession &session, const FactorisationStep &problem,
                                                 const LeftLookingShape &shape);

// Nothing where too little fits for blocks that are worth it, or to measure in. The device's in_use is held.
std::optional<PredictedShape> best_shape(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel,
                                         const FactorisationStep &problem, const LeftLookingWish &wish);

// A lower bound of the bytes that any plan of these operations moves: both ways together, for a device with so many bytes that does all
// products but those within the host's panels (of triangular solutions: within the diagonal blocks) and holds each element of the matrix
// in one place.
std::int64_t least_bytes(const FactorisationStep &problem, const LeftLookingShape &shape, std::int64_t device_bytes);

// The count of an operation, made by its own code without data: for the choice of devices, the memory that it needs, progress and
// predictions.

// The rules of the recursion: the blocks that it leaves to the host, and its cuts.
struct RecursionRules {
    std::int64_t host_width = 128; // blocks of so many columns and less
    bool is_on_host = false;       // the products as well, where the matrix is, and no width was asked for

    static RecursionRules of(const DeviceGroup &devices, const Options &options);

    // At about the middle, after a whole number of host blocks.
    std::int64_t half_of(std::int64_t n) const { return round_up(n / 2, host_width); }
    // Products that are done before a device has begun.
    bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) const;
    // A syrk or a QR factorisation that the host does by one call: it tells no progress meanwhile, a tenth of a second or so.
    bool is_one_call(double flops) const;
};

// A block that the host factors.
struct HostPanel {
    StepKind method = StepKind::lu;
    std::int64_t rows = 0, columns = 0;
    auto operator<=>(const HostPanel &) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 mistakes it
};

// Work done left-looking on one device.
struct LeftLookingRecord {
    LeftLookingShape shape;
    double seconds = 0; // of the host's panels; of all where they are predicted
    double flops = 0;
    std::int64_t least_bytes = 0;
    std::string kernel = {};
};

struct OperationCount {
    using Sizes = std::array<std::int64_t, 3>; // m, n, k of a product

    Scalar type = Scalar::d;
    std::map<Sizes, std::int64_t> products = {};        // that are not small: how many
    std::map<Sizes, double> on_host = {};               // what else the host does, in such products
    std::map<HostPanel, std::int64_t> panels = {};      // how many
    std::optional<LeftLookingRecord> left_looking = {}; // the widths of the last; sums of the rest
    double flops = 0;                                   // of all
    std::int64_t least_bytes = 0;                       // that the products move to and from the only device

    static double flops_of(Scalar type, const Sizes &sizes);
    void add(const LeftLookingRecord &record);
    void add(const OperationCount &other, std::int64_t times);
};

} // namespace hpart
