// The public operations of the BLAS but for gemm and gemv.
#include "out_of_card/factorisations/device_block.hpp"
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

template <typename Value> void scale_triangle(Value beta, const Part<Value> &lower)
{
    if (beta == Value(1)) return;
    for (std::int64_t j = 0; j < lower.columns; ++j)
        for (std::int64_t i = j; i < lower.rows; ++i)
            lower.at(i, j) = beta == Value(0) ? Value(0) : beta * lower.at(i, j);
}

// C = alpha op(A) op(B) + beta C of one triangle. An upper one is the lower one of C^T = op(B)^T op(A)^T; the memory of A is that of A^T in
// the other layout, and op(A)^T = op(A^T).
template <typename Value>
void multiply_in_triangle(FactorisationContext &products, Triangle triangle, Value alpha, const Factor<Value> &a,
                          const Factor<Value> &b, Value beta, const Part<Value> &c)
{
    if (triangle == Triangle::upper)
        return multiply_in_triangle(products, Triangle::lower, alpha, {b.part.transposed(), b.transpose},
                                    {a.part.transposed(), a.transpose}, beta, c.transposed());
    if (alpha == Value(0) || a.columns() == 0) return products.change([&] { scale_triangle(beta, c); });
    recursive::multiply_to_triangle(products, alpha, a, b, beta, c);
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
    const auto k = call.alpha == Coefficient(0) ? 0 : call.k;
    // A that is not read may be null: it has no columns then.
    const HostMatrix factor{c.type,  c.row_major, plain ? c.rows : k, plain ? k : c.rows, const_cast<void *>(call.a),
                            call.lda};
    const OperationTask task{
        call.hermitian ? "herk" : "syrk", text(sizes_of(c), ", k ", call.k), update_flops(c, k), {factor, c}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        if (c.rows == 0) return;
        update_triangle(products, call.triangle, {call.hermitian, call.transpose_a}, value_of<Value>(call.alpha),
                        part_of<Value>(factor), value_of<Value>(call.beta), part_of<Value>(c));
    });
}

void trsm(DeviceGroup &devices, const TrsmCall &call, const Options &options, Report &report)
{
    const auto &b = call.b;
    const auto n = call.side == Side::left ? b.rows : b.columns;
    const HostMatrix triangle{b.type, b.row_major, n, n, const_cast<void *>(call.a), call.lda};
    const OperationTask task{"trsm", sizes_of(b), call.alpha == Coefficient(0) ? 0 : solve_flops(b, n), {triangle, b}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        const auto x = part_of<Value>(b);
        if (x.is_empty()) return;
        const auto alpha = value_of<Value>(call.alpha);
        if (alpha != Value(1)) products.change([&] { scale(alpha, x); });
        if (alpha != Value(0))
            solve_triangle(products, call.side, {call.triangle, call.transpose_a, call.unit_diagonal},
                           part_of<Value>(triangle), x);
    });
}

void trmm(DeviceGroup &devices, const TrsmCall &call, const Options &options, Report &report)
{
    const auto &b = call.b;
    const bool left = call.side == Side::left;
    const auto n = left ? b.rows : b.columns;
    const auto turned = left ? b : transposed(b);
    const auto triangle = read_only(b, n, n, call.a, call.lda);
    const OperationTask task{"trmm", sizes_of(b), call.alpha == Coefficient(0) ? 0 : solve_flops(b, n), {triangle, b}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        const auto x = part_of<Value>(turned), a = part_of<Value>(triangle);
        if (x.is_empty()) return;
        const auto alpha = value_of<Value>(call.alpha);
        if (alpha != Value(1)) products.change([&] { scale(alpha, x); });
        const TrsmShape shape{left ? call.triangle : opposite_of(call.triangle), call.transpose_a, call.unit_diagonal};
        if (alpha != Value(0)) recursive::multiply_triangle(products, shape, left ? a : a.transposed(), x);
    });
}

