// Problem: EOPT, k alike processors: the least sum of costs over one option of the same list for each, sizes summing to a target.
//
// All costs are integers in a common unit (cost_functions.hpp), so nothing here is rounded until the last step. Sizes count from the
// smallest in units of the common divisor.
// 1. The edge (lo, hi) of the options' lower hull at the mean size, D its length, gives each option a reduced cost
//    r = D (cost - cost of lo) - (rise of the edge) (size - lo) >= 0, 0 for lo and hi; a choice costs a constant plus the sum of r.
// 2. lo and hi make all multiples of D at no reduced cost, so the other parts (odd ones) are needed for their residue mod D only: the
//    least sum of r that makes a residue, W, is a shortest path over the residues, and a lower bound of every choice. If lo and hi
//    can complete the parts of the path within k parts, the choice attains the bound: optimal. (Gomory's relaxation to a group.)
// 3. If they cannot, as near an end of the edge or with few parts, W may prove that there is no choice: its cost would be above the
//    cost of the dearest options alone. Else another method must decide.
// Least uses, of the choices whose sum is within a limit, such as fewest active ones: let W be the least sum and C >= W the largest within
// the limit. Integer costs scaled by s and with b more for each use are solved again: the answer is right if it costs at most C and
// b > s (C - W), as a choice of less use and a cost <= C would have a smaller sum there. With C = W, s is above all uses and b is 1, so
// that it costs W; else s is 1, and where the answer costs more than C, another method decides.
// Time: options x D. Memory: 40 bytes x D. Source: design of hpart.
#include "partitioners/search/least_sum.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/cost_functions.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

constexpr Wide unreached = Wide{1} << 125;     // twice it still fits
constexpr int wide_bits = 124;                 // of products and sums here, below `unreached`
constexpr double most_relaxations = 1 << 24;   // of residues by options: some 50 ms
constexpr std::int64_t longest_edge = 1 << 18; // its tables stay in the caches

// A collection of parts: how many of each option.
using Counts = std::vector<std::pair<std::size_t, std::int64_t>>;

class AlikeSearch
{
  public:
    AlikeSearch(const AlikeProblem &problem, Control &control)
        : problem_(problem), control_(control), pacer_(control, "searching the least sum")
    {
    }

    std::optional<LeastSum> run()
    {
        if (!reduce()) return LeastSum{};
        if (!scale_costs()) return std::nullopt;
        Counts parts;
        const auto found = solve(parts);
        if (found == Found::no) return LeastSum{};
        if (found == Found::declined) return std::nullopt;
        if (problem_.uses.empty()) return in_decreasing_order(std::move(parts));
        const auto least = cost_of(parts);
        const auto most = most_within_limit(least);
        if (most && *most < least) return LeastSum{};
        const auto costs = costs_;
        Counts fewest;
        if (!most || !charge_uses(least, *most) || solve(fewest) != Found::yes) return std::nullopt;
        costs_ = costs;
        if (cost_of(fewest) > *most) return std::nullopt;
        return in_decreasing_order(std::move(fewest));
    }

  private:
    // False when sums or the common divisor forbid the target.
    bool reduce()
    {
        const auto smallest = problem_.sizes.front();
        const auto base = checked_mul(problem_.copies, smallest);
        if (!base || *base > problem_.target) return false;
        target_ = problem_.target - *base;
        const auto end = std::upper_bound(problem_.sizes.begin(), problem_.sizes.end(), problem_.target);
        const auto sizes = problem_.sizes.first(static_cast<std::size_t>(end - problem_.sizes.begin()));
        const auto divisor = common_divisor(0, sizes, smallest);
        if (divisor == 0) {
            sizes_.assign(1, 0);
            return target_ == 0;
        }
        if (target_ % divisor != 0) return false;
        target_ /= divisor;
        for (const auto size : sizes) sizes_.push_back((size - smallest) / divisor);
        return static_cast<Wide>(sizes_.back()) * problem_.copies >= target_;
    }

    // False when the products needed do not fit.
    bool scale_costs()
    {
        const auto bits = bits_of(problem_.copies);
        const auto most = wide_bits - 2 * bits_of(sizes_.back()) - bits - 1;
        exact_ = ExactCosts::of(problem_.costs.first(sizes_.size()), most);
        if (!exact_) return false;
        costs_ = exact_->values();
        return true;
    }

