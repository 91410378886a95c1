// Simulated applications with what real ones have: fixed costs of calls, slow first runs of new sizes, phases, noise, sizes that
// change.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace hpart;
using simulation::uniform;
using support::between;
using support::Random;
using support::seeded;

namespace
{

struct Processor {
    double fixed = 0, unit = 1;          // seconds of a call, and of a unit of size
    double first = 1, extra = 0;         // the first run of a size takes that many times as long, and so much longer
    std::int64_t period = 1;             // iterations
    std::int64_t dear = 0;               // of each period
    double factor = 1;                   // of the dear iterations
    std::set<std::int64_t> has_run = {}; // sizes

    double seconds(std::int64_t size) const { return size > 0 ? fixed + unit * static_cast<double>(size) : 0; }
    bool is_dear(std::int64_t iteration) const { return iteration % period < dear; }
    double run(std::int64_t size, std::int64_t iteration)
    {
        if (size == 0) return 0;
        const double usual = seconds(size) * (is_dear(iteration) ? factor : 1);
        return has_run.insert(size).second ? usual * first + extra : usual;
    }
    std::int64_t most_within(double time) const
    {
        return time < fixed ? 0 : static_cast<std::int64_t>((time - fixed) / unit);
    }
};

using Processors = std::vector<Processor>;

// The least time of the size without the one processor.
double least_seconds(const Processors &processors, std::size_t without, std::int64_t size)
{
    double low = 0, high = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < processors.size(); ++i)
        if (i != without) high = std::min(high, processors[i].seconds(size));
    if (size == 0 || std::isinf(high)) return high;
    for (int k = 0; k < 50; ++k) {
        const double middle = (low + high) / 2;
        std::int64_t done = 0;
        for (std::size_t i = 0; i < processors.size(); ++i)
            if (i != without) done += std::min(size, processors[i].most_within(middle));
        (done >= size ? high : low) = middle;
    }
    return high;
}

// The least mean time of a distribution that is kept. At most one processor has phases: all of its sizes, or a thousand of them.
double best_mean(const Processors &processors, std::int64_t size, double share_of_dear)
{
    const auto phased = static_cast<std::size_t>(
        std::find_if(processors.begin(), processors.end(), [](const auto &each) { return each.dear > 0; }) -
        processors.begin());
    if (phased == processors.size()) return least_seconds(processors, phased, size);
    const auto &dear = processors[phased];
    double best = std::numeric_limits<double>::infinity();
    constexpr std::int64_t steps = 1000;
    for (std::int64_t k = 0; k <= steps; ++k) {
        const auto part = size * k / steps;
        const double others = part == size ? 0 : least_seconds(processors, phased, size - part);
        best = std::min(best, share_of_dear * std::max(others, dear.factor * dear.seconds(part)) +
                                  (1 - share_of_dear) * std::max(others, dear.seconds(part)));
    }
    return best;
}

class Application
{
  public:
    Application(Processors processors, std::int64_t size, double noise = 0, std::uint64_t stream = 0)
        : processors_(std::move(processors)), size_(size), noise_(noise), random_(seeded(stream)),
          adaptive_(static_cast<std::int64_t>(processors_.size()), size, {})
    {
    }

    void resize(std::int64_t size)
    {
        size_ = size;
        adaptive_.set_size(size);
    }

    // The mean time of the iterations over the least that a kept distribution has in them.
    double run(std::int64_t iterations)
    {
        double sum = 0;
        std::int64_t dear = 0;
        std::normal_distribution<double> normal;
        for (std::int64_t k = 0; k < iterations; ++k, ++iteration_) {
            const auto x = adaptive_.distribution();
            std::vector<double> seconds;
            double slowest = 0;
            bool is_dear = false;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double usual = processors_[i].run(x[i], iteration_);
                slowest = std::max(slowest, usual);
                seconds.push_back(noise_ > 0 ? usual * std::exp(noise_ * normal(random_)) : usual);
                is_dear |= processors_[i].is_dear(iteration_);
            }
            sum += slowest;
            dear += is_dear ? 1 : 0;
            adaptive_.update(x, seconds);
            if (adaptive_.distribution() != x) ++moves_;
        }
        const auto count = static_cast<double>(iterations);
        return sum / count / best_mean(processors_, size_, static_cast<double>(dear) / count);
    }

    const Adaptive &adaptive() const { return adaptive_; }
    std::int64_t moves() const { return moves_; }

  private:
    Processors processors_;
    std::int64_t size_;
    double noise_;
    Random random_;
    Adaptive adaptive_;
    std::int64_t iteration_ = 0, moves_ = 0;
};

bool happens(Random &random, double chance) { return uniform(random, 0, 1) < chance; }

double log_uniform(Random &random, double low, double high)
{
    return std::exp(uniform(random, std::log(low), std::log(high)));
}

Processors any_processors(Random &random, std::int64_t size, std::string &what)
{
    Processors processors(static_cast<std::size_t>(between(random, 2, 5)));
    double speed = 0;
    for (auto &each : processors) {
        each.unit = log_uniform(random, 1e-6, 2e-5);
        speed += 1 / each.unit;
    }
    const double balanced = static_cast<double>(size) / speed;
    if (happens(random, 0.5)) {
        for (auto &each : processors)
            if (happens(random, 0.5)) each.fixed = log_uniform(random, 0.05, 20) * balanced;
        what += " fixed";
    }
    if (happens(random, 0.3)) {
        for (auto &each : processors) {
            if (!happens(random, 0.6)) continue;
            if (happens(random, 0.5))
                each.first = log_uniform(random, 1.5, 20);
            else
                each.extra = log_uniform(random, 0.3, 20) * balanced;
        }
        what += " first";
    }
    if (happens(random, 0.3)) {
        auto &each =
            processors[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(processors.size()) - 1))];
        each.period = between(random, 2, 12);
        each.dear = between(random, 1, each.period - 1);
        each.factor = uniform(random, 1.5, 3.5);
        what += " phases " + std::to_string(each.dear) + "/" + std::to_string(each.period);
    }
    return processors;
}

