// Problem: k processors with times t in a row, each spending exchange(a, b) with each neighbour: the order whose longest load is least.
// Dynamic program over (set S placed, last b, the one before it a): the least longest load of all placed but b, whose own load is not
// known before its successor is. Exact: what comes later depends on (S, a, b) alone and the maximum does not fall as a part rises.
// Time O(2^k k^3), memory O(2^k k^2). Source: Held and Karp's dynamic program for paths, with a maximum for the sum and one more neighbour.

#include "core/doubles.hpp"
#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <cstdint>

namespace hpart
{

namespace
{

class OrderSearch
{
  public:
    OrderSearch(const std::vector<double> &seconds, const std::function<double(std::size_t, std::size_t)> &exchange)
        : seconds_(seconds), k_(seconds.size()), all_((std::size_t{1} << k_) - 1)
    {
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b < k_; ++b) exchange_.push_back(a == b ? 0 : exchange(a, b));
        longest_.assign((all_ + 1) * k_ * (k_ + 1), infinity);
        came_from_.assign(longest_.size(), static_cast<std::uint8_t>(k_));
    }

    std::vector<std::size_t> run()
    {
        for (std::size_t b = 0; b < k_; ++b) longest_[state(std::size_t{1} << b, nobody(), b)] = 0;
        for (std::size_t set = 1; set < all_; ++set) extend_all(set);
        return walk_back();
    }

  private:
    std::size_t nobody() const { return k_; }
    std::size_t state(std::size_t set, std::size_t a, std::size_t b) const { return (set * k_ + b) * (k_ + 1) + a; }
    double between(std::size_t a, std::size_t b) const
    {
        return a == nobody() || b == nobody() ? 0 : exchange_[a * k_ + b];
    }

    void extend_all(std::size_t set)
    {
        for (std::size_t b = 0; b < k_; ++b)
            for (std::size_t a = 0; a <= k_; ++a) {
                const auto longest = longest_[state(set, a, b)];
                if (longest < infinity) extend(set, a, b, longest);
            }
    }

    void extend(std::size_t set, std::size_t a, std::size_t b, double longest)
    {
        for (std::size_t next = 0; next < k_; ++next) {
            if ((set >> next & 1U) != 0) continue;
            const auto to = state(set | std::size_t{1} << next, b, next);
            const auto with = std::max(longest, load(seconds_[b], between(a, b), between(b, next)));
            if (with >= longest_[to]) continue;
            longest_[to] = with;
            came_from_[to] = static_cast<std::uint8_t>(a);
        }
    }

    std::vector<std::size_t> walk_back() const
    {
        auto least = infinity;
        std::size_t a = nobody();
        std::size_t b = 0;
        for (std::size_t last = 0; last < k_; ++last)
            for (std::size_t before = 0; before <= k_; ++before) {
                const auto longest = longest_[state(all_, before, last)];
                const auto whole = std::max(longest, load(seconds_[last], between(before, last), 0));
                if (longest == infinity || whole >= least) continue;
                least = whole;
                a = before;
                b = last;
            }
        std::vector<std::size_t> order;
        for (auto set = all_;;) {
            order.push_back(b);
            if (a == nobody()) break;
            const std::size_t before = came_from_[state(set, a, b)];
            set &= ~(std::size_t{1} << b);
            b = a;
            a = before;
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

    const std::vector<double> &seconds_;
    std::size_t k_;
    std::size_t all_;
    std::vector<double> exchange_;
    std::vector<double> longest_;         // by state
    std::vector<std::uint8_t> came_from_; // the processor before the one before the last
};

} // namespace

std::vector<std::size_t> best_order(const std::vector<double> &seconds,
                                    const std::function<double(std::size_t, std::size_t)> &exchange)
{
    if (seconds.empty()) return {};
    return OrderSearch(seconds, exchange).run();
}

} // namespace hpart
