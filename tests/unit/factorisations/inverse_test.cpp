// Inverses by known factors, and Q of a QR factorisation: applied, and its columns.
#include "backends.hpp"

#include <cmath>

using namespace factor_test;
using hpart::Options;
using hpart::Scalar;
using hpart::Side;
using hpart::Status;
using hpart::Transpose;
using hpart::Triangle;

namespace
{

// Well conditioned, but pivots are needed.
Dense any_regular(Scalar type, std::int64_t n, support::Random &random)
{
    auto values = any_dense(type, n, n, random);
    for (std::int64_t i = 0; i < n; ++i) values.at(i, (i + 1) % n) += 4 + std::sqrt(static_cast<double>(n));
    return values;
}

Dense mirrored(const Dense &a, Triangle triangle)
{
    auto whole = triangle_of(a, triangle);
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.rows; ++i)
            if ((triangle == Triangle::lower) == (i < j) && i != j) whole.at(i, j) = std::conj(a.at(j, i));
    return whole;
}

// A matrix of k reflectors of a random matrix, and their tau.
struct Reflectors {
    Reflectors(hpart::DeviceGroup &devices, Scalar type, bool row_major, const Dense &values, std::int64_t gap)
        : a(type, row_major, values, gap), tau(type, false, std::min(values.rows, values.columns), 1, 0)
    {
        hpart::Report report;
        hpart::geqrf(devices, a.matrix(), tau.matrix().data, of_width(16), report);
    }
    Store a, tau;
};

struct Size {
    std::int64_t width, largest;
};
// Panels of the default width now and then.
Size any_width(std::int64_t k, support::Random &random)
{
    return k % 25 == 0 ? Size{0, 300} : Size{between(random, 1, 40), 90};
}

} // namespace

