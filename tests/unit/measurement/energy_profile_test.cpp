// Energy functions built with the time functions: right, resumed with the same base power, and never on the wrong file.
#include "core/error.hpp"
#include "core/file.hpp"
#include "measurement/profile.hpp"
#include "models/platform_file.hpp"

#include "../energy/sysfs_tree.hpp"
#include "burning_world.hpp"
#include "calls.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace hpart
{
namespace
{

namespace fs = std::filesystem;

class EnergyProfiles : public testing::Test
{
  protected:
    EnergyProfiles()
    {
        request_.sizes = {8, 3, 5};
        request_.settings = repeated<MeasureSettings>(2);
        request_.resume_tolerance = std::numeric_limits<double>::infinity(); // times of kernels that do nothing
        request_.energy.settings = repeated<EnergySettings>(2);
        request_.energy.settings.rule.precision = 0.1;
        request_.energy.settings.base_seconds = 0.002;
        request_.file = folder_.file("functions.csv");
        add_burner(team_, "a", world_, 2);
        calls_ = add_burner(team_, "b", world_, 3);
        meter_ = world_.meter(1e-5);
        team_.set_node_meter(meter_.get());
    }

    Platform profiled() { return profile(team_, request_).platform; }
    void expect_refused(const char *reason, Status status = Status::invalid_argument)
    {
        const auto before = fs::exists(request_.file) ? read_file(request_.file) : "";
        expect_error(status, {reason}, [&] { profiled(); });
        EXPECT_EQ(fs::exists(request_.file) ? read_file(request_.file) : "", before);
    }
    static void expect_energies(const Platform &platform, double base)
    {
        ASSERT_EQ(platform.points(0).sizes, (std::vector<std::int64_t>{3, 5, 8}));
        for (std::int64_t i = 0; i < 2; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto &points = platform.points(i);
                EXPECT_NEAR(points.joules[k], static_cast<double>((i + 2) * points.sizes[k]), 1e-5);
                EXPECT_LE(points.intervals->energy_low[k], points.joules[k]);
                EXPECT_GE(points.intervals->energy_high[k], points.joules[k]);
                EXPECT_LE(points.intervals->time_low[k], points.seconds[k]);
                EXPECT_GT(points.seconds[k], 0);
            }
        EXPECT_NEAR(platform.base_power(), base, 1e-6);
    }

    support::FakeClock clock_;
    const support::Folder folder_;
    ProfileRequest request_;
    BurningWorld world_;
    std::unique_ptr<Meter> meter_;
    Team team_;
    std::shared_ptr<Calls> calls_;
};

TEST_F(EnergyProfiles, HasEachProcessorsOwnEnergyAndTheBasePower)
{
    for (const bool simultaneous : {true, false}) {
        fs::remove(request_.file);
        request_.simultaneous = simultaneous;
        expect_energies(profiled(), BurningWorld::base_watts);
        const auto file = read_file(request_.file);
        expect_energies(parse_platform(file, "it"), BurningWorld::base_watts);
        EXPECT_NE(file.find("# energy = counter by world, each processor alone\n"), std::string::npos) << file;
        EXPECT_NE(file.find("# base_power = 5"), std::string::npos) << file;
    }
}

TEST_F(EnergyProfiles, GoesOnWithTheFilesBasePower)
{
    request_.sizes = {8, 3};
    const double base = profiled().base_power();
    const int prepared = calls_->prepared;
    meter_ = world_.meter(1e-5); // knows no base power
    team_.set_node_meter(meter_.get());
    request_.sizes = {8, 3, 5};
    const auto platform = profiled();
    expect_energies(platform, BurningWorld::base_watts);
    EXPECT_EQ(platform.base_power(), base);
    EXPECT_FALSE(meter_->base_power().has_value()) << "measured again";
    EXPECT_EQ(calls_->prepared, prepared + 2) << "one point: its time and its energy";
    request_.energy.settings.base_power = base + 1;
    expect_refused("its base power is ");
}

TEST_F(EnergyProfiles, IsRefusedOnAFileOfOtherEnergies)
{
    profiled();
    team_.set_node_meter(nullptr);
    expect_refused("its energy is counter by world, each processor alone, not none");
    fs::remove(request_.file);
    profiled();
    team_.set_node_meter(meter_.get());
    expect_refused("its energy is none, not counter by world");
}

TEST_F(EnergyProfiles, OfAllAtOnceNeedsAMeterEach)
{
    request_.energy.simultaneous = true;
    expect_refused("each processor must have a meter of its own");
    team_.set_node_meter(nullptr);
    expect_refused("each processor must have a meter of its own");
    BurningWorld other;
    Team team;
    add_burner(team, "a", world_, 2);
    add_burner(team, "b", other, 3);
    const auto first = world_.meter(1e-5), second = other.meter(1e-5);
    team.set_meter(0, first.get());
    EXPECT_THROW(profile(team, request_), Error) << "b has no meter";
    team.set_meter(1, second.get());
    expect_energies(profile(team, request_).platform, 2 * BurningWorld::base_watts);
    EXPECT_NE(read_file(request_.file).find("all processors at once\n"), std::string::npos);
    fs::remove(request_.file);
    request_.energy.simultaneous = false;
    expect_energies(profile(team, request_).platform, 2 * BurningWorld::base_watts);
    request_.energy.simultaneous = true;
    request_.simultaneous = false;
    EXPECT_THROW(profile(team, request_), Error) << "one after another, and at once";
}

// The times of all points are measured; the next call measures the energies that are missing.
TEST_F(EnergyProfiles, OfAMeterThatFailsLackPointsAndNameThem)
{
    request_.energy.settings.base_power = BurningWorld::base_watts;
    world_.fails_from = 8; // a point of two processors takes two readings of two windows each
    const auto notes = [&] {
        const auto comments = read_platform(request_.file).facts.lines();
        return std::count_if(comments.begin(), comments.end(), [](const auto &comment) {
            return comment.starts_with(" failed: ") && comment.ends_with(" no energy: meter world: it was pulled out");
        });
    };
    EXPECT_EQ(profile(team_, request_).missing, 0U);
    const auto kept = read_platform(request_.file);
    for (std::int64_t i = 0; i < 2; ++i) {
        EXPECT_EQ(kept.points(i).count(), 3U);
        const auto &joules = kept.points(i).joules;
        EXPECT_EQ(std::count_if(joules.begin(), joules.end(), [](double value) { return std::isnan(value); }), 2);
    }
    EXPECT_EQ(notes(), 4);
    world_.fails_from = -1;
    expect_energies(profiled(), BurningWorld::base_watts);
    EXPECT_EQ(notes(), 0);
}

TEST_F(EnergyProfiles, WithoutAnyEnergyFailAndKeepTheTimes)
{
    request_.energy.settings.base_power = BurningWorld::base_watts;
    world_.fails_from = 0;
    expect_error(Status::device, {"no energy was measured: meter world: it was pulled out"}, [&] { profiled(); });
    EXPECT_EQ(read_platform(request_.file).points(1).count(), 3U);
}

TEST_F(EnergyProfiles, OfABasePowerThatIsTooHighFails)
{
    request_.energy.settings.base_power = 1e9;
    request_.energy.settings.rule.min_repetitions = request_.energy.settings.rule.max_repetitions =
        50; // so that it is beyond doubt
    expect_refused("is more than the machine takes at work", Status::numerical);
}

// One window below 0 is no energy of 0: the time stays, and another call measures the energy again.
TEST_F(EnergyProfiles, OfOneWindowBelowNothingIsUnknown)
{
    request_.energy.settings.rule.keeps_time = true;
    request_.settings.rule.max_seconds = 0;
    request_.energy.settings.base_power = 1e9;
    expect_error(Status::device, {"no energy was measured: ", " J in the only window of the meter"},
                 [&] { profiled(); });
    const auto file = read_platform(request_.file);
    EXPECT_EQ(file.points(0).count(), 3U);
    for (const double joules : file.points(0).joules) EXPECT_TRUE(std::isnan(joules));
}

// A base power within its error of what the machine takes at work, as of a kernel that does hardly anything.
TEST_F(EnergyProfiles, BelowNothingWithinItsErrorIsNothingAndTold)
{
    meter_ = world_.meter(1e-5, BasePower{1e7, 1e9});
    team_.set_node_meter(meter_.get());
    const auto platform = profiled();
    for (const double joules : platform.points(0).joules) EXPECT_EQ(joules, 0);
    const auto comments = platform.facts.lines();
    EXPECT_EQ(std::count_if(comments.begin(), comments.end(),
                            [](const auto &comment) {
                                return comment.find(" takes -") != std::string::npos &&
                                       comment.ends_with("; the function, which cannot be negative, has 0");
                            }),
              6);
}

TEST_F(EnergyProfiles, OfAnEstimateBelowNothingFail)
{
    meter_ = world_.meter(1e-5, BasePower{1e9, 0}, Method::estimated);
    team_.set_node_meter(meter_.get());
    expect_refused("is more than the machine takes at work", Status::numerical);
}

// Fans that get faster while the meter measures; the next call finds them steady.
TEST_F(EnergyProfiles, NameOtherPartsThatTookEnergy)
{
    const SysfsTree tree;
    std::int64_t turns = 1000;
    const auto set_fan = [&] { tree.write("class/hwmon/hwmon2/fan1_input", turns); };
    set_fan();
    bool is_steady = false;
    Team team;
    for (const auto *name : {"a", "b"})
        add_timed(team, name, [&](const Slice &slice) {
            world_.burn(static_cast<double>(slice.rows));
            Clock::sleep_for(std::chrono::microseconds(100));
            if (!is_steady) turns += 100, set_fan();
            return 1e-4;
        });
    const auto meter = world_.meter(1e-5, std::nullopt, Method::counter, "/nowhere");
    team.set_node_meter(meter.get());
    request_.energy.simultaneous = false;
    request_.simultaneous = false;
    request_.sizes = {3};
    const auto notes_of = [&] {
        std::vector<std::string> notes;
        for (const auto &comment : profile(team, request_).platform.facts.lines())
            if (comment.starts_with(" energy busy: ")) notes.push_back(comment);
        std::sort(notes.begin(), notes.end());
        return notes;
    };
    const auto notes = notes_of();
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(
        notes[0].starts_with(" energy busy: a size 3 took energy of other parts of the machine: 2 of 2 windows were "
                             "disturbed: fan hwmon2/fan1 ran at "))
        << notes[0];
    fs::remove(request_.file);
    is_steady = true;
    EXPECT_TRUE(notes_of().empty());
}

} // namespace
} // namespace hpart
