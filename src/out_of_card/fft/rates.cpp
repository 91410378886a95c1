#include "out_of_card/fft/rates.hpp"

#include "core/aligned.hpp"
#include "core/error.hpp"
#include "out_of_card/devices/link_rates.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// A trial moves this much, or what fits in a quarter of the limit, and is repeated so often; the fastest counts.
constexpr std::int64_t trial_bytes = std::int64_t{1} << 20;
constexpr int repetitions = 4;
constexpr std::int64_t trial_length = 256;

// Seconds of the flow of `give`, the least of some.
template <typename Give> double least_seconds(Card &card, const Give &give)
{
    double least = 1e9;
    Control control;
    for (int k = 0; k < repetitions; ++k) {
        Flow flow(card, control);
        const auto start = Clock::now();
        give(flow);
        flow.finish();
        least = std::min(least, seconds_since(start));
    }
    return std::max(least, 1e-7);
}

FftRates measure(Card &card, InCardFft &engine, bool is_double)
{
    FftRates rates;
    CardFftShape shape;
    shape.is_double = is_double;
    shape.length = trial_length;
    const auto line = shape.length * shape.complex_bytes();
    const auto lines = std::clamp<std::int64_t>((card.memory_limit() - card.used()) / 4 / line, 1, trial_bytes / line);
    shape.outer = lines;
    const auto bytes = lines * line;
    AlignedVector<unsigned char> host(static_cast<std::size_t>(bytes));
    const auto buffer = card.allocate(bytes);
    const BufferSide side{buffer.get(), 0, bytes};
    const auto moved = static_cast<double>(bytes);
    const auto command = least_seconds(card, [&](Flow &flow) { flow.write(side, host.data(), 16, {1, 16}); });
    rates.command_seconds = command / 2; // the rest is the flow's own
    const auto net = [&](double seconds) { return std::max(seconds - command, seconds / 4); };
    const auto in = least_seconds(card, [&](Flow &flow) { flow.write(side, host.data(), bytes, {1, bytes}); });
    const auto out = least_seconds(card, [&](Flow &flow) { flow.read(side, host.data(), bytes, {1, bytes}); });
    rates.in = moved / net(in);
    rates.out = moved / net(out);
    rates.copy = std::min(rates.in, rates.out);
    if (!card.info().on_host_cores) {
        const BufferSide half{buffer.get(), bytes / 2, bytes / 2};
        const auto copied = least_seconds(card, [&](Flow &flow) { flow.copy(side, half, {1, bytes / 2}); });
        rates.copy = moved / 2 / net(copied);
    }
    if (engine.supports(shape) && engine.scratch_bytes(shape) == 0) {
        const auto seconds = least_seconds(card, [&](Flow &flow) {
            flow.launch(engine.transform(shape, {buffer.get(), 0}, nullptr));
        });
        const auto flops = 5 * static_cast<double>(lines * trial_length) * std::log2(static_cast<double>(trial_length));
        rates.flops = flops / net(seconds);
    }
    rates.units = card.info().on_host_cores ? static_cast<double>(card.info().compute_units) : 0;
    return rates;
}

} // namespace

FftRates rates_of(Card &card, InCardFft &engine, bool is_double)
{
    const auto name = text("fft rates ", engine.name(), is_double ? " double" : " float");
    auto rates =
        *card.kept<FftRates>(name, [&] { return std::make_shared<FftRates>(measure(card, engine, is_double)); });
    if (card.info().on_host_cores) return rates; // its copies are the host's
    try {
        const auto link = measured_link(card);
        rates.in = link.in_bytes_per_second;
        rates.out = link.out_bytes_per_second;
        rates.half_duplex = link.is_half_duplex();
        // A shorter row takes as long as one of that length.
        rates.row_seconds = static_cast<double>(link.least_row_bytes) / link.in_bytes_per_second;
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw; // its measurement needs more room than ours
    }
    return rates;
}

} // namespace hpart
