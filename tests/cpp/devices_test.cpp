// Operations of four types on the host device, pinned memory and pipelines.
#include <hpart.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

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

template <typename Value> struct real_of {
    using type = Value;
};
template <typename Real> struct real_of<std::complex<Real>> {
    using type = Real;
};

template <typename Value> Value conjugate(Value value)
{
    if constexpr (std::is_floating_point_v<Value>)
        return value;
    else
        return std::conj(value);
}

// n x n matrices in rows; well conditioned, since the diagonal dominates.
template <typename Value> struct matrix {
    std::size_t n;
    std::vector<Value> values;

    explicit matrix(std::size_t order, unsigned seed = 0) : n(order), values(order * order)
    {
        if (seed == 0) return;
        std::mt19937 random(seed);
        std::uniform_real_distribution<typename real_of<Value>::type> numbers(-1, 1);
        for (auto &each : values)
            if constexpr (std::is_floating_point_v<Value>)
                each = numbers(random);
            else
                each = {numbers(random), numbers(random)};
        for (std::size_t i = 0; i < n; ++i) values[i * n + i] += static_cast<typename real_of<Value>::type>(2 * n);
    }
    Value *data() { return values.data(); }
    Value &operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
};

template <typename Value> matrix<Value> product(matrix<Value> a, matrix<Value> b)
{
    matrix<Value> c(a.n);
    for (std::size_t i = 0; i < a.n; ++i)
        for (std::size_t j = 0; j < a.n; ++j)
            for (std::size_t k = 0; k < a.n; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}

template <typename Value> matrix<Value> adjoint(matrix<Value> a)
{
    matrix<Value> result(a.n);
    for (std::size_t i = 0; i < a.n; ++i)
        for (std::size_t j = 0; j < a.n; ++j) result(i, j) = conjugate(a(j, i));
    return result;
}

template <typename Value> void expect_near(const std::vector<Value> &found, const std::vector<Value> &expected)
{
    using real = typename real_of<Value>::type;
    ASSERT_EQ(found.size(), expected.size());
    real largest = 1;
    for (const auto &each : expected) largest = std::max(largest, std::abs(each));
    for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_LE(std::abs(found[k] - expected[k]), 1000 * std::numeric_limits<real>::epsilon() * largest) << k;
}

template <typename Value> class CppOperations : public testing::Test
{
  protected:
    static constexpr std::size_t count_ = 6;
    static constexpr std::int64_t order_ = count_;
    hpart::device host_{"host"};
    matrix<Value> a_{count_, 1}, b_{count_, 2}, c_{count_, 3};
    std::vector<std::int64_t> pivots_ = std::vector<std::int64_t>(count_);
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CppOperations, Types);

TYPED_TEST(CppOperations, Products)
{
    using value = TypeParam;
    auto &a = this->a_, &b = this->b_, &c = this->c_;
    const auto n = this->order_;
    auto expected = product(a, adjoint(b));
    for (std::size_t k = 0; k < c.values.size(); ++k)
        expected.values[k] = value(2) * expected.values[k] + value(3) * c.values[k];
    OR_SKIP(hpart::gemm(this->host_, layout::row_major, transpose::no, transpose::conjugate, n, n, n, 2, a.data(), n,
                        b.data(), n, 3, c.data(), n))
    expect_near(c.values, expected.values);

    // The same rows as columns are the transposed matrices: B A = (A^T B^T)^T.
    const auto report = hpart::gemm(this->host_, layout::column_major, transpose::no, transpose::no, n, n, n, 1,
                                    b.data(), n, a.data(), n, 0, c.data(), n, {{"queues", 1}});
    expect_near(c.values, product(a, b).values);
    EXPECT_EQ(report.template get<std::string>("method"), "host");
    EXPECT_GE(report.template get<double>("seconds"), 0);

    std::vector<value> x(this->count_, value(2)), y(this->count_), sums(this->count_);
    for (std::size_t i = 0; i < this->count_; ++i)
        for (std::size_t j = 0; j < this->count_; ++j) sums[i] += value(2) * a(i, j);
    hpart::gemv(this->host_, layout::row_major, transpose::no, n, n, 1, a.data(), n, x.data(), 1, 0, y.data(), -1);
    std::reverse(y.begin(), y.end());
    expect_near(y, sums);

    const auto below = [&](matrix<value> whole, const matrix<value> &rest) {
        for (std::size_t i = 0; i < whole.n; ++i)
            for (std::size_t j = i + 1; j < whole.n; ++j) whole(i, j) = rest.values[i * whole.n + j];
        return whole.values;
    };
    matrix<value> transposed(this->count_), square(this->count_, 4);
    for (std::size_t i = 0; i < this->count_; ++i)
        for (std::size_t j = 0; j < this->count_; ++j) transposed(i, j) = a(j, i);
    const auto before = square;
    hpart::syrk(this->host_, layout::row_major, triangle::lower, transpose::no, n, n, 1, a.data(), n, 0, square.data(),
                n);
    expect_near(square.values, below(product(a, transposed), before));
    if constexpr (!std::is_floating_point_v<value>) {
        hpart::herk(this->host_, layout::row_major, triangle::lower, transpose::no, n, n, 1, a.data(), n, 0,
                    square.data(), n);
        expect_near(square.values, below(product(a, adjoint(a)), before));
    }
}

TYPED_TEST(CppOperations, FactorsAndSolutions)
{
    using value = TypeParam;
    auto &a = this->a_, &c = this->c_;
    const auto n = this->order_;
    auto &host = this->host_;
    const auto rows = layout::row_major;
    const auto x = c;
    const auto right_side = product(a, x), definite = product(a, adjoint(a));
    auto left = a, solved = right_side;
    OR_SKIP(hpart::gesv(host, rows, n, n, left.data(), n, this->pivots_.data(), solved.data(), n))
    expect_near(solved.values, x.values);

    auto factors = a;
    hpart::getrf(host, rows, n, n, factors.data(), n, this->pivots_.data());
    expect_near(factors.values, left.values);
    solved = right_side; // L U X = P B by two triangular solutions
    for (std::size_t i = 0; i < this->count_; ++i)
        for (std::size_t j = 0; j < this->count_; ++j)
            std::swap(solved(i, j), solved(static_cast<std::size_t>(this->pivots_[i] - 1), j));
    hpart::trsm(host, rows, hpart::side::left, triangle::lower, transpose::no, hpart::diagonal::unit, n, n, 1,
                factors.data(), n, solved.data(), n);
    hpart::trsm(host, rows, hpart::side::left, triangle::upper, transpose::no, hpart::diagonal::non_unit, n, n, 1,
                factors.data(), n, solved.data(), n);
    expect_near(solved.values, x.values);

    auto cholesky = definite;
    solved = product(definite, x);
    hpart::posv(host, rows, triangle::lower, n, n, cholesky.data(), n, solved.data(), n);
    expect_near(solved.values, x.values);
    auto again = definite;
    hpart::potrf(host, rows, triangle::lower, n, again.data(), n);
    expect_near(again.values, cholesky.values);

    left = a;
    solved = right_side;
    hpart::gels(host, rows, transpose::no, n, n, n, left.data(), n, solved.data(), n);
    expect_near(solved.values, x.values);
    auto orthogonal = a;
    std::vector<value> tau(this->count_);
    hpart::geqrf(host, rows, n, n, orthogonal.data(), n, tau.data());
    value sum{}, norm{}; // the first column of R has the norm of that of A
    for (std::size_t i = 0; i < this->count_; ++i) sum += a(i, 0) * conjugate(a(i, 0));
    norm = orthogonal(0, 0) * conjugate(orthogonal(0, 0));
    expect_near(std::vector<value>{norm}, {sum});
}

TYPED_TEST(CppOperations, SingularMatricesHaveAReport)
{
    matrix<TypeParam> zero(this->count_);
    OR_SKIP(hpart::getrf(this->host_, layout::row_major, this->order_, this->order_, this->a_.data(), this->order_,
                         this->pivots_.data()))
    try {
        hpart::getrf(this->host_, layout::row_major, this->order_, this->order_, zero.data(), this->order_,
                     this->pivots_.data());
        FAIL();
    } catch (const hpart::numerical &error) {
        ASSERT_NE(error.report(), nullptr);
        EXPECT_EQ(error.report()->template get<int>("info"), 1);
    }
}

template <typename Real> void check_transforms()
{
    hpart::device host("host");
    const std::vector<std::int64_t> dims{2, 3};
    const std::vector<std::complex<Real>> in{{1, 1}, {2, 0}, {3, -1}, {4, 0}, {5, 2}, {6, 0}};
    std::vector<std::complex<Real>> spectrum(6), back(6), half(4), expected(6);
    const Real pi = std::acos(Real(-1));
    for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t j = 0; j < 6; ++j)
            expected[k] += in[j] * std::polar(Real(1), -2 * pi *
                                                           (static_cast<Real>((k / 3) * (j / 3)) / 2 +
                                                            static_cast<Real>((k % 3) * (j % 3)) / 3));
    OR_SKIP(hpart::fft(host, dims, 1, -1, in.data(), spectrum.data()))
    expect_near(spectrum, expected);
    hpart::fft(host, {2, 3}, 1, +1, spectrum.data(), back.data());
    for (auto &each : back) each /= Real(6);
    expect_near(back, in);

    const std::vector<Real> numbers{1, 2, 3, 4, 5, 6};
    std::vector<Real> again(6);
    hpart::fft_r2c(host, dims, 1, numbers.data(), half.data());
    expect_near({half[0]}, std::vector<std::complex<Real>>{{21, 0}});
    hpart::fft_c2r(host, dims, 1, half.data(), again.data());
    for (auto &each : again) each /= Real(6);
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
    EXPECT_THROW(host.alloc_pinned<double>(std::numeric_limits<std::size_t>::max()), hpart::error);
    EXPECT_THROW(host.driver_handle("cl_context"), hpart::error);
    EXPECT_THROW(hpart::device("no such device"), hpart::error);
    for (const auto &each : hpart::devices()) EXPECT_NE(each.find(':'), std::string::npos);
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
    try {
        pipeline.run([](const hpart::step &) { return std::int64_t{1} << 32; });
        FAIL();
    } catch (const hpart::error &error) {
        EXPECT_EQ(error.status(), HPART_ERR_CALLBACK);
    }
    hpart::options options;
    options.set_progress([](double, const char *) { return true; });
    EXPECT_THROW(pipeline.run([](const hpart::step &) {}, options), hpart::cancelled);
    EXPECT_NO_THROW(pipeline.run([](const hpart::step &) {}));
    EXPECT_THROW(pipeline.read(7, values.data(), 1, 32, 32), hpart::error);
}

} // namespace
