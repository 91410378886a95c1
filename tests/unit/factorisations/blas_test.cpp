// Products with triangular and symmetric matrices, those whose result is one triangle, and batches of products.
#include "backends.hpp"

#include <cmath>

using namespace factor_test;
using hpart::Coefficient;
using hpart::Options;
using hpart::Scalar;
using hpart::Side;
using hpart::Status;
using hpart::Transpose;
using hpart::Triangle;

namespace
{

Number any_factor(Scalar type, support::Random &random)
{
    const auto kind = between(random, 0, 4);
    return kind == 0 ? 0 : kind == 1 ? 1 : any_number(type, random);
}

bool is_in(Triangle triangle, std::int64_t i, std::int64_t j) { return triangle == Triangle::lower ? i >= j : i <= j; }

// Not numbers, in what must not be read or written.
Dense with_no_numbers_opposite(Dense a, Triangle triangle)
{
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.rows; ++i)
            if (!is_in(triangle, i, j)) a.at(i, j) = std::nan("");
    return a;
}

Dense whole_of(const Dense &a, Triangle triangle, bool hermitian)
{
    auto whole = triangle_of(a, triangle);
    for (std::int64_t j = 0; j < a.columns; ++j) {
        for (std::int64_t i = 0; i < a.rows; ++i)
            if (!is_in(triangle, i, j)) whole.at(i, j) = hermitian ? std::conj(a.at(j, i)) : a.at(j, i);
        if (hermitian) whole.at(j, j) = a.at(j, j).real();
    }
    return whole;
}

// factor a + other b; what is 0 is not looked at.
Dense combined(Number factor, const Dense &a, Number other, const Dense &b)
{
    const auto scaled = sum(Dense(b.rows, b.columns), other, b);
    return sum(other == 0.0 ? Dense(b.rows, b.columns) : scaled, factor, a);
}

// The error of a result whose products have this depth.
double bound_of(Scalar type, std::int64_t depth) { return 10 * static_cast<double>(depth + 2) * epsilon(type); }

// Arguments of a random call; now and then the default panels.
struct Draw {
    Draw(std::int64_t k, support::Random &random)
        : width(k % 25 == 0 ? 0 : between(random, 1, 40)), type(any_type(random)), row_major(coin(random)),
          triangle(coin(random) ? Triangle::lower : Triangle::upper), block(width == 0 ? 128 : width),
          largest(width == 0 ? 300 : 90)
    {
    }
    std::int64_t size(support::Random &random) const { return any_size(random, largest, block); }
    Store store(const Dense &values, support::Random &random) const
    {
        return {type, row_major, values, any_gap(random)};
    }
    std::int64_t width;
    Scalar type;
    bool row_major;
    Triangle triangle;
    std::int64_t block, largest;
};

std::ostream &operator<<(std::ostream &out, const Draw &draw)
{
    return out << name_of(draw.type) << ", width " << draw.width << (draw.row_major ? ", rows" : ", columns")
               << (draw.triangle == Triangle::lower ? ", lower" : ", upper");
}

} // namespace

