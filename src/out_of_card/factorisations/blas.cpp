// The public operations of the BLAS but for gemm and gemv.
#include "out_of_card/factorisations/operations.hpp"
#include "out_of_card/factorisations/recursive.hpp"
#include "out_of_card/factorisations/task.hpp"

namespace hpart
{

namespace
{

Triangle opposite_of(Triangle triangle) { return triangle == Triangle::lower ? Triangle::upper : Triangle::lower; }

HostMatrix read_only(const HostMatrix &like, std::int64_t rows, std::int64_t columns, const void *data, std::int64_t ld)
{
    return {like.type, like.row_major, rows, columns, const_cast<void *>(data), ld};
}

HostMatrix factor_of(const HostMatrix &like, Transpose transpose, std::int64_t rows, std::int64_t columns,
                     const void *data, std::int64_t ld)
{
    const bool plain = transpose == Transpose::none;
    return read_only(like, plain ? rows : columns, plain ? columns : rows, data, ld);
}

// C = alpha op(A) op(B) + beta C of one triangle. An upper triangle is the lower triangle of C^T = op(B)^T op(A)^T. The memory of A
// is A^T in the other layout, and op(A)^T = op(A^T).
void multiply_in_triangle(FactorisationContext &context, Triangle triangle, Coefficient alpha, const Factor &a,
                          const Factor &b, Coefficient beta, const HostMatrix &c)
{
    if (triangle == Triangle::upper)
        return multiply_in_triangle(context, Triangle::lower, alpha, {b.matrix.transposed(), b.transpose},
                                    {a.matrix.transposed(), a.transpose}, beta, c.transposed());
    if (alpha == 0.0 || a.columns() == 0) return context.change([&] { on_host::scale_lower(beta, c); });
    recursive::multiply_to_triangle(context, alpha, a, b, beta, c);
}

} // namespace

void syrk(DeviceGroup &devices, const SyrkCall &call, const Options &options, Report &report)
{
    const auto &c = call.c;
    if (is_complex(c.type) && call.transpose_a == (call.hermitian ? Transpose::transpose : Transpose::conjugate))
        fail_argument("trans is ",
                      call.hermitian ? "112, the transpose; the Hermitian" : "113, the conjugate; the symmetric",
                      " update takes 111 or ", call.hermitian ? 113 : 112);
    const bool plain = call.transpose_a == Transpose::none;
    const auto k = call.alpha == 0.0 ? 0 : call.k;
    // A that is not read may be null: it has no columns then.
    const HostMatrix factor{c.type,  c.row_major, plain ? c.rows : k, plain ? k : c.rows, const_cast<void *>(call.a),
                            call.lda};
    const OperationTask task{
        call.hermitian ? "herk" : "syrk", text(sizes_of(c), ", k ", call.k), update_flops(c, k), {factor, c}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        if (c.rows == 0) return;
        update_triangle(context, call.triangle, {call.hermitian, call.transpose_a}, call.alpha, factor, call.beta, c);
    });
}

void trsm(DeviceGroup &devices, const TrsmCall &call, const Options &options, Report &report)
{
    const auto &b = call.b;
    const auto n = call.side == Side::left ? b.rows : b.columns;
    const auto triangle = read_only(b, n, n, call.a, call.lda);
    const OperationTask task{"trsm", sizes_of(b), call.alpha == 0.0 ? 0 : solve_flops(b, n), {triangle, b}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        if (b.is_empty()) return;
        if (call.alpha != 1.0) context.change([&] { on_host::scale(call.alpha, b); });
        if (call.alpha != 0.0)
            solve_triangle(context, call.side, {call.triangle, call.transpose_a, call.unit_diagonal}, triangle, b);
    });
}

void trmm(DeviceGroup &devices, const TrsmCall &call, const Options &options, Report &report)
{
    const auto &b = call.b;
    const bool left = call.side == Side::left;
    const auto n = left ? b.rows : b.columns;
    const auto turned = left ? b : b.transposed();
    const auto triangle = read_only(b, n, n, call.a, call.lda);
    const OperationTask task{"trmm", sizes_of(b), call.alpha == 0.0 ? 0 : solve_flops(b, n), {triangle, b}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        if (b.is_empty()) return;
        if (call.alpha != 1.0) context.change([&] { on_host::scale(call.alpha, b); });
        const TrsmShape shape{left ? call.triangle : opposite_of(call.triangle), call.transpose_a, call.unit_diagonal};
        if (call.alpha != 0.0)
            recursive::multiply_triangle(context, shape, left ? triangle : triangle.transposed(), turned);
    });
}

