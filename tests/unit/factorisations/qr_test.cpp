#include "backends.hpp"

#include "out_of_card/factorisations/on_host.hpp"

#include <cmath>

using namespace factor_test;
using hpart::Options;
using hpart::Scalar;
using hpart::Status;
using hpart::Transpose;
using hpart::Triangle;

namespace
{

// The residual of solutions: orthogonal to A's columns.
double least_squares_residual(const Dense &a, const Dense &x, const Dense &b)
{
    return norm(product(a, Transpose::conjugate, sum(b, -1, product(a, x)), Transpose::none));
}

} // namespace

using QrOnBackends = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, QrOnBackends, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(QrOnBackends, random_matrices_of_every_shape_are_factored)
{
    auto random = support::seeded(21);
    for (std::int64_t k = 0; k < how_many(0.0096); ++k) {
        const auto width = k % 40 == 0 ? 0 : between(random, 1, 30);
        const auto largest = k % 40 == 0 ? 300 : 80;
        const auto m = any_size(random, largest, width == 0 ? 128 : width),
                   n = any_size(random, largest, width == 0 ? 128 : width), least = std::min(m, n);
        const auto type = any_type(random);
        Store a(type, coin(random), any_dense(type, m, n, random), any_gap(random));
        Store tau(type, false, least, 1, 0);
        const auto before = a.dense();
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::geqrf(devices, a.matrix(), tau.matrix().data, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto factors = a.dense();
        const auto q = q_of(factors, tau.dense());
        const auto bound = 10 * static_cast<double>(std::max<std::int64_t>(1, m)) * epsilon(type);
        ASSERT_LE(norm(sum(product(q, Transpose::conjugate, q, Transpose::none), -1, identity(m))), bound);
        ASSERT_LE(norm(sum(product(q, triangle_of(factors, Triangle::upper)), -1, before)), bound * norm(before))
            << name_of(type) << " " << m << " x " << n << ", width " << width;
        ASSERT_TRUE(a.guards_are_whole());
        ASSERT_TRUE(tau.guards_are_whole());
    }
}

TEST_P(QrOnBackends, systems_of_every_shape_are_solved)
{
    auto random = support::seeded(22);
    for (std::int64_t k = 0; k < how_many(0.014); ++k) {
        const auto m = any_size(random, 80, 16), n = any_size(random, 80, 16), right_sides = any_size(random, 20, 16);
        const auto type = any_type(random);
        const bool row_major = coin(random);
        const auto transpose = static_cast<Transpose>(between(random, 0, 2));
        auto values = any_dense(type, m, n, random);
        for (std::int64_t i = 0; i < std::min(m, n); ++i) values.at(i, i) += 10.0; // well conditioned
        Store a(type, row_major, values, any_gap(random));
        Store b(type, row_major, any_dense(type, std::max(m, n), right_sides, random), any_gap(random));
        const auto op = transposed(a.dense(), transpose);
        const auto right = b.dense().block(0, 0, op.rows, right_sides);
        const auto outcome =
            run(devices_, of_width(between(random, 1, 30)), [&](auto &devices, auto &options, auto &report) {
                hpart::gels(devices, transpose, a.matrix(), b.matrix(), options, report);
            });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto x = b.dense().block(0, 0, op.columns, right_sides);
        const auto scale = 50 * static_cast<double>(std::max(m, n)) * epsilon(type);
        const auto size = norm(op) * norm(x) + norm(right);
        if (op.rows >= op.columns) {
            ASSERT_LE(least_squares_residual(op, x, right), scale * norm(op) * size)
                << name_of(type) << " " << m << " x " << n << " " << static_cast<int>(transpose);
        } else {
            ASSERT_LE(norm(sum(right, -1, product(op, x))), scale * size);
            // Least norm: x is in the range of op^H, so of the same norm as op^H y with op op^H y = b.
            Store normal(Scalar::z, false, product(op, Transpose::none, op, Transpose::conjugate), 0);
            Store y(Scalar::z, false, right, 0);
            std::vector<std::int64_t> pivots(static_cast<std::size_t>(op.rows));
            hpart::Report report;
            hpart::gesv(devices_, normal.matrix(), pivots.data(), y.matrix(), Options(), report);
            const auto best = product(op, Transpose::conjugate, y.dense(), Transpose::none);
            ASSERT_LE(norm(sum(x, -1, best)), 10 * scale * norm(x));
        }
        ASSERT_TRUE(a.guards_are_whole());
        ASSERT_TRUE(b.guards_are_whole());
    }
}

TEST_P(QrOnBackends, matrices_that_lack_rank_are_refused)
{
    for (const bool row_major : {true, false})
        for (const bool wide : {true, false}) {
            Dense values = wide ? Dense(3, 6) : Dense(6, 3);
            values.at(0, 0) = 1;
            values.at(2, 2) = 1;
            Store a(Scalar::d, row_major, values, 0), b(Scalar::d, row_major, 6, 2, 0);
            const auto outcome = run(devices_, Options(), [&](auto &devices, auto &options, auto &report) {
                hpart::gels(devices, Transpose::none, a.matrix(), b.matrix(), options, report);
            });
            EXPECT_EQ(outcome.status, Status::numerical);
            EXPECT_EQ(outcome.info(), 2);
        }
}

// The panel and T have other rows behind theirs in memory.
TEST(Qr, a_panel_within_a_matrix_has_the_factors_of_its_copy)
{
    auto random = support::seeded(23);
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const bool row_major : {false, true})
            for (const std::int64_t m : {7, 40, 1300}) {
                constexpr std::int64_t n = 7, gap = 5;
                const auto values = any_dense(type, m, n, random);
                Store panel(type, row_major, values, gap), alone(type, false, values, 0);
                Store t(type, row_major, n, n, gap), t_alone(type, false, n, n, 0);
                hpart::on_host::factor_qr(panel.matrix(), t.matrix());
                hpart::on_host::factor_qr(alone.matrix(), t_alone.matrix());
                const auto bound = 10 * static_cast<double>(m) * epsilon(type), size = norm(values);
                EXPECT_LE(norm(sum(panel.dense(), -1, alone.dense())), bound * size) << name_of(type) << " " << m;
                EXPECT_LE(norm(sum(t.dense(), -1, t_alone.dense())), bound * size) << name_of(type) << " " << m;
                EXPECT_TRUE(panel.guards_are_whole());
                EXPECT_TRUE(t.guards_are_whole());
                const auto factors = panel.dense();
                Dense tau(n, 1);
                for (std::int64_t k = 0; k < n; ++k) tau.at(k, 0) = t.get(k, k);
                EXPECT_LE(norm(sum(product(q_of(factors, tau), triangle_of(factors, Triangle::upper)), -1, values)),
                          bound * size);
            }
}

TEST(Qr, of_no_columns_is_done_at_any_height)
{
    constexpr std::int64_t above_blas_integers = std::int64_t{1} << 40;
    const hpart::HostMatrix a{
        .type = Scalar::d, .row_major = false, .rows = above_blas_integers, .columns = 0, .ld = above_blas_integers};
    hpart::DeviceGroup host;
    hpart::Report report;
    EXPECT_NO_THROW(hpart::geqrf(host, a, nullptr, hpart::Options{}, report));
}
