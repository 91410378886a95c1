// Newton's method on the sum of the lower hulls. The bracket is two choices of vertices l, h with sizes summing to below and above
// the target; the next multiplier is the slope of the chord between them. At a multiplier each class's best vertex is where its
// slopes pass it, always between the vertices of l and h. It ends when the chord is an edge of the sum of the hulls.
// 4 to 17 rounds over the hulls; fewer where a multiplier nearby is known.
// Sums of energies are rounded here and guide only the search. Source: design of hpart.
#include "partitioners/search/break_solution.hpp"

#include "core/checked.hpp"

#include <cmath>

namespace hpart
{

namespace
{

constexpr int most_near_trials = 4;
constexpr double near_step = 0.003; // relative, of a multiplier nearby
constexpr double near_step_growth = 4;

class Bracket
{
  public:
    Bracket(const SumOverFunctions &sum) : sum_(sum), low_(sum.classes(), 0), high_(sum.classes()) {}

    std::optional<BreakSolution> run(std::optional<double> near)
    {
        if (!open_all()) return std::nullopt;
        const bool is_only = sum_.target == low_size_ || sum_.target == high_size_;
        if (!near || approach(*near))
            while (low_size_ != sum_.target && cut(chord())) {}
        take_whole_edges();
        auto found = choice();
        found.is_only = is_only;
        return found;
    }

  private:
    const HullVertex &vertex(std::size_t i, std::uint32_t v) const
    {
        return sum_.functions.hull(sum_.function_of[i])[v];
    }
    BasePoint base_point(std::size_t i, std::uint32_t v) const
    {
        const auto &found = vertex(i, v);
        return {found.point, found.size, found.cost};
    }
    std::int64_t open_size() const { return high_size_ - low_size_; }

    // The widest bracket.
    bool open_all()
    {
        for (std::size_t i = 0; i < sum_.classes(); ++i) {
            const auto hull = sum_.functions.hull(sum_.function_of[i]);
            if (hull.empty()) return false;
            high_[i] = static_cast<std::uint32_t>(hull.size() - 1);
            low_size_ = saturating_add(low_size_, hull.front().size);
            high_size_ = saturating_add(high_size_, hull.back().size);
            open_cost_ += hull.back().cost - hull.front().cost;
            if (hull.size() > 1) open_.push_back(static_cast<std::uint32_t>(i));
        }
        first_best_.resize(sum_.classes());
        last_best_.resize(sum_.classes());
        return low_size_ <= sum_.target && sum_.target <= high_size_;
    }

    double chord() const { return open_cost_ / static_cast<double>(open_size()); }

    // Narrows the bracket at that multiplier; false when it cannot, or need not any more.
    bool cut(double multiplier)
    {
        multiplier_ = multiplier;
        auto first_size = low_size_; // sizes of the first and of the last vertices that are best
        auto last_size = low_size_;
        for (const auto i : open_) {
            const auto *hull = sum_.functions.hull(sum_.function_of[i]).data();
            auto v = low_[i];
            while (v < high_[i] && hull[v].slope < multiplier) ++v;
            first_best_[i] = v;
            first_size = saturating_add(first_size, hull[v].size - hull[low_[i]].size);
            while (v < high_[i] && hull[v].slope <= multiplier) ++v;
            last_best_[i] = v;
            last_size = saturating_add(last_size, hull[v].size - hull[low_[i]].size);
        }
        is_met_ = first_size <= sum_.target && sum_.target <= last_size;
        bool moved = false;
        if (first_size > sum_.target || is_met_)
            moved |= set_side(high_, high_size_, is_met_ ? last_best_ : first_best_, is_met_ ? last_size : first_size);
        if (last_size < sum_.target || is_met_)
            moved |= set_side(low_, low_size_, is_met_ ? first_best_ : last_best_, is_met_ ? first_size : last_size);
        if (moved) close_classes();
        return moved && !is_met_;
    }

    bool set_side(std::vector<std::uint32_t> &side, std::int64_t &size, const std::vector<std::uint32_t> &best,
                  std::int64_t best_size)
    {
        if (size == best_size) return false;
        size = best_size;
        for (const auto i : open_) side[i] = best[i];
        return true;
    }

    void close_classes()
    {
        open_cost_ = 0;
        std::size_t kept = 0;
        for (const auto i : open_) {
            if (low_[i] == high_[i]) continue;
            open_cost_ += vertex(i, high_[i]).cost - vertex(i, low_[i]).cost;
            open_[kept++] = i;
        }
        open_.resize(kept);
    }

    // Multipliers at growing distances from that one until the target is between two of them; false when that ends the search.
    bool approach(double near)
    {
        const auto smallest = low_size_;
        const auto largest = high_size_;
        auto step = near_step * std::abs(near);
        for (int trial = 0; trial <= most_near_trials; ++trial) {
            cut(near);
            if (is_met_) return false;
            const bool has_low = low_size_ != smallest;
            const bool has_high = high_size_ != largest;
            if (has_low && has_high) return true;
            near += has_low ? step : -step;
            step *= near_step_growth;
        }
        return true;
    }

    // All edges left have the multiplier's slope: whole ones fill the residual as far as they fit.
    void take_whole_edges()
    {
        std::size_t kept = 0;
        for (const auto i : open_) {
            const auto size = vertex(i, high_[i]).size - vertex(i, low_[i]).size;
            if (size <= sum_.target - low_size_) {
                low_size_ += size;
                low_[i] = high_[i];
            } else {
                open_[kept++] = i;
            }
        }
        open_.resize(kept);
    }

    BreakSolution choice() const
    {
        BreakSolution out;
        out.multiplier = multiplier_;
        out.points.reserve(sum_.classes());
        for (std::size_t i = 0; i < sum_.classes(); ++i) out.points.push_back(base_point(i, low_[i]));
        out.residual = sum_.target - low_size_;
        if (!open_.empty())
            out.break_class = BreakSolution::BreakClass{open_.front(), base_point(open_.front(), high_[open_.front()])};
        return out;
    }

    const SumOverFunctions &sum_;
    std::vector<std::uint32_t> low_; // vertices
    std::vector<std::uint32_t> high_;
    std::vector<std::uint32_t> first_best_; // at the multiplier
    std::vector<std::uint32_t> last_best_;
    std::vector<std::uint32_t> open_; // classes where they differ
    std::int64_t low_size_ = 0;
    std::int64_t high_size_ = 0;
    double open_cost_ = 0; // of high_ above low_; from the open classes alone, so that others do not drown it
    double multiplier_ = 0;
    bool is_met_ = false; // the target is between the first and the last best vertices
};

} // namespace

std::optional<BreakSolution> find_break_solution(const SumOverFunctions &sum, std::optional<double> near)
{
    return Bracket(sum).run(near);
}

} // namespace hpart
