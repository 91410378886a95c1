// PARALEPH: POPT and EOPT, x with sum x_i = n that minimises max t(x_i) or sum e(x_i) over p identical processors, by a dynamic
// program with threads. Exact; energies as added from processor 0 on.
//
// Source: Reddy and Lastovetsky, "Parallel data partitioning algorithms for optimization of data-parallel applications on modern
// extreme-scale multicore platforms for performance and energy" (IEEE Access 6, 2018), section V, Algorithms 3-10.
// dpt(v, h) is the best value of a workload v, in units of the granularity, on h processors:
//     dpt(v, h) = min( dpt(v, h - 1), min over the points I <= v of F(dpt(v - I, h - 1), value of I) ),  F = max or +,
// with a pointer to the point of h in every cell, from which the distribution is traced back. O(m n p) operations, O(m^2 p^2) with
// n <= m p, on any number of threads: O(m^2 p) on p of them. Memory: two columns, and a pointer of 4 bytes a cell; where that does not
// fit, lists of the cells that a distribution reaches, on one thread.
//
// Repairs of the printed defects: docs/background/papers.md. Points lie at any sizes, the granularity being their common divisor.
// Two changes of order, not of values: a column is made at once, its cells in blocks shared by the threads, which needs p barriers in
// place of n + p - 3 for the diagonals; and cells that no distribution of n on p processors uses are left out.
// SUMMA's cost C(n, h) of h active processors is added in the row n alone: column h then has exactly h active processors. A cell that
// keeps the less of two totals, as printed in section V.C, is no part of the optimum of a larger workload.
// hpart_mpi_partition distributes the columns over ranks: paraleph.hpp.
//
// Exact: F is monotone in the rest's value, rounded or not, so the best rest is enough. Cells are independent of threads and ranks.

#include "partitioners/methods/papers/paraleph.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/copies_search.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <tuple>

namespace hpart
{

namespace
{

constexpr const char *activity = "PARALEPH: filling the table";
constexpr std::int64_t cells_a_thread = 2048; // fewer are not worth a thread

struct ReachedCell {
    std::int64_t workload;
    double value;
    std::uint32_t candidate; // that is given to the column's processor
};

// One process has all columns.
struct NoNeighbours {
    Control &control;

    static bool receive(const double * /*cells*/, std::int64_t /*count*/) { return false; }
    static void send(const double * /*cells*/, std::int64_t /*count*/, bool /*stop*/) {}
    bool looks(double fraction)
    {
        check_time(control);
        control.report_progress(fraction, activity);
        return false;
    }
    bool time_is_up() const { return control.time_is_up(); }
};

std::vector<std::int64_t> solve_alone(const ParalephTask &task, Control &control)
{
    ParalephColumns columns(task, 1, task.copies, task.size + 1);
    NoNeighbours alone{control};
    columns.fill(alone);
    if (columns.best().value == infinity) return {};
    std::vector<std::int64_t> x;
    columns.trace_back(columns.best().column, task.size, x);
    std::reverse(x.begin(), x.end());
    return x;
}

std::vector<std::int64_t> solve_over(ParalephRanks &ranks, const ParalephTask &task, Control &control)
{
    std::exception_ptr stopped;
    const auto looks = [&](double fraction) {
        try {
            return NoNeighbours{control}.looks(fraction);
        } catch (...) {
            stopped = std::current_exception();
            return true;
        }
    };
    std::vector<std::int64_t> x;
    const bool is_complete = ranks.solve(task, control.seconds_left(), looks, x);
    if (stopped) std::rethrow_exception(stopped);
    if (!is_complete) fail(Status::limit, "the ranks have stopped");
    return x;
}

// The cells that a distribution can reach: columns of few workloads however large.
class ReachedColumns
{
  public:
    ReachedColumns(const ParalephTask &task, Control &control) : task_(task), control_(control) {}

    template <typename Rule> std::vector<std::int64_t> solve()
    {
        Pacer pacer(control_, activity);
        auto bytes_left = control_.memory_limit();
        for (std::int64_t h = 1; h <= task_.copies; ++h) {
            auto column = next<Rule>(h, bytes_left, pacer);
            bytes_left -= bytes_of(column);
            control_.counters.states += static_cast<std::int64_t>(column.size());
            columns_.push_back(std::move(column));
            take_total(h);
        }
        std::vector<std::int64_t> x(static_cast<std::size_t>(best_.column));
        auto rest = task_.size;
        for (auto h = best_.column; h > 0; --h) {
            auto &share = x[static_cast<std::size_t>(h - 1)];
            share = task_.candidates[find(h, rest)->candidate].size;
            rest -= share;
        }
        return x;
    }

  private:
    using Column = std::vector<ReachedCell>;

