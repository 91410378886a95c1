#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/least_squares.hpp"
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart
{

namespace
{

void refuse_singular(std::int64_t info)
{
    if (info > 0)
        fail(Status::numerical, "the matrix is singular: element ", info, ", ", info,
             " of U (counted from 1) is zero, subnormal or NaN; the factors are written");
}

void refuse_indefinite(std::int64_t info)
{
    if (info > 0)
        fail(Status::numerical, "the matrix is not positive definite: its leading minor of order ", info,
             " is not positive; the factors of those before it are written");
}

// None where nothing is done.
std::span<std::int64_t> pivots_of(const HostMatrix &a, std::int64_t *pivots)
{
    return {pivots, pivots == nullptr ? 0 : static_cast<std::size_t>(std::min(a.rows, a.columns))};
}

// P A = L U. A^T = U^T L^T P.
void solve_by_lu(FactorisationContext &context, Transpose transpose, const HostMatrix &lu,
                 std::span<const std::int64_t> pivots, const HostMatrix &b)
{
    const auto solve = [&](Triangle triangle) {
        solve_triangle(context, Side::left, {triangle, transpose, triangle == Triangle::lower}, lu, b);
    };
    if (transpose == Transpose::none) {
        context.change([&] { on_host::swap_rows(b, pivots); });
        solve(Triangle::lower);
        solve(Triangle::upper);
    } else {
        solve(Triangle::upper);
        solve(Triangle::lower);
        context.change([&] { on_host::swap_rows(b, pivots, false); });
    }
}

// A = L L^H or U^H U.
void solve_by_cholesky(FactorisationContext &context, Triangle triangle, const HostMatrix &factor, const HostMatrix &b)
{
    const bool lower = triangle == Triangle::lower;
    const auto plain = Transpose::none, turned = Transpose::conjugate;
    solve_triangle(context, Side::left, {.triangle = triangle, .transpose = lower ? plain : turned}, factor, b);
    solve_triangle(context, Side::left, {.triangle = triangle, .transpose = lower ? turned : plain}, factor, b);
}

void refuse_unusable(const char *kept, std::int64_t info)
{
    if (info > 0)
        fail(Status::numerical, "the matrix is singular: element ", info, ", ", info,
             " of its factor (counted from 1) is zero, subnormal or NaN; ", kept, " is not changed");
}

void check_pivots(std::span<const std::int64_t> pivots, std::int64_t rows)
{
    for (std::size_t k = 0; k < pivots.size(); ++k)
        if (pivots[k] < 1 || pivots[k] > rows)
            fail_argument("pivots[", k, "] is ", pivots[k], "; it must be a row, from 1 to ", rows);
}

} // namespace

void getrf(DeviceGroup &devices, const HostMatrix &a, std::int64_t *pivots, const Options &options, Report &report)
{
    const OperationTask task{"getrf", sizes_of(a), lu_flops(a), {a}};
    refuse_singular(reported(devices, task, options, report, [&](FactorisationContext &context) {
        return factor_lu(context, a, pivots_of(a, pivots));
    }));
}

void potrf(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const Options &options, Report &report)
{
    const OperationTask task{"potrf", sizes_of(a), cholesky_flops(a), {a}};
    refuse_indefinite(reported(devices, task, options, report,
                               [&](FactorisationContext &context) { return factor_cholesky(context, triangle, a); }));
}

void geqrf(DeviceGroup &devices, const HostMatrix &a, void *tau, const Options &options, Report &report)
{
    const OperationTask task{"geqrf", sizes_of(a), qr_flops(a), {a}};
    reported(devices, task, options, report, [&](FactorisationContext &context) { factor_qr(context, a, tau); });
}

void getrs(DeviceGroup &devices, Transpose transpose_a, const HostMatrix &a, std::span<const std::int64_t> pivots,
           const HostMatrix &b, const Options &options, Report &report)
{
    check_pivots(pivots, a.rows);
    const OperationTask task{"getrs", system_of(a, b), 2 * solve_flops(b, a.rows), {a, b}};
    refuse_unusable("b", reported(devices, task, options, report, [&](FactorisationContext &context) {
                        const auto info = context.prepare([&] { return on_host::first_unusable(a); });
                        if (info == 0) solve_by_lu(context, transpose_a, a, pivots, b);
                        return info;
                    }));
}

void potrs(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const HostMatrix &b, const Options &options,
           Report &report)
{
    const OperationTask task{"potrs", system_of(a, b), 2 * solve_flops(b, a.rows), {a, b}};
    refuse_unusable("b", reported(devices, task, options, report, [&](FactorisationContext &context) {
                        const auto info = context.prepare([&] { return on_host::first_unusable(a); });
                        if (info == 0) solve_by_cholesky(context, triangle, a, b);
                        return info;
                    }));
}

void getri(DeviceGroup &devices, const HostMatrix &a, std::span<const std::int64_t> pivots, const Options &options,
           Report &report)
{
    check_pivots(pivots, a.rows);
    const OperationTask task{"getri", sizes_of(a), 4 * cholesky_flops(a), {a}};
    refuse_unusable("a", reported(devices, task, options, report, [&](FactorisationContext &context) {
                        const auto info = context.prepare([&] { return on_host::first_unusable(a); });
                        if (info == 0) recursive::invert_by_lu(context, a, pivots);
                        return info;
                    }));
}

void potri(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const Options &options, Report &report)
{
    const OperationTask task{"potri", sizes_of(a), 2 * cholesky_flops(a), {a}};
    refuse_unusable("a", reported(devices, task, options, report, [&](FactorisationContext &context) {
                        const auto factor = triangle == Triangle::lower ? a : a.transposed();
                        const auto info = context.prepare([&] { return on_host::first_unusable(factor); });
                        if (info == 0) recursive::invert_by_cholesky(context, factor);
                        return info;
                    }));
}

void ormqr(DeviceGroup &devices, Side side, Transpose transpose_q, const HostMatrix &a, const void *tau,
           const HostMatrix &c, const Options &options, Report &report)
{
    const bool left = side == Side::left, plain = transpose_q == Transpose::none;
    const auto turned = left ? c : c.transposed();
    const OperationTask task{is_complex(c.type) ? "unmqr" : "ormqr",
                             text(sizes_of(c), " with ", pluralise(a.columns, "reflector")),
                             reflection_flops(turned, a.columns),
                             {a, c}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        // (C Q)^T is the conjugate of Q^H conj(C)^T.
        const auto conjugate_c = [&] {
            if (!left) context.change([&] { on_host::conjugate(c); });
        };
        conjugate_c();
        recursive::apply_q(context, plain != left, a, tau, turned);
        conjugate_c();
    });
}

