// A processor's clock is the sum of its packages' times: preparing a kernel stops it. Where queues are shared, the processor with
// the least clock asks first, as in the simulation on functions. A processor that is done waits until no other can still ask before
// it. A running processor's clock is at least its last value plus the time since. A processor that measures itself may count less:
// it then asks in the order of the real times.
#include "measurement/queues.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "measurement/measure.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>

namespace hpart
{

namespace
{

using namespace std::chrono_literals;

constexpr std::size_t most_packages = 10'000'000;
constexpr double longest_seconds = 1e100; // sums of squares of more overflow

class QueueRun
{
  public:
    QueueRun(const Team &team, const Queues &queues)
        : team_(checked(team)), queues_(queues), is_shared_problem_(!team.shared_kernel().empty()), run_(team, start())
    {
    }

    const TeamRun &run() const { return run_; }
    const std::vector<PackageRun> &packages() const { return packages_; }

    // Returns the busy seconds of each processor.
    std::vector<double> repeat(const Poll &poll)
    {
        start();
        run_.run([&](std::size_t a, Kernel &,
                     const auto &) { run_.prepare(a, slice_of(clocks_[run_.active()[a]].package)); },
                 poll);
        run_.run([&](std::size_t a, Kernel &kernel, const auto &is_broken) { work(a, kernel, is_broken); }, poll, true);
        auto left = queues_.size;
        for (const auto &package : packages_) left -= package.slice.rows;
        if (left > 0)
            fail(Status::infeasible, left, " of ", queues_.size, " are left, for which no processor has a size");
        std::vector<double> busy;
        for (const auto &clock : clocks_) busy.push_back(clock.seconds);
        return busy;
    }

    // Runs once and compares what all packages give with the reference.
    Check check(const Poll &poll)
    {
        keeps_results_ = true;
        repeat(poll);
        keeps_results_ = false;
        std::sort(results_.begin(), results_.end(),
                  [](const auto &a, const auto &b) { return a.first.first < b.first.first; });
        std::vector<SliceResult> slices;
        for (const auto &[slice, values] : results_) slices.push_back({slice, values});
        const auto found = check_slices(dynamic_cast<const BuiltinKernel &>(*team_.member(0).kernel), slices);
        results_.clear();
        return found;
    }

  private:
    enum class State : std::uint8_t { preparing, running, asking, done };
    struct ProcessorClock {
        double seconds = 0;
        State state = State::preparing;
        Clock::time_point since = {};
        std::size_t package = 0; // in packages_
    };

    static const Team &checked(const Team &team)
    {
        for (std::size_t i = 0; i < team.count(); ++i) {
            const auto *kernel = dynamic_cast<const BuiltinKernel *>(team.member(i).kernel.get());
            if (kernel != nullptr && kernel->needs_partners())
                fail(Status::unsupported, "the processors of the kernel ", in_quotes(kernel->description()),
                     " work on one part each, all at once; a schedule needs a kernel whose packages run one by one");
        }
        return team;
    }

    // Gives out the first packages, in the order of the processors.
    std::vector<Slice> start()
    {
        next_ = queues_.start();
        packages_.clear();
        clocks_.assign(team_.count(), {});
        std::vector<Slice> slices(team_.count());
        for (std::size_t i = 0; i < slices.size(); ++i)
            if (give(i, std::nullopt)) slices[i] = slice_of(clocks_[i].package);
        return slices;
    }

    bool give(std::size_t i, std::optional<double> seconds)
    {
        const auto slice = next_(i, seconds);
        clocks_[i].state = slice.rows > 0 ? State::preparing : State::done;
        if (slice.rows == 0) return false;
        if (packages_.size() == most_packages)
            fail(Status::unsupported, "the queues have more than ", most_packages,
                 " packages, each of which is recorded; larger packages are fewer");
        clocks_[i].package = packages_.size();
        packages_.push_back({i, slice, 0});
        return true;
    }

    // As the kernel gets it.
    Slice slice_of(std::size_t package) const
    {
        const auto &slice = packages_[package].slice;
        return {is_shared_problem_ ? slice.first : 0, slice.rows};
    }

    void work(std::size_t a, Kernel &kernel, const std::atomic<bool> &is_broken)
    {
        const auto i = run_.active()[a];
        while (!is_broken) {
            {
                const std::lock_guard lock(mutex_);
                clocks_[i].state = State::running;
                clocks_[i].since = Clock::now();
            }
            changed_.notify_all(); // its clock runs: others can tell when it is their turn
            const auto begin = Clock::now();
            kernel.run();
            const Span span{begin, Clock::now(), kernel.own_seconds()};
            if (keeps_results_) keep(i, dynamic_cast<const BuiltinKernel &>(kernel));
            const auto slice = ask(i, span.seconds(), is_broken);
            if (!slice) return;
            run_.prepare(a, *slice); // forgets an interruption, so that it stands before the look at is_broken
        }
    }