    template <typename Rule> Column next(std::int64_t h, std::int64_t bytes_left, Pacer &pacer)
    {
        Column column;
        for (std::uint32_t k = 0; k < task_.candidates.size(); ++k)
            for (const auto &rest : columns_.back()) {
                pacer.spend(1);
                if (rest.workload > task_.highest(h) - task_.candidates[k].size) break;
                const auto workload = rest.workload + task_.candidates[k].size;
                if (workload < task_.lowest(h)) continue;
                column.push_back({workload, Rule::join(rest.value, task_.candidates[k].value), k});
                if (bytes_of(column) > bytes_left) fail_memory(control_.memory_limit());
            }
        std::sort(column.begin(), column.end(), paced(pacer, comes_before));
        column.erase(std::unique(column.begin(), column.end(),
                                 [](const auto &a, const auto &b) { return a.workload == b.workload; }),
                     column.end());
        return column;
    }

    static bool comes_before(const ReachedCell &a, const ReachedCell &b)
    {
        return std::tie(a.workload, a.value, a.candidate) < std::tie(b.workload, b.value, b.candidate);
    }
    static std::int64_t bytes_of(const Column &column)
    {
        return static_cast<std::int64_t>(column.size() * sizeof(ReachedCell));
    }

    // Null: the column does not reach the workload.
    const ReachedCell *find(std::int64_t h, std::int64_t workload) const
    {
        const auto &column = columns_[static_cast<std::size_t>(h)];
        const auto cell = std::lower_bound(column.begin(), column.end(), ReachedCell{workload, 0, 0}, comes_before);
        return cell == column.end() || cell->workload != workload ? nullptr : &*cell;
    }

    void take_total(std::int64_t h)
    {
        const auto *cell = find(h, task_.size);
        if (cell == nullptr) return;
        if (const auto value = task_.total(h, cell->value); value < best_.value) best_ = {value, h};
    }

    const ParalephTask &task_;
    Control &control_;
    std::vector<Column> columns_{{{0, 0, 0}}};
    ParalephBest best_;
};

std::int64_t threads_of(const Options &options)
{
    const auto threads = options.find_int("threads").value_or(1);
    return threads > 0 ? threads : std::max<std::int64_t>(1, std::thread::hardware_concurrency());
}

ParalephTask task_of(const PartitionProblem &problem, const AlikeFunction &function)
{
    ParalephTask task;
    task.size = problem.size / function.unit;
    task.copies = function.copies;
    task.threads = std::clamp<std::int64_t>(threads_of(problem.options), 1, task.size / cells_a_thread + 1);
    task.adds = problem.objective != Objective::time;
    const bool has_summa = problem.communication != nullptr && problem.communication->pattern() == Pattern::summa;
    if (has_summa && !task.adds)
        for (std::int64_t h = 0; h <= task.copies; ++h)
            task.collective.push_back(problem.communication->collective(static_cast<std::size_t>(h)));
    if (function.may_idle && task.collective.empty()) task.candidates.push_back({0, 0});
    for (const auto &point : function.points)
        if (point.size <= task.size) task.candidates.push_back({point.size, task.adds ? point.joules : point.seconds});
    return task;
}

// The best distribution over the active processors, in units; empty when there is none.
std::vector<std::int64_t> solve(const ParalephTask &task, const Options &options, Control &control)
{
    if (task.candidates.empty() || saturating_mul(task.copies, task.candidates.back().size) < task.size) return {};
    const auto fits = [&](double bytes) { return bytes <= static_cast<double>(control.memory_limit()); };
    auto *ranks = options.paraleph_ranks();
    if (!fits(ranks != nullptr ? ranks->bytes(task) : ParalephColumns::bytes(task, 1, task.copies, task.size + 1))) {
        ReachedColumns columns(task, control);
        return task.adds ? columns.solve<AddParts>() : columns.solve<LongestOfParts>();
    }
    control.counters.states += static_cast<std::int64_t>(ParalephColumns::cells(task, 1, task.copies));
    return ranks != nullptr ? solve_over(*ranks, task, control) : solve_alone(task, control);
}

} // namespace

Solution paraleph(const PartitionProblem &problem, Control &control)
{
    const auto function = alike_function_of(problem.instance, "paraleph", "exact");
    if (problem.size % function.unit != 0) return {};
    const bool by_time = problem.objective == Objective::time;
    if (problem.ties == Ties::fewest) return by_time ? least_time(problem, control) : least_energy(problem, control);
    Solution out;
    const auto task = task_of(problem, function);
    out.x = solve(task, problem.options, control);
    if (out.x.empty()) return out;
    for (auto &share : out.x) share *= function.unit;
    out.x.resize(problem.instance.processors(), 0);
    out.outcome = Outcome::found;
    out.lower_bound = task.collective.empty() ? bound_for_double_energies(out.x, problem, control)
                                              : value_of(problem, cost_in(problem, out.x));
    return out;
}

} // namespace hpart
