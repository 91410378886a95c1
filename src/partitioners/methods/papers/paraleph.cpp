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
// Repaired, each with the printed defect:
// - Algorithm 3, line 4 runs to n / q and line 21 sends column n / q; columns are p / q a process. Algorithm 4, lines 11 and 17: v is off
//   by one against v + h = L.
// - The first row dpt(1, h) = value of 1, and the last of a workload of 1 is given to one processor with all others idle: kept, but a
//   function may begin at a larger size, so that it comes from the recurrence like all others, with dpt(0, 0) = 0.
// - Points lie a constant granularity apart in the paper; here at any sizes, the granularity being their common divisor.
// Two changes of order, not of values: a column is made at once, its cells in blocks shared by the threads, which needs p barriers in
// place of n + p - 3 for the diagonals; and cells that no distribution of n on p processors uses are left out.
// The term for communication of section V.C and the distribution over processes are not here.
//
// Exact: F is monotone in the rest's value, rounded or not, so the best rest is enough. Cells are independent of the threads.
#include "core/checked.hpp"
#include "core/doubles.hpp"
#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/alike_function.hpp"
#include "partitioners/methods/papers/identical.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <system_error>
#include <thread>
#include <tuple>

namespace hpart
{

namespace
{

constexpr std::int64_t block_cells = 64;
constexpr std::int64_t cells_a_thread = 2048; // fewer are not worth a thread

struct AlephCandidate {
    std::int64_t size;
    double value;
};

struct ReachedCell {
    std::int64_t workload;
    double value;
    std::uint32_t candidate; // that is given to the column's processor
};

struct Add {
    static double join(double rest, double value) { return rest + value; }
};
struct LongestOfParts {
    static double join(double rest, double value) { return rest < value ? value : rest; }
};

class ParalephTable
{
  public:
    ParalephTable(const AlikeFunction &function, std::int64_t size, Objective objective, Control &control, Work &work)
        : size_(size), copies_(function.copies), control_(control), work_(work)
    {
        if (function.may_idle) candidates_.push_back({0, 0});
        for (const auto &point : function.points)
            if (point.size <= size)
                candidates_.push_back({point.size, objective == Objective::time ? point.seconds : point.joules});
    }

    // The best distribution, in units; empty when there is none.
    template <typename Rule> std::vector<std::int64_t> solve(std::int64_t threads)
    {
        if (candidates_.empty() || saturating_mul(copies_, candidates_.back().size) < size_) return {};
        if (!reserve()) return solve_in_lists<Rule>();
        threads = std::clamp<std::int64_t>(threads, 1, size_ / cells_a_thread + 1);
        fill<Rule>(threads);
        return trace_back();
    }

  private:
    // Workloads that h processors can have: the others must be able to take the rest.
    std::int64_t lowest(std::int64_t h) const
    {
        return std::max<std::int64_t>(0, size_ - saturating_mul(copies_ - h, candidates_.back().size));
    }
    std::int64_t highest(std::int64_t h) const { return std::min(size_, saturating_mul(h, candidates_.back().size)); }

    // False where the table does not fit the memory.
    bool reserve()
    {
        double cells = 0;
        for (std::int64_t h = 1; h <= copies_; ++h) cells += static_cast<double>(highest(h) - lowest(h) + 1);
        const auto bytes = cells * sizeof(std::uint32_t) + 2 * static_cast<double>(size_ + 1) * sizeof(double);
        if (bytes > static_cast<double>(control_.memory_limit())) return false;
        work_.states += static_cast<std::int64_t>(cells);
        for (std::int64_t h = 1; h <= copies_; ++h) {
            first_.push_back(pointers_.size());
            pointers_.resize(pointers_.size() + static_cast<std::size_t>(highest(h) - lowest(h) + 1));
        }
        before_.assign(static_cast<std::size_t>(size_) + 1, infinity);
        now_ = before_;
        before_[0] = 0;
        return true;
    }

    // The same cells, but those only that a distribution can reach: columns of few workloads however large.
    template <typename Rule> std::vector<std::int64_t> solve_in_lists()
    {
        Pacer pacer(control_, "PARALEPH: filling the table");
        std::vector<std::vector<ReachedCell>> columns{{{0, 0, 0}}};
        auto bytes_left = control_.memory_limit();
        const auto comes_before = [](const ReachedCell &a, const ReachedCell &b) {
            return std::tie(a.workload, a.value, a.candidate) < std::tie(b.workload, b.value, b.candidate);
        };
        for (std::int64_t h = 1; h <= copies_; ++h) {
            std::vector<ReachedCell> column;
            for (std::uint32_t k = 0; k < candidates_.size(); ++k)
                for (const auto &rest : columns.back()) {
                    pacer.spend(1);
                    if (rest.workload > highest(h) - candidates_[k].size) break;
                    const auto workload = rest.workload + candidates_[k].size;
                    if (workload < lowest(h)) continue;
                    column.push_back({workload, Rule::join(rest.value, candidates_[k].value), k});
                    if (bytes_of(column) > bytes_left) fail_memory(control_.memory_limit());
                }
            std::sort(column.begin(), column.end(), paced(pacer, comes_before));
            column.erase(std::unique(column.begin(), column.end(),
                                     [](const auto &a, const auto &b) { return a.workload == b.workload; }),
                         column.end());
            bytes_left -= bytes_of(column);
            work_.states += static_cast<std::int64_t>(column.size());
            columns.push_back(std::move(column));
        }
        std::vector<std::int64_t> x(static_cast<std::size_t>(copies_));
        auto rest = size_;
        for (auto h = copies_; h > 0; --h) {
            const auto &column = columns[static_cast<std::size_t>(h)];
            const auto cell = std::lower_bound(column.begin(), column.end(), ReachedCell{rest, 0, 0}, comes_before);
            if (cell == column.end() || cell->workload != rest) return {};
            x[static_cast<std::size_t>(h - 1)] = candidates_[cell->candidate].size;
            rest -= candidates_[cell->candidate].size;
        }
        return x;
    }

