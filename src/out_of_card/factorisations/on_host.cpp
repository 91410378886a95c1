#include "out_of_card/factorisations/on_host.hpp"

#include "core/numbers.hpp"
#include "host/blas.hpp"
#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/lapack.hpp"

#include <cmath>
#include <optional>

namespace hpart::on_host
{

namespace
{

// The routine for b's type.
template <typename Value>
void by_triangle(decltype(Routines<Value>::solve) routine, const TrsmShape &shape, const HostMatrix &a,
                 const HostMatrix &b)
{
    const Value one = 1;
    routine(cblas_order(b.row_major), CblasLeft, cblas_triangle(shape.triangle), cblas_transpose(shape.transpose),
            cblas_diagonal(shape.unit_diagonal), blas_integer(b.rows, "m"), blas_integer(b.columns, "n"),
            by_address(one), static_cast<const Value *>(a.data), blas_integer(a.ld, "lda"),
            static_cast<Value *>(b.data), blas_integer(b.ld, "ldb"));
}

} // namespace

void multiply(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c)
{
    with_type(c.type, [&]<typename Value>() {
        const auto alpha_value = coefficient_as<Value>(alpha), beta_value = coefficient_as<Value>(beta);
        Cblas<Value>::gemm(cblas_order(c.row_major), cblas_transpose(a.transpose), cblas_transpose(b.transpose),
                           blas_integer(c.rows, "m"), blas_integer(c.columns, "n"), blas_integer(a.columns(), "k"),
                           by_address(alpha_value), static_cast<const Value *>(a.matrix.data),
                           blas_integer(a.matrix.ld, "lda"), static_cast<const Value *>(b.matrix.data),
                           blas_integer(b.matrix.ld, "ldb"), by_address(beta_value), static_cast<Value *>(c.data),
                           blas_integer(c.ld, "ldc"));
    });
}

void update_triangle(const SyrkShape &shape, Coefficient alpha, const HostMatrix &a, Coefficient beta,
                     const HostMatrix &c)
{
    if (!is_finite(beta)) { // some BLAS take NaN for 0
        scale_lower(beta, c);
        if (shape.hermitian) make_diagonal_real(c);
        beta = 1;
    }
    with_type(c.type, [&]<typename Value>() {
        const auto order = cblas_order(c.row_major);
        const auto transpose = cblas_transpose(shape.transpose);
        const auto n = blas_integer(c.rows, "n"), lda = blas_integer(a.ld, "lda"), ldc = blas_integer(c.ld, "ldc");
        const auto k = blas_integer(shape.transpose == Transpose::none ? a.columns : a.rows, "k");
        const auto alpha_value = coefficient_as<Value>(alpha), beta_value = coefficient_as<Value>(beta);
        const auto *const factor = static_cast<const Value *>(a.data);
        auto *const result = static_cast<Value *>(c.data);
        if (shape.hermitian)
            Routines<Value>::hermitian_update(order, CblasLower, transpose, n, k, std::real(alpha_value), factor, lda,
                                              std::real(beta_value), result, ldc);
        else
            Routines<Value>::symmetric_update(order, CblasLower, transpose, n, k, by_address(alpha_value), factor, lda,
                                              by_address(beta_value), result, ldc);
    });
}

void multiply_symmetric(const SymmShape &shape, Coefficient alpha, const HostMatrix &a, const HostMatrix &b,
                        Coefficient beta, const HostMatrix &c)
{
    if (!is_finite(beta)) { // some BLAS take NaN for 0
        scale(beta, c);
        beta = 1;
    }
    with_type(c.type, [&]<typename Value>() {
        const auto alpha_value = coefficient_as<Value>(alpha), beta_value = coefficient_as<Value>(beta);
        const auto routine = shape.hermitian ? Routines<Value>::hermitian_product : Routines<Value>::symmetric_product;
        routine(cblas_order(c.row_major), CblasLeft, cblas_triangle(shape.triangle), blas_integer(c.rows, "m"),
                blas_integer(c.columns, "n"), by_address(alpha_value), static_cast<const Value *>(a.data),
                blas_integer(a.ld, "lda"), static_cast<const Value *>(b.data), blas_integer(b.ld, "ldb"),
                by_address(beta_value), static_cast<Value *>(c.data), blas_integer(c.ld, "ldc"));
    });
}

void solve_triangle(const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    if (b.is_empty()) return;
    with_type(b.type, [&]<typename Value>() { by_triangle<Value>(Routines<Value>::solve, shape, a, b); });
}

void multiply_triangle(const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    if (b.is_empty()) return;
    with_type(b.type, [&]<typename Value>() { by_triangle<Value>(Routines<Value>::multiply, shape, a, b); });
}

// The memory of a row-major matrix is its transpose's column-major one: (L^-1)^T = (L^T)^-1, and (L^H L)^T = L^T (L^T)^H.
void invert_triangle(const HostMatrix &a)
{
    with_type(a.type, [&]<typename Value>() {
        Routines<Value>::trtri(a.row_major ? 'U' : 'L', 'N', blas_integer(a.rows, "n"), static_cast<Value *>(a.data),
                               blas_integer(a.ld, "lda"));
    });
}

void multiply_by_adjoint(const HostMatrix &a)
{
    with_type(a.type, [&]<typename Value>() {
        Routines<Value>::lauum(a.row_major ? 'U' : 'L', blas_integer(a.rows, "n"), static_cast<Value *>(a.data),
                               blas_integer(a.ld, "lda"));
    });
}

HostMatrix PanelByColumns::copy_of(const HostMatrix &panel)
{
    const auto bytes = panel.rows * panel.columns * bytes_of(panel.type);
    if (bytes > bytes_) {
        memory_ = std::make_unique_for_overwrite<unsigned char[]>(static_cast<std::size_t>(bytes));
        bytes_ = bytes;
    }
    const HostMatrix columns{panel.type,    false,         panel.rows,
                             panel.columns, memory_.get(), std::max<std::int64_t>(1, panel.rows)};
    copy_all(panel, columns);
    return columns;
}

void PanelByColumns::copy_all(const HostMatrix &from, const HostMatrix &to)
{
    constexpr std::int64_t rows_at_once = 512;
    threads_.for_each(ceil_div(from.rows, rows_at_once), [&](std::int64_t piece) {
        const auto first = piece * rows_at_once, count = std::min(rows_at_once, from.rows - first);
        copy(from.block(first, 0, count, from.columns), to.block(first, 0, count, from.columns));
    });
}

std::int64_t factor_lu(const HostMatrix &a, std::span<std::int64_t> pivots)
{
    if (a.row_major)
        return PanelByColumns().use(a, [&](const HostMatrix &columns) { return factor_lu(columns, pivots); });
    std::vector<blasint> found(pivots.size());
    with_type(a.type, [&]<typename Value>() {
        Routines<Value>::getrf(blas_integer(a.rows, "m"), blas_integer(a.columns, "n"), static_cast<Value *>(a.data),
                               blas_integer(a.ld, "lda"), found.data());
    });
    std::ranges::copy(found, pivots.begin());
    // OpenBLAS multiplies a column with the reciprocal of a subnormal pivot, which is infinite; since 0.3.29 it does not change
    // such a column, nor a column with a NaN as its pivot. Its info counts zeros alone.
    return first_unusable(a);
}

std::int64_t factor_cholesky(const HostMatrix &a)
{
    return with_type(a.type, [&]<typename Value>() -> std::int64_t {
        // The memory of a row-major Hermitian matrix is its conjugate's column-major one: L there is conj(U)^T here, in place.
        const std::int64_t info = Routines<Value>::potrf(a.row_major ? 'U' : 'L', blas_integer(a.rows, "n"),
                                                         static_cast<Value *>(a.data), blas_integer(a.ld, "lda"));
        // LAPACK counts a diagonal that is not a number as not positive; not every implementation looks.
        const auto part = part_of<Value>(a);
        const auto end = info > 0 ? info : a.rows;
        for (std::int64_t k = 0; k < end; ++k)
            if (std::isnan(std::real(part.at(k, k)))) return k + 1;
        return info;
    });
}

void factor_qr(const HostMatrix &a, void *tau)
{
    if (a.row_major) return PanelByColumns().use(a, [&](const HostMatrix &columns) { factor_qr(columns, tau); });
    with_type(a.type, [&]<typename Value>() {
        constexpr std::int64_t block = 64; // LAPACK's widest
        std::vector<Value> work(static_cast<std::size_t>(a.columns * block));
        Routines<Value>::geqrf(blas_integer(a.rows, "m"), blas_integer(a.columns, "n"), static_cast<Value *>(a.data),
                               blas_integer(a.ld, "lda"), static_cast<Value *>(tau), work.data(),
                               blas_integer(a.columns * block, "lwork"));
    });
}

void factor_qr(const HostMatrix &a, const HostMatrix &t)
{
    if (a.row_major) return PanelByColumns().use(a, [&](const HostMatrix &columns) { factor_qr(columns, t); });
    if (t.row_major) {
        const Workspace triangle(t.type, t.rows, t.columns, false);
        factor_qr(a, triangle.matrix());
        return copy(triangle.matrix(), t);
    }
    with_type(a.type, [&]<typename Value>() {
        Routines<Value>::geqrt3(blas_integer(a.rows, "m"), blas_integer(a.columns, "n"), static_cast<Value *>(a.data),
                                blas_integer(a.ld, "lda"), static_cast<Value *>(t.data), blas_integer(t.ld, "ldt"));
        // LAPACK leaves arbitrary values below its diagonal.
        const auto part = part_of<Value>(t);
        for (std::int64_t j = 0; j < t.columns; ++j)
            for (std::int64_t i = j + 1; i < t.rows; ++i) part.at(i, j) = 0;
    });
}

} // namespace hpart::on_host

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
