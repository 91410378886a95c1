// Factorisations on a card under a memory limit beside LAPACKE on the host: rates, and what moves.
//
//     bench_factor [DEVICE [LIMIT_IN_MEGABYTES [REPETITIONS]]]
#include "core/error.hpp"
#include "out_of_card/factorisations/factorisations.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <cblas.h>
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace
{

using hpart::Cards;
using hpart::HostMatrix;
using hpart::Options;
using hpart::Report;
using Clock = std::chrono::steady_clock;
using Values = std::vector<double>;

struct Problem {
    std::int64_t n = 0;
    Values before, now, tau;
    std::vector<std::int64_t> pivots;
    std::vector<lapack_int> lapack_pivots;

    explicit Problem(std::int64_t order)
        : n(order), before(static_cast<std::size_t>(n * n)), now(before), tau(static_cast<std::size_t>(n)),
          pivots(static_cast<std::size_t>(n)), lapack_pivots(static_cast<std::size_t>(n))
    {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> real(-1, 1);
        for (auto &value : before) value = real(random);
        // Positive definite as a symmetric matrix.
        for (std::int64_t i = 0; i < n; ++i)
            before[static_cast<std::size_t>(i * (n + 1))] += 2 * std::sqrt(static_cast<double>(n));
    }
    HostMatrix matrix() { return {hpart::Scalar::d, false, n, n, now.data(), n}; }
};

struct Operation {
    const char *name;
    double flops_per_cube;
    double least_moved; // elements in, over n^3 / (3 w)
    std::function<void(Cards &, const Options &, Problem &, Report &)> on_card;
    std::function<void(Problem &)> on_host;
};

const std::vector<Operation> &operations()
{
    static const std::vector<Operation> all = {
        {"getrf", 2.0 / 3, 1,
         [](Cards &cards, const Options &options, Problem &p, Report &report) {
             hpart::getrf(cards, p.matrix(), p.pivots.data(), options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<lapack_int>(p.n);
             LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, p.now.data(), n, p.lapack_pivots.data());
         }},
        {"potrf", 1.0 / 3, 0.5,
         [](Cards &cards, const Options &options, Problem &p, Report &report) {
             hpart::potrf(cards, hpart::Triangle::lower, p.matrix(), options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<lapack_int>(p.n);
             LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, p.now.data(), n);
         }},
        {"geqrf", 4.0 / 3, 1,
         [](Cards &cards, const Options &options, Problem &p, Report &report) {
             hpart::geqrf(cards, p.matrix(), p.tau.data(), options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<lapack_int>(p.n);
             Values work(static_cast<std::size_t>(p.n * 128));
             LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, n, p.now.data(), n, p.tau.data(), work.data(),
                                 static_cast<lapack_int>(work.size()));
         }},
        {"syrk", 1, 0.75,
         [](Cards &cards, const Options &options, Problem &p, Report &report) {
             hpart::SyrkCall call;
             call.k = p.n;
             call.a = p.before.data();
             call.lda = p.n;
             call.c = p.matrix();
             hpart::syrk(cards, call, options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, 1, p.before.data(), n, 0, p.now.data(), n);
         }},
        {"trsm", 1, 1.5,
         [](Cards &cards, const Options &options, Problem &p, Report &report) {
             hpart::TrsmCall call;
             call.a = p.before.data();
             call.lda = p.n;
             call.b = p.matrix();
             hpart::trsm(cards, call, options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, p.before.data(), n,
                         p.now.data(), n);
         }},
    };
    return all;
}

double least_seconds(int repetitions, Problem &problem, const std::function<void()> &run)
{
    double least = HUGE_VAL;
    for (int k = 0; k < repetitions; ++k) {
        problem.now = problem.before;
        const auto start = Clock::now();
        run();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return least;
}

template <typename Number> double number(const Report &report, const char *key)
{
    const auto *value = report.find(key);
    return value == nullptr ? 0 : static_cast<double>(std::get<Number>(*value));
}

void measure(Cards &cards, const Operation &operation, std::int64_t n, int repetitions)
{
    Problem problem(n);
    Report report;
    const auto flops = operation.flops_per_cube * std::pow(static_cast<double>(n), 3);
    const auto host = least_seconds(repetitions, problem, [&] { operation.on_host(problem); });
    const auto card = least_seconds(repetitions, problem, [&] { operation.on_card(cards, {}, problem, report); });
    const auto resident = number<std::int64_t>(report, "resident_width");
    const auto moved = number<std::int64_t>(report, "bytes_to_device") / 8;
    const auto panels = resident > 0 ? operation.least_moved * std::pow(static_cast<double>(n), 3) / (3 * resident) : 0;
    std::printf("%-6s %6lld %9.1f %9.1f %6.2f  %-12s %5.0f %9.1f %9.1f %9.1f %7.3f %7.3f %7.3f %5.2f\n", operation.name,
                static_cast<long long>(n), flops / card * 1e-9, flops / host * 1e-9, host / card,
                std::get<std::string>(report.get("method")).c_str(), resident, moved * 1e-6, panels * 1e-6,
                number<std::int64_t>(report, "bytes_from_device") / 8e6, number<double>(report, "panel_seconds"),
                number<double>(report, "kernel_seconds"), number<double>(report, "transfer_seconds"),
                number<double>(report, "overlap"));
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    const char *const device = count > 1 ? arguments[1] : "opencl:0:0";
    const auto limit = std::int64_t{1'000'000} * (count > 2 ? std::atoll(arguments[2]) : 32);
    const int repetitions = count > 3 ? std::atoi(arguments[3]) : 3;
    try {
        Options options;
        options.set_int("memory_limit", limit);
        auto cards = hpart::open_cards(device, options);
        std::printf("%s with %lld bytes; the host: %s, %d threads; elements in millions\n", device,
                    static_cast<long long>(limit), openblas_get_corename(), openblas_get_num_threads());
        std::printf("%-6s %6s %9s %9s %6s  %-12s %5s %9s %9s %9s %7s %7s %7s %5s\n", "", "n", "GFLOP/s", "LAPACKE",
                    "ratio", "method", "W", "in", "n^3/3W..", "out", "panels", "kernels", "moves", "over");
        for (const double share : {0.5, 1.0, 2.0, 4.0}) // of the limit, the matrix takes
            for (const auto &operation : operations())
                measure(cards, operation,
                        static_cast<std::int64_t>(std::sqrt(share * static_cast<double>(limit) / sizeof(double))),
                        repetitions);
    } catch (const hpart::Error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
