// Fourier transforms by cuFFT on the fake driver: on the device, and of data that is larger than it.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "unit/factorisations/store.hpp"
#include "unit/fft/problem.hpp"

#include <complex>
#include <numbers>

using namespace hpart;

namespace
{

using CudaFft = fake::Test;

using factor_test::Dense;
using factor_test::Number;
using factor_test::Store;

// By the definition.
Dense transform_of(const Dense &x, int sign)
{
    const auto n = x.rows;
    Dense roots(n, n);
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t j = 0; j < n; ++j)
            roots.at(k, j) =
                std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
    return factor_test::product(roots, x);
}

double tolerance(bool is_double) { return is_double ? 2e-14 : 1e-5; } // the roots of the reference are rounded too

// Memory of the device that a test reads and writes as numbers.
struct OnDevice {
    DeviceSession &session;
    std::unique_ptr<DeviceQueue> queue = session.device().make_queue();
    SessionBuffer buffer;
    std::int64_t bytes;
    OnDevice(DeviceSession &of, std::int64_t size) : session(of), buffer(session.allocate(size)), bytes(size) {}

    void write(const void *from)
    {
        ASSERT_EQ(session.device().write(*queue, {buffer.get(), 0, bytes}, from, bytes, {1, bytes}, {})->wait(),
                  EventState::done);
    }
    void read(void *to)
    {
        ASSERT_EQ(session.device().read(*queue, {buffer.get(), 0, bytes}, to, bytes, {1, bytes}, {})->wait(),
                  EventState::done);
    }
};

// The k-th real number of an array of complex ones.
Number real_of(const Store &array, std::int64_t k)
{
    const auto value = array.get(0, k / 2);
    return k % 2 == 0 ? value.real() : value.imag();
}

void check_shape(DeviceSession &session, const DeviceFftShape &shape, fake::Random &random)
{
    const auto engine = in_card_fft(session);
    ASSERT_TRUE(engine->supports(shape));
    const auto type = shape.is_double ? Scalar::z : Scalar::c;
    const bool is_real = shape.kind != FftKind::complex, backwards = shape.kind == FftKind::complex_to_real;
    const std::int64_t n = shape.length, half = n / 2 + 1;
    const auto line = [&](std::int64_t outer, std::int64_t inner, std::int64_t k) {
        return outer * shape.distance() + k * shape.pitch + inner;
    };
    Store before(type, true, factor_test::any_dense(type, 1, shape.outer * shape.distance(), random), 0);
    if (backwards) // the spectrum of real numbers
        for (std::int64_t o = 0; o < shape.outer; ++o) {
            before.set(0, line(o, 0, 0), before.get(0, line(o, 0, 0)).real());
            if (n % 2 == 0) before.set(0, line(o, 0, n / 2), before.get(0, line(o, 0, n / 2)).real());
        }
    OnDevice data(session, before.columns() * bytes_of(type));
    data.write(before.matrix().data);
    engine->prepare(shape);
    const auto scratch_bytes = engine->scratch_bytes(shape);
    SessionBuffer scratch;
    if (scratch_bytes > 0) scratch = session.allocate(scratch_bytes);
    ASSERT_EQ(session.device()
                  .launch(*data.queue, engine->transform(shape, {data.buffer.get(), 0}, scratch.get()), {})
                  ->wait(),
              EventState::done);
    auto after = before;
    data.read(after.matrix().data);
    for (std::int64_t o = 0; o < shape.outer; ++o)
        for (std::int64_t i = 0; i < shape.inner; ++i) {
            Dense x(n, 1), y(is_real && !backwards ? half : n, 1);
            const auto real_at = [&](const Store &from, std::int64_t k) {
                return real_of(from, 2 * o * shape.distance() + k);
            };
            const auto complex_at = [&](const Store &from, std::int64_t k) { return from.get(0, line(o, i, k)); };
            for (std::int64_t k = 0; k < n; ++k)
                x.at(k, 0) = !is_real     ? complex_at(before, k)
                             : !backwards ? real_at(before, k)
                             : k < half   ? complex_at(before, k)
                                          : std::conj(complex_at(before, n - k));
            for (std::int64_t k = 0; k < y.rows; ++k) y.at(k, 0) = backwards ? real_at(after, k) : complex_at(after, k);
            const auto exact = transform_of(x, is_real ? (backwards ? 1 : -1) : shape.sign).block(0, 0, y.rows, 1);
            ASSERT_LE(factor_test::norm(factor_test::sum(y, -1, exact)),
                      tolerance(shape.is_double) * factor_test::norm(exact))
                << "array " << o << ", column " << i;
        }
    // Beside the columns nothing changes.
    if (is_real) return;
    for (std::int64_t k = 0; k < before.columns(); ++k)
        if (k % shape.pitch >= shape.inner) {
            ASSERT_EQ(after.get(0, k), before.get(0, k));
        }
}

