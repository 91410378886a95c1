#include "measurement/batches.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "host/crew.hpp"
#include "measurement/system_counters.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <numeric>
#include <optional>

#include <unistd.h>

namespace hpart
{

namespace
{

// One processor's batches, on its thread.
class MemberRun
{
  public:
    MemberRun(const Member &member, const BatchRules &rules, const std::atomic<bool> &is_stopped)
        : member_(member), rules_(rules), is_stopped_(is_stopped)
    {
        if (rules.counters) counters_ = rules.counters(member);
    }

    void prepare(const Batch &batch)
    {
        member_.kernel->prepare({0, batch.size});
        for (std::int64_t r = 0; r < rules_.warmup && !is_stopped_; ++r) member_.kernel->run();
    }

    void run(Batch &batch)
    {
        auto &kernel = *member_.kernel;
        std::optional<DisturbanceWatch> watch;
        if (counters_) watch.emplace(*counters_, rules_.precision);
        const auto count = [&] { return static_cast<std::int64_t>(batch.seconds.size()); };
        while (count() < batch.repetitions && !is_stopped_) {
            const auto begin = Clock::now();
            kernel.run();
            const double seconds = kernel.own_seconds().value_or(seconds_since(begin));
            batch.seconds.push_back(seconds);
            counts_.seconds += seconds;
            ++counts_.repetitions;
            if (!watch) continue;
            judge(batch, watch->after_repetition(seconds), *watch);
            if (count() == batch.repetitions) judge(batch, watch->finish(), *watch);
        }
    }

    const BatchCounts &counts() const { return counts_; }

  private:
    void judge(Batch &batch, std::int64_t newest, const DisturbanceWatch &watch)
    {
        if (newest == 0) return;
        counts_.who = watch.who();
        counts_.contaminated += newest;
        for (; newest > 0 && rules_.repeats_contaminated && 3 * counts_.dropped < counts_.repetitions; --newest) {
            batch.seconds.pop_back();
            ++counts_.dropped;
        }
    }

    const Member &member_;
    const BatchRules &rules_;
    const std::atomic<bool> &is_stopped_;
    std::unique_ptr<Counters> counters_;
    BatchCounts counts_;
};

class BatchRun
{
  public:
    BatchRun(const Team &team, std::span<Batch> batches, const BatchRules &rules)
        : team_(team), rules_(rules), of_(team.count()), counts_(team.count())
    {
        for (auto &batch : batches) of_[batch.processor].push_back(&batch);
        for (std::size_t i = 0; i < of_.size(); ++i) {
            steps_ = std::max(steps_, of_[i].size());
            if (!of_[i].empty()) active_.push_back(i);
        }
    }

    void run(const std::function<void()> &look)
    {
        std::vector<CoreList> bindings;
        for (const auto i : active_) bindings.push_back(team_.member(i).cores);
        if (active_.empty()) return;
        std::barrier step_barrier(static_cast<std::ptrdiff_t>(active_.size()));
        Crew crew(bindings);
        crew.run([&](std::size_t a) { run_all_of(active_[a], step_barrier); },
                 [&] {
                     try {
                         look();
                     } catch (...) {
                         stop();
                         throw;
                     }
                 });
    }

    BatchCounts counts() const
    {
        BatchCounts all;
        for (const auto &of_one : counts_) {
            const double longest = std::max(all.seconds, of_one.seconds);
            all.add(of_one);
            all.seconds = longest;
        }
        return all;
    }

  private:
    void stop()
    {
        is_stopped_ = true;
        for (const auto i : active_) team_.member(i).kernel->interrupt();
    }

    void run_all_of(std::size_t i, std::barrier<> &all)
    {
        auto &kernel = *team_.member(i).kernel;
        try {
            run_steps(i, all);
            kernel.release();
            all.arrive_and_drop();
        } catch (...) {
            is_stopped_ = true;
            kernel.release();
            all.arrive_and_drop();
            throw;
        }
    }

    void run_steps(std::size_t i, std::barrier<> &all)
    {
        auto &kernel = *team_.member(i).kernel;
        MemberRun run(team_.member(i), rules_, is_stopped_);
        for (std::size_t step = 0; step < steps_ && !is_stopped_; ++step) {
            const bool is_counted = step < of_[i].size();
            auto &batch = is_counted ? *of_[i][step] : *of_[i].back();
            if (is_counted) {
                kernel.release();
                attempt(batch, [&] { run.prepare(batch); });
            }
            all.arrive_and_wait();
            if (is_counted) attempt(batch, [&] { run.run(batch); });
            const auto all_done = (step + 1) * active_.size();
            for (++done_; done_ < all_done && batch.failure.empty() && !is_stopped_;)
                attempt(batch, [&] { kernel.run(); });
            all.arrive_and_wait();
        }
        counts_[i] = run.counts();
    }

    void attempt(Batch &batch, const std::function<void()> &job)
    {
        if (!batch.failure.empty()) return;
        try {
            job();
        } catch (const RunFailure &failure) {
            batch.seconds.clear();
            batch.failure = failure.what();
        } catch (const Error &error) {
            fail(error.status(), "processor ", in_quotes(team_.member(batch.processor).name), ", size ", batch.size,
                 ": ", error.what());
        }
    }

    const Team &team_;
    const BatchRules &rules_;
    std::vector<std::vector<Batch *>> of_; // by processor
    std::vector<BatchCounts> counts_;      // likewise
    std::vector<std::size_t> active_;
    std::size_t steps_ = 0;
    std::atomic<std::size_t> done_ = 0; // batches, and turns of processors without one
    std::atomic<bool> is_stopped_ = false;
};

} // namespace

std::unique_ptr<Counters> counters_of_thread(const Member &member)
{
    const bool is_unwatched = member.cores.empty() && !member.occupied.empty();
    return std::make_unique<SystemCounters>(std::set<pid_t>{::gettid()}, member.occupied, is_unwatched);
}

void BatchCounts::add(const BatchCounts &others)
{
    seconds += others.seconds;
    repetitions += others.repetitions;
    contaminated += others.contaminated;
    dropped += others.dropped;
    if (!others.who.empty()) who = others.who;
}

std::string BatchCounts::busy() const
{
    if (contaminated <= std::max(dropped, repetitions / 3)) return "";
    return text(contaminated, " of ", repetitions, " repetitions were disturbed: ", who);
}

BatchCounts run_batches(const Team &team, std::span<Batch> batches, const BatchRules &rules,
                        const std::function<void()> &look)
{
    BatchRun run(team, batches, rules);
    run.run(look);
    return run.counts();
}

} // namespace hpart
