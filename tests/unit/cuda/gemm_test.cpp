// Products by cuBLAS on the fake driver, and products of matrices on the host through a CUDA device.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/in_card/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace hpart;

namespace
{

template <typename Value> using RealOf = decltype(std::abs(Value{}));

template <typename Value> class CudaGemm : public fake::Test
{
};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CudaGemm, Values);

template <typename Value> Value any_value(fake::Random &random)
{
    std::uniform_real_distribution<> real(-1, 1);
    if constexpr (is_complex(ScalarOf<Value>::type))
        return Value(Coefficient(real(random), real(random)));
    else
        return static_cast<Value>(real(random));
}

// Row-major with a leading dimension and an offset, NaN around.
template <typename Value> struct Matrix {
    std::int64_t rows, columns, ld, offset;
    std::vector<Value> values;

    Matrix(fake::Random &random, std::int64_t r, std::int64_t c, bool is_nan = false)
        : rows(r), columns(c), ld(c + fake::between(random, 0, 5)), offset(fake::between(random, 0, 3)),
          values(static_cast<std::size_t>(offset + rows * ld), Value(std::numeric_limits<RealOf<Value>>::quiet_NaN()))
    {
        if (is_nan) return;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) at(i, j) = any_value<Value>(random);
    }
    Value &at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(offset + i * ld + j)]; }
    const Value &at(std::int64_t i, std::int64_t j) const
    {
        return values[static_cast<std::size_t>(offset + i * ld + j)];
    }
    std::int64_t bytes() const { return static_cast<std::int64_t>(values.size() * sizeof(Value)); }
    Coefficient operated(Transpose transpose, std::int64_t i, std::int64_t j) const
    {
        const Coefficient value(transpose == Transpose::none ? at(i, j) : at(j, i));
        return transpose == Transpose::conjugate ? std::conj(value) : value;
    }
};
template <typename Value> struct Problem {
    DeviceGemm what;
    Matrix<Value> a, b, c, before;

    static Matrix<Value> operand(fake::Random &random, Transpose transpose, std::int64_t rows, std::int64_t columns)
    {
        return transpose == Transpose::none ? Matrix<Value>(random, rows, columns)
                                            : Matrix<Value>(random, columns, rows);
    }
    static DeviceGemm any(fake::Random &random, std::int64_t largest)
    {
        DeviceGemm what;
        what.m = fake::between(random, 1, largest);
        what.n = fake::between(random, 1, largest);
        what.k = fake::between(random, 1, largest);
        what.transpose_a = static_cast<Transpose>(fake::between(random, 0, 2));
        what.transpose_b = static_cast<Transpose>(fake::between(random, 0, 2));
        what.alpha = Coefficient(any_value<Value>(random));
        what.beta = fake::between(random, 0, 2) == 0 ? Coefficient(0) : Coefficient(any_value<Value>(random));
        return what;
    }
    Problem(fake::Random &random, std::int64_t largest)
        : what(any(random, largest)), a(operand(random, what.transpose_a, what.m, what.k)),
          b(operand(random, what.transpose_b, what.k, what.n)), c(random, what.m, what.n, what.beta == Coefficient(0)),
          before(c)
    {
    }

    // |C - exact| <= 4 (k + 2) eps (|alpha| |A| |B| + |beta| |C|), element by element
    void check() const
    {
        constexpr auto eps = static_cast<double>(std::numeric_limits<RealOf<Value>>::epsilon());
        for (std::int64_t i = 0; i < what.m; ++i)
            for (std::int64_t j = 0; j < what.n; ++j) {
                Coefficient sum = 0, old = 0;
                double size = 0;
                for (std::int64_t q = 0; q < what.k; ++q) {
                    const auto x = a.operated(what.transpose_a, i, q), y = b.operated(what.transpose_b, q, j);
                    sum += x * y;
                    size += std::abs(x) * std::abs(y);
                }
                if (what.beta != Coefficient(0)) old = before.operated(Transpose::none, i, j);
                const auto exact = what.alpha * sum + what.beta * old;
                const auto bound = 4 * static_cast<double>(what.k + 2) * eps *
                                   (std::abs(what.alpha) * size + std::abs(what.beta) * std::abs(old));
                ASSERT_LE(std::abs(c.operated(Transpose::none, i, j) - exact), bound) << i << ", " << j;
            }
    }
};

void expect_done(const Event &event) { ASSERT_EQ(event->wait(), EventState::done) << event->failure(); }

TYPED_TEST(CudaGemm, MultipliesWhatIsOnTheDevice)
{
    auto random = fake::seeded(10);
    {
        DeviceSession session(fake::open(), std::nullopt);
        const auto type = ScalarOf<TypeParam>::type;
        EXPECT_EQ(in_card_gemm_names(session, type), std::vector<std::string>{"cublas"});
        const auto kernel = in_card_gemm(session, type);
        EXPECT_EQ(kernel->type(), type);
        auto &device = session.device();
        const auto queue = device.make_queue();
        for (std::int64_t i = 0; i < fake::instances(100); ++i) {
            Problem<TypeParam> problem(random, 20);
            std::vector<SessionBuffer> buffers;
            const auto put = [&](const Matrix<TypeParam> &matrix) {
                buffers.push_back(session.allocate(matrix.bytes()));
                expect_done(device.write(*queue, {buffers.back().get(), 0, matrix.bytes()}, matrix.values.data(),
                                         matrix.bytes(), {1, matrix.bytes()}, {}));
                return DeviceMatrix{buffers.back().get(), matrix.offset, matrix.ld};
            };
            problem.what.a = put(problem.a);
            problem.what.b = put(problem.b);
            problem.what.c = put(problem.c);
            const auto event = device.launch(*queue, kernel->product(problem.what), {});
            auto &c = problem.c;
            expect_done(device.read(*queue, {buffers.back().get(), 0, c.bytes()}, c.values.data(), c.bytes(),
                                    {1, c.bytes()}, std::vector{event}));
            expect_done(event);
            problem.check();
            if (this->HasFailure()) FAIL() << "instance " << i;
        }
    }
    fake::expect_clean();
}

