// Schedule: each processor runs any number of packages, sizes of its time function, one after another; all sizes sum to n; the
// largest sum of times over the processors is least. Method `exact`.
//
// Only the total v of a processor's packages matters, and the least time c_i(v) of each total is exact. A schedule is then a distribution of
// n over the functions c_i that minimises max c_i(v_i): HPOPT, solved by time.cpp. A processor's time is the sum over its packages from
// the largest to the smallest, one by one.
// Time: O(p m n / unit) for the closure, and HPOPT over p n / unit points. Source: design of hpart; the WDAH thesis solves the same
// problem by a heuristic branch and cut.

#include "partitioners/exact/exact.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <map>
#include <memory_resource>
#include <new>
#include <optional>

namespace hpart
{

namespace
{

// Packages of one processor by decreasing size.
struct Packages {
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
};

// Every total up to a limit that packages can make, with its least time: increasing totals, 0 among them.
struct PackageTotals {
    std::vector<std::int64_t> totals;
    std::vector<double> seconds;
};

constexpr std::int64_t bytes_of_total = 32; // table, then total and time, and the points made from them

// Problem: the least time of each total that any number of packages of one processor can make, where the time of a multiset is the
// sum of its packages' times added one by one from the largest package to the smallest: the (min, +) closure under repetition.
//
// Packages are taken in order of decreasing size; c(v) becomes min(c(v), c(v - size) + time) for increasing v, so that c(v - size) may
// already hold that package. fl(a + b) does not fall as a rises: keeping the least is exact for sums as computed.
// Time O(m limit / unit) with a table in units of the common divisor of the sizes; where that is too large, the totals that exist are
// kept in a map. The way back needs to know which package gave each total its time: per package, the totals it improved.
// Source: unbounded knapsack by equality; the scheduling problem is the WDAH thesis's.

constexpr double absent = -1;                    // no time is negative
constexpr std::int64_t bytes_of_map_total = 128; // a node, then the same

std::int64_t unit_of(const Packages &packages)
{
    return std::max<std::int64_t>(common_divisor(0, packages.sizes, 0), 1);
}

// Calls improved(k, v) whenever package k gives total v, in units, a new least time.
template <typename Improved>
std::vector<double> fill_table(const Packages &packages, std::int64_t unit, std::int64_t highest, Pacer &pacer,
                               const Improved &improved)
{
    std::vector<double> least;
    least.resize(static_cast<std::size_t>(highest) + 1, absent);
    least.front() = 0;
    for (std::size_t k = 0; k < packages.sizes.size(); ++k) {
        const auto size = packages.sizes[k] / unit;
        for (auto v = size; v <= highest; ++v) {
            const auto before = least[static_cast<std::size_t>(v - size)];
            if (before == absent) continue;
            const auto with = before + packages.seconds[k];
            auto &now = least[static_cast<std::size_t>(v)];
            if (now != absent && now <= with) continue;
            now = with;
            improved(k, v);
        }
        pacer.spend(highest);
    }
    return least;
}

// Its nodes go back all at once, the map undestroyed: one by one they take a tenth of a second after a second's work, beyond any limit.
class TotalsMap
{
  public:
    using Map = std::pmr::map<std::int64_t, double>;
    Map &operator*() { return map_; }

