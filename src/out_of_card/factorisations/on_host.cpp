#include "out_of_card/factorisations/on_host.hpp"

#include <cmath>

namespace hpart::on_host
{

namespace
{

template <typename Value> void scale_lower(bool hermitian, Value beta, const Part<Value> &c)
{
    for (std::int64_t j = 0; j < c.columns; ++j) {
        for (std::int64_t i = j; i < c.rows; ++i) c.at(i, j) *= beta;
        if (hermitian) c.at(j, j) = std::real(c.at(j, j));
    }
}

template <typename Value>
void by_triangle(decltype(Routines<Value>::solve) routine, const TrsmShape &shape, const Part<Value> &a,
                 const Part<Value> &b)
{
    if (b.rows == 0 || b.columns == 0) return;
    const Value one = 1;
    routine(cblas_order(b.row_major), CblasLeft, cblas_triangle(shape.triangle), cblas_transpose(shape.transpose),
            cblas_diagonal(shape.unit_diagonal), blas_integer(b.rows, "m"), blas_integer(b.columns, "n"),
            by_address(one), a.data, blas_integer(a.ld, "lda"), b.data, blas_integer(b.ld, "ldb"));
}

} // namespace

template <typename Value>
void update_triangle(const SyrkShape &shape, Value alpha, const Part<Value> &a, Value beta, const Part<Value> &c)
{
    const auto order = cblas_order(c.row_major);
    const auto transpose = cblas_transpose(shape.transpose);
    const auto n = blas_integer(c.rows, "n"), lda = blas_integer(a.ld, "lda"), ldc = blas_integer(c.ld, "ldc");
    const auto k = blas_integer(shape.transpose == Transpose::none ? a.columns : a.rows, "k");
    if (!is_finite(Coefficient(beta))) { // some BLAS take NaN for 0
        scale_lower(shape.hermitian, beta, c);
        beta = 1;
    }
    if (shape.hermitian)
        Routines<Value>::hermitian_update(order, CblasLower, transpose, n, k, std::real(alpha), a.data, lda,
                                          std::real(beta), c.data, ldc);
    else
        Routines<Value>::symmetric_update(order, CblasLower, transpose, n, k, by_address(alpha), a.data, lda,
                                          by_address(beta), c.data, ldc);
}

template <typename Value>
void multiply_symmetric(const SymmShape &shape, Value alpha, const Part<Value> &a, const Part<Value> &b, Value beta,
                        const Part<Value> &c)
{
    if (!is_finite(Coefficient(beta))) { // some BLAS take NaN for 0
        scale(beta, c);
        beta = 1;
    }
    const auto routine = shape.hermitian ? Routines<Value>::hermitian_product : Routines<Value>::symmetric_product;
    routine(cblas_order(c.row_major), CblasLeft, cblas_triangle(shape.triangle), blas_integer(c.rows, "m"),
            blas_integer(c.columns, "n"), by_address(alpha), a.data, blas_integer(a.ld, "lda"), b.data,
            blas_integer(b.ld, "ldb"), by_address(beta), c.data, blas_integer(c.ld, "ldc"));
}

template <typename Value> void solve_triangle(const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
{
    by_triangle(Routines<Value>::solve, shape, a, b);
}

template <typename Value> void multiply_triangle(const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
{
    by_triangle(Routines<Value>::multiply, shape, a, b);
}

// The memory of a row-major matrix is its transpose's column-major one: (L^-1)^T = (L^T)^-1, and (L^H L)^T = L^T (L^T)^H.
template <typename Value> void invert_triangle(const Part<Value> &a)
{
    Routines<Value>::trtri(LAPACK_COL_MAJOR, a.row_major ? 'U' : 'L', 'N', blas_integer(a.rows, "n"), a.data,
                           blas_integer(a.ld, "lda"));
}

template <typename Value> void multiply_by_adjoint(const Part<Value> &a)
{
    Routines<Value>::lauum(LAPACK_COL_MAJOR, a.row_major ? 'U' : 'L', blas_integer(a.rows, "n"), a.data,
                           blas_integer(a.ld, "lda"));
}

// LAPACK's routine wants columns contiguous.
template <typename Value> std::int64_t factor_lu(const Part<Value> &a, std::span<std::int64_t> pivots)
{
    if (a.row_major) {
        const Workspace<Value> panel(a.rows, a.columns, false);
        copy(a, panel.part());
        const auto info = factor_lu(panel.part(), pivots);
        copy(panel.part(), a);
        return info;
    }
    std::vector<lapack_int> found(pivots.size());
    const auto info = Routines<Value>::getrf(LAPACK_COL_MAJOR, blas_integer(a.rows, "m"), blas_integer(a.columns, "n"),
                                             a.data, blas_integer(a.ld, "lda"), found.data());
    std::ranges::copy(found, pivots.begin());
    return info;
}

template <typename Value> std::int64_t factor_cholesky(const Part<Value> &a)
{
    // The memory of a row-major Hermitian matrix is its conjugate's column-major one: L there is conj(U)^T here, in place.
    const std::int64_t info = Routines<Value>::potrf(LAPACK_COL_MAJOR, a.row_major ? 'U' : 'L',
                                                     blas_integer(a.rows, "n"), a.data, blas_integer(a.ld, "lda"));
    // LAPACK counts a diagonal that is not a number as not positive; not every implementation looks.
    const auto end = info > 0 ? info : a.rows;
    for (std::int64_t k = 0; k < end; ++k)
        if (std::isnan(std::real(a.at(k, k)))) return k + 1;
    return info;
}

template <typename Value> void factor_qr(const Part<Value> &a, Value *tau)
{
    const Workspace<Value> panel(a.row_major ? a.rows : 0, a.columns, false);
    const auto &in = a.row_major ? panel.part() : a;
    if (a.row_major) copy(a, in);
    constexpr std::int64_t block = 64; // LAPACK's widest
    std::vector<Value> work(static_cast<std::size_t>(a.columns * block));
    Routines<Value>::geqrf(LAPACK_COL_MAJOR, blas_integer(a.rows, "m"), blas_integer(a.columns, "n"), in.data,
                           blas_integer(in.ld, "lda"), tau, work.data(), blas_integer(a.columns * block, "lwork"));
    if (a.row_major) copy(in, a);
}

template <typename Value> void factor_qr(const Part<Value> &a, const Part<Value> &t)
{
    const Workspace<Value> panel(a.rows, a.columns, false), triangle(a.columns, a.columns, false);
    const auto &in = panel.part(), &out = triangle.part();
    copy(a, in);
    Routines<Value>::geqrt3(LAPACK_COL_MAJOR, blas_integer(a.rows, "m"), blas_integer(a.columns, "n"), in.data,
                            blas_integer(in.ld, "lda"), out.data, blas_integer(out.ld, "ldt"));
    copy(in, a);
    // Below its diagonal LAPACK leaves what it pleases.
    for (std::int64_t j = 0; j < out.columns; ++j)
        for (std::int64_t i = j + 1; i < out.rows; ++i) out.at(i, j) = 0;
    copy(out, t);
}

template <typename Value> void make_v_explicit(const Part<Value> &a, const Part<Value> &v)
{
    copy(a, v);
    for (std::int64_t j = 0; j < a.columns; ++j) {
        for (std::int64_t i = 0; i < j; ++i) v.at(i, j) = 0;
        v.at(j, j) = 1;
    }
}

#define HPART_ON_HOST(Value)                                                                                           \
    template void update_triangle(const SyrkShape &, Value, const Part<Value> &, Value, const Part<Value> &);          \
    template void multiply_symmetric(const SymmShape &, Value, const Part<Value> &, const Part<Value> &, Value,        \
                                     const Part<Value> &);                                                             \
    template void solve_triangle(const TrsmShape &, const Part<Value> &, const Part<Value> &);                         \
    template void multiply_triangle(const TrsmShape &, const Part<Value> &, const Part<Value> &);                      \
    template void invert_triangle(const Part<Value> &);                                                                \
    template void multiply_by_adjoint(const Part<Value> &);                                                            \
    template std::int64_t factor_lu(const Part<Value> &, std::span<std::int64_t>);                                     \
    template std::int64_t factor_cholesky(const Part<Value> &);                                                        \
    template void factor_qr(const Part<Value> &, Value *);                                                             \
    template void factor_qr(const Part<Value> &, const Part<Value> &);                                                 \
    template void make_v_explicit(const Part<Value> &, const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_ON_HOST)
#undef HPART_ON_HOST

} // namespace hpart::on_host
