// The certified optimum of dynamic energy, by a meter of a simulated world.
#include "burning_world.hpp"
#include "calls.hpp"
#include "core/error.hpp"
#include "measurement/optimize.hpp"
#include "models/platform_file.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <set>

namespace hpart
{
namespace
{

class OptimizeEnergy : public testing::Test
{
  protected:
    OptimizeEnergy()
    {
        // Twice as much at every size but the multiples of four; the second processor takes less up to 16.
        add("frugal below", [](std::int64_t size) { return size <= 16 ? 1.0 : 4.0; });
        add("even", [](std::int64_t) { return 2.0; });
        meter_ = world_.meter(1e-5, BasePower{BurningWorld::base_watts, 0});
        team_.set_node_meter(meter_.get());
        options_.set_int("min_repetitions", 2);
        options_.set_int("confirm", 1);
        options_.set_double("max_total_seconds", 1e9); // a thread that waits for a core lets the others' clock run on
    }

    void add(const std::string &name, std::function<double(std::int64_t)> joules_of_unit)
    {
        add_timed(team_, name, [this, name, joules_of_unit](const Slice &slice) {
            {
                const std::lock_guard lock(mutex_);
                sizes_run_.emplace(name, slice.rows);
            }
            world_.burn(scale_ * joules_of_unit(slice.rows) * static_cast<double>(slice.rows) *
                        (slice.rows % 4 == 0 ? 1 : 2));
            clock_.advance(tick_);
            return 1e-4;
        });
    }

    Optimum optimum(std::int64_t size)
    {
        return optimize(team_, OptimizeRequest::from(Objective::energy, size, up_to(32), options_));
    }

    // Size 40. at_race is called while distributions run against each other, more than once.
    Optimum optimum_of_40(const std::function<void()> &at_race)
    {
        tick_ = 0.06; // progress is told 20 times a second
        options_.set_double("max_total_seconds", 1e9);
        Control control(std::make_shared<ProgressCallback>([&](double, const char *what) {
                            if (std::string_view(what).starts_with("comparing")) at_race();
                            return 0;
                        }),
                        infinity, 1);
        return optimize(team_, OptimizeRequest::from(Objective::energy, 40, up_to(32), options_), control);
    }

    // Size 40, whose distributions take that share of their energy in the race.
    Optimum optimum_whose_runs_take(double share)
    {
        auto found = optimum_of_40([&] { scale_ = share; });
        EXPECT_EQ(scale_, share);
        return found;
    }

