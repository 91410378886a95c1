// Schedules on functions as in the WDAH thesis, 5.2: quality over backtrack_limit, and speed-up over more processors, simulated.
// docs/background/schedules.md has the tables. usage: bench_schedule
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <hpart.hpp>

namespace
{

using Random = std::mt19937_64;

double uniform(Random &random, double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random);
}

// Speeds at 1, 2, ..., points packages. Semi-random: they rise, concave, to a peak and fall behind it (the conditions of 3.4).
// Full-random: any speeds.
hpart::platform random_platform(Random &random, std::int64_t processors, std::int64_t points, bool is_semi)
{
    hpart::platform platform(processors);
    for (std::int64_t i = 0; i < processors; ++i) {
        const double peak = uniform(random, 0.2, 0.8) * static_cast<double>(points), fastest = uniform(random, 1, 10);
        const double start = uniform(random, 0.2, 0.8), end = uniform(random, 0.2, 0.9);
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        for (std::int64_t size = 1; size <= points; ++size) {
            const auto x = static_cast<double>(size);
            const double risen = std::sqrt(std::min(1.0, x / peak)),
                         fallen = std::max(0.0, (x - peak) / (static_cast<double>(points) - peak));
            const double speed =
                is_semi ? fastest * (start + (1 - start) * risen) * (1 - (1 - end) * fallen) : uniform(random, 1, 10);
            sizes.push_back(size);
            seconds.push_back(x / speed);
        }
        platform.set_time_function(i, sizes, seconds);
    }
    return platform;
}

double makespan(const hpart::platform &platform, std::int64_t size, const std::string &method = "exact",
                std::int64_t limit = 100)
{
    return hpart::schedule(platform, size, {{"method", method}, {"backtrack_limit", limit}}).makespan();
}

// Infinity where a method has no distribution.
double seconds_of(const hpart::platform &platform, std::int64_t size, const std::string &method)
{
    try {
        return hpart::partition(platform, hpart::objective::time, size, {{"method", method}}).seconds;
    } catch (const hpart::infeasible &) {
        return std::numeric_limits<double>::infinity();
    }
}

void quality(bool is_semi)
{
    constexpr std::int64_t processors = 4, points = 64;
    constexpr int instances = 25;
    std::printf("\n%s functions, p = %d, %d points, %d platforms: mean makespan / optimum (worst)\n",
                is_semi ? "semi-random" : "full-random", static_cast<int>(processors), static_cast<int>(points),
                instances);
    std::printf("| n | HPOPTA, one package | limit 1 | 10 | 100 | 1000 | guided | factoring | sigmoid "
                "|\n|---|---|---|---|---|---|---|---|---|\n");
    const std::vector<std::pair<std::string, std::int64_t>> methods = {
        {"wdah", 1}, {"wdah", 10}, {"wdah", 100}, {"wdah", 1000}, {"guided", 1}, {"factoring", 1}, {"sigmoid", 1}};
    for (const std::int64_t size : {32, 64, 128, 192, 256}) {
        Random random(5);
        std::vector<double> sums(methods.size() + 1, 0), worst(sums);
        for (int k = 0; k < instances; ++k) {
            const auto platform = random_platform(random, processors, points, is_semi);
            const double best = makespan(platform, size);
            for (std::size_t m = 0; m < sums.size(); ++m) {
                const double ratio = (m == 0 ? seconds_of(platform, size, "hpopta")
                                             : makespan(platform, size, methods[m - 1].first, methods[m - 1].second)) /
                                     best;
                sums[m] += ratio;
                worst[m] = std::max(worst[m], ratio);
            }
        }
        std::printf("| %d |", static_cast<int>(size));
        for (std::size_t m = 0; m < sums.size(); ++m) std::printf(" %.2f (%.2f) |", sums[m] / instances, worst[m]);
        std::printf("\n");
    }
}

// Four slow processors and x fast ones, as the thesis' four ARM cores and x DSPs; the time of one slow processor over that of all.
void speed_up()
{
    constexpr std::int64_t size = 1024, step = 16;
    constexpr int slow = 4;
    std::printf("\nspeed-up over one slow processor, n = %d\n| slow + fast | optimum | wdah | HPOPTA | equal | guided "
                "| factoring | sigmoid |\n"
                "|---|---|---|---|---|---|---|---|\n",
                static_cast<int>(size));
    for (int fast = 0; fast <= 8; fast += 2) {
        Random random(9);
        hpart::platform platform(slow + fast), one(1);
        for (int i = 0; i < slow + fast; ++i) {
            std::vector<std::int64_t> sizes;
            std::vector<double> seconds;
            for (std::int64_t rows = step; rows <= size; rows += step) {
                const double x = static_cast<double>(rows), full = x / (x + 32); // small slices do not fill a processor
                const double speed =
                    (i < slow ? 1 : 3) * full * (1 - 0.3 * x / static_cast<double>(size)) * uniform(random, 0.9, 1.1);
                sizes.push_back(rows);
                seconds.push_back(x / speed);
            }
            platform.set_time_function(i, sizes, seconds);
            if (i == 0) one.set_time_function(0, sizes, seconds);
        }
        const double alone = seconds_of(one, size, "exact");
        std::printf("| %d + %d |", slow, fast);
        std::printf(" %.2f | %.2f | %.2f | %.2f |", alone / makespan(platform, size),
                    alone / makespan(platform, size, "wdah"), alone / seconds_of(platform, size, "hpopta"),
                    alone / seconds_of(platform, size, "equal"));
        for (const auto *method : {"guided", "factoring", "sigmoid"})
            std::printf(" %.2f |", alone / makespan(platform, size, method));
        std::printf("\n");
    }
}

} // namespace

int main()
{
    try {
        quality(true);
        quality(false);
        speed_up();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench_schedule: %s\n", error.what());
        return 1;
    }
    return 0;
}
