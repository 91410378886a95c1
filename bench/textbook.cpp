#include "textbook.hpp"

#include <algorithm>
#include <limits>
#include <utility>

// One copy of the loop for each vector length, chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BENCH_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define BENCH_VECTORISED
#endif

namespace bench
{

namespace
{

BENCH_VECTORISED void take_least_sum(double *to, const double *from, double cost, std::int64_t count)
{
    for (std::int64_t s = 0; s < count; ++s) {
        const auto sum = from[s] + cost;
        to[s] = sum < to[s] ? sum : to[s];
    }
}

BENCH_VECTORISED void take_least_largest(double *to, const double *from, double cost, std::int64_t count)
{
    for (std::int64_t s = 0; s < count; ++s) {
        const auto largest = from[s] < cost ? cost : from[s];
        to[s] = largest < to[s] ? largest : to[s];
    }
}

// Sums up to n in blocks that stay in the first cache, for all points in turn.
constexpr std::int64_t block = 1024;

template <typename Take>
double textbook(const std::vector<Function> &functions, std::int64_t processors, std::int64_t size,
                const std::vector<double> Function::*costs, Take take)
{
    std::vector<double> before(static_cast<std::size_t>(size) + 1); // 0 costs nothing
    std::fill(before.begin() + 1, before.end(), std::numeric_limits<double>::infinity());
    auto after = before;
    for (std::int64_t i = 0; i < processors; ++i) {
        const auto &function = functions[static_cast<std::size_t>(i) % functions.size()];
        after = before; // idle
        for (std::int64_t low = 0; low <= size; low += block) {
            const auto high = std::min(low + block, size + 1);
            for (std::size_t k = 0; k < function.sizes.size(); ++k) {
                const auto begin = std::max(low, function.sizes[k]);
                if (begin < high)
                    take(after.data() + begin, before.data() + begin - function.sizes[k], (function.*costs)[k],
                         high - begin);
            }
        }
        std::swap(before, after);
    }
    return before.back();
}

} // namespace

BENCH_VECTORISED double streaming_sum(const std::vector<double> &values)
{
    // Independent sums, so that the reads and not the additions are what takes the time.
    constexpr std::size_t lanes = 32;
    double sums[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[k + lane];
    double sum = 0;
    for (; k < values.size(); ++k) sum += values[k];
    for (const auto part : sums) sum += part;
    return sum;
}

double textbook_energy(const std::vector<Function> &functions, std::int64_t processors, std::int64_t size)
{
    return textbook(functions, processors, size, &Function::joules, take_least_sum);
}

double textbook_time(const std::vector<Function> &functions, std::int64_t processors, std::int64_t size)
{
    return textbook(functions, processors, size, &Function::seconds, take_least_largest);
}

} // namespace bench
