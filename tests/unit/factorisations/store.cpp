#include "store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <cblas.h>

namespace factor_test
{

using hpart::Scalar;
using hpart::Transpose;
using hpart::Triangle;

namespace
{

constexpr char guard = 0x5b;
constexpr std::int64_t guard_elements = 8;

CBLAS_TRANSPOSE cblas(Transpose transpose)
{
    constexpr CBLAS_TRANSPOSE of[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
    return of[static_cast<int>(transpose)];
}

template <typename Value> Value load(const char *place)
{
    Value value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

template <typename Value> void store(char *place, Value value) { std::memcpy(place, &value, sizeof value); }

} // namespace

Dense::Dense(std::int64_t rows_, std::int64_t columns_)
    : rows(rows_), columns(columns_), values(static_cast<std::size_t>(rows_ * columns_))
{
}

Dense Dense::block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const
{
    Dense out(block_rows, block_columns);
    for (std::int64_t q = 0; q < block_columns; ++q)
        for (std::int64_t p = 0; p < block_rows; ++p) out.at(p, q) = at(i + p, j + q);
    return out;
}

Number any_number(Scalar type, Random &random)
{
    const auto first = support::real_between(random, -1, 1);
    return {first, hpart::is_complex(type) ? support::real_between(random, -1, 1) : 0.0};
}

Dense any_dense(Scalar type, std::int64_t rows, std::int64_t columns, Random &random)
{
    Dense out(rows, columns);
    for (auto &value : out.values) value = any_number(type, random);
    return out;
}

Dense identity(std::int64_t n)
{
    Dense out(n, n);
    for (std::int64_t k = 0; k < n; ++k) out.at(k, k) = 1;
    return out;
}

Dense product(const Dense &a, Transpose transpose_a, const Dense &b, Transpose transpose_b)
{
    const auto m = transpose_a == Transpose::none ? a.rows : a.columns,
               k = transpose_a == Transpose::none ? a.columns : a.rows,
               n = transpose_b == Transpose::none ? b.columns : b.rows;
    Dense c(m, n);
    const Number one = 1, zero = 0;
    const auto at_least_one = [](std::int64_t value) { return static_cast<int>(std::max<std::int64_t>(1, value)); };
    if (m > 0 && n > 0 && k > 0)
        cblas_zgemm(CblasColMajor, cblas(transpose_a), cblas(transpose_b), static_cast<int>(m), static_cast<int>(n),
                    static_cast<int>(k), &one, a.values.data(), at_least_one(a.rows), b.values.data(),
                    at_least_one(b.rows), &zero, c.values.data(), at_least_one(m));
    return c;
}

Dense transposed(const Dense &a, Transpose transpose)
{
    if (transpose == Transpose::none) return a;
    Dense out(a.columns, a.rows);
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.rows; ++i)
            out.at(j, i) = transpose == Transpose::conjugate ? std::conj(a.at(i, j)) : a.at(i, j);
    return out;
}

Dense sum(const Dense &a, Number factor, const Dense &b)
{
    Dense out = a;
    for (std::size_t k = 0; k < out.values.size(); ++k) out.values[k] += factor * b.values[k];
    return out;
}

double norm(const Dense &a)
{
    double squares = 0;
    for (const auto &value : a.values) squares += std::norm(value);
    return std::sqrt(squares);
}

Dense triangle_of(const Dense &a, Triangle triangle, bool unit_diagonal)
{
    Dense out(a.rows, a.columns);
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.rows; ++i)
            if (triangle == Triangle::lower ? i >= j : i <= j) out.at(i, j) = i == j && unit_diagonal ? 1 : a.at(i, j);
    return out;
}

Dense q_of(const Dense &factors, const Dense &tau)
{
    auto q = identity(factors.rows);
    for (auto k = tau.rows - 1; k >= 0; --k) {
        Dense v(factors.rows, 1);
        v.at(k, 0) = 1;
        for (auto i = k + 1; i < factors.rows; ++i) v.at(i, 0) = factors.at(i, k);
        q = sum(q, -tau.at(k, 0), product(v, product(v, Transpose::conjugate, q, Transpose::none)));
    }
    return q;
}

double epsilon(Scalar type)
{
    return hpart::is_double(type) ? std::numeric_limits<double>::epsilon()
                                  : static_cast<double>(std::numeric_limits<float>::epsilon());
}

Store::Store(Scalar type, bool row_major, std::int64_t rows, std::int64_t columns, std::int64_t gap)
    : type_(type), row_major_(row_major), rows_(rows), columns_(columns),
      ld_(std::max<std::int64_t>(1, (row_major ? columns : rows) + gap)),
      bytes_(
          static_cast<std::size_t>(((row_major ? rows : columns) * ld_ + 2 * guard_elements) * hpart::bytes_of(type)),
          guard)
{
    assign(Dense(rows, columns));
}

Store::Store(Scalar type, bool row_major, const Dense &values, std::int64_t gap)
    : Store(type, row_major, values.rows, values.columns, gap)
{
    assign(values);
}

hpart::HostMatrix Store::matrix()
{
    return {type_, row_major_, rows_, columns_, bytes_.data() + guard_elements * hpart::bytes_of(type_), ld_};
}

std::int64_t Store::place(std::int64_t i, std::int64_t j) const
{
    return (guard_elements + (row_major_ ? i * ld_ + j : i + j * ld_)) * hpart::bytes_of(type_);
}

Number Store::get(std::int64_t i, std::int64_t j) const
{
    const auto *from = bytes_.data() + place(i, j);
    switch (type_) {
    case Scalar::s: return load<float>(from);
    case Scalar::d: return load<double>(from);
    case Scalar::c: return Number(load<std::complex<float>>(from));
    case Scalar::z: return load<Number>(from);
    }
    return 0;
}

void Store::set(std::int64_t i, std::int64_t j, Number value)
{
    auto *to = bytes_.data() + place(i, j);
    switch (type_) {
    case Scalar::s: return store(to, static_cast<float>(value.real()));
    case Scalar::d: return store(to, value.real());
    case Scalar::c: return store(to, std::complex<float>(value));
    case Scalar::z: return store(to, value);
    }
}

Dense Store::dense() const
{
    Dense out(rows_, columns_);
    for (std::int64_t j = 0; j < columns_; ++j)
        for (std::int64_t i = 0; i < rows_; ++i) out.at(i, j) = get(i, j);
    return out;
}

void Store::assign(const Dense &values)
{
    for (std::int64_t j = 0; j < columns_; ++j)
        for (std::int64_t i = 0; i < rows_; ++i) set(i, j, values.at(i, j));
}

bool Store::guards_are_whole() const
{
    auto others = bytes_;
    const auto width = static_cast<std::size_t>(hpart::bytes_of(type_));
    for (std::int64_t j = 0; j < columns_; ++j)
        for (std::int64_t i = 0; i < rows_; ++i) std::memset(others.data() + place(i, j), guard, width);
    return std::ranges::all_of(others, [](char byte) { return byte == guard; });
}

hpart::SyrkCall update(Store &a, std::int64_t k, Store &c, Number beta)
{
    hpart::SyrkCall call;
    call.k = k;
    call.a = a.matrix().data;
    call.lda = a.matrix().ld;
    call.beta = beta;
    call.c = c.matrix();
    return call;
}

hpart::TrsmCall solution(Store &a, Store &b)
{
    hpart::TrsmCall call;
    call.a = a.matrix().data;
    call.lda = a.matrix().ld;
    call.b = b.matrix();
    return call;
}

std::int64_t any_size(Random &random, std::int64_t largest, std::int64_t width)
{
    constexpr std::int64_t primes[] = {2, 3, 5, 7, 13, 31, 61, 97, 127, 211, 307};
    const auto kind = between(random, 0, 9);
    auto size = between(random, 0, largest);
    if (kind == 0) size = between(random, 0, 2);
    if (kind == 1) size = primes[between(random, 0, static_cast<std::int64_t>(std::size(primes)) - 1)];
    if (kind <= 4 && kind > 1)
        size = width * between(random, 0, std::max<std::int64_t>(1, largest / width)) + between(random, -1, 1);
    return std::clamp<std::int64_t>(size, 0, largest);
}

Scalar any_type(Random &random) { return static_cast<Scalar>(between(random, 0, 3)); }
bool coin(Random &random) { return between(random, 0, 1) == 1; }
std::int64_t any_gap(Random &random)
{
    const auto kind = between(random, 0, 5);
    return kind < 2 ? 0 : kind == 2 ? between(random, 500, 1000) : between(random, 1, 9);
}

std::string name_of(Scalar type) { return std::string(1, "sdcz"[static_cast<int>(type)]); }

} // namespace factor_test
