// Energies that add up, and such that do not by a known amount.
#include "core/error.hpp"
#include "measurement/additivity.hpp"

#include "burning_world.hpp"

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

// Two processors of 2 and 3 J a unit; together the second burns `extra` J more a unit of its own.
class Pair
{
  public:
    explicit Pair(double extra, double interval = 1e-5) : meter(world.meter(interval))
    {
        first = add_burner(team, "a", world, 2);
        second = add_fake(team, "b", [this, extra](const Slice &slice) {
            const bool together = first->prepared > first->released;
            world.burn((together ? 3 + extra : 3) * static_cast<double>(slice.rows));
            clock.advance(1e-4);
        });
        team.set_node_meter(meter.get());
    }

    support::FakeClock clock;
    BurningWorld world;
    std::unique_ptr<Meter> meter;
    Team team;
    std::shared_ptr<Calls> first, second;
};

using Distributions = std::vector<std::vector<std::int64_t>>;

Additivity compared(const Team &team, const Platform *alone, const Distributions &distributions, const BasePower &base)
{
    const std::vector<std::span<const std::int64_t>> rows(distributions.begin(), distributions.end());
    const std::vector<BasePower> bases = {base};
    return additivity(team, alone, rows, repeated<EnergySettings>(2), bases, say_nothing);
}

TEST(Additivity, SeesAKnownInteraction)
{
    for (const double extra : {0.0, 0.3, -0.6}) {
        Pair pair(extra);
        const auto found = compared(pair.team, nullptr, {{6, 4}, {4, 4}, {6, 0}}, {BurningWorld::base_watts, 0});
        ASSERT_EQ(found.differences.size(), 3U);
        EXPECT_NEAR(found.combined[0], 24, 1e-5);
        EXPECT_NEAR(found.parallel[0], 24 + 4 * extra, 1e-5);
        EXPECT_NEAR(found.differences[0], 100 * 4 * extra / 24, 1e-4);
        EXPECT_NEAR(found.differences[1], 100 * 4 * extra / 20, 1e-4);
        EXPECT_NEAR(found.differences[2], 0, 1e-4) << "one processor alone";
        EXPECT_NEAR(found.difference_errors[0], 0, 1e-4);
    }
}

TEST(Additivity, MeasuresEachProcessorWithEachSizeOnce)
{
    Pair pair(0);
    compared(pair.team, nullptr, {{6, 4}, {6, 5}, {7, 4}}, {BurningWorld::base_watts, 0});
    EXPECT_EQ(pair.first->prepared, 2 + 3) << "6 and 7 alone, and all three together";
    EXPECT_EQ(pair.second->prepared, 2 + 3);
}

TEST(Additivity, TakesAPlatformsFunctions)
{
    Pair pair(0);
    Platform alone(2);
    const std::vector<std::int64_t> sizes = {4, 6};
    const std::vector<double> seconds = {1, 1}, first = {8, 12}, second = {10, 18};
    alone.set_time_function(0, sizes, seconds);
    alone.set_time_function(1, sizes, seconds);
    alone.set_energy_function(0, sizes, first);
    alone.set_energy_function(1, sizes, second);
    const auto found = compared(pair.team, &alone, {{6, 4}, {6, 6}}, {BurningWorld::base_watts, 0});
    EXPECT_EQ(found.combined, (std::vector<double>{22, 30}));
    EXPECT_NEAR(found.differences[0], 100.0 * 2 / 22, 1e-4);
    EXPECT_NEAR(found.differences[1], 0, 1e-4);
    EXPECT_EQ(pair.first->prepared, 2) << "none is measured alone";
    for (const Distributions &wrong : {Distributions{{5, 4}}, Distributions{{6, 4}, {0, 0}}, Distributions{{-1, 4}}})
        expect_error(Status::invalid_argument, {}, [&] {
            compared(pair.team, &alone, wrong, {BurningWorld::base_watts, 0});
        });
    EXPECT_EQ(pair.first->prepared, 2) << "nothing is measured before all is checked";
}

// The base power is subtracted for longer from the sum of those alone than from all together.
TEST(Additivity, HasTheBasePowersErrorInTheDifference)
{
    Pair pair(0);
    const double error = 1e6; // beside which the scatter is nothing
    const auto found = compared(pair.team, nullptr, {{6, 4}}, {BurningWorld::base_watts, error});
    EXPECT_GT(found.combined_error[0], 0);
    const double seconds_alone = found.combined_error[0] / error, seconds_together = found.parallel_error[0] / error;
    EXPECT_NEAR(found.difference_errors[0], 100 / 24.0 * error * std::abs(seconds_together - seconds_alone), 1e-5);
    // Two watts too much make exactly that difference.
    const auto wrong = compared(pair.team, nullptr, {{6, 4}}, {BurningWorld::base_watts + 2, error});
    EXPECT_NEAR(wrong.combined[0], 24 - 2 * wrong.combined_error[0] / error, 1e-5);
    EXPECT_NEAR(wrong.parallel[0], 24 - 2 * wrong.parallel_error[0] / error, 1e-5);
}

TEST(Additivity, NeedsEnergy)
{
    support::FakeClock clock;
    BurningWorld world;
    const auto meter = world.meter(1e-5);
    Team team;
    add_burner(team, "a", world, 0);
    team.set_node_meter(meter.get());
    expect_error(Status::numerical, {}, [&] { compared(team, nullptr, {{1}}, {BurningWorld::base_watts + 2, 0}); });
}

} // namespace
} // namespace hpart
