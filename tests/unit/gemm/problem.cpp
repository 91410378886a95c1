#include "problem.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gemm_test
{

using hpart::Coefficient;
using hpart::GemmCall;
using hpart::Scalar;
using hpart::Transpose;

namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Additions and multiplications; with more the product is checked through a vector.
constexpr double most_naive_work = 1e6;

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

View operand_a(const GemmCall &call)
{
    auto v = view(call.type, call.a, call.lda, call.row_major);
    if (call.transpose_a != Transpose::none) std::swap(v.row, v.column);
    return v;
}

View operand_b(const GemmCall &call)
{
    auto v = view(call.type, call.b, call.ldb, call.row_major);
    if (call.transpose_b != Transpose::none) std::swap(v.row, v.column);
    return v;
}

Coefficient element(const View &v, Transpose transpose, std::int64_t i, std::int64_t j)
{
    const auto value = v.at(i, j);
    return transpose == Transpose::conjugate ? std::conj(value) : value;
}

Coefficient any_value(Random &random, bool complex)
{
    std::uniform_real_distribution<> uniform(-1, 1);
    const double re = uniform(random);
    return {re, complex ? uniform(random) : 0.0};
}

// The product of two dense matrices of complex numbers, rows of b together.
std::vector<Coefficient> product(const GemmCall &call, const std::vector<Coefficient> &b, std::int64_t columns)
{
    const auto a = operand_a(call);
    std::vector<Coefficient> c(static_cast<std::size_t>(call.m * columns));
    for (std::int64_t i = 0; i < call.m; ++i)
        for (std::int64_t l = 0; l < call.k; ++l) {
            const auto factor = element(a, call.transpose_a, i, l);
            const auto *const from = b.data() + l * columns;
            auto *const to = c.data() + i * columns;
            for (std::int64_t j = 0; j < columns; ++j)
                to[j] += Coefficient(factor.real() * from[j].real() - factor.imag() * from[j].imag(),
                                     factor.real() * from[j].imag() + factor.imag() * from[j].real());
        }
    return c;
}

std::vector<Coefficient> dense_b(const GemmCall &call)
{
    const auto b = operand_b(call);
    std::vector<Coefficient> dense(static_cast<std::size_t>(call.k * call.n));
    for (std::int64_t l = 0; l < call.k; ++l)
        for (std::int64_t j = 0; j < call.n; ++j)
            dense[static_cast<std::size_t>(l * call.n + j)] = element(b, call.transpose_b, l, j);
    return dense;
}

std::vector<Coefficient> signs(std::int64_t count)
{
    Random random(static_cast<std::uint64_t>(count));
    std::vector<Coefficient> x(static_cast<std::size_t>(count));
    for (auto &value : x) value = between(random, 0, 1) == 0 ? -1 : 1;
    return x;
}

std::vector<Coefficient> times(const View &v, Transpose transpose, std::int64_t rows, const std::vector<Coefficient> &x)
{
    std::vector<Coefficient> y(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < x.size(); ++j)
            y[static_cast<std::size_t>(i)] += element(v, transpose, i, static_cast<std::int64_t>(j)) * x[j];
    return y;
}

// |error| <= 4 (k + 2) eps (|alpha| |A||B| + |beta| |C|) with elements of modulus at most sqrt(2).
double bound(const GemmCall &call)
{
    const double eps =
        hpart::is_double(call.type) ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    const auto k = static_cast<double>(call.k);
    return 4 * (k + 2) * eps * (2 * std::abs(call.alpha) * k + 2 * std::abs(call.beta)) + 1e-300;
}

std::string difference(std::int64_t i, std::int64_t j, Coefficient is, Coefficient should, double allowed)
{
    if (std::abs(is - should) <= allowed) return "";
    return hpart::text("element (", i, ", ", j, ") is ", is.real(), " + ", is.imag(), "i, should be ", should.real(),
                       " + ", should.imag(), "i, within ", allowed);
}

std::string check_by_elements(const GemmCall &call, const View &before, const View &after)
{
    const bool reads = call.alpha != Coefficient(0);
    const auto c = reads ? product(call, dense_b(call), call.n) : std::vector<Coefficient>();
    for (std::int64_t i = 0; i < call.m; ++i)
        for (std::int64_t j = 0; j < call.n; ++j) {
            Coefficient should = 0;
            if (reads) should += call.alpha * c[static_cast<std::size_t>(i * call.n + j)];
            if (call.beta != Coefficient(0)) should += call.beta * before.at(i, j);
            if (auto wrong = difference(i, j, after.at(i, j), should, bound(call)); !wrong.empty()) return wrong;
        }
    return "";
}

// C x = alpha A (B x) + beta C x, for x of random signs: a wrong element shows in its row.
std::string check_by_vector(const GemmCall &call, const View &before, const View &after)
{
    const auto x = signs(call.n);
    const auto is = times(after, Transpose::none, call.m, x);
    std::vector<Coefficient> abx(is.size());
    if (call.alpha != Coefficient(0))
        abx = times(operand_a(call), call.transpose_a, call.m, times(operand_b(call), call.transpose_b, call.k, x));
    const auto cx =
        call.beta == Coefficient(0) ? std::vector<Coefficient>(is.size()) : times(before, Transpose::none, call.m, x);
    for (std::size_t i = 0; i < is.size(); ++i) {
        const auto should = call.alpha * abx[i] + call.beta * cx[i];
        const auto allowed = bound(call) * static_cast<double>(call.n);
        if (auto wrong = difference(static_cast<std::int64_t>(i), -1, is[i], should, allowed); !wrong.empty())
            return wrong;
    }
    return "";
}

std::int64_t any_size(Random &random, std::int64_t largest)
{
    static constexpr std::int64_t edges[] = {0, 1, 2, 3, 7, 8, 9, 23, 24, 25, 31, 97, 127, 128, 129, 191, 193, 257};
    if (between(random, 0, 2) == 0)
        return std::min(largest, edges[between(random, 0, static_cast<std::int64_t>(std::size(edges)) - 1)]);
    return between(random, 1, largest);
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

std::int64_t any_gap(Random &random)
{
    switch (between(random, 0, 5)) {
    case 0: return 1;
    case 1: return between(random, 2, 70);
    case 2: return between(random, 0, 4) == 0 ? 3000 : 0;
    default: return 0;
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
    form.gap_a = any_gap(random);
    form.gap_b = any_gap(random);
    form.gap_c = any_gap(random);
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

Problem::Problem(const Form &form, Random &random) : form_(form)
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
                v.set(i, j, values && j < length ? any_value(random, complex) : Coefficient(nan, complex ? nan : 0));
        return memory;
    };
    call_.type = form.type;
    call_.row_major = form.row_major;
    call_.transpose_a = form.transpose_a;
    call_.transpose_b = form.transpose_b;
    call_.m = form.m;
    call_.n = form.n;
    call_.k = form.k;
    call_.alpha = form.alpha;
    call_.beta = form.beta;
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
    const auto work = static_cast<double>(call_.m) * static_cast<double>(call_.n) * static_cast<double>(call_.k);
    return work <= most_naive_work ? check_by_elements(call_, before, after) : check_by_vector(call_, before, after);
}

} // namespace gemm_test
