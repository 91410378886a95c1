// The memory that a dry run advises: nearly the best time from there on, and not before.
#include "out_of_card/pipeline/device_team.hpp"

#include "core/options.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{
namespace
{

TEST(AdvisedMemory, IsTheLeastOfNearlyTheBestTime)
{
    const auto inverse = [](std::int64_t bytes) { return std::optional(1 + 1e6 / static_cast<double>(bytes)); };
    const auto advised = advised_bytes(10, std::int64_t{1} << 40, inverse).value();
    EXPECT_GE(advised, 4999990);
    EXPECT_LE(advised, 5700000);
    EXPECT_EQ(advised_bytes(7000000, std::int64_t{1} << 40, inverse), 7000000) << "no plan needs less";
    EXPECT_NEAR(static_cast<double>(advised_bytes(10, 1000, inverse).value()), 885, 55);
    EXPECT_EQ(advised_bytes(1, 2, inverse), 2);
    EXPECT_EQ(advised_bytes(2000, 1000, inverse), 1000);
    const auto from = [](std::int64_t bytes) { return bytes < 500 ? std::nullopt : std::optional(1.0); };
    EXPECT_EQ(advised_bytes(10, 400, from), std::nullopt);
    EXPECT_NEAR(static_cast<double>(advised_bytes(10, 100000, from).value()), 530, 35);
}

using Operation = std::function<void(DeviceGroup &, const Options &, Report &)>;

std::int64_t bytes_of(const Report &report, const char *key) { return std::get<std::int64_t>(report.get(key)); }

Report dry(const Operation &run, std::int64_t limit)
{
    DeviceGroup devices{{support::known_device(make_host_device(), limit)}};
    Report report;
    run(devices, support::options_of({{"dry_run", "1"}}), report);
    return report;
}

// Whatever the limit of the dry run.
std::int64_t advised_by(const Operation &run, std::int64_t limit, std::int64_t other_limit)
{
    const auto report = dry(run, limit);
    const auto advised = bytes_of(report, "advised_memory");
    EXPECT_GT(advised, 2 * bytes_of(report, "least_memory"));
    EXPECT_NEAR(static_cast<double>(bytes_of(dry(run, other_limit), "advised_memory")), static_cast<double>(advised),
                0.2 * static_cast<double>(advised));
    return advised;
}

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

TEST(AdvisedMemory, OfProducts)
{
    constexpr std::int64_t n = 1500;
    std::vector<double> a(n * n), b(n * n), c(n * n);
    GemmCall call;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
    call.a = a.data(), call.b = b.data(), call.c = c.data();
    const Operation run = [&](auto &devices, const auto &options, auto &report) {
        gemm(devices, call, options, report);
    };
    const auto advised = advised_by(run, mebibyte, 16 * mebibyte);
    const auto seconds = [&](std::int64_t limit) { return std::get<double>(dry(run, limit).get("predicted_seconds")); };
    const auto best = seconds(1024 * mebibyte);
    EXPECT_LT(seconds(advised), 1.4 * best);
    EXPECT_GT(seconds(advised / 4), 1.2 * best);
}

TEST(AdvisedMemory, OfFactorisations)
{
    constexpr std::int64_t n = 1500;
    std::vector<double> a(n * n);
    std::vector<std::int64_t> pivots(n);
    const HostMatrix of_a{Scalar::d, true, n, n, a.data(), n};
    const Operation run = [&](auto &devices, const auto &options, auto &report) {
        getrf(devices, of_a, pivots.data(), options, report);
    };
    const auto advised = advised_by(run, mebibyte, 16 * mebibyte);
    EXPECT_EQ(std::get<std::string>(dry(run, advised).get("plan")), "left-looking");
}

TEST(AdvisedMemory, OfTransforms)
{
    std::vector<std::complex<double>> in(1024 * 1024), out(1024 * 1024);
    FftCall call;
    call.dims = {1024, 1024};
    call.in = in.data();
    call.out = out.data();
    const Operation run = [&](auto &devices, auto options, auto &report) {
        options.set_text("run_on", "device");
        fft(devices, call, options, report);
    };
    advised_by(run, 4 * mebibyte, 64 * mebibyte);
}

} // namespace
} // namespace hpart
