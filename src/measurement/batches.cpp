#include "measurement/batches.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "host/thread_group.hpp"
#include "measurement/application.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/team_run.hpp"

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
    MemberRun(const Member &member, const BatchRules &rules, const BatchCounts &so_far,
              const std::atomic<bool> &is_stopped)
        : member_(member), rules_(rules), so_far_(so_far), is_stopped_(is_stopped)
    {
        if (rules.counters) counters_ = rules.counters(member);
    }

    void prepare(const Batch &batch)
    {
        member_.kernel->prepare({0, batch.size});
        for (std::int64_t r = 0; r < rules_.warmup && !is_stopped_; ++r) usual_seconds_ = run_once();
    }

    void run(Batch &batch)
    {
        std::optional<DisturbanceWatch> watch;
        if (counters_) watch.emplace(*counters_, rules_.precision, usual_seconds_);
        const auto count = [&] { return static_cast<std::int64_t>(batch.seconds.size()); };
        while (count() < batch.repetitions && !is_stopped_) {
            const double seconds = run_once();
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
    double run_once()
    {
        const auto begin = Clock::now();
        member_.kernel->run();
        return member_.kernel->own_seconds().value_or(seconds_since(begin));
    }

    void judge(Batch &batch, std::int64_t newest, const DisturbanceWatch &watch)
    {
        if (newest == 0) return;
        counts_.who = watch.who();
        counts_.contaminated += newest;
        const auto may_repeat = [&] {
            return 3 * (so_far_.dropped + counts_.dropped) < so_far_.repetitions + counts_.repetitions;
        };
        for (; newest > 0 && rules_.repeats_contaminated && may_repeat(); --newest) {
            batch.seconds.pop_back();
            ++counts_.dropped;
        }
    }

    const Member &member_;
    const BatchRules &rules_;
    const BatchCounts &so_far_;
    const std::atomic<bool> &is_stopped_;
    std::unique_ptr<Counters> counters_;
    double usual_seconds_ = 0; // of the last run that did not count
    BatchCounts counts_;
};

class BatchStep
{
  public:
    BatchStep(const Team &team, std::span<Batch> batches, const BatchRules &rules, std::vector<BatchCounts> &so_far)
        : team_(team), batches_(batches), rules_(rules), so_far_(so_far), counts_(batches.size()),
          all_(static_cast<std::ptrdiff_t>(batches.size()))
    {
    }

    void run(const Poll &poll)
    {
        std::vector<CoreList> bindings;
        for (const auto &batch : batches_) bindings.push_back(team_.member(batch.processor).cores);
        ThreadGroup group(bindings);
        group.run([&](std::size_t b) { run_batch(b); },
                  [&] {
                      try {
                          poll.check();
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
    // False if it was stopped before.
    bool stop()
    {
        if (is_stopped_.exchange(true)) return false;
        for (const auto &batch : batches_) team_.member(batch.processor).kernel->interrupt();
        return true;
    }

    void run_batch(std::size_t b)
    {
        auto &batch = batches_[b];
        auto &kernel = *team_.member(batch.processor).kernel;
        try {
            MemberRun run(team_.member(batch.processor), rules_, so_far_[batch.processor], is_stopped_);
            attempt(batch, [&] { run.prepare(batch); });
            batch.is_ready = !is_stopped_;
            all_.arrive_and_wait();
            attempt(batch, [&] { run.run(batch); });
            ++done_;
            if (batch.failure.empty()) keep_company(kernel);
            kernel.release();
            counts_[b] = run.counts();
            so_far_[batch.processor].add(counts_[b]);
        } catch (...) {
            const bool is_first = stop(); // the others fail because of it
            kernel.release();
            all_.arrive_and_drop();
            if (is_first) throw;
        }
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

    void keep_company(Kernel &kernel)
    {
        try {
            while (done_ < batches_.size() && !is_stopped_) kernel.run();
        } catch (const RunFailure &) { // NOLINT(bugprone-empty-catch): it was measured before
        }
    }

    const Team &team_;
    std::span<Batch> batches_;
    const BatchRules &rules_;
    std::vector<BatchCounts> &so_far_; // by processor
    std::vector<BatchCounts> counts_;  // by batch
    std::barrier<> all_;
    std::atomic<std::size_t> done_ = 0; // batches
    std::atomic<bool> is_stopped_ = false;
};

// True if the application runs one of these processors alone with the smallest size: it then takes sums other than its whole
// problem's size.
bool takes_any_sum(const Team &team, std::span<const Slice> slices, std::int64_t smallest, const Poll &poll)
{
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].rows == 0) continue;
        std::vector<Slice> alone(slices.size());
        alone[i].rows = smallest;
        if (culprits_of(team, alone, poll).empty()) return true;
    }
    return false;
}

// All batches at once, as often as the longest needs. A size with which the application fails gets no seconds.
BatchCounts run_application(const Team &team, std::span<Batch> batches, const BatchRules &rules,
                            std::vector<BatchCounts> &so_far, const Poll &poll)
{
    BatchCounts counts;
    std::int64_t repetitions = 0;
    for (const auto &batch : batches) repetitions = std::max(repetitions, batch.repetitions);
    bool failed_together = false;
    for (;;) {
        std::vector<Slice> slices(team.count());
        for (auto &batch : batches)
            if (batch.failure.empty()) slices[batch.processor].rows = batch.size;
        for (auto &batch : batches) batch.seconds.clear();
        try {
            TeamRun run(team, slices);
            for (std::int64_t r = -rules.warmup; r < repetitions; ++r) {
                run.repeat(poll);
                require_times_of_each(team, "a search of the optimum", &run);
                if (r < 0) continue;
                double longest = 0;
                for (std::size_t a = 0; a < run.active().size(); ++a) {
                    const auto seconds = run.spans()[a].seconds();
                    longest = std::max(longest, seconds);
                    const auto i = run.active()[a];
                    std::find_if(batches.begin(), batches.end(), [&](const auto &batch) {
                        return batch.processor == i;
                    })->seconds.push_back(seconds);
                    ++counts.repetitions;
                    ++so_far[i].repetitions;
                }
                counts.seconds += longest;
            }
            return counts;
        } catch (const PointFailure &failure) {
            const auto culprits =
                failure.is_of_several() ? culprits_of(team, slices, poll) : std::vector{failure.processor()};
            const auto active =
                std::count_if(slices.begin(), slices.end(), [](const auto &one) { return one.rows > 0; });
            if (culprits.empty() && !failed_together) { // once more: it may not fail again
                failed_together = true;
                continue;
            }
            const bool are_all = active > 1 && static_cast<std::ptrdiff_t>(culprits.size()) == active;
            if (culprits.empty() || (are_all && !takes_any_sum(team, slices, rules.smallest_size, poll)))
                throw NoCulprit(
                    failure.status(),
                    text(failure.what(), culprits.empty() ? "; it fails with none" : "; it fails with each",
                         " of these sizes alone, so that no processor is to blame: a search runs any sizes, whatever "
                         "their sum, and the application must take them"));
            for (auto &batch : batches)
                if (std::find(culprits.begin(), culprits.end(), batch.processor) != culprits.end())
                    batch.failure = failure.reason();
        }
    }
}

} // namespace

std::unique_ptr<Counters> counters_of_thread(const Member &member)
{
    const bool is_unwatched = member.cores.empty() && !member.occupied.empty();
    return std::make_unique<SystemCounters>(std::set<pid_t>{::gettid()}, member.occupied, is_unwatched, "/proc",
                                            [&member] { return std::vector{member.kernel->waited_seconds()}; });
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
                        std::vector<BatchCounts> &so_far, const Poll &poll)
{
    if (batches.empty()) return {};
    if (team.application() != nullptr) return run_application(team, batches, rules, so_far, poll);
    BatchStep step(team, batches, rules, so_far);
    step.run(poll);
    return step.counts();
}

} // namespace hpart
