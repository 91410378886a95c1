// Problem: k processors with times t in a row, each spending exchange(a, b) with each neighbour: the order whose longest load is least.
// Dynamic program over (set S placed, last b, the one before it a): the least longest load of b and of all that come after it. Exact: what
// comes later depends on (S, a, b) alone and the maximum does not fall as a part rises.
// Time O(2^k k^3), memory O(2^k k^2). Source: Held and Karp's dynamic program for paths, with a maximum for the sum and one more neighbour.

#include "core/numbers.hpp"
#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hpart
{

namespace
{

class OrderSearch
{
  public:
    OrderSearch(const std::vector<double> &seconds, const std::function<double(std::size_t, std::size_t)> &exchange)
        : seconds_(seconds), k_(seconds.size())
    {
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b < k_; ++b) exchange_.push_back(a == b ? 0 : exchange(a, b));
        rest_.resize((std::size_t{1} << k_) * k_ * (k_ + 1));
        for (auto set = (std::size_t{1} << k_) - 1; set > 0; --set)
            for (std::size_t b = 0; b < k_; ++b)
                for (std::size_t a = 0; a <= k_; ++a)
                    if (has(set, b) && a != b && (a == k_ || has(set, a))) rest_[state(set, a, b)] = least(set, a, b);
    }

    std::vector<std::size_t> run() const
    {
        std::size_t b = 0;
        for (std::size_t first = 1; first < k_; ++first)
            if (alone(first).longest < alone(b).longest) b = first;
        std::vector<std::size_t> order;
        for (std::size_t set = 0, a = k_; b < k_;) {
            order.push_back(b);
            set |= std::size_t{1} << b;
            const auto before = std::exchange(a, b);
            b = rest_[state(set, before, b)].next;
        }
        return order;
    }

  private:
    struct Rest {
        double longest;
        std::uint8_t next; // k: nobody
    };

    static bool has(std::size_t set, std::size_t b) { return (set >> b & 1U) != 0; }
    std::size_t state(std::size_t set, std::size_t a, std::size_t b) const { return (set * k_ + b) * (k_ + 1) + a; }
    const Rest &alone(std::size_t b) const { return rest_[state(std::size_t{1} << b, k_, b)]; }
    // Nobody is k.
    double between(std::size_t a, std::size_t b) const { return a == k_ || b == k_ ? 0 : exchange_[a * k_ + b]; }

    Rest least(std::size_t set, std::size_t a, std::size_t b) const
    {
        const auto nobody = static_cast<std::uint8_t>(k_);
        if (set + 1 == std::size_t{1} << k_) return {load(seconds_[b], between(a, b), 0), nobody};
        Rest best{infinity, nobody};
        for (std::size_t next = 0; next < k_; ++next) {
            if (has(set, next)) continue;
            const auto after = rest_[state(set | std::size_t{1} << next, b, next)].longest;
            const auto longest = std::max(load(seconds_[b], between(a, b), between(b, next)), after);
            if (longest < best.longest || best.next == k_) best = {longest, static_cast<std::uint8_t>(next)};
        }
        return best;
    }

    const std::vector<double> &seconds_;
    std::size_t k_;
    std::vector<double> exchange_;
    std::vector<Rest> rest_; // by state
};

} // namespace

std::vector<std::size_t> best_order(const std::vector<double> &seconds,
                                    const std::function<double(std::size_t, std::size_t)> &exchange)
{
    if (seconds.empty()) return {};
    return OrderSearch(seconds, exchange).run();
}

} // namespace hpart
