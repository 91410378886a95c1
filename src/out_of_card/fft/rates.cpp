#include "out_of_card/fft/plan.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart
{

namespace
{

// A trial moves this much, or what fits in a quarter of the limit, and is repeated so often; the fastest counts. On cores more than
// caches hold: a transform out of card passes over memory, too, by plans of FFTW that are not yet measured.
constexpr std::int64_t trial_bytes = std::int64_t{1} << 20, trial_bytes_on_cores = std::int64_t{1} << 23;
constexpr int repetitions = 4;
// On other devices trials of less time would be of launches: they grow up to so many bytes, and are repeated in a row.
constexpr std::int64_t most_trial_bytes = std::int64_t{1} << 28;
constexpr double long_enough = 1e-3;
constexpr int most_in_a_row = 64;
constexpr std::int64_t trial_length = 2048; // of an axis of a large transform: short lines are twice as fast on cores
constexpr std::int64_t shortest_trial = 16; // where the memory holds no longer one

std::int64_t trial_room(const DeviceSession &session) { return (session.memory_limit() - session.used()) / 4; }

// Seconds of the flow of `give`, the least of some: of the host's clock, or of the device's for its kernels.
template <typename Give> double least_measured_seconds(DeviceSession &session, const Give &give, bool by_device = false)
{
    double least = 1e9;
    Control control;
    for (int k = 0; k < repetitions; ++k) {
        Flow flow(session, control);
        const auto start = Clock::now();
        give(flow);
        flow.finish();
        least = std::min(least, by_device ? flow.record().kernel_seconds : seconds_since(start));
    }
    return std::max(least, 1e-7);
}

// Seconds of one of many in a row.
template <typename Give> double seconds_in_a_row(DeviceSession &session, const Give &give, double command_seconds)
{
    const bool by_device = session.info().backend == Backend::cuda; // other drivers' events may not have their times
    for (int times = 1;; times *= 2) {
        const auto all = [&](Flow &flow) {
            for (int k = 0; k < times; ++k) give(flow);
        };
        auto seconds = least_measured_seconds(session, all, by_device);
        if (!by_device) seconds = std::max(seconds - command_seconds, seconds / 4);
        if (seconds >= long_enough || times == most_in_a_row) return seconds / times;
    }
}

// Transforms of rows and of columns of a matrix that is in the buffer.
void give_trial(Flow &flow, InCardFft &engine, DeviceFftShape shape, std::int64_t rows, DeviceBuffer *buffer)
{
    shape.outer = rows;
    flow.launch(engine.transform(shape, {buffer, 0}, nullptr));
    shape.outer = 1;
    shape.inner = shape.pitch = rows;
    flow.launch(engine.transform(shape, {buffer, 0}, nullptr));
}

bool needs_scratch(InCardFft &engine, DeviceFftShape shape, std::int64_t rows)
{
    const auto needs = [&] {
        engine.prepare(shape);
        return engine.scratch_bytes(shape) > 0;
    };
    shape.outer = rows;
    if (needs()) return true;
    shape.outer = 1;
    shape.inner = shape.pitch = rows;
    return needs();
}

double trial_flops(const DeviceFftShape &line, std::int64_t lines)
{
    return 10 * static_cast<double>(lines * line.length) * std::log2(static_cast<double>(line.length));
}

double trial_seconds(const FftRates &rates, const DeviceFftShape &line, std::int64_t lines)
{
    return trial_flops(line, lines) / rates.flops;
}

// The rates that the link does not have.
FftRates measure(DeviceSession &session, InCardFft &engine, const DeviceFftShape &line, std::int64_t lines)
{
    FftRates rates;
    const auto bytes = lines * line.length * line.complex_bytes();
    const auto buffer = session.allocate(bytes);
    const BufferSide side{buffer.get(), 0, bytes / 2}, half{buffer.get(), bytes / 2, bytes / 2};
    const std::array<unsigned char, 16> few{};
    const auto command = least_measured_seconds(session, [&](Flow &flow) {
        flow.write(side, few.data(), 16, {1, 16});
    });
    rates.command_seconds = command / 2; // the rest is the flow's own
    clear_memory(session, buffer.get(), bytes);
    const auto seconds_of = [&](const auto &give) {
        if (!session.info().on_host_cores) return seconds_in_a_row(session, give, command);
        const auto seconds = least_measured_seconds(session, give);
        return std::max(seconds - command, seconds / 4);
    };
    const auto copied = seconds_of([&](Flow &flow) { flow.copy(side, half, {1, bytes / 2}); });
    rates.copy = static_cast<double>(bytes) / 2 / copied;
    if (engine.supports(line) && !needs_scratch(engine, line, lines)) {
        const auto seconds = seconds_of([&](Flow &flow) { give_trial(flow, engine, line, lines, buffer.get()); });
        rates.flops = trial_flops(line, lines) / seconds;
    }
    return rates;
}

FftRates measure_rates(DeviceSession &session, InCardFft &engine, bool is_double)
{
    DeviceFftShape line;
    line.is_double = is_double;
    line.length = trial_length;
    const auto fits = [&] {
        return session.taken_by(line.length * line.complex_bytes()) <= session.memory_limit() - session.used();
    };
    while (line.length > shortest_trial && !fits()) line.length /= 2;
    if (!fits()) return {}; // nor will a plan
    const auto bytes = line.length * line.complex_bytes();
    const auto enough = (session.info().on_host_cores ? trial_bytes_on_cores : trial_bytes) / bytes;
    const auto room = std::max<std::int64_t>(trial_room(session) / bytes, 1), lines = std::min(room, enough);
    auto rates = measure(session, engine, line, lines);
    // A small trial's time is mostly its launches': it cannot predict how large a long trial must be.
    for (auto now = lines; !session.info().on_host_cores;) {
        const auto wanted = static_cast<double>(now) * long_enough / trial_seconds(rates, line, now);
        const auto more = std::min({room, most_trial_bytes / bytes, static_cast<std::int64_t>(wanted)});
        if (more < 2 * now) break;
        rates = measure(session, engine, line, now = more);
    }
    return rates;
}

} // namespace

void clear_memory(DeviceSession &session, DeviceBuffer *buffer, std::int64_t bytes)
{
    const auto first = std::min(bytes, trial_bytes);
    const AlignedVector<unsigned char> zeros(static_cast<std::size_t>(first));
    Control control;
    Flow flow(session, control);
    flow.write({buffer, 0, first}, zeros.data(), first, {1, first});
    for (auto cleared = first; cleared < bytes;) {
        const auto more = std::min(cleared, bytes - cleared);
        flow.copy({buffer, 0, more}, {buffer, cleared, more}, {1, more});
        cleared += more;
    }
    flow.finish();
}

std::string name_of_fft_rates(std::string_view engine, bool is_double)
{
    return text("fft rates ", engine, is_double ? " double" : " float");
}

FftRates rates_of(DeviceSession &session, InCardFft &engine, bool is_double)
{
    auto rates = *session.kept_rate<FftRates>(name_of_fft_rates(engine.name(), is_double), [&] {
        return std::make_shared<FftRates>(measure_rates(session, engine, is_double));
    });
    rates.link.shared_units = session.shared_units();
    try {
        rates.link = measured_link(session);
        if (session.info().on_host_cores) // beyond the caches
            rates.copy = std::min(rates.link.in_bytes_per_second, rates.link.out_bytes_per_second);
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw; // its measurement needs more room than ours
    }
    return rates;
}

} // namespace hpart
