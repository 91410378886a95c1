// Certified fronts and total energies of teams whose times and joules are simulated: nothing waits.
#include "core/error.hpp"
#include "energy/meter.hpp"
#include "measurement/optimize.hpp"
#include "measurement/optimize_one_time.hpp"
#include "models/platform_file.hpp"

#include "calls.hpp"
#include "fake_kernel.hpp"
#include "support/fake_clock.hpp"
#include "support/function_source.hpp"
#include "support/random.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace hpart
{
namespace
{

// Processors of simulated times and joules, and their node's meter, whose clock is theirs: nothing waits, and every value is exact.
class SimulatedWorld
{
  public:
    using Value = std::function<double(std::int64_t size)>;
    static constexpr double base_watts = 10;

    void add(Team &team, const std::string &name, Value seconds, Value joules)
    {
        add_timed(team, name, [this, seconds = std::move(seconds), joules = std::move(joules)](const Slice &slice) {
            const double taken = seconds(slice.rows);
            seconds_.fetch_add(taken);
            joules_.fetch_add(joules(slice.rows));
            return taken;
        });
    }

    std::unique_ptr<Meter> meter()
    {
        Sensor sensor;
        sensor.traits = {"world", Quantity::joules, Method::counter, 1e-5, {{"world", never_wraps}}};
        sensor.traits.real_time = false;
        sensor.source = std::make_unique<support::FunctionSource>([this] {
            const double seconds = seconds_;
            return Reading{seconds, {base_watts * seconds + joules_}};
        });
        return std::make_unique<Meter>(std::move(sensor), BasePower{base_watts, 0});
    }

  private:
    std::atomic<double> seconds_{0}, joules_{0};
};

// Slow at every size but the multiples of four. The digits are those of a clock, not of a rounded time.
double jagged_at_rate(std::int64_t size, double rate)
{
    return 1.0000001 * rate * static_cast<double>(size) * (size % 4 == 0 ? 1 : 1.4);
}

class OptimizeFront : public testing::Test
{
  protected:
    OptimizeFront()
    {
        // The second is twice as fast, and takes four times the energy.
        add("frugal", 1, 1);
        add("fast", 0.5, 4);
        meter_ = world_.meter();
        team_.set_node_meter(meter_.get());
        options_.set_int("min_repetitions", 2);
        options_.set_int("warmup", 0);
    }

    void add(const std::string &name, double seconds, double joules)
    {
        world_.add(
            team_, name, [=](std::int64_t size) { return jagged_at_rate(size, seconds); },
            [=](std::int64_t size) { return jagged_at_rate(size, joules); });
    }

    OptimizeRequest request(Objective objective, std::int64_t size)
    {
        return OptimizeRequest::from(objective, size, up_to(32), options_);
    }
    OptimalFront front(Objective objective, std::int64_t size)
    {
        return optimize_front(team_, request(objective, size));
    }

    // The front of the true functions, by all distributions of two processors.
    std::vector<FrontPoint> true_front(std::int64_t size, double base_power) const
    {
        std::vector<FrontPoint> all;
        for (std::int64_t first = 0; first <= 32; ++first) {
            const auto second = size - first;
            if (second < 0 || second > 32) continue;
            const double seconds = std::max(jagged_at_rate(first, 1), jagged_at_rate(second, 0.5));
            all.push_back({seconds,
                           base_power * seconds + jagged_at_rate(first, 1) + jagged_at_rate(second, 4),
                           {first, second}});
        }
        std::erase_if(all, [&](const auto &point) {
            return std::any_of(all.begin(), all.end(), [&](const auto &other) {
                return other.seconds <= point.seconds && other.joules <= point.joules && other.x != point.x;
            });
        });
        std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
        return all;
    }

    void expect_is_covered(const OptimalFront &found, std::int64_t size, double base_power) const
    {
        EXPECT_TRUE(found.certificate.certified);
        EXPECT_EQ(found.certificate.covered, 1);
        for (const auto &point : true_front(size, base_power))
            EXPECT_TRUE(std::any_of(found.certificate.upper.begin(), found.certificate.upper.end(),
                                    [&](const auto &other) {
                                        return other.seconds <= 1.0501 * point.seconds &&
                                               other.joules <= 1.0501 * point.joules;
                                    }))
                << point.seconds << " s, " << point.joules << " J";
    }

    SimulatedWorld world_;
    std::unique_ptr<Meter> meter_;
    Team team_;
    Options options_;
    const support::Folder folder_;
    const std::string file_ = folder_.file();
};

TEST_F(OptimizeFront, FindsAndCertifiesTheFront)
{
    const auto found = front(Objective::energy, 40);
    expect_is_covered(found, 40, 0);
    EXPECT_LT(found.measured_points, 64);
    ASSERT_EQ(found.times.size(), found.certificate.upper.size());
    for (std::size_t k = 0; k < found.times.size(); ++k) {
        EXPECT_LE(found.times[k].low, found.times[k].value);
        EXPECT_NEAR(found.times[k].high, found.certificate.upper[k].seconds, 1e-9);
        EXPECT_NEAR(found.energies[k].high, found.certificate.upper[k].joules, 1e-9);
    }
    const auto report = report_of(found);
    EXPECT_EQ(Report::format(report.get("stop_reason")), "certified");
    EXPECT_EQ(std::get<std::vector<double>>(report.get("seconds")).size(), found.times.size());
    EXPECT_EQ(std::get<std::vector<double>>(report.get("lower_joules")).size(), found.certificate.lower.size());
    for (std::int64_t i = 0; i < 2; ++i) // both functions of each measured point
        for (std::size_t k = 0; k < found.platform.points(i).count(); ++k)
            EXPECT_FALSE(std::isnan(found.platform.points(i).joules[k]));
}

TEST_F(OptimizeFront, OfTotalEnergies)
{
    expect_is_covered(front(Objective::total_energy, 40), 40, SimulatedWorld::base_watts);
}

TEST_F(OptimizeFront, OfAnyNumberOfProcessors)
{
    Team one;
    one.set_node_meter(meter_.get());
    world_.add(
        one, "alone", [](std::int64_t size) { return jagged_at_rate(size, 1); },
        [](std::int64_t size) { return jagged_at_rate(size, 2); });
    const auto found = optimize_front(one, request(Objective::energy, 13));
    EXPECT_TRUE(found.certificate.certified);
    ASSERT_EQ(found.certificate.upper.size(), 1U);
    EXPECT_EQ(found.certificate.upper[0].x, (std::vector<std::int64_t>{13}));
    const int most = support::is_long_run() ? 7 : 2;
    for (int i = 2; i <= most; ++i) {
        add("p" + std::to_string(i), 1.0 / i, i);
        if (i > 2 && i < most) continue;
        EXPECT_TRUE(front(Objective::energy, 40).certificate.certified) << i + 1;
    }
}

TEST_F(OptimizeFront, GoesOnAfterAnInterrupt)
{
    std::optional<support::FakeClock> clock;
    clock.emplace();
    options_.set_text("checkpoint_file", file_);
    options_.set_double("resume_tolerance", std::numeric_limits<double>::infinity());
    options_.set_double("max_total_seconds", 1e8); // one may run thousands of times while others wait for a core
    Control control(std::make_shared<ProgressCallback>(
                        [&](double, const char *) { return std::filesystem::exists(file_) ? 1 : 0; }),
                    std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max());
    world_.add(
        team_, "waits",
        [&](std::int64_t) {
            if (clock) clock->advance(0.02); // progress is told 20 times a second
            return 1e6;
        },
        [](std::int64_t) { return 1e6; });
    EXPECT_EQ(error_of([&] { optimize_front(team_, request(Objective::energy, 40), control); }).status(),
              Status::cancelled);
    clock.reset();
    const auto kept = read_platform(file_);
    EXPECT_GT(kept.points(0).count(), 0U);
    const auto found = front(Objective::energy, 40);
    expect_is_covered(found, 40, 0);
    const auto again = front(Objective::energy, 40);
    EXPECT_TRUE(again.certificate.certified);
    EXPECT_GE(again.known_points, found.measured_points) << "the file has what was measured";
}

TEST_F(OptimizeFront, TheLeastTotalEnergyIsCertified)
{
    options_.set_int("confirm", 0); // the world's clock adds up what runs at once
    const auto found = optimize(team_, request(Objective::total_energy, 40));
    EXPECT_TRUE(found.certificate.certified);
    const auto front = true_front(40, SimulatedWorld::base_watts);
    const double least = front.back().joules;
    EXPECT_LE(found.value.value, 1.05 * least);
    EXPECT_LE(found.certificate.lower, least * (1 + 1e-9));
    EXPECT_GE(found.certificate.upper, least * (1 - 1e-9));
    const auto report = report_of(found);
    EXPECT_LE(std::get<double>(report.get("energy_low")), found.value.value);
    const auto of_file = found.platform.evaluate(found.rivals.front().x);
    EXPECT_NEAR(found.value.value, SimulatedWorld::base_watts * of_file.seconds + of_file.joules(), 1e-9);
}

} // namespace
} // namespace hpart
