// A counter that is read between two readings of another one, and lies between their values each time though both move, is the same one. Two
// counters of their own are millions of steps apart, or drift apart between the readings.
#include "energy/mirrored.hpp"

#include "core/clock.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

constexpr int rounds = 5;
constexpr auto pause = std::chrono::milliseconds(10);

} // namespace

std::vector<std::size_t> mirrored_counters(std::size_t count, const std::function<std::vector<double>()> &read,
                                           const std::function<bool(std::size_t, std::size_t)> &are_alike)
{
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t j = k + 1; j < count; ++j)
            if (are_alike(k, j)) pairs.emplace_back(k, j);
    std::vector<double> first;
    for (int round = 0; round < rounds && !pairs.empty(); ++round) {
        if (round > 0) Clock::sleep_for(pause);
        const auto before = read(), after = read();
        std::erase_if(pairs, [&](const auto &pair) {
            const double value = before[pair.second];
            return value < before[pair.first] || value > after[pair.first];
        });
        if (round == 0) first = before;
        if (round == rounds - 1)
            std::erase_if(pairs, [&](const auto &pair) { return before[pair.first] == first[pair.first]; });
    }
    std::vector<std::size_t> mirrors(count);
    std::iota(mirrors.begin(), mirrors.end(), std::size_t{0});
    std::reverse(pairs.begin(), pairs.end());
    for (const auto &[one, other] : pairs) mirrors[other] = one;
    return mirrors;
}

} // namespace hpart