void orgqr(DeviceGroup &devices, std::int64_t reflectors, const HostMatrix &a, const void *tau, const Options &options,
           Report &report)
{
    const OperationTask task{is_complex(a.type) ? "ungqr" : "orgqr", sizes_of(a), q_flops(a, reflectors), {a}};
    reported(devices, task, options, report,
             [&](FactorisationContext &context) { recursive::form_q(context, reflectors, a, tau); });
}

void gesv(DeviceGroup &devices, const HostMatrix &a, std::int64_t *pivots, const HostMatrix &b, const Options &options,
          Report &report)
{
    const OperationTask task{"gesv", system_of(a, b), lu_flops(a) + 2 * solve_flops(b, a.rows), {a, b}};
    refuse_singular(reported(devices, task, options, report, [&](FactorisationContext &context) {
        const auto info = factor_lu(context, a, pivots_of(a, pivots));
        if (info == 0) solve_by_lu(context, Transpose::none, a, pivots_of(a, pivots), b);
        return info;
    }));
}

void posv(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const HostMatrix &b, const Options &options,
          Report &report)
{
    const OperationTask task{"posv", system_of(a, b), cholesky_flops(a) + 2 * solve_flops(b, a.rows), {a, b}};
    refuse_indefinite(reported(devices, task, options, report, [&](FactorisationContext &context) {
        const auto info = factor_cholesky(context, triangle, a);
        if (info == 0) solve_by_cholesky(context, triangle, a, b);
        return info;
    }));
}

void gels(DeviceGroup &devices, Transpose transpose_a, const HostMatrix &a, const HostMatrix &b, const Options &options,
          Report &report)
{
    const auto tall = a.rows < a.columns ? a.transposed() : a;
    const auto top = b.block(0, 0, tall.columns, b.columns);
    const OperationTask task{"gels",
                             system_of(a, b),
                             qr_flops(a) + reflection_flops(b, tall.columns) + solve_flops(top, tall.columns),
                             {a, b}};
    const auto info = reported(devices, task, options, report, [&](FactorisationContext &context) {
        return solve_least_squares(context, transpose_a, a, b);
    });
    if (info > 0)
        fail(Status::numerical, "the matrix has not full rank: element ", info, ", ", info,
             " of R (counted from 1) is zero, subnormal or NaN; there is no solution by this method");
}

} // namespace hpart
