// Problem: one point of each class, sizes summing to n, least left-to-right sum of costs. The fast path of least_sum.
//
// For any multiplier l, with f_i the least of cost - l x size over class i and r the reduced costs, every choice that sums to n costs
// l n + sum f_i + sum r (core.hpp): sum r is to be least, and l n + sum f_i is a lower bound. A first choice has one or two classes
// off the base of the relaxation. Then all choices with sum r <= cap are searched, for a cap that rises to the first choice's sum
// (Cap theorem: one found under a cap is best, since all that are left out are above it). Points of r > cap are in none of them.
// Rounding: everything is dropped by bounds with core_margin to spare. A choice found is the answer when no other comes within the
// margin of it; else the search is repeated within the margin in the order of the classes, on left-to-right sums. So the cost is the
// least left-to-right sum, and the choice among equals is that of core_program.cpp: it depends on the instance alone, not on the
// multiplier, the caps or the order of the search.
// Time: rounds over the hulls, one pass over the blocks of points that may matter, and the dynamic program over the core.
// Source: design of hpart; core and cap after Pisinger's multiple-choice knapsack.
#include "partitioners/sums/core_sum.hpp"

#include "core/error.hpp"
#include "partitioners/sums/core.hpp"
#include "partitioners/sums/core_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t largest_target = std::int64_t{1} << 60U;
constexpr std::size_t tiny_core = 64;          // points beside the base: not worth two searches
constexpr std::array cap_fractions{0.25, 0.5}; // of the first choice's sum, before the whole
constexpr double worthwhile = 3;               // times less work that a lower cap must promise
constexpr double first_guess = 0.002;          // of the largest reduced cost, where there is no first choice
constexpr double guess_growth = 4;
constexpr int most_guesses = 6;

class CoreSum
{
  public:
    CoreSum(const SumOverFunctions &sum, const SumQuery &query, Control &control, Work &work)
        : sum_(sum), query_(query), control_(control), work_(work)
    {
    }

    std::optional<LeastSum> run()
    {
        if (sum_.target > largest_target) return std::nullopt;
        auto base = find_base_choice(sum_, query_.near_multiplier);
        if (!base) return LeastSum{};
        base_ = std::move(*base);
        result_.multiplier = base_.multiplier;
        if (base_.is_only) return found(base_.points, 0);
        try {
            return solve();
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            if (first_.points.empty()) return std::nullopt;
            return stopped();
        }
    }

  private:
    std::optional<LeastSum> solve()
    {
        relax();
        first_ = complete_by_one(sum_, base_);
        // No choice of a cost within the query's cap has a larger sum of reduced costs.
        allowed_ = (query_.cap - bound_) + 2 * margin(std::max(0.0, query_.cap - bound_));
        if (allowed_ < 0) return LeastSum{};
        if (std::min(first_.reduced, allowed_) < infinity) return search_up_to(std::min(first_.reduced, allowed_));
        return search_without_first();
    }

    void relax()
    {
        bound_ = base_.multiplier * static_cast<double>(sum_.target);
        for (const auto point : base_.points) {
            const auto least =
                sum_.functions.costs()[point] - base_.multiplier * static_cast<double>(sum_.functions.sizes()[point]);
            bound_ += least;
            largest_least_ = std::max(largest_least_, std::abs(least));
        }
    }

    double margin(double cap) const { return core_margin(sum_, base_, cap); }

    // All points with the margin to spare. The base moves to the least reduced costs of all points, and what is measured from it, the
    // cap too, follows.
    std::optional<Core> collect(double &cap)
    {
        for (;;) {
            const auto spare = margin(cap);
            auto core = collect_core(sum_, base_, cap + 6 * spare);
            const auto fall = move_base(sum_, base_, core);
            if (!fall) return std::nullopt;
            bound_ -= *fall;
            first_.reduced += *fall;
            allowed_ += *fall;
            cap += *fall;
            if (*fall <= spare) return core;
        }
    }

    std::optional<LeastSum> search_up_to(double cap)
    {
        const auto collected = collect(cap);
        if (!collected) return std::nullopt;
        const auto &core = *collected;
        const auto extra = core.points.size() - core.classes();
        if (extra > tiny_core) {
            auto better = complete_by_two(base_, core);
            if (better.reduced < first_.reduced) first_ = std::move(better);
            cap = std::min(cap, first_.reduced);
        }
        if (cap <= margin(cap)) return finish(core, cap);
        if (extra > tiny_core)
            for (const auto lower : lower_caps(core, cap)) {
                const auto answer = search(core, lower);
                if (answer && answer->value <= lower) return accept(core, *answer);
                proved_ = lower;
            }
        const CoreProgram program({sum_, base_, core}, cap + 4 * margin(cap), 3 * margin(cap), CoreOrder::best);
        if (!can_run(program)) return std::nullopt;
        const auto answer = search(core, cap);
        if (answer) return accept(core, *answer);
        return LeastSum{};
    }

