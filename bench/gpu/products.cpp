// Matrix products: small ones against plain loops, large ones in time, beside cuBLASXt.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "sections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace gpu_bench
{

namespace
{

using namespace hpart;

constexpr const char *type_names[] = {"float", "double", "complex float", "complex double"};
const char *name_of(Scalar type) { return type_names[static_cast<int>(type)]; }
template <typename Value> constexpr Scalar type_of = ScalarOf<Value>::type;
template <typename Value> using RealOf = decltype(std::abs(Value{}));
template <typename Value> constexpr double precision_of = std::numeric_limits<RealOf<Value>>::epsilon();
template <typename Value> const Value not_a_number(std::numeric_limits<RealOf<Value>>::quiet_NaN());

double flops(Scalar type, std::int64_t n) { return flops_per_product(type) * std::pow(static_cast<double>(n), 3); }

// |C - exact| over (k + 2) eps |A||B| at worst, of one random product with transposes, beta and leading dimensions.
template <typename Value>
double error_of_any_product(DeviceGroup &devices, std::mt19937_64 &random, std::int64_t largest)
{
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const auto m = between(1, largest), n = between(1, largest), k = between(1, largest);
    GemmCall call;
    call.type = type_of<Value>;
    call.m = m;
    call.n = n;
    call.k = k;
    call.transpose_a = static_cast<Transpose>(between(0, 2));
    call.transpose_b = static_cast<Transpose>(between(0, 2));
    call.alpha = Coefficient(0.5, is_complex(call.type) ? 0.25 : 0);
    call.beta = between(0, 1) == 0 ? Coefficient(0) : Coefficient(-0.75, 0);
    const auto rows_a = call.transpose_a == Transpose::none ? m : k, columns_a = m + k - rows_a;
    const auto rows_b = call.transpose_b == Transpose::none ? k : n, columns_b = k + n - rows_b;
    call.lda = columns_a + between(0, 9);
    call.ldb = columns_b + between(0, 9);
    call.ldc = n + between(0, 9);
    std::vector<Value> a(static_cast<std::size_t>(rows_a * call.lda)), b(static_cast<std::size_t>(rows_b * call.ldb)),
        c(static_cast<std::size_t>(m * call.ldc));
    fill(a.data(), static_cast<std::int64_t>(a.size()), 1);
    fill(b.data(), static_cast<std::int64_t>(b.size()), 2);
    fill(c.data(), static_cast<std::int64_t>(c.size()), 3);
    const auto before = c;
    if (call.beta == Coefficient(0)) std::fill(c.begin(), c.end(), not_a_number<Value>);
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    Report report;
    gemm(devices, call, Options(), report);

    const auto element = [](const std::vector<Value> &matrix, std::int64_t ld, Transpose transpose, std::int64_t i,
                            std::int64_t j) {
        const auto value =
            wide(matrix[static_cast<std::size_t>(transpose == Transpose::none ? i * ld + j : j * ld + i)]);
        return transpose == Transpose::conjugate ? std::conj(value) : value;
    };
    double worst = 0;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            const auto old = wide(before[static_cast<std::size_t>(i * call.ldc + j)]);
            Wide sum = 0;
            double size = 0;
            for (std::int64_t q = 0; q < k; ++q) {
                const auto x = element(a, call.lda, call.transpose_a, i, q),
                           y = element(b, call.ldb, call.transpose_b, q, j);
                sum += x * y;
                size += std::abs(x) * std::abs(y);
            }
            const auto exact = call.alpha * sum + call.beta * old;
            const auto error = std::abs(wide(c[static_cast<std::size_t>(i * call.ldc + j)]) - exact) /
                               (static_cast<double>(k + 2) * precision_of<Value> * (size + std::abs(old)));
            worst = worse(error, worst);
            if (j >= n - 1)
                for (auto beside = n; beside < call.ldc && i < m - 1; ++beside)
                    if (call.beta != Coefficient(0) && c[static_cast<std::size_t>(i * call.ldc + beside)] !=
                                                           before[static_cast<std::size_t>(i * call.ldc + beside)])
                        return std::numeric_limits<double>::infinity(); // wrote beside C
        }
    return worst;
}

constexpr double check_reserve_seconds = 5;
constexpr double product_reserve_seconds = 20; // for one more run and its check

template <typename Value> void check_product_type(const Subject &subject, Results &results)
{
    std::mt19937_64 random(7);
    double worst = 0;
    const int products = subject.is_small ? 6 : 24;
    for (int i = 0; i < products; ++i) {
        if (results.seconds_left() < check_reserve_seconds) break;
        auto devices = subject.devices(std::int64_t{1} << (18 + i % 4 * 2)); // 256 KB to 16 MB
        const auto error = error_of_any_product<Value>(devices, random, subject.is_small ? 60 : 260);
        worst = worse(error, worst);
    }
    const auto line = text(subject.spec, " products of ", name_of(type_of<Value>), ": worst error ", number(worst),
                           " (k + 2) eps |A||B|");
    results.add(
        {{"device", subject.spec}, {"check", "gemm"}, {"type", name_of(type_of<Value>)}, {"error", number(worst)}});
    if (worst <= 4)
        results.say(line);
    else
        results.fail(line);
}

template <typename Value> struct Matrices {
    Value *a, *b, *c;
    std::int64_t n;
    Matrices(const Place &place, std::int64_t order)
        : a(reinterpret_cast<Value *>(place.data)), b(a + order * order), c(b + order * order), n(order)
    {
        fill(a, 2 * n * n, 5);
        forget();
    }
    void forget() const
    {
        in_parallel(n * n,
                    [&](std::int64_t first, std::int64_t end) { std::fill(c + first, c + end, not_a_number<Value>); });
    }
    // C x = A (B x), row by row.
    double error() const
    {
        const auto x = any_vector(n);
        return difference(times(c, n, n, x), times(a, n, n, times(b, n, n, x)));
    }
    bool is_right(double error) const { return error <= 16 * std::sqrt(static_cast<double>(n)) * precision_of<Value>; }
};

template <typename Value> GemmCall call_of(const Matrices<Value> &matrices)
{
    GemmCall call;
    call.type = type_of<Value>;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = matrices.n;
    call.a = matrices.a;
    call.b = matrices.b;
    call.c = matrices.c;
    return call;
}

// Flops a second of the device's own kernel at a size that fills it, once it runs for so long that its clock has settled.
double in_card_rate(const Subject &subject, Scalar type)
{
    // At most 8192, and half of the memory at most.
    const auto room =
        static_cast<double>(subject.device->info().memory_bytes) / 6 / static_cast<double>(bytes_of(type));
    const auto n = subject.is_small ? 64 : std::min<std::int64_t>(8192, static_cast<std::int64_t>(std::sqrt(room)));
    const auto devices = subject.devices(std::nullopt);
    auto &session = *devices.sessions.front();
    const auto kernel = in_card_gemm(session, type);
    const auto bytes = n * n * bytes_of(type);
    const auto a = session.allocate(bytes), b = session.allocate(bytes), c = session.allocate(bytes);
    const auto queue = subject.device->make_queue();
    for (const auto *const buffer : {&a, &b}) {
        std::vector<double> values(static_cast<std::size_t>(bytes) / sizeof(double), 0.5);
        subject.device->write(*queue, {buffer->get(), 0, bytes}, values.data(), bytes, {1, bytes}, {})->wait();
    }
    DeviceGemm what;
    what.m = what.n = what.k = n;
    what.a = {a.get(), 0, n};
    what.b = {b.get(), 0, n};
    what.c = {c.get(), 0, n};
    const auto scratch = allocate_scratch(session, *kernel, n, n, n);
    what.scratch = scratch.get();
    const double least_seconds = subject.is_small ? 0 : 1.5;
    std::vector<double> times;
    for (double all = 0; times.size() < 4 || all < least_seconds; all += times.back())
        times.push_back(seconds_of([&] {
            const auto event = subject.device->launch(*queue, kernel->product(what), {});
            subject.device->flush(*queue);
            if (event->wait() != EventState::done) fail(Status::device, event->failure());
        }));
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 3 / 4); // of the second half
    std::nth_element(times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), middle, times.end());
    return flops(type, n) / *middle;
}