TEST(Applications, EndNearTheBestDistribution)
{
    auto random = seeded(61);
    const auto count = support::is_long_run() ? std::max<std::int64_t>(500, support::how_many(0.25))
                                              : std::min<std::int64_t>(support::how_many(0.03), 500);
    std::int64_t far = 0, open = 0; // more than a quarter above the best: settled, and still searching
    std::string failed;
    for (std::int64_t k = 0; k < count; ++k) {
        auto size = static_cast<std::int64_t>(log_uniform(random, 100, 1e6));
        std::string what;
        const auto processors = any_processors(random, size, what);
        constexpr std::array noises{0.0, 0.0, 0.01, 0.03, 0.06};
        const double noise = noises[static_cast<std::size_t>(between(random, 0, 4))];
        const double factor = happens(random, 0.3) ? log_uniform(random, 0.02, 0.7) : 1;
        const bool returns = factor < 1 && happens(random, 0.3);
        Application application(processors, size, noise, 1000 + static_cast<std::uint64_t>(k));
        application.run(100);
        if (factor < 1) {
            what += " shrinks";
            application.resize(
                std::max<std::int64_t>(10, static_cast<std::int64_t>(static_cast<double>(size) * factor)));
        }
        application.run(75);
        if (returns) {
            what += " returns";
            application.resize(size);
        }
        application.run(75);
        const double ratio = application.run(50);
        if (!(ratio > 1.25)) continue;
        if (!application.adaptive().converged()) {
            ++open;
            continue;
        }
        ++far;
        failed += "\n" + std::to_string(k) + ":" + what + ", noise " + std::to_string(noise) + ": " +
                  std::to_string(ratio) + " times the best";
    }
    RecordProperty("far", std::to_string(far));
    RecordProperty("open", std::to_string(open));
    EXPECT_LE(far, (count + 99) / 100) << " of " << count << " end far from the best:" << failed;
}

// A call of the second processor takes 20 times as long as all the work on the first.
TEST(Applications, AProcessorThatOnlyCostsIdles)
{
    for (const std::int64_t size : {100, 1000, 4000}) {
        Application application({{.unit = 1e-5}, {.fixed = 0.2, .unit = 1e-6}}, size);
        application.run(50);
        EXPECT_LE(application.run(50), 1.05) << size;
        EXPECT_EQ(application.adaptive().distribution()[1], 0) << size;
        EXPECT_TRUE(application.adaptive().converged());
    }
    for (const std::int64_t size : {10000, 1000000}) {
        const double all = 1e-5 * static_cast<double>(size);
        Application twice({{.unit = 1e-5}, {.fixed = 2 * all, .unit = 1e-6}}, size);
        twice.run(50);
        EXPECT_LE(twice.run(50), 1.06) << size;
        Application two(
            {{.unit = 1e-5}, {.fixed = 2 * all, .unit = 1e-6}, {.fixed = 3 * all, .unit = 1e-6}, {.unit = 1.5e-5}},
            size);
        two.run(50);
        EXPECT_LE(two.run(50), 1.06) << size;
    }
    Application four({{.unit = 1e-5}, {.unit = 1e-5}, {.unit = 1e-5}, {.fixed = 0.05, .unit = 1e-7}}, 2000);
    four.run(50);
    EXPECT_LE(four.run(50), 1.06);
}

TEST(Applications, AnIdleProcessorReturnsWithALargerSize)
{
    Application application({{.unit = 1e-6}, {.fixed = 5e-3, .unit = 1e-8}}, 100000);
    for (const std::int64_t size : {100000, 2000, 100000, 1000, 3000000}) {
        application.resize(size);
        application.run(100);
        EXPECT_LE(application.run(50), 1.06) << size;
    }
}

TEST(Applications, ASlowFirstRunOfEachSizeMisleadsNobody)
{
    for (const double factor : {1.5, 2.0, 3.0, 5.0, 10.0, 30.0}) {
        for (const bool both : {false, true}) {
            Application application({{.unit = 1e-3, .first = both ? factor : 1}, {.unit = 1e-3, .first = factor}},
                                    1000);
            application.run(250);
            EXPECT_LE(application.run(50), 1.06) << factor << both;
        }
    }
    for (const double extra : {0.2, 1.0, 5.0}) {
        Application two({{.unit = 3e-3}, {.unit = 1e-3, .extra = extra}}, 1000);
        two.run(250);
        EXPECT_LE(two.run(50), 1.12) << extra;
        Application four({{.unit = 8e-3},
                          {.unit = 1e-3, .extra = extra},
                          {.unit = 1e-3, .extra = extra},
                          {.unit = 1e-3, .extra = extra}},
                         1000);
        four.run(250);
        EXPECT_LE(four.run(50), 1.06) << extra;
    }
}

TEST(Applications, PhasesAreNotFollowed)
{
    for (const auto &[period, dear] : {std::pair{2, 1}, {3, 1}, {4, 2}, {6, 3}, {10, 1}, {10, 2}, {10, 5}}) {
        Application application({{.unit = 1e-3}, {.unit = 1e-3, .period = period, .dear = dear, .factor = 3}}, 1000);
        application.run(300);
        EXPECT_LE(application.run(300), 1.25) << dear << " of " << period;
        EXPECT_LE(application.moves(), 60) << dear << " of " << period;
    }
}

} // namespace