    // Those below `cap` that are worth a try, rising.
    std::vector<double> lower_caps(const Core &core, double cap) const
    {
        std::vector<double> caps;
        auto least_work = planned_work(core, cap);
        for (auto fraction = cap_fractions.rbegin(); fraction != cap_fractions.rend(); ++fraction) {
            const auto needed = planned_work(core, *fraction * cap);
            if (needed * worthwhile > least_work) continue;
            caps.push_back(*fraction * cap);
            least_work = needed;
        }
        std::reverse(caps.begin(), caps.end());
        return caps;
    }

    double planned_work(const Core &core, double cap) const
    {
        const CoreProgram program({sum_, base_, core}, cap + 4 * margin(cap), 0, CoreOrder::best);
        return program.is_possible() ? program.work() : 0;
    }

    bool can_run(const CoreProgram &program) const
    {
        return !program.is_sparse() && program.least_bytes() <= static_cast<double>(control_.memory_limit());
    }

    std::optional<CoreAnswer> search(const Core &core, double cap)
    {
        const CoreProblem problem{sum_, base_, core};
        CoreProgram program(problem, cap + 4 * margin(cap), 3 * margin(cap), CoreOrder::best);
        return program.run(control_, work_);
    }

    std::optional<LeastSum> accept(const Core &core, const CoreAnswer &answer)
    {
        if (answer.is_only) return found(answer.points, answer.value);
        first_ = {answer.value, answer.points};
        return finish(core, answer.value);
    }

    // The least left-to-right sum among the choices near `cap`, which is the least sum of reduced costs up to rounding.
    std::optional<LeastSum> finish(const Core &core, double cap)
    {
        const CoreProblem problem{sum_, base_, core};
        CoreProgram program(problem, cap + 3 * margin(cap), 3 * margin(cap), CoreOrder::of_classes);
        if (!program.is_possible()) return LeastSum{};
        if (!can_run(program)) return std::nullopt;
        const auto answer = program.run(control_, work_);
        if (!answer) return LeastSum{};
        return found(answer->points, cap);
    }

    std::optional<LeastSum> search_without_first()
    {
        auto cap = query_.expected_gap > 0 ? query_.expected_gap : first_guess * largest_least_;
        for (int guess = 0; guess < most_guesses && cap > 0; ++guess) {
            const auto collected = collect(cap);
            if (!collected) return std::nullopt;
            const auto &core = *collected;
            first_ = complete_by_two(base_, core);
            if (first_.reduced <= cap) return search_up_to(first_.reduced);
            const CoreProblem problem{sum_, base_, core};
            CoreProgram program(problem, cap + 4 * margin(cap), 3 * margin(cap), CoreOrder::best);
            if (program.is_possible()) {
                if (!can_run(program)) return std::nullopt;
                const auto answer = program.run(control_, work_);
                if (answer && answer->value <= cap) return accept(core, *answer);
            }
            proved_ = cap;
            cap *= guess_growth;
        }
        return search_everything();
    }

    std::optional<LeastSum> search_everything()
    {
        auto core = collect_core(sum_, base_, std::numeric_limits<double>::max());
        if (!move_base(sum_, base_, core)) return std::nullopt;
        double cap = 0;
        for (std::size_t i = 0; i < core.classes(); ++i) {
            double most = 0;
            for (const auto &point : core.of(i)) most = std::max(most, point.reduced);
            cap += most;
        }
        core.cap = cap + 4 * margin(cap);
        const CoreProblem problem{sum_, base_, core};
        CoreProgram program(problem, core.cap, 3 * margin(cap), CoreOrder::best);
        if (!program.is_possible()) return LeastSum{};
        if (!can_run(program)) return std::nullopt;
        const auto answer = program.run(control_, work_);
        if (!answer) return LeastSum{};
        return accept(core, *answer);
    }

    void take(const std::vector<std::size_t> &points, double reduced)
    {
        result_.sizes.resize(points.size());
        result_.cost = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            result_.sizes[i] = sum_.functions.sizes()[points[i]];
            result_.cost += sum_.functions.costs()[points[i]];
        }
        result_.gap = reduced;
    }

    LeastSum found(const std::vector<std::size_t> &points, double reduced)
    {
        take(points, reduced);
        result_.outcome = result_.cost <= query_.cap ? Outcome::found : Outcome::none;
        result_.lower_bound = result_.cost;
        return std::move(result_);
    }

    LeastSum stopped()
    {
        take(first_.points, first_.reduced);
        result_.outcome = Outcome::limit;
        result_.lower_bound = std::clamp(bound_ - margin(0) + proved_, 0.0, result_.cost);
        return std::move(result_);
    }

    const SumOverFunctions &sum_;
    const SumQuery &query_;
    Control &control_;
    Work &work_;
    BaseChoice base_;
    double bound_ = 0;         // of all choices' costs, up to the margin
    double largest_least_ = 0; // of |f_i|
    double allowed_ = infinity;
    Completion first_;
    double proved_ = 0; // no choice has a smaller sum of reduced costs
    LeastSum result_;
};

} // namespace

std::optional<LeastSum> least_sum_by_core(const SumOverFunctions &sum, const SumQuery &query, Control &control,
                                          Work &work)
{
    return CoreSum(sum, query, control, work).run();
}

} // namespace hpart
