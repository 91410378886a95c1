// Newton's method on the sum of the functions, each as often as it has classes. The bracket is two choices l, h with sizes summing to below
// and above the target; the next multiplier is the slope of the chord between them. At a multiplier each function's best place is a
// vertex of its lower hull, always between the places of l and h. It ends when the chord is an edge of the sum of the hulls.
// Places are the vertices of hulls that were made before, or, under a bound on the time, points: their blocks show soon which one is best.
// 4 to 17 rounds over the functions; fewer where a multiplier nearby is known.
// Sums of energies are rounded here and guide only the search. Source: design of hpart.

#include "partitioners/search/break_solution.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/core.hpp"
#include "partitioners/search/least_use.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

constexpr int most_near_trials = 4;
constexpr double near_step =
    0.003; // relative, of a multiplier nearby: at first as much as the sizes are off the target
constexpr double widest_near_step = 0.5;
constexpr double near_step_growth = 4;

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

// Places are vertices of the hulls.
class HullPlaces
{
  public:
    explicit HullPlaces(const SumOverFunctions &sum) : functions_(sum.functions) {}

    // Nothing where the function has no point.
    std::optional<Range> ends(std::size_t f) const
    {
        const auto hull = functions_.hull(f);
        if (hull.empty()) return std::nullopt;
        return Range{0, static_cast<std::uint32_t>(hull.size() - 1)};
    }
    std::int64_t size(std::size_t f, std::uint32_t v) const { return functions_.hull(f)[v].size; }
    BasePoint at(std::size_t f, std::uint32_t v) const
    {
        const auto &vertex = functions_.hull(f)[v];
        return {vertex.point, vertex.size, vertex.cost};
    }
    // The best ones of the range.
    Range best(std::size_t f, Range among, double multiplier) const
    {
        const auto *hull = functions_.hull(f).data();
        auto v = among.first;
        while (v < among.last && hull[v].slope < multiplier) ++v;
        const auto first = v;
        while (v < among.last && hull[v].slope <= multiplier) ++v;
        return {first, v};
    }

  private:
    const CostFunctions &functions_;
};

// Places are the points within the bound on the time.
class PointPlaces
{
  public:
    explicit PointPlaces(const SumOverFunctions &sum) : sum_(sum) {}

    std::optional<Range> ends(std::size_t f) const
    {
        const auto ends = ends_within(sum_, f);
        if (!ends) return std::nullopt;
        return Range{static_cast<std::uint32_t>(ends->first), static_cast<std::uint32_t>(ends->last)};
    }
    std::int64_t size(std::size_t f, std::uint32_t k) const { return sum_.functions.sizes(f)[k]; }
    BasePoint at(std::size_t f, std::uint32_t k) const
    {
        return {k, sum_.functions.sizes(f)[k], sum_.functions.costs(f)[k]};
    }
    Range best(std::size_t f, Range among, double multiplier) const
    {
        const auto k = static_cast<std::uint32_t>(least_within(sum_, f, {among.first, among.last}, multiplier).point);
        return {k, k};
    }

  private:
    const SumOverFunctions &sum_;
};

// All edges left have the multiplier's slope: whole ones fill the residual as far as they fit.
template <typename Places>
BreakSolution break_solution(const SumOverFunctions &sum, const Places &places, const std::vector<std::uint32_t> &low,
                             const std::vector<std::uint32_t> &high, double multiplier, bool is_only)
{
    BreakSolution out;
    out.multiplier = multiplier;
    out.is_only = is_only;
    out.points.reserve(sum.classes());
    std::int64_t size = 0;
    std::vector<BasePoint> of_low(low.size());
    for (std::size_t f = 0; f < low.size(); ++f) of_low[f] = places.at(f, low[f]);
    for (const auto f : sum.function_of) {
        out.points.push_back(of_low[f]);
        size = saturating_add(size, of_low[f].size);
    }
    out.residual = sum.target - size;
    for (std::size_t i = 0; i < sum.classes(); ++i) {
        const auto f = sum.function_of[i];
        if (low[f] == high[f]) continue;
        const auto end = places.at(f, high[f]);
        const auto edge = end.size - of_low[f].size;
        if (edge <= out.residual) {
            out.residual -= edge;
            out.points[i] = end;
        } else if (!out.break_class) {
            out.break_class = BreakSolution::BreakClass{i, end};
        }
    }
    return out;
}

