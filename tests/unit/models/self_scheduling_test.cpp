// The packages of self-scheduling: published sequences, and the formulas written once more.
#include "models/schedule_table.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using Sizes = std::vector<std::int64_t>;

// The first packages when the processors ask in turns.
Sizes packages(SelfMethod method, std::int64_t size, std::size_t processors, std::size_t count,
               std::int64_t smallest = 1)
{
    SelfScheduler scheduler({method, size, smallest}, processors);
    Sizes found;
    for (std::size_t k = 0; k < count; ++k)
        found.push_back(scheduler.next(k % processors, k < processors ? std::nullopt : std::optional(1.0)));
    return found;
}

TEST(SelfScheduling, PublishedSequences)
{
    // Hummel, Schonberg and Flynn 1992, table of N = 100, p = 4: guided and factoring.
    EXPECT_EQ(packages(SelfMethod::guided, 100, 4, 14), (Sizes{25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1}));
    EXPECT_EQ(packages(SelfMethod::factoring, 100, 4, 20),
              (Sizes{13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1}));
    EXPECT_EQ(packages(SelfMethod::fixed, 10, 2, 5, 4), (Sizes{4, 4, 2, 0, 0}));
    EXPECT_EQ(packages(SelfMethod::guided, 100, 4, 8, 10), (Sizes{25, 19, 14, 11, 10, 10, 10, 1}));
}

TEST(SelfScheduling, SigmoidFollowsTheLastThreeSpeeds)
{
    constexpr double n = 1e6, p = 2, k = 0.5;
    SelfScheduler scheduler({SelfMethod::sigmoid, 1000000, 1, k}, 2);
    double rest = n;
    std::vector<std::vector<double>> speeds(2);
    std::vector<double> last(2);
    support::Random random(7);
    for (int turn = 0; turn < 40; ++turn) {
        const auto i = static_cast<std::size_t>(turn % 3 == 0 ? 0 : 1); // the second one asks twice as often
        std::optional<double> seconds;
        if (last[i] > 0) {
            seconds = static_cast<double>(support::between(random, 1, 9));
            speeds[i].push_back(last[i] / *seconds);
        }
        const auto mean = [&](std::size_t of) {
            const auto &all = speeds[of];
            const auto count = std::min<std::size_t>(3, all.size());
            double sum = 0;
            for (auto v = all.end() - static_cast<std::ptrdiff_t>(count); v != all.end(); ++v) sum += *v;
            return sum / static_cast<double>(count);
        };
        double share = 1 / p;
        if (!speeds[i].empty() && speeds[1 - i].empty()) share = 0.5;
        if (!speeds[0].empty() && !speeds[1].empty()) share = mean(i) / (mean(0) + mean(1));
        const double e = std::exp(-k * 6 * rest / n);
        const double exact = (1 - e) / (1 + e) * n / (2 * p) * share; // equation 3.8
        const auto found = static_cast<double>(scheduler.next(i, seconds));
        EXPECT_NEAR(found, std::max(1.0, std::floor(exact)), 1 + 1e-9 * exact) << turn;
        last[i] = found;
        rest -= found;
        EXPECT_EQ(scheduler.rest(), static_cast<std::int64_t>(rest));
    }
}

TEST(SelfScheduling, EveryRowIsGivenOutOnce)
{
    support::Random random(support::seeded(11));
    for (int instance = 0; instance < support::how_many(); ++instance) {
        const auto p = static_cast<std::size_t>(support::between(random, 1, 6));
        const auto n = support::between(random, 0, 3000), smallest = support::between(random, 1, 40);
        const auto method = static_cast<SelfMethod>(support::between(random, 0, 3));
        SelfScheduler scheduler({method, n, smallest, 0.3}, p);
        std::vector<bool> asked(p);
        auto rest = n;
        while (rest > 0) {
            const auto i = static_cast<std::size_t>(support::between(random, 0, static_cast<std::int64_t>(p) - 1));
            const auto seconds =
                asked[i] ? std::optional(static_cast<double>(support::between(random, 0, 5))) : std::nullopt;
            const auto size = scheduler.next(i, seconds);
            asked[i] = true;
            ASSERT_GE(size, std::min(smallest, rest));
            ASSERT_LE(size, rest);
            rest -= size;
        }
        ASSERT_EQ(scheduler.next(0, std::nullopt), 0);
    }
}

TEST(SelfScheduling, PackagesHaveSizesOfTheFunctions)
{
    const Sizes first{8, 16, 64}, second{10};
    SelfScheduler scheduler({SelfMethod::guided, 100, 1}, 2, {first, second});
    EXPECT_EQ(scheduler.next(0, std::nullopt), 16); // of 50
    EXPECT_EQ(scheduler.next(1, std::nullopt), 10); // of 42
    EXPECT_EQ(scheduler.next(0, 1.0), 16);          // of 37
    EXPECT_EQ(scheduler.next(0, 1.0), 16);          // of 29
    EXPECT_EQ(scheduler.next(0, 1.0), 16);          // of 21
    EXPECT_EQ(scheduler.next(0, 1.0), 8);           // of 13
    EXPECT_EQ(scheduler.next(0, 1.0), 8);           // of 9
    EXPECT_EQ(scheduler.next(1, 1.0), 10);          // of 5: its smallest
    EXPECT_EQ(scheduler.next(0, 1.0), 0);           // nothing is left
    EXPECT_EQ(scheduler.rest(), 0);
}

TEST(SelfScheduling, DefaultsAndNames)
{
    const Options options;
    EXPECT_EQ(SelfSchedule::from(SelfMethod::fixed, 1000, 4, options).package, 32); // eight a processor
    EXPECT_EQ(SelfSchedule::from(SelfMethod::sigmoid, 1000, 4, options).package, 1);
    EXPECT_EQ(self_method_of("sigmoid"), SelfMethod::sigmoid);
    support::expect_error(Status::invalid_argument, {"did you mean 'guided'?"}, [] { self_method_of("guide"); });
}

} // namespace
} // namespace hpart
