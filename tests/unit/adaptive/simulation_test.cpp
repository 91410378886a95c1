// Thousands of synthetic applications: how soon the distribution is good, how good, and that it then stays.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

using namespace hpart;
using namespace simulation;
using support::between;
using support::seeded;

namespace
{

struct Case {
    double roughness, noise;
    std::int64_t iterations;       // within which all but a few must have converged; 61: some may not
    double within, mostly, median; // of the least time: all but a few, 95 of a hundred, half
};

// The instances beyond a bound: a few in a thousand, however many there are. The largest of more instances is always larger.
class Few
{
  public:
    void count(bool is_beyond)
    {
        ++instances_;
        beyond_ += is_beyond ? 1 : 0;
    }
    void check(const char *what) const { EXPECT_LE(beyond_, 2 + instances_ / 200) << what << " of " << instances_; }

  private:
    std::int64_t instances_ = 0, beyond_ = 0;
};

// Sums and bounds of the distribution that it gives, always.
void expect_distribution(const Adaptive &adaptive, std::int64_t size)
{
    const auto &x = adaptive.distribution();
    ASSERT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), size);
    ASSERT_GE(*std::min_element(x.begin(), x.end()), 0);
}

// Iterations until it has converged, that one included; the distribution's changes are counted.
std::int64_t iterate(Adaptive &adaptive, const Times &times, Random &random, double noise, std::int64_t iterations,
                     std::int64_t *moves)
{
    std::int64_t converged_at = iterations + 1;
    *moves = 0;
    for (std::int64_t k = 1; k <= iterations; ++k) {
        const auto x = adaptive.distribution();
        adaptive.update(x, run(times, x, random, noise));
        expect_distribution(adaptive, std::accumulate(x.begin(), x.end(), std::int64_t{0}));
        if (adaptive.distribution() != x) ++*moves;
        if (adaptive.converged()) converged_at = std::min(converged_at, k);
    }
    return converged_at;
}

class Simulation : public testing::TestWithParam<Case>
{
  protected:
    // Median, 95th percentile and largest; the values are sorted.
    static void record(const std::string &what, std::vector<double> &values)
    {
        std::sort(values.begin(), values.end());
        RecordProperty(what + "_median", std::to_string(values[values.size() / 2]));
        RecordProperty(what + "_95", std::to_string(values[values.size() * 95 / 100]));
        RecordProperty(what + "_largest", std::to_string(values.back()));
    }
};

TEST_P(Simulation, ConvergesToNearTheLeastTimeAndStays)
{
    const auto parameters = GetParam();
    auto random = seeded(11);
    std::vector<double> iterations, ratios;
    const auto instances = applications(0.015);
    std::int64_t late_moves = 0;
    Few slow, restless, late, far;
    for (std::int64_t k = 0; k < instances; ++k) {
        const auto processors = between(random, 1, 8), size = between(random, 20, 240);
        const auto times = any_times(random, processors, size, parameters.roughness);
        Adaptive adaptive(processors, size, {});
        expect_distribution(adaptive, size);
        std::int64_t moves = 0;
        const auto needed = iterate(adaptive, times, random, parameters.noise, 60, &moves);
        iterations.push_back(static_cast<double>(needed));
        slow.count(needed > parameters.iterations);
        restless.count(moves > 30);
        iterate(adaptive, times, random, parameters.noise, 40, &moves);
        late_moves += moves;
        // Noise may be taken for a change of speed, rarely.
        late.count(moves > (parameters.noise == 0 && parameters.roughness == 0 ? 0 : 8));
        EXPECT_TRUE(parameters.noise > 0 || adaptive.converged());
        ratios.push_back(time_of(times, adaptive.distribution()) / least_time(times, size));
        far.count(ratios.back() > parameters.within);
    }
    slow.check("iterations");
    restless.check("moves");
    late.check("late moves");
    far.check("far from the least");
    EXPECT_LE(static_cast<double>(late_moves),
              static_cast<double>(instances) / 3 + 3 * std::sqrt(instances)); // in 40 iterations
    // The table of docs/background/adaptive.md.
    record("iterations", iterations);
    record("ratio", ratios);
    const auto above = [&](double bound) {
        return std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio > bound; });
    };
    EXPECT_LE(static_cast<double>(above(parameters.mostly)), support::most_events(0.05, instances));
    EXPECT_LE(static_cast<double>(above(parameters.median)), support::most_events(0.5, instances));
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Simulation,
    testing::Values(Case{0, 0, 12, 1.12, 1.06, 1.02}, Case{0, 0.02, 14, 1.15, 1.08, 1.03},
                    Case{0, 0.1, 25, 1.25, 1.13, 1.05}, Case{0.1, 0, 25, 1.25, 1.18, 1.08},
                    Case{0.1, 0.05, 30, 1.3, 1.2, 1.08}, Case{0.1, 0.1, 30, 1.35, 1.22, 1.1},
                    // The least time of functions that jump by 30 % is far from any balance, at sizes that are lucky.
                    Case{0.3, 0, 60, 1.75, 1.4, 1.18}, Case{0.3, 0.1, 61, 1.8, 1.5, 1.23}));

