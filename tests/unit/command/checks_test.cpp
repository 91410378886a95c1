// The command's checks against results computed here from the definitions, and against results with one wrong number.
#include "checks.hpp"
#include "library.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

namespace hpart_command
{
namespace
{

using Extents = std::vector<std::int64_t>;
using ComplexDouble = std::complex<double>;

ComplexDouble at(const Numbers &numbers, std::int64_t k)
{
    if (!is_complex(numbers.precision())) return numbers.real(k);
    return {numbers.real(2 * k), numbers.real(2 * k + 1)};
}

// The place in each dimension of a number.
Extents place_of(std::int64_t number, const Extents &dims)
{
    Extents place(dims.size());
    for (auto d = dims.size(); d-- > 0; number /= dims[d]) place[d] = number % dims[d];
    return place;
}

Numbers transform_of(const Extents &dims, std::int64_t batch, const Numbers &in)
{
    const bool half = !is_complex(in.precision());
    auto kept = dims;
    if (half) kept.back() = dims.back() / 2 + 1;
    std::int64_t points = 1, numbers = 1;
    for (const auto dim : dims) points *= dim;
    for (const auto dim : kept) numbers *= dim;
    Numbers out(is_double(in.precision()) ? 'z' : 'c', batch * numbers);
    for (std::int64_t k = 0; k < batch * numbers; ++k) {
        const auto to = place_of(k % numbers, kept);
        ComplexDouble sum;
        for (std::int64_t j = 0; j < points; ++j) {
            const auto from = place_of(j, dims);
            double turns = 0;
            for (std::size_t d = 0; d < dims.size(); ++d)
                turns += static_cast<double>(from[d] * to[d] % dims[d]) / static_cast<double>(dims[d]);
            sum += at(in, k / numbers * points + j) * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
        out.set_real(2 * k, sum.real());
        out.set_real(2 * k + 1, sum.imag());
    }
    return out;
}

double norm(const Numbers &numbers)
{
    double sum = 0;
    for (std::int64_t k = 0; k < numbers.reals(); ++k) sum += numbers.real(k) * numbers.real(k);
    return std::sqrt(sum);
}

TEST(TransformError, IsSmallForEveryShapeAndSeesOneWrongNumber)
{
    for (const auto &dims : {Extents{1}, Extents{2}, Extents{7}, Extents{64}, Extents{5, 8}, Extents{8, 5},
                             Extents{4, 3, 6}, Extents{3, 4, 5}})
        for (const char precision : {'s', 'd', 'c', 'z'})
            for (const std::int64_t batch : {1, 3}) {
                std::int64_t points = batch;
                for (const auto dim : dims) points *= dim;
                Numbers in(precision, points);
                in.fill(1);
                auto out = transform_of(dims, batch, in);
                const auto error = [&] { return transform_error(dims, batch, in, out); };
                const double rounding = is_double(precision) ? 1e-13 : 1e-5;
                EXPECT_LT(error(), rounding) << dims.size() << precision << dims[0];
                // Half of a spectrum counts twice, so that the share of a number is known to a factor.
                for (const auto wrong : {std::int64_t{0}, out.reals() / 2, out.reals() - 1}) {
                    const auto right = out.real(wrong);
                    out.set_real(wrong, right + 0.01 * norm(out));
                    const auto seen = error();
                    if (is_complex(precision) || wrong == 0) {
                        EXPECT_NEAR(seen, 0.01, 0.003) << dims.size() << precision << dims[0] << " " << wrong;
                    }
                    EXPECT_GT(seen, 50 * rounding) << dims.size() << precision << dims[0] << " " << wrong;
                    out.set_real(wrong, right);
                }
            }
}

// The weights of long axes are computed in parts. The spectrum of one number is known.
TEST(TransformError, KnowsLongAxes)
{
    for (const auto &row : {std::pair{Extents{70001}, 'z'}, {Extents{2, 140000}, 'd'}, {Extents{66000, 2}, 'z'}}) {
        const auto &dims = row.first;
        const auto precision = row.second;
        const auto n = dims.back(), lines = dims.size() == 1 ? 1 : dims[0];
        const auto length = precision == 'd' ? n / 2 + 1 : n;
        Numbers in(precision, lines * n), out('z', lines * length);
        for (std::int64_t k = 0; k < in.reals(); ++k) in.set_real(k, 0);
        in.set_real((precision == 'd' ? 1 : 2) * n * (lines - 1), 1); // the first number of the last line
        for (std::int64_t line = 0; line < lines; ++line)
            for (std::int64_t k = 0; k < length; ++k) {
                const double turns = static_cast<double>(line * (lines - 1) % lines) / static_cast<double>(lines);
                const double angle = -2 * std::numbers::pi * turns;
                out.set_real(2 * (line * length + k), std::cos(angle));
                out.set_real(2 * (line * length + k) + 1, std::sin(angle));
            }
        const auto error = [&] { return transform_error(dims, 1, in, out); };
        EXPECT_LT(error(), 1e-12) << dims[0] << precision;
        const auto wrong = out.reals() - 4;
        out.set_real(wrong, out.real(wrong) + 0.01 * norm(out));
        EXPECT_GT(error(), 1e-3) << dims[0] << precision;
    }
}

TEST(TransformError, SeesNumbersInEachOthersPlaces)
{
    Numbers in('z', 60);
    in.fill(1);
    auto out = transform_of({60}, 1, in);
    for (const std::int64_t part : {20, 21}) { // of number 10; 40 on is that of number 30
        const auto kept = out.real(part);
        out.set_real(part, out.real(part + 40));
        out.set_real(part + 40, kept);
    }
    EXPECT_GT(transform_error({60}, 1, in, out), 1e-3);
    Numbers backward('z', 60);
    for (std::int64_t k = 0; k < 120; ++k) backward.set_real(k, k % 2 == 0 ? out.real(k) : -out.real(k));
    EXPECT_GT(transform_error({60}, 1, in, backward), 0.1);
}

ComplexDouble element(const Operand &a, std::int64_t row, std::int64_t column)
{
    if (a.op != 'N') std::swap(row, column);
    const auto value = at(a.numbers, a.by_rows ? row * a.columns + column : column * a.rows + row);
    return a.op == 'C' ? std::conj(value) : value;
}

TEST(ProductError, IsSmallForEveryTransposeAndSeesOneWrongNumber)
{
    constexpr std::int64_t m = 6, n = 9, k = 5;
    constexpr double alpha = -1.5, beta = 0.25;
    for (const char precision : {'s', 'd', 'c', 'z'})
        for (const char op_a : {'N', 'T', 'C'})
            for (const char op_b : {'N', 'T', 'C'})
                for (const bool by_rows : {true, false}) {
                    Numbers a(precision, m * k), b(precision, k * n), before(precision, m * n), after(precision, m * n);
                    a.fill(1);
                    b.fill(2);
                    before.fill(3);
                    const Operand of_a{a, op_a == 'N' ? m : k, op_a == 'N' ? k : m, by_rows, op_a};
                    const Operand of_b{b, op_b == 'N' ? k : n, op_b == 'N' ? n : k, by_rows, op_b};
                    const Operand old{before, m, n, by_rows}, made{after, m, n, by_rows};
                    for (std::int64_t i = 0; i < m; ++i)
                        for (std::int64_t j = 0; j < n; ++j) {
                            auto sum = beta * element(old, i, j);
                            for (std::int64_t l = 0; l < k; ++l)
                                sum += alpha * element(of_a, i, l) * element(of_b, l, j);
                            const auto at_c = by_rows ? i * n + j : j * m + i;
                            if (is_complex(precision)) {
                                after.set_real(2 * at_c, sum.real());
                                after.set_real(2 * at_c + 1, sum.imag());
                            } else {
                                after.set_real(at_c, sum.real());
                            }
                        }
                    const auto error = [&] { return product_error(of_a, of_b, alpha, beta, old, made); };
                    EXPECT_LT(error(), is_double(precision) ? 1e-14 : 1e-5) << precision << op_a << op_b;
                    for (const auto wrong : {std::int64_t{0}, after.reals() / 2, after.reals() - 1}) {
                        const auto right = after.real(wrong);
                        after.set_real(wrong, right + 0.1);
                        EXPECT_GT(error(), 1e-3) << precision << op_a << op_b << wrong;
                        after.set_real(wrong, std::nan(""));
                        EXPECT_TRUE(std::isnan(error()));
                        after.set_real(wrong, right);
                    }
                }
}

TEST(Residuals, AreThoseOfFactorsByHand)
{
    // Column-major. A = [2 1; 4 5]: P swaps, L = [1 0; 0.5 1], U = [4 5; 0 -1.5].
    const auto made = [](std::initializer_list<double> values) {
        Numbers numbers('d', static_cast<std::int64_t>(values.size()));
        std::int64_t k = 0;
        for (const auto value : values) numbers.set_real(k++, value);
        return numbers;
    };
    const auto a = made({2, 4, 1, 5});
    auto lu = made({4, 0.5, 5, -1.5});
    EXPECT_EQ(lu_residual(2, a, lu, {2, 2}), 0);
    EXPECT_GT(lu_residual(2, a, lu, {1, 2}), 0.1);
    lu.set_real(3, -1.25);
    EXPECT_GT(lu_residual(2, a, lu, {2, 2}), 0.01); // about 0.25 / sqrt(46)

    // A = L L' for L = [2 0; 1 3]; what stands above the diagonal is not looked at.
    EXPECT_EQ(cholesky_residual(2, made({4, 2, 2, 10}), made({2, 1, 77, 3})), 0);
    EXPECT_GT(cholesky_residual(2, made({4, 2, 2, 10}), made({2, 1, 77, 3.1})), 1e-2);

    // A = [3 1; 4 2]: w = (1, 0.5), tau = 1.6 makes R's first column (-5, 0), its second (-2.2, 0.4).
    auto tau = made({1.6, 0});
    EXPECT_LT(qr_residual(2, made({3, 4, 1, 2}), made({-5, 0.5, -2.2, 0.4}), tau), 1e-15);
    tau.set_real(0, 1.5);
    EXPECT_GT(qr_residual(2, made({3, 4, 1, 2}), made({-5, 0.5, -2.2, 0.4}), tau), 1e-2);
}

TEST(Residuals, OfComplexMatricesAreConjugatedWhereTheyMustBe)
{
    // Column-major, real parts and imaginary ones in turn.
    const auto made = [](std::initializer_list<double> values) {
        Numbers numbers('z', static_cast<std::int64_t>(values.size()) / 2);
        std::int64_t k = 0;
        for (const auto value : values) numbers.set_real(k++, value);
        return numbers;
    };
    // A = [i 1; 2i 5]: P swaps, L = [1 0; 0.5 1], U = [2i 5; 0 -1.5].
    const auto a = made({0, 1, 0, 2, 1, 0, 5, 0});
    EXPECT_EQ(lu_residual(2, a, made({0, 2, 0.5, 0, 5, 0, -1.5, 0}), {2, 2}), 0);
    EXPECT_GT(lu_residual(2, a, made({0, -2, 0.5, 0, 5, 0, -1.5, 0}), {2, 2}), 0.1);

    // A = L L^H for L = [2 0; 1+i 3].
    const auto hermitian = made({4, 0, 2, 2, 2, -2, 11, 0});
    EXPECT_EQ(cholesky_residual(2, hermitian, made({2, 0, 1, 1, 77, 7, 3, 0})), 0);
    EXPECT_GT(cholesky_residual(2, hermitian, made({2, 0, 1, -1, 77, 7, 3, 0})), 0.1);

    // w = (1, 0.5i), tau = 1.6 makes (3, 4i) of (-5, 0).
    const auto b = made({3, 0, 0, 4, 1.32, 0.32, 0.24, 1.76}), tau = made({1.6, 0, 0, 0});
    EXPECT_LT(qr_residual(2, b, made({-5, 0, 0, 0.5, -2.2, 0, 0.4, 0}), tau), 1e-15);
    EXPECT_GT(qr_residual(2, b, made({-5, 0, 0, -0.5, -2.2, 0, 0.4, 0}), tau), 0.1);
    // 3 + 4i = (1 - tau) (-5)
    EXPECT_LT(qr_residual(1, made({3, 4}), made({-5, 0}), made({1.6, 0.8})), 1e-15);
    EXPECT_GT(qr_residual(1, made({3, 4}), made({-5, 0}), made({1.6, -0.8})), 0.1);
}

TEST(Memory, IsRefusedWithTheBytesThatAreWanted)
{
    EXPECT_NO_THROW(require_memory({{"A", 'z', 1000}}));
    try {
        require_memory({{"A", 'd', std::int64_t{1} << 46}, {"B", 'c', 10}});
        FAIL();
    } catch (const Failure &failure) {
        EXPECT_EQ(failure.exit_status(), exit_other);
        EXPECT_NE(std::string(failure.what()).find("562949953421392 bytes are wanted (A 562949953421312, B 80)"),
                  std::string::npos)
            << failure.what();
    }
}

} // namespace
} // namespace hpart_command
