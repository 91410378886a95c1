// Factorisations, a symmetric update and a triangular solution on a device under a memory limit. In turns, so that all meet the
// same machine: LAPACK on the host, the device, the device with room for all, and a product out of card of the same size under
// the same limit. For a list of devices: seconds of LAPACK, each device alone, all by products, and the list. Medians.
//
//     bench_factor [DEVICES [LIMIT_IN_MEGABYTES, 0: none [N [REPETITIONS [OPERATION]]]]]
#include "core/error.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/gemm/gemm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <cblas.h>

namespace
{

using hpart::DeviceGroup;
using hpart::HostMatrix;
using hpart::Options;
using hpart::Report;
using hpart::Routines;
using Clock = std::chrono::steady_clock;
using Values = std::vector<double>;

struct Problem {
    std::int64_t n = 0;
    Values before, now, tau;
    std::vector<std::int64_t> pivots;
    std::vector<blasint> lapack_pivots;

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
    std::function<void(DeviceGroup &, const Options &, Problem &, Report &)> on_device;
    std::function<void(Problem &)> on_host;
};

const std::vector<Operation> &operations()
{
    static const std::vector<Operation> all = {
        {"getrf", 2.0 / 3,
         [](DeviceGroup &devices, const Options &options, Problem &p, Report &report) {
             hpart::getrf(devices, p.matrix(), p.pivots.data(), options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             Routines<double>::getrf(n, n, p.now.data(), n, p.lapack_pivots.data());
         }},
        {"potrf", 1.0 / 3,
         [](DeviceGroup &devices, const Options &options, Problem &p, Report &report) {
             hpart::potrf(devices, hpart::Triangle::lower, p.matrix(), options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             Routines<double>::potrf('L', n, p.now.data(), n);
         }},
        {"geqrf", 4.0 / 3,
         [](DeviceGroup &devices, const Options &options, Problem &p, Report &report) {
             hpart::geqrf(devices, p.matrix(), p.tau.data(), options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             Values work(static_cast<std::size_t>(p.n * 128));
             Routines<double>::geqrf(n, n, p.now.data(), n, p.tau.data(), work.data(),
                                     static_cast<blasint>(work.size()));
         }},
        {"syrk", 1,
         [](DeviceGroup &devices, const Options &options, Problem &p, Report &report) {
             hpart::SyrkCall call;
             call.k = p.n;
             call.a = p.before.data();
             call.lda = p.n;
             call.c = p.matrix();
             hpart::syrk(devices, call, options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, 1, p.before.data(), n, 0, p.now.data(), n);
         }},
        {"trsm", 1,
         [](DeviceGroup &devices, const Options &options, Problem &p, Report &report) {
             hpart::TrsmCall call;
             call.a = p.before.data();
             call.lda = p.n;
             call.b = p.matrix();
             hpart::trsm(devices, call, options, report);
         },
         [](Problem &p) {
             const auto n = static_cast<blasint>(p.n);
             cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, p.before.data(), n,
                         p.now.data(), n);
         }},
    };
    return all;
}

// Seconds of each of the alternatives, run in turns; the first turn, which measures and compiles, does not count.
std::vector<double> medians(int repetitions, Problem &problem, const std::vector<std::function<void()>> &alternatives)
{
    std::vector<std::vector<double>> seconds(alternatives.size());
    for (int turn = 0; turn <= repetitions; ++turn)
        for (std::size_t k = 0; k < alternatives.size(); ++k) {
            problem.now = problem.before;
            const auto start = Clock::now();
            alternatives[k]();
            if (turn > 0) seconds[k].push_back(std::chrono::duration<double>(Clock::now() - start).count());
        }
    std::vector<double> result;
    for (auto &of_one : seconds) {
        std::sort(of_one.begin(), of_one.end());
        result.push_back(of_one[of_one.size() / 2]);
    }
    return result;
}

template <typename Number> double number(const Report &report, const char *key)
{
    const auto *value = report.find(key);
    return value == nullptr ? 0 : static_cast<double>(std::get<Number>(*value));
}

void multiply(DeviceGroup &devices, Problem &problem)
{
    hpart::GemmCall call;
    call.row_major = false;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = problem.n;
    call.a = call.b = problem.before.data();
    call.c = problem.now.data();
    Report report;
    hpart::gemm(devices, call, {}, report);
}

void measure(DeviceGroup &devices, DeviceGroup &with_room, const Operation &operation, std::int64_t n, int repetitions)
{
    Problem problem(n);
    Report report, in_card_report;
    const auto seconds = medians(repetitions, problem,
                                 {[&] { operation.on_host(problem); },
                                  [&] {
                                      report = {};
                                      operation.on_device(devices, {}, problem, report);
                                  },
                                  [&] {
                                      in_card_report = {};
                                      operation.on_device(with_room, {}, problem, in_card_report);
                                  },
                                  [&] { multiply(devices, problem); }});
    const auto cube = std::pow(static_cast<double>(n), 3) * 1e-9, flops = operation.flops_per_cube * cube;
    const auto count = [&](const char *key) { return number<std::int64_t>(report, key); };
    const auto moved = count("bytes_to_device") + count("bytes_from_device");
    std::printf(
        "%-6s %5lld %8.1f %8.1f %8.1f %8.1f  %5.2f %5.2f %5.2f  %4.0f %5.0f %5.0f  %5.2f %6.3f %6.3f %6.3f %5.2f\n",
        operation.name, static_cast<long long>(n), flops / seconds[1], flops / seconds[0], flops / seconds[2],
        2 * cube / seconds[3], seconds[0] / seconds[1], seconds[2] / seconds[1],
        flops / seconds[1] / (2 * cube / seconds[3]), count("panel_width"), count("resident_width"),
        count("last_width"), moved / std::max(1.0, count("lower_bound_bytes")), number<double>(report, "panel_seconds"),
        number<double>(report, "kernel_seconds"), number<double>(report, "transfer_seconds"),
        number<double>(report, "overlap"));
    std::fflush(stdout);
}

DeviceGroup open(const std::string &devices, std::int64_t limit)
{
    Options options;
    if (limit > 0) options.set_int("memory_limit", limit);
    return hpart::open_devices(devices, options);
}

std::string text_of(const Report &report, const char *key)
{
    const auto *value = report.find(key);
    return value == nullptr ? "" : std::get<std::string>(*value);
}

// `other` is the same list, with memory of its own that is kept between calls.
void measure_list(DeviceGroup &list, DeviceGroup &other, const Operation &operation, std::int64_t n, int repetitions)
{
    Problem problem(n);
    std::vector<DeviceGroup> alone;
    for (const auto &session : list.sessions) alone.push_back({{session}});
    Report report;
    std::vector<std::function<void()>> alternatives{[&] { operation.on_host(problem); }};
    for (auto &session : alone)
        alternatives.emplace_back([&] {
            Report of_one;
            operation.on_device(session, {}, problem, of_one);
        });
    Options all;
    all.set_text("plan", "model");
    alternatives.emplace_back([&] {
        Report of_all;
        operation.on_device(other, all, problem, of_all);
    });
    alternatives.emplace_back([&] {
        report = {};
        operation.on_device(list, {}, problem, report);
    });
    const auto seconds = medians(repetitions, problem, alternatives);
    std::printf("%-6s %5lld", operation.name, static_cast<long long>(n));
    for (const auto one : seconds) std::printf(" %9.4f", one);
    std::string shares;
    for (const auto share : std::get<std::vector<double>>(report.get("device_shares")))
        shares += " " + std::to_string(std::lround(100 * share));
    const bool has_host = std::any_of(list.sessions.begin(), list.sessions.end(), [](const auto &session) {
        return session->info().backend == hpart::Backend::host;
    });
    std::printf("  %5.2f  %s, %%%s\n",
                *std::min_element(seconds.begin() + (has_host ? 0 : 1), seconds.end() - 1) / seconds.back(),
                text_of(report, "method").c_str(), shares.c_str());
    std::fflush(stdout);
}

void measure_lists(const std::string &devices, std::int64_t limit, std::int64_t n, int repetitions,
                   std::string_view only)
{
    auto list = open(devices, limit), other = open(devices, limit);
    std::printf("Seconds with %lld bytes on each; the host: %s, %d threads\n%-12s %9s", static_cast<long long>(limit),
                openblas_get_corename(), openblas_get_num_threads(), "", "LAPACK");
    for (const auto &session : list.sessions) std::printf(" %9.9s", session->info().spec.c_str());
    std::printf(" %9s %9s  the least of them / list\n", "all", "list");
    for (const auto &operation : operations())
        if (only.empty() || only == operation.name) measure_list(list, other, operation, n, repetitions);
}

} // namespace

int main(int count, char **arguments)
{
    const auto number_of = [&](int place, std::int64_t usual) {
        return count > place ? std::atoll(arguments[place]) : usual;
    };
    const std::string device = count > 1 ? arguments[1] : "opencl:0:0";
    const auto limit = 1'000'000 * number_of(2, 32), n = number_of(3, 4000);
    const auto repetitions = static_cast<int>(number_of(4, 5));
    const std::string_view only = count > 5 ? arguments[5] : "";
    try {
        if (device.find(',') != std::string::npos) {
            measure_lists(device, limit, n, repetitions, only);
            return 0;
        }
        auto devices = open(device, limit), with_room = open(device, 4 * 8 * n * n);
        std::printf("%s with %lld bytes, 1/%.1f of the matrix; the host: %s, %d threads. GFLOP/s, and seconds of the "
                    "last run\n",
                    device.c_str(), static_cast<long long>(limit),
                    8 * static_cast<double>(n * n) / static_cast<double>(limit), openblas_get_corename(),
                    openblas_get_num_threads());
        std::printf("%-6s %5s %8s %8s %8s %8s  %5s %5s %5s  %4s %5s %5s  %5s %6s %6s %6s %5s\n", "", "n", "device",
                    "LAPACK", "in card", "product", "/LAP.", "/in", "/prod", "w", "W", "last", "bytes", "panels",
                    "kernel", "moves", "over");
        for (const auto &operation : operations())
            if (only.empty() || only == operation.name) measure(devices, with_room, operation, n, repetitions);
    } catch (const hpart::Error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
