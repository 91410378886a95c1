// Operations of four types on the host device, pinned memory and pipelines.
#include "errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace
{

using hpart::layout;
using hpart::transpose;
using hpart::triangle;

// A build without a BLAS or FFTW has no operations.
#define OR_SKIP(call)                                                                                                  \
    try {                                                                                                              \
        call;                                                                                                          \
    } catch (const hpart::error &error) {                                                                              \
        if (error.status() == HPART_ERR_UNSUPPORTED) GTEST_SKIP() << error.what();                                     \
        throw;                                                                                                         \
    }

template <typename Value> void expect_near(const std::vector<Value> &found, const std::vector<Value> &expected)
{
    using real = decltype(std::abs(Value()));
    ASSERT_EQ(found.size(), expected.size());
    real largest = 1;
    for (const auto &each : expected) largest = std::max(largest, std::abs(each));
    for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_LE(std::abs(found[k] - expected[k]), 1000 * std::numeric_limits<real>::epsilon() * largest) << k;
}

template <typename Value> class CppOperations : public testing::Test
{
  protected:
    using Values = std::vector<Value>;

    // i of complex numbers, so that it shows what is conjugated.
    static Value unit()
    {
        if constexpr (std::is_floating_point_v<Value>)
            return 1;
        else
            return {0, 1};
    }
    static Values in_units(Values numbers)
    {
        for (auto &each : numbers) each *= unit();
        return numbers;
    }

    hpart::device host_{"host"};
    std::vector<std::int64_t> pivots_ = std::vector<std::int64_t>(2);
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CppOperations, Types);

// All matrices are in rows, with other leading dimensions than sizes: 99 is not read, 77 not written.
TYPED_TEST(CppOperations, Products)
{
    using value = TypeParam;
    using values = std::vector<value>;
    const auto rows = layout::row_major;
    const auto u = this->unit(), square = u * u, conjugate = value(1) / u;
    const auto a = this->in_units({1, 2, 3, 99, 4, 5, 6, 99});
    const values b{1, 99, 1, 99, 2, 99};
    values c{1, 77, 77, 2, 77, 77};
    OR_SKIP(hpart::gemm(this->host_, rows, transpose::no, transpose::no, 2, 1, 3, value(2) * u, a.data(), 4, b.data(),
                        2, 3, c.data(), 3))
    expect_near(c, {value(18) * square + value(3), 77, 77, value(42) * square + value(6), 77, 77});

    // The rows of A are columns of a matrix that is transposed.
    const values column{1, 1, 2, 99};
    const auto report = hpart::gemm(this->host_, layout::column_major, transpose::conjugate, transpose::no, 2, 1, 3, 1,
                                    a.data(), 4, column.data(), 4, 0, c.data(), 3, {{"queues", 1}});
    expect_near(values{c[0], c[1], c[2]}, {value(9) * conjugate, value(21) * conjugate, 77});
    EXPECT_EQ(report.template get<std::string>("method"), "host");
    EXPECT_GE(report.template get<double>("seconds"), 0);

    const values x{1, 99, 2, 99, 3};
    values y{1, 2};
    hpart::gemv(this->host_, rows, transpose::no, 2, 3, 2, a.data(), 4, x.data(), 2, 3, y.data(), -1);
    expect_near(y, {value(64) * u + value(3), value(28) * u + value(6)});

    values triangle_of_c{1, 77, 77, 2, 3, 77};
    hpart::syrk(this->host_, rows, triangle::lower, transpose::no, 2, 3, 2, a.data(), 4, 3, triangle_of_c.data(), 3);
    expect_near(triangle_of_c, {value(28) * square + value(3), 77, 77, value(64) * square + value(6),
                                value(154) * square + value(9), 77});
    if constexpr (!std::is_floating_point_v<value>) {
        values hermitian{1, 77, 77, 2, 3, 77};
        hpart::herk(this->host_, rows, triangle::lower, transpose::no, 2, 3, 2, a.data(), 4, 3, hermitian.data(), 3);
        expect_near(hermitian, {31, 77, 77, 70, 163, 77});
    }

    const auto t = this->in_units({2, 99, 99, 1, 4, 99});
    values solution{2, 77, 3, 77};
    hpart::trsm(this->host_, rows, hpart::side::left, triangle::lower, transpose::no, hpart::diagonal::non_unit, 2, 1,
                value(2) * u, t.data(), 3, solution.data(), 2);
    expect_near(solution, {2, 77, 1, 77});
}

TYPED_TEST(CppOperations, SymmetricProductsAndTriangles)
{
    using value = TypeParam;
    using values = std::vector<value>;
    auto &host = this->host_;
    const auto rows = layout::row_major;
    const auto lower = triangle::lower;
    const auto no = transpose::no;
    const auto left = hpart::side::left;
    const values a{2, 99, 3, 4}, b{1, 77, 1, 77}, column{1, 2}, other{3, 4};
    values c{77, 77}, t = b, of_product{55, 77, 55, 55}, of_two = of_product, batch{77, 77};
    OR_SKIP(hpart::symm(host, rows, left, lower, 2, 1, 1, a.data(), 2, b.data(), 2, 0, c.data(), 1))
    expect_near(c, {5, 7});
    hpart::trmm(host, rows, left, lower, no, hpart::diagonal::non_unit, 2, 1, 2, a.data(), 2, t.data(), 2);
    expect_near(t, {4, 77, 14, 77});
    hpart::gemmt(host, rows, lower, no, no, 2, 1, 1, column.data(), 1, other.data(), 2, 0, of_product.data(), 2);
    expect_near(of_product, {3, 77, 6, 8});
    hpart::syr2k(host, rows, lower, no, 2, 1, 1, column.data(), 1, other.data(), 1, 0, of_two.data(), 2);
    expect_near(of_two, {6, 77, 10, 16});
    hpart::gemm_strided_batched(host, rows, no, no, 1, 1, 1, 1, column.data(), 1, 1, other.data(), 1, 1, 0,
                                batch.data(), 1, 1, 2);
    expect_near(batch, {3, 8});
    if constexpr (!std::is_floating_point_v<value>) {
        hpart::hemm(host, rows, left, lower, 2, 1, 1, a.data(), 2, b.data(), 2, 0, c.data(), 1);
        expect_near(c, {5, 7});
        hpart::her2k(host, rows, lower, no, 2, 1, 1, column.data(), 1, other.data(), 1, 1, of_two.data(), 2);
        expect_near(of_two, {12, 77, 20, 32});
    }
}

TYPED_TEST(CppOperations, FactorsAndSolutions)
{
    using value = TypeParam;
    using values = std::vector<value>;
    const auto rows = layout::row_major;
    const auto u = this->unit(), conjugate = value(1) / u;
    auto &host = this->host_;
    auto &pivots = this->pivots_;
    auto a = this->in_units({2, 2, 77, 4, 8, 77}), b = this->in_units({6, 77, 20, 77});
    OR_SKIP(hpart::gesv(host, rows, 2, 1, a.data(), 3, pivots.data(), b.data(), 2))
    expect_near(b, {1, u * value(77), 2, u * value(77)});
    const values lu{value(4) * u, value(8) * u, value(77) * u, value(0.5), value(-2) * u, value(77) * u};
    expect_near(a, lu);
    EXPECT_EQ(pivots, (std::vector<std::int64_t>{2, 2}));
    b = this->in_units({10, 77, 18, 77});
    hpart::getrs(host, rows, transpose::yes, 2, 1, a.data(), 3, pivots.data(), b.data(), 2);
    expect_near(b, {1, u * value(77), 2, u * value(77)});
    hpart::getri(host, rows, 2, a.data(), 3, pivots.data());
    b = this->in_units({6, 77, 20, 77});
    std::vector<TypeParam> product(4);
    hpart::gemm(host, rows, transpose::no, transpose::no, 2, 1, 2, 1, a.data(), 3, b.data(), 2, 0, product.data(), 2);
    product.resize(3);
    expect_near(product, {1, 0, 2});
    a = this->in_units({2, 2, 77, 4, 8, 77});
    hpart::getrf(host, rows, 2, 2, a.data(), 3, pivots.data());
    expect_near(a, lu);

    const values definite{4, 99, 77, value(2) * u, 5, 77}, cholesky{2, 99, 77, u, 2, 77};
    auto p = definite;
    b = {value(4) + value(2) * conjugate, 77, value(2) * u + value(5), 77};
    hpart::posv(host, rows, triangle::lower, 2, 1, p.data(), 3, b.data(), 2);
    expect_near(b, {1, 77, 1, 77});
    expect_near(p, cholesky);
    b = {value(4) + value(2) * conjugate, 77, value(2) * u + value(5), 77};
    hpart::potrs(host, rows, triangle::lower, 2, 1, p.data(), 3, b.data(), 2);
    expect_near(b, {1, 77, 1, 77});
    p = definite;
    hpart::potrf(host, rows, triangle::lower, 2, p.data(), 3);
    expect_near(p, cholesky);

    auto q = this->in_units({3, 77, 4, 77});
    const auto before = q;
    values tau(1);
    hpart::geqrf(host, rows, 2, 1, q.data(), 2, tau.data());
    const auto r = q[0], reflected = r * tau[0];
    expect_near(values{r - reflected, -reflected * q[2]}, {before[0], before[2]});

    auto tall = this->in_units({1, 0, 77, 0, 2, 77, 0, 0, 77});
    values sides{value(3) * u, 77, value(8) * u, 77, 5, 77};
    hpart::gels(host, rows, transpose::no, 3, 2, 1, tall.data(), 3, sides.data(), 2);
    expect_near(values{sides[0], sides[1], sides[2], sides[3]}, {3, 77, 4, 77});
}

TYPED_TEST(CppOperations, SingularMatricesHaveAReport)
{
    std::vector<TypeParam> one{1}, zero{0};
    OR_SKIP(hpart::getrf(this->host_, layout::row_major, 1, 1, one.data(), 1, this->pivots_.data()))
    const auto error = thrown<hpart::numerical>(
        [&] { hpart::getrf(this->host_, layout::row_major, 1, 1, zero.data(), 1, this->pivots_.data()); });
    ASSERT_NE(error.report(), nullptr);
    EXPECT_EQ(error.report()->template get<int>("info"), 1);
}

template <typename Real> void check_transforms()
{
    using values = std::vector<std::complex<Real>>;
    hpart::device host("host");
    const std::vector<std::int64_t> dims{2, 4};
    const std::complex<Real> i{0, 1};
    const values in{0, 0, 0, 0, 0, 1, 0, 0}, expected{1, -i, -1, i, -1, i, 1, -i};
    values spectrum(8), back(8), half(6);
    OR_SKIP(hpart::fft(host, dims, 1, -1, in.data(), spectrum.data()))
    expect_near(spectrum, expected);
    hpart::fft(host, {2, 4}, 1, +1, spectrum.data(), back.data());
    for (auto &each : back) each /= Real(8);
    expect_near(back, in);

    const std::vector<Real> numbers{0, 0, 0, 0, 0, 1, 0, 0};
    std::vector<Real> again(8);
    hpart::fft_r2c(host, dims, 1, numbers.data(), half.data());
    expect_near(half, {1, -i, -1, -1, i, 1});
    hpart::fft_c2r(host, dims, 1, half.data(), again.data());
    for (auto &each : again) each /= Real(8);
    expect_near(again, numbers);
}

TEST(CppTransforms, Float) { check_transforms<float>(); }
TEST(CppTransforms, Double) { check_transforms<double>(); }

TEST(CppDevice, PinnedMemoryKeepsTheDeviceOpen)
{
    auto device = std::make_unique<hpart::device>("host");
    auto pinned = device->alloc_pinned<double>(100);
    auto other = device->alloc_pinned<double>(3);
    device.reset();
    std::iota(pinned.begin(), pinned.end(), 0.0);
    EXPECT_EQ(std::accumulate(pinned.begin(), pinned.end(), 0.0), 4950);
    other = std::move(pinned);
    EXPECT_EQ(other.size(), 100U);
    EXPECT_EQ(other[99], 99);
    EXPECT_EQ(pinned.size(), 0U); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(pinned.begin(), pinned.end());
    hpart::device host("host");
    std::vector<double> mine(10, 2.0);
    {
        const auto range = host.pin(mine.data(), mine.size());
        EXPECT_EQ(range[9], 2);
        EXPECT_THROW(static_cast<void>(host.pin(mine.data() + 5, 2)), hpart::error);
    }
    EXPECT_EQ(host.pin(mine.data() + 5, 2).size(), 2U);
    EXPECT_THROW(static_cast<void>(host.pin(mine.data(), 0)), hpart::error);
    const auto &constant = mine;
    EXPECT_EQ(host.pin(constant.data(), constant.size())[0], 2);
    EXPECT_THROW(host.alloc_pinned<double>(std::numeric_limits<std::size_t>::max()), hpart::error);
    EXPECT_THROW(host.driver_handle("cl_context"), hpart::error);
    EXPECT_THROW(hpart::device("no such device"), hpart::error);
    for (const auto &each : hpart::devices()) EXPECT_NE(each.find(':'), std::string::npos);
}

TEST(CppDevice, HasTheCallersOwnProduct)
{
    hpart::device host("host");
    std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8}, c(4), expected(4);
    OR_SKIP(hpart::gemm(host, layout::row_major, transpose::no, transpose::no, 2, 2, 2, 1.0, a.data(), 2, b.data(), 2,
                        0.0, expected.data(), 2));
    auto calls = std::make_shared<int>(0);
    host.set_gemm('d', [calls](void *, const hpart_product &p) {
        ++*calls;
        const auto at = [](const void *matrix, int64_t offset, int64_t ld, int32_t trans, int64_t i, int64_t j) {
            const auto *values = static_cast<const double *>(matrix) + offset;
            return trans == HPART_NO_TRANSPOSE ? values[i * ld + j] : values[j * ld + i];
        };
        for (int64_t i = 0; i < p.m; ++i)
            for (int64_t j = 0; j < p.n; ++j) {
                double sum = 0;
                for (int64_t k = 0; k < p.k; ++k)
                    sum += at(p.a, p.offset_a, p.lda, p.transa, i, k) * at(p.b, p.offset_b, p.ldb, p.transb, k, j);
                auto &element = static_cast<double *>(p.c)[p.offset_c + i * p.ldc + j];
                const double beta = *static_cast<const double *>(p.beta);
                element = *static_cast<const double *>(p.alpha) * sum + (beta == 0 ? 0 : beta * element);
            }
    });
    const int of_check = *calls;
    EXPECT_GT(of_check, 0);
    hpart::gemm(host, layout::row_major, transpose::no, transpose::no, 2, 2, 2, 1.0, a.data(), 2, b.data(), 2, 0.0,
                c.data(), 2);
    EXPECT_EQ(*calls, of_check + 1);
    EXPECT_EQ(c, expected);
    expect_status(HPART_ERR_CALLBACK, "own words", [&] {
        host.set_gemm('d', [](void *, const hpart_product &) { throw std::runtime_error("own words"); });
    });
    expect_status(HPART_ERR_INVALID_ARGUMENT, "which is no product",
                  [&] { host.set_gemm('d', [](void *, const hpart_product &) {}); });
    host.unset_gemm('d');
    EXPECT_EQ(calls.use_count(), 1);
}

