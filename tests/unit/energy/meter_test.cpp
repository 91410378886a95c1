#include "checks.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "support/data.hpp"
#include "support/fake_clock.hpp"
#include "support/function_source.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

namespace hpart
{
namespace
{

using support::FakeClock;
using support::FunctionSource;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

Meter meter(Quantity quantity, double interval, double wrap, std::function<Reading()> function)
{
    Sensor sensor;
    sensor.traits = {"test",
                     quantity,
                     quantity == Quantity::joules ? Method::counter : Method::integrated,
                     interval,
                     {{"all", wrap}}};
    sensor.source = std::make_unique<FunctionSource>(std::move(function));
    return Meter(std::move(sensor));
}

// 400 W on a range of 100 J: four wraps a second.
TEST(Meter, FollowsACounterThatWraps)
{
    FakeClock clock;
    auto counter = meter(Quantity::joules, 0.001, 100, [begin = now()] {
        const double time = now();
        return Reading{time, {std::fmod(90 + 400 * (time - begin), 100)}};
    });
    counter.start();
    clock.advance(1);
    const auto measured = counter.stop();
    EXPECT_NEAR(measured.seconds, 1, 1e-9);
    EXPECT_NEAR(measured.joules, 400, 1e-9);
    EXPECT_GT(measured.readings, 8);
}

TEST(Meter, IntegratesPowerBetweenStartAndStop)
{
    FakeClock clock;
    const double begin = now();
    // 100 W and a ramp of 50 W a second.
    auto power = meter(Quantity::watts, 0.01, never_wraps, [begin] {
        const double time = now();
        return Reading{time, {100 + 50 * (time - begin)}};
    });
    for (int k = 0; k < 3; ++k) {
        power.start();
        clock.advance(0.255);
        const auto measured = power.stop();
        EXPECT_NEAR(measured.joules, 0.255 * (100 + 50 * (k + 0.5) * 0.255), 1e-9);
        EXPECT_EQ(measured.readings, 27) << "both ends, and every 10 ms between";
    }
}

// Faults of a counter in long and short windows, whether it wraps or not: no window is believed that has 40 times the energy.
TEST(Meter, TellsAReadingThatIsWrong)
{
    FakeClock clock;
    for (const double wrap : {never_wraps, 262143.0, std::numeric_limits<double>::quiet_NaN()}) {
        for (const double wrong : {500.0, 5e3, 30e3})
            for (const double length : {0.004, 0.03, 0.4, 4.0}) {
                int reads = 0;
                auto counter = meter(Quantity::joules, 0.001, wrap, [&, begin = now()] {
                    const bool is_first = ++reads == 1;
                    return Reading{now(), {100e3 - (is_first ? wrong : 0) + 60 * (now() - begin)}};
                });
                counter.start();
                clock.advance(length);
                expect_error(Status::device, {"test", "wrong", "the energy is not known"}, [&] { counter.stop(); });
                counter.start();
                clock.advance(length);
                const auto measured = counter.stop();
                EXPECT_NEAR(measured.joules, 60 * measured.seconds, 1e-6);
            }
        // It jumps in a long window: the mean power would be likely.
        auto jumps = meter(Quantity::joules, 0.001, wrap, [begin = now()] {
            const double passed = now() - begin;
            return Reading{now(), {60 * passed + (passed > 30 ? 30e3 : 0)}};
        });
        jumps.start();
        clock.advance(100);
        expect_error(Status::device, {"test", "wrong", "the energy is not known"}, [&] { jumps.stop(); });
    }
}

TEST(Meter, OneWindowAtATime)
{
    FakeClock clock;
    double joules = 0;
    auto counter = meter(Quantity::joules, 0.1, never_wraps, [&] { return Reading{now(), {joules += 1}}; });
    expect_error(Status::invalid_argument, {"test", "not started"}, [&] { counter.stop(); });
    counter.start();
    expect_error(Status::invalid_argument, {"started already"}, [&] { counter.start(); });
    expect_error(Status::invalid_argument, {"is started"}, [&] { counter.measure_base_power(2); });
    EXPECT_EQ(counter.stop().joules, 1);
    expect_error(Status::invalid_argument, {"not started"}, [&] { counter.stop(); });
    counter.start();
    EXPECT_EQ(counter.stop().joules, 1);
}

TEST(Meter, AMeterThatGoesAwayFailsTheWindowAndNoMore)
{
    FakeClock clock;
    for (const auto quantity : {Quantity::joules, Quantity::watts}) {
        std::atomic<bool> gone = false;
        auto test = meter(quantity, 0.01, quantity == Quantity::joules ? 1000.0 : never_wraps, [&] {
            if (gone) fail(Status::device, "it is gone");
            return Reading{now(), {1 + std::fmod(now(), 100)}};
        });
        test.start();
        gone = true;
        clock.advance(0.05);
        expect_error(Status::device, {"gone"}, [&] { test.stop(); });
        expect_error(Status::invalid_argument, {"not started"}, [&] { test.stop(); });
        expect_error(Status::device, {"gone"}, [&] { test.start(); });
        expect_error(Status::device, {"gone"}, [&] { test.measure_base_power(1000); });
        gone = false;
        test.start();
        clock.advance(0.05);
        test.stop();
    }
}

// It goes in the middle of a base power that would take an hour.
TEST(Meter, ABasePowerEndsWithItsMeter)
{
    FakeClock clock;
    std::atomic<int> left = 20;
    auto test = meter(Quantity::watts, 0.002, never_wraps, [&] {
        if (--left < 0) fail(Status::device, "it is gone");
        return Reading{now(), {50}};
    });
    expect_error(Status::device, {"gone"}, [&] { test.measure_base_power(3600); });
    EXPECT_DOUBLE_EQ(clock.seconds(), 20 * 0.002);
}

// Power over a clock that stands still would be 0 J.
TEST(Meter, AClockThatStandsStill)
{
    FakeClock clock;
    auto still = meter(Quantity::watts, 0.01, never_wraps, [] { return Reading{5, {100}}; });
    still.start();
    clock.advance(0.1);
    expect_error(Status::device, {"test", "clock has stood still at 5 s"}, [&] { still.stop(); });
    expect_error(Status::device, {"clock has stood still"}, [&] { still.measure_base_power(3600); });
    // It stops in mid-window.
    const double begin = now();
    auto stops = meter(Quantity::watts, 0.01, never_wraps, [begin] {
        return Reading{std::min(now() - begin, 0.1), {100}};
    });
    stops.start();
    clock.advance(0.6);
    expect_error(Status::device, {"clock has stood still at 0.1 s"}, [&] { stops.stop(); });
    // A counter's joules are right, but not the seconds.
    double joules = 0;
    auto counter = meter(Quantity::joules, 0.01, never_wraps, [&] { return Reading{5, {joules += 1}}; });
    counter.start();
    clock.advance(0.1);
    expect_error(Status::device, {"clock has stood still at 5 s"}, [&] { counter.stop(); });
    // A clock of whole seconds in a window that is shorter is none that stands still.
    auto coarse = meter(Quantity::watts, 1, never_wraps, [] { return Reading{7, {100}}; });
    coarse.start();
    EXPECT_EQ(coarse.stop().seconds, 0);
}

// A dead counter in a window too short to tell, and one between two values.
TEST(Meter, AShortWindowOfADeadCounter)
{
    FakeClock clock;
    auto dead = meter(Quantity::joules, 0.001, never_wraps, [] { return Reading{now(), {1234}}; });
    dead.start();
    const auto error = support::error_of([&] { dead.stop(); });
    EXPECT_EQ(error.status(), Status::device);
    EXPECT_LT(std::string_view(error.what()).size(), 95U) << "its numbers are short: " << error.what();
    const double begin = now();
    auto slow = meter(Quantity::joules, 0.002, never_wraps, [begin] {
        return Reading{now(), {std::floor((now() - begin) / 0.03)}};
    });
    for (int k = 0; k < 20; ++k) {
        slow.start();
        const auto measured = slow.stop();
        EXPECT_EQ(measured.seconds, 0);
        EXPECT_EQ(measured.readings, 2);
    }
}

// Whoever waits for a base power may end it: what came with the meter, or the call.
TEST(Meter, ABasePowerCanBeStopped)
{
    FakeClock clock;
    for (const bool by_call : {true, false}) {
        int looks = 0;
        const std::function<void()> look = [&] {
            if (++looks == 2) fail(Status::cancelled, "enough");
        };
        Sensor sensor;
        sensor.traits = {"test", Quantity::watts, Method::integrated, 0.01, {{"all", never_wraps}}};
        sensor.source = std::make_unique<FunctionSource>([] { return Reading{now(), {50}}; });
        Meter test(std::move(sensor), std::nullopt, by_call ? no_look : look);
        expect_error(Status::cancelled, {"enough"},
                     [&] { by_call ? test.measure_base_power(3600, look) : test.measure_base_power(3600); });
        EXPECT_EQ(looks, 2);
        EXPECT_FALSE(test.base_power());
        looks = -1000;
        EXPECT_NEAR(test.measure_base_power(0.2).watts, 50, 1e-9);
    }
}

// Who looks while a base power is measured may ask the meter, but not start it.
TEST(Meter, IsAskedWhileItsBasePowerIsMeasured)
{
    FakeClock clock;
    auto test = meter(Quantity::watts, 0.01, never_wraps, [] { return Reading{now(), {50}}; });
    int looks = 0;
    const auto look = [&] {
        ++looks;
        EXPECT_EQ(test.report().find("base_power"), nullptr);
        EXPECT_FALSE(test.base_power());
        expect_error(Status::invalid_argument, {"base power", "is being measured"}, [&] { test.start(); });
        expect_error(Status::invalid_argument, {"is being measured"}, [&] { test.measure_base_power(1); });
        expect_error(Status::invalid_argument, {"not started"}, [&] { test.stop(); });
    };
    test.measure_base_power(0.2, look);
    EXPECT_EQ(looks, 4) << "every 50 ms";
    test.start();
    test.stop();
}

TEST(Meter, MeasuresBasePowerAndReportsDynamicEnergy)
{
    FakeClock clock;
    std::atomic<double> watts = 60;
    auto test = meter(Quantity::watts, 0.005, never_wraps, [&] { return Reading{now(), {watts}}; });
    EXPECT_EQ(test.report().find("base_power"), nullptr);
    expect_error(Status::invalid_argument, {"at least 0.1 s", "20"}, [&] { test.measure_base_power(0.09); });
    test.measure_base_power(20 * 0.005);
    expect_error(Status::invalid_argument, {"nan"}, [&] { test.measure_base_power(std::nan("")); });
    const auto base = test.measure_base_power(0.3);
    EXPECT_NEAR(base.watts, 60, 1e-9);
    EXPECT_NEAR(base.standard_error, 0.5 / std::sqrt(3.0), 1e-9); // half of the last decimal
    watts = 90;
    test.start();
    clock.advance(0.15);
    test.stop();
    const auto report = test.report();
    EXPECT_NEAR(std::get<double>(report.get("watts")), 90, 1e-9);
    EXPECT_NEAR(std::get<double>(report.get("dynamic_joules")), 30 * 0.15, 1e-9);
    EXPECT_EQ(std::get<std::string>(report.get("method")), "integrated");
    EXPECT_EQ(std::get<std::int64_t>(report.get("short_window")), 0);
    EXPECT_EQ(std::get<double>(report.get("minimum_window")), 0.1);
    test.start();
    test.stop();
    EXPECT_EQ(std::get<std::int64_t>(test.report().get("short_window")), 1);
}

TEST(Meter, ManyThreadsMayAsk)
{
    double joules = 0;
    auto test = meter(Quantity::joules, 0.1, 1e9, [&] { return Reading{now(), {joules += 1}}; });
    std::atomic<int> windows = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                try {
                    test.start();
                    test.report();
                    test.stop();
                    ++windows;
                } catch (const Error &error) {
                    EXPECT_EQ(error.status(), Status::invalid_argument);
                }
            }
        });
    for (auto &thread : threads) thread.join();
    EXPECT_GT(windows, 0);
}