struct Timing {
    double seconds = 0, error = 0;
    Report report;
};

template <typename Value>
Timing time_product(const Subject &subject, const Matrices<Value> &matrices, const Place &place,
                    std::optional<std::int64_t> limit, int runs)
{
    auto devices = subject.devices(limit, &place);
    Timing timing;
    timing.seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) {
        Report report;
        matrices.forget();
        const auto seconds = seconds_of([&] { gemm(devices, call_of(matrices), Options(), report); });
        if (seconds < timing.seconds) {
            timing.seconds = seconds;
            timing.report = report;
        }
    }
    timing.error = matrices.error();
    return timing;
}

template <typename Value>
void report_progress(const Subject &subject, const Matrices<Value> &matrices, const Place &place, std::int64_t limit,
                     double rate, const Link &link, const Timing &timing, Results &results)
{
    const auto type = type_of<Value>;
    const auto gflops = flops(type, matrices.n) / timing.seconds * 1e-9;
    const auto in = number_of(timing.report, "bytes_to_device") / link.in,
               out = number_of(timing.report, "bytes_from_device") / link.out, kernel = flops(type, matrices.n) / rate;
    const auto bound = std::max({in, out, kernel});
    const auto total = 3.0 * static_cast<double>(matrices.n * matrices.n * bytes_of(type));
    results.add({{"device", subject.spec},
                 {"operation", "gemm"},
                 {"type", name_of(type)},
                 {"n", text(matrices.n)},
                 {"memory", place.name},
                 {"limit", text(limit)},
                 {"wall_seconds", precise(timing.seconds)},
                 {"wall_gflops", precise(gflops)},
                 {"kernel_rate_gflops", precise(rate * 1e-9)},
                 {"bound_seconds", precise(bound)},
                 {"error", number(timing.error)}},
                &timing.report);
    results.add(Row{.what = text(subject.spec, " gemm ", name_of(type), " ", matrices.n, " ", place.name),
                    .over = total / static_cast<double>(limit),
                    .seconds = timing.seconds,
                    .gflops = gflops,
                    .of_kernel = kernel / timing.seconds,
                    .of_bound = bound / timing.seconds,
                    .of_predicted = number_of(timing.report, "predicted_seconds") / timing.seconds,
                    .note = text(note_of(timing.report, place, results), ", error ", rough(timing.error)),
                    .is_right = matrices.is_right(timing.error)});
    const bool may_be_staged = place.pinned == nullptr || number_of(timing.report, "staged_bytes") == 0;
    if (!may_be_staged) results.fail(text(subject.spec, " gemm of pinned arrays is staged"));
}

