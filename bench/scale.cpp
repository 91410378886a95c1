// Clusters of one node, of measured functions: time and memory of a partition, over all processors and over nodes first, and the
// distributions of equal, cpm and fpm against the optimum. One thread. docs/background/performance.md has the table.
// usage: bench_scale PLATFORM [NODES...]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <hpart.hpp>
#include <sys/resource.h>

namespace
{

using Clock = std::chrono::steady_clock;

constexpr int repetitions = 9;
// The baselines' nearest distribution to their shares takes minutes beyond.
constexpr std::int64_t most_nodes_of_baselines = 64;

double milliseconds_since(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double peak_megabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Sizes that the functions have: multiples of the largest number that divides all, from a tenth to nine tenths of what the nodes take.
std::vector<std::int64_t> sizes_for(const hpart::platform &node, std::int64_t nodes, std::mt19937_64 &random)
{
    std::int64_t step = 0, most = 0;
    for (std::int64_t i = 0; i < node.processors(); ++i) {
        std::int64_t largest = 0;
        for (const auto size : node.function(i).sizes) {
            step = std::gcd(step, size);
            largest = std::max(largest, size);
        }
        most += largest;
    }
    const auto units = most / step * nodes;
    std::uniform_int_distribution<std::int64_t> any(units / 10, units / 10 * 9);
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < repetitions; ++i) sizes.push_back(step * any(random));
    return sizes;
}

// Milliseconds of the node's function, and of the partition between the nodes and within one, as nodes do in parallel.
std::vector<double> two_levels(const hpart::platform &node, std::int64_t nodes, std::int64_t size, double least)
{
    auto start = Clock::now();
    const auto whole = node.aggregate(hpart::objective::time, size);
    const auto aggregated = milliseconds_since(start);
    const auto cluster = whole.replicate(nodes);
    start = Clock::now();
    const auto shares = hpart::partition(cluster, hpart::objective::time, size, {{"threads", 1}});
    hpart::partition(node, hpart::objective::time, shares.x.front(), {{"threads", 1}});
    const auto solved = milliseconds_since(start);
    if (shares.seconds != least) throw std::runtime_error("the distribution over nodes is not the best");
    return {aggregated, solved};
}

void row(const hpart::platform &node, std::int64_t nodes)
{
    std::mt19937_64 random(7);
    auto start = Clock::now();
    const auto cluster = node.replicate(nodes);
    const auto replicated = milliseconds_since(start);
    const auto sizes = sizes_for(node, nodes, random);
    start = Clock::now();
    const auto least = hpart::partition(cluster, hpart::objective::time, sizes.front(), {{"threads", 1}}).seconds;
    const auto first = milliseconds_since(start);
    const auto by_nodes = two_levels(node, nodes, sizes.front(), least);
    std::vector<double> warm;
    std::vector<std::vector<double>> ratios(3);
    const std::vector<std::string> methods = {"equal", "cpm", "fpm"};
    for (const auto size : sizes) {
        start = Clock::now();
        const auto best = hpart::partition(cluster, hpart::objective::time, size, {{"threads", 1}});
        warm.push_back(milliseconds_since(start));
        for (std::size_t k = 0; k < methods.size() && nodes <= most_nodes_of_baselines; ++k) {
            const auto other = hpart::partition(cluster, hpart::objective::time, size, {{"method", methods[k]}});
            ratios[k].push_back(other.seconds / best.seconds);
        }
    }
    std::printf("| %lld | %lld | %.1f | %.2f | %.2f | %.1f | %.2f | %.0f |", static_cast<long long>(nodes),
                static_cast<long long>(cluster.processors()), replicated, first, median(warm), by_nodes[0], by_nodes[1],
                peak_megabytes());
    for (const auto &of_method : ratios)
        if (of_method.empty())
            std::printf(" - |");
        else
            std::printf(" %.2f, %.2f |", median(of_method), *std::max_element(of_method.begin(), of_method.end()));
    std::printf("\n");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc < 2) {
            std::fprintf(stderr, "usage: bench_scale PLATFORM [NODES...]\n");
            return 2;
        }
        const auto node = hpart::platform::read(argv[1]);
        std::vector<std::int64_t> counts;
        for (int i = 2; i < argc; ++i) counts.push_back(std::atoll(argv[i]));
        if (counts.empty()) counts = {8, 64, 512, 4096, 65536};
        std::printf(
            "| nodes | processors | replicate, ms | first, ms | again, ms | node's function, ms | nodes, ms | peak, MB "
            "| equal: median, largest | cpm | fpm |\n"
            "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        for (const auto nodes : counts) row(node, nodes);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench_scale: %s\n", error.what());
        return 1;
    }
}
