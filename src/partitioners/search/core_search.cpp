// Problem: one point of each class, sizes summing to n, least sum of costs. The fast path of least_sum.
//
// For any multiplier l, with f_i the least of cost - l x size over class i and r the reduced costs, every choice that sums to n costs
// l n + sum f_i + sum r (core.hpp): sum r is to be least, and l n + sum f_i is a lower bound. A first choice has one or two classes
// off the base of the relaxation. Then all choices with sum r <= cap are searched, for a cap that rises to the first choice's sum
// (Cap theorem: one found under a cap is best, since all that are left out are above it). Points of r > cap are in none of them.
// Rounding: everything is dropped by bounds with core_margin to spare. A choice found is the answer when no other comes within the
// margin of it; else core.cpp decides among these by their exact sums. So the choice depends on the instance alone, not on the
// multiplier, the caps or the order of the search.
// Time: rounds over the hulls, one pass over the blocks of points that may matter, and the dynamic program over the core.
// Source: design of hpart; core and cap after Pisinger's multiple-choice knapsack.
#include "partitioners/search/least_sum.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/core.hpp"
#include "partitioners/search/core_program.hpp"
#include "partitioners/search/relaxation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

constexpr std::int64_t largest_target = std::int64_t{1} << 60U;
constexpr std::size_t tiny_core = 64;          // points beside the base: not worth two searches
constexpr std::array cap_fractions{0.25, 0.5}; // of the first choice's sum, before the whole
constexpr double worthwhile = 3;               // times less work that a lower cap must promise
constexpr double first_fraction =
    0.25;                             // of the first choice's sum: where two classes off the base most often do better
constexpr double first_guess = 0.002; // of the largest reduced cost, where there is no first choice
constexpr double guess_growth = 4;
constexpr int most_guesses = 6;
constexpr double about_equal = 1.25;
constexpr double share_of_ties = 1.0 / 32; // of a search's pairs: as long, as these are taken one by one
constexpr double few_pairs = 1 << 14;

class CoreSearch
{
  public:
    CoreSearch(const SumOverFunctions &sum, const SumQuery &query, Control &control)
        : sum_(sum), query_(query), control_(control)
    {
    }

    std::optional<LeastSum> run()
    {
        if (sum_.target > largest_target) return std::nullopt;
        auto base = query_.base ? query_.base : find_break_solution(sum_, query_.near_multiplier);
        if (!base) return LeastSum{};
        base_ = std::move(*base);
        result_.multiplier = base_.multiplier;
        if (base_.is_only) return found_only(base_.points, 0);
        auto solved = within_limits([&] { return solve(); });
        return solved ? std::move(*solved) : stopped();
    }

  private:
    // Measures everything from the base as it is.
    void begin()
    {
        bound_ = reduced_bound_of(sum_, base_);
        first_ = query_.expected_gap > 0 ? Repair{} : repair_by_one(sum_, base_);
        // No choice of a cost within the query's cap has a larger sum of reduced costs.
        const auto allowed = query_.cap - bound_.value;
        allowed_ = allowed < infinity ? allowed + 2 * margin(std::max(0.0, allowed)) : infinity;
    }

    double margin(double cap) const { return core_margin(sum_.classes(), bound_, cap); }
    double most() const { return std::min(first_.reduced, allowed_); }

    std::optional<LeastSum> solve()
    {
        begin();
        // The bound holds for a base that is least in its classes: collect() makes it so.
        if (allowed_ < 0 && !collect(0)) return std::nullopt;
        if (allowed_ < 0) return LeastSum{};
        if (query_.expected_gap > 0) {
            if (!collect(query_.expected_gap)) return std::nullopt;
            if (const auto answer = search(query_.expected_gap)) return accept(*answer);
            if (declined_) return std::nullopt;
            proved_ = query_.expected_gap;
            if (allowed_ <= proved_) return LeastSum{};
            first_ = repair_by_one(sum_, base_);
        }
        auto cap = std::min(first_cap(), allowed_);
        for (int guess = 0; guess < most_guesses && cap > 0; ++guess) {
            if (!collect(cap)) return std::nullopt;
            improve_first();
            if (most() <= cap) return search_whole();
            const bool is_last_guess = first_.reduced < infinity;
            if (!is_last_guess) {
                if (const auto answer = search(cap)) return accept(*answer);
                if (declined_) return std::nullopt;
                proved_ = cap;
            }
            cap = is_last_guess ? most() : std::min(cap * guess_growth, most());
        }
        while (most() < infinity) {
            const auto whole = most();
            if (!collect(whole)) return std::nullopt;
            // If the base moved, the first choice is another and may need points that were left out.
            if (most() <= whole) return search_whole();
        }
        return search_everything();
    }

