// Dynamic energy of scripted power: exact where the meter is, with all errors in the interval, and every failure cleared up.
#include "core/error.hpp"
#include "core/file.hpp"
#include "energy/sensor.hpp"
#include "measurement/energy.hpp"

#include "burning_world.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace hpart
{
namespace
{

constexpr double short_interval = 1e-5;

EnergySettings quick(std::optional<double> base_power = std::nullopt)
{
    EnergySettings settings;
    settings.rule.min_repetitions = 3;
    settings.rule.max_repetitions = 8;
    settings.rule.precision = 0.1;
    settings.warmup = 0;
    settings.base_power = base_power;
    settings.base_seconds = 0.002;
    return settings;
}

EnergyMeasurement measured(const Team &team, std::vector<Slice> slices, const EnergySettings &settings)
{
    const auto bases = base_powers(team, settings, say_nothing);
    return measure_energy(team, std::move(slices), settings, bases, say_nothing);
}

class Energy : public testing::Test
{
  protected:
    // A processor that burns so many joules a unit, on a node with a meter.
    std::shared_ptr<Calls> use_burner(double joules, double interval = short_interval,
                                      std::optional<BasePower> base = std::nullopt)
    {
        use_meter(interval, base);
        return add_burner(team_, "a", world_, joules);
    }
    void use_meter(double interval = short_interval, std::optional<BasePower> base = std::nullopt)
    {
        meter_ = world_.meter(interval, base);
        team_.set_node_meter(meter_.get());
    }

    support::FakeClock clock_;
    BurningWorld world_;
    std::unique_ptr<Meter> meter_;
    Team team_;
};

TEST_F(Energy, IsWhatTheKernelsBurnAboveTheBasePowerMeasured)
{
    const auto first = use_burner(2), second = add_burner(team_, "b", world_, 3);
    const auto result = measured(team_, {{0, 5}, {0, 7}}, quick());
    ASSERT_EQ(result.estimates.size(), 1U);
    const auto &estimate = result.estimates.front();
    EXPECT_NEAR(estimate.joules, 5 * 2 + 7 * 3, 1e-6);
    EXPECT_NEAR(estimate.base.watts, BurningWorld::base_watts, 1e-6);
    EXPECT_NEAR(estimate.total_joules, estimate.joules + BurningWorld::base_watts * estimate.seconds, 1e-6);
    EXPECT_EQ(result.windows, 3);
    EXPECT_EQ(first->run, result.repetitions);
    EXPECT_EQ(second->released, 1);
    EXPECT_TRUE(result.precise);
    EXPECT_EQ(result.reason, StopReason::precision);
    EXPECT_EQ(result.samples.size(), 3U);
}

TEST_F(Energy, HasTheBasePowersErrorInItsInterval)
{
    use_burner(0.001, short_interval, BasePower{BurningWorld::base_watts, 0.5});
    auto settings = quick();
    const auto result = measured(team_, {{0, 1}}, settings);
    const auto &estimate = result.estimates.front();
    EXPECT_NEAR(estimate.joules, 0.001, 1e-7);
    EXPECT_NEAR(estimate.standard_error(), 0.5 * estimate.seconds, 1e-7) << "the windows do not scatter";
    // 97.5 % of Student's t at 9 degrees of freedom.
    EXPECT_NEAR(estimate.high - estimate.joules, 2.262157 * 0.5 * estimate.seconds, 1e-6);
    EXPECT_NEAR(estimate.joules - estimate.low, estimate.high - estimate.joules, 1e-12);
    const bool is_precise = estimate.high - estimate.joules <= settings.rule.precision * estimate.joules;
    EXPECT_EQ(result.precise, is_precise) << "what windows cannot lessen is told";
    EXPECT_EQ(result.reason, StopReason::precision);
}

TEST_F(Energy, ThatScattersIsKnownAsWellAsStudentSays)
{
    use_meter();
    int run = 0;
    add_fake(team_, "a", [&](const Slice &) {
        world_.burn(++run % 2 == 0 ? 1 : 3);
        clock_.advance(1e-3); // longer than a window must be
    });
    auto settings = quick(BurningWorld::base_watts);
    settings.rule.interval = IntervalKind::plain;
    const auto result = measured(team_, {{0, 1}}, settings);
    EXPECT_EQ(result.windows, 8);
    EXPECT_EQ(result.repetitions, 8);
    EXPECT_EQ(result.reason, StopReason::max_repetitions);
    EXPECT_FALSE(result.precise);
    const auto &estimate = result.estimates.front();
    EXPECT_NEAR(estimate.joules, 2, 1e-6);
    EXPECT_NEAR(estimate.scatter, std::sqrt(8.0 / 7 / 8), 1e-6);
    EXPECT_NEAR(estimate.high - estimate.joules, 2.364624 * std::sqrt(8.0 / 7 / 8), 1e-5);
}

TEST_F(Energy, OfProcessorsWithTheirOwnMetersIsTheirOwn)
{
    BurningWorld worlds[3];
    std::vector<std::unique_ptr<Meter>> meters;
    Team team;
    for (std::size_t i = 0; i < 3; ++i) {
        add_burner(team, std::to_string(i), worlds[i], static_cast<double>(i + 1));
        meters.push_back(worlds[i].meter(short_interval));
        if (i == 1) {
            EXPECT_EQ(error_of([&] { require_meters(team); }).status(), Status::invalid_argument);
        }
        team.set_meter(i, meters.back().get());
    }
    require_meters(team);
    team.set_meter(2, meters[2].get()); // where it is already
    EXPECT_EQ(error_of([&] { team.set_meter(0, meters[2].get()); }).status(), Status::invalid_argument);
    const auto result = measured(team, {{0, 4}, {0, 0}, {0, 5}}, quick());
    ASSERT_EQ(result.estimates.size(), 2U);
    EXPECT_NEAR(result.estimates[0].joules, 4, 1e-6);
    EXPECT_NEAR(result.estimates[1].joules, 15, 1e-6);
    Report report;
    const std::vector<std::size_t> active = {0, 2};
    add_energy(report, team, result, active);
    const auto errors = std::get<std::vector<double>>(report.get("energy_interval_high"));
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[1], 0);
    // With the error of the base power, in a window of 1e-4 s or with the second of waiting for the others.
    EXPECT_GE(errors[2], 15 - 1e-6);
    EXPECT_LE(errors[2], 16);
    EXPECT_EQ(Report::format(report.get("energy_meter")), "world");
    EXPECT_EQ(error_of([&] { base_powers(team, quick(58), say_nothing); }).status(), Status::invalid_argument)
        << "one base power is none of three meters";
}

TEST_F(Energy, WindowsAreTwentyIntervalsLong)
{
    use_burner(1, 1e-3);
    const auto result = measured(team_, {{0, 1}}, quick(BurningWorld::base_watts));
    const auto &estimate = result.estimates.front();
    constexpr double rounding = 1e-12;
    EXPECT_GE(estimate.seconds * static_cast<double>(result.repetitions) * (1 + rounding),
              0.020 * static_cast<double>(result.windows));
    EXPECT_GT(result.repetitions, result.windows);
    EXPECT_NEAR(estimate.joules, 1, 1e-6);
}

// Windows of 0.02 s, which the clock makes a little longer. Fewer of them rather than more time.
TEST_F(Energy, NoWindowBeginsThatWouldNotEndInTime)
{
    use_burner(1, 0.001);
    auto settings = quick(BurningWorld::base_watts);
    settings.rule = EnergySettings::from(Options()).rule;
    settings.rule.precision = -1; // never reached, as equal windows would reach 0
    settings.rule.min_repetitions = 3;
    for (const auto &[seconds, windows] : {std::pair{0.0, 1}, {0.03, 1}, {0.07, 3}}) {
        settings.rule.max_seconds = seconds;
        const auto result = measured(team_, {{0, 1}}, settings);
        EXPECT_EQ(result.windows, windows);
        EXPECT_EQ(result.reason, StopReason::max_seconds);
        EXPECT_FALSE(result.precise);
        EXPECT_EQ(std::isnan(result.estimates.front().high), windows == 1) << "one has no interval";
    }
}

TEST_F(Energy, OfAMeterThatFailsAtAnyReadingIsToldAndAllIsReleased)
{
    const auto calls = use_burner(1);
    for (int reading = 0; reading < 8; ++reading) {
        world_.forget_reads();
        world_.fails_from = reading;
        auto settings = quick(BurningWorld::base_watts);
        settings.rule.min_repetitions = 5;
        const auto error = error_of([&] { measured(team_, {{0, 1}}, settings); });
        EXPECT_EQ(error.status(), Status::device) << reading;
        EXPECT_STREQ(error.what(), "meter world: it was pulled out");
        EXPECT_EQ(calls->prepared, calls->released);
        world_.fails_from = -1;
        EXPECT_NEAR(measured(team_, {{0, 1}}, settings).estimates.front().joules, 1, 1e-6)
            << "the meter's window was left open";
    }
}

TEST_F(Energy, OfAPowerMeterThatFailsDoesNotWaitForTheWindowsEnd)
{
    constexpr double interval = 0.05;
    Sensor sensor;
    sensor.traits = {"dying", Quantity::watts, Method::integrated, interval, {{"dying", never_wraps}}};
    sensor.source = std::make_unique<support::FunctionSource>([start = Clock::now(), reads = 0]() mutable {
        if (++reads > 3) fail(Status::device, "meter dying: its cable is out");
        return Reading{seconds_since(start), {60}};
    });
    Meter meter(std::move(sensor));
    const auto calls = add_fake(team_, "a", [&](const Slice &) { clock_.advance(interval); });
    team_.set_node_meter(&meter);
    const auto error = error_of([&] { measured(team_, {{0, 1}}, quick(BurningWorld::base_watts)); });
    EXPECT_STREQ(error.what(), "meter dying: its cable is out");
    EXPECT_LE(calls->run, 5) << "a window is twenty intervals";
    EXPECT_EQ(calls->prepared, calls->released);
}

TEST_F(Energy, OfOneOfSeveralMetersThatFailsClosesTheOthersWindows)
{
    BurningWorld good, bad;
    const auto good_meter = good.meter(short_interval, BasePower{58, 0}),
               bad_meter = bad.meter(short_interval, BasePower{58, 0});
    Team team;
    add_burner(team, "good", good, 1);
    add_burner(team, "bad", bad, 1);
    team.set_meter(0, good_meter.get());
    team.set_meter(1, bad_meter.get());
    for (const int reading : {0, 1, 2, 3}) {
        bad.forget_reads();
        bad.fails_from = reading;
        EXPECT_EQ(error_of([&] { measured(team, {{0, 1}, {0, 1}}, quick()); }).status(), Status::device);
        for (auto *meter : {good_meter.get(), bad_meter.get()})
            EXPECT_EQ(error_of([&] { meter->stop(); }).status(), Status::invalid_argument) << "left open";
    }
}

TEST_F(Energy, IsCancelledBetweenRepetitions)
{
    const auto calls = use_burner(1, 1e-3);
    int told = 0;
    const Poll stop([&] {
        if (++told == 4) fail(Status::cancelled, "enough");
    });
    const std::vector<BasePower> bases = {{BurningWorld::base_watts, 0}};
    EXPECT_EQ(error_of([&] { measure_energy(team_, {{0, 1}}, quick(), bases, stop); }).status(), Status::cancelled);
    EXPECT_EQ(calls->run, 3);
    EXPECT_EQ(calls->released, 1);
    EXPECT_EQ(error_of([&] { meter_->stop(); }).status(), Status::invalid_argument) << "the window was left open";
    EXPECT_EQ(error_of([&] { base_powers(team_, quick(), Poll([] { fail(Status::cancelled, "enough"); })); }).status(),
              Status::cancelled);
}

TEST_F(Energy, OfAnOpenMeterIsRefusedAndItsWindowStays)
{
    use_burner(1, short_interval, BasePower{58, 0});
    meter_->start();
    EXPECT_EQ(error_of([&] { measured(team_, {{0, 1}}, quick()); }).status(), Status::invalid_argument);
    EXPECT_GT(meter_->stop().joules, 0);
}

TEST_F(Energy, OfAScriptIsOneRepetitionAWindow)
{
    const support::Folder folder;
    const auto path = folder.file();
    // 10 s of 100 W.
    write_file(path, "# clock = script\nseconds,watts\n0,100\n10,100\n");
    auto sensor = open_sensor("replay:" + path, {});
    ASSERT_FALSE(sensor.traits.real_time);
    Meter meter(std::move(sensor));
    const auto calls = add_burner(team_, "a", world_, 1);
    team_.set_node_meter(&meter);
    expect_error(Status::invalid_argument, {}, [&] { measured(team_, {{0, 1}}, quick()); }); // it is never idle
    const auto result = measured(team_, {{0, 1}}, quick(58));
    EXPECT_EQ(result.estimates.front().joules, 10 * (100 - 58));
    EXPECT_EQ(calls->run, result.windows);
    EXPECT_EQ(energy_method(team_), "replayed");
}

TEST_F(Energy, OfNothingIsNothing)
{
    use_burner(1);
    const auto result = measured(team_, {{0, 0}}, quick(58));
    EXPECT_TRUE(result.estimates.empty());
    Report report;
    add_energy(report, team_, result, {});
    EXPECT_EQ(Report::format(report.get("energy_total")), "0");
}

} // namespace
} // namespace hpart