    void keep(std::size_t i, const BuiltinKernel &kernel)
    {
        const auto values = kernel.result();
        const std::lock_guard lock(mutex_);
        results_.emplace_back(slice_of(clocks_[i].package), std::vector<double>(values.begin(), values.end()));
    }

    std::optional<Slice> ask(std::size_t i, double seconds, const std::atomic<bool> &is_broken)
    {
        std::unique_lock lock(mutex_);
        auto &clock = clocks_[i];
        packages_[clock.package].seconds = seconds;
        clock.seconds += seconds;
        if (!(clock.seconds <= longest_seconds))
            fail(Status::callback, "processor ", in_quotes(team_.member(i).name), " took ", clock.seconds,
                 " s; the times of a run must sum to at most ", longest_seconds, ": the unit is the second");
        clock.state = State::asking;
        changed_.notify_all();
        if (queues_.are_shared)
            for (auto wait = time_to_turn(i); wait > 0ns && !is_broken; wait = time_to_turn(i))
                changed_.wait_for(lock, wait);
        const bool has_more = !is_broken && give(i, seconds);
        changed_.notify_all();
        return has_more ? std::optional(slice_of(clock.package)) : std::nullopt;
    }

    // 0: no other processor can still ask before this one. Otherwise the time until that may be so.
    std::chrono::nanoseconds time_to_turn(std::size_t i) const
    {
        constexpr std::chrono::nanoseconds look_interval = 50ms; // at is_broken
        std::chrono::nanoseconds wait = 0ns;
        const auto &own = clocks_[i];
        for (std::size_t j = 0; j < clocks_.size(); ++j) {
            const auto &[seconds, state, since, package] = clocks_[j];
            if (j == i || state == State::done || seconds > own.seconds) continue;
            if (seconds == own.seconds && (state != State::asking || j > i)) continue;
            auto behind = look_interval;
            if (state == State::running) {
                const auto left = own.seconds - seconds - seconds_since(since);
                if (left <= 0) continue;
                behind = std::min(behind, std::chrono::nanoseconds(1) +
                                              std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                  std::chrono::duration<double>(std::min(left, 1.0))));
            }
            wait = std::max(wait, behind);
        }
        return wait;
    }

    const Team &team_;
    const Queues &queues_;
    const bool is_shared_problem_;
    NextPackage next_;
    std::mutex mutex_; // of next_, packages_, clocks_ and results_ while the threads run
    std::condition_variable changed_;
    std::vector<ProcessorClock> clocks_;
    std::vector<PackageRun> packages_;
    std::vector<std::pair<Slice, std::vector<double>>> results_;
    bool keeps_results_ = false;
    TeamRun run_;
};

} // namespace

QueueMeasurement run_queues(const Team &team, const Queues &queues, const QueueSettings &settings, const Poll &poll)
{
    if (team.application() != nullptr)
        fail(Status::unsupported,
             "an application runs all processors of this team at once; packages need a kernel or a "
             "program for each processor");
    if (settings.check) require_reference(team);
    QueueRun run(team, queues);
    const auto &active = run.run().active();
    QueueMeasurement out;
    if (settings.check) out.check = run.check(poll);
    for (std::int64_t k = 0; k < settings.warmup; ++k) run.repeat(poll);
    const BindingWatch watch(team, run.run());
    out.busy.assign(team.count(), 0);
    const auto start = Clock::now();
    const auto sample = [&](std::span<double> seconds) {
        const auto busy = run.repeat(poll);
        for (std::size_t i = 0; i < busy.size(); ++i) out.busy[i] += busy[i];
        seconds.front() = *std::max_element(busy.begin(), busy.end());
    };
    out.makespan = mean_using_t_test(settings.rule, 1, sample, [&] { return seconds_since(start); });
    for (auto &seconds : out.busy) seconds /= static_cast<double>(out.makespan.repetitions);
    out.packages = run.packages();
    const auto broken = watch.broken();
    for (std::size_t a = 0; a < broken.size(); ++a)
        if (!broken[a].empty())
            out.broken += text("processor ", in_quotes(team.member(active[a]).name), " ", broken[a], "; ");
    return out;
}

} // namespace hpart
