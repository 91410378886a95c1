// LU and Cholesky factorisations of large matrices in time, with their residuals.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "sections.hpp"

#include <cmath>
#include <limits>

namespace gpu_bench
{

namespace
{

using namespace hpart;

constexpr double factorisation_reserve_seconds = 40;

// A x of the matrix that `element` tells.
template <typename Element>
std::vector<Wide> times_of(std::int64_t n, const std::vector<Wide> &x, const Element &element)
{
    std::vector<Wide> y(static_cast<std::size_t>(n));
    in_parallel(n, [&](std::int64_t first, std::int64_t end) {
        for (auto i = first; i < end; ++i) {
            Wide sum = 0;
            for (std::int64_t j = 0; j < n; ++j) sum += element(i, j) * x[static_cast<std::size_t>(j)];
            y[static_cast<std::size_t>(i)] = sum;
        }
    });
    return y;
}

void report_progress(const Subject &subject, Results &results, const char *what, const Place &place, std::int64_t n,
                     std::int64_t limit, double flops, double seconds, double error, double bound, const Report &report)
{
    results.add({{"device", subject.spec},
                 {"operation", what},
                 {"type", "double"},
                 {"n", text(n)},
                 {"memory", place.name},
                 {"limit", text(limit)},
                 {"wall_seconds", precise(seconds)},
                 {"wall_gflops", precise(flops / seconds * 1e-9)},
                 {"error", number(error)}},
                &report);
    results.add(Row{.what = text(subject.spec, " ", what, " double ", n, " ", place.name),
                    .over = 8.0 * static_cast<double>(n * n) / static_cast<double>(limit),
                    .seconds = seconds,
                    .gflops = flops / seconds * 1e-9,
                    .of_predicted = number_of(report, "predicted_seconds") / seconds,
                    .note = text(note_of(report, place, results), ", residual ", rough(error)),
                    .is_right = error <= bound * std::numeric_limits<double>::epsilon()});
}

// A = P^T L U.
void time_lu(const Subject &subject, Results &results, const Place &place, std::int64_t n, std::int64_t limit,
             bool row_major)
{
    auto *const a = reinterpret_cast<double *>(place.data);
    fill(a, n * n, 6);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    auto devices = subject.devices(limit, &place);
    Report report;
    const HostMatrix matrix{Scalar::d, row_major, n, n, a, n};
    const auto seconds = seconds_of([&] { getrf(devices, matrix, pivots.data(), Options(), report); });
    const auto x = any_vector(n);
    const auto at = [&](std::int64_t i, std::int64_t j) { return row_major ? i * n + j : i + j * n; };
    const auto upper = times_of(n, x, [&](std::int64_t i, std::int64_t j) { return j < i ? 0.0 : a[at(i, j)]; });
    auto product = times_of(n, upper, [&](std::int64_t i, std::int64_t j) {
        return j < i ? a[at(i, j)] : j == i ? 1.0 : 0.0;
    });
    for (auto i = n; i-- > 0;)
        std::swap(product[static_cast<std::size_t>(i)],
                  product[static_cast<std::size_t>(pivots[static_cast<std::size_t>(i)] - 1)]);
    const auto exact = times_of(n, x, [&](std::int64_t i, std::int64_t j) { return value_at<double>(at(i, j), 6); });
    const auto cube = std::pow(static_cast<double>(n), 3);
    report_progress(subject, results, row_major ? "getrf by rows" : "getrf", place, n, limit, 2 * cube / 3, seconds,
                    difference(product, exact), 16 * static_cast<double>(n), report);
}

// A = Q R, checked by R alone: R^T R x = A^T A x for some x.
void time_qr(const Subject &subject, Results &results, const Place &place, std::int64_t n, std::int64_t limit,
             bool row_major)
{
    auto *const a = reinterpret_cast<double *>(place.data);
    fill(a, n * n, 6);
    std::vector<double> tau(static_cast<std::size_t>(n));
    auto devices = subject.devices(limit, &place);
    Report report;
    const auto seconds = seconds_of([&] {
        geqrf(devices, {Scalar::d, row_major, n, n, a, n}, tau.data(), Options(), report);
    });
    const auto x = any_vector(n);
    const auto at = [&](std::int64_t i, std::int64_t j) { return row_major ? i * n + j : i + j * n; };
    const auto rx = times_of(n, x, [&](std::int64_t i, std::int64_t j) { return j < i ? 0.0 : a[at(i, j)]; });
    const auto product = times_of(n, rx, [&](std::int64_t i, std::int64_t j) { return j > i ? 0.0 : a[at(j, i)]; });
    const auto ax = times_of(n, x, [&](std::int64_t i, std::int64_t j) { return value_at<double>(at(i, j), 6); });
    const auto exact = times_of(n, ax, [&](std::int64_t i, std::int64_t j) { return value_at<double>(at(j, i), 6); });
    report_progress(subject, results, row_major ? "geqrf by rows" : "geqrf", place, n, limit,
                    4 * std::pow(static_cast<double>(n), 3) / 3, seconds, difference(product, exact),
                    16 * static_cast<double>(n), report);
}

double symmetric(std::int64_t i, std::int64_t j, std::int64_t n)
{
    const auto row = std::max(i, j), column = std::min(i, j);
    return value_at<double>(row * n + column, 7) + (i == j ? static_cast<double>(n) : 0.0);
}

// A = L L^T of the lower triangle by rows, or, the same numbers, A = U^T U of the upper one by columns.
void time_cholesky(const Subject &subject, Results &results, const Place &place, std::int64_t n, std::int64_t limit,
                   bool row_major)
{
    auto *const a = reinterpret_cast<double *>(place.data);
    in_parallel(n, [&](std::int64_t first, std::int64_t end) {
        for (auto i = first; i < end; ++i)
            for (std::int64_t j = 0; j < n; ++j) a[i * n + j] = symmetric(i, j, n);
    });
    auto devices = subject.devices(limit, &place);
    Report report;
    const auto seconds = seconds_of([&] {
        potrf(devices, row_major ? Triangle::lower : Triangle::upper, {Scalar::d, row_major, n, n, a, n}, Options(),
              report);
    });
    const auto x = any_vector(n);
    const auto inner = times_of(n, x, [&](std::int64_t i, std::int64_t j) { return j < i ? 0.0 : a[j * n + i]; });
    const auto product = times_of(n, inner, [&](std::int64_t i, std::int64_t j) { return j > i ? 0.0 : a[i * n + j]; });
    const auto exact = times_of(n, x, [&](std::int64_t i, std::int64_t j) { return symmetric(i, j, n); });
    const auto cube = std::pow(static_cast<double>(n), 3);
    report_progress(subject, results, row_major ? "potrf by rows" : "potrf, upper", place, n, limit, cube / 3, seconds,
                    difference(product, exact), 64 * std::sqrt(static_cast<double>(n)), report);
}

} // namespace

void time_factorisations(const Subject &subject, const Place &place, Results &results)
{
    if (!subject.device->info().double_precision) return;
    const std::int64_t largest = subject.is_small ? 200 : 24576;
    const auto fitting = static_cast<std::int64_t>(std::sqrt(static_cast<double>(place.bytes) / 8)) / 256 * 256;
    const auto n = std::min(largest, fitting);
    if (n == 0) return;
    const auto limit = std::max<std::int64_t>(n * n * 8 / 3, std::int64_t{1} << 20);
    for (const bool row_major : {false, true})
        if (results.seconds_left() > factorisation_reserve_seconds)
            guarded(results, "getrf", [&] { time_lu(subject, results, place, n, limit, row_major); });
    if (results.seconds_left() > factorisation_reserve_seconds)
        guarded(results, "getrf",
                [&] { time_lu(subject, results, place, n, subject.device->info().memory_bytes, false); });
    for (const bool row_major : {true, false})
        if (results.seconds_left() > factorisation_reserve_seconds)
            guarded(results, "potrf", [&] { time_cholesky(subject, results, place, n, limit, row_major); });
    for (const bool row_major : {false, true})
        if (results.seconds_left() > factorisation_reserve_seconds)
            guarded(results, "geqrf", [&] { time_qr(subject, results, place, n, limit, row_major); });
}

} // namespace gpu_bench
