#include "out_of_card/factorisations/host_panels.hpp"
#include "host/blas.hpp"
#include "out_of_card/factorisations/diagonal_blocks.hpp"
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/on_host.hpp"

#include <cmath>
#include <optional>

namespace hpart
{

namespace
{

constexpr std::int64_t narrow_columns = 32, wide_columns = 128, panel_rows = 768, square_order = 512;

enum class Piece : std::uint8_t { panel, whole };

void factor(StepKind method, Piece piece, const HostMatrix &a)
{
    if (method == StepKind::lu) {
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.columns));
        on_host::factor_lu(a, pivots);
    } else if (method == StepKind::qr) {
        const Workspace t(a.type, a.columns, a.columns, a.row_major);
        on_host::factor_qr(a, t.matrix());
    } else {
        on_host::factor_cholesky(a);
        if (piece == Piece::panel)
            DiagonalBlocks(a.type, 1, a.columns, a.row_major).invert(0, a, {.triangle = Triangle::lower});
    }
}

// Numbers of all sizes with a large diagonal: any of the methods takes it.
void make_matrix(const HostMatrix &matrix)
{
    with_type(matrix.type, [&]<typename Value>() {
        const auto a = part_of<Value>(matrix);
        for (std::int64_t j = 0; j < a.columns; ++j) {
            for (std::int64_t i = 0; i < a.rows; ++i)
                a.at(i, j) = static_cast<Real<Value>>(std::sin(static_cast<double>(i * a.columns + j)));
            a.at(j, j) = static_cast<Real<Value>>(2 * a.rows);
        }
    });
}

double rate(StepKind method, Scalar type, Piece piece, std::int64_t rows, std::int64_t columns)
{
    if (method == StepKind::cholesky) rows = columns;
    constexpr int runs = 3; // the first one warms up
    const Workspace original(type, rows, columns, false), work(type, rows, columns, false);
    make_matrix(original.matrix());
    double least = HUGE_VAL;
    for (int run = 0; run < runs; ++run) {
        on_host::copy(original.matrix(), work.matrix());
        const auto start = Clock::now();
        factor(method, piece, work.matrix());
        if (run > 0) least = std::min(least, seconds_since(start));
    }
    constexpr double shortest = 1e-7; // of any clock
    return panel_flops(method, type, rows, columns) / std::max(least, shortest);
}

HostPanels measure(const DeviceSession &session, StepKind method, Scalar type)
{
    HostPanels rates;
    std::optional<SingleThreadedBlas> alone;
    if (competes_with_host(session)) alone.emplace();
    rates.narrow = rate(method, type, Piece::panel, panel_rows, narrow_columns);
    rates.wide = rate(method, type, Piece::panel, panel_rows, wide_columns);
    alone.reset();
    rates.whole = rate(method, type, Piece::whole, square_order, square_order);
    return rates;
}

} // namespace

double panel_flops(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns)
{
    const HostMatrix panel{.type = type, .rows = rows, .columns = columns};
    if (method == StepKind::lu) return lu_flops(panel);
    if (method == StepKind::qr) return qr_flops(panel);
    return cholesky_flops({.type = type, .rows = columns, .columns = columns});
}

double HostPanels::seconds(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns) const
{
    if (narrow <= 0) return 0;
    const auto place = std::log2(static_cast<double>(columns) / narrow_columns) /
                       std::log2(static_cast<double>(wide_columns) / narrow_columns);
    return panel_flops(method, type, rows, columns) / std::lerp(narrow, wide, std::clamp(place, 0.0, 1.0));
}

double HostPanels::seconds_of_square(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns) const
{
    return whole > 0 ? panel_flops(method, type, rows, columns) / whole : 0;
}

std::string name_of_host_panels(StepKind method, Scalar type)
{
    return text("host panels ", static_cast<int>(method), ' ', static_cast<int>(type));
}

HostPanels measured_host_panels(DeviceSession &session, StepKind method, Scalar type)
{
    if (!is_factorisation(method)) return {};
    return *session.kept_rate<HostPanels>(name_of_host_panels(method, type),
                                          [&] { return std::make_shared<HostPanels>(measure(session, method, type)); });
}

} // namespace hpart
