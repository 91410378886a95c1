#include "backends.hpp"

#include <array>
#include <cmath>

using namespace factor_test;
using hpart::Options;
using hpart::Scalar;
using hpart::Status;
using hpart::Transpose;
using hpart::Triangle;

namespace
{

// Positive definite, of the condition of a random matrix's square, with what the type holds.
Dense positive_definite(Scalar type, std::int64_t n, Random &random)
{
    const auto g = any_dense(type, n, n, random);
    auto a = product(g, Transpose::none, g, Transpose::conjugate);
    for (std::int64_t i = 0; i < n; ++i) a.at(i, i) = a.at(i, i).real() + 1.0;
    return a;
}

// A's triangle; in the other one what must not be read or written.
Dense with_nothing_opposite(Dense a, Triangle triangle)
{
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.rows; ++i)
            if (triangle == Triangle::lower ? i < j : i > j) a.at(i, j) = std::nan("");
    return a;
}

bool opposite_is_nothing(const Store &a, Triangle triangle)
{
    for (std::int64_t j = 0; j < a.columns(); ++j)
        for (std::int64_t i = 0; i < a.rows(); ++i)
            if ((triangle == Triangle::lower ? i < j : i > j) && !std::isnan(a.get(i, j).real())) return false;
    return true;
}

Dense remade(const Dense &factor, Triangle triangle)
{
    const auto half = triangle_of(factor, triangle);
    return triangle == Triangle::lower ? product(half, Transpose::none, half, Transpose::conjugate)
                                       : product(half, Transpose::conjugate, half, Transpose::none);
}

Outcome factor(hpart::DeviceGroup &devices, const Options &options, Triangle triangle, Store &a)
{
    return run(devices, options,
               [&](auto &on, auto &with, auto &report) { hpart::potrf(on, triangle, a.matrix(), with, report); });
}

// Rounds to the type, so that what is checked is what was given.
Dense rounded(Scalar type, const Dense &a) { return Store(type, true, a, 0).dense(); }

} // namespace

using CholeskyOnBackends = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, CholeskyOnBackends, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(CholeskyOnBackends, random_matrices_of_every_size_are_factored_within_their_triangle)
{
    auto random = support::seeded(11);
    for (std::int64_t k = 0; k < how_many(0.0072); ++k) {
        const auto width = k % 25 == 0 ? 0 : between(random, 1, 40);
        const auto n = any_size(random, k % 25 == 0 ? 400 : 100, width == 0 ? 128 : width);
        const auto type = any_type(random);
        const auto triangle = coin(random) ? Triangle::lower : Triangle::upper;
        const auto before = rounded(type, positive_definite(type, n, random));
        Store a(type, coin(random), with_nothing_opposite(before, triangle), any_gap(random));
        const auto outcome = factor(devices_, of_width(width), triangle, a);
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto wrong = norm(sum(before, -1, remade(a.dense(), triangle)));
        ASSERT_LE(wrong, 5 * static_cast<double>(n) * epsilon(type) * norm(before))
            << name_of(type) << " " << n << ", width " << width;
        ASSERT_TRUE(opposite_is_nothing(a, triangle));
        ASSERT_TRUE(a.guards_are_whole());
    }
}

TEST_P(CholeskyOnBackends, the_first_minor_that_is_not_positive_is_told)
{
    auto random = support::seeded(12);
    const std::int64_t n = 61;
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const auto triangle : {Triangle::lower, Triangle::upper})
            for (const bool row_major : {true, false}) {
                const std::array<std::int64_t, 5> minors = {0, 15, 16, n / 2,
                                                            n - 1}; // of a panel's ends and its middle
                const auto first = minors[static_cast<std::size_t>(between(random, 0, 4))];
                auto values = positive_definite(type, n, random);
                values.at(first, first) = -1;
                for (std::int64_t i = first + 1; i < n; i += 2) values.at(i, i) = -2;
                Store a(type, row_major, with_nothing_opposite(values, triangle), 1);
                const auto outcome = factor(devices_, of_width(16), triangle, a);
                ASSERT_EQ(outcome.status, Status::numerical);
                ASSERT_EQ(outcome.info(), first + 1);
                const auto factors = a.dense().block(0, 0, first, first);
                const auto good = rounded(type, values).block(0, 0, first, first);
                ASSERT_LE(norm(sum(good, -1, remade(factors, triangle))),
                          5 * static_cast<double>(n) * epsilon(type) * norm(good));
            }
}

TEST_P(CholeskyOnBackends, what_is_no_number_is_not_positive)
{
    auto random = support::seeded(13);
    for (const bool row_major : {true, false}) {
        auto values = positive_definite(Scalar::d, 80, random);
        values.at(50, 50) = std::nan("");
        Store a(Scalar::d, row_major, values, 0);
        const auto outcome = factor(devices_, of_width(16), Triangle::lower, a);
        EXPECT_EQ(outcome.status, Status::numerical);
        EXPECT_EQ(outcome.info(), 51);
    }
}

TEST_P(CholeskyOnBackends, systems_are_solved)
{
    auto random = support::seeded(14);
    for (std::int64_t k = 0; k < how_many(0.0072); ++k) {
        const auto n = any_size(random, 100, 16), right_sides = any_size(random, 60, 16);
        const auto type = any_type(random);
        const bool row_major = coin(random);
        const auto triangle = coin(random) ? Triangle::lower : Triangle::upper;
        const auto before = rounded(type, positive_definite(type, n, random));
        Store a(type, row_major, with_nothing_opposite(before, triangle), any_gap(random));
        Store b(type, row_major, any_dense(type, n, right_sides, random), any_gap(random));
        const auto right = b.dense();
        const auto outcome =
            run(devices_, of_width(between(random, 1, 40)), [&](auto &devices, auto &options, auto &report) {
                hpart::posv(devices, triangle, a.matrix(), b.matrix(), options, report);
            });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        Store again(type, row_major, right, any_gap(random));
        const auto solved =
            run(devices_, of_width(between(random, 1, 40)), [&](auto &devices, auto &options, auto &report) {
                hpart::potrs(devices, triangle, a.matrix(), again.matrix(), options, report);
            });
        ASSERT_EQ(solved.status, Status::success) << solved.message;
        for (const auto *solution : {&b, &again}) {
            const auto x = solution->dense();
            ASSERT_LE(norm(sum(right, -1, product(before, x))),
                      10 * static_cast<double>(n) * epsilon(type) * norm(before) * norm(x));
            ASSERT_TRUE(solution->guards_are_whole());
        }
        ASSERT_TRUE(opposite_is_nothing(a, triangle));
        ASSERT_TRUE(b.guards_are_whole());
    }
}