TEST_F(CudaFft, TransformsWhatIsOnTheDevice)
{
    auto random = fake::seeded(20);
    {
        DeviceSession session(fake::open(), std::nullopt);
        EXPECT_EQ(in_card_fft_names(session), std::vector<std::string>{"cufft"});
        for (std::int64_t i = 0; i < fake::instances(60); ++i) {
            DeviceFftShape shape;
            shape.is_double = fake::between(random, 0, 1) == 0;
            shape.kind = static_cast<FftKind>(fake::between(random, 0, 2));
            shape.sign = fake::between(random, 0, 1) == 0 ? -1 : 1;
            shape.outer = fake::between(random, 1, 5);
            shape.length = fake::between(random, shape.kind == FftKind::complex ? 1 : 2, 40);
            if (shape.kind == FftKind::complex) {
                shape.inner = fake::between(random, 1, 8);
                shape.pitch = shape.inner + fake::between(random, 0, 3);
            }
            check_shape(session, shape, random);
            if (HasFailure())
                FAIL() << "instance " << i << ": kind " << static_cast<int>(shape.kind) << ", " << shape.outer << " of "
                       << shape.length << " x " << shape.inner << " of " << shape.pitch;
        }
    }
    fake::expect_clean();
}

TEST_F(CudaFft, TwiddlesWhatIsOnTheDevice)
{
    auto random = fake::seeded(21);
    DeviceSession session(fake::open(), std::nullopt);
    const auto engine = in_card_fft(session);
    for (std::int64_t i = 0; i < fake::instances(60); ++i) {
        DeviceTwiddle what;
        what.is_double = fake::between(random, 0, 1) == 0;
        what.sign = fake::between(random, 0, 1) == 0 ? -1 : 1;
        what.rows = fake::between(random, 1, 50);
        const auto all_columns = fake::between(random, 1, 60);
        what.first = fake::between(random, 0, all_columns - 1);
        what.columns = fake::between(random, 1, all_columns - what.first);
        what.n = what.rows * all_columns;
        const auto type = what.is_double ? Scalar::z : Scalar::c;
        Store before(type, true, factor_test::any_dense(type, what.rows, what.columns, random), 0),
            after(type, true, what.columns, what.rows, 0);
        const auto roots = twiddle_roots(what.n, what.sign, what.is_double);
        OnDevice from(session, what.rows * what.columns * bytes_of(type)), to(session, from.bytes),
            table(session, static_cast<std::int64_t>(roots.size()));
        from.write(before.matrix().data);
        table.write(roots.data());
        what.from = {from.buffer.get(), 0};
        what.to = {to.buffer.get(), 0};
        what.roots = {table.buffer.get(), 0};
        ASSERT_EQ(session.device().launch(*to.queue, engine->twiddle(what), {})->wait(), EventState::done);
        to.read(after.matrix().data);
        for (std::int64_t k = 0; k < what.rows; ++k)
            for (std::int64_t c = 0; c < what.columns; ++c) {
                const auto turn = static_cast<double>(k * (what.first + c)) / static_cast<double>(what.n);
                const auto exact = before.get(k, c) * std::polar(1.0, what.sign * 2 * std::numbers::pi * turn);
                ASSERT_LE(std::abs(after.get(c, k) - exact), what.is_double ? 4e-15 : 2e-6);
            }
    }
}

void transform(std::int64_t limit, const problem::Problem &problem)
{
    DeviceGroup devices{{support::known_device(fake::open(), limit)}};
    problem::Arrays arrays(problem);
    Report report;
    fft(devices, arrays.call(), Options(), report);
    EXPECT_LE(arrays.error(), arrays.tolerance()) << describe(problem);
    EXPECT_TRUE(arrays.rest_is_untouched()) << describe(problem);
}

TEST_F(CudaFft, TransformsWhatIsLargerThanTheDevice)
{
    auto random = fake::seeded(22);
    for (std::int64_t i = 0; i < fake::instances(12) && !HasFailure(); ++i) {
        fake_cuda::reset({.refuses_pitches_on_device = i % 3 == 0,
                          .copies_pageable_later = i % 2 == 0,
                          .longest_delay_microseconds = i % 4 == 0 ? 30 : 0});
        transform(fake::between(random, 64 << 10, 128 << 10),
                  problem::any_problem(random, std::int64_t{1} << fake::between(random, 8, 14)));
        fake::expect_clean();
    }
}

TEST_F(CudaFft, AnyCallOrCommandMayFail)
{
    const auto problem = problem::problem_of(FftKind::complex, {60, 100});
    fake::any_call_or_command_may_fail([&] { transform(64 << 10, problem); });
}

} // namespace
