#include "backends.hpp"

#include "support/errors.hpp"
#include "support/known_device.hpp"

#include "out_of_card/devices/host_device.hpp"

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

Number any_coefficient(Scalar type, Random &random)
{
    const auto kind = between(random, 0, 4);
    return kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? -1 : any_number(type, random);
}

bool is_inside(Triangle triangle, std::int64_t i, std::int64_t j)
{
    return triangle == Triangle::lower ? i >= j : i <= j;
}

} // namespace

using TrianglesOnBackends = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, TrianglesOnBackends, testing::ValuesIn(all_backends()), name_of_backend);

TEST(Settings, SizesAboveThoseOfTheBlasLeaveAllAsItIs)
{
    constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 8;
    hpart::DeviceGroup host{{support::known_device(hpart::make_host_device(), {})}};
    std::vector<double> a{2, 1, 1, 2}, b{1, 1};
    const auto before = a;
    const hpart::HostMatrix matrix{Scalar::d, false, 2, 2, a.data(), 2}, side{Scalar::d, false, 2, 1, b.data(), beyond};
    std::vector<std::int64_t> pivots{-1, -1};
    hpart::Report report;
    support::expect_error(Status::unsupported, {"2147483656"},
                          [&] { hpart::posv(host, Triangle::lower, matrix, side, Options(), report); });
    support::expect_error(Status::unsupported, {"2147483656"},
                          [&] { hpart::gesv(host, matrix, pivots.data(), side, Options(), report); });
    hpart::TrsmCall call;
    call.b = side, call.alpha = std::nan("");
    call.a = a.data(), call.lda = 2;
    support::expect_error(Status::unsupported, {"2147483656"}, [&] { hpart::trsm(host, call, Options(), report); });
    EXPECT_EQ(a, before);
    EXPECT_EQ(b, (std::vector<double>{1, 1}));
    EXPECT_EQ(pivots.front(), -1);
}

