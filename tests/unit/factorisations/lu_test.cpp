#include "backends.hpp"

#include "out_of_card/devices/host_device.hpp"
#include "support/known_device.hpp"

#include <cmath>

using namespace factor_test;
using hpart::Options;
using hpart::Scalar;
using hpart::Status;
using hpart::Triangle;

namespace
{

Dense with_swapped_rows(Dense a, const std::vector<std::int64_t> &pivots)
{
    for (std::size_t k = 0; k < pivots.size(); ++k)
        for (std::int64_t j = 0; j < a.columns; ++j)
            std::swap(a.at(static_cast<std::int64_t>(k), j), a.at(pivots[k] - 1, j));
    return a;
}

// ||P A - L U|| over max(m, n) eps ||A||; infinite where the factors cannot be.
double residual(const Dense &before, const Store &after, const std::vector<std::int64_t> &pivots)
{
    for (std::size_t k = 0; k < pivots.size(); ++k)
        if (pivots[k] <= static_cast<std::int64_t>(k) || pivots[k] > before.rows) return INFINITY;
    const auto m = before.rows, n = before.columns, least = std::min(m, n);
    const auto factors = after.dense();
    const auto l = triangle_of(factors.block(0, 0, m, least), Triangle::lower, true);
    for (const auto &value : l.values)
        if (std::abs(value) > 1.5) return INFINITY; // complex pivots are the largest by |re| + |im|
    const auto u = triangle_of(factors.block(0, 0, least, n), Triangle::upper);
    const auto wrong = norm(sum(with_swapped_rows(before, pivots), -1, product(l, u)));
    const auto scale = static_cast<double>(std::max(m, n)) * epsilon(after.type()) * norm(before);
    return wrong == 0 ? 0 : wrong / scale;
}

constexpr double residual_bound = 10;

} // namespace

using LuOnBackends = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, LuOnBackends, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(LuOnBackends, random_matrices_of_every_shape_are_factored)
{
    auto random = support::seeded(1);
    for (std::int64_t k = 0; k < how_many(0.012); ++k) {
        const auto width = k % 25 == 0 ? 0 : between(random, 1, 40);
        const auto largest = k % 25 == 0 ? 400 : 100;
        const auto m = any_size(random, largest, width == 0 ? 128 : width),
                   n = any_size(random, largest, width == 0 ? 128 : width);
        const auto type = any_type(random);
        const bool row_major = coin(random);
        const auto before = Store(type, row_major, any_dense(type, m, n, random), 0).dense();
        Store a(type, row_major, before, any_gap(random));
        const auto lu = factor_lu(devices_, of_width(width), a);
        ASSERT_EQ(lu.outcome.status, Status::success) << lu.outcome.message;
        ASSERT_EQ(lu.outcome.info(), 0);
        ASSERT_LE(residual(before, a, lu.pivots), residual_bound)
            << name_of(type) << " " << m << " x " << n << ", width " << width << (row_major ? ", rows" : ", columns");
        ASSERT_TRUE(a.guards_are_whole());
    }
}

TEST_P(LuOnBackends, the_first_zero_pivot_is_told_and_the_factors_are_written)
{
    auto random = support::seeded(2);
    const std::int64_t n = 70;
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const bool row_major : {true, false})
            for (const std::int64_t zero : {std::int64_t(0), n / 2, n - 1}) {
                // Columns of small integers: rank n - 1 stays exact. The last of these columns is zero, or twice another.
                auto values = any_dense(type, n, n, random);
                for (std::int64_t i = 0; i < n; ++i) values.at(i, zero) = 0;
                Store a(type, row_major, values, 3);
                const auto before = a.dense();
                const auto lu = factor_lu(devices_, of_width(16), a);
                ASSERT_EQ(lu.outcome.status, Status::numerical);
                ASSERT_EQ(lu.outcome.info(), zero + 1);
                ASSERT_NE(lu.outcome.message.find(std::to_string(zero + 1)), std::string::npos);
                ASSERT_LE(residual(before, a, lu.pivots), residual_bound);
            }
}

