// A mirror shows the values of another counter, up to some milliseconds later. So its values stay within some milliseconds of energy of the
// other's, and most of them are values that the other one shows, too. Two counters of their own are millions of steps apart, or drift apart.
#include "energy/mirrored.hpp"

#include "core/clock.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

constexpr int rounds = 40;
constexpr auto pause = std::chrono::milliseconds(1); // counters move each millisecond
constexpr double longest_lag_seconds = 0.004;
// A counter that moves more rarely than the lag may be a whole step behind; steps differ.
constexpr double lagging_steps = 2;
// The counter may begin again between its values and its mirror's.
constexpr double share_near = 0.9;
constexpr double least_share_equal = 0.25;
constexpr int least_rounds = 3; // in which the counter has moved

struct Round {
    std::vector<double> before, after; // of each counter
};

class Watched
{
  public:
    Watched(const std::vector<Round> &seen, double seconds) : rounds_(seen), seconds_(seconds) {}

    bool is_mirror(std::size_t one, std::size_t other) const
    {
        const double tolerance = energy_of_lag(one);
        const double first = rounds_.front().before[one];
        int moved = 0, equal = 0, near = 0;
        for (const auto &[before, after] : rounds_) {
            const double value = before[other], low = before[one], high = after[one];
            if (value >= low - tolerance && value <= high + tolerance) ++near;
            if (low == first) continue;
            ++moved;
            if ((value >= low && value <= high) || (value != first && shows(one, value))) ++equal;
        }
        return moved >= least_rounds && near >= share_near * static_cast<double>(rounds_.size()) &&
               equal >= least_share_equal * moved;
    }

  private:
    double energy_of_lag(std::size_t one) const
    {
        double moved = 0, smallest = std::numeric_limits<double>::infinity();
        for (std::size_t k = 1; k < rounds_.size(); ++k) {
            const double step = rounds_[k].before[one] - rounds_[k - 1].before[one];
            if (step <= 0) continue;
            moved += step;
            smallest = std::min(smallest, step);
        }
        return moved > 0 ? std::max(moved / seconds_ * longest_lag_seconds, lagging_steps * smallest) : 0;
    }
    bool shows(std::size_t one, double value) const
    {
        return std::any_of(rounds_.begin(), rounds_.end(),
                           [&](const auto &round) { return round.before[one] == value || round.after[one] == value; });
    }

    const std::vector<Round> &rounds_;
    const double seconds_;
};

} // namespace

std::vector<std::size_t> mirrored_counters(std::size_t count, const std::function<std::vector<double>()> &read,
                                           const std::function<bool(std::size_t, std::size_t)> &are_alike)
{
    std::vector<std::size_t> mirrors(count);
    std::iota(mirrors.begin(), mirrors.end(), std::size_t{0});
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t j = k + 1; j < count; ++j)
            if (are_alike(k, j)) pairs.emplace_back(k, j);
    if (pairs.empty()) return mirrors;
    std::vector<Round> seen;
    const auto begin = Clock::now();
    for (int round = 0; round < rounds; ++round) {
        if (round > 0) Clock::sleep_for(pause);
        auto before = read();
        seen.push_back({std::move(before), read()});
    }
    const Watched watched(seen, seconds_since(begin));
    for (const auto &[one, other] : pairs)
        if (mirrors[other] == other && watched.is_mirror(one, other)) mirrors[other] = mirrors[one];
    return mirrors;
}

} // namespace hpart