TEST_P(TrianglesOnBackends, a_factor_times_zero_may_be_null)
{
    auto random = support::seeded(37);
    constexpr std::int64_t n = 70, k = 40;
    for (const auto transpose : {Transpose::none, Transpose::transpose}) {
        Store c(Scalar::d, true, any_dense(Scalar::d, n, n, random), 1);
        const auto before = c.dense();
        hpart::SyrkCall call;
        call.triangle = Triangle::lower, call.transpose_a = transpose, call.k = k, call.lda = n;
        call.alpha = 0, call.beta = 2, call.c = c.matrix();
        const auto outcome = run(devices_, of_width(16), [&](auto &devices, auto &options, auto &report) {
            hpart::syrk(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                ASSERT_EQ(c.get(i, j), (j <= i ? 2.0 : 1.0) * before.at(i, j)) << i << ", " << j;
    }
}

TEST_P(TrianglesOnBackends, a_beta_that_is_not_a_number_fills_the_triangle)
{
    auto random = support::seeded(34);
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const bool hermitian : {false, true})
            for (const auto triangle : {Triangle::lower, Triangle::upper})
                for (const std::int64_t k : {0, 3}) {
                    constexpr std::int64_t n = 5;
                    Store a(type, true, any_dense(type, n, k, random), 0),
                        c(type, true, any_dense(type, n, n, random), 1);
                    const auto before = c.dense();
                    auto call = update(a, k, c, std::nan(""));
                    call.hermitian = hermitian;
                    call.triangle = triangle;
                    call.transpose_a = Transpose::none;
                    const auto outcome = run(devices_, Options(), [&](auto &devices, auto &options, auto &report) {
                        hpart::syrk(devices, call, options, report);
                    });
                    ASSERT_EQ(outcome.status, Status::success) << outcome.message;
                    for (std::int64_t i = 0; i < n; ++i)
                        for (std::int64_t j = 0; j < n; ++j)
                            if (is_inside(triangle, i, j))
                                ASSERT_TRUE(std::isnan(c.get(i, j).real())) << name_of(type) << " " << i << ", " << j;
                            else
                                ASSERT_EQ(c.get(i, j), before.at(i, j));
                }
}

TEST_P(TrianglesOnBackends, products_with_the_transpose_fill_one_triangle)
{
    auto random = support::seeded(31);
    for (std::int64_t step = 0; step < how_many(0.018); ++step) {
        const auto width = step % 40 == 0 ? 0 : between(random, 1, 30);
        const auto n = any_size(random, step % 40 == 0 ? 300 : 90, 16), k = any_size(random, 120, 16);
        const auto type = any_type(random);
        const bool row_major = coin(random), hermitian = coin(random);
        const auto turned = hermitian ? Transpose::conjugate : Transpose::transpose;
        hpart::SyrkCall call;
        call.triangle = coin(random) ? Triangle::lower : Triangle::upper;
        call.transpose_a = coin(random) ? Transpose::none : turned;
        call.k = k;
        call.hermitian = hermitian;
        call.alpha = any_coefficient(hermitian ? Scalar::d : type, random);
        call.beta = any_coefficient(hermitian ? Scalar::d : type, random);
        const bool plain = call.transpose_a == Transpose::none;
        Store a(type, row_major, plain ? any_dense(type, n, k, random) : any_dense(type, k, n, random),
                any_gap(random));
        auto values = any_dense(type, n, n, random);
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < n; ++i) {
                if (hermitian && i == j) values.at(i, j) = values.at(i, j).real();
                if (!is_inside(call.triangle, i, j) || call.beta == 0.0) values.at(i, j) = std::nan("");
            }
        Store c(type, row_major, values, any_gap(random));
        const auto before = c.dense();
        call.a = a.matrix().data;
        call.lda = a.matrix().ld;
        call.c = c.matrix();
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::syrk(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto x = a.dense();
        const auto square = plain ? product(x, Transpose::none, x, turned) : product(x, turned, x, Transpose::none);
        const auto bound = 4 * (static_cast<double>(k) + 2) * epsilon(type) * 2 * (static_cast<double>(k) + 1);
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < n; ++i) {
                const auto is = c.get(i, j);
                if (!is_inside(call.triangle, i, j)) {
                    ASSERT_TRUE(std::isnan(is.real()));
                    continue;
                }
                const auto old = call.beta == 0.0 ? Number(0) : call.beta * before.at(i, j);
                ASSERT_LE(std::abs(is - (call.alpha * square.at(i, j) + old)), bound)
                    << name_of(type) << " n " << n << " k " << k << " at " << i << ", " << j;
            }
        ASSERT_TRUE(c.guards_are_whole());
    }
}

TEST_P(TrianglesOnBackends, triangular_systems_of_every_shape_are_solved)
{
    auto random = support::seeded(32);
    for (std::int64_t step = 0; step < how_many(0.018); ++step) {
        const auto width = step % 40 == 0 ? 0 : between(random, 1, 30);
        const auto largest = step % 40 == 0 ? 300 : 80;
        const auto m = any_size(random, largest, 16), n = any_size(random, largest, 16);
        const auto type = any_type(random);
        const bool row_major = coin(random);
        hpart::TrsmCall call;
        call.side = coin(random) ? Side::left : Side::right;
        call.triangle = coin(random) ? Triangle::lower : Triangle::upper;
        call.transpose_a = static_cast<Transpose>(between(random, 0, 2));
        call.unit_diagonal = coin(random);
        call.alpha = any_coefficient(type, random);
        const auto order = call.side == Side::left ? m : n;
        // Off the diagonal so small that solutions stay of the size of B, also with the unit diagonal.
        auto values = any_dense(type, order, order, random);
        for (std::int64_t j = 0; j < order; ++j)
            for (std::int64_t i = 0; i < order; ++i) {
                if (i == j)
                    values.at(i, j) = call.unit_diagonal ? Number(std::nan("")) : values.at(i, j) + 2.0;
                else
                    values.at(i, j) = is_inside(call.triangle, i, j)
                                          ? values.at(i, j) * 2.0 / static_cast<double>(order)
                                          : Number(std::nan(""));
            }
        Store a(type, row_major, values, any_gap(random)),
            b(type, row_major, any_dense(type, m, n, random), any_gap(random));
        const auto before = b.dense();
        call.a = a.matrix().data;
        call.lda = a.matrix().ld;
        call.b = b.matrix();
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::trsm(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto op = transposed(triangle_of(a.dense(), call.triangle, call.unit_diagonal), call.transpose_a);
        const auto x = b.dense();
        const auto back = call.side == Side::left ? product(op, x) : product(x, op);
        const Dense nothing(m, n);
        ASSERT_LE(norm(sum(back, -1, sum(nothing, call.alpha, before))),
                  10 * (static_cast<double>(order) + 1) * epsilon(type) * norm(op) * norm(x))
            << name_of(type) << " " << m << " x " << n << ", width " << width;
        ASSERT_TRUE(b.guards_are_whole());
    }
}

// Products of parts that are stored by columns need other memory than those by rows: all are looked at before the first.
TEST_P(TrianglesOnBackends, the_memory_that_is_named_is_enough_and_less_changes_nothing)
{
    constexpr std::int64_t n = 260;
    auto random = support::seeded(38);
    auto values = any_dense(Scalar::z, n, n, random);
    for (std::int64_t i = 0; i < n; ++i) values.at(i, i) = 4.0 * static_cast<double>(n);
    const auto tried = [&](std::int64_t limit) {
        hpart::DeviceGroup limited;
        for (const auto &session : devices_.sessions)
            limited.sessions.push_back(
                support::known_device(std::shared_ptr<hpart::Device>(session, &session->device()), limit));
        Store a(Scalar::z, true, values, 0);
        const auto before = a.bytes();
        auto outcome = run(limited, of_width(64), [&](auto &devices, auto &of_call, auto &report) {
            hpart::potrf(devices, Triangle::lower, a.matrix(), of_call, report);
        });
        EXPECT_TRUE(outcome.status == Status::success || a.bytes() == before) << outcome.message;
        return outcome;
    };
    const auto refused = tried(100);
    ASSERT_EQ(refused.status, Status::out_of_memory);
    if (GetParam().device.name.starts_with("cuda")) return; // cuBLAS's own memory is too much already
    const auto told = support::bytes_that_would_do(refused.message);
    ASSERT_FALSE(told.empty()) << refused.message;
    const auto enough = told.front();
    for (std::int64_t percent = 72; percent < 100; percent += 9) tried(enough * percent / 100);
    EXPECT_EQ(tried(enough).status, Status::success);
}