template <typename Value>
void time_cublasxt(const Subject &subject, const Matrices<Value> &matrices, const Place &place, double rate,
                   Results &results)
{
    const CublasXt xt(subject.libraries, subject.cuda_number());
    const auto type = type_of<Value>;
    for (const bool pins : {false, true}) {
        if (pins && place.pinned) return;
        if (pins) xt.set_pinning(true);
        for (const int block : {8192, 4096}) {
            double best = std::numeric_limits<double>::infinity();
            for (int i = 0; i < 2; ++i) {
                if (results.seconds_left() < product_reserve_seconds + (i == 0 ? 0 : best)) break;
                matrices.forget();
                best = std::min(
                    best, seconds_of([&] { xt.multiply(matrices.n, matrices.a, matrices.b, matrices.c, block); }));
            }
            if (std::isinf(best)) return results.say("cuBLASXt: the rest is left out for want of time");
            const auto error = matrices.error();
            const auto gflops = flops(type, matrices.n) / best * 1e-9;
            const auto *const memory = pins ? "plain, pinned by cuBLASXt" : place.name;
            results.add({{"device", subject.spec},
                         {"operation", "cublasxt"},
                         {"type", name_of(type)},
                         {"n", text(matrices.n)},
                         {"memory", memory},
                         {"block", text(block)},
                         {"wall_seconds", precise(best)},
                         {"wall_gflops", precise(gflops)},
                         {"error", number(error)}});
            results.add(Row{.what = text(subject.spec, " cuBLASXt ", name_of(type), " ", matrices.n, " ", memory),
                            .seconds = best,
                            .gflops = gflops,
                            .of_kernel = flops(type, matrices.n) / rate / best,
                            .note = text("blocks of ", block, ", error ", rough(error)),
                            .is_right = matrices.is_right(error)});
        }
    }
}