TEST_P(LuOnBackends, nearly_singular_matrices_have_small_residuals)
{
    auto random = support::seeded(53);
    for (std::int64_t k = 0; k < how_many(0.0024); ++k) {
        const auto n = between(random, 3, 90);
        auto values = any_dense(Scalar::d, n, n, random);
        for (std::int64_t i = 0; i < n; ++i) values.at(i, n - 1) = values.at(i, 0) + 1e-15 * values.at(i, n / 2);
        Store a(Scalar::d, coin(random), values, 0);
        const auto before = a.dense();
        const auto lu = factor_lu(devices_, of_width(between(random, 1, 30)), a);
        ASSERT_TRUE(lu.outcome.status == Status::success || lu.outcome.status == Status::numerical)
            << lu.outcome.message;
        ASSERT_LE(residual(before, a, lu.pivots), residual_bound);
    }
}

TEST_P(LuOnBackends, what_is_no_number_hangs_nothing)
{
    for (const bool row_major : {true, false}) {
        auto random = support::seeded(3);
        auto values = any_dense(Scalar::d, 90, 90, random);
        for (const auto bad : {std::nan(""), HUGE_VAL}) {
            values.at(40, 35) = bad;
            Store a(Scalar::d, row_major, values, 0);
            const auto lu = factor_lu(devices_, of_width(16), a);
            for (std::size_t k = 0; k < lu.pivots.size(); ++k) {
                ASSERT_GT(lu.pivots[k], static_cast<std::int64_t>(k));
                ASSERT_LE(lu.pivots[k], 90);
            }
            ASSERT_TRUE(a.guards_are_whole());
        }
    }
}

TEST_P(LuOnBackends, systems_are_solved)
{
    auto random = support::seeded(4);
    for (std::int64_t k = 0; k < how_many(0.012); ++k) {
        const auto n = any_size(random, 100, 16), right_sides = any_size(random, 60, 16);
        const auto type = any_type(random);
        const bool row_major = coin(random);
        auto values = any_dense(type, n, n, random);
        for (std::int64_t i = 0; i < n; ++i) values.at(i, i) += 2.0; // far from singular, but pivots are needed
        Store a(type, row_major, values, any_gap(random));
        const auto before = a.dense();
        Store b(type, row_major, any_dense(type, n, right_sides, random), any_gap(random));
        const auto right = b.dense();
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
        const auto outcome =
            run(devices_, of_width(between(random, 1, 40)), [&](auto &devices, auto &options, auto &report) {
                hpart::gesv(devices, a.matrix(), pivots.data(), b.matrix(), options, report);
            });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        ASSERT_LE(residual(before, a, pivots), residual_bound);
        const auto x = b.dense();
        const auto wrong = norm(sum(right, -1, product(before, x)));
        ASSERT_LE(wrong, 10 * static_cast<double>(n) * epsilon(type) * norm(before) * norm(x));
        ASSERT_TRUE(b.guards_are_whole());
        Store again(type, row_major, right, any_gap(random));
        const auto op = static_cast<Transpose>(between(random, 0, 2));
        const auto factors = a.bytes();
        const auto solved =
            run(devices_, of_width(between(random, 1, 40)), [&](auto &devices, auto &options, auto &report) {
                hpart::getrs(devices, op, a.matrix(), pivots, again.matrix(), options, report);
            });
        ASSERT_EQ(solved.status, Status::success) << solved.message;
        const auto y = again.dense();
        ASSERT_LE(norm(sum(right, -1, product(transposed(before, op), y))),
                  10 * static_cast<double>(n) * epsilon(type) * norm(before) * norm(y));
        ASSERT_TRUE(again.guards_are_whole());
        ASSERT_EQ(a.bytes(), factors);
    }
}

TEST_P(LuOnBackends, singular_systems_leave_the_right_sides)
{
    Store a(Scalar::d, true, Dense(5, 5), 0);
    auto random = support::seeded(5);
    Store b(Scalar::d, true, any_dense(Scalar::d, 5, 2, random), 0);
    const auto before = b.bytes();
    std::vector<std::int64_t> pivots(5);
    const auto outcome = run(devices_, Options(), [&](auto &devices, auto &options, auto &report) {
        hpart::gesv(devices, a.matrix(), pivots.data(), b.matrix(), options, report);
    });
    EXPECT_EQ(outcome.status, Status::numerical);
    EXPECT_EQ(outcome.info(), 1);
    EXPECT_EQ(b.bytes(), before);
}