    static std::int64_t bytes_of(const std::vector<ReachedCell> &column)
    {
        return static_cast<std::int64_t>(column.size() * sizeof(ReachedCell));
    }

    // All columns; the calling thread looks at the limits between them.
    template <typename Rule> void fill(std::int64_t threads)
    {
        std::atomic<bool> stop{false};
        std::barrier barrier(static_cast<std::ptrdiff_t>(threads));
        const auto work_on = [&](auto &&between_columns) {
            for (std::int64_t h = 1; h <= copies_ && !stop.load(); ++h) {
                fill_column<Rule>(h);
                barrier.arrive_and_wait();
                between_columns(h);
                barrier.arrive_and_wait();
            }
        };
        std::vector<std::thread> others;
        others.reserve(static_cast<std::size_t>(threads));
        std::exception_ptr stopped;
        for (std::int64_t t = 1; t < threads; ++t) {
            try {
                others.emplace_back([&work_on] { work_on([](std::int64_t) {}); });
            } catch (...) {
                barrier.arrive_and_drop(); // no more threads to be had: the others take its blocks
            }
        }
        work_on([&](std::int64_t h) {
            std::swap(before_, now_);
            next_block_.store(0);
            try {
                check_time(control_);
                control_.report_progress(static_cast<double>(h) / static_cast<double>(copies_),
                                         "PARALEPH: filling the table");
            } catch (...) {
                stopped = std::current_exception();
                stop.store(true);
            }
        });
        for (auto &other : others) other.join();
        if (stopped) std::rethrow_exception(stopped);
    }

    // Blocks of the column, whichever is next.
    template <typename Rule> void fill_column(std::int64_t h)
    {
        const auto high = highest(h);
        for (;;) {
            const auto from = lowest(h) + next_block_.fetch_add(1) * block_cells;
            if (from > high || control_.time_is_up()) return;
            fill_block<Rule>(h, from, std::min(from + block_cells - 1, high));
        }
    }

    // computecell (Algorithm 6) for cells from .. to.
    template <typename Rule> void fill_block(std::int64_t h, std::int64_t from, std::int64_t to)
    {
        const auto reach_low = lowest(h - 1);
        const auto reach_high = highest(h - 1);
        auto *values = now_.data() + from;
        auto *pointers = pointers_.data() + first_[static_cast<std::size_t>(h - 1)] + (from - lowest(h));
        std::fill(values, values + (to - from + 1), infinity);
        for (std::uint32_t k = 0; k < candidates_.size(); ++k) {
            const auto [size, value] = candidates_[k];
            const auto first = std::max(from, reach_low + size);
            const auto last = std::min(to, reach_high + size);
            for (auto v = first; v <= last; ++v) {
                const auto joined = Rule::join(before_[static_cast<std::size_t>(v - size)], value);
                if (joined < values[v - from]) {
                    values[v - from] = joined;
                    pointers[v - from] = k;
                }
            }
        }
    }

    std::vector<std::int64_t> trace_back() const
    {
        if (before_[static_cast<std::size_t>(size_)] == infinity) return {};
        std::vector<std::int64_t> x(static_cast<std::size_t>(copies_));
        auto rest = size_;
        for (auto h = copies_; h > 0; --h) {
            const auto row = static_cast<std::size_t>(h - 1);
            const auto &candidate = candidates_[pointers_[first_[row] + static_cast<std::size_t>(rest - lowest(h))]];
            x[row] = candidate.size;
            rest -= candidate.size;
        }
        return x;
    }

    std::int64_t size_;
    std::int64_t copies_;
    Control &control_;
    Work &work_;
    std::vector<AlephCandidate> candidates_; // by increasing size
    std::vector<std::size_t> first_;         // pointer of the first cell of a column
    std::vector<std::uint32_t> pointers_;
    std::vector<double> before_;
    std::vector<double> now_;
    std::atomic<std::int64_t> next_block_{0};
};

std::int64_t threads_of(const Options &options)
{
    const auto threads = options.find_int("threads").value_or(1);
    return threads > 0 ? threads : std::max<std::int64_t>(1, std::thread::hardware_concurrency());
}

} // namespace

Solution paraleph(const PartitionProblem &problem, Control &control, Work &work)
{
    const auto function = alike_function_of(problem.instance, "paraleph", "exact");
    if (problem.size % function.unit != 0) return {};
    const bool by_time = problem.objective == Objective::time;
    if (problem.ties == Ties::fewest)
        return by_time ? least_time(problem, control, work) : least_energy(problem, control, work);
    Solution out;
    ParalephTable table(function, problem.size / function.unit, problem.objective, control, work);
    const auto threads = threads_of(problem.options);
    out.x = by_time ? table.solve<LongestOfParts>(threads) : table.solve<Add>(threads);
    if (out.x.empty()) return out;
    for (auto &share : out.x) share *= function.unit;
    out.outcome = Outcome::found;
    out.lower_bound = bound_after_double_sums(out.x, problem, control, work);
    return out;
}

} // namespace hpart