using ProductsOnBackends = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, ProductsOnBackends, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(ProductsOnBackends, with_triangles_are_right)
{
    auto random = support::seeded(81);
    for (std::int64_t k = 0; k < how_many(0.05); ++k) {
        const Draw draw(k, random);
        const auto m = draw.size(random), n = draw.size(random);
        hpart::TrsmCall call;
        call.side = coin(random) ? Side::left : Side::right;
        call.triangle = draw.triangle;
        call.transpose_a = static_cast<Transpose>(between(random, 0, 2));
        call.unit_diagonal = coin(random);
        call.alpha = any_factor(draw.type, random);
        const auto order = call.side == Side::left ? m : n;
        auto values = with_no_numbers_opposite(any_dense(draw.type, order, order, random), draw.triangle);
        auto a = draw.store(values, random), b = draw.store(any_dense(draw.type, m, n, random), random);
        const auto before = b.dense();
        const auto op = transposed(triangle_of(a.dense(), draw.triangle, call.unit_diagonal), call.transpose_a);
        call.a = a.matrix().data, call.lda = a.matrix().ld, call.b = b.matrix();
        const auto outcome = run(devices_, of_width(draw.width), [&](auto &devices, auto &options, auto &report) {
            hpart::trmm(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto right = call.side == Side::left ? product(op, before) : product(before, op);
        ASSERT_LE(norm(sum(b.dense(), -call.alpha, right)), bound_of(draw.type, order) * norm(op) * norm(before))
            << draw << ": " << m << " x " << n;
        ASSERT_TRUE(b.guards_are_whole());
    }
}

TEST_P(ProductsOnBackends, with_symmetric_matrices_are_right)
{
    auto random = support::seeded(82);
    for (std::int64_t k = 0; k < how_many(0.05); ++k) {
        const Draw draw(k, random);
        const auto m = draw.size(random), n = draw.size(random);
        hpart::SymmCall call;
        call.side = coin(random) ? Side::left : Side::right;
        call.triangle = draw.triangle;
        call.hermitian = coin(random);
        call.alpha = any_factor(draw.type, random);
        call.beta = any_factor(draw.type, random);
        const auto order = call.side == Side::left ? m : n;
        auto a =
            draw.store(with_no_numbers_opposite(any_dense(draw.type, order, order, random), draw.triangle), random);
        auto b = draw.store(any_dense(draw.type, m, n, random), random);
        auto c = draw.store(any_dense(draw.type, m, n, random), random);
        const auto old = c.dense(), other = b.dense(), whole = whole_of(a.dense(), draw.triangle, call.hermitian);
        call.a = a.matrix().data, call.lda = a.matrix().ld, call.b = b.matrix().data, call.ldb = b.matrix().ld;
        call.c = c.matrix();
        const auto outcome = run(devices_, of_width(draw.width), [&](auto &devices, auto &options, auto &report) {
            hpart::symm(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto right = call.side == Side::left ? product(whole, other) : product(other, whole);
        ASSERT_LE(norm(sum(c.dense(), -1, combined(call.alpha, right, call.beta, old))),
                  bound_of(draw.type, order) * (norm(whole) * norm(other) + norm(old)))
            << draw << ": " << m << " x " << n << (call.hermitian ? ", Hermitian" : "");
        ASSERT_TRUE(c.guards_are_whole());
    }
}

TEST_P(ProductsOnBackends, in_one_triangle_are_right)
{
    auto random = support::seeded(83);
    for (std::int64_t k = 0; k < how_many(0.05); ++k) {
        const Draw draw(k, random);
        const auto n = draw.size(random), depth = draw.size(random);
        const bool twice = coin(random), hermitian = twice && coin(random);
        hpart::GemmtCall call;
        call.triangle = draw.triangle;
        call.k = depth;
        const auto turned = hermitian ? Transpose::conjugate : Transpose::transpose;
        call.transpose_a =
            twice ? (coin(random) ? Transpose::none : turned) : static_cast<Transpose>(between(random, 0, 2));
        call.transpose_b = twice ? call.transpose_a : static_cast<Transpose>(between(random, 0, 2));
        call.alpha = any_factor(draw.type, random);
        call.beta = any_factor(draw.type, random);
        if (hermitian) call.beta = call.beta.real();
        const auto shape = [&](Transpose op, std::int64_t rows, std::int64_t columns) {
            return op == Transpose::none ? any_dense(draw.type, rows, columns, random)
                                         : any_dense(draw.type, columns, rows, random);
        };
        auto a = draw.store(shape(call.transpose_a, n, depth), random);
        auto b = draw.store(twice ? shape(call.transpose_b, n, depth) : shape(call.transpose_b, depth, n), random);
        auto values = with_no_numbers_opposite(any_dense(draw.type, n, n, random), draw.triangle);
        for (std::int64_t i = 0; hermitian && i < n; ++i) values.at(i, i) = values.at(i, i).real();
        auto c = draw.store(values, random);
        const auto old = triangle_of(c.dense(), draw.triangle);
        const auto op_a = transposed(a.dense(), call.transpose_a), op_b = transposed(b.dense(), call.transpose_b);
        call.a = a.matrix().data, call.lda = a.matrix().ld, call.b = b.matrix().data, call.ldb = b.matrix().ld;
        call.c = c.matrix();
        const auto outcome = run(devices_, of_width(draw.width), [&](auto &devices, auto &options, auto &report) {
            twice ? hpart::syr2k(devices, call, hermitian, options, report)
                  : hpart::gemmt(devices, call, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        auto right = twice ? combined(call.alpha, product(op_a, Transpose::none, op_b, turned), 0, Dense(n, n))
                           : combined(call.alpha, product(op_a, op_b), 0, Dense(n, n));
        if (twice)
            right = sum(right, hermitian ? std::conj(call.alpha) : call.alpha,
                        product(op_b, Transpose::none, op_a, turned));
        right = combined(1, triangle_of(right, draw.triangle), call.beta, old);
        const auto after = c.dense();
        ASSERT_LE(norm(sum(triangle_of(after, draw.triangle), -1, right)),
                  bound_of(draw.type, depth) * (norm(op_a) * norm(op_b) + norm(old)))
            << draw << ": " << n << ", k " << depth << (twice ? ", twice" : "") << (hermitian ? ", Hermitian" : "");
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < n; ++i)
                ASSERT_EQ(std::isnan(after.at(i, j).real()), !is_in(draw.triangle, i, j)) << draw;
        ASSERT_TRUE(c.guards_are_whole());
    }
}

TEST_P(ProductsOnBackends, of_batches_are_right)
{
    auto random = support::seeded(84);
    for (std::int64_t k = 0; k < how_many(0.05); ++k) {
        const Draw draw(k, random);
        const auto m = between(random, 0, 40), n = between(random, 0, 40), depth = between(random, 0, 40),
                   count = between(random, 0, 5);
        hpart::GemmBatch batch;
        auto &call = batch.first;
        call.type = draw.type, call.row_major = draw.row_major;
        call.m = m, call.n = n, call.k = depth;
        call.transpose_a = static_cast<Transpose>(between(random, 0, 2));
        call.transpose_b = static_cast<Transpose>(between(random, 0, 2));
        call.alpha = any_factor(draw.type, random), call.beta = any_factor(draw.type, random);
        batch.count = count;
        // Matrices below one another, or beside where columns are contiguous, in one array.
        const bool same_a = coin(random);
        const auto stored = [&](Transpose op, std::int64_t rows, std::int64_t columns, std::int64_t matrices) {
            if (op != Transpose::none) std::swap(rows, columns);
            return draw.store(draw.row_major ? any_dense(draw.type, rows * matrices, columns, random)
                                             : any_dense(draw.type, rows, columns * matrices, random),
                              random);
        };
        auto a = stored(call.transpose_a, m, depth, same_a ? 1 : count);
        auto b = stored(call.transpose_b, depth, n, count), c = stored(Transpose::none, m, n, count);
        const auto lines = [&](Transpose op, std::int64_t rows, std::int64_t columns) {
            return (op == Transpose::none) == draw.row_major ? rows : columns;
        };
        const auto of_a = a.matrix(), of_b = b.matrix(), of_c = c.matrix();
        call.a = of_a.data, call.lda = of_a.ld, call.b = of_b.data, call.ldb = of_b.ld;
        call.c = of_c.data, call.ldc = of_c.ld;
        batch.stride_a = same_a ? 0 : of_a.ld * lines(call.transpose_a, m, depth);
        batch.stride_b = of_b.ld * lines(call.transpose_b, depth, n);
        batch.stride_c = of_c.ld * lines(Transpose::none, m, n);
        const auto before = c.dense(), all_a = a.dense(), all_b = b.dense();
        const auto outcome = run(devices_, of_width(draw.width), [&](auto &devices, auto &options, auto &report) {
            hpart::gemm_strided_batched(devices, batch, options, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        const auto after = c.dense();
        const auto part = [&](const Dense &all, Transpose op, std::int64_t rows, std::int64_t columns, std::int64_t i) {
            if (op != Transpose::none) std::swap(rows, columns);
            return transposed(
                draw.row_major ? all.block(i * rows, 0, rows, columns) : all.block(0, i * columns, rows, columns), op);
        };
        for (std::int64_t i = 0; i < count; ++i) {
            const auto left = part(all_a, call.transpose_a, m, depth, same_a ? 0 : i);
            const auto other = part(all_b, call.transpose_b, depth, n, i);
            const auto old = part(before, Transpose::none, m, n, i);
            ASSERT_LE(norm(sum(part(after, Transpose::none, m, n, i), -1,
                               combined(call.alpha, product(left, other), call.beta, old))),
                      bound_of(draw.type, depth) * (norm(left) * norm(other) + norm(old)))
                << draw << ": " << m << " x " << n << ", k " << depth << ", product " << i;
        }
        ASSERT_TRUE(c.guards_are_whole());
    }
}

// With alpha 0 the factors are not looked at, and with beta 0 the old result is not.
TEST_P(ProductsOnBackends, of_nothing_read_nothing)
{
    auto random = support::seeded(85);
    for (const bool row_major : {true, false})
        for (const Coefficient beta : {Coefficient(0), Coefficient(2), Coefficient(std::nan(""))}) {
            const auto old = beta == Coefficient(0)
                                 ? with_no_numbers_opposite(with_no_numbers_opposite(Dense(50, 50), Triangle::lower),
                                                            Triangle::upper)
                                 : any_dense(Scalar::d, 50, 50, random);
            const auto is_right = [&](const Store &c, bool one_triangle) {
                for (std::int64_t j = 0; j < 50; ++j)
                    for (std::int64_t i = 0; i < 50; ++i) {
                        const auto found = c.get(i, j).real();
                        const auto right = one_triangle && i < j    ? old.at(i, j).real()
                                           : beta == Coefficient(0) ? 0.0
                                                                    : beta.real() * old.at(i, j).real();
                        if (std::isnan(right) ? !std::isnan(found) : found != right) return false;
                    }
                return true;
            };
            Store c(Scalar::d, row_major, old, 1);
            hpart::SymmCall symmetric;
            symmetric.alpha = 0, symmetric.beta = beta, symmetric.lda = symmetric.ldb = 50, symmetric.c = c.matrix();
            hpart::Report report;
            hpart::symm(devices_, symmetric, of_width(8), report);
            EXPECT_TRUE(is_right(c, false)) << beta;
            c.assign(old);
            hpart::GemmtCall triangle;
            triangle.alpha = 0, triangle.beta = beta, triangle.k = 50, triangle.lda = triangle.ldb = 50;
            triangle.c = c.matrix();
            hpart::gemmt(devices_, triangle, of_width(8), report);
            EXPECT_TRUE(is_right(c, true)) << beta;
            c.assign(old);
            hpart::syr2k(devices_, triangle, true, of_width(8), report);
            EXPECT_TRUE(is_right(c, true)) << beta;
            c.assign(old);
            hpart::GemmBatch batch;
            batch.first.row_major = row_major, batch.first.m = batch.first.n = batch.first.k = 50;
            batch.first.alpha = 0, batch.first.beta = beta, batch.first.lda = batch.first.ldb = 50;
            batch.first.c = c.matrix().data, batch.first.ldc = c.matrix().ld, batch.count = 1;
            hpart::gemm_strided_batched(devices_, batch, of_width(8), report);
            EXPECT_TRUE(is_right(c, false)) << beta;
        }
}

// These and the operations with inverses and Q use the device where its memory is limited.
TEST_P(ProductsOnBackends, go_out_of_card)
{
    if (!GetParam().memory_limit) GTEST_SKIP() << "works in place";
    for (const auto &operation : operations()) {
        auto a = a_matrix(300), b = a_matrix(300);
        const auto outcome = run(devices_, of_width(64), [&](auto &devices, auto &options, auto &report) {
            operation.run(devices, options, a, b, report);
        });
        ASSERT_EQ(outcome.status, Status::success) << operation.name << ": " << outcome.message;
        EXPECT_EQ(std::get<std::string>(outcome.report.get("method")), "out-of-card") << operation.name;
        EXPECT_GT(std::get<std::int64_t>(outcome.report.get("bytes_to_device")), 0) << operation.name;
    }
}
