#include "out_of_card/gemm/gemm.hpp"

#include <cstdlib>
#include <utility>

namespace hpart
{

namespace
{

// As stored: rows (or, column-major, columns), and how long they are.
std::pair<std::int64_t, std::int64_t> stored(std::int64_t rows, std::int64_t columns, Transpose transpose,
                                             bool row_major)
{
    const bool as_given = (transpose == Transpose::none) == row_major;
    return as_given ? std::pair(rows, columns) : std::pair(columns, rows);
}

} // namespace

bool needs_no_operands(const GemmCall &call)
{
    return call.k == 0 || call.m == 0 || call.n == 0 || call.alpha == Coefficient(0);
}

bool needs_no_operands(const GemvCall &call) { return call.m == 0 || call.n == 0 || call.alpha == Coefficient(0); }

bool done_without_operands(const GemmCall &call)
{
    if (!needs_no_operands(call)) return false;
    const auto [rows, length] = stored(call.m, call.n, Transpose::none, call.row_major);
    scale_rows(call.type, call.beta, call.c, rows, length, call.ldc);
    return true;
}

bool done_without_operands(const GemvCall &call)
{
    if (!needs_no_operands(call)) return false;
    const auto outer = call.transpose_a == Transpose::none ? call.m : call.n;
    scale_rows(call.type, call.beta, call.y, outer, 1, std::abs(call.incy));
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
