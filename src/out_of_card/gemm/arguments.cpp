#include "out_of_card/gemm/arguments.hpp"
#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/pluralise.hpp"
#include "out_of_card/gemm/host_gemm.hpp"

#include <algorithm>
#include <utility>

namespace hpart
{

namespace
{

void check_size(const char *name, std::int64_t value)
{
    if (value < 0) fail_argument(name, " is ", value, "; it must not be negative");
}

// `stored` rows of `length` elements each (columns of them where the matrix is column-major).
void check_matrix(const char *name, const void *data, std::int64_t stored, std::int64_t length, std::int64_t ld,
                  Scalar type, bool row_major)
{
    const auto least = std::max<std::int64_t>(1, length);
    if (ld < least)
        fail_argument("ld", name, " is ", ld, "; it must be at least ", least, ", the length of a ",
                      row_major ? "row" : "column", " of ", name);
    if (stored == 0 || length == 0) return;
    if (data == nullptr) fail_argument(name, " is null; it must be a matrix of ", stored, " x ", length);
    if (!checked_mul(saturating_mul(stored, ld), bytes_of(type)))
        fail_argument("ld", name, " is ", ld, "; a matrix of ", stored, " times as much is beyond any memory");
}

void check_vector(const char *name, const void *data, std::int64_t length, std::int64_t increment)
{
    if (increment == 0) fail_argument("inc", name, " is 0; it must be the distance between elements of ", name);
    if (length > 0 && data == nullptr)
        fail_argument(name, " is null; it must be a vector of ", pluralise(length, "element"));
}

// As stored: rows (or, column-major, columns), and how long they are.
std::pair<std::int64_t, std::int64_t> stored(std::int64_t rows, std::int64_t columns, Transpose transpose,
                                             bool row_major)
{
    const bool as_given = (transpose == Transpose::none) == row_major;
    return as_given ? std::pair(rows, columns) : std::pair(columns, rows);
}

} // namespace

void check_arguments(const GemmCall &call)
{
    check_size("m", call.m);
    check_size("n", call.n);
    check_size("k", call.k);
    const bool reads_operands = call.alpha != Coefficient(0) && call.m > 0 && call.n > 0;
    const auto [a_rows, a_length] = stored(call.m, call.k, call.transpose_a, call.row_major);
    const auto [b_rows, b_length] = stored(call.k, call.n, call.transpose_b, call.row_major);
    const auto [c_rows, c_length] = stored(call.m, call.n, Transpose::none, call.row_major);
    check_matrix("a", call.a, reads_operands ? a_rows : 0, a_length, call.lda, call.type, call.row_major);
    check_matrix("b", call.b, reads_operands ? b_rows : 0, b_length, call.ldb, call.type, call.row_major);
    check_matrix("c", call.c, c_rows, c_length, call.ldc, call.type, call.row_major);
}

void check_arguments(const GemvCall &call)
{
    check_size("m", call.m);
    check_size("n", call.n);
    const bool reads_operands = call.alpha != Coefficient(0) && call.m > 0 && call.n > 0;
    const auto [rows, length] = stored(call.m, call.n, Transpose::none, call.row_major);
    const auto outer = call.transpose_a == Transpose::none ? call.m : call.n,
               inner = call.transpose_a == Transpose::none ? call.n : call.m;
    check_matrix("a", call.a, reads_operands ? rows : 0, length, call.lda, call.type, call.row_major);
    check_vector("x", call.x, reads_operands ? inner : 0, call.incx);
    check_vector("y", call.y, outer, call.incy);
}

bool done_without_operands(const GemmCall &call)
{
    if (call.k > 0 && call.m > 0 && call.n > 0 && call.alpha != Coefficient(0)) return false;
    const auto [rows, length] = stored(call.m, call.n, Transpose::none, call.row_major);
    scale_on_host(call.type, call.beta, call.c, rows, length, call.ldc);
    return true;
}

bool done_without_operands(const GemvCall &call)
{
    if (call.m > 0 && call.n > 0 && call.alpha != Coefficient(0)) return false;
    const auto outer = call.transpose_a == Transpose::none ? call.m : call.n;
    scale_on_host(call.type, call.beta, call.y, outer, 1, std::abs(call.incy));
    return true;
}

GemmCall as_row_major(const GemmCall &call)
{
    if (call.row_major) return call;
    auto exchanged = call;
    exchanged.row_major = true;
    std::swap(exchanged.m, exchanged.n);
    std::swap(exchanged.a, exchanged.b);
    std::swap(exchanged.lda, exchanged.ldb);
    std::swap(exchanged.transpose_a, exchanged.transpose_b);
    return exchanged;
}

} // namespace hpart
