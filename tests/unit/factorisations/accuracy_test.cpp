// Results beside LAPACK's, hard matrices, several devices, and what the reports tell.
#include "backends.hpp"

#include "out_of_card/factorisations/lapack.hpp"
#include "support/known_device.hpp"

#include <cblas.h>
#include <cmath>

using namespace factor_test;
using hpart::DeviceGroup;
using hpart::Options;
using hpart::Routines;
using hpart::Scalar;
using hpart::Side;
using hpart::Status;
using hpart::Transpose;
using hpart::Triangle;

namespace
{

using Accuracy = OnBackends;
// The others' sums differ in their order only.
std::vector<Backend> chosen_backends()
{
    auto backends = all_backends();
    if (!support::is_long_run()) backends.resize(1);
    return backends;
}
INSTANTIATE_TEST_SUITE_P(All, Accuracy, testing::ValuesIn(chosen_backends()), name_of_backend);

std::vector<std::int64_t> pivots_of_lapack(const Dense &a)
{
    auto values = a.values;
    std::vector<blasint> found(static_cast<std::size_t>(std::min(a.rows, a.columns)));
    Routines<std::complex<double>>::getrf(static_cast<blasint>(a.rows), static_cast<blasint>(a.columns), values.data(),
                                          static_cast<blasint>(a.rows), found.data());
    return {found.begin(), found.end()};
}

// |op(A)| |X|, by which an error of a triangular solution is bounded element by element.
Dense magnitudes(const Dense &a)
{
    auto result = a;
    for (auto &value : result.values) value = std::abs(value);
    return result;
}

void expect_small_backward_error(const Dense &op, const Dense &x, const Dense &right, double bound)
{
    const auto wrong = sum(right, -1, product(op, x));
    const auto scale = product(magnitudes(op), magnitudes(x));
    for (std::size_t k = 0; k < wrong.values.size(); ++k)
        ASSERT_LE(std::abs(wrong.values[k]), bound * std::abs(scale.values[k]) + 1e-300) << "element " << k;
}

TEST_P(Accuracy, pivots_are_those_of_lapack)
{
    auto random = support::seeded(51);
    for (std::int64_t k = 0; k < how_many(0.0072); ++k) {
        const auto width = between(random, 1, 40), m = any_size(random, 100, width), n = any_size(random, 100, width);
        const auto type = coin(random) ? Scalar::d : Scalar::z; // that roundings do not decide
        Store a(type, coin(random), any_dense(type, m, n, random), any_gap(random));
        const auto before = a.dense();
        const auto lu = factor_lu(devices_, of_width(width), a);
        ASSERT_EQ(lu.outcome.status, Status::success) << lu.outcome.message;
        ASSERT_EQ(lu.pivots, pivots_of_lapack(before))
            << name_of(type) << " " << m << " x " << n << ", width " << width;
    }
}

// Rows of sizes from 1 to 10^-12, and random triangles, whose conditions grow exponentially: by inverses of blocks alone
// errors would be of the condition.
TEST_P(Accuracy, graded_and_ill_conditioned_triangles_are_solved_with_small_backward_errors)
{
    auto random = support::seeded(52);
    for (std::int64_t k = 0; k < how_many(0.0048); ++k) {
        const auto n = between(random, 2, 90), right_sides = between(random, 1, 30), width = between(random, 8, 40);
        const bool graded = coin(random), row_major = coin(random);
        auto values = any_dense(Scalar::d, n, n, random);
        if (graded)
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                    values.at(i, j) *= std::pow(10.0, -12.0 * static_cast<double>(i) / static_cast<double>(n));
        for (std::int64_t i = 0; i < n; ++i)
            if (std::abs(values.at(i, i)) == 0) values.at(i, i) = 1;
        Store a(Scalar::d, row_major, values, 1),
            b(Scalar::d, row_major, any_dense(Scalar::d, n, right_sides, random), 2);
        const auto before = b.dense();
        auto call = solution(a, b);
        call.triangle = coin(random) ? Triangle::lower : Triangle::upper;
        call.transpose_a = static_cast<Transpose>(between(random, 0, 2));
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::trsm(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto op = transposed(triangle_of(a.dense(), call.triangle), call.transpose_a);
        // Substitution's is n; a well-conditioned block's inverse adds its condition, 32 times its width at most.
        const auto bound = 32 * static_cast<double>(n) * static_cast<double>(width) * epsilon(Scalar::d);
        expect_small_backward_error(op, b.dense(), before, bound);
        if (HasFatalFailure()) return;
    }
}

// Factors of G G^T, where G's first square has an inverse of 3e6: that inverse alone would make errors of 1e5 roundings.
TEST_P(Accuracy, ill_conditioned_squares_have_cholesky_factors_of_small_backward_errors)
{
    auto random = support::seeded(57);
    for (std::int64_t k = 0; k < how_many(0.0048); ++k) {
        const auto width = between(random, 8, 40), n = 3 * width;
        const auto step = std::pow(3e6, 1 / static_cast<double>(width)) - 1; // by which the inverse grows, a row
        auto g = triangle_of(any_dense(Scalar::d, n, n, random), Triangle::lower);
        for (std::int64_t j = 0; j < n; ++j) {
            g.at(j, j) = j < width ? 1 : 10;
            for (std::int64_t i = j + 1; i < width; ++i) g.at(i, j) = -step;
        }
        Store a(Scalar::d, coin(random), product(g, Transpose::none, g, Transpose::transpose), 1);
        const auto before = a.dense();
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            hpart::potrf(devices, Triangle::lower, a.matrix(), options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto l = triangle_of(a.dense(), Triangle::lower);
        const auto wrong = sum(before, -1, product(l, Transpose::none, l, Transpose::transpose));
        const auto size = product(magnitudes(l), Transpose::none, magnitudes(l), Transpose::transpose);
        // Substitution's is n; a well-conditioned block's inverse adds its condition, 32 times its width at most.
        const auto bound = 4 * (static_cast<double>(n) + 32 * static_cast<double>(width)) * epsilon(Scalar::d);
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = j; i < n; ++i)
                ASSERT_LE(std::abs(wrong.at(i, j)), bound * std::abs(size.at(i, j))) << i << ", " << j;
    }
}

// Widths of the library's own choice: the last panel may be wider, and rows behind it make no difference to it.
TEST_P(Accuracy, widths_that_the_model_chooses_give_the_same_factors)
{
    auto random = support::seeded(54);
    for (const auto &[m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{300, 300}, {420, 290}, {290, 420}}) {
        Store a(Scalar::d, coin(random), any_dense(Scalar::d, m, n, random), 3);
        const auto before = a.dense();
        const auto lu = factor_lu(devices_, {}, a);
        ASSERT_EQ(lu.outcome.status, Status::success) << lu.outcome.message;
        ASSERT_EQ(lu.pivots, pivots_of_lapack(before));
    }
}

TEST_P(Accuracy, what_moves_is_at_least_the_bound)
{
    auto random = support::seeded(55);
    for (std::int64_t k = 0; k < how_many(0.0048); ++k) {
        const auto n = between(random, 40, 160), width = between(random, 4, 24);
        auto a = a_matrix(n), b = a;
        const auto &operation = operations()[static_cast<std::size_t>(between(random, 0, 4))];
        const auto outcome = run(devices_, of_width(width), [&](auto &devices, auto &options, auto &report) {
            if (coin(random)) return hpart::syrk(devices, update(a, n, b), options, report); // C is not read
            operation.run(devices, options, a, b, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto *const bound = outcome.report.find("lower_bound_bytes");
        if (bound == nullptr) continue; // not on one device alone
        const auto get = [&](const char *key) { return std::get<std::int64_t>(outcome.report.get(key)); };
        const auto moved = get("bytes_to_device") + get("bytes_from_device");
        ASSERT_GE(moved, std::get<std::int64_t>(*bound)) << operation.name << ", n " << n << ", w " << width;
        ASSERT_GT(std::get<std::int64_t>(*bound), 0);
    }
}

// Two compute units of a device, and the host beside a device under a limit.
std::vector<std::pair<std::string, DeviceGroup>> teams()
{
    std::vector<std::pair<std::string, DeviceGroup>> all;
    const auto open = [&](const char *spec, std::int64_t limit) {
        try {
            all.emplace_back(spec, support::known_devices(spec, limit));
        } catch (const hpart::Error &) { // there is no such device
        }
    };
    open("opencl:0:0:0,opencl:0:0:1", 1 << 20);
    open("opencl:0:0,host", 1 << 20);
    return all;
}

TEST(SeveralDevices, do_every_factorisation)
{
    auto random = support::seeded(56);
    for (auto &[name, devices] : teams())
        for (const std::int64_t n : {std::int64_t(37), std::int64_t(130)}) {
            auto options = of_width(16);
            if (n == 37) options.set_text("tile", "32x32x32"); // all of them, product by product
            Store a(Scalar::d, true, any_dense(Scalar::d, n, n, random), 1);
            for (std::int64_t i = 0; i < n; ++i) a.set(i, i, a.get(i, i) + 4.0);
            const auto before = a.dense();
            auto factors = a;
            const auto lu = factor_lu(devices, options, factors);
            ASSERT_EQ(lu.pivots, pivots_of_lapack(before)) << name << lu.outcome.message;
            const auto get = [&](const char *key) { return std::get<std::int64_t>(lu.outcome.report.get(key)); };
            const auto moved = get("bytes_to_device") + get("bytes_from_device");
            if (moved > 0) { // else the host has done it all
                ASSERT_GT(get("lower_bound_bytes"), 0) << name;
                ASSERT_LE(get("lower_bound_bytes"), moved) << name;
            }
            const auto bound = 50 * static_cast<double>(n) * epsilon(Scalar::d);

            // The same system by LU, by QR and, with A^T A, by Cholesky.
            Store right(Scalar::d, true, any_dense(Scalar::d, n, 9, random), 0), normal(Scalar::d, true, n, n, 0);
            auto square = update(a, n, normal);
            square.transpose_a = Transpose::transpose;
            hpart::Report report;
            hpart::syrk(devices, square, options, report);
            auto by_lu = right, by_qr = right, qr = a;
            Store by_cholesky(Scalar::d, true, product(before, Transpose::transpose, right.dense(), Transpose::none),
                              0);
            auto again = a;
            std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
            hpart::gesv(devices, again.matrix(), pivots.data(), by_lu.matrix(), options, report);
            hpart::gels(devices, Transpose::none, qr.matrix(), by_qr.matrix(), options, report);
            hpart::posv(devices, Triangle::lower, normal.matrix(), by_cholesky.matrix(), options, report);
            for (auto *const x : {&by_lu, &by_qr})
                ASSERT_LE(norm(sum(right.dense(), -1, product(before, x->dense()))),
                          bound * (norm(before) * norm(x->dense()) + norm(right.dense())))
                    << name;
            const auto residual = sum(right.dense(), -1, product(before, by_cholesky.dense()));
            ASSERT_LE(norm(product(before, Transpose::transpose, residual, Transpose::none)),
                      bound * norm(before) * norm(before) * (norm(by_cholesky.dense()) + 1))
                << name;
        }
}

} // namespace