TEST(Simulation, FollowsProcessorsThatChangeTheirSpeed)
{
    auto random = seeded(12);
    Few far;
    for (std::int64_t k = 0; k < applications(0.01); ++k) {
        const auto processors = between(random, 2, 8), size = between(random, 40, 240);
        const double noise = k % 3 == 0 ? 0 : 0.02;
        auto times = any_times(random, processors, size, 0);
        Adaptive adaptive(processors, size, {});
        std::int64_t moves = 0;
        for (int change = 0; change < 3; ++change) {
            iterate(adaptive, times, random, noise, 25, &moves);
            // A processor that has work: one that idles shows nothing.
            auto i = static_cast<std::size_t>(between(random, 0, processors - 1));
            while (adaptive.distribution()[i] == 0) i = (i + 1) % times.size();
            const double factor = uniform(random, 0, 1) < 0.5 ? uniform(random, 1.5, 4) : uniform(random, 0.25, 0.67);
            for (auto &seconds : times[i]) seconds *= factor;
            iterate(adaptive, times, random, noise, 12, &moves);
            far.count(time_of(times, adaptive.distribution()) > 1.3 * least_time(times, size));
        }
    }
    far.check("far from the least");
}

TEST(Simulation, ForgetsThatOneProcessorBeganSlowly)
{
    auto random = seeded(17);
    Few far;
    for (std::int64_t k = 0; k < applications(0.01); ++k) {
        const auto processors = between(random, 2, 8), size = between(random, 400, 2000);
        const auto slow = static_cast<std::size_t>(between(random, 0, processors - 1));
        Times times;
        for (std::int64_t i = 0; i < processors; ++i) {
            times.emplace_back();
            const double speed = uniform(random, 1, 5);
            for (std::int64_t x = 0; x <= size; ++x) times.back().push_back(static_cast<double>(x) / speed);
        }
        Adaptive adaptive(processors, size, {});
        std::int64_t moves = 0;
        auto cold = times;
        for (const double factor = uniform(random, 3, 50); auto &time : cold[slow]) time *= factor;
        iterate(adaptive, cold, random, 0.02, 1, &moves);
        iterate(adaptive, times, random, 0.02, 20, &moves);
        far.count(time_of(times, adaptive.distribution()) > 1.12 * least_time(times, size));
    }
    far.check("far from the least");
}

TEST(Simulation, NothingPingPongsWhateverTheTimesAre)
{
    // Times without any sense: the distribution must come to rest between what looks like changes of speed.
    auto random = seeded(15);
    for (std::int64_t k = 0; k < applications(0.005); ++k) {
        Adaptive adaptive(3, 1000, {});
        std::int64_t moves = 0;
        for (int step = 0; step < 300; ++step) {
            const auto x = adaptive.distribution();
            adaptive.update(x, std::vector{uniform(random, 1, 2), uniform(random, 1, 2), uniform(random, 1, 2)});
            expect_distribution(adaptive, 1000);
            if (adaptive.distribution() != x) ++moves;
        }
        EXPECT_LE(moves, 60);
    }
}

} // namespace
