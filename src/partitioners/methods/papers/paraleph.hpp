// Columns of PARALEPH's table (paraleph.cpp) that one process computes with threads: all of them in libhpart, p / q in each rank of
// libhpart_mpi. All code stands in this header, because both libraries compile it and libhpart exports its interface alone.
//
// Cells are computed strip by strip of workloads, within a strip column by column, within a column in blocks shared by the threads. A strip
// needs the same strip, and earlier ones, of the column to its left: ranks work as a pipeline, as the paper's do on diagonals of cells.
#pragma once

#include "core/numbers.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace hpart
{

struct AlephCandidate {
    std::int64_t size; // in units
    double value;
};

// The whole table, for all processes.
struct ParalephTask {
    std::int64_t size = 0;                  // n, in units
    std::int64_t copies = 0;                // p
    std::int64_t threads = 1;               // of each process
    bool adds = false;                      // F is +, else max
    std::vector<AlephCandidate> candidates; // by increasing size; not empty
    // SUMMA's cost C(n, h) of h = 0 .. p active processors; empty: none. With it no candidate is idle: column h has exactly h active
    // processors, and the row n compares the columns by F + C.
    std::vector<double> collective;

    std::int64_t largest_of(std::int64_t processors) const
    {
        const auto largest = candidates.back().size;
        return largest > 0 && processors > size / largest ? size : processors * largest;
    }
    // Workloads that the first h processors can have: the others must be able to take the rest.
    std::int64_t lowest(std::int64_t h) const { return size - largest_of(copies - h); }
    std::int64_t highest(std::int64_t h) const { return largest_of(h); }

    // The value that a cell of the row n competes with; infinity: none.
    double total(std::int64_t h, double value) const
    {
        if (!collective.empty()) return value + collective[static_cast<std::size_t>(h)];
        if (h < copies) return infinity;
        return value;
    }
};

struct AddParts {
    static double join(double rest, double value) { return rest + value; }
};
struct LongestOfParts {
    static double join(double rest, double value) { return rest < value ? value : rest; }
};

// The cell of row n that is best, and its column; infinity: none.
struct ParalephBest {
    double value = infinity;
    std::int64_t column = 0;
};

class ParalephColumns
{
  public:
    static constexpr std::int64_t block_cells = 64;

    // Columns first .. last, none if last is first - 1, in strips of so many cells.
    ParalephColumns(const ParalephTask &task, std::int64_t first, std::int64_t last, std::int64_t strip)
        : task_(task), first_(first), last_(last), strip_(strip), kept_(kept(task, first, last, strip))
    {
        for (auto h = first; h <= last; ++h) {
            first_pointer_.push_back(pointers_.size());
            pointers_.resize(pointers_.size() + static_cast<std::size_t>(task.highest(h) - task.lowest(h) + 1));
        }
        values_.assign(static_cast<std::size_t>(kept_ * (task.size + 1)), infinity);
        if (first == 1) *cell(0, 0) = 0;
    }

    static double cells(const ParalephTask &task, std::int64_t first, std::int64_t last)
    {
        double cells = 0;
        for (auto h = first; h <= last; ++h) cells += static_cast<double>(task.highest(h) - task.lowest(h) + 1);
        return cells;
    }
    static double bytes(const ParalephTask &task, std::int64_t first, std::int64_t last, std::int64_t strip)
    {
        const auto values = static_cast<double>(kept(task, first, last, strip)) * static_cast<double>(task.size + 1);
        return cells(task, first, last) * sizeof(std::uint32_t) + values * sizeof(double);
    }

    // Neighbours, called by the calling thread but for the last:
    //   bool receive(double *cells, count)        the next strip of the column to the left, left alone if there is none; true: stop
    //   void send(const double *cells, count, stop)   the next strip of the last column
    //   bool looks(fraction)                      true: stop
    //   bool time_is_up() const                   of any thread
    // After a stop the values are meaningless, but the neighbours still get all strips.
    template <typename Neighbours> void fill(Neighbours &neighbours)
    {
        if (task_.adds)
            fill_by<AddParts>(neighbours);
        else
            fill_by<LongestOfParts>(neighbours);
    }

    const ParalephBest &best() const { return best_; }

    // Traces back from the workload of a column: appends the sizes of columns min(column, last) .. first to x, returns the rest.
    std::int64_t trace_back(std::int64_t column, std::int64_t workload, std::vector<std::int64_t> &x) const
    {
        for (auto h = std::min(column, last_); h >= first_; --h) {
            const auto &candidate = task_.candidates[pointers_[pointer(h, workload)]];
            x.push_back(candidate.size);
            workload -= candidate.size;
        }
        return workload;
    }

  private:
    // Columns of values: two take turns if one strip has all cells.
    static std::int64_t kept(const ParalephTask &task, std::int64_t first, std::int64_t last, std::int64_t strip)
    {
        return strip > task.size ? 2 : last - first + 2;
    }
    double *cell(std::int64_t h, std::int64_t workload)
    {
        return values_.data() + (h - first_ + 1) % kept_ * (task_.size + 1) + workload;
    }
    std::size_t pointer(std::int64_t h, std::int64_t workload) const
    {
        return first_pointer_[static_cast<std::size_t>(h - first_)] +
               static_cast<std::size_t>(workload - task_.lowest(h));
    }

    template <typename Rule, typename Neighbours> void fill_by(Neighbours &neighbours)
    {
        std::atomic<bool> stop{false};
        std::exception_ptr failure;
        std::barrier barrier(static_cast<std::ptrdiff_t>(task_.threads));
        const auto guarded = [&](auto &&step) {
            try {
                step();
            } catch (...) {
                failure = std::current_exception();
                stop.store(true);
            }
        };
        const auto work_on = [&](bool calls) {
            for (std::int64_t from = 0; from <= task_.size; from += strip_) {
                const auto count = std::min(strip_, task_.size + 1 - from);
                if (calls)
                    guarded([&] {
                        if (neighbours.receive(cell(first_ - 1, from), count)) stop.store(true);
                    });
                for (auto h = first_; h <= last_; ++h) {
                    if (calls) next_block_.store(0);
                    barrier.arrive_and_wait();
                    if (!stop.load()) fill_strip<Rule>(h, from, from + count - 1, neighbours);
                    barrier.arrive_and_wait();
                    if (calls) guarded([&] { end_strip(h, from + count - 1, neighbours, stop); });
                }
                if (calls) guarded([&] { neighbours.send(cell(last_, from), count, stop.load()); });
            }
        };
        std::vector<std::thread> others;
        others.reserve(static_cast<std::size_t>(task_.threads));
        for (std::int64_t t = 1; t < task_.threads; ++t) {
            try {
                others.emplace_back([&work_on] { work_on(false); });
            } catch (...) {
                barrier.arrive_and_drop(); // no more threads to be had: the others take its blocks
            }
        }
        work_on(true);
        for (auto &other : others) other.join();
        if (failure) std::rethrow_exception(failure);
    }

    template <typename Neighbours>
    void end_strip(std::int64_t h, std::int64_t to, Neighbours &neighbours, std::atomic<bool> &stop)
    {
        const auto strips = task_.size / strip_ + 1;
        const auto all = static_cast<double>(strips) * static_cast<double>(last_ - first_ + 1);
        if (neighbours.looks(++strips_done_ / all)) stop.store(true);
        if (to < task_.size || task_.highest(h) < task_.size) return;
        if (const auto value = task_.total(h, *cell(h, to)); value < best_.value) best_ = {value, h};
    }

    // Blocks of a column's strip, whichever is next.
    template <typename Rule, typename Neighbours>
    void fill_strip(std::int64_t h, std::int64_t from, std::int64_t to, const Neighbours &neighbours)
    {
        from = std::max(from, task_.lowest(h));
        to = std::min(to, task_.highest(h));
        for (;;) {
            const auto begin = from + next_block_.fetch_add(1) * block_cells;
            if (begin > to || neighbours.time_is_up()) return;
            fill_block<Rule>(h, begin, std::min(begin + block_cells - 1, to));
        }
    }

    // computecell (Algorithm 6) for cells from .. to.
    template <typename Rule> void fill_block(std::int64_t h, std::int64_t from, std::int64_t to)
    {
        const auto reach_low = task_.lowest(h - 1);
        const auto reach_high = task_.highest(h - 1);
        const auto *before = cell(h - 1, 0);
        auto *values = cell(h, from);
        auto *pointers = pointers_.data() + pointer(h, from);
        std::fill(values, values + (to - from + 1), infinity);
        for (std::uint32_t k = 0; k < task_.candidates.size(); ++k) {
            const auto [size, value] = task_.candidates[k];
            const auto first = std::max(from, reach_low + size);
            const auto last = std::min(to, reach_high + size);
            for (auto v = first; v <= last; ++v) {
                const auto joined = Rule::join(before[v - size], value);
                if (joined < values[v - from]) {
                    values[v - from] = joined;
                    pointers[v - from] = k;
                }
            }
        }
    }

    const ParalephTask &task_;
    std::int64_t first_;
    std::int64_t last_;
    std::int64_t strip_;
    std::int64_t kept_;
    std::vector<std::size_t> first_pointer_; // of each column
    std::vector<std::uint32_t> pointers_;
    std::vector<double> values_;
    ParalephBest best_;
    double strips_done_ = 0; // of all columns
    std::atomic<std::int64_t> next_block_{0};
};

// Processes that fill the table together: libhpart_mpi's ranks, by way of the options of a call.
class ParalephRanks
{
  public:
    ParalephRanks() = default;
    ParalephRanks(const ParalephRanks &) = delete;
    ParalephRanks &operator=(const ParalephRanks &) = delete;
    // The bytes of the rank that needs most.
    virtual double bytes(const ParalephTask &task) const = 0;
    // Called on rank 0. looks(fraction) is true to stop. x: the distribution in units over the columns up to the best; empty if there
    // is none. False: a rank has stopped or failed.
    virtual bool solve(const ParalephTask &task, double seconds_left, const std::function<bool(double)> &looks,
                       std::vector<std::int64_t> &x) noexcept = 0;

  protected:
    ~ParalephRanks() = default;
};

} // namespace hpart