    // A guess that finds most points and costs little.
    double first_cap() const
    {
        if (first_.reduced < infinity) return std::max(first_fraction * first_.reduced, 2 * proved_);
        return std::max(first_guess * bound_.largest, guess_growth * proved_);
    }

    // All points up to the cap, with the margin to spare. False when sums get too large. A base that was not least in its classes moves
    // there, and all is measured again.
    bool collect(double cap)
    {
        double base_deficit = 0;
        core_ = collect_core(sum_, base_, cap + 6 * margin(cap), false, base_deficit);
        if (base_deficit > margin(cap)) {
            collect_core(sum_, base_, cap + 6 * margin(cap), true, base_deficit);
            if (base_deficit == infinity) return false;
            begin();
            core_ = collect_core(sum_, base_, cap + 6 * margin(cap), false, base_deficit);
        }
        return true;
    }

    void improve_first()
    {
        if (core_.choices <= tiny_core && first_.reduced < infinity) return;
        const auto better = repair_by_two(base_, core_);
        if (better.reduced < first_.reduced) first_ = better;
    }

    // The core has all that can matter.
    std::optional<LeastSum> search_whole()
    {
        const auto cap = most();
        core_ = part_of(core_, cap + 5 * margin(cap));
        if (cap <= margin(cap)) return finish(cap);
        auto whole = plan(cap);
        if (core_.choices > tiny_core)
            for (const auto fraction : cap_fractions) {
                auto part = plan(fraction * cap);
                if (part.program.work() * worthwhile > whole.program.work()) continue;
                auto answer = run(part);
                if (answer && answer->value <= fraction * cap) return accept(*answer);
                if (declined_) return std::nullopt;
                proved_ = fraction * cap;
            }
        auto answer = run(whole);
        if (answer) return accept(*answer);
        if (declined_) return std::nullopt;
        return LeastSum{};
    }

    struct Plan {
        CoreProgram program;
        bool decides = false; // over whole numbers, in the order of classes
    };

    CoreProgram program_of(const Core &core, double cap, CoreOrder order) const
    {
        return {{sum_, base_}, core, cap + 5 * margin(cap), 4 * margin(cap), order};
    }

    std::optional<CoreProgram> deciding_program(double cap) const
    {
        const auto most = cap + 5 * margin(cap);
        const auto whole = whole_core(base_, part_of(core_, most), most);
        if (!whole) return std::nullopt;
        return CoreProgram({sum_, base_}, whole->core, whole->cap, 4 * margin(cap) * whole->per_cost,
                           CoreOrder::of_classes);
    }

    // A long search decides among equals at once where that is about as much work. Not among copies: of these the best order knows that
    // a choice is the only one but for exchanges.
    Plan plan(double cap) const
    {
        auto program = program_of(core_, cap, CoreOrder::best);
        if (program.work() > query_.long_search && core_.lists() == core_.owners.size())
            if (auto deciding = deciding_program(cap);
                deciding && deciding->is_possible() && deciding->work() <= about_equal * program.work())
                return {std::move(*deciding), true};
        return {std::move(program), false};
    }

    bool can_run(const CoreProgram &program)
    {
        declined_ = program.is_possible() &&
                    (program.is_sparse() || program.least_bytes() > static_cast<double>(control_.memory_limit()));
        return program.is_possible() && !declined_;
    }

    std::optional<CoreAnswer> run(Plan &plan)
    {
        auto &program = plan.program;
        if (!can_run(program)) return std::nullopt;
        auto answer = program.run(control_);
        if (!answer) return std::nullopt;
        if (plan.decides) {
            answer->is_best = true;
            answer->value = reduced_cost_of(answer->points);
        } else if (!answer->is_best) {
            // With many equals finish() takes less time.
            const bool may_give_up = deciding_program(answer->value).has_value();
            const auto most_pairs = may_give_up ? program.work() * share_of_ties + few_pairs : infinity;
            program.decide(*answer, most_pairs, control_);
        }
        return answer;
    }

    double reduced_cost_of(const std::vector<BasePoint> &points) const
    {
        ExactSum cost;
        for (const auto &point : points) cost.add(point.cost);
        return std::max(0.0, cost.rounded() - bound_.value);
    }

    // One within the cap.
    std::optional<CoreAnswer> search(double cap)
    {
        auto program = plan(cap);
        auto answer = run(program);
        if (answer && answer->value > cap) return std::nullopt;
        return answer;
    }

