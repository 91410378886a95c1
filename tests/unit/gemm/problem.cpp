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
using hpart::Coefficient;
using hpart::GemmCall;
using hpart::Scalar;
using hpart::Transpose;

namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A matrix as the BLAS describes it: element (i, j) is at i * row + j * column.
struct View {
    Scalar type;
    char *data;
    std::int64_t row, column;

    Coefficient at(std::int64_t i, std::int64_t j) const
    {
        const auto *const element = data + (i * row + j * column) * hpart::bytes_of(type);
        return load(element);
    }
    void set(std::int64_t i, std::int64_t j, Coefficient value) const
    {
        auto *const element = data + (i * row + j * column) * hpart::bytes_of(type);
        const double d[] = {value.real(), value.imag()};
        const float f[] = {static_cast<float>(d[0]), static_cast<float>(d[1])};
        std::memcpy(element, hpart::is_double(type) ? static_cast<const void *>(d) : f,
                    static_cast<std::size_t>(hpart::bytes_of(type)));
    }

  private:
    Coefficient load(const char *element) const
    {
        const auto bytes = static_cast<std::size_t>(hpart::bytes_of(type));
        if (hpart::is_double(type)) {
            double d[2] = {0, 0};
            std::memcpy(d, element, bytes);
            return {d[0], d[1]};
        }
        float f[2] = {0, 0};
        std::memcpy(f, element, bytes);
        return {f[0], f[1]};
    }
};

View view(Scalar type, const void *data, std::int64_t ld, bool row_major)
{
    return {type, static_cast<char *>(const_cast<void *>(data)), row_major ? ld : 1, row_major ? 1 : ld};
}

// op(A) or op(B) of so many rows and columns.
Dense operand(const View &stored, Transpose transpose, std::int64_t rows, std::int64_t columns)
{
    Dense dense(rows, columns);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            const auto value = transpose == Transpose::none ? stored.at(i, j) : stored.at(j, i);
            dense.at(i, j) = transpose == Transpose::conjugate ? std::conj(value) : value;
        }
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

std::string check_elements(const GemmCall &call, const View &before, const View &after)
{
    Dense product(call.m, call.n);
    if (call.alpha != Coefficient(0))
        product = factor_test::product(
            operand(view(call.type, call.a, call.lda, call.row_major), call.transpose_a, call.m, call.k),
            operand(view(call.type, call.b, call.ldb, call.row_major), call.transpose_b, call.k, call.n));
    const auto allowed = bound(call);
    for (std::int64_t i = 0; i < call.m; ++i)
        for (std::int64_t j = 0; j < call.n; ++j) {
            auto should = call.alpha * product.at(i, j);
            if (call.beta != Coefficient(0)) should += call.beta * before.at(i, j);
            const auto is = after.at(i, j);
            if (!(std::abs(is - should) <= allowed)) return difference(i, j, is, should, allowed);
        }
    return "";
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
        std::vector<char> memory(static_cast<std::size_t>(elements * hpart::bytes_of(form.type)));
        const View v{form.type, memory.data(), ld, 1};
        for (std::int64_t i = 0; i < stored; ++i)
            for (std::int64_t j = 0; j < (i + 1 < stored ? ld : length) && elements > 0; ++j)
                v.set(i, j,
                      values && j < length ? factor_test::any_number(form.type, random)
                                           : Coefficient(nan, complex ? nan : 0));
        return memory;
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
    const auto after = view(call_.type, c_.data(), call_.ldc, call_.row_major),
               before = view(call_.type, c_before_.data(), call_.ldc, call_.row_major);
    const auto stored = call_.row_major ? call_.m : call_.n, length = call_.row_major ? call_.n : call_.m;
    const auto bytes = hpart::bytes_of(call_.type);
    for (std::int64_t i = 0; i + 1 < stored && length > 0; ++i) {
        const auto first = static_cast<std::size_t>((i * call_.ldc + length) * bytes),
                   count = static_cast<std::size_t>((call_.ldc - length) * bytes);
        if (std::memcmp(c_.data() + first, c_before_.data() + first, count) != 0)
            return hpart::text("what lies behind row or column ", i, " of C was changed");
    }
    return check_elements(call_, before, after);
}

} // namespace gemm_test