    // The largest sum that is within the limit, which begins at the least; below the least if that is not. Nothing where it is too large.
    std::optional<Wide> most_within_limit(Wide least) const
    {
        auto limit = problem_.limit;
        if (!(limit.most < infinity)) limit = {exact_->as_sum(least).rounded()};
        const auto allows = [&](Wide sum) { return limit.allows(exact_->as_sum(sum)); };
        if (!allows(least)) return least - 1;
        Wide step = 1;
        for (; allows(least + step); step *= 2)
            if (bits_of(least + step) >= wide_bits) return std::nullopt;
        auto most = least + step / 2;
        for (auto beyond = least + step; beyond - most > 1;) {
            const auto middle = most + (beyond - most) / 2;
            (allows(middle) ? most : beyond) = middle;
        }
        return most;
    }

    // False when the products needed do not fit.
    bool charge_uses(Wide least, Wide most)
    {
        const auto uses = problem_.uses.first(sizes_.size());
        const auto most_use = *std::max_element(uses.begin(), uses.end());
        const auto scale = most == least ? static_cast<Wide>(problem_.copies) * most_use + 1 : Wide{1};
        const auto charge = most - least + 1;
        const auto highest = *std::max_element(costs_.begin(), costs_.end());
        const auto bits = 1 + std::max(bits_of(highest) + bits_of(scale), bits_of(charge) + bits_of(most_use)) +
                          2 * bits_of(sizes_.back()) + bits_of(problem_.copies);
        if (bits > wide_bits) return false;
        for (std::size_t k = 0; k < costs_.size(); ++k) costs_[k] = costs_[k] * scale + charge * uses[k];
        return true;
    }

    Wide cost_of(const Counts &parts) const
    {
        Wide sum = 0;
        for (const auto &[k, copies] : parts) sum += costs_[k] * copies;
        return sum;
    }

