// Products on devices of little memory, on every kind of device.
#include "problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"
#include "support/wrapping_device.hpp"

#include <array>
#include <cctype>
#include <thread>

#include <gtest/gtest.h>

using namespace gemm_test;
using hpart::DeviceGroup;
using hpart::DeviceSession;
using hpart::Options;
using hpart::Report;
using hpart::Status;
using support::options_of;

namespace
{

class OnDevice : public support::OnBackend
{
  protected:
    void SetUp() override
    {
        OnBackend::SetUp();
        if (device_ && hpart::in_card_gemm_names(*device_of({}).sessions.front(), hpart::Scalar::d).empty())
            GTEST_SKIP() << "there is no kernel for it here";
    }
    DeviceGroup device_of(std::optional<std::int64_t> limit) const { return {{support::known_device(device_, limit)}}; }

    static constexpr std::int64_t fewest_buffers = 8;
};

std::int64_t number(const Report &report, const char *key) { return std::get<std::int64_t>(report.get(key)); }

std::int64_t bytes_moved(const Report &report)
{
    return number(report, "bytes_to_device") + number(report, "bytes_from_device");
}

Form square(std::int64_t n) { return form_of(n, n, n); }

// A device that gives no buffer above a share of the limit, and takes pages.
class CoarseDevice final : public support::WrappingDevice
{
  public:
    CoarseDevice(std::shared_ptr<hpart::Device> inner, std::int64_t largest_buffer_bytes)
        : WrappingDevice(std::move(inner))
    {
        info_.largest_buffer_bytes = largest_buffer_bytes;
        info_.granule_bytes = 4096;
    }
};

// The status of the call, which must leave nothing behind.
Status status_of(DeviceGroup &devices, const Problem &problem, const Options &options)
{
    Report report;
    const auto error = support::error_of([&] { hpart::gemm(devices, problem.call(), options, report); });
    EXPECT_TRUE(error.status() == Status::success || devices.sessions.front()->used() == 0);
    return error.status();
}

TEST_P(OnDevice, random_products)
{
    auto random = support::seeded(21);
    for (const int bits : {16, 18, 20, 30}) {
        const auto limit = std::max(std::int64_t{1} << bits, fewest_buffers * device_->info().granule_bytes);
        auto devices = device_of(limit);
        for (std::int64_t i = 0, count = support::how_many(0.004); i < count; ++i) {
            const auto form = any_form(random, i % 20 == 0 ? 250 : 90);
            Problem problem(form, random);
            const bool hclooc = i % 5 == 1;
            const auto options = options_of({{"plan", hclooc ? "hclooc" : "model"}});
            Report report;
            try {
                hpart::gemm(devices, problem.call(), options, report);
            } catch (const hpart::Error &error) {
                ASSERT_TRUE(hclooc) << error.what() << ' ' << describe(form);
                ASSERT_EQ(error.status(), Status::out_of_memory) << error.what();
                ASSERT_TRUE(problem.unchanged());
                continue;
            }
            ASSERT_EQ(problem.check(), "") << describe(form) << " limit " << limit;
            ASSERT_EQ(devices.sessions.front()->used(), 0);
            if (report.find("bytes_planned") == nullptr) continue; // done without a device
            ASSERT_EQ(bytes_moved(report), number(report, "bytes_planned")) << describe(form);
            ASSERT_LE(devices.sessions.front()->most_used(), devices.sessions.front()->memory_limit());
        }
    }
}

TEST_P(OnDevice, random_products_by_each_kernel)
{
    auto random = support::seeded(20);
    auto devices = device_of(std::int64_t{1} << 20);
    for (std::int64_t i = 0, count = support::how_many(0.005); i < count; ++i) {
        const auto form = any_form(random, i % 10 == 0 ? 200 : 90);
        auto names = hpart::in_card_gemm_names(*devices.sessions.front(), form.type);
        if (!support::is_long_run()) // PoCL compiles them for minutes
            std::erase_if(names, [](const auto &name) { return name == "clblast" || name == "tiled"; });
        if (names.empty()) GTEST_SKIP() << "kernels for GPUs only";
        const auto &name = names[static_cast<std::size_t>(i) % names.size()];
        Problem problem(form, random);
        Report report;
        hpart::gemm(devices, problem.call(), options_of({{"kernel", name}}), report);
        ASSERT_EQ(problem.check(), "") << describe(form) << " kernel " << name;
    }
}

TEST_P(OnDevice, tiles_above_the_largest_buffer)
{
    auto random = support::seeded(28);
    constexpr std::int64_t limit = 1 << 19;
    for (const std::int64_t share : {4, 16}) {
        DeviceGroup devices{{support::known_device(std::make_shared<CoarseDevice>(device_, limit / share), limit)}};
        for (std::int64_t i = 0, count = support::how_many(0.005); i < count; ++i) {
            const auto form = any_form(random, 250);
            Problem problem(form, random);
            Report report;
            hpart::gemm(devices, problem.call(), Options(), report);
            ASSERT_EQ(problem.check(), "") << describe(form);
            if (report.find("bytes_planned") == nullptr) continue; // done without a device
            ASSERT_EQ(bytes_moved(report), number(report, "bytes_planned")) << describe(form);
            ASSERT_LE(devices.sessions.front()->most_used(), limit);
        }
        Problem problem(square(250), random);
        Report report;
        hpart::gemm(devices, problem.call(), options_of({{"tile", "200x104x8"}}), report); // of C 179200 bytes
        EXPECT_EQ(problem.check(), "");
        EXPECT_FALSE(std::get<std::string>(report.get("tiles")).ends_with("C in 1"));
    }
}

// Panels above least_native_copy_bytes, in buffers that the device kept of other plans.
TEST_P(OnDevice, large_panels_in_buffers_used_before)
{
    auto random = support::seeded(31);
    auto devices = device_of(std::int64_t{8} << 20);
    Problem problem(square(420), random);
    for (const auto *setting : {"hclooc", "216x420x420", "model", "420x216x210", "hclooc"}) {
        const auto options = options_of({{std::isdigit(*setting) != 0 ? "tile" : "plan", setting}});
        problem.restore();
        Report report;
        hpart::gemm(devices, problem.call(), options, report);
        ASSERT_EQ(problem.check(), "") << setting;
    }
}

TEST_P(OnDevice, random_products_in_place)
{
    auto random = support::seeded(25);
    auto devices = device_of(std::nullopt);
    if (!devices.sessions.front()->info().shares_host_memory)
        GTEST_SKIP() << "the device does not share the host's memory";
    for (std::int64_t i = 0, count = support::how_many(0.01); i < count; ++i) {
        const auto form = any_form(random, i % 20 == 0 ? 200 : 90);
        Problem problem(form, random);
        Report report;
        hpart::gemm(devices, problem.call(), options_of({{"zero_copy", i % 2 == 0 ? "auto" : "always"}}), report);
        ASSERT_EQ(problem.check(), "") << describe(form);
        ASSERT_TRUE(report.find("bytes_to_device") == nullptr || number(report, "bytes_to_device") == 0);
    }
}

TEST_P(OnDevice, a_call_that_is_cancelled_stops)
{
    auto devices = device_of(std::int64_t{1} << 20);
    auto random = support::seeded(23);
    Problem problem(square(400), random);
    Options options;
    int told = 0;
    options.set_progress(std::make_shared<const hpart::ProgressCallback>([&](double, const char *) { return ++told; }));
    EXPECT_EQ(status_of(devices, problem, options), Status::cancelled);
    EXPECT_EQ(told, 1);
    problem.restore();
    EXPECT_EQ(status_of(devices, problem, Options()), Status::success);
    EXPECT_EQ(problem.check(), "");
}

TEST_P(OnDevice, options)
{
    auto devices = device_of(std::int64_t{1} << 20);
    auto random = support::seeded(24);
    Problem problem(form_of(200, 300, 250), random);
    const auto tile = options_of({{"tile", "64x96x50"}, {"in_card_rate", "1"}});
    Report report;
    hpart::gemm(devices, problem.call(), tile, report);
    EXPECT_EQ(problem.check(), "");
    EXPECT_EQ(std::get<std::string>(report.get("plan")), "tile");
    EXPECT_EQ(std::get<std::string>(report.get("tiles")).substr(0, 20), "4 x 4 of 64x96x50, p");
    EXPECT_GT(std::get<double>(report.get("in_card_gflops")), 0);
    EXPECT_EQ(status_of(devices, problem, options_of({{"tile", "1000x1000x1000"}})), Status::out_of_memory);
    EXPECT_EQ(status_of(devices, problem, options_of({{"tile", "1x1x1"}})), Status::invalid_argument);
    EXPECT_EQ(status_of(devices, problem, options_of({{"kernel", "nonesuch"}})), Status::invalid_argument);
    auto whole = device_of(std::nullopt); // also where no kernel of the device's is used
    EXPECT_EQ(status_of(whole, problem, options_of({{"kernel", "nonesuch"}})), Status::invalid_argument);
    EXPECT_EQ(status_of(devices, problem, options_of({{"zero_copy", "always"}})),
              device_->info().shares_host_memory ? Status::invalid_argument : Status::unsupported);
    EXPECT_EQ(status_of(devices, problem, options_of({{"plan", "hclooc"}})), Status::success);
}

TEST_P(OnDevice, threads_on_one_device_take_turns)
{
    auto devices = device_of(std::int64_t{1} << 18);
    auto random = support::seeded(26);
    std::vector<Problem> problems;
    for (int i = 0; i < 4; ++i) problems.emplace_back(square(90 + 10 * i), random);
    std::vector<std::thread> threads;
    for (const auto &problem : problems)
        threads.emplace_back([&] { EXPECT_EQ(status_of(devices, problem, Options()), Status::success); });
    for (auto &thread : threads) thread.join();
    for (const auto &problem : problems) EXPECT_EQ(problem.check(), "");
}

// A device with a limit, and the same device without one, in place where it can.
TEST_P(OnDevice, random_products_on_two)
{
    auto random = support::seeded(22);
    auto devices = device_of(std::int64_t{1} << 18);
    devices.sessions.push_back(device_of(std::nullopt).sessions.front());
    double wall_of_all = 0, told_of_all = 0;
    for (std::int64_t i = 0, count = std::max<std::int64_t>(12, support::how_many(0.006)); i < count; ++i) {
        const auto form = any_form(random, i % 4 == 0 ? 250 : 60);
        Problem problem(form, random);
        Report report;
        const auto start = hpart::Clock::now();
        hpart::gemm(devices, problem.call(), Options(), report);
        const auto wall = hpart::seconds_since(start);
        const auto seconds = [&](const char *key) { return std::get<double>(report.get(key)); };
        const auto told = seconds("seconds") + seconds("setup_seconds");
        EXPECT_LE(told, wall);
        if (i == 0) continue; // measuring the devices' rates would hide what is left out
        wall_of_all += wall;
        told_of_all += told;
        ASSERT_EQ(problem.check(), "") << describe(form);
        for (const auto &session : devices.sessions) ASSERT_EQ(session->used(), 0);
        if (report.find("bytes_planned") == nullptr) continue; // done without a device
        ASSERT_EQ(bytes_moved(report), number(report, "bytes_planned"));
    }
    EXPECT_GT(told_of_all, wall_of_all / 2) << "what is left out is small";
}

// One may have done its part by then, in place too; what all have done rises.
TEST_P(OnDevice, what_a_cancelled_call_on_two_says_of_c)
{
    auto random = support::seeded(28);
    auto devices = device_of(std::nullopt);
    devices.sessions.push_back(device_of(std::nullopt).sessions.front());
    Problem problem(square(400), random);
    for (const double enough : {0.0, 0.4, 0.8, 0.95, 2.0}) {
        double last = 0;
        Options options;
        options.set_progress(std::make_shared<const hpart::ProgressCallback>([&](double fraction, const char *) {
            EXPECT_GE(fraction, last);
            EXPECT_LE(fraction, 1 + 1e-9);
            last = fraction;
            return fraction >= enough ? 1 : 0;
        }));
        Report report;
        problem.restore();
        try {
            hpart::gemm(devices, problem.call(), options, report);
            EXPECT_EQ(problem.check(), "") << enough;
        } catch (const hpart::Error &error) {
            EXPECT_EQ(error.status(), Status::cancelled);
            if (std::string_view(error.what()).ends_with("C is as it was")) {
                EXPECT_TRUE(problem.unchanged()) << enough;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, testing::ValuesIn(support::backend_cases()), support::backend_name);

TEST(OnTheHost, random_products)
{
    auto random = support::seeded(1);
    DeviceGroup none;
    for (std::int64_t i = 0, count = support::how_many(0.25); i < count; ++i) {
        const auto form = any_form(random, i % 100 == 0 ? 300 : 40);
        Problem problem(form, random);
        Report report;
        hpart::gemm(none, problem.call(), Options(), report);
        ASSERT_EQ(problem.check(), "") << describe(form);
    }
}

// By the time of a small part, in whatever memory there is.
TEST(OnTheHost, predicts_products_of_any_size)
{
    for (const auto &[m, n, k] : {std::array<std::int64_t, 3>{200'000, 200'000, 200'000}, {1, 3'000'000, 500'000}}) {
        DeviceGroup host{{std::make_shared<DeviceSession>(hpart::make_host_device(), std::nullopt)}};
        hpart::GemmCall call;
        call.m = m, call.n = n, call.k = call.lda = k;
        call.ldb = call.ldc = n;
        Report report;
        hpart::gemm(host, call, options_of({{"dry_run", "1"}}), report);
        const auto operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        EXPECT_GT(std::get<double>(report.get("predicted_seconds")), operations / 1e15);
        EXPECT_LT(std::get<double>(report.get("predicted_seconds")), operations / 1e6);
    }
}

// As measured while something else had the cores: a run that took far less than they say has them measured anew, so that a dry run tells
// the truth.
TEST(OnTheHost, rates_that_a_run_refutes_are_not_kept)
{
    support::KnownRates slow;
    slow.product_flops = 1e4;
    slow.are_measured = true;
    constexpr std::int64_t side = 200, limit = 1 << 18;
    DeviceGroup host{{support::known_device(hpart::make_host_device(), limit, slow)}};
    auto random = support::seeded(57);
    Problem problem(gemm_test::form_of(side, side, side), random);
    const auto predicted = [&](const char *dry_run) {
        Report report;
        hpart::gemm(host, problem.call(), options_of({{"dry_run", dry_run}}), report);
        return std::get<double>(report.get("predicted_seconds"));
    };
    constexpr double seconds = 2.0 * side * side * side / 1e4;
    EXPECT_GT(predicted("1"), seconds / 2);
    EXPECT_GT(predicted("0"), seconds / 2);
    EXPECT_EQ(problem.check(), "");
    EXPECT_LT(predicted("1"), seconds / 4);
}

TEST(OnDevices, shares_are_those_of_least_time)
{
    std::vector<double> fast, slow;
    for (int x = 1; x <= 12; ++x) {
        fast.push_back(x);
        slow.push_back(3.0 * x);
    }
    const auto shares = hpart::shares_of_least_time({fast, slow}, 12);
    EXPECT_EQ(shares, (std::vector<std::int64_t>{9, 3}));
}

} // namespace
