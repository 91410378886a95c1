#include "checks.hpp"
#include "energy/tally.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace hpart
{
namespace
{

const double unknown = std::numeric_limits<double>::quiet_NaN();

Traits counter(double wrap, double interval = 0.001)
{
    return {"test", Quantity::joules, Method::counter, interval, {{"package-0", wrap}}};
}

Traits power(double interval)
{
    return {"test", Quantity::watts, Method::integrated, interval, {{"power", never_wraps}}};
}

TEST(Tally, SumsTheChannels)
{
    Traits traits{"test", Quantity::joules, Method::counter, 1, {{"package-0", 1000}, {"dram", 100}}};
    Tally tally(traits);
    tally.add({10, {990, 95}}, 0);
    tally.add({11, {20, 99}}, 0.1);
    tally.add({12, {50, 3}}, 0.2);
    EXPECT_DOUBLE_EQ(tally.seconds(), 2);
    EXPECT_DOUBLE_EQ(tally.joules_of_channels()[0], 60);
    EXPECT_DOUBLE_EQ(tally.joules_of_channels()[1], 8);
    EXPECT_DOUBLE_EQ(tally.joules(), 68);
    EXPECT_EQ(tally.readings(), 3);
    EXPECT_EQ(tally.missed(), 0);
}

// A load that changes at random, read as often as the tally asks, on counters of all sizes that begin anywhere: the energy is
// that of the load to the counter's unit, whatever the number of wraps.
TEST(Tally, FollowsAnyLoadThroughAnyNumberOfWraps)
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> part(0, 1);
    constexpr double unit = 61e-6;
    for (int k = 0; k < 300; ++k) {
        const double wrap = std::exp(std::log(50.0) + part(random) * std::log(6000.0)); // 50 J to 300 kJ
        const double most_watts = 20 + 280 * part(random);
        Tally tally(counter(wrap));
        double counted = wrap * part(random), joules = 0, time = 0;
        const auto read = [&] { return std::floor(std::fmod(counted, wrap) / unit) * unit; };
        tally.add({time, {read()}}, time);
        for (int step = 0; step < 300; ++step) {
            // The thread may be late by some milliseconds, and the power is anything up to the most at any moment.
            const double passed = tally.poll_seconds() + 0.004 * part(random);
            const double watts = most_watts * (part(random) < 0.2 ? 1 : 0.1 + 0.9 * part(random));
            time += passed;
            counted += watts * passed;
            joules += watts * passed;
            tally.add({time, {read()}}, time);
        }
        EXPECT_NEAR(tally.joules(), joules, 2 * unit) << wrap;
        EXPECT_NEAR(tally.joules() / tally.seconds(), joules / time, 1e-3);
    }
}

// Half the wrap time at the highest rate seen, at least.
TEST(Tally, AsksOftenEnough)
{
    Tally tally(counter(100));
    EXPECT_LE(tally.poll_seconds(), 0.05); // nothing is known: 1 kW and more is possible
    tally.add({0, {0}}, 0);
    tally.add({0.1, {10}}, 0.1); // 100 W: it wraps every second
    EXPECT_LE(tally.poll_seconds(), 0.5);
    EXPECT_LE(Tally(counter(262143)).poll_seconds(), 10);
    for (const double wrap : {never_wraps, unknown, 262143.0}) {
        Tally any(counter(wrap));
        for (int k = 0; k < 4; ++k) {
            EXPECT_EQ(any.poll_seconds(), k < 2 ? 0.02 : 1) << "no power is known at the beginning";
            any.add({0.02 * k, {2.0 * k}}, 0.02 * k);
        }
    }
    EXPECT_EQ(Tally(power(0.25)).poll_seconds(), 0.25);
}

TEST(Tally, RefusesAGapThatMayHideWraps)
{
    Tally tally(counter(100));
    tally.add({0, {0}}, 0);
    tally.add({0.1, {10}}, 0.1);
    tally.add({0.55, {55}}, 0.55); // 45 % of a round at the rate seen
    expect_error(Status::device, {"package-0", "could not be read", "more than once"}, [&] {
        tally.add({1.2, {20}}, 1.2);
    });
    Tally fresh(counter(100));
    fresh.add({0, {0}}, 0);
    expect_error(Status::device, {"more than once"}, [&] { fresh.add({2, {50}}, 2); });
}

// Any counter that goes round in less than two readings, at any power: its steps fall anywhere in its range.
TEST(Tally, FindsACounterThatIsTooFast)
{
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> part(0, 1);
    for (const double rounds_a_reading : {1.0, 1.7, 3.2, 50.0}) {
        Tally tally(counter(1));
        double time = 0;
        expect_error(Status::device, {"package-0", "of its range of 1 J", "not known"}, [&] {
            for (int reading = 0; reading < 100; ++reading) {
                tally.add({time, {std::fmod(rounds_a_reading * time / 0.02, 1)}}, time);
                time += 0.02 + 0.019 * part(random);
            }
        });
    }
    // The fastest that is followed: a round takes two readings and a little, and none is late.
    Tally tally(counter(1));
    for (int reading = 0; reading < 100; ++reading)
        tally.add({0.02 * reading, {std::fmod(0.49 * reading, 1)}}, 0.02 * reading);
    EXPECT_NEAR(tally.joules(), 0.49 * 99, 1e-9);
    // 240 W, in a step each quarter of a second.
    Tally slow(counter(100, 0.25));
    for (int reading = 0; reading < 100; ++reading)
        slow.add({0.02 * reading, {std::fmod(60.0 * std::floor(0.08 * reading), 100)}}, 0.02 * reading);
    EXPECT_NEAR(slow.joules(), 60 * 7, 1e-9);
}

TEST(Tally, ARangeThatIsUnknownIsNoNegativeEnergy)
{
    Tally tally(counter(unknown));
    tally.add({0, {5}}, 0);
    tally.add({1, {7}}, 1);
    EXPECT_DOUBLE_EQ(tally.joules(), 2);
    expect_error(Status::device, {"went back", "range", "not known"}, [&] { tally.add({2, {1}}, 2); });
    Tally never(counter(never_wraps));
    never.add({0, {5}}, 0);
    expect_error(Status::device, {"went back", "never wraps"}, [&] { never.add({1, {4.9}}, 1); });
}

TEST(Tally, RefusesWhatCannotBe)
{
    for (const double value : {-1.0, unknown, std::numeric_limits<double>::infinity()}) {
        Tally tally(power(1));
        expect_error(Status::device, {"not negative"}, [&] { tally.add({0, {value}}, 0); });
    }
    Tally endless(power(1));
    endless.add({0, {1e308}}, 0);
    expect_error(Status::numerical, {"beyond what a number can hold"}, [&] { endless.add({9, {1e308}}, 9); });
    Tally tally(counter(100));
    expect_error(Status::device, {"range ends at 100"}, [&] { tally.add({0, {101}}, 0); });
    expect_error(Status::device, {"time"}, [&] { tally.add({unknown, {1}}, 0); });
    tally.add({5, {1}}, 0);
    expect_error(Status::device, {"must not go back"}, [&] { tally.add({4.9, {2}}, 0.1); });
    expect_error(Status::internal, {"2 values"}, [&] { tally.add({6, {2, 3}}, 0.1); });
}

// Set back, a glitch, another counter in its place: a step that no part of a node can draw is no energy.
TEST(Tally, RefusesAStepThatIsNoEnergy)
{
    constexpr double wrap = 262143.32885;
    struct Case {
        double wrap, before, after, poll;
        const char *says;
    };
    const std::vector<Case> cases = {{wrap, 150000, 0, 0.1, "the counter was set back"},
                                     {wrap, 200000, 5, 10, "the counter was set back"},
                                     {wrap, 195000, 45000, 0.3, "the counter was set back"},
                                     {wrap, 45000, 195000, 0.3, "one of the two readings is wrong"},
                                     {never_wraps, 200, 22e6, 0.05, "one of the two readings is wrong"},
                                     {unknown, 22e6, 27e6, 1, "one of the two readings is wrong"}};
    for (const auto &[range, before, after, poll, says] : cases) {
        Tally tally(counter(range));
        double time = 0, joules = before - 20 * 68 * poll;
        for (int k = 0; k <= 20; ++k, time += poll, joules += 68 * poll) tally.add({time, {joules}}, time);
        const Reading wrong{time, {after}};
        expect_error(Status::device, {"package-0", says, " W: ", "not known"},
                     [&] { tally.add(wrong, wrong.seconds); });
    }
    Tally first(counter(never_wraps)); // before a power is known
    first.add({0, {200}}, 0);
    expect_error(Status::device, {"readings is wrong"}, [&] { first.add({0.05, {22e6}}, 0.05); });
    Tally recording(counter(wrap)); // whose time passes at once
    for (int k = 0; k < 20; ++k) recording.add({0.1 * k, {150000 + 6.8 * k}}, 0);
    EXPECT_NEAR(recording.joules(), 6.8 * 19, 1e-6);
    expect_error(Status::device, {"was set back"}, [&] { recording.add({2, {0}}, 0); });
}

// Counters with one fault: set to another value, one wrong reading, a second source in turn, late updates, no updates. The energy is the
// load's, or refused.
TEST(Tally, TellsAFaultOrTheEnergy)
{
    enum class Fault { none, glitch, set, two_sources, lag, freeze };
    auto random = support::seeded(5);
    std::uniform_real_distribution<double> part(0, 1);
    for (std::int64_t k = 0; k < support::how_many(); ++k) {
        const auto fault = static_cast<Fault>(k % 6);
        const double wraps[] = {262143.3, 65536 * (1 + part(random)), never_wraps, unknown};
        const double wrap = wraps[k / 6 % 4];
        // Farther than a node's power goes in a poll, in both directions around the range. The first polls are short.
        const bool is_early = part(random) < 0.3;
        const double jump = (is_early ? 500 : 20e3) + 20e3 * part(random), sign = part(random) < 0.5 ? -1 : 1;
        const int begin = static_cast<int>(is_early ? 2 * part(random) : 5 + 20 * part(random));
        const int late = 1 + static_cast<int>(3 * part(random));
        const double start = wrap > 0 ? wrap * part(random) : 50e3;
        double joules = 0, time = 0, seen = start;
        Tally tally(counter(wrap));
        const auto shown = [&](double value) { return wrap > 0 ? std::fmod(value + wrap, wrap) : value; };
        bool is_refused = false;
        try {
            for (int step = 0; step < 40; ++step) {
                const bool is_wrong = (fault == Fault::set && step >= begin) ||
                                      (fault == Fault::glitch && step == begin) ||
                                      (fault == Fault::two_sources && step >= begin && step % 2 == 0);
                const bool is_late = (fault == Fault::lag && step >= begin && step < begin + late) ||
                                     (fault == Fault::freeze && step >= begin);
                if (!is_late) seen = shown(start + joules + (is_wrong ? sign * jump : 0));
                tally.add({time, {seen}}, time);
                const double passed = tally.poll_seconds(), watts = 5 + 595 * part(random);
                time += passed;
                joules += watts * passed;
            }
            time += fault == Fault::freeze ? tally.dead_seconds() : 0;
            tally.add(
                {time,
                 {fault == Fault::freeze ? seen : shown(start + joules + (fault == Fault::set ? sign * jump : 0))}},
                time);
            tally.check_moved();
        } catch (const Error &error) {
            is_refused = true;
            ASSERT_EQ(error.status(), Status::device) << error.what();
        }
        if (fault == Fault::none || fault == Fault::lag || (fault == Fault::set && begin == 0)) {
            ASSERT_FALSE(is_refused) << k;
            ASSERT_NEAR(tally.joules(), joules, 1e-6 * joules) << k;
        } else {
            ASSERT_TRUE(is_refused) << k << ": " << tally.joules() << " J for " << joules;
        }
    }
}

// A reading that stays for a while is no lower power: a counter that stands so long is dead.
TEST(Tally, TellsAFirstReadingThatStays)
{
    Tally tally(counter(never_wraps));
    double time = 0;
    for (; time < 1.5; time += 0.02) tally.add({time, {200}}, time);
    EXPECT_EQ(tally.poll_seconds(), 0.02);
    expect_error(Status::device, {"readings is wrong"}, [&] { tally.add({time, {5200}}, time); });
}

// An estimate is computed: however many cores begin or end to work, it is right.
TEST(Tally, BelievesAnEstimate)
{
    auto traits = counter(never_wraps);
    traits.method = Method::estimated;
    Tally tally(traits);
    double joules = 0;
    for (int k = 0; k < 20; ++k) {
        tally.add({0.02 * k, {joules}}, 0.02 * k);
        joules += k % 2 == 0 ? 2000 : 0.01;
    }
    EXPECT_GT(tally.joules(), 19000);
}

// From rest to the most that a node draws, at the end of the range.
TEST(Tally, TakesAWrapAtAnyPowerOfANode)
{
    Tally tally(counter(1000));
    double time = 0, joules = 900;
    const auto add = [&] { tally.add({time, {std::fmod(joules, 1000)}}, time); };
    for (int k = 0; k < 10; ++k, time += 0.02, joules += 5 * 0.02) add();
    for (int k = 0; k < 50; ++k, time += 0.05, joules += 950 * 0.05) add();
    add();
    EXPECT_NEAR(tally.joules(), 10 * 5 * 0.02 + 50 * 950 * 0.05, 1e-6);
}

TEST(Tally, ACounterThatStandsStillIsDead)
{
    Tally tally(counter(100, 0.01));
    tally.add({0, {5}}, 0);
    tally.add({0.15, {5}}, 0.1);
    tally.check_moved(); // 15 intervals
    tally.add({0.25, {5}}, 0.2);
    expect_error(Status::device, {"package-0", "did not move", "dead"}, [&] { tally.check_moved(); });
    tally.add({1.6, {6}}, 0.3);
    tally.check_moved();
    tally.add({1.7, {6}}, 0.3);
    tally.check_moved();
    tally.add({1.85, {6}}, 0.4);
    expect_error(Status::device, {"package-0", "has stopped", "missing"}, [&] { tally.check_moved(); });

    auto traits = counter(100, 0.01);
    traits.may_stand_still = true;
    Tally estimate(traits);
    estimate.add({0, {5}}, 0);
    estimate.add({100, {5}}, 0.1);
    estimate.check_moved();
}

struct Curve {
    std::function<double(double)> watts;
    std::function<double(double)> joules; // from 0 on
    double steepest;                      // largest second derivative
};

// The integral of curves that are known: the trapezoidal rule errs by no more than T h^2 / 12 times the second derivative, and
// the mean power by milliwatts where 2 W are asked for.
TEST(Tally, IntegratesPowerOnTheMetersOwnTimes)
{
    constexpr double pi = 3.14159265358979323846;
    const std::vector<Curve> curves = {
        {[](double) { return 137.5; }, [](double t) { return 137.5 * t; }, 0},
        {[](double t) { return 50 + 3 * t; }, [](double t) { return 50 * t + 1.5 * t * t; }, 0},
        {[](double t) { return 200 + 100 * std::sin(2 * pi * t / 20); },
         [](double t) { return 200 * t + 100 * 20 / (2 * pi) * (1 - std::cos(2 * pi * t / 20)); },
         100 * (2 * pi / 20) * (2 * pi / 20)},
    };
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> jitter(0.5, 1.0);
    for (const auto &curve : curves) {
        constexpr double interval = 0.1;
        Tally tally(power(interval));
        double time = 0;
        tally.add({1e6, {curve.watts(0)}}, 0);
        while (time < 60) {
            time += interval * jitter(random);
            tally.add({1e6 + time, {curve.watts(time)}}, time);
        }
        const double bound = time * interval * interval / 12 * curve.steepest;
        EXPECT_NEAR(tally.joules(), curve.joules(time), bound + 1e-5);
        EXPECT_NEAR(tally.joules() / time, curve.joules(time) / time, 0.01);
        EXPECT_EQ(tally.missed(), 0);
    }
}

TEST(Tally, CountsMissedValuesOfAPowerMeter)
{
    Tally tally(power(1));
    for (const double time : {0.0, 1.0, 2.1, 4.0, 5.0, 9.0}) tally.add({time, {100}}, time);
    EXPECT_EQ(tally.missed(), 1 + 3);
    EXPECT_DOUBLE_EQ(tally.joules(), 900);
}

} // namespace
} // namespace hpart
