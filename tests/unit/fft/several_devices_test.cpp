// Transforms that several devices share, and the parts that they get.
#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "problem.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"
#include "support/slow_link_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>

using namespace problem;
using namespace hpart;
using support::options_of;

namespace
{

using problem::problem_of;

constexpr std::int64_t limit = 256 * kilobyte;

const std::vector<double> &numbers(const Report &report, std::string_view key)
{
    return std::get<std::vector<double>>(report.get(key));
}

// In two passes, of several lines and of one each, and as they are.
const std::vector<std::pair<FftKind, std::vector<std::int64_t>>> shapes = {{FftKind::complex, {256, 320}},
                                                                           {FftKind::complex, {90000}},
                                                                           {FftKind::real_to_complex, {100, 30, 36}},
                                                                           {FftKind::complex_to_real, {300, 210}}};

Problem problem_of(const std::pair<FftKind, std::vector<std::int64_t>> &shape, std::int64_t batch)
{
    return problem::problem_of(shape.first, shape.second, batch);
}

// Right, moved as planned, and all of it dealt out. The report.
Report shared(DeviceGroup &devices, const Problem &problem, const Options &options = {})
{
    Arrays arrays(problem);
    Report report;
    fft(devices, arrays.call(), options, report);
    const auto told = describe(problem);
    EXPECT_LE(arrays.error(), arrays.tolerance()) << told;
    EXPECT_TRUE(arrays.rest_is_untouched()) << told;
    EXPECT_EQ(std::get<std::string>(report.get("plan")), "shares") << told;
    EXPECT_EQ(integer(report, "bytes_to_device") + integer(report, "bytes_from_device"),
              integer(report, "bytes_planned"))
        << told;
    const auto &shares = numbers(report, "device_shares");
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12) << told;
    EXPECT_EQ(shares.size(), numbers(report, "device_seconds").size()) << told;
    for (const auto &session : devices.sessions) {
        EXPECT_LE(session->most_used(), session->memory_limit()) << told;
        EXPECT_EQ(session->used(), 0) << told;
    }
    return report;
}

std::shared_ptr<Device> behind_link(const std::shared_ptr<Device> &device, double rate, bool half_duplex = false)
{
    return std::make_shared<support::SlowLinkDevice>(device, support::Link{rate, rate, half_duplex});
}

void keep_link(DeviceSession &session, double rate)
{
    session.forget(name_of_link_rates);
    session.kept<const LinkRates>(name_of_link_rates, [&] {
        return std::make_shared<const LinkRates>(LinkRates{rate, rate, 2 * rate, 5e-6, 1e-10});
    });
}

class FftShares : public support::OnBackend
{
  protected:
    static std::shared_ptr<DeviceSession> session() { return support::known_device(GetParam().open(), limit); }
};

// The rates that the devices are planned with are the same.
TEST_P(FftShares, AreEvenOnEqualDevices)
{
    for (const auto &shape : shapes) {
        DeviceGroup devices{{session(), session()}};
        const auto report = shared(devices, problem_of(shape, 1));
        const auto &shares = numbers(report, "device_shares");
        ASSERT_EQ(shares.size(), 2U);
        EXPECT_NEAR(shares[0], 0.5, 0.1) << describe(problem_of(shape, 1));
    }
}

// The device is planned with the rate that its link has.
TEST_P(FftShares, AreSmallerBehindASlowLink)
{
    constexpr double rate = 5e8;
    for (const auto &shape : shapes)
        for (const bool slow_is_first : {true, false}) {
            auto behind = support::known_device(behind_link(GetParam().open(), rate), limit);
            keep_link(*behind, rate);
            DeviceGroup devices{{session(), behind}};
            if (slow_is_first) std::swap(devices.sessions[0], devices.sessions[1]);
            const auto report = shared(devices, problem_of(shape, 2));
            const auto &shares = numbers(report, "device_shares");
            ASSERT_EQ(shares.size(), 2U) << describe(problem_of(shape, 2));
            EXPECT_LT(shares[slow_is_first ? 0 : 1], 0.4) << describe(problem_of(shape, 2));
        }
}

// Two devices that are thought alike, one of them behind a link of a fiftieth of its rate, which is slow beside a busy host, too.
TEST_P(FftShares, AreCorrectedByWhatPartsTook)
{
    constexpr double thought = 1e8;
    DeviceGroup devices{{session(), support::known_device(behind_link(GetParam().open(), thought / 50), limit)}};
    for (const auto &one : devices.sessions) keep_link(*one, thought);
    const auto problem = problem_of(shapes[0], 1);
    const auto first = numbers(shared(devices, problem), "device_shares");
    shared(devices, problem);
    const auto last = numbers(shared(devices, problem), "device_shares");
    ASSERT_EQ(first.size(), 2U);
    EXPECT_NEAR(first[1], 0.5, 0.1);
    if (last.size() == 2) {
        EXPECT_LT(last[1], first[1]);
    }
}

TEST_P(FftShares, OfTheHostAndADevice)
{
    for (const auto &shape : shapes) {
        DeviceGroup devices{{support::known_device(make_host_device(), std::nullopt), session()}};
        shared(devices, problem_of(shape, 1));
    }
}

// A plan by name: the transforms of a batch fit as they are, and can be cut.
TEST_P(FftShares, AreOfThePlanThatIsNamed)
{
    for (const auto *plan : {"in-card", "slabs"}) {
        DeviceGroup devices{{session(), session()}};
        const auto report =
            shared(devices, problem_of(FftKind::complex, {60, 64}, 6), options_of({{"fft_plan", plan}}));
        const auto tiles = std::get<std::string>(report.get("tiles"));
        const auto first = tiles.find(text(": ", plan, ", "));
        EXPECT_NE(first, std::string::npos) << tiles;
        EXPECT_NE(tiles.find(text(": ", plan, ", "), first + 1), std::string::npos) << tiles;
    }
}