  private:
    std::pmr::monotonic_buffer_resource memory_;
    Map &map_ = *new (memory_.allocate(sizeof(Map), alignof(Map))) Map(&memory_);
};

// False where that takes more memory.
template <typename Improved>
bool fill_map(TotalsMap::Map &least, const Packages &packages, std::int64_t unit, std::int64_t highest,
              std::int64_t memory_bytes, Pacer &pacer, const Improved &improved)
{
    least.emplace(0, 0.0);
    for (std::size_t k = 0; k < packages.sizes.size(); ++k) {
        const auto size = packages.sizes[k] / unit;
        for (const auto &[v, seconds] : least) { // new totals are ahead, so they are met in turn
            if (v > highest - size) break;
            const auto with = seconds + packages.seconds[k];
            const auto [place, inserted] = least.try_emplace(v + size, with);
            if (!inserted && place->second <= with) continue;
            place->second = with;
            improved(k, v + size);
            if (static_cast<std::int64_t>(least.size()) > memory_bytes / bytes_of_map_total) return false;
            pacer.spend(16);
        }
    }
    return true;
}

bool fits_a_table(std::int64_t highest, std::int64_t memory_bytes) { return highest < memory_bytes / bytes_of_total; }

std::optional<PackageTotals> totals_up_to(const Packages &packages, std::int64_t limit, std::int64_t memory_bytes,
                                          Pacer &pacer)
{
    PackageTotals out;
    const auto unit = unit_of(packages);
    const auto highest = packages.sizes.empty() ? 0 : limit / unit;
    const auto nothing = [](std::size_t, std::int64_t) {};
    const auto add = [&](std::int64_t v, double seconds) {
        out.totals.push_back(v * unit);
        out.seconds.push_back(seconds);
    };
    if (fits_a_table(highest, memory_bytes)) {
        const auto table = fill_table(packages, unit, highest, pacer, nothing);
        for (std::size_t v = 0; v < table.size(); ++v)
            if (table[v] != absent) add(static_cast<std::int64_t>(v), table[v]);
    } else {
        TotalsMap least;
        if (!fill_map(*least, packages, unit, highest, memory_bytes, pacer, nothing)) return std::nullopt;
        for (const auto &[v, seconds] : *least) add(v, seconds);
    }
    return out;
}

std::vector<std::int64_t> repeats_for(const Packages &packages, std::int64_t total, std::int64_t memory_bytes,
                                      Pacer &pacer)
{
    std::vector<std::int64_t> repeats(packages.sizes.size(), 0);
    const auto unit = unit_of(packages);
    if (total == 0 || packages.sizes.empty()) return repeats;
    // For each package, the totals that it improved, increasing.
    std::vector<std::vector<std::int64_t>> improved(packages.sizes.size());
    std::int64_t noted = 0;
    const auto note = [&](std::size_t k, std::int64_t v) {
        if (++noted > memory_bytes / static_cast<std::int64_t>(2 * sizeof(v))) fail_memory(memory_bytes);
        improved[k].push_back(v);
    };
    auto v = total / unit;
    if (fits_a_table(v, memory_bytes)) {
        fill_table(packages, unit, v, pacer, note);
    } else {
        TotalsMap least;
        if (!fill_map(*least, packages, unit, v, memory_bytes, pacer, note)) fail_memory(memory_bytes);
    }
    for (auto k = packages.sizes.size(); k-- > 0;)
        while (std::binary_search(improved[k].begin(), improved[k].end(), v)) {
            ++repeats[k];
            v -= packages.sizes[k] / unit;
        }
    return repeats;
}

Packages packages_of(const FunctionPoints &function)
{
    Packages packages;
    for (auto k = function.count(); k-- > 0;) {
        if (function.sizes[k] == 0) continue; // idle
        packages.sizes.push_back(function.sizes[k]);
        packages.seconds.push_back(function.seconds[k]);
    }
    return packages;
}

// The functions of totals as an instance: the closure of every function. Each may take the memory that those before it have left.
Instance close(const Instance &single, std::int64_t limit, Control &control)
{
    Pacer pacer(control, "combining packages");
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> first_with(single.functions(), none);
    InstanceBuilder closed(Needs::time);
    auto memory_bytes = control.memory_limit();
    for (std::size_t i = 0; i < single.processors(); ++i) {
        const auto f = single.function_of[i];
        if (first_with[f] != none) {
            closed.add_processor_like(first_with[f]);
            continue;
        }
        first_with[f] = i;
        const auto totals = totals_up_to(packages_of(single.of(i)), limit, memory_bytes, pacer);
        if (!totals) fail_memory(control.memory_limit());
        memory_bytes -= static_cast<std::int64_t>(totals->totals.size()) * bytes_of_total;
        closed.reserve(totals->totals.size());
        for (std::size_t k = 0; k < totals->totals.size(); ++k) closed.add_point(totals->totals[k], totals->seconds[k]);
        closed.end_processor();
    }
    return closed.take();
}

std::vector<ScheduleTask> tasks_of(const Instance &single, const std::vector<std::int64_t> &totals, Control &control)
{
    Pacer pacer(control, "listing packages");
    std::vector<ScheduleTask> tasks;
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const auto packages = packages_of(single.of(i));
        const auto repeats = repeats_for(packages, totals[i], control.memory_limit(), pacer);
        for (std::size_t k = 0; k < repeats.size(); ++k)
            if (repeats[k] > 0) tasks.push_back({static_cast<std::int64_t>(i), packages.sizes[k], repeats[k]});
    }
    return tasks;
}

} // namespace

PackageSchedule exact_schedule(const ScheduleProblem &problem, Control &control)
{
    PackageSchedule out;
    std::optional<Prepared> prepared(std::in_place, close(problem.instance, problem.size, control),
                                     problem.prepared.simd_level());
    const auto &closed = prepared->instance();
    const PartitionProblem of_totals{.platform = problem.platform,
                                     .prepared = *prepared,
                                     .size = problem.size,
                                     .ties = problem.ties,
                                     .options = problem.options};
    const auto solution = least_time(of_totals, control);
    out.outcome = solution.outcome;
    if (out.outcome == Outcome::limit)
        fail(Status::limit, "the time or memory limit was reached before the least makespan was proved");
    if (out.outcome == Outcome::none) return out;
    out.makespan = cost_of(closed, solution.x).seconds;
    out.lower_bound = out.makespan;
    prepared.reset(); // the packages of each total take that memory
    out.tasks = tasks_of(problem.instance, solution.x, control);
    return out;
}

Choices schedule_choices(const Instance &instance, std::int64_t limit, Control &control)
{
    const auto closed = close(instance, limit, control);
    return choices_within(closed, limit, std::numeric_limits<double>::infinity());
}

} // namespace hpart
