// WDAH. Problem: packages of any of a processor's sizes, any number of each, one after another; all sizes sum to n; the largest sum
// of times over the processors is to be small. A heuristic, with and without a backtrack limit: see below. Time O(packages of a
// schedule x p) for the first schedule, the same a backtrack at most; without a limit exponential. Memory O(packages of a schedule +
// smallest size). Source: Alasmar, "WDAH" (thesis, 2022), Algorithms 1 to 4 and listing A.4.
//
// As printed: a tree search. Each node is a rest of the workload. The processor with the highest priority goes on: its share of n
// by the highest speeds, less its work so far. It tries its packages that fit by falling speed x / t, here the larger of two
// equally fast; a branch whose makespan does not fall below the best one found is cut; every return from a branch is a backtrack,
// and there are backtrack_limit of them (100 in the thesis's experiments and here; 0: no limit). WDAH-Heuristic is the limit 1.
//
// Not exact even without a limit: which processor gets the next package is never a choice. The bound given is the bound of the
// rates.
//
// Repairs of the printed defects: docs/background/papers.md. A package is taken only when the rest after it is still a sum of packages,
// and the processor is the one of highest priority that has such a package: every descent ends in a schedule when there is one.
// Priorities and times are restored as they were; adding back what was subtracted can round differently.
#include "partitioners/methods/papers/papers.hpp"

#include "core/numbers.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/problem/problem.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{
constexpr auto never = std::numeric_limits<std::int64_t>::max();

// Problem: is v a sum of package sizes, each used any number of times? With a the smallest size, v is one exactly when v is not below
// the least sum with the remainder v mod a: packages of size a do the rest. The least sums of all remainders are found size by
// size, walking each cycle of remainders from its least entry once round.
// Time O(sizes x a / unit), memory O(a / unit), whatever the totals. Source: Böcker and Lipták, "A fast and simple algorithm for the
// money changing problem" (2007), round robin.
class ReachableTotals
{
  public:
    // Sizes positive, in any order. Totals up to `limit` will be asked for. Throws Status::limit above the memory given.
    ReachableTotals(std::vector<std::int64_t> sizes, std::int64_t limit, std::int64_t memory_bytes, Pacer &pacer)
    {
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        if (sizes.empty()) return;
        unit_ = common_divisor(0, sizes, 0);
        const auto remainders = sizes.front() / unit_;
        if (remainders > memory_bytes / static_cast<std::int64_t>(sizeof(std::int64_t))) fail_memory(memory_bytes);
        least_.assign(static_cast<std::size_t>(remainders), never);
        least_.front() = 0;
        for (const auto size : sizes) allow(size / unit_, limit / unit_, pacer);
    }

    bool contains(std::int64_t total) const
    {
        if (total <= 0) return total == 0;
        return !least_.empty() && total % unit_ == 0 &&
               least_[static_cast<std::size_t>(total / unit_) % least_.size()] <= total / unit_;
    }

  private:
    void allow(std::int64_t size, std::int64_t limit, Pacer &pacer)
    {
        const auto count = least_.size();
        const auto step = static_cast<std::size_t>(size) % count;
        const auto cycles = std::gcd(count, step); // of count / cycles remainders each
        for (std::size_t start = 0; start < cycles; ++start) {
            auto at = start;
            pacer.spend(1);
            for (auto r = start; r < count; r += cycles)
                if (least_[r] < least_[at]) at = r;
            auto total = least_[at];
            if (total == never) continue;
            for (std::size_t k = 1; k < count / cycles; ++k) {
                at = at + step < count ? at + step : at + step - count;
                total = std::min(saturating_add(total, size), least_[at]);
                least_[at] = total > limit ? never : total;
                pacer.spend(1);
            }
        }
    }

    std::int64_t unit_ = 1;           // the greatest common divisor of the sizes
    std::vector<std::int64_t> least_; // by the remainder modulo the smallest size, the least total, in units
};

struct Package {
    std::int64_t size;
    double seconds;
    double speed;
};

struct Worker {
    std::vector<Package> packages; // by falling speed
    double priority = 0;
    double seconds = 0; // of the packages it has been given
};

std::vector<Package> packages_by_speed(const FunctionPoints &function)
{
    std::vector<Package> packages;
    for (std::size_t k = 0; k < function.count(); ++k) {
        const auto size = function.sizes[k];
        if (size == 0) continue; // idle
        const auto seconds = function.seconds[k];
        const auto speed = seconds > 0 ? static_cast<double>(size) / seconds : std::numeric_limits<double>::infinity();
        packages.push_back({size, seconds, speed});
    }
    std::sort(packages.begin(), packages.end(), [](const Package &a, const Package &b) {
        return a.speed != b.speed ? a.speed > b.speed : a.size > b.size;
    });
    return packages;
}

// The speed of the fastest package; 0 without any.
double highest_speed(const Worker &worker) { return worker.packages.empty() ? 0 : worker.packages.front().speed; }

// Equation 4.6.
void set_priorities(std::vector<Worker> &workers, std::int64_t size)
{
    std::vector<double> speeds;
    speeds.reserve(workers.size());
    for (const auto &worker : workers) speeds.push_back(highest_speed(worker));
    const auto priorities = shares_by_speed(speeds, size);
    for (std::size_t i = 0; i < workers.size(); ++i) workers[i].priority = priorities[i];
}

std::vector<std::int64_t> sizes_up_to(std::int64_t size, const Instance &instance)
{
    std::vector<std::int64_t> sizes;
    for (const auto &function : instance.of_function)
        for (const auto usable : function.sizes)
            if (usable > 0 && usable <= size) sizes.push_back(usable);
    return sizes;
}