    support::FakeClock clock_;
    BurningWorld world_;
    std::atomic<double> scale_ = 1;
    double tick_ = 1e-2; // no processor takes kilowatts
    std::mutex mutex_;
    std::set<std::pair<std::string, std::int64_t>> sizes_run_; // of each processor, by its name
    std::unique_ptr<Meter> meter_;
    Team team_;
    Options options_;
    const support::Folder folder_;
    const std::string file_ = folder_.file();
};

// Energies that do not add up: whole distributions take less than the sum of their parts.
TEST_F(OptimizeEnergy, RunsThatRefuteTheBoundCertifyNothing)
{
    const auto found = optimum_whose_runs_take(0.5);
    ASSERT_LT(found.value.high, found.certificate.lower);
    EXPECT_FALSE(found.certificate.certified);
    EXPECT_NE(found.note.find("do not add up"), std::string::npos) << found.note;
}

// Whole distributions take more than the sum of their parts: the search's is not known to be the best.
TEST_F(OptimizeEnergy, RunsFarAboveThePointsCertifyNothing)
{
    const auto found = optimum_whose_runs_take(1.3);
    ASSERT_GT(found.value.low, 1.05 * found.certificate.upper);
    EXPECT_FALSE(found.certificate.certified);
    EXPECT_NE(found.note.find("of its processors one by one"), std::string::npos) << found.note;
    const auto report = report_of(found);
    EXPECT_EQ(Report::format(report.get("stop_reason")), "refuted");
    EXPECT_EQ(choice_of(found).certified, std::nullopt);
}

TEST_F(OptimizeEnergy, RunsAboveThePointsByLessThanThePrecisionRefuteNothing)
{
    EXPECT_TRUE(optimum_whose_runs_take(1.03).certificate.certified);
}

TEST_F(OptimizeEnergy, RunsBelowTheBoundByLessThanThePrecisionRefuteNothing)
{
    const auto found = optimum_whose_runs_take(0.99);
    EXPECT_TRUE(found.certificate.certified) << found.note;
    EXPECT_EQ(found.note, "");
    EXPECT_EQ(found.certificate.lower, found.value.low);
}

// A base power within its error of what the machine takes at work. The file has a word on each energy that it has as 0.
TEST_F(OptimizeEnergy, EnergiesBelowNothingAreNoted)
{
    meter_ = world_.meter(1e-5, BasePower{1e7, 1e9});
    team_.set_node_meter(meter_.get());
    options_.set_int("confirm", 0);
    options_.set_int("max_repetitions", 4);
    const auto facts = optimum(40).platform.facts.lines();
    EXPECT_TRUE(std::ranges::any_of(facts, [](const auto &line) {
        return line.find(" takes -") != std::string::npos &&
               line.ends_with("; the function, which cannot be negative, has 0");
    }));
}

// The first call keeps times alone; the file then has its energies' source once.
TEST_F(OptimizeEnergy, AFileWithoutEnergiesHasTheirSourceOnce)
{
    const support::Folder folder;
    const auto path = folder.file();
    options_.set_text("checkpoint_file", path);
    options_.set_int("confirm", 0);
    world_.fails_from = 0;
    EXPECT_THROW(optimum(40), Error);
    world_.fails_from = -1;
    EXPECT_EQ(read_platform(path).facts.all_stated(Topic::energy).size(), 1U);
    optimum(40);
    EXPECT_EQ(read_platform(path).facts.all_stated(Topic::energy).size(), 1U);
}

// An energy of 0 in a file was measured below 0, by an unknown amount: it is measured again.
TEST_F(OptimizeEnergy, AnEnergyOfZeroInAFileIsNotKnown)
{
    const support::Folder folder;
    const auto path = folder.file();
    options_.set_text("checkpoint_file", path);
    options_.set_int("confirm", 0);
    const auto first = optimum(8).platform;
    auto file = read_platform(path);
    const auto &points = first.points(1);
    for (std::size_t k = 0; k < points.count(); ++k)
        if (!std::isnan(points.joules[k]))
            file.set_point(1, FunctionKind::energy, points.sizes[k], measured_point(0, -1, NAN));
    write_platform(file, path);
    const auto second = optimum(8);
    for (std::size_t i = 0; i < second.rivals.front().x.size(); ++i) {
        const auto size = second.rivals.front().x[i];
        if (size == 0) continue;
        const auto &of = second.platform.points(static_cast<std::int64_t>(i));
        EXPECT_GT(of.joules[of.find(size)], 0);
    }
}

TEST_F(OptimizeEnergy, FindsAndCertifiesTheLeastEnergy)
{
    const auto found = optimum(40);
    EXPECT_TRUE(found.certificate.certified);
    EXPECT_EQ(found.rivals.front().x, (std::vector<std::int64_t>{16, 24}));
    EXPECT_NEAR(found.value.value, 16 + 48, 0.5);
    EXPECT_LE(found.certificate.lower, 64.5);
    EXPECT_EQ(found.winner, 0U);
    ASSERT_TRUE(found.race);
    for (std::size_t r = 1; r < found.rivals.size(); ++r)
        EXPECT_GT(found.race->ratios[r].low, 1) << found.rivals[r].method;
    const auto report = report_of(found);
    const auto rows = std::get<Report::Rows>(report.get("baselines"));
    EXPECT_NEAR(std::get<double>(rows.front().get("joules")), 64, 0.5);
    EXPECT_LE(std::get<double>(report.get("energy_low")), 64.1);
    EXPECT_GE(std::get<double>(report.get("energy_high")), 63.9);
}

// As in a profile, that point has no energy, and the search goes on.
TEST_F(OptimizeEnergy, OfAMeterThatFailsOnceLacksThatPoint)
{
    options_.set_text("checkpoint_file", file_);
    world_.fails_from = 20; // a size that any search asks for
    world_.failures = 1;
    const auto found = optimum(40);
    EXPECT_TRUE(found.race);
    EXPECT_EQ(found.value.value > 0, true);
    const auto platform = read_platform(file_);
    const auto is_lost = [](const auto &comment) {
        return comment.starts_with(" failed: ") && comment.ends_with(" no energy: meter world: it was pulled out");
    };
    ASSERT_EQ(std::ranges::count_if(platform.facts.lines(), is_lost), 1);
    EXPECT_NE(found.failed.find("1 size, "), std::string::npos) << found.failed;
    // The same call measures it.
    world_.fails_from = -1;
    EXPECT_TRUE(optimum(40).certificate.certified);
    const auto whole = read_platform(file_);
    EXPECT_EQ(std::ranges::count_if(whole.facts.lines(), is_lost), 0);
}

TEST_F(OptimizeEnergy, OfAMeterThatIsGoneEndsWithTheKnownPoints)
{
    options_.set_int("confirm", 0);
    ASSERT_TRUE(optimum(40).certificate.certified);
    options_.set_int("confirm", 1);
    options_.set_text("checkpoint_file", file_);
    for (const bool is_gone : {false, true}) { // in the comparison
        std::filesystem::remove(file_);
        const auto found = optimum_of_40([&] {
            if (is_gone && world_.fails_from < 0) world_.fails_from = 1;
        });
        EXPECT_EQ(found.race.has_value(), !is_gone);
        EXPECT_EQ(found.race_failure, is_gone ? "meter world: it was pulled out" : "");
        EXPECT_EQ(found.certificate.x[0] + found.certificate.x[1], 40);
    }
    world_.forget_reads();
    world_.fails_from = 0;
    std::filesystem::remove(file_);
    expect_error(Status::callback, {"failed at every size that this call tried", "no energy: meter world"},
                 [&] { optimum(40); });
}

TEST_F(OptimizeEnergy, GoesOnFromAFileOfTimes)
{
    options_.set_text("checkpoint_file", file_);
    options_.set_int("confirm", 0);
    optimize(team_, OptimizeRequest::from(Objective::time, 40, up_to(32), options_));
    const auto first = optimum(40);
    EXPECT_TRUE(first.certificate.certified);
    const auto kept = read_platform(file_);
    EXPECT_EQ(kept.base_power(), BurningWorld::base_watts);
    std::set<std::pair<std::string, std::int64_t>> energies;
    for (std::int64_t i = 0; i < 2; ++i) {
        const auto &points = kept.points(i);
        for (std::size_t k = 0; k < points.count(); ++k) {
            EXPECT_FALSE(std::isnan(points.seconds[k]));
            if (std::isnan(points.joules[k])) continue;
            energies.emplace(team_.member(static_cast<std::size_t>(i)).name, points.sizes[k]);
            EXPECT_LE(points.intervals->energy_low[k], points.joules[k]);
            EXPECT_GE(points.intervals->energy_high[k], points.joules[k]);
        }
    }
    EXPECT_EQ(energies.size(), static_cast<std::size_t>(first.measured_points));
    sizes_run_.clear();
    const auto again = optimum(40);
    EXPECT_EQ(again.rivals.front().x, first.rivals.front().x);
    const auto measured_again =
        std::count_if(sizes_run_.begin(), sizes_run_.end(), [&](const auto &run) { return energies.count(run) == 1; });
    EXPECT_LT(measured_again, static_cast<std::ptrdiff_t>(energies.size() / 2))
        << "but for a few, the file's are taken";
    options_.set_double("base_power", 7);
    EXPECT_EQ(error_of([&] { optimum(40); }).status(), Status::invalid_argument) << "above another base power";
}

TEST_F(OptimizeEnergy, NoDistributionHasASizeThatTheFileAloneHas)
{
    options_.set_text("checkpoint_file", file_);
    optimum(32);
    const auto found = optimize(team_, OptimizeRequest::from(Objective::energy, 32, up_to(16), options_));
    for (const auto &rival : found.rivals) EXPECT_EQ(rival.x, (std::vector<std::int64_t>{16, 16})) << rival.method;
}

// Each alone takes what its function says, in company half as much again.
TEST_F(OptimizeEnergy, KeepsTheEnergiesOfTheRunsAgainstTheBaselines)
{
    Team team;
    std::array<BurningWorld, 2> worlds;
    std::array<std::unique_ptr<Meter>, 2> meters;
    std::array<std::shared_ptr<Calls>, 2> calls;
    for (std::size_t i = 0; i < 2; ++i) {
        meters.at(i) = worlds.at(i).meter(1e-5, BasePower{BurningWorld::base_watts, 0});
        calls.at(i) = add_fake(team, i == 0 ? "a" : "b", [&, i](const Slice &slice) {
            const auto &other = *calls.at(1 - i);
            const bool is_in_company = other.prepared > other.released;
            const double of_a_row = slice.rows == 2 ? 2 : 1; // equal parts are not the best ones: there is a race
            worlds.at(i).burn(of_a_row * static_cast<double>(slice.rows) * (is_in_company ? 1.5 : 1));
            clock_.advance(1e-4);
        });
        team.set_meter(i, meters.at(i).get());
    }
    options_.set_text("sizes", "all");
    options_.set_int("min_repetitions", 20);
    const auto found =
        optimize(team, OptimizeRequest::from(Objective::energy, 4, std::vector<std::int64_t>{1, 2, 3}, options_));
    ASSERT_TRUE(found.race);
    const auto &x = found.rivals.front().x;
    for (std::int64_t i = 0; i < 2; ++i) {
        const auto size = x[static_cast<std::size_t>(i)];
        const auto &points = found.platform.points(i);
        EXPECT_GT(points.joules[points.find(size)], 1.2 * static_cast<double>(size)) << "most runs were in company";
    }
}

} // namespace
} // namespace hpart