    // That is the least sum of reduced costs.
    std::optional<LeastSum> accept(const CoreAnswer &answer)
    {
        if (answer.is_only && answer.is_best) return found_only(answer.points, answer.value);
        if (answer.is_best) return found(answer.points, answer.value);
        return finish(answer.value);
    }

    // The least exact sum among the choices near `cap`, which is the least sum of reduced costs up to rounding.
    std::optional<LeastSum> finish(double cap)
    {
        if (const auto points = level_choice(sum_, base_, core_)) return found(*points, cap);
        if (auto deciding = deciding_program(cap); deciding && can_run(*deciding))
            if (const auto answer = deciding->run(control_)) return found(answer->points, cap);
        auto program = program_of(core_, cap, CoreOrder::of_classes);
        auto answer = can_run(program) ? program.run(control_) : std::nullopt;
        if (declined_) return std::nullopt;
        if (!answer) return LeastSum{};
        if (!answer->is_best) program.decide(*answer, infinity, control_);
        return found(answer->points, cap);
    }

    std::optional<LeastSum> search_everything()
    {
        double base_deficit = 0;
        core_ = collect_core(sum_, base_, std::numeric_limits<double>::max(), true, base_deficit);
        if (base_deficit == infinity) return std::nullopt;
        bound_ = reduced_bound_of(sum_, base_);
        double cap = 0;
        std::vector<double> dearest(core_.lists());
        for (std::size_t l = 0; l < dearest.size(); ++l)
            for (const auto &point : core_.list(l)) dearest[l] = std::max(dearest[l], point.reduced);
        for (const auto l : core_.list_of) cap += dearest[l];
        auto program = plan(cap);
        if (const auto answer = run(program)) return accept(*answer);
        if (declined_) return std::nullopt;
        return LeastSum{};
    }

    void take(const std::vector<BasePoint> &points, double reduced)
    {
        result_.sizes.resize(points.size());
        result_.points.resize(points.size());
        ExactSum cost;
        for (std::size_t i = 0; i < points.size(); ++i) {
            result_.sizes[i] = points[i].size;
            result_.points[i] = points[i].point;
            cost.add(points[i].cost);
        }
        result_.cost = cost.rounded();
        result_.gap = reduced;
    }

    LeastSum found(const std::vector<BasePoint> &points, double reduced)
    {
        take(points, reduced);
        result_.outcome = result_.cost <= query_.cap ? Outcome::found : Outcome::none;
        result_.lower_bound = result_.cost;
        return std::move(result_);
    }

    // The margin is wider than the rounding of a sum.
    LeastSum found_only(const std::vector<BasePoint> &points, double reduced)
    {
        result_.is_only = true;
        return found(points, reduced);
    }

    // The first choice, if there is one.
    LeastSum stopped()
    {
        result_.outcome = Outcome::limit;
        result_.lower_bound = std::max(0.0, bound_.value - 2 * margin(proved_) + proved_);
        if (first_.reduced == infinity) return std::move(result_);
        auto points = base_.points;
        for (std::size_t c = 0; c < first_.count; ++c) {
            const auto [owner, point] = first_.changes[c];
            const auto f = sum_.function_of[owner];
            points[owner] = {point, sum_.functions.sizes(f)[point], sum_.functions.costs(f)[point]};
        }
        take(points, first_.reduced);
        result_.lower_bound = std::min(result_.lower_bound, result_.cost);
        return std::move(result_);
    }

    const SumOverFunctions &sum_;
    const SumQuery &query_;
    Control &control_;
    BreakSolution base_;
    ReducedBound bound_;
    double allowed_ = infinity; // reduced costs of choices within the query's cap sum to at most this
    Repair first_;
    Core core_;
    bool declined_ = false; // dense layers do not serve
    double proved_ = 0;     // no choice has a smaller sum of reduced costs
    LeastSum result_;
};

} // namespace

std::optional<LeastSum> least_sum_by_core(const SumOverFunctions &sum, const SumQuery &query, Control &control)
{
    return CoreSearch(sum, query, control).run();
}

double least_sum_bound(const SumOverFunctions &sum, std::optional<double> &multiplier)
{
    auto base = find_break_solution(sum, multiplier);
    if (!base) return infinity;
    if (!base->is_only) multiplier = base->multiplier;
    const auto bound = reduced_bound_of(sum, *base);
    double base_deficit = 0; // of the least below the base points, from the points themselves
    collect_core(sum, *base, 0, false, base_deficit);
    return std::max(0.0, bound.value - base_deficit - 2 * core_margin(sum.classes(), bound, base_deficit));
}

} // namespace hpart
