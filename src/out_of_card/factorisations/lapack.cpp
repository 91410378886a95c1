// The public operations of the BLAS but for gemm and gemv.

#include "out_of_card/factorisations/lapack.hpp"

#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/least_squares.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/factorisations/recursive.hpp"

#include <cmath>
#include <limits>
#include <utility>

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

// Work of the host on matrices, element by element.

namespace hpart::on_host
{

namespace
{

// The elements on and below the diagonal, by columns.
template <typename Value, typename Work> void for_lower(const Part<Value> &a, const Work &work)
{
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = j; i < a.rows; ++i) work(i, j);
}

// Whole lines of the cache are written, from so few lines of the source that a cache holds them even if they are a power of two
// apart.
template <typename Value> void copy_turned(const Part<Value> &from, const Part<Value> &to)
{
    constexpr std::int64_t cache_line = 64, at_once = cache_line / static_cast<std::int64_t>(sizeof(Value));
    constexpr std::int64_t most_pages = 512;
    const auto lines = from.lines(), length = from.line_length();
    for (std::int64_t x0 = 0; x0 < length; x0 += most_pages)
        for (std::int64_t y0 = 0; y0 < lines; y0 += at_once) {
            const auto *const source = from.data + y0 * from.ld;
            auto *const target = to.data + y0;
            const auto end = std::min(length, x0 + most_pages), count = std::min(at_once, lines - y0);
            if (count == at_once)
                for (auto x = x0; x < end; ++x)
                    for (std::int64_t y = 0; y < at_once; ++y) target[x * to.ld + y] = source[y * from.ld + x];
            else
                for (auto x = x0; x < end; ++x)
                    for (std::int64_t y = 0; y < count; ++y) target[x * to.ld + y] = source[y * from.ld + x];
        }
}

} // namespace

void copy(const HostMatrix &source, const HostMatrix &target)
{
    with_type(source.type, [&]<typename Value>() {
        const auto from = part_of<Value>(source), to = part_of<Value>(target);
        if (from.row_major != to.row_major) return copy_turned(from, to);
        for (std::int64_t k = 0; k < from.lines(); ++k) std::ranges::copy(from.line(k), to.line(k).begin());
    });
}

void copy_lower(const HostMatrix &source, const HostMatrix &target, bool hermitian)
{
    with_type(source.type, [&]<typename Value>() {
        const auto from = part_of<Value>(source), to = part_of<Value>(target);
        for_lower(from, [&](std::int64_t i, std::int64_t j) {
            to.at(i, j) = hermitian && i == j ? std::real(from.at(i, j)) : from.at(i, j);
        });
    });
}

void multiply_to_triangle(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c)
{
    const Workspace square(c.type, c.rows, c.rows, c.row_major);
    multiply(alpha, a, b, 0, square.matrix());
    with_type(c.type, [&]<typename Value>() {
        const auto s = part_of<Value>(square.matrix()), to = part_of<Value>(c);
        const auto factor = coefficient_as<Value>(beta);
        for_lower(to, [&](std::int64_t i, std::int64_t j) {
            to.at(i, j) = factor == Value(0) ? s.at(i, j) : factor * to.at(i, j) + s.at(i, j);
        });
    });
}

void scale(Coefficient factor, const HostMatrix &a)
{
    const auto lines = a.row_major ? a.rows : a.columns, length = a.row_major ? a.columns : a.rows;
    scale_rows(a.type, factor, a.data, lines, length, a.ld);
}

void scale_lower(Coefficient factor, const HostMatrix &a)
{
    if (factor == Coefficient(1)) return;
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        const auto by = coefficient_as<Value>(factor);
        for_lower(part, [&](std::int64_t i, std::int64_t j) {
            part.at(i, j) = by == Value(0) ? Value(0) : by * part.at(i, j);
        });
    });
}

void conjugate(const HostMatrix &a)
{
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        if constexpr (is_complex_type<Value>)
            for (std::int64_t k = 0; k < part.lines(); ++k)
                for (auto &value : part.line(k)) value = std::conj(value);
    });
}

void make_diagonal_real(const HostMatrix &a)
{
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        for (std::int64_t k = 0; k < a.rows; ++k) part.at(k, k) = std::real(part.at(k, k));
    });
}

void make_identity(const HostMatrix &a, std::int64_t first, std::int64_t columns)
{
    scale(0, a.block(0, first, a.rows, columns));
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        for (std::int64_t j = first; j < first + columns; ++j) part.at(j, j) = 1;
    });
}

