#include "out_of_card/fft/problem.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/fft/plan.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace hpart
{

namespace
{

using Dims = std::vector<std::int64_t>;

void check_shape(const FftCall &call)
{
    if (call.dims.empty()) fail_argument("the transform has no dimension; it must have one at least");
    for (std::size_t d = 0; d < call.dims.size(); ++d)
        if (call.dims[d] < 1) fail_argument("dimension ", d, " is ", call.dims[d], "; it must be positive");
    if (call.batch < 0) fail_argument("batch is ", call.batch, "; it must not be negative");
    if (call.kind == FftKind::complex && call.sign != -1 && call.sign != 1)
        fail_argument("sign is ", call.sign, "; it must be -1 (forward) or 1 (backward)");
}

// For one batch or more: each array's bytes, and what several passes over it move together, are less than the largest integer.
std::int64_t rows_of(const FftCall &call, std::int64_t row_bytes)
{
    constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
    std::int64_t rows = std::max<std::int64_t>(call.batch, 1);
    for (std::size_t d = 0; d + 1 < call.dims.size(); ++d) rows = saturating_mul(rows, call.dims[d]);
    if (saturating_mul(rows, row_bytes) > most_bytes)
        fail_argument("the arrays of this transform have more than 2^60 bytes, the most that it may have");
    return call.batch == 0 ? 0 : rows;
}

std::int64_t product(const Dims &dims)
{
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

FftType type_of(const FftCall &call)
{
    const int sign_of_real = call.kind == FftKind::real_to_complex ? -1 : 1;
    return {call.is_double, call.kind == FftKind::complex ? call.sign : sign_of_real, call.is_repeated};
}

// The steps of a row that has these dimensions; the last is real on one side if the call's kind says so.
std::vector<RowStep> row_steps(const Dims &dims, FftKind kind)
{
    std::vector<RowStep> steps;
    const auto spectrum = kind == FftKind::complex ? dims.back() : dims.back() / 2 + 1;
    std::int64_t outer = product(dims) / dims.back();
    steps.push_back({kind, outer, dims.back(), 1});
    std::int64_t inner = spectrum;
    for (auto d = dims.size() - 1; d-- > 0;) {
        outer /= dims[d];
        steps.push_back({FftKind::complex, outer, dims[d], inner});
        inner *= dims[d];
    }
    // Real numbers are made last.
    if (kind == FftKind::complex_to_real) std::rotate(steps.begin(), steps.begin() + 1, steps.end());
    return steps;
}

FftSide complex_side(void *data, std::int64_t row_bytes, std::int64_t item_bytes)
{
    return {static_cast<unsigned char *>(data), false, 1, row_bytes, row_bytes, item_bytes};
}

unsigned char *bytes_of(const void *data) { return static_cast<unsigned char *>(const_cast<void *>(data)); }

// The sides of a matrix whose rows have `lines` lines of the call's last dimension.
void set_sides(const FftCall &call, const FftLayout &layout, std::int64_t lines, std::int64_t item_lines, FftSide &in,
               FftSide &out)
{
    const auto row_bytes = lines * layout.spectrum * layout.complex_bytes;
    in = complex_side(bytes_of(call.in), row_bytes, item_lines * layout.in_pitch_bytes);
    out = complex_side(call.out, row_bytes, item_lines * layout.out_pitch_bytes);
    if (call.kind == FftKind::real_to_complex)
        in = {in.data, true, lines, layout.in_row_bytes, layout.in_pitch_bytes, in.item_bytes};
    if (call.kind == FftKind::complex_to_real)
        out = {out.data, true, lines, layout.out_row_bytes, layout.out_pitch_bytes, out.item_bytes};
}

// The dimensions before `split` are the matrix's columns.
FftPasses split_at(const FftCall &call, const FftLayout &layout, const Dims &dims, std::size_t split)
{
    FftPasses work;
    work.type = type_of(call);
    work.items = call.batch;
    const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(split));
    const Dims inner(dims.begin() + static_cast<std::ptrdiff_t>(split), dims.end());
    work.column_dims = outer;
    work.rows = product(outer);
    work.row_steps = row_steps(inner, call.kind);
    const auto lines = product(inner) / inner.back(); // of a row
    work.columns = lines * layout.spectrum;
    work.rows_first = call.kind != FftKind::complex_to_real;
    set_sides(call, layout, lines, lines * work.rows, work.in, work.out);
    // The other side's array holds the data between the passes, unless it is of real numbers without padding.
    work.middle = work.rows_first ? work.out : work.in;
    if (!work.rows_first) {
        work.middle.data = layout.in_place ? work.in.data : nullptr;
        if (!layout.in_place) work.middle.item_bytes = 0;
    }
    return work;
}

// One dimension as rows x columns.
FftPasses split_line(const FftCall &call, const FftLayout &layout, std::int64_t rows, std::int64_t columns)
{
    FftPasses work;
    work.type = type_of(call);
    work.items = call.batch;
    work.rows = rows;
    work.columns = columns;
    work.column_dims = {rows};
    work.twiddled = true;
    const auto item_bytes = work.numbers() * layout.complex_bytes;
    work.in = complex_side(bytes_of(call.in), rows * layout.complex_bytes, item_bytes);
    work.out = complex_side(call.out, columns * layout.complex_bytes, item_bytes);
    work.middle = work.out;
    if (layout.in_place) {
        work.middle.data = nullptr;
        work.middle.item_bytes = 0;
    }
    return work;
}

// Factors of n up to so many times apart are near enough to each other.
constexpr double furthest_apart = 16;
constexpr std::size_t most_factorings = 6;

// The nearest to each other first.
std::vector<std::int64_t> factors_near_root(std::int64_t n)
{
    std::vector<std::int64_t> factors;
    const auto root = std::sqrt(static_cast<double>(n));
    const auto least = std::max<std::int64_t>(2, static_cast<std::int64_t>(root / furthest_apart));
    for (auto factor = static_cast<std::int64_t>(root) + 1; factor >= least && factors.size() < most_factorings;
         --factor) {
        if (n % factor != 0 || factor == n) continue;
        factors.push_back(factor);
        if (factor != n / factor && n / factor > 1) factors.push_back(n / factor);
    }
    return factors;
}

} // namespace

FftLayout layout_of(const FftCall &call)
{
    check_shape(call);
    FftLayout layout;
    layout.real_bytes = call.is_double ? sizeof(double) : sizeof(float);
    layout.complex_bytes = 2 * layout.real_bytes;
    layout.length = call.dims.back();
    layout.spectrum = call.kind == FftKind::complex ? layout.length : layout.length / 2 + 1;
    const auto complex_row = saturating_mul(layout.spectrum, layout.complex_bytes);
    layout.rows = rows_of(call, complex_row);
    const auto real_row = layout.length * layout.real_bytes;
    layout.in_place = call.in == call.out;
    layout.in_row_bytes = call.kind == FftKind::real_to_complex ? real_row : complex_row;
    layout.out_row_bytes = call.kind == FftKind::complex_to_real ? real_row : complex_row;
    layout.in_pitch_bytes = layout.in_place ? complex_row : layout.in_row_bytes;
    layout.out_pitch_bytes = layout.in_place ? complex_row : layout.out_row_bytes;
    return layout;
}

FftCall without_ones(const FftCall &call)
{
    auto out = call;
    out.dims.clear();
    for (std::size_t d = 0; d < call.dims.size(); ++d) {
        const bool is_real = call.kind != FftKind::complex && d + 1 == call.dims.size();
        if (call.dims[d] != 1 || is_real) out.dims.push_back(call.dims[d]);
    }
    if (out.dims.empty()) out.dims.push_back(1);
    return out;
}

double flops_of(const FftCall &call)
{
    const auto points = static_cast<double>(product(call.dims));
    const double each = call.kind == FftKind::complex ? 5 : 2.5;
    return each * static_cast<double>(call.batch) * points * std::log2(std::max(2.0, points));
}

FftProblem problem_of(const FftCall &call)
{
    FftProblem problem;
    const auto layout = layout_of(call);
    const auto &dims = call.dims;
    auto &whole = problem.uncut;
    const auto lines = product(dims) / dims.back(); // of a transform
    whole.type = type_of(call);
    whole.rows = call.batch;
    whole.columns = lines * layout.spectrum;
    whole.row_steps = row_steps(dims, call.kind);
    set_sides(call, layout, lines, lines, whole.in, whole.out);
    whole.middle = whole.out;
    problem.flops = flops_of(call);
    for (std::size_t split = 1; split < dims.size(); ++split)
        problem.cuts.push_back(split_at(call, layout, dims, split));
    if (dims.size() == 1 && call.kind == FftKind::complex)
        for (const auto rows : factors_near_root(dims[0]))
            problem.cuts.push_back(split_line(call, layout, rows, dims[0] / rows));
    return problem;
}

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

bool needs_scratch(InCardFft &engine, const DeviceFftShape &line, std::int64_t rows)
{
    const auto needs = [&engine](const DeviceFftShape &shape) {
        engine.prepare(shape);
        return engine.scratch_bytes(shape) > 0;
    };
    auto lines = line, columns = line;
    lines.outer = rows;
    columns.outer = 1;
    columns.inner = columns.pitch = rows;
    return needs(columns) || needs(lines); // columns need it sooner
}

// False if the implementation refuses the trial: plans of other shapes may be good.
bool can_try(InCardFft &engine, const DeviceFftShape &line, std::int64_t lines)
{
    try {
        return engine.supports(line) && !needs_scratch(engine, line, lines);
    } catch (const Error &error) {
        if (error.status() != Status::device) throw;
        return false;
    }
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
    if (can_try(engine, line, lines)) {
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
