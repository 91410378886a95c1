#include "problem.hpp"

#include "core/text.hpp"
#include "unit/factorisations/store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gemm_test
{

using factor_test::Dense;
using factor_test::Store;
using hpart::Coefficient;
using hpart::GemmCall;
using hpart::Scalar;
using hpart::Transpose;

namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Memory of so many rows, or columns, of `ld` elements; it may end with the last element that counts.
Store grid(Scalar type, std::int64_t stored, std::int64_t ld, const std::vector<char> &memory)
{
    Store out(type, true, stored, ld, 0);
    if (!memory.empty()) std::memcpy(out.matrix().data, memory.data(), memory.size());
    return out;
}

Dense matrix_in(const std::vector<char> &memory, const GemmCall &call, std::int64_t rows, std::int64_t columns,
                std::int64_t ld)
{
    const auto numbers = grid(call.type, call.row_major ? rows : columns, ld, memory);
    Dense dense(rows, columns);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            dense.at(i, j) = call.row_major ? numbers.get(i, j) : numbers.get(j, i);
    return dense;
}

// |error| <= 4 (k + 2) eps (|alpha| |A||B| + |beta| |C|) with elements of modulus at most sqrt(2).
double bound(const GemmCall &call)
{
    const auto k = static_cast<double>(call.k);
    return 4 * (k + 2) * factor_test::epsilon(call.type) * (2 * std::abs(call.alpha) * k + 2 * std::abs(call.beta)) +
           1e-300;
}

std::string difference(std::int64_t i, std::int64_t j, Coefficient is, Coefficient should, double allowed)
{
    return hpart::text("element (", i, ", ", j, ") is ", is.real(), " + ", is.imag(), "i, should be ", should.real(),
                       " + ", should.imag(), "i, within ", allowed);
}

// Near the sides of blocks and vectors.
std::int64_t any_size(Random &random, std::int64_t largest)
{
    return factor_test::any_size(random, largest, std::int64_t{8} << between(random, 0, 4));
}

Coefficient any_coefficient(Random &random, bool complex)
{
    switch (between(random, 0, 3)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    default: return Coefficient(0.5, complex ? -0.75 : 0);
    }
}

std::int64_t ld_of(std::int64_t rows, std::int64_t columns, bool swapped, std::int64_t gap)
{
    return std::max<std::int64_t>(1, swapped ? rows : columns) + gap;
}

} // namespace

Form any_form(Random &random, std::int64_t largest)
{
    Form form;
    form.type = static_cast<Scalar>(between(random, 0, 3));
    form.row_major = between(random, 0, 1) == 0;
    form.transpose_a = static_cast<Transpose>(between(random, 0, 2));
    form.transpose_b = static_cast<Transpose>(between(random, 0, 2));
    form.m = any_size(random, largest);
    form.n = any_size(random, largest);
    form.k = any_size(random, largest);
    const bool complex = hpart::is_complex(form.type);
    form.alpha = between(random, 0, 9) == 0 ? 0 : any_coefficient(random, complex);
    form.beta = any_coefficient(random, complex);
    form.gap_a = factor_test::any_gap(random);
    form.gap_b = factor_test::any_gap(random);
    form.gap_c = factor_test::any_gap(random);
    return form;
}

std::string describe(const Form &form)
{
    return hpart::text("type ", "sdcz"[static_cast<int>(form.type)], form.row_major ? " row" : " column", "-major op ",
                       static_cast<int>(form.transpose_a), static_cast<int>(form.transpose_b), " m ", form.m, " n ",
                       form.n, " k ", form.k, " alpha ", form.alpha.real(), "+", form.alpha.imag(), "i beta ",
                       form.beta.real(), "+", form.beta.imag(), "i gaps ", form.gap_a, " ", form.gap_b, " ",
                       form.gap_c);
}

Problem::Problem(const Form &form, Random &random) : form_(form), call_(form)
{
    const bool complex = hpart::is_complex(form.type);
    const bool a_swapped = (form.transpose_a == Transpose::none) != form.row_major,
               b_swapped = (form.transpose_b == Transpose::none) != form.row_major, c_swapped = !form.row_major;
    const auto fill = [&](std::int64_t rows, std::int64_t columns, bool swapped, std::int64_t ld, bool values) {
        const auto stored = swapped ? columns : rows, length = swapped ? rows : columns;
        // The caller's memory ends with the last element.
        const auto elements = stored == 0 || length == 0 ? 0 : (stored - 1) * ld + length;
        Store numbers(form.type, true, stored, ld, 0);
        for (std::int64_t i = 0; i < stored; ++i)
            for (std::int64_t j = 0; j < ld; ++j)
                numbers.set(i, j,
                            values && j < length ? factor_test::any_number(form.type, random)
                                                 : Coefficient(nan, complex ? nan : 0));
        const auto *const first = static_cast<const char *>(numbers.matrix().data);
        return std::vector<char>(first, first + elements * hpart::bytes_of(form.type));
    };
    call_.lda = ld_of(form.m, form.k, a_swapped, form.gap_a);
    call_.ldb = ld_of(form.k, form.n, b_swapped, form.gap_b);
    call_.ldc = ld_of(form.m, form.n, c_swapped, form.gap_c);
    const bool reads = form.alpha != Coefficient(0);
    a_ = fill(form.m, form.k, a_swapped, call_.lda, reads);
    b_ = fill(form.k, form.n, b_swapped, call_.ldb, reads);
    c_ = fill(form.m, form.n, c_swapped, call_.ldc, form.beta != Coefficient(0));
    c_before_ = c_;
    call_.a = a_.data();
    call_.b = b_.data();
    call_.c = c_.data();
}

std::string Problem::check() const
{
    const auto stored = call_.row_major ? call_.m : call_.n, length = call_.row_major ? call_.n : call_.m;
    const auto bytes = hpart::bytes_of(call_.type);
    for (std::int64_t i = 0; i + 1 < stored && length > 0; ++i) {
        const auto first = static_cast<std::size_t>((i * call_.ldc + length) * bytes),
                   count = static_cast<std::size_t>((call_.ldc - length) * bytes);
        if (std::memcmp(c_.data() + first, c_before_.data() + first, count) != 0)
            return hpart::text("what lies behind row or column ", i, " of C was changed");
    }
    Dense product(call_.m, call_.n);
    if (call_.alpha != Coefficient(0)) {
        const bool a_is_plain = call_.transpose_a == Transpose::none, b_is_plain = call_.transpose_b == Transpose::none;
        const auto a = a_is_plain ? matrix_in(a_, call_, call_.m, call_.k, call_.lda)
                                  : matrix_in(a_, call_, call_.k, call_.m, call_.lda),
                   b = b_is_plain ? matrix_in(b_, call_, call_.k, call_.n, call_.ldb)
                                  : matrix_in(b_, call_, call_.n, call_.k, call_.ldb);
        product = factor_test::product(a, call_.transpose_a, b, call_.transpose_b);
    }
    const auto after = matrix_in(c_, call_, call_.m, call_.n, call_.ldc),
               before = matrix_in(c_before_, call_, call_.m, call_.n, call_.ldc);
    const auto allowed = bound(call_);
    for (std::int64_t i = 0; i < call_.m; ++i)
        for (std::int64_t j = 0; j < call_.n; ++j) {
            auto should = call_.alpha * product.at(i, j);
            if (call_.beta != Coefficient(0)) should += call_.beta * before.at(i, j);
            if (!(std::abs(after.at(i, j) - should) <= allowed))
                return difference(i, j, after.at(i, j), should, allowed);
        }
    return "";
}

} // namespace gemm_test