using Inverses = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, Inverses, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(Inverses, by_lu_are_right)
{
    auto random = support::seeded(71);
    for (std::int64_t k = 0; k < how_many(0.012); ++k) {
        const auto [width, largest] = any_width(k, random);
        const auto n = any_size(random, largest, width == 0 ? 128 : width);
        const auto type = any_type(random);
        Store a(type, coin(random), any_regular(type, n, random), any_gap(random));
        const auto before = a.dense();
        const auto lu = factor_lu(devices_, of_width(16), a);
        ASSERT_EQ(lu.outcome.status, Status::success) << lu.outcome.message;
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::getri(devices, a.matrix(), lu.pivots, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        ASSERT_EQ(outcome.info(), 0);
        const auto x = a.dense();
        ASSERT_LE(norm(sum(product(x, before), -1, identity(n))),
                  10 * static_cast<double>(n) * epsilon(type) * norm(before) * norm(x))
            << name_of(type) << " " << n << ", width " << width;
        ASSERT_TRUE(a.guards_are_whole());
    }
}

TEST_P(Inverses, by_cholesky_are_right)
{
    auto random = support::seeded(72);
    for (std::int64_t k = 0; k < how_many(0.012); ++k) {
        const auto [width, largest] = any_width(k, random);
        const auto n = any_size(random, largest, width == 0 ? 128 : width);
        const auto type = any_type(random);
        const auto triangle = coin(random) ? Triangle::lower : Triangle::upper;
        const auto opposite = triangle == Triangle::lower ? Triangle::upper : Triangle::lower;
        auto values = mirrored(any_dense(type, n, n, random), triangle);
        for (std::int64_t i = 0; i < n; ++i) values.at(i, i) = 2.0 * static_cast<double>(n);
        Store a(type, coin(random), values, any_gap(random));
        const auto before = a.dense();
        hpart::Report report;
        hpart::potrf(devices_, triangle, a.matrix(), of_width(16), report);
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &about) {
            hpart::potri(devices, triangle, a.matrix(), options, about);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto after = a.dense();
        const auto x = mirrored(after, triangle);
        ASSERT_LE(norm(sum(product(x, before), -1, identity(n))),
                  10 * static_cast<double>(n) * epsilon(type) * norm(before) * norm(x))
            << name_of(type) << " " << n << ", width " << width;
        auto others = sum(triangle_of(after, opposite), -1, triangle_of(before, opposite));
        for (std::int64_t i = 0; i < n; ++i) others.at(i, i) = 0;
        ASSERT_EQ(norm(others), 0);
        ASSERT_TRUE(a.guards_are_whole());
    }
}

TEST_P(Inverses, of_singular_matrices_are_refused_and_nothing_changes)
{
    auto random = support::seeded(73);
    auto values = any_regular(Scalar::d, 40, random);
    values.at(30, 30) = 0;
    Store a(Scalar::d, true, values, 1);
    const auto before = a.bytes();
    std::vector<std::int64_t> pivots(40, 40);
    const auto refused = [&](const auto &call) {
        const auto outcome = run(devices_, of_width(8), call);
        EXPECT_EQ(outcome.status, Status::numerical);
        EXPECT_EQ(outcome.info(), 31);
        EXPECT_NE(outcome.message.find("element 31, 31"), std::string::npos) << outcome.message;
        EXPECT_TRUE(a.bytes() == before);
    };
    refused([&](auto &devices, auto &options, auto &report) {
        hpart::getri(devices, a.matrix(), pivots, options, report);
    });
    refused([&](auto &devices, auto &options, auto &report) {
        hpart::potri(devices, Triangle::lower, a.matrix(), options, report);
    });
    pivots[7] = 41;
    const auto wrong = run(devices_, of_width(8), [&](auto &devices, auto &options, auto &report) {
        hpart::getri(devices, a.matrix(), pivots, options, report);
    });
    EXPECT_EQ(wrong.status, Status::invalid_argument);
    EXPECT_EQ(wrong.message, "pivots[7] is 41; it must be a row, from 1 to 40");
    EXPECT_TRUE(a.bytes() == before);
}

// All that depends on it, and nothing else.
TEST_P(Inverses, have_no_numbers_where_the_factors_have_none)
{
    auto random = support::seeded(74);
    for (const bool row_major : {true, false}) {
        auto values = triangle_of(any_regular(Scalar::d, 60, random), Triangle::lower);
        for (std::int64_t i = 0; i < 60; ++i) values.at(i, i) = 3;
        values.at(40, 20) = std::nan("");
        Store a(Scalar::d, row_major, values, 0);
        const auto outcome = run(devices_, of_width(16), [&](auto &devices, auto &options, auto &report) {
            hpart::potri(devices, Triangle::lower, a.matrix(), options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        EXPECT_TRUE(std::isnan(a.get(40, 20).real()));
        EXPECT_FALSE(std::isnan(a.get(50, 45).real()));
    }
}

TEST_P(Inverses, of_q_and_q_are_applied)
{
    auto random = support::seeded(75);
    for (std::int64_t k = 0; k < how_many(0.014); ++k) {
        const auto [width, largest] = any_width(k, random);
        const auto block = width == 0 ? 128 : width;
        const auto rows = any_size(random, largest, block), columns = any_size(random, largest, block);
        const auto side = coin(random) ? Side::left : Side::right;
        const auto order = side == Side::left ? rows : columns;
        const auto count = std::min(order, any_size(random, largest, block));
        const auto type = any_type(random);
        const bool row_major = coin(random);
        Reflectors factors(devices_, type, row_major, any_dense(type, order, count, random), any_gap(random));
        Store c(type, row_major, any_dense(type, rows, columns, random), any_gap(random));
        const auto before = c.dense(), q = q_of(factors.a.dense(), factors.tau.dense());
        const auto kept = factors.a.bytes();
        const auto op = coin(random) ? Transpose::none : Transpose::conjugate;
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::ormqr(devices, side, op, factors.a.matrix(), factors.tau.matrix().data, c.matrix(), options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto right =
            side == Side::left ? product(q, op, before, Transpose::none) : product(before, Transpose::none, q, op);
        const auto bound = 10 * static_cast<double>(std::max<std::int64_t>(1, order)) * epsilon(type);
        ASSERT_LE(norm(sum(c.dense(), -1, right)), bound * norm(before))
            << name_of(type) << " " << rows << " x " << columns << ", " << count << ", width " << width;
        ASSERT_TRUE(c.guards_are_whole());
        ASSERT_EQ(factors.a.bytes(), kept);
    }
}

TEST_P(Inverses, and_columns_of_q_are_orthogonal)
{
    auto random = support::seeded(76);
    for (std::int64_t k = 0; k < how_many(0.014); ++k) {
        const auto [width, largest] = any_width(k, random);
        const auto block = width == 0 ? 128 : width;
        const auto m = any_size(random, largest, block), n = std::min(m, any_size(random, largest, block)),
                   count = std::min(n, any_size(random, largest, block));
        const auto type = any_type(random);
        Reflectors factors(devices_, type, coin(random), any_dense(type, m, n, random), any_gap(random));
        const auto q = q_of(factors.a.dense(), factors.tau.dense().block(0, 0, count, 1));
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::orgqr(devices, count, factors.a.matrix(), factors.tau.matrix().data, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto bound = 10 * static_cast<double>(std::max<std::int64_t>(1, m)) * epsilon(type);
        ASSERT_LE(norm(sum(factors.a.dense(), -1, q.block(0, 0, m, n))), bound)
            << name_of(type) << " " << m << " x " << n << ", " << count << ", width " << width;
        ASSERT_TRUE(factors.a.guards_are_whole());
    }
}