TEST(CppDevice, AnyOperationOfTheHeader)
{
    hpart::device host("host");
    const std::vector<double> a{1, 2, 3, 4};
    std::vector<double> c(4);
    OR_SKIP(
        host.run(hpart_dgemm, {}, layout::row_major, transpose::no, transpose::no, 2, 2, 2, 1.0, a, 2, a, 2, 0.0, c, 2))
    EXPECT_EQ(c, (std::vector<double>{7, 10, 15, 22}));
}

std::vector<double> doubled_by(hpart::pipeline &pipeline, std::vector<double> &in, const hpart::options &settings = {})
{
    std::vector<double> out(in.size());
    constexpr std::int64_t bytes = 4 * sizeof(double);
    const auto source = pipeline.add_array(bytes), target = pipeline.add_array(bytes, 2);
    for (std::size_t k = 0; k < in.size(); k += 4) {
        pipeline.read(source, &in[k], 1, bytes, bytes);
        pipeline.write(target, &out[k], 1, bytes, bytes);
        pipeline.end_step();
    }
    pipeline.update(target, &out[0], 1, bytes, bytes);
    pipeline.end_step();
    const auto report = pipeline.run(
        [&](const hpart::step &step) {
            const auto is_last = step.index() == static_cast<std::int64_t>(in.size() / 4);
            const auto *x = static_cast<const double *>(step.memory(0));
            auto *y = static_cast<double *>(step.memory(is_last ? 0 : 1));
            EXPECT_EQ(step.queue(), nullptr);
            for (int k = 0; k < 4; ++k) y[k] = 2 * x[k];
        },
        settings);
    EXPECT_EQ(report.get<std::string>("method"), "pipeline");
    return out;
}