TEST(Meter, AWindowMayBeOpenAtTheEnd)
{
    auto test = meter(Quantity::watts, 0.001, never_wraps, [] { return Reading{now(), {1}}; });
    test.start();
}

TEST(Registry, SumsMeters)
{
    FakeClock clock;
    const SysfsTree tree;
    const PlayedCounters counters(clock, tree, {{"intel-rapl:0", "package-0", 5, 100000, 70}});
    tree.write("class/hwmon/hwmon1/power1_input", 40000000);
    tree.write("class/hwmon/hwmon1/update_interval", 20);
    tree.write("class/hwmon/a+b/power1_input", 8000000);
    Meter sum(open_sensor("rapl+hwmon:hwmon1/power1_input+hwmon:a+b", {}));
    sum.start();
    clock.advance(3);
    const auto measured = sum.stop();
    EXPECT_NEAR(measured.seconds, 3, 0.01);
    EXPECT_NEAR(measured.joules, 118 * measured.seconds, 1e-3);
    ASSERT_EQ(measured.joules_of_channels.size(), 3U);
    EXPECT_NEAR(measured.joules_of_channels[0], 70 * measured.seconds, 1e-3);
    EXPECT_NEAR(measured.joules_of_channels[2], 8 * measured.seconds, 1e-3);
    EXPECT_NEAR(sum.measure_base_power(4).watts, 118, 0.1);
    const auto report = sum.report();
    std::vector<std::string> names;
    for (const auto &row : std::get<Report::Rows>(report.get("channels")))
        names.push_back(std::get<std::string>(row.get("name")));
    EXPECT_EQ(names, (std::vector<std::string>{"rapl package-0", "hwmon:hwmon1/power1_input power1_input",
                                               "hwmon:a+b power1_input"}));
    EXPECT_EQ(std::get<std::string>(report.get("method")), "integrated");
    EXPECT_EQ(std::get<double>(report.get("interval")), 0.1);
    tree.write("class/hwmon/hwmon1/power1_average", 40000000);
    tree.write("class/hwmon/hwmon1/power1_label", "PPT");
    tree.write("class/hwmon/hwmon1/name", "amdgpu");
    for (const auto *name : {"amdgpu/PPT", "hwmon1", "hwmon1/power1_average", "../hwmon/hwmon1"})
        support::expect_error(Status::invalid_argument, {name, "is the sensor of hwmon:hwmon1/power1_input", "twice"},
                              [&] { open_sensor(text("hwmon:hwmon1/power1_input+hwmon:", name), {}); });
    support::expect_error(Status::invalid_argument, {"estimate:2 is the sensor of estimate:1"},
                          [] { open_sensor("estimate:1+estimate:2", {}); });
    tree.remove("class/hwmon/hwmon1");
    support::expect_error(Status::device, {"hwmon1"}, [&] { sum.start(); });
    for (const auto *spec : {"rapl+rapl", "rapl+perf"})
        support::expect_error(Status::invalid_argument, {spec, "twice"}, [&] { open_sensor(spec, {}); });
    support::expect_error(Status::invalid_argument, {"rapl+nvmx:0"}, [] { open_sensor("rapl+nvmx:0", {}); });
}

