// Progress and limits of a long call: a callback, a time limit, a memory limit.
#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

class Options;
class Timeline;

// Returns non-zero to stop. Called from the calling thread only.
using ProgressCallback = std::function<int(double fraction, const char *what)>;

// Counts of the searches of a call, for its report.
struct SearchCounters {
    std::int64_t sum_tests = 0; // exact tests whether the target is a sum
    std::int64_t searches = 0;  // searches for the least sum under a cap
    std::int64_t states = 0;    // partial sums that they kept
    std::int64_t nodes = 0;     // of a search tree that were entered
    std::int64_t cuts = 0;      // of them: dropped, their workload being too large
    std::int64_t recalled = 0;  // of them: answered from memory
};

// The limits of a long call, and its counters. A check is cheap: it reads the clock and calls back at intervals only.
class Control
{
  public:
    Control() : Control(nullptr, std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()) {}
    Control(std::shared_ptr<const ProgressCallback> progress, double time_limit_seconds,
            std::int64_t memory_limit_bytes);
    // time_limit, memory_limit and the progress callback of the options.
    static Control from(const Options &options);

    // Limited by units of work (Pacer) instead of time: equal calls then end alike on every machine.
    static Control of_work(std::int64_t most_units, std::int64_t memory_limit_bytes);

    // Calls the callback, at most 20 times a second; throws Status::cancelled if it asks to stop.
    void report_progress(double fraction, const char *what);
    // The same at any moment: for what must not be missed.
    void announce(double fraction, const char *what);
    bool time_is_up() const { return work_left_ < 0 || (has_time_limit_ && Clock::now() >= end_); }
    void count_work(std::int64_t units) { work_left_ -= units; }
    double seconds_left() const
    {
        if (!has_time_limit_) return std::numeric_limits<double>::infinity();
        return std::chrono::duration<double>(end_ - Clock::now()).count();
    }
    std::int64_t memory_limit() const { return memory_limit_; }
    // Which limit a call that met one has met, and how to go on: a sentence's first half.
    std::string limit_met() const;
    Clock::time_point start() const { return start_; }
    // The timeline of the call's commands; null if nobody wants it.
    const std::shared_ptr<Timeline> &timeline() const { return timeline_; }
    void set_timeline(std::shared_ptr<Timeline> timeline) { timeline_ = std::move(timeline); }

    SearchCounters counters; // of the call that uses it now

  private:
    std::shared_ptr<const ProgressCallback> progress_;
    std::shared_ptr<Timeline> timeline_;
    Clock::time_point start_;
    Clock::time_point end_;
    Clock::time_point last_told_;
    double time_limit_seconds_;
    std::int64_t memory_limit_;
    bool has_time_limit_;
    std::int64_t work_left_ = std::numeric_limits<std::int64_t>::max();
};

// The seconds that a call may take, from now on.
class Budget
{
  public:
    explicit Budget(double seconds) : seconds_(seconds) {}
    // Its first part, a share of it.
    Budget part(double share) const
    {
        auto part = *this;
        part.seconds_ *= share;
        return part;
    }
    double spent() const { return seconds_since(begin_); }
    double left() const { return seconds_ - spent(); }
    bool is_up() const { return left() <= 0; }

  private:
    Clock::time_point begin_ = Clock::now();
    double seconds_;
};

// The budget ended while something ran.
class BudgetEnded : public Error
{
  public:
    using Error::Error;
};

// A long call asks it again and again whether it may go on.
class Poll
{
  public:
    // Reports progress; throws if the caller says stop. fraction: the share that is done, -1 if unknown. what: the present value:
    // "60.2 ms +- 3 % after 57 runs".
    using Report = std::function<void(double fraction, const std::string &what)>;

    Poll() = default; // always yes
    // budget: its end is the call's, with this message; null: none.
    explicit Poll(Report report, const Budget *budget = nullptr, std::string message = "")
        : report_(std::move(report)), budget_(budget), message_(std::move(message))
    {
    }
    explicit Poll(std::function<void()> report, const Budget *budget = nullptr, std::string message = "")
        : Poll([report = std::move(report)](double, const std::string &) { report(); }, budget, std::move(message))
    {
    }

    explicit Poll(Control &control)
        : Poll(
              [&control](double fraction, const std::string &what) { control.report_progress(fraction, what.c_str()); })
    {
    }

    // Throws BudgetEnded, or as the report does.
    void check(double fraction = -1, const std::string &what = "") const
    {
        if (budget_ != nullptr && budget_->is_up()) throw BudgetEnded(Status::limit, message_);
        if (report_) report_(fraction, what);
    }

  private:
    Report report_;
    const Budget *budget_ = nullptr;
    std::string message_;
};

// The times of a run's commands, in Chrome's trace format: Perfetto, chrome://tracing, hpart plot and hpart report draw it.

class Timeline
{
  public:
    static constexpr std::size_t most_commands = 1000000; // a file of some 100 MB

    // Status::io if the file cannot be written.
    explicit Timeline(std::string path);

    // Seconds since it began.
    double now() const { return seconds_since(start_); }
    // A command's time, in seconds since the trace began, in the line of this name. From any thread. Left out without memory.
    void add(const std::string &line, std::string_view command, double begin, double end) noexcept;
    // Counts a command that is not kept.
    void leave_out() noexcept;
    bool empty() const;
    // Status::io.
    void write() const;

  private:
    struct Command {
        std::size_t line;
        std::string name;
        double begin, end;
    };
    std::string path_;
    Clock::time_point start_ = Clock::now();
    mutable std::mutex mutex_;
    std::map<std::string, std::size_t> lines_;
    std::vector<Command> commands_;
    std::int64_t left_out_ = 0;
};

} // namespace hpart