class PackageSearch
{
  public:
    PackageSearch(const ScheduleProblem &problem, Control &control)
        : size_(problem.size), memory_bytes_(control.memory_limit()), pacer_(control, "giving out packages"),
          counters_(control.counters), workers_(workers_of(problem)),
          reachable_(sizes_up_to(problem.size, problem.instance), problem.size, memory_bytes_, pacer_)
    {
        set_priorities(workers_, size_);
    }

    bool has_schedule() const { return reachable_.contains(size_); }

    // backtracks 0: without a limit.
    void run(std::int64_t backtracks)
    {
        rest_ = size_;
        enter();
        for (std::int64_t returned = 0; !path_.empty();) {
            auto &node = path_.back();
            if (node.is_open) {
                leave(node);
                if (++returned == backtracks) return;
            }
            pacer_.spend(static_cast<std::int64_t>(workers_[node.worker].packages.size() + workers_.size()));
            if (!take_next(node))
                path_.pop_back();
            else if (rest_ == 0)
                keep();
            else
                enter();
        }
    }

    // By processor, then by decreasing size.
    std::vector<ScheduleTask> tasks() const
    {
        auto packages = best_;
        std::sort(packages.begin(), packages.end(), [](const ScheduleTask &a, const ScheduleTask &b) {
            return a.processor != b.processor ? a.processor < b.processor : a.size > b.size;
        });
        std::vector<ScheduleTask> tasks;
        for (const auto &package : packages) {
            if (!tasks.empty() && tasks.back().processor == package.processor && tasks.back().size == package.size)
                ++tasks.back().repeats;
            else
                tasks.push_back(package);
        }
        return tasks;
    }

  private:
    // A rest of the workload; while it is open, one of its branches is on the path.
    struct Node {
        std::size_t worker;
        std::size_t package = 0; // the next one to try; while open, after the one taken
        bool is_open = false;
        double priority = 0; // what the open branch has changed
        double seconds = 0;
        double makespan = 0;
    };

    static std::vector<Worker> workers_of(const ScheduleProblem &problem)
    {
        std::vector<Worker> workers(problem.instance.processors());
        for (std::size_t i = 0; i < workers.size(); ++i)
            workers[i].packages = packages_by_speed(problem.instance.of(i));
        return workers;
    }

    bool fits(const Package &package) const
    {
        return package.size <= rest_ && reachable_.contains(rest_ - package.size);
    }

    // GetProcessor, Algorithm 3.
    void enter()
    {
        if (static_cast<std::int64_t>(path_.size()) >= memory_bytes_ / bytes_of_node) fail_memory(memory_bytes_);
        auto chosen = workers_.size();
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            const auto &worker = workers_[i];
            if (chosen < workers_.size() && worker.priority <= workers_[chosen].priority) continue;
            if (std::any_of(worker.packages.begin(), worker.packages.end(),
                            [&](const Package &package) { return fits(package); }))
                chosen = i;
        }
        path_.push_back({chosen});
        ++counters_.states;
    }

    bool take_next(Node &node)
    {
        auto &worker = workers_[node.worker];
        for (; node.package < worker.packages.size(); ++node.package) {
            const auto &package = worker.packages[node.package];
            const auto makespan = std::max(makespan_, worker.seconds + package.seconds);
            if (!fits(package) || makespan >= best_makespan_) continue;
            node = {node.worker, node.package + 1, true, worker.priority, worker.seconds, makespan_};
            worker.priority -= static_cast<double>(package.size);
            worker.seconds += package.seconds;
            makespan_ = makespan;
            rest_ -= package.size;
            return true;
        }
        return false;
    }

    void leave(Node &node)
    {
        auto &worker = workers_[node.worker];
        worker.priority = node.priority;
        worker.seconds = node.seconds;
        makespan_ = node.makespan;
        rest_ += worker.packages[node.package - 1].size;
        node.is_open = false;
    }

    void keep()
    {
        best_makespan_ = makespan_;
        best_.clear();
        for (const auto &node : path_)
            best_.push_back(
                {static_cast<std::int64_t>(node.worker), workers_[node.worker].packages[node.package - 1].size, 1});
    }

    static constexpr std::int64_t bytes_of_node = sizeof(Node) + 2 * sizeof(ScheduleTask); // and the best, twice

    std::int64_t size_;
    std::int64_t memory_bytes_;
    Pacer pacer_;
    SearchCounters &counters_;
    std::vector<Worker> workers_;
    ReachableTotals reachable_;
    std::vector<Node> path_;
    std::int64_t rest_ = 0;
    double makespan_ = 0;
    double best_makespan_ = std::numeric_limits<double>::infinity();
    std::vector<ScheduleTask> best_; // one per package
};

PackageSchedule search(const ScheduleProblem &problem, std::int64_t backtracks, Control &control)
{
    PackageSchedule out;
    if (problem.size > 0) {
        PackageSearch packages(problem, control);
        if (!packages.has_schedule()) return out;
        packages.run(backtracks);
        out.tasks = packages.tasks();
    }
    const auto busy = busy_seconds(problem.instance, out.tasks);
    out.makespan = *std::max_element(busy.begin(), busy.end());
    out.lower_bound = schedule_bound(problem.instance, problem.size);
    out.outcome = Outcome::found;
    return out;
}

} // namespace

PackageSchedule wdah(const ScheduleProblem &problem, Control &control)
{
    return search(problem, problem.options.get_int("backtrack_limit"), control);
}

PackageSchedule wdah_heuristic(const ScheduleProblem &problem, Control &control) { return search(problem, 1, control); }

} // namespace hpart