TEST(CppPipeline, RunsACallable)
{
    std::vector<double> in(32);
    std::iota(in.begin(), in.end(), 1.0);
    hpart::pipeline pipeline;
    {
        hpart::device host("host");
        pipeline = hpart::pipeline(host); // keeps the device open
    }
    auto out = doubled_by(pipeline, in);
    for (std::size_t k = 0; k < in.size(); ++k) EXPECT_EQ(out[k], (k < 4 ? 4 : 2) * in[k]);
}

TEST(CppPipeline, ExceptionsComeBack)
{
    std::vector<double> values(4);
    hpart::device host("host");
    hpart::pipeline pipeline(host);
    const auto array = pipeline.add_array(32);
    pipeline.update(array, values.data(), 1, 32, 32);
    pipeline.end_step();
    EXPECT_THROW(pipeline.run([](const hpart::step &) { throw std::out_of_range("step"); }), std::out_of_range);
    expect_status(HPART_ERR_CALLBACK, "",
                  [&] { pipeline.run([](const hpart::step &) { return std::int64_t{1} << 32; }); });
    hpart::options options;
    options.set_progress([](double, const char *) { return true; });
    EXPECT_THROW(pipeline.run([](const hpart::step &) {}, options), hpart::cancelled);
    EXPECT_NO_THROW(pipeline.run([](const hpart::step &) {}));
    EXPECT_THROW(pipeline.read(7, values.data(), 1, 32, 32), hpart::error);
}

} // namespace
