#include "measurement/batches.hpp"

#include "core/error.hpp"
#include "measurement/application.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include <unistd.h>

namespace hpart
{

namespace
{

// One processor's batch, on its thread.
class MemberRun
{
  public:
    MemberRun(const Member &member, Batch &batch, const BatchRules &rules, const BatchCounts &so_far)
        : member_(member), batch_(batch), rules_(rules), so_far_(so_far)
    {
    }

    void prepare(const std::atomic<bool> &is_broken)
    {
        if (rules_.counters) counters_ = rules_.counters(member_);
        attempt([&] {
            member_.kernel->prepare({0, batch_.size});
            for (std::int64_t r = 0; r < rules_.warmup && !is_broken; ++r) usual_seconds_ = run_once();
        });
        batch_.is_ready = !is_broken;
    }

    void run(const std::atomic<bool> &is_broken)
    {
        attempt([&] {
            std::optional<DisturbanceWatch> watch;
            if (counters_) watch.emplace(*counters_, rules_.precision, usual_seconds_);
            while (count() < batch_.repetitions && !is_broken) {
                const double seconds = run_once();
                batch_.seconds.push_back(seconds);
                counts_.seconds += seconds;
                ++counts_.repetitions;
                if (!watch) continue;
                judge(watch->after_repetition(seconds), *watch);
                if (count() == batch_.repetitions) judge(watch->finish(), *watch);
            }
        });
    }

    template <typename IsAlone> void keep_company(const IsAlone &is_alone)
    {
        if (!batch_.failure.empty()) return;
        try {
            while (!is_alone()) member_.kernel->run();
        } catch (const RunFailure &) { // NOLINT(bugprone-empty-catch): it was measured before
        }
    }

    const BatchCounts &counts() const { return counts_; }

  private:
    template <typename Job> void attempt(const Job &job)
    {
        if (!batch_.failure.empty()) return;
        try {
            job();
        } catch (const RunFailure &failure) {
            batch_.seconds.clear();
            batch_.failure = failure.what();
        }
    }

    std::int64_t count() const { return static_cast<std::int64_t>(batch_.seconds.size()); }

    double run_once()
    {
        const auto begin = Clock::now();
        member_.kernel->run();
        return member_.kernel->own_seconds().value_or(seconds_since(begin));
    }

    void judge(std::int64_t newest, const DisturbanceWatch &watch)
    {
        if (newest == 0) return;
        counts_.who = watch.who();
        counts_.contaminated += newest;
        const auto may_repeat = [&] {
            return 3 * (so_far_.dropped + counts_.dropped) < so_far_.repetitions + counts_.repetitions;
        };
        for (; newest > 0 && rules_.repeats_contaminated && may_repeat(); --newest) {
            batch_.seconds.pop_back();
            ++counts_.dropped;
        }
    }

    const Member &member_;
    Batch &batch_;
    const BatchRules &rules_;
    const BatchCounts &so_far_;
    std::unique_ptr<Counters> counters_;
    double usual_seconds_ = 0; // of the last run that did not count
    BatchCounts counts_;
};

Batch &batch_of(std::span<Batch> batches, std::size_t processor)
{
    return *std::ranges::find(batches, processor, &Batch::processor);
}

BatchCounts run_kernels(const Team &team, std::span<Batch> batches, const BatchRules &rules,
                        std::vector<BatchCounts> &so_far, const Poll &poll)
{
    std::vector<Slice> slices(team.count());
    for (const auto &batch : batches) slices[batch.processor].rows = batch.size;
    TeamRun run(team, std::move(slices), false);
    std::vector<MemberRun> members;
    for (const auto i : run.active()) members.emplace_back(team.member(i), batch_of(batches, i), rules, so_far[i]);
    std::atomic<std::size_t> done = 0;
    run.run([&](std::size_t a, Kernel &, const auto &is_broken) { members[a].prepare(is_broken); }, poll, true);
    run.run(
        [&](std::size_t a, Kernel &, const auto &is_broken) {
            members[a].run(is_broken);
            ++done;
            members[a].keep_company([&] { return done == members.size() || is_broken; });
        },
        poll, true);
    BatchCounts counts;
    for (std::size_t a = 0; a < members.size(); ++a) {
        const double longest = std::max(counts.seconds, members[a].counts().seconds);
        counts.add(members[a].counts());
        counts.seconds = longest;
        so_far[run.active()[a]].add(members[a].counts());
    }
    return counts;
}

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
                    batch_of(batches, i).seconds.push_back(seconds);
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
                throw NoTimesOfEach(
                    failure.status(),
                    text(failure.what(), culprits.empty() ? "; it fails with none" : "; it fails with each",
                         " of these sizes alone, so that no processor is to blame: a search runs any sizes, whatever "
                         "their sum, and the application must take them"));
            for (const auto i : culprits) batch_of(batches, i).failure = failure.reason();
        }
    }
}

} // namespace

std::unique_ptr<Counters> counters_of_thread(const Member &member)
{
    const bool is_unwatched = member.cores.empty() && !member.occupied.empty();
    return std::make_unique<SystemCounters>(
        std::set<pid_t>{::gettid()}, member.occupied, is_unwatched, "/proc",
        [&member] { return std::vector{member.kernel->waited_seconds()}; },
        SystemCounters::Names{{{::gettid(), member.name}}, {member.name}});
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
    return run_kernels(team, batches, rules, so_far, poll);
}

} // namespace hpart