// B A is (A^T B^T)^T; A^T is symmetric or Hermitian as A, and its memory has the opposite triangle.
void symm(DeviceGroup &devices, const SymmCall &call, const Options &options, Report &report)
{
    const auto &c = call.c;
    const bool left = call.side == Side::left;
    const auto n = left ? c.rows : c.columns;
    const auto turned = left ? c : transposed(c);
    const auto matrix = read_only(c, n, n, call.a, call.lda), other = read_only(c, c.rows, c.columns, call.b, call.ldb);
    const OperationTask task{call.hermitian ? "hemm" : "symm",
                             sizes_of(c),
                             call.alpha == Coefficient(0) ? 0 : 2 * solve_flops(c, n),
                             {matrix, other, c}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        const auto a = part_of<Value>(matrix), b = part_of<Value>(other), result = part_of<Value>(turned);
        const auto alpha = value_of<Value>(call.alpha), beta = value_of<Value>(call.beta);
        if (alpha == Value(0)) return products.change([&] { scale(beta, result); });
        recursive::multiply_symmetric(products, {left ? call.triangle : opposite_of(call.triangle), call.hermitian},
                                      alpha, left ? a : a.transposed(), left ? b : b.transposed(), beta, result);
    });
}

void gemmt(DeviceGroup &devices, const GemmtCall &call, const Options &options, Report &report)
{
    const auto &c = call.c;
    const auto a = factor_of(c, call.transpose_a, c.rows, call.k, call.a, call.lda),
               b = factor_of(c, call.transpose_b, call.k, c.rows, call.b, call.ldb);
    const auto k = call.alpha == Coefficient(0) ? 0 : call.k;
    const OperationTask task{"gemmt", text(sizes_of(c), ", k ", call.k), update_flops(c, k), {a, b, c}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        multiply_in_triangle<Value>(products, call.triangle, value_of<Value>(call.alpha),
                                    {part_of<Value>(a), call.transpose_a}, {part_of<Value>(b), call.transpose_b},
                                    value_of<Value>(call.beta), part_of<Value>(c));
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
    const bool is_nothing = call.alpha == Coefficient(0) || call.k == 0;
    const OperationTask task{hermitian ? "her2k" : "syr2k",
                             text(sizes_of(c), ", k ", call.k),
                             2 * update_flops(c, is_nothing ? 0 : call.k),
                             {a, b, c}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        const auto first = part_of<Value>(a), second = part_of<Value>(b), result = part_of<Value>(c);
        const auto beta = value_of<Value>(call.beta);
        const auto add = [&](Coefficient alpha, const Part<Value> &left, const Part<Value> &right, Value old) {
            multiply_in_triangle<Value>(products, call.triangle, value_of<Value>(alpha), {left, op},
                                        {right, op_of_second}, old, result);
        };
        if (is_nothing && beta == Value(1)) return;
        add(call.alpha, first, second, beta);
        if (!is_nothing) add(hermitian ? std::conj(call.alpha) : call.alpha, second, first, Value(1));
        products.change([&] {
            for (std::int64_t k = 0; hermitian && k < result.rows; ++k) result.at(k, k) = std::real(result.at(k, k));
        });
    });
}

void gemm_strided_batched(DeviceGroup &devices, const GemmBatch &batch, const Options &options, Report &report)
{
    const auto &call = batch.first;
    const HostMatrix c{call.type, call.row_major, call.m, call.n, call.c, call.ldc};
    const auto a = factor_of(c, call.transpose_a, call.m, call.k, call.a, call.lda),
               b = factor_of(c, call.transpose_b, call.k, call.n, call.b, call.ldb);
    const bool is_nothing = call.alpha == Coefficient(0) || call.k == 0;
    const OperationTask task{"gemm_strided_batched",
                             text(sizes_of(c), ", k ", call.k, ", ", pluralise(batch.count, "product")),
                             static_cast<double>(batch.count) * 2 * solve_flops(c, is_nothing ? 0 : call.k),
                             {a, b, c}};
    reported(devices, task, options, report, [&]<typename Value>(FactorisationContext &products) {
        const auto alpha = value_of<Value>(call.alpha), beta = value_of<Value>(call.beta);
        const auto at = [](const HostMatrix &matrix, std::int64_t elements) {
            auto part = part_of<Value>(matrix);
            if (!part.is_empty() && part.data != nullptr) part.data += elements;
            return part;
        };
        products.repeat(batch.count, [&](std::int64_t i) {
            const auto result = at(c, i * batch.stride_c);
            if (is_nothing) return products.change([&] { scale(beta, result); });
            products.multiply<Value>(alpha, {at(a, i * batch.stride_a), call.transpose_a},
                                     {at(b, i * batch.stride_b), call.transpose_b}, beta, result);
        });
    });
}

} // namespace hpart
