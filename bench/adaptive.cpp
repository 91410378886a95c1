// Simulated self-adaptable applications: how far above the least time they end, and what the way there costs. docs/background/adaptive.md has the
// table. usage: bench_adaptive [RUNS [ROW]]
#include "../tests/unit/adaptive/simulation.hpp"

#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

namespace
{

using hpart::Adaptive;
using simulation::Random;
using simulation::Times;
using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t iterations = 100, before_event = 50;

enum class Event : std::uint8_t { none, speed, stop };

struct Row {
    std::string name;
    std::int64_t processors, size; // the size is up to a half more
    double roughness, noise;
    Event event = Event::none;
};

struct Outcome {
    std::vector<double> excess, moves, moved, converged, whole;
};

double least_time(const Times &times, std::int64_t size, std::size_t stopped)
{
    hpart::Platform platform(static_cast<std::int64_t>(times.size()));
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i == stopped) continue;
        Sizes sizes;
        for (std::int64_t x = 1; x <= size; ++x) sizes.push_back(x);
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, std::span(times[i]).subspan(1));
    }
    hpart::PartitionRequest request;
    request.size = size;
    request.wants_joules = false;
    hpart::Control control;
    return hpart::partition(platform, request, control).seconds;
}

void simulate(const Row &row, Random &random, Outcome &outcome)
{
    const auto size = support::between(random, row.size, row.size * 3 / 2);
    auto times = simulation::any_times(random, row.processors, size, row.roughness);
    Adaptive adaptive(row.processors, size, {});
    auto stopped = times.size();
    double least = least_time(times, size, stopped), whole = 0;
    std::int64_t moves = 0, moved = 0, converged = 1;
    for (std::int64_t k = 0; k < iterations; ++k) {
        if (row.event != Event::none && k == before_event) {
            const auto &x = adaptive.distribution();
            const auto hit = static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
            if (row.event == Event::stop) stopped = hit;
            for (auto &seconds : times[hit]) seconds *= 2;
            least = least_time(times, size, stopped);
        }
        const auto x = adaptive.distribution();
        auto seconds = simulation::run(times, x, random, row.noise);
        whole += simulation::time_of(times, x) / least / static_cast<double>(iterations);
        if (stopped < x.size() && x[stopped] > 0) seconds[stopped] = std::numeric_limits<double>::infinity();
        adaptive.update(x, seconds);
        const auto &next = adaptive.distribution();
        moves += next != x ? 1 : 0;
        for (std::size_t i = 0; i < x.size(); ++i) moved += std::max<std::int64_t>(0, next[i] - x[i]);
        if (!adaptive.converged()) converged = k + 2;
    }
    outcome.excess.push_back(simulation::time_of(times, adaptive.distribution()) / least - 1);
    outcome.moves.push_back(static_cast<double>(moves));
    outcome.moved.push_back(static_cast<double>(moved) / static_cast<double>(size));
    outcome.converged.push_back(static_cast<double>(converged));
    outcome.whole.push_back(whole - 1);
}

double quantile(std::vector<double> values, double share)
{
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

std::vector<Row> rows()
{
    std::vector<Row> all;
    for (const std::int64_t p : {2, 3, 8}) {
        for (const double noise : {0.01, 0.02}) all.push_back({"30 % jitter", p, 160, 0.3, noise});
        all.push_back({"10 % jitter", p, 160, 0.1, 0.02});
        all.push_back({"smooth", p, 160, 0, 0.02});
        all.push_back({"30 %, speed", p, 160, 0.3, 0.02, Event::speed});
        all.push_back({"smooth, speed", p, 160, 0, 0.02, Event::speed});
        if (p > 2) all.push_back({"30 %, stop", p, 160, 0.3, 0.02, Event::stop});
        if (p > 2) all.push_back({"smooth, stop", p, 160, 0, 0.02, Event::stop});
        all.push_back({"30 %, large", p, 20000, 0.3, 0.02});
    }
    return all;
}

} // namespace

int main(int argc, char **argv)
{
    const auto runs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 200;
    const auto only = argc > 2 ? std::strtol(argv[2], nullptr, 10) : -1;
    std::printf("| functions | p | size | noise | above the least: median, 95 %% | moves | moved | converged after | "
                "all iterations |\n"
                "|---|---|---|---|---|---|---|---|---|\n");
    const auto all = rows();
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (only >= 0 && static_cast<std::size_t>(only) != r) continue;
        const auto &row = all[r];
        Random random(static_cast<std::uint64_t>(r) + 7);
        Outcome outcome;
        for (long k = 0; k < runs; ++k) simulate(row, random, outcome);
        const auto both = [](const std::vector<double> &values, double factor) {
            return std::pair(factor * quantile(values, 0.5), factor * quantile(values, 0.95));
        };
        const auto [excess, excess95] = both(outcome.excess, 100);
        const auto [moves, moves95] = both(outcome.moves, 1);
        const auto [moved, moved95] = both(outcome.moved, 1);
        const auto [converged, converged95] = both(outcome.converged, 1);
        const auto [whole, whole95] = both(outcome.whole, 100);
        std::printf("| %s | %d | %d | %.0f %% | %.1f, %.1f | %.0f, %.0f | %.2f, %.2f | %.0f, %.0f | %.1f, %.1f |\n",
                    row.name.c_str(), static_cast<int>(row.processors), static_cast<int>(row.size), 100 * row.noise,
                    excess, excess95, moves, moves95, moved, moved95, converged, converged95, whole, whole95);
        std::fflush(stdout);
    }
    return 0;
}
