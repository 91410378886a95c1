// Fourier transforms: small ones against sums, large ones in time.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/fft/fft.hpp"
#include "sections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace gpu_bench
{

namespace
{

using namespace hpart;

std::string shape_of(const FftCall &call)
{
    std::string shape = call.batch > 1 ? text(call.batch, " of ") : "";
    for (std::size_t d = 0; d < call.dims.size(); ++d) shape += text(d == 0 ? "" : "x", call.dims[d]);
    return shape;
}

std::int64_t points_of(const FftCall &call)
{
    std::int64_t points = 1;
    for (const auto size : call.dims) points *= size;
    return points;
}

// One element of the transform of what fill() made, by its definition: the phases of each dimension from a table.
template <typename Real> Wide element_by_sum(const FftCall &call, const std::vector<std::int64_t> &frequency)
{
    std::vector<std::vector<Wide>> phases;
    for (std::size_t d = 0; d < call.dims.size(); ++d) {
        const auto n = call.dims[d];
        auto &table = phases.emplace_back(static_cast<std::size_t>(n));
        for (std::int64_t k = 0; k < n; ++k) {
            const auto turn = static_cast<double>(k * frequency[d] % n) / static_cast<double>(n);
            table[static_cast<std::size_t>(k)] = std::polar(1.0, call.sign * 2 * std::numbers::pi * turn);
        }
    }
    const auto last = call.dims.back(), rows = points_of(call) / last;
    const auto parts = std::min<std::int64_t>(rows * last, 4096);
    std::vector<Wide> sums(static_cast<std::size_t>(parts));
    in_parallel(parts, [&](std::int64_t first_part, std::int64_t end_part) {
        for (auto part = first_part; part < end_part; ++part)
            for (auto k = rows * last / parts * part,
                      end = part + 1 == parts ? rows * last : rows * last / parts * (part + 1);
                 k < end; ++k) {
                auto phase = phases.back()[static_cast<std::size_t>(k % last)];
                auto rest = k / last;
                for (auto d = call.dims.size() - 1; d-- > 0; rest /= call.dims[d])
                    phase *= phases[d][static_cast<std::size_t>(rest % call.dims[d])];
                sums[static_cast<std::size_t>(part)] += phase * wide(value_at<std::complex<Real>>(k, 5));
            }
    });
    Wide sum = 0;
    for (const auto &part : sums) sum += part;
    return sum;
}

template <typename Real> struct Checked {
    double elements = 0; // of a few, over the root mean square of all
    double back = 0;     // largest difference after the inverse, over n times the root mean square
    bool is_right() const
    {
        constexpr double tolerance = 400; // in units of the precision: sums of up to 2^30 numbers by a rough way
        constexpr auto eps = static_cast<double>(std::numeric_limits<Real>::epsilon());
        return elements <= tolerance * eps && back <= tolerance * eps;
    }
};

// data holds the transform. Compares a few elements, transforms it back, and compares all.
template <typename Real>
Checked<Real> check_and_undo(DeviceGroup &devices, FftCall call, std::complex<Real> *data, int elements,
                             double root_mean_square)
{
    Checked<Real> checked;
    std::mt19937_64 random(3);
    for (int e = 0; e < elements; ++e) {
        std::vector<std::int64_t> frequency;
        std::int64_t place = 0;
        for (const auto size : call.dims) {
            frequency.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
            place = place * size + frequency.back();
        }
        const auto exact = element_by_sum<Real>(call, frequency);
        const auto apart =
            std::abs(wide(data[place]) - exact) / (root_mean_square * std::sqrt(static_cast<double>(points_of(call))));
        checked.elements = worse(apart, checked.elements);
    }
    call.sign = -call.sign;
    Report report;
    fft(devices, call, Options(), report);
    const auto points = points_of(call), all = points * call.batch;
    std::vector<double> worst(4096);
    const auto parts = static_cast<std::int64_t>(worst.size());
    in_parallel(parts, [&](std::int64_t first, std::int64_t end) {
        for (auto part = first; part < end; ++part)
            for (auto k = all * part / parts; k < all * (part + 1) / parts; ++k) {
                const auto apart =
                    std::abs(wide(data[k]) / static_cast<double>(points) - wide(value_at<std::complex<Real>>(k, 5)));
                auto &here = worst[static_cast<std::size_t>(part)];
                here = worse(apart, here);
            }
    });
    for (const auto apart : worst) checked.back = worse(apart, checked.back);
    checked.back /= root_mean_square;
    return checked;
}

constexpr double root_mean_square = 0.40824829046386301637; // of a complex number of uniform parts: sqrt(2 / 12)

struct How {
    bool in_place = true; // or from `data` to what follows it
    const char *staging = "auto";
    std::string note() const
    {
        return text(in_place ? "" : " out of place",
                    staging == std::string_view("auto") ? "" : text(" staging=", staging));
    }
};

template <typename Real>
void run(const Subject &subject, Results &results, std::complex<Real> *data, const Place *place, std::int64_t limit,
         std::vector<std::int64_t> dims, std::int64_t batch, const Link *link, const How &how = {})
{
    Options options;
    options.set_text("staging", how.staging);
    FftCall call;
    call.is_double = sizeof(Real) == sizeof(double);
    call.dims = std::move(dims);
    call.batch = batch;
    call.in = call.out = data;
    const auto all = points_of(call) * batch, bytes = all * static_cast<std::int64_t>(sizeof(std::complex<Real>));
    if (!how.in_place) call.out = data + all;
    auto devices = subject.devices(limit, place);
    double seconds = std::numeric_limits<double>::infinity();
    Report best;
    for (int i = 0; i < (link != nullptr ? 2 : 1); ++i) {
        fill(data, all, 5);
        Report report;
        const auto taken = seconds_of([&] { fft(devices, call, options, report); });
        if (taken < seconds) {
            seconds = taken;
            best = report;
        }
    }
    call.in = call.out;
    data = static_cast<std::complex<Real> *>(call.out);
    const auto checked = check_and_undo(devices, call, data, link != nullptr ? 1 : 4, root_mean_square);
    const auto moved_in = number_of(best, "bytes_to_device"), moved_out = number_of(best, "bytes_from_device");
    const auto bound =
        link == nullptr ? 0
                        : std::max({moved_in / link->in, moved_out / link->out, (moved_in + moved_out) / link->both});
    const auto *const kind = call.is_double ? "complex double" : "complex float";
    results.add({{"device", subject.spec},
                 {"operation", "fft"},
                 {"type", kind},
                 {"shape", shape_of(call) + how.note()},
                 {"memory", place == nullptr ? "plain" : place->name},
                 {"limit", text(limit)},
                 {"wall_seconds", precise(seconds)},
                 {"link_seconds", precise(bound)},
                 {"error", number(checked.elements)},
                 {"error_back", number(checked.back)}},
                &best);
    const auto what = text(subject.spec, " fft ", kind, " ", shape_of(call), how.note());
    const auto errors = text("errors ", rough(checked.elements), ", ", rough(checked.back));
    if (link == nullptr) { // of the small ones only what is wrong is told
        if (!checked.is_right()) results.fail(text(what, ": ", errors));
        return;
    }
    results.add(
        Row{.what = text(what, " ", place->name),
            .over = static_cast<double>(bytes) / static_cast<double>(limit),
            .seconds = seconds,
            .of_bound = bound / seconds,
            .of_predicted = number_of(best, "predicted_seconds") / seconds,
            .note = text(note_of(best, *place, results), ", moved ",
                         fixed((moved_in + moved_out) / static_cast<double>(bytes), 2), " x the data, ", errors),
            .is_right = checked.is_right()});
}

template <typename Real> void check_transform_type(const Subject &subject, Results &results)
{
    std::mt19937_64 random(11);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const int shapes = subject.is_small ? 4 : 20;
    constexpr double reserve_seconds = 5;
    int looked_at = 0;
    for (int i = 0; i < shapes && results.seconds_left() > reserve_seconds; ++i, ++looked_at) {
        const auto rank = between(1, 3);
        std::vector<std::int64_t> dims;
        for (std::int64_t d = 0; d < rank; ++d)
            dims.push_back(rank == 1 ? between(1, 40000) : between(1, rank == 2 ? 300 : 40));
        const auto batch = between(1, 3);
        std::int64_t points = batch;
        for (const auto size : dims) points *= size;
        std::vector<std::complex<Real>> data(static_cast<std::size_t>(points));
        run<Real>(subject, results, data.data(), nullptr, std::int64_t{1} << (18 + i % 3 * 2), dims, batch, nullptr);
    }
    results.say(text(subject.spec, " ", looked_at, " of ", shapes, " small transforms of complex ",
                     sizeof(Real) == 8 ? "double" : "float", " looked at"));
}

} // namespace

void check_transforms(const Subject &subject, Results &results)
{
    guarded(results, "transforms of float", [&] { check_transform_type<float>(subject, results); });
    if (subject.device->info().double_precision)
        guarded(results, "transforms of double", [&] { check_transform_type<double>(subject, results); });
}

void time_transforms(const Subject &subject, const Link &link, const Place &place, Results &results)
{
    constexpr double reserve_seconds = 30; // for one more, there and back
    const auto part = [&](const char *what, const auto &job) {
        if (results.seconds_left() > reserve_seconds) guarded(results, what, job);
    };
    // Points of complex double that fit, as a square with a power of two a side, at most 2^30.
    int bits = 10;
    while (bits < 15 && (std::int64_t{16} << 2 * (bits + 1)) <= place.bytes) ++bits;
    const auto side = subject.is_small ? subject.is_cuda() ? 64 : 256 : std::int64_t{1} << bits;
    const auto points = side * side, limit = points * 16 / 4;
    auto *const doubles = reinterpret_cast<std::complex<double> *>(place.data);
    auto *const floats = reinterpret_cast<std::complex<float> *>(place.data);
    const auto of_double = [&](const char *what, std::int64_t bytes, std::vector<std::int64_t> dims,
                               std::int64_t batch) {
        part(what, [&] { run(subject, results, doubles, &place, bytes, std::move(dims), batch, &link); });
    };
    if (!subject.device->info().double_precision)
        return part("fft 2D of float", [&] {
            run(subject, results, floats, &place, limit / 2, {side, side}, 1, &link);
        });
    of_double("fft 2D", limit, {side, side}, 1);
    if (!place.pinned) return;
    for (const How &how : {How{true, "never"}, How{false, "auto"}, How{false, "never"}})
        if (how.in_place || 2 * 16 * points <= place.bytes)
            part("fft 2D", [&] { run(subject, results, doubles, &place, limit, {side, side}, 1, &link, how); });
    of_double("fft batched", limit, {side}, side);
    of_double("fft 1D", limit / 4, {points / 4}, 1); // its check takes longest
    const auto cube = subject.is_small ? 16 : std::int64_t{1} << (2 * bits / 3);
    of_double("fft 3D", limit, {cube, cube, cube}, 1);
    of_double("fft 2D, half on the device", 2 * limit, {side, side}, 1);
    of_double("fft 2D, mixed", limit, {side * 15 / 16, side * 7 / 8}, 1); // 2, 3, 5 and 7 only
    part("fft 2D of float", [&] { run(subject, results, floats, &place, limit / 2, {side, side}, 1, &link); });
}

} // namespace gpu_bench