double norm_of_rows(Triangle triangle, bool unit_diagonal, const HostMatrix &matrix)
{
    return with_type(matrix.type, [&]<typename Value>() {
        const auto a = part_of<Value>(matrix);
        const bool lower = triangle == Triangle::lower;
        double largest = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) {
            double sum = unit_diagonal ? 1 : static_cast<double>(std::abs(a.at(i, i)));
            for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : a.columns); ++j)
                sum += static_cast<double>(std::abs(a.at(i, j)));
            if (!(sum <= largest)) largest = sum; // also when it is no number
        }
        return largest;
    });
}

std::int64_t first_unusable(const HostMatrix &a)
{
    return with_type(a.type, [&]<typename Value>() -> std::int64_t {
        constexpr auto least = std::numeric_limits<Real<Value>>::min();
        const auto part = part_of<Value>(a);
        for (std::int64_t k = 0, end = std::min(a.rows, a.columns); k < end; ++k) {
            const Real<Value> real = std::abs(std::real(part.at(k, k))), imaginary = std::abs(std::imag(part.at(k, k)));
            if (std::isnan(real) || std::isnan(imaginary) || std::max(real, imaginary) < least) return k + 1;
        }
        return 0;
    });
}

void swap_rows(const HostMatrix &matrix, std::span<const std::int64_t> pivots, bool forward, std::int64_t first)
{
    const auto count = static_cast<std::int64_t>(pivots.size());
    const auto in_order = [&](const auto &exchange) {
        for (std::int64_t step = 0; step < count; ++step) {
            const auto k = forward ? step : count - 1 - step;
            const auto row = first + k, other = pivots[static_cast<std::size_t>(k)] - 1;
            if (other != row) exchange(row, other);
        }
    };
    if (matrix.is_empty() || count == 0) return;
    with_type(matrix.type, [&]<typename Value>() {
        const auto a = part_of<Value>(matrix);
        if (a.row_major)
            return in_order(
                [&](std::int64_t k, std::int64_t other) { std::ranges::swap_ranges(a.line(k), a.line(other)); });
        for (std::int64_t j = 0; j < a.columns; ++j)
            in_order([&](std::int64_t k, std::int64_t other) { std::swap(a.at(k, j), a.at(other, j)); });
    });
}

void make_v_explicit(const HostMatrix &a, const HostMatrix &v)
{
    copy(a, v);
    with_type(v.type, [&]<typename Value>() {
        const auto part = part_of<Value>(v);
        for (std::int64_t j = 0; j < v.columns; ++j) {
            for (std::int64_t i = 0; i < j; ++i) part.at(i, j) = 0;
            part.at(j, j) = 1;
        }
    });
}

void take_below_diagonal(const HostMatrix &a, const HostMatrix &to)
{
    with_type(a.type, [&]<typename Value>() {
        const auto from = part_of<Value>(a), target = part_of<Value>(to);
        for_lower(from, [&](std::int64_t i, std::int64_t j) {
            if (i > j) target.at(i, j) = std::exchange(from.at(i, j), Value(0));
        });
    });
}

void make_reflector_triangle(const HostMatrix &products, const void *tau, std::int64_t first,
                             const HostMatrix &triangle)
{
    constexpr std::int64_t least_halved = 64;
    if (const auto n = triangle.columns; n >= least_halved) { // of T1 and T2 the corner is -T1 (V1^H V2) T2
        const auto half = n / 2, rest = n - half;
        const auto t1 = triangle.block(0, 0, half, half), t2 = triangle.block(half, half, rest, rest),
                   corner = triangle.block(0, half, half, rest);
        make_reflector_triangle(products.block(0, 0, half, half), tau, first, t1);
        make_reflector_triangle(products.block(half, half, rest, rest), tau, first + half, t2);
        copy(products.block(0, half, half, rest), corner);
        scale(-1, corner);
        multiply_triangle({.triangle = Triangle::upper}, t1, corner);
        return multiply_triangle({.triangle = Triangle::lower}, t2.transposed(), corner.transposed());
    }
    with_type(triangle.type, [&]<typename Value>() {
        const auto s = part_of<Value>(products), t = part_of<Value>(triangle);
        const auto *const factors = static_cast<const Value *>(tau) + first;
        for (std::int64_t j = 0; j < t.columns; ++j) {
            for (std::int64_t i = 0; i < j; ++i) {
                Value sum = 0;
                for (std::int64_t k = i; k < j; ++k) sum += t.at(i, k) * s.at(k, j);
                t.at(i, j) = -factors[j] * sum;
            }
            t.at(j, j) = factors[j];
        }
    });
}

void take_tau(const HostMatrix &t, std::int64_t first, void *tau)
{
    with_type(t.type, [&]<typename Value>() {
        const auto part = part_of<Value>(t);
        for (std::int64_t k = 0; k < t.rows; ++k) static_cast<Value *>(tau)[first + k] = part.at(k, k);
    });
}

} // namespace hpart::on_host