TEST(Registry, RefusesWhatIsNoMeter)
{
    for (const auto *spec :
         {"", "volts", ":", "rapl:", "rapl:0", "replay", "replay:", "estimate", "estimate:", "hwmon"})
        expect_error(Status::invalid_argument, {spec, "rapl, ", "replay:FILE", "estimate:W"},
                     [&] { open_sensor(spec, {}); });
    for (const auto *spec : {"estimate:0", "estimate:-1", "estimate:x", "estimate:inf", "estimate:nan"})
        expect_error(Status::invalid_argument, {spec, "above 0"}, [&] { open_sensor(spec, {}); });
}

// The process whose window lies between two looks at its processor time, and around two others.
TEST(Estimate, IsProcessorTimeTimesWatts)
{
    Meter test(open_sensor("estimate:20", {}));
    const auto processor_seconds = [] {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double before = processor_seconds();
    test.start();
    const double begin = processor_seconds();
    while (processor_seconds() - begin < 0.05) {}
    const double end = processor_seconds();
    const auto measured = test.stop();
    constexpr double tick = 0.004; // the kernel's two clocks differ by so much
    EXPECT_GE(measured.joules, 20 * (end - begin - tick));
    EXPECT_LE(measured.joules, 20 * (processor_seconds() - before + tick));
    EXPECT_EQ(std::get<std::string>(test.report().get("method")), "estimated");
}

TEST(Meters, InterfacesAndDocumentsNameEachKind)
{
    for (const auto &kind : meter_kinds()) {
        const auto names = [&](const char *file, const std::string &form) {
            EXPECT_NE(support::content_of(file).find(form), std::string::npos) << file << ": " << form;
        };
        names("include/hpart/meter.h", text("\n *   ", kind.form, " "));
        names("docs/background/energy.md", text("\n| `", kind.form, "`"));
        names("bindings/python/hpart/_meter.py", text("\"", kind.name));
    }
}

} // namespace
} // namespace hpart