template <typename Places> class Bracket
{
  public:
    explicit Bracket(const SumOverFunctions &sum)
        : sum_(sum), places_(sum), copies_(sum.functions.functions(), 0), low_(copies_.size()), high_(copies_.size()),
          best_(copies_.size())
    {
        for (const auto f : sum.function_of) ++copies_[f];
    }

    std::optional<BreakSolution> run(std::optional<double> near)
    {
        if (!find(near)) return std::nullopt;
        return break_solution(sum_, places_, low_, high_, multiplier_, is_only_);
    }

    // A place that is best at multipliers on both sides of this one is best at it.
    std::optional<LeastPoints> run_for_points(std::optional<double> near, std::span<const std::uint32_t> known)
    {
        known_ = known;
        if (!find(near)) return std::nullopt;
        auto points = low_;
        for (const auto f : open_)
            if (low_[f] != high_[f]) points[f] = places_.best(f, {low_[f], high_[f]}, multiplier_).first;
        return LeastPoints{multiplier_,     std::move(points), std::move(copies_),
                           std::move(low_), std::move(high_),  is_only_};
    }

  private:
    double open_cost_of(std::size_t f) const
    {
        return static_cast<double>(copies_[f]) * (places_.at(f, high_[f]).cost - places_.at(f, low_[f]).cost);
    }
    std::int64_t open_size() const { return high_size_ - low_size_; }

    // False when the target is out of reach.
    bool find(std::optional<double> near)
    {
        if (!open_all()) return false;
        is_only_ = sum_.target == low_size_ || sum_.target == high_size_;
        if (near && !approach(*near)) return true;
        while (low_size_ != sum_.target) {
            const auto next = chord();
            if (next < low_multiplier_ || next > high_multiplier_) { // by rounding
                multiplier_ = std::clamp(next, low_multiplier_, high_multiplier_);
                return true;
            }
            if (!cut(next)) return true;
        }
        return true;
    }

    // The widest bracket.
    bool open_all()
    {
        for (std::size_t f = 0; f < copies_.size(); ++f) {
            const auto ends = places_.ends(f);
            if (!ends) return false;
            low_[f] = ends->first;
            high_[f] = ends->last;
            low_size_ = saturating_add(low_size_, saturating_mul(copies_[f], places_.size(f, ends->first)));
            high_size_ = saturating_add(high_size_, saturating_mul(copies_[f], places_.size(f, ends->last)));
            if (ends->first == ends->last) continue;
            open_cost_ += open_cost_of(f);
            open_.push_back(static_cast<std::uint32_t>(f));
        }
        return low_size_ <= sum_.target && sum_.target <= high_size_;
    }

    double chord() const { return open_cost_ / static_cast<double>(open_size()); }

    // Narrows the bracket at that multiplier; false when it cannot, or need not any more.
    bool cut(double multiplier)
    {
        multiplier_ = multiplier;
        auto first_size = low_size_; // sizes of the first and of the last places that are best
        auto last_size = low_size_;
        for (const auto f : open_) {
            best_[f] = known_.empty() ? places_.best(f, {low_[f], high_[f]}, multiplier) : Range{known_[f], known_[f]};
            const auto low = places_.size(f, low_[f]);
            const auto rise = [&](std::uint32_t to) { return saturating_mul(copies_[f], places_.size(f, to) - low); };
            first_size = saturating_add(first_size, rise(best_[f].first));
            last_size = saturating_add(last_size, rise(best_[f].last));
        }
        known_ = {};
        is_met_ = first_size <= sum_.target && sum_.target <= last_size;
        missing_ = sum_.target - (last_size < sum_.target ? last_size : first_size);
        if (first_size >= sum_.target) high_multiplier_ = multiplier;
        if (last_size <= sum_.target) low_multiplier_ = multiplier;
        bool moved = false;
        if (first_size > sum_.target || is_met_)
            moved |=
                set_side(high_, high_size_, is_met_ ? &Range::last : &Range::first, is_met_ ? last_size : first_size);
        if (last_size < sum_.target || is_met_)
            moved |=
                set_side(low_, low_size_, is_met_ ? &Range::first : &Range::last, is_met_ ? first_size : last_size);
        if (moved) close_functions();
        return moved && !is_met_;
    }

    bool set_side(std::vector<std::uint32_t> &side, std::int64_t &size, std::uint32_t Range::*best,
                  std::int64_t best_size)
    {
        if (size == best_size) return false;
        size = best_size;
        for (const auto f : open_) side[f] = best_[f].*best;
        return true;
    }

    void close_functions()
    {
        open_cost_ = 0;
        std::size_t kept = 0;
        for (const auto f : open_) {
            if (low_[f] == high_[f]) continue;
            open_cost_ += open_cost_of(f);
            open_[kept++] = f;
        }
        open_.resize(kept);
    }

    // Multipliers at growing distances from that one until the target is between two of them; false when that ends the search.
    bool approach(double near)
    {
        auto step = 0.0;
        for (int trial = 0; trial <= most_near_trials; ++trial) {
            cut(near);
            if (is_met_) return false;
            if (low_multiplier_ > -infinity && high_multiplier_ < infinity) return true;
            const auto part = std::abs(static_cast<double>(missing_)) / static_cast<double>(sum_.target);
            step = step > 0 ? near_step_growth * step : std::clamp(part, near_step, widest_near_step) * std::abs(near);
            near += missing_ > 0 ? step : -step;
        }
        return true;
    }

    const SumOverFunctions &sum_;
    Places places_;
    std::vector<std::int64_t> copies_; // of each function
    std::vector<std::uint32_t> low_;   // places
    std::vector<std::uint32_t> high_;
    std::vector<Range> best_;              // at the multiplier
    std::vector<std::uint32_t> open_;      // functions where low and high differ
    std::span<const std::uint32_t> known_; // best places of the first cut, if known
    std::int64_t low_size_ = 0;
    std::int64_t high_size_ = 0;
    double open_cost_ = 0; // of high_ above low_; from the open functions alone, so that others do not drown it
    double multiplier_ = 0;
    bool is_only_ = false;
    bool is_met_ = false;               // the target is between the first and the last best places
    std::int64_t missing_ = 0;          // of the target there
    double low_multiplier_ = -infinity; // of the last cut on either side
    double high_multiplier_ = infinity;
};

} // namespace

