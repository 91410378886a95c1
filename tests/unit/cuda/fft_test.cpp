// Fourier transforms by cuFFT on the fake driver: on the device, and of data that is larger than it.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "unit/fft/problem.hpp"

#include <complex>
#include <numbers>

using namespace hpart;

namespace
{

class CudaFft : public fake::Test
{
};

using Number = std::complex<double>;

// By the definition.
std::vector<Number> transform_of(const std::vector<Number> &x, int sign)
{
    const auto n = x.size();
    std::vector<Number> roots(n), y(n);
    for (std::size_t k = 0; k < n; ++k)
        roots[k] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) y[k] += x[j] * roots[j * k % n];
    return y;
}

Number any_number(fake::Random &random)
{
    std::uniform_real_distribution<> part(-1, 1);
    return {part(random), part(random)};
}

double distance(const std::vector<Number> &a, const std::vector<Number> &b)
{
    double apart = 0, size = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        apart += std::norm(a[k] - b[k]);
        size += std::norm(b[k]);
    }
    return std::sqrt(apart / std::max(size, 1e-300));
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

// Numbers of either precision as doubles.
std::vector<unsigned char> packed(const std::vector<double> &values, bool is_double)
{
    std::vector<unsigned char> bytes(values.size() * (is_double ? sizeof(double) : sizeof(float)));
    for (std::size_t k = 0; k < values.size(); ++k)
        if (is_double)
            reinterpret_cast<double *>(bytes.data())[k] = values[k];
        else
            reinterpret_cast<float *>(bytes.data())[k] = static_cast<float>(values[k]);
    return bytes;
}
double unpacked(const std::vector<unsigned char> &bytes, std::size_t k, bool is_double)
{
    return is_double ? reinterpret_cast<const double *>(bytes.data())[k]
                     : static_cast<double>(reinterpret_cast<const float *>(bytes.data())[k]);
}