// One device does what several cannot share, or what only it has memory for.
TEST_P(FftShares, AreNothingOfADeviceThatIsIdle)
{
    const auto problem = problem_of(shapes[0], 1);
    const auto shares_of = [](const Problem &what, const DeviceGroup &devices, const Options &options) {
        Arrays arrays(what);
        Report report;
        auto together = devices;
        fft(together, arrays.call(), options, report);
        EXPECT_LE(arrays.error(), arrays.tolerance());
        const auto spec = [&](std::size_t k) { return devices.sessions[k]->info().spec; };
        EXPECT_EQ(std::get<std::string>(report.get("devices")), text(spec(0), ", ", spec(1)));
        const auto &seconds = numbers(report, "device_seconds"), &shares = numbers(report, "device_shares");
        for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(seconds.at(k) > 0, shares.at(k) > 0);
        return shares;
    };
    const std::vector<double> first = {1, 0}, second = {0, 1}, nobody = {0, 0};
    const auto tiny = [] { return support::known_device(GetParam().open(), 2000); };
    EXPECT_EQ(shares_of(problem, {{tiny(), session()}}, {}), second);
    EXPECT_EQ(shares_of(problem, {{session(), tiny()}}, {}), first);
    Problem nothing = problem;
    nothing.call.batch = 0;
    EXPECT_EQ(shares_of(nothing, {{session(), session()}}, {}), nobody);
    const bool is_host = GetParam().name == "host";
    if (!is_host) {
        EXPECT_EQ(shares_of(problem, {{tiny(), tiny()}}, {}), nobody);
        EXPECT_EQ(shares_of(problem, {{session(), support::known_device(make_host_device(), limit)}},
                            options_of({{"run_on", "host"}})),
                  second);
    }
}

// Each names what would do, since either would.
TEST_P(FftShares, AreRefusedWithWhatEachDeviceNeeds)
{
    DeviceGroup devices{
        {support::known_device(GetParam().open(), 2000), support::known_device(GetParam().open(), 3000)}};
    const auto options = options_of({{"run_on", "device"}});
    Arrays arrays(problem_of(shapes[0], 1));
    Report report;
    const auto error = support::error_of([&] { fft(devices, arrays.call(), options, report); });
    EXPECT_EQ(error.status(), Status::out_of_memory) << error.what();
    EXPECT_TRUE(std::regex_search(
        error.what(),
        std::regex(
            "in 2000 bytes of .*; [0-9]+ bytes would do; no plan .* in 3000 bytes of .*; [0-9]+ bytes would do")))
        << error.what();
}

// Two devices are thought alike, but one is much slower: the caller hears of it, and can stop it, when the other waits.
TEST_P(FftShares, TellProgressOfAll)
{
    constexpr double thought = 1e8, slow = 2e6;
    for (const bool first_is_slow : {true, false})
        for (const bool stop : {false, true}) {
            DeviceGroup devices{{session(), support::known_device(behind_link(GetParam().open(), slow), limit)}};
            for (const auto &one : devices.sessions) keep_link(*one, thought);
            if (first_is_slow) std::swap(devices.sessions[0], devices.sessions[1]);
            std::vector<double> told;
            Options options;
            options.set_progress(std::make_shared<ProgressCallback>([&](double part, const char *) {
                told.push_back(part);
                return stop && part > 0.3 ? 1 : 0;
            }));
            Arrays arrays(problem_of(FftKind::complex, {64, 640}));
            Report report;
            bool stopped = false;
            try {
                fft(devices, arrays.call(), options, report);
            } catch (const Error &error) {
                stopped = true;
                EXPECT_EQ(error.status(), Status::cancelled) << error.what();
            }
            EXPECT_EQ(stopped, stop);
            EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
            if (stopped) continue;
            ASSERT_GE(told.size(), 3U);
            EXPECT_LE(told.back(), 1);
            // The fast device has long done its share: the caller hears of the slow one.
            EXPECT_GE(std::ranges::count_if(told, [](double part) { return part > 0.3 && part < 0.9; }), 2);
        }
}

// PoCL compiles VkFFT's kernels for each shape, which takes seconds.
std::vector<support::BackendCase> quick_backends()
{
    auto backends = support::backend_cases();
    if (!support::is_long_run()) std::erase_if(backends, [](const auto &backend) { return backend.is_alone; });
    return backends;
}
INSTANTIATE_TEST_SUITE_P(Devices, FftShares, testing::ValuesIn(quick_backends()), support::backend_name);

TEST(FftOnUnits, ShareATransform)
{
    if (!support::has_opencl_units()) GTEST_SKIP() << "opencl:0:0 has no compute units";
    for (const auto &shape : shapes) {
        auto devices = support::known_devices("opencl:0:0:0,opencl:0:0:1", limit);
        const auto report = shared(devices, problem_of(shape, 1));
        EXPECT_EQ(std::get<std::string>(report.get("devices")), "opencl:0:0:0, opencl:0:0:1");
    }
}

// Half of the way, in proportion; what is too short to be measured says nothing.
TEST(FftCorrection, GoesHalfOfTheWay)
{
    Correction correction;
    correction.learn(0.01, 0.04);
    EXPECT_DOUBLE_EQ(correction.factor(), 2);
    correction.learn(0.02, 0.005);
    EXPECT_DOUBLE_EQ(correction.factor(), 1);
    correction.learn(0.001, 1);
    EXPECT_DOUBLE_EQ(correction.factor(), 1);
    correction.learn(0.01, 1e9);
    EXPECT_DOUBLE_EQ(correction.factor(), 100);
}

} // namespace