std::optional<BreakSolution> find_break_solution(const SumOverFunctions &sum, std::optional<double> near)
{
    if (sum.times != nullptr) return Bracket<PointPlaces>(sum).run(near);
    return Bracket<HullPlaces>(sum).run(near);
}

std::optional<LeastPoints> find_least_points(const SumOverFunctions &sum, std::optional<double> near,
                                             std::span<const std::uint32_t> known)
{
    return Bracket<PointPlaces>(sum).run_for_points(near, known);
}

BreakSolution break_solution_of(const SumOverFunctions &sum, const LeastPoints &least)
{
    return break_solution(sum, PointPlaces(sum), least.low, least.high, least.multiplier, least.is_only);
}

// For any multiplier, multiplier x target + the sum of the least reduced costs is a bound (core.hpp). When points go, only the functions whose
// best point is among them change.
// Rounding: core.cpp's margin, with one more rounding of each product with a number of copies, and all terms that were ever added.

RelaxedSum::RelaxedSum(const SumOverFunctions &sum, LeastPoints least)
    : sum_(sum), least_(std::move(least)), has_base_(true)
{
    add_all();
}

RelaxedSum::RelaxedSum(const SumOverFunctions &sum, double multiplier) : sum_(sum)
{
    least_.multiplier = multiplier;
    least_.points.resize(sum.functions.functions());
    least_.copies.resize(sum.functions.functions());
    for (const auto f : sum.function_of) ++least_.copies[f];
    find_all(sum.longest);
}

std::unique_ptr<RelaxedSum> RelaxedSum::renewed() const
{
    auto least = find_least_points(sum_, multiplier(), least_.points);
    return least ? std::unique_ptr<RelaxedSum>(new RelaxedSum(sum_, std::move(*least))) : nullptr;
}

void RelaxedSum::add_all()
{
    value_ = magnitude_ = 0;
    terms_ = 0;
    add(multiplier() * static_cast<double>(sum_.target));
    for (std::size_t f = 0; f < least_.points.size(); ++f) add(reduced(f));
}

std::optional<BreakSolution> RelaxedSum::base() const
{
    return has_base_ ? std::optional(break_solution_of(sum_, least_)) : std::nullopt;
}

// All copies together.
double RelaxedSum::reduced(std::size_t f) const
{
    const auto k = least_.points[f];
    const auto size = static_cast<double>(sum_.functions.sizes(f)[k]);
    return static_cast<double>(least_.copies[f]) * (sum_.functions.costs(f)[k] - multiplier() * size);
}

void RelaxedSum::add(double term)
{
    value_ += term;
    magnitude_ += std::abs(term);
    ++terms_;
}

double RelaxedSum::bound() const
{
    if (!(value_ < infinity)) return value_;
    const auto classes = std::max(terms_, sum_.classes());
    return std::max(0.0, value_ - 4 * core_margin(classes, {value_, magnitude_}, 0));
}

// False where the function has no point: the bound is then infinite.
bool RelaxedSum::find_point(std::size_t f)
{
    const auto last = last_within_target(sum_, f);
    if (last < sum_.functions.count(f)) {
        const auto least = least_within(sum_, f, {0, last}, multiplier());
        least_.points[f] = static_cast<std::uint32_t>(least.point);
        if (least.reduced < infinity) return true;
    }
    value_ = infinity;
    return false;
}

void RelaxedSum::shorten(double longest)
{
    sum_.longest = longest;
    has_base_ = false;
    for (std::size_t f = 0; f < least_.points.size(); ++f) {
        if (!sum_.is_absent(f, least_.points[f])) continue;
        add(-reduced(f));
        if (!find_point(f)) return;
        add(reduced(f));
    }
}

void RelaxedSum::find_all(double longest)
{
    sum_.longest = longest;
    has_base_ = false;
    for (std::size_t f = 0; f < least_.points.size(); ++f)
        if (!find_point(f)) return;
    add_all();
}

RelaxedSum RelaxedSum::within(double longest) const
{
    auto other = *this;
    if (longest <= sum_.longest)
        other.shorten(longest);
    else
        other.find_all(longest);
    return other;
}

} // namespace hpart