    // The edge of the lower hull with copies x low end <= target < copies x high end, or the last.
    void find_edge()
    {
        std::vector<std::size_t> hull;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            while (hull.size() >= 2) {
                const auto a = hull[hull.size() - 2];
                const auto b = hull.back();
                if ((costs_[b] - costs_[a]) * (sizes_[k] - sizes_[a]) <
                    (costs_[k] - costs_[a]) * (sizes_[b] - sizes_[a]))
                    break;
                hull.pop_back();
            }
            hull.push_back(k);
        }
        std::size_t edge = 0;
        while (edge + 2 < hull.size() && static_cast<Wide>(sizes_[hull[edge + 1]]) * problem_.copies <= target_) ++edge;
        low_ = hull[edge];
        high_ = hull[std::min(edge + 1, hull.size() - 1)];
        edge_length_ = std::max<std::int64_t>(sizes_[high_] - sizes_[low_], 1);
        rest_ = target_ - problem_.copies * sizes_[low_];
    }

    void reduce_costs()
    {
        const auto rise = costs_[high_] - costs_[low_];
        reduced_.resize(sizes_.size());
        for (std::size_t k = 0; k < sizes_.size(); ++k)
            reduced_[k] = (costs_[k] - costs_[low_]) * edge_length_ - rise * (sizes_[k] - sizes_[low_]);
    }

    // The least cost of choices with one or two odd parts and any number of the others; `unreached` if no two have the residue.
    Wide cost_within_two_odd_parts() const
    {
        std::vector<Wide> least(static_cast<std::size_t>(edge_length_), unreached);
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            auto &of_residue = least[static_cast<std::size_t>(residue_of(sizes_[k] - sizes_[low_]))];
            of_residue = std::min(of_residue, reduced_[k]);
        }
        const auto wanted = residue_of(rest_);
        auto best = unreached;
        for (std::int64_t a = 0; a < edge_length_; ++a) {
            const auto one = least[static_cast<std::size_t>(a)];
            const auto other = least[static_cast<std::size_t>(residue_of(wanted - a))];
            if (one < unreached && other < unreached) best = std::min(best, one + other);
        }
        return best;
    }

    // Shortest paths from 0 by options of reduced cost <= cap. Rounds along the cycles of one option after another: an optimum may
    // take its parts in the options' order, and a cycle's least entry reaches all of it within two rounds.
    void find_least_by_residue(Wide cap)
    {
        least_.assign(static_cast<std::size_t>(edge_length_), {unreached, 0, 0});
        least_[0].cost = 0;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            const auto step = residue_of(sizes_[k] - sizes_[low_]);
            if (reduced_[k] > cap || step == 0) continue;
            const auto length = edge_length_;
            const auto cycles = std::gcd(step, length);
            const auto of_part = reduced_[k];
            auto *const least = least_.data();
            for (std::int64_t start = 0; start < cycles; ++start) {
                auto at = start;
                auto before = least[at];
                for (auto left = 2 * (length / cycles); left > 0; --left) {
                    at += step;
                    if (at >= length) at -= length;
                    auto &reached = least[at];
                    const auto cost = before.cost + of_part;
                    if (cost < reached.cost || (cost == reached.cost && before.parts + 1 < reached.parts))
                        reached = {cost, before.parts + 1, static_cast<std::uint32_t>(k)};
                    before = reached;
                }
            }
            pacer_.spend(2 * edge_length_);
        }
    }

    // Adds parts of the low and the high end to odd ones, where they reach the target.
    bool complete(Counts &parts) const
    {
        Wide rest = rest_;
        auto left = problem_.copies;
        for (const auto &[k, copies] : parts) {
            rest -= static_cast<Wide>(sizes_[k] - sizes_[low_]) * copies;
            left -= copies;
        }
        if (left < 0 || rest < 0 || rest % edge_length_ != 0 || rest / edge_length_ > left) return false;
        const auto highs = low_ == high_ ? 0 : static_cast<std::int64_t>(rest / edge_length_);
        if (highs > 0) parts.emplace_back(high_, highs);
        if (left > highs) parts.emplace_back(low_, left - highs);
        return true;
    }

    LeastSum in_decreasing_order(Counts parts) const
    {
        LeastSum out;
        out.outcome = Outcome::found;
        out.sizes.reserve(static_cast<std::size_t>(problem_.copies));
        std::sort(parts.begin(), parts.end(), std::greater<>());
        ExactSum cost;
        for (const auto &[k, copies] : parts) {
            out.sizes.insert(out.sizes.end(), static_cast<std::size_t>(copies), problem_.sizes[k]);
            cost.add(problem_.costs[k], copies);
        }
        out.cost = cost.rounded();
        out.lower_bound = out.cost;
        return out;
    }

    enum class Found : std::uint8_t { yes, no, declined };

    Found find_optimum(Counts &parts)
    {
        if (complete(parts)) return Found::yes;
        find_least_by_residue(cost_within_two_odd_parts());
        for (auto residue = residue_of(rest_); residue != 0;) {
            const auto last = least_[static_cast<std::size_t>(residue)].last;
            parts.emplace_back(last, 1);
            residue = residue_of(residue - (sizes_[last] - sizes_[low_]));
        }
        if (complete(parts)) return Found::yes;
        // The least cost that W allows and the highest cost of any choice, both above the cost of all at the low end.
        const auto rise = costs_[high_] - costs_[low_];
        const auto least = least_[static_cast<std::size_t>(residue_of(rest_))].cost + rise * rest_;
        const auto most = (*std::max_element(costs_.begin(), costs_.end()) - costs_[low_]) * problem_.copies;
        return least > most * edge_length_ ? Found::no : Found::declined;
    }

    Found solve(Counts &parts)
    {
        ++control_.counters.searches;
        find_edge();
        // A long edge with few options is no case for residues.
        if (edge_length_ > longest_edge ||
            static_cast<double>(edge_length_) * static_cast<double>(sizes_.size()) > most_relaxations)
            return Found::declined;
        const auto bytes_by_residue = static_cast<double>(sizeof(Reached) + sizeof(Wide));
        if (static_cast<double>(edge_length_) * bytes_by_residue > static_cast<double>(control_.memory_limit()))
            return Found::declined;
        reduce_costs();
        return find_optimum(parts);
    }

    std::int64_t residue_of(std::int64_t size) const
    {
        const auto residue = size % edge_length_;
        return residue < 0 ? residue + edge_length_ : residue;
    }

    const AlikeProblem &problem_;
    Control &control_;
    Pacer pacer_;
    std::vector<std::int64_t> sizes_; // from the smallest, in units
    std::int64_t target_ = 0;
    std::optional<ExactCosts> exact_;
    std::vector<Wide> costs_; // in units; with the charges of uses if asked
    std::size_t low_ = 0;     // the edge's ends
    std::size_t high_ = 0;
    std::int64_t edge_length_ = 0;
    std::int64_t rest_ = 0; // target beyond all at the low end
    std::vector<Wide> reduced_;
    struct Reached {
        Wide cost;           // least reduced cost
        std::uint32_t parts; // fewest of that cost
        std::uint32_t last;  // option of the last of them
    };
    std::vector<Reached> least_; // by residue
};

} // namespace

std::optional<LeastSum> least_sum_of_alike(const AlikeProblem &problem, Control &control)
{
    return within_limits([&] { return AlikeSearch(problem, control).run(); }).value_or(std::nullopt);
}

} // namespace hpart