constexpr double target_seconds = 2.5; // a product, at the kernel's rate

// The order of matrices that fill `bytes` or take the target time, whichever is less, in steps of 256.
std::int64_t order(const Subject &subject, Scalar type, double rate, std::int64_t bytes)
{
    // An allocation may take at least 64 KB; larger ones must not fit.
    if (subject.is_small) return subject.is_cuda() ? 200 : 600;
    const auto by_memory = std::sqrt(static_cast<double>(bytes) / 3 / static_cast<double>(bytes_of(type)));
    const auto by_time = std::cbrt(rate * target_seconds / flops_per_product(type));
    return std::max<std::int64_t>(256, static_cast<std::int64_t>(std::min(by_memory, by_time)) / 256 * 256);
}

template <typename Value> void time_type(const Subject &subject, const Link &link, const Place &place, Results &results)
{
    const auto type = type_of<Value>;
    if (results.seconds_left() < product_reserve_seconds) return results.say(text(name_of(type), ": no time is left"));
    const auto rate = in_card_rate(subject, type);
    const auto n = order(subject, type, rate, place.bytes);
    results.say(text(subject.spec, " ", name_of(type), " kernel: ", fixed(rate * 1e-9, 0), " GF/s"));
    const Matrices<Value> matrices(place, n);
    const auto total = 3 * n * n * bytes_of(type);
    for (const auto parts : {4, 8}) {
        if (results.seconds_left() < product_reserve_seconds) return;
        const auto limit = std::min(total / parts, subject.device->info().memory_bytes);
        report_progress(subject, matrices, place, limit, rate, link, time_product(subject, matrices, place, limit, 3),
                        results);
    }
    if (subject.is_cuda())
        guarded(results, "cuBLASXt", [&] { time_cublasxt(subject, matrices, place, rate, results); });
}

} // namespace

void check_products(const Subject &subject, Results &results)
{
    guarded(results, "float", [&] { check_product_type<float>(subject, results); });
    guarded(results, "complex float", [&] { check_product_type<std::complex<float>>(subject, results); });
    if (!subject.device->info().double_precision) return results.say(subject.spec + " has no double precision");
    guarded(results, "double", [&] { check_product_type<double>(subject, results); });
    guarded(results, "complex double", [&] { check_product_type<std::complex<double>>(subject, results); });
}

void time_products(const Subject &subject, const Link &link, const Place &place, Results &results)
{
    if (!subject.device->info().double_precision) return;
    guarded(results, "double", [&] { time_type<double>(subject, link, place, results); });
}

void time_other_types(const Subject &subject, const Link &link, const Place &place, Results &results)
{
    guarded(results, "float", [&] { time_type<float>(subject, link, place, results); });
    if (subject.device->info().double_precision)
        guarded(results, "complex double", [&] { time_type<std::complex<double>>(subject, link, place, results); });
    guarded(results, "complex float", [&] { time_type<std::complex<float>>(subject, link, place, results); });
}

// From half the device to beyond eight times: the line where it is full. Then with all of the device's memory.
void time_sizes(const Subject &subject, const Link &link, const Place &place, Results &results)
{
    if (!subject.device->info().double_precision || results.seconds_left() < product_reserve_seconds) return;
    const auto rate = in_card_rate(subject, Scalar::d);
    const auto largest = order(subject, Scalar::d, rate, place.bytes);
    const auto limit = 3 * largest * largest * bytes_of(Scalar::d) / 8;
    for (const double share : {0.5, 0.8, 0.95, 1.05, 1.2, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {
        if (results.seconds_left() < product_reserve_seconds) return;
        const auto n = static_cast<std::int64_t>(std::sqrt(share * static_cast<double>(limit) / 24));
        const Matrices<double> matrices(place, n);
        report_progress(subject, matrices, place, limit, rate, link, time_product(subject, matrices, place, limit, 2),
                        results);
    }
    if (results.seconds_left() < product_reserve_seconds) return;
    const Matrices<double> matrices(place, largest);
    report_progress(subject, matrices, place, subject.device->info().memory_bytes, rate, link,
                    time_product(subject, matrices, place, std::nullopt, 1), results);
}

} // namespace gpu_bench