// Several threads' queues share nothing but the device, whose account holds cuBLAS's workspace and handle.
TYPED_TEST(CudaGemm, CountsTheWorkspace)
{
    DeviceSession session(fake::open(), std::int64_t{1} << 20);
    EXPECT_EQ(session.used(), 0);
    const auto kernel = in_card_gemm(session, ScalarOf<TypeParam>::type);
    EXPECT_EQ(session.used(), (16 << 10) + fake_cuda::HiddenBytes().blas_handle);
    EXPECT_EQ(kernel->hidden_bytes(1000, 1000, 1000), 0);
}

// Before CUDA 12 sides have 32 bits.
TYPED_TEST(CudaGemm, TakesSidesAsLongAsCublasDoes)
{
    constexpr auto type = ScalarOf<TypeParam>::type;
    DeviceGemm what;
    what.m = what.n = what.k = 1;
    what.c.ld = std::int64_t{1} << 31;
    DeviceSession session(fake::open(), std::nullopt);
    EXPECT_NO_THROW(in_card_gemm(session, type)->product(what));
    DeviceSession old(make_cuda_device(0, {FAKE_CUDA_LIBRARY, FAKE_CUBLAS_11_LIBRARY, FAKE_CUDA_LIBRARY}),
                      std::nullopt);
    const auto kernel = in_card_gemm(old, type);
    EXPECT_EQ(kernel->largest_side(), (std::int64_t{1} << 31) - 1);
    EXPECT_THROW(kernel->product(what), Error);
}

template <typename Value> void multiply(DeviceGroup &devices, Problem<Value> &problem, bool row_major)
{
    GemmCall call;
    call.type = ScalarOf<Value>::type;
    const auto &what = problem.what;
    call.alpha = what.alpha;
    call.beta = what.beta;
    const auto first = [](auto &matrix) { return matrix.values.data() + matrix.offset; };
    call.c = first(problem.c);
    call.ldc = problem.c.ld;
    call.k = what.k;
    call.row_major = row_major;
    call.m = what.m;
    call.n = what.n;
    call.transpose_a = what.transpose_a;
    call.transpose_b = what.transpose_b;
    call.a = first(problem.a);
    call.lda = problem.a.ld;
    call.b = first(problem.b);
    call.ldb = problem.b.ld;
    if (!row_major) {
        std::swap(call.m, call.n);
        std::swap(call.transpose_a, call.transpose_b);
        std::swap(call.a, call.b);
        std::swap(call.lda, call.ldb);
    }
    Report report;
    gemm(devices, call, Options(), report);
}

TYPED_TEST(CudaGemm, MultipliesWhatIsLargerThanTheDevice)
{
    auto random = fake::seeded(11);
    for (std::int64_t i = 0; i < fake::instances(12); ++i) {
        fake_cuda::reset({.refuses_pitches_on_device = i % 3 == 0,
                          .copies_pageable_later = i % 2 == 0,
                          .longest_delay_microseconds = i % 4 == 0 ? 50 : 0});
        {
            DeviceGroup devices;
            const CudaLibraries old{FAKE_CUDA_LIBRARY, FAKE_CUBLAS_11_LIBRARY, FAKE_CUDA_LIBRARY};
            devices.sessions.push_back(support::known_device(make_cuda_device(0, i % 5 == 0 ? old : fake::libraries),
                                                             fake::between(random, 64 << 10, 200 << 10)));
            Problem<TypeParam> problem(random, 150);
            multiply(devices, problem, i % 3 != 0);
            problem.check();
        }
        fake::expect_clean();
        if (this->HasFailure()) FAIL() << "instance " << i;
    }
}

TYPED_TEST(CudaGemm, MultipliesInTheHostsMemory)
{
    auto random = fake::seeded(13);
    fake_cuda::reset({.integrated = true, .reads_pageable_memory = true});
    {
        DeviceGroup devices;
        devices.sessions.push_back(support::known_device(fake::open(), std::nullopt));
        for (std::int64_t i = 0; i < fake::instances(12); ++i) {
            Problem<TypeParam> problem(random, 60);
            multiply(devices, problem, i % 3 != 0);
            problem.check();
            if (this->HasFailure()) FAIL() << "instance " << i;
        }
    }
    fake::expect_clean();
}

TYPED_TEST(CudaGemm, AnyCallOrCommandMayFail)
{
    auto random = fake::seeded(12);
    const Problem<TypeParam> problem(random, 100);
    fake::any_call_or_command_may_fail([&] {
        DeviceGroup devices;
        devices.sessions.push_back(support::known_device(fake::open(), 100 << 10));
        auto copy = problem;
        multiply(devices, copy, true);
        copy.check();
    });
}

} // namespace
