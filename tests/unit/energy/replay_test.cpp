#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "energy/tally.hpp"
#include "support/fake_clock.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace hpart
{
namespace
{

class Replay : public testing::Test
{
  protected:
    Meter open(const std::string &content)
    {
        std::ofstream(path_) << content;
        return Meter(open_sensor("replay:" + path_, {}));
    }
    const support::Folder folder_;
    const std::string path_ = folder_.file();
};

TEST_F(Replay, AScriptIsTheWholeRecordingEachTime)
{
    auto test = open("# clock = script\nseconds,watts\n0,100\n1,100\n2,200\n4,200\n");
    for (int k = 0; k < 2; ++k) {
        test.start();
        const auto measured = test.stop();
        EXPECT_DOUBLE_EQ(measured.seconds, 4);
        EXPECT_DOUBLE_EQ(measured.joules, 100 + 150 + 400);
    }
    EXPECT_EQ(std::get<std::string>(test.report().get("method")), "replayed");
}

TEST_F(Replay, AScriptedCounterWraps)
{
    auto test = open(
        "# clock = script\n# wrap = 262143.3\n# interval = 0.001\nseconds,joules\n5,262043.3\n6,262093.3\n7,0\n8,50\n");
    test.start();
    const auto measured = test.stop();
    EXPECT_NEAR(measured.joules, 150, 1e-9);
    EXPECT_DOUBLE_EQ(measured.seconds, 3);
    auto unknown = open("# clock = script\n# wrap = unknown\nseconds,joules\n5,100\n6,0\n");
    unknown.start();
    expect_error(Status::device, {"not known"}, [&] { unknown.stop(); });
}

TEST_F(Replay, RunsInRealTime)
{
    support::FakeClock clock;
    auto power = open("seconds,watts\n0,100\n1,200\n100,200\n");
    power.start();
    clock.advance(0.2);
    EXPECT_NEAR(power.stop().joules, 0.2 * 110, 1e-9); // on the ramp of the first second
    auto counter = open("# wrap = 1000\nseconds,joules\n0,990\n1,90\n100,90\n");
    counter.start();
    clock.advance(0.3);
    EXPECT_NEAR(counter.stop().joules, 30, 1e-9);
}

TEST_F(Replay, SaysWhenTheRecordingEnds)
{
    support::FakeClock clock;
    for (const auto *quantity : {"watts", "joules"}) {
        auto test = open(std::string("seconds,") + quantity + "\n7,1\n7.1,2\n");
        test.start();
        clock.advance(0.15);
        expect_error(Status::device, {"recording ended", " s after"}, [&] { test.stop(); });
    }
}

TEST_F(Replay, BasePowerOfAScript)
{
    std::string rows = "# clock = script\nseconds,watts\n";
    for (int k = 0; k <= 40; ++k) rows += std::to_string(k) + "," + (k % 2 == 0 ? "59" : "61") + "\n";
    auto test = open(rows);
    const auto base = test.measure_base_power(20);
    EXPECT_NEAR(base.watts, 60, 1e-9);
    auto brief = open("# clock = script\nseconds,watts\n0,1\n1,1\n2,1\n");
    expect_error(Status::invalid_argument, {"2 s only", "20"}, [&] { brief.measure_base_power(20); });
}

TEST(ReplayFile, ReadsBackTheSame)
{
    for (const auto *content :
         {"seconds,watts\n0,1\n0.5,2\n", "# wrap = unknown\n# interval = 2\nseconds,joules\n0,1\n0.5,2\n",
          "# wrap = 65.5\n# clock = script\n#a comment\r\n\r\n# x\nseconds, joules\r\n 0 , 1 \n 3,2"}) {
        const auto recording = parse_recording(content, "test");
        const auto written = format_recording(recording);
        EXPECT_EQ(format_recording(parse_recording(written, "again")), written);
        EXPECT_EQ(recording.readings.size(), 2U);
    }
    EXPECT_TRUE(std::isnan(parse_recording("# wrap = unknown\nseconds,joules\n0,1\n1,1\n", "test").wrap));
    EXPECT_EQ(parse_recording("seconds,watts\n0,1\n1,1\n3,1\n4,1\n", "test").interval, 1);
    EXPECT_EQ(parse_recording("#quantity = watts\n0,1\n1,1\n", "test").quantity, Quantity::watts);
    const auto with_units = parse_recording("seconds,watts\n0,61.5 W\n1,2kW\n2, 250 mW\n3,1e3\n", "test").readings;
    EXPECT_DOUBLE_EQ(with_units[0].values[0], 61.5);
    EXPECT_DOUBLE_EQ(with_units[1].values[0], 2000);
    EXPECT_DOUBLE_EQ(with_units[2].values[0], 0.25);
    EXPECT_DOUBLE_EQ(with_units[3].values[0], 1000);
    EXPECT_DOUBLE_EQ(parse_recording("seconds,joules\n0,5 mJ\n1,1 J\n", "test").readings[0].values[0], 0.005);
}

TEST(ReplayFile, SaysWhatIsWrongAndWhere)
{
    struct Case {
        const char *content, *where, *what;
    };
    for (const auto &[content, where, what] : {
             Case{"", "0 rows", "two"},
             Case{"seconds,watts\n0,1\n", "1 rows", "two"},
             Case{"0,1\n1,1\n", "quantity", "header"},
             Case{"Seconds,Watts\n0,1\n1,1\n", "line 1", "is no header"},
             Case{"seconds,volts\n0,1\n1,1\n", "line 1, column 9", "'volts'"},
             Case{"seconds,watts\n0,1\n1,x\n", "line 3, column 3", "'x'"},
             Case{"seconds,watts\n0,1\n1,-1\n", "line 3, column 3", "negative"},
             Case{"seconds,watts\n1700000000000000000,1\n1700000001000000000,1\n", "line 2, column 1", "in seconds"},
             Case{"seconds,watts\n1700000000000000,1\n1700000001000000,1\n", "line 2, column 1", "in seconds"},
             Case{"seconds,watts\n0,1\n1,nan\n", "line 3, column 3", "finite"},
             Case{"seconds,watts\n0,1\n1,1 J\n", "line 3, column 3", "of the header's quantity"},
             Case{"seconds,joules\n0,1 kWh\n1,1 J\n", "line 2, column 3", "of the header's quantity"},
             Case{"seconds,watts\n0,1\n0,2\n", "line 3, column 1", "increase"},
             Case{"seconds,watts\n0,1\n1\n", "line 3", "the header must be seconds,watts"},
             Case{"seconds,watts\n0,1\n1,1,1\n", "line 3", "the header must be seconds,watts"},
             Case{"# interval = 0\nseconds,watts\n0,1\n1,1\n", "line 1, column 14", "above 0"},
             Case{"# wrap = -1\nseconds,joules\n0,1\n1,1\n", "line 1, column 10", "'-1'"},
             Case{"seconds,joules\n0,5\n1,4\n", "the joules fall at 1 s", "# wrap = 65536"},
             Case{"# wrap = 5\nseconds,watts\n0,1\n1,1\n", "wrap", "power"},
             Case{"# clock = atomic\nseconds,watts\n0,1\n1,1\n", "line 1, column 11", "script"},
             Case{"# quantity = joules\nseconds,watts\n0,1\n1,1\n", "line 2", "named before"},
         })
        expect_error(Status::format, {"'test'", where, what}, [&, c = content] { parse_recording(c, "test"); });
    expect_error(Status::io, {"no/such"}, [] { open_sensor("replay:no/such", {}); });
}

TEST(PowerBetween, HoldsAtTheEndsAndIsOnLinesBetween)
{
    const std::vector<Reading> readings = {{1, {10}}, {2, {20}}, {4, {40}}};
    const auto inside = power_between(readings, 1.5, 3);
    ASSERT_EQ(inside.size(), 3U);
    EXPECT_DOUBLE_EQ(inside[0].values[0], 15);
    EXPECT_DOUBLE_EQ(inside[1].values[0], 20);
    EXPECT_DOUBLE_EQ(inside[2].values[0], 30);
    const auto beyond = power_between(readings, 0, 9);
    EXPECT_DOUBLE_EQ(beyond.front().values[0], 10);
    EXPECT_DOUBLE_EQ(beyond.front().seconds, 0);
    EXPECT_DOUBLE_EQ(beyond.back().values[0], 40);
    EXPECT_EQ(power_between(readings, 4, 4).size(), 2U);
    EXPECT_DOUBLE_EQ(power_between(readings, 1, 1).front().values[0], 10);
}

} // namespace
} // namespace hpart
