// Simulated searches of applications that print one time: how far are they from the optimum? docs/background/simulations.md has the table.
// usage: bench_one_time [CASES [RUNS A PROCESSOR [FUNCTIONS]]]
#include "../tests/unit/optimum/one_time_world.hpp"

#include "core/clock.hpp"

#include <cstdio>
#include <cstdlib>

namespace
{

using namespace hpart::optimum;

void print_row(const std::string &kind, std::size_t processors, int most, double noise, int cases, int runs)
{
    double sum = 0, cost = 0, used = 0;
    std::vector<double> regrets;
    const auto begin = hpart::Clock::now();
    for (int c = 0; c < cases; ++c) {
        std::seed_seq seed{c, static_cast<int>(processors)};
        std::mt19937_64 random(seed);
        const OneTimeWorld world(kind, processors, most, random);
        const auto out = search_world(world, noise, runs * static_cast<std::int64_t>(processors), random);
        if (std::isfinite(out.regret)) regrets.push_back(out.regret), sum += out.regret;
        cost += out.cost;
        used += static_cast<double>(out.runs);
    }
    std::sort(regrets.begin(), regrets.end());
    std::printf("| %s | %zu, %d | %.0f %% | %.1f %% | %.1f %% | %.0f %% | %d | %.0f | %.1f | %.0f |\n", kind.c_str(),
                processors, most, 100 * noise, 100 * sum / cases, 100 * regrets[regrets.size() / 2],
                100 * regrets.back(), cases - static_cast<int>(regrets.size()), used / cases, cost / cases,
                1e3 * hpart::seconds_since(begin) / cases);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? std::atoi(argv[1]) : 100, runs = argc > 2 ? std::atoi(argv[2]) : 15;
    const std::string only = argc > 3 ? argv[3] : "";
    std::printf("| functions | p, sizes | noise | regret: mean | median | largest | none found | runs | cost | ms of "
                "computing |\n"
                "|---|---|---|---|---|---|---|---|---|---|\n");
    for (const std::string kind : {"smooth", "jagged", "cliff", "failures"})
        for (const int most : {32, 100})
            for (const std::size_t processors : {2U, 3U, 5U})
                for (const double noise : {0.0, 0.03})
                    if (only.empty() || kind == only) print_row(kind, processors, most, noise, cases, runs);
}