// Versions of OpenBLAS differ in what their getrf makes of such pivots; none of it may pass for a solution.
TEST_P(LuOnBackends, no_system_is_solved_with_pivots_that_are_nan_or_subnormal)
{
    auto random = support::seeded(6);
    const auto solve = [&](const Dense &values, Scalar type, bool row_major) {
        const auto n = values.rows;
        Store a(type, row_major, values, 1);
        Store b(type, row_major, any_dense(type, n, 2, random), 1);
        const auto before = b.bytes();
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
        const auto outcome = run(devices_, of_width(16), [&](auto &devices, auto &options, auto &report) {
            hpart::gesv(devices, a.matrix(), pivots.data(), b.matrix(), options, report);
        });
        EXPECT_EQ(outcome.status, Status::numerical) << name_of(type) << ", order " << n;
        EXPECT_GE(outcome.info(), 1);
        EXPECT_LE(outcome.info(), n);
        EXPECT_EQ(b.bytes(), before);
        const auto solved = run(devices_, of_width(16), [&](auto &devices, auto &options, auto &report) {
            hpart::getrs(devices, Transpose::none, a.matrix(), pivots, b.matrix(), options, report);
        });
        EXPECT_EQ(solved.status, Status::numerical) << name_of(type) << ", order " << n;
        EXPECT_EQ(b.bytes(), before);
    };
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const bool row_major : {true, false}) {
            for (const std::int64_t n : {1, 2, 10, 40, 90})
                for (const auto column : {std::int64_t(0), n / 2, n - 1}) {
                    auto values = any_dense(type, n, n, random);
                    values.at(between(random, 0, n - 1), column) = std::nan("");
                    solve(values, type, row_major);
                }
            const auto tiny = hpart::is_double(type) ? 1e-309 : 1e-39;
            for (const auto first : {0.0, 1.0}) {
                Dense values(2, 2);
                values.at(0, 0) = first * tiny;
                values.at(0, 1) = values.at(1, 0) = tiny;
                values.at(1, 1) = 2 * tiny;
                solve(values, type, row_major);
            }
        }
}

// Blocks that stay: each element goes in and out once, and the panels before a block, half of the matrix below the diagonal,
// stream past it.
TEST(LuOnACard, what_moves_is_what_was_planned)
{
    const std::int64_t n = 256, width = 16;
    for (const bool row_major : {true, false}) {
        hpart::DeviceGroup devices{{support::known_device(hpart::make_host_device(), 256 * 1024)}};
        auto random = support::seeded(6);
        Store a(Scalar::d, row_major, any_dense(Scalar::d, n, n, random), 0);
        const auto lu = factor_lu(devices, of_width(width), a);
        const auto get = [&](const char *key) { return std::get<std::int64_t>(lu.outcome.report.get(key)); };
        ASSERT_EQ(std::get<std::string>(lu.outcome.report.get("plan")), "left-looking");
        const auto resident = get("resident_width");
        ASSERT_GE(resident, 32);
        std::int64_t in = 0, out = 0;
        for (std::int64_t first = 0; first < n; first += resident) {
            const auto columns = std::min(resident, n - first);
            in += n * (first == 0 ? columns - width : columns); // the first panel is the host's
            for (std::int64_t k = 0; k + width < first + columns; k += width) {
                in += (n - k) * width;                                         // with its square
                out += width * (first + columns - std::max(first, k + width)); // of U
                if (k + width >= first) out += (n - k - width) * width;        // the next panel
            }
        }
        EXPECT_EQ(get("bytes_to_device"), 8 * in);
        EXPECT_EQ(get("bytes_from_device"), 8 * out);
        EXPECT_LE(devices.sessions.front()->most_used(), 256 * 1024);
        EXPECT_EQ(devices.sessions.front()->used(), 0);
    }
}