void check_shape(DeviceSession &session, const DeviceFftShape &shape, fake::Random &random)
{
    const auto engine = in_card_fft(session);
    ASSERT_TRUE(engine->supports(shape));
    const auto count = static_cast<std::size_t>(shape.outer * shape.distance());
    std::vector<double> values(2 * count);
    for (auto &value : values) value = any_number(random).real();
    const bool is_real = shape.kind != FftKind::complex, backwards = shape.kind == FftKind::complex_to_real;
    const auto n = static_cast<std::size_t>(shape.length), half = n / 2 + 1;
    const auto line = [&](std::size_t outer, std::size_t inner, std::size_t k) {
        return outer * static_cast<std::size_t>(shape.distance()) + k * static_cast<std::size_t>(shape.pitch) + inner;
    };
    if (backwards) // the spectrum of real numbers
        for (std::size_t o = 0; o < static_cast<std::size_t>(shape.outer); ++o) {
            values[2 * line(o, 0, 0) + 1] = 0;
            if (n % 2 == 0) values[2 * line(o, 0, n / 2) + 1] = 0;
        }
    auto bytes = packed(values, shape.is_double);
    OnDevice data(session, static_cast<std::int64_t>(bytes.size()));
    data.write(bytes.data());
    engine->prepare(shape);
    const auto scratch_bytes = engine->scratch_bytes(shape);
    SessionBuffer scratch;
    if (scratch_bytes > 0) scratch = session.allocate(scratch_bytes);
    ASSERT_EQ(session.device()
                  .launch(*data.queue, engine->transform(shape, {data.buffer.get(), 0}, scratch.get()), {})
                  ->wait(),
              EventState::done);
    auto after = bytes;
    data.read(after.data());
    for (std::size_t o = 0; o < static_cast<std::size_t>(shape.outer); ++o)
        for (std::size_t i = 0; i < static_cast<std::size_t>(shape.inner); ++i) {
            std::vector<Number> x(n), y(is_real && !backwards ? half : n);
            const auto real_at = [&](const std::vector<unsigned char> &from, std::size_t k) {
                return unpacked(from, 2 * o * static_cast<std::size_t>(shape.distance()) + k, shape.is_double);
            };
            const auto complex_at = [&](const std::vector<unsigned char> &from, std::size_t k) {
                return Number(unpacked(from, 2 * line(o, i, k), shape.is_double),
                              unpacked(from, 2 * line(o, i, k) + 1, shape.is_double));
            };
            for (std::size_t k = 0; k < n; ++k)
                x[k] = !is_real     ? complex_at(bytes, k)
                       : !backwards ? Number(real_at(bytes, k))
                       : k < half   ? complex_at(bytes, k)
                                    : std::conj(complex_at(bytes, n - k));
            for (std::size_t k = 0; k < y.size(); ++k)
                y[k] = backwards ? Number(real_at(after, k)) : complex_at(after, k);
            auto exact = transform_of(x, is_real ? (backwards ? 1 : -1) : shape.sign);
            exact.resize(y.size());
            ASSERT_LE(distance(y, exact), tolerance(shape.is_double)) << "array " << o << ", column " << i;
        }
    // Beside the columns nothing changes.
    if (is_real) return;
    for (std::size_t k = 0; k < 2 * count; ++k) {
        const auto place = static_cast<std::int64_t>(k) / 2 % shape.pitch;
        if (place >= shape.inner) {
            ASSERT_EQ(unpacked(after, k, shape.is_double), unpacked(bytes, k, shape.is_double));
        }
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

TEST_F(CudaFft, TwistsWhatIsOnTheDevice)
{
    auto random = fake::seeded(21);
    DeviceSession session(fake::open(), std::nullopt);
    const auto engine = in_card_fft(session);
    for (std::int64_t i = 0; i < fake::instances(60); ++i) {
        DeviceTwist what;
        what.is_double = fake::between(random, 0, 1) == 0;
        what.sign = fake::between(random, 0, 1) == 0 ? -1 : 1;
        what.rows = fake::between(random, 1, 50);
        const auto all_columns = fake::between(random, 1, 60);
        what.first = fake::between(random, 0, all_columns - 1);
        what.columns = fake::between(random, 1, all_columns - what.first);
        what.n = what.rows * all_columns;
        const auto count = static_cast<std::size_t>(what.rows * what.columns);
        std::vector<double> values(2 * count);
        for (auto &value : values) value = any_number(random).real();
        auto bytes = packed(values, what.is_double);
        const auto roots = twist_roots(what.n, what.sign, what.is_double);
        OnDevice from(session, static_cast<std::int64_t>(bytes.size())), to(session, from.bytes),
            table(session, static_cast<std::int64_t>(roots.size()));
        from.write(bytes.data());
        table.write(roots.data());
        what.from = {from.buffer.get(), 0};
        what.to = {to.buffer.get(), 0};
        what.roots = {table.buffer.get(), 0};
        ASSERT_EQ(session.device().launch(*to.queue, engine->twist(what), {})->wait(), EventState::done);
        auto after = bytes;
        to.read(after.data());
        for (std::int64_t k = 0; k < what.rows; ++k)
            for (std::int64_t c = 0; c < what.columns; ++c) {
                const auto at = [&](const std::vector<unsigned char> &array, std::int64_t place) {
                    const auto p = 2 * static_cast<std::size_t>(place);
                    return Number(unpacked(array, p, what.is_double), unpacked(array, p + 1, what.is_double));
                };
                const auto turn = static_cast<double>(k * (what.first + c)) / static_cast<double>(what.n);
                const auto exact =
                    at(bytes, k * what.columns + c) * std::polar(1.0, what.sign * 2 * std::numbers::pi * turn);
                ASSERT_LE(std::abs(at(after, c * what.rows + k) - exact), what.is_double ? 4e-15 : 2e-6);
            }
    }
}

void transform(std::int64_t limit, const problem::Problem &problem)
{
    DeviceGroup devices;
    devices.sessions.push_back(support::known_device(fake::open(), limit));
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
    problem::Problem problem;
    problem.call.dims = {60, 100};
    fake::any_call_or_command_may_fail([&] { transform(64 << 10, problem); });
}

} // namespace
