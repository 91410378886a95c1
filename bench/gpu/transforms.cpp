// Fourier transforms: small ones against sums, large ones in time.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/fft/fft.hpp"
#include "sections.hpp"

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
Checked<Real> check_and_undo(Cards &cards, FftCall call, std::complex<Real> *data, int elements,
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
    fft(cards, call, Options(), report);
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

template <typename Real>
void run(const Subject &subject, Results &results, std::complex<Real> *data, const char *where, std::int64_t limit,
         std::vector<std::int64_t> dims, std::int64_t batch, const Link *link)
{
    FftCall call;
    call.is_double = sizeof(Real) == sizeof(double);
    call.dims = std::move(dims);
    call.batch = batch;
    call.in = call.out = data;
    const auto all = points_of(call) * batch, bytes = all * static_cast<std::int64_t>(sizeof(std::complex<Real>));
    auto cards = subject.cards(limit);
    double seconds = std::numeric_limits<double>::infinity();
    Report best;
    for (int i = 0; i < (link != nullptr ? 2 : 1); ++i) {
        fill(data, all, 5);
        Report report;
        const auto taken = seconds_of([&] { fft(cards, call, Options(), report); });
        if (taken < seconds) {
            seconds = taken;
            best = report;
        }
    }
    const auto checked = check_and_undo(cards, call, data, link != nullptr ? 2 : 4, root_mean_square);
    const auto moved_in = number_of(best, "bytes_to_device"), moved_out = number_of(best, "bytes_from_device");
    const auto bound = link == nullptr ? 0 : std::max(moved_in / link->in, moved_out / link->out);
    const auto *const kind = call.is_double ? "complex double" : "complex float";
    results.add({{"device", subject.spec},
                 {"operation", "fft"},
                 {"type", kind},
                 {"shape", shape_of(call)},
                 {"memory", where},
                 {"limit", text(limit)},
                 {"wall_seconds", precise(seconds)},
                 {"link_seconds", precise(bound)},
                 {"error", number(checked.elements)},
                 {"error_back", number(checked.back)}},
                &best);
    const auto line = text(subject.spec, " fft ", kind, " ", shape_of(call), " ", where, ", ",
                           fixed(static_cast<double>(bytes) / static_cast<double>(limit), 2), " x the card, plan ",
                           text_of(best, "plan"), ": ", number(seconds), " s, link/time ", fixed(bound / seconds, 3),
                           ", moved ", fixed((moved_in + moved_out) / static_cast<double>(bytes), 2),
                           " x the data, errors ", rough(checked.elements), ", ", rough(checked.back));
    if (link == nullptr && checked.is_right()) return; // of the small ones only what is wrong is told
    if (checked.is_right())
        results.say(line);
    else
        results.fail(line);
}

template <typename Real> void check_type(const Subject &subject, Results &results)
{
    std::mt19937_64 random(11);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const int shapes = subject.is_small ? 4 : 20;
    for (int i = 0; i < shapes; ++i) {
        const auto rank = between(1, 3);
        std::vector<std::int64_t> dims;
        for (std::int64_t d = 0; d < rank; ++d)
            dims.push_back(rank == 1 ? between(1, 40000) : between(1, rank == 2 ? 300 : 40));
        const auto batch = between(1, 3);
        std::int64_t points = batch;
        for (const auto size : dims) points *= size;
        std::vector<std::complex<Real>> data(static_cast<std::size_t>(points));
        run<Real>(subject, results, data.data(), "plain", std::int64_t{1} << (18 + i % 3 * 2), dims, batch, nullptr);
    }
    results.say(text(subject.spec, " ", shapes, " small transforms of complex ", sizeof(Real) == 8 ? "double" : "float",
                     " looked at"));
}

} // namespace

void check_transforms(const Subject &subject, Results &results)
{
    guarded(results, "transforms of float", [&] { check_type<float>(subject, results); });
    if (subject.device->info().double_precision)
        guarded(results, "transforms of double", [&] { check_type<double>(subject, results); });
}

void time_transforms(const Subject &subject, const Link &link, Results &results)
{
    constexpr double reserve_seconds = 30; // for one more, there and back
    const Place place(*subject.device, subject.host_bytes, true);
    const auto part = [&](const char *what, const auto &job) {
        if (results.seconds_left() > reserve_seconds) guarded(results, what, job);
    };
    // Points of complex double that fit, as a square with a power of two a side, at most 2^30.
    int bits = 10;
    while (bits < 15 && (std::int64_t{16} << 2 * (bits + 1)) <= subject.host_bytes) ++bits;
    const auto side = subject.is_small ? 64 : std::int64_t{1} << bits;
    const auto points = side * side, limit = points * 16 / 4;
    auto *const doubles = reinterpret_cast<std::complex<double> *>(place.data);
    auto *const floats = reinterpret_cast<std::complex<float> *>(place.data);
    if (subject.device->info().double_precision) {
        part("fft 2D", [&] { run(subject, results, doubles, "pinned", limit, {side, side}, 1, &link); });
        part("fft 2D, half on the card", [&] {
            run(subject, results, doubles, "pinned", 2 * limit, {side, side}, 1, &link);
        });
        part("fft 1D", [&] { run(subject, results, doubles, "pinned", limit, {points}, 1, &link); });
        // 2, 3, 5 and 7 only
        part("fft 2D, mixed", [&] {
            run(subject, results, doubles, "pinned", limit, {side * 15 / 16, side * 7 / 8}, 1, &link);
        });
        const auto cube = std::int64_t{1} << (2 * bits / 3);
        part("fft 3D", [&] {
            run(subject, results, doubles, "pinned", limit,
                subject.is_small ? std::vector<std::int64_t>{16, 16, 16} : std::vector{cube, cube, cube}, 1, &link);
        });
        part("fft batched", [&] { run(subject, results, doubles, "pinned", limit, {side}, side, &link); });
    }
    part("fft 2D of float", [&] { run(subject, results, floats, "pinned", limit / 2, {side, side}, 1, &link); });
    if (!subject.device->info().double_precision) return;
    const Place plain(*subject.device, points * 16, false);
    part("fft 2D, plain", [&] {
        run(subject, results, reinterpret_cast<std::complex<double> *>(plain.data), "plain", limit, {side, side}, 1,
            &link);
    });
}

} // namespace gpu_bench