// B A is (A^T B^T)^T; A^T is symmetric or Hermitian as A, and its memory has the opposite triangle.
void symm(DeviceGroup &devices, const SymmCall &call, const Options &options, Report &report)
{
    const auto &c = call.c;
    const bool left = call.side == Side::left;
    const auto n = left ? c.rows : c.columns;
    const auto turned = left ? c : c.transposed();
    const auto a = read_only(c, n, n, call.a, call.lda), b = read_only(c, c.rows, c.columns, call.b, call.ldb);
    const OperationTask task{
        call.hermitian ? "hemm" : "symm", sizes_of(c), call.alpha == 0.0 ? 0 : 2 * solve_flops(c, n), {a, b, c}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        if (call.alpha == 0.0) return context.change([&] { on_host::scale(call.beta, c); });
        recursive::multiply_symmetric(context, {left ? call.triangle : opposite_of(call.triangle), call.hermitian},
                                      call.alpha, left ? a : a.transposed(), left ? b : b.transposed(), call.beta,
                                      turned);
    });
}

void gemmt(DeviceGroup &devices, const GemmtCall &call, const Options &options, Report &report)
{
    const auto &c = call.c;
    const auto a = factor_of(c, call.transpose_a, c.rows, call.k, call.a, call.lda),
               b = factor_of(c, call.transpose_b, call.k, c.rows, call.b, call.ldb);
    const auto k = call.alpha == 0.0 ? 0 : call.k;
    const OperationTask task{"gemmt", text(sizes_of(c), ", k ", call.k), update_flops(c, k), {a, b, c}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        multiply_in_triangle(context, call.triangle, call.alpha, {a, call.transpose_a}, {b, call.transpose_b},
                             call.beta, c);
    });
}

void syr2k(DeviceGroup &devices, const GemmtCall &call, bool hermitian, const Options &options, Report &report)
{
    const auto &c = call.c;
    const bool plain = call.transpose_a == Transpose::none;
    const auto turned = hermitian ? Transpose::conjugate : Transpose::transpose;
    const auto op = plain ? Transpose::none : turned, op_of_second = plain ? turned : Transpose::none;
    const auto a = factor_of(c, op, c.rows, call.k, call.a, call.lda),
               b = factor_of(c, op, c.rows, call.k, call.b, call.ldb);
    const bool is_nothing = call.alpha == 0.0 || call.k == 0;
    const OperationTask task{hermitian ? "her2k" : "syr2k",
                             text(sizes_of(c), ", k ", call.k),
                             2 * update_flops(c, is_nothing ? 0 : call.k),
                             {a, b, c}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        const auto add = [&](Coefficient alpha, const HostMatrix &left, const HostMatrix &right, Coefficient beta) {
            multiply_in_triangle(context, call.triangle, alpha, {left, op}, {right, op_of_second}, beta, c);
        };
        if (is_nothing && call.beta == 1.0) return;
        add(call.alpha, a, b, call.beta);
        if (!is_nothing) add(hermitian ? std::conj(call.alpha) : call.alpha, b, a, 1);
        if (hermitian) context.change([&] { on_host::make_diagonal_real(c); });
    });
}

void gemm_strided_batched(DeviceGroup &devices, const GemmBatch &batch, const Options &options, Report &report)
{
    const auto &call = batch.first;
    const HostMatrix c{call.type, call.row_major, call.m, call.n, call.c, call.ldc};
    const auto a = factor_of(c, call.transpose_a, call.m, call.k, call.a, call.lda),
               b = factor_of(c, call.transpose_b, call.k, call.n, call.b, call.ldb);
    const bool is_nothing = call.alpha == 0.0 || call.k == 0;
    const OperationTask task{"gemm_strided_batched",
                             text(sizes_of(c), ", k ", call.k, ", ", pluralise(batch.count, "product")),
                             static_cast<double>(batch.count) * 2 * solve_flops(c, is_nothing ? 0 : call.k),
                             {a, b, c}};
    reported(devices, task, options, report, [&](FactorisationContext &context) {
        if (c.rows == 0 || c.columns == 0) return;
        context.repeat(batch.count, [&](std::int64_t i) {
            const auto result = c.moved(i * batch.stride_c);
            if (is_nothing) return context.change([&] { on_host::scale(call.beta, result); });
            context.multiply(call.alpha, {a.moved(i * batch.stride_a), call.transpose_a},
                             {b.moved(i * batch.stride_b), call.transpose_b}, call.beta, result);
        });
    });
}

} // namespace hpart
