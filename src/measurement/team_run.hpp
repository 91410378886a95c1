// A distribution being run: the threads and the prepared kernels of the processors that have work.
#pragma once

#include "core/error.hpp"
#include "core/progress.hpp"
#include "host/thread_group.hpp"
#include "measurement/team.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// When a processor's last run began and ended.
struct Span {
    Clock::time_point begin, end;
    std::optional<double> own; // by the kernel's own account
    double seconds() const { return own ? *own : std::chrono::duration<double>(end - begin).count(); }
};

// Seconds of the slowest one.
inline double longest(std::span<const Span> spans)
{
    double seconds = 0;
    for (const auto &span : spans) seconds = std::max(seconds, span.seconds());
    return seconds;
}

// A processor whose kernel failed at this size, while the others ran; or an application that runs several of them.
class PointFailure : public Error
{
  public:
    PointFailure(std::size_t processor, std::string reason, std::string message, bool is_of_several = false)
        : Error(Status::callback, std::move(message)), processor_(processor), is_of_several_(is_of_several),
          reason_(std::move(reason))
    {
    }
    // The first one, if any of several may be the reason: culprits_of() finds those that are.
    std::size_t processor() const { return processor_; }
    bool is_of_several() const { return is_of_several_; }
    // Without the processor and the size.
    const std::string &reason() const { return reason_; }

  private:
    std::size_t processor_;
    bool is_of_several_;
    std::string reason_;
};

class HPART_PRIVATE TeamRun
{
  public:
    // One slice a processor; processors without rows stay idle. Prepares every kernel on its processor's own thread. A failure on
    // any thread leaves the others to finish and is thrown here, naming processor and size. prepares: false leaves it to a job.
    TeamRun(const Team &team, std::vector<Slice> slices, bool prepares = true);
    TeamRun(const TeamRun &) = delete;
    TeamRun &operator=(const TeamRun &) = delete;
    ~TeamRun();

    // Indices of the processors that have work.
    const std::vector<std::size_t> &active() const { return active_; }
    const std::vector<Slice> &slices() const { return slices_; }
    std::vector<std::int64_t> sizes() const; // rows of the slices
    // The threads that run them.
    const std::vector<pid_t> &thread_ids() const { return thread_ids_; }

    // All active processors once, from one barrier. Asks poll before, and, if a kernel can be interrupted, while they run. When it throws, or a kernel fails, the others are interrupted; what failed first is thrown.
    void repeat(const Poll &poll = Poll());
    // The job on every active processor's own thread, or once on an application's, from one barrier; polls and failures as of
    // repeat. is_broken: something has failed, so that a long job should end. job_heeds_is_broken: the job does; poll is then
    // asked whatever its kernels are.
    using Job = std::function<void(std::size_t a, Kernel &kernel, const std::atomic<bool> &is_broken)>;
    void run(const Job &job, const Poll &poll, bool job_heeds_is_broken = false);
    // Inside a job, on the processor's thread: another slice, unless it is prepared.
    void prepare(std::size_t a, const Slice &slice);
    // Spans of the last repetition, one per active processor.
    const std::vector<Span> &spans() const { return spans_; }

  private:
    void on_threads(const std::function<void(std::size_t a, Kernel &kernel)> &job,
                    const std::function<void()> &look = {});
    std::string subject(std::size_t a) const;
    void interrupt() noexcept;
    void release() noexcept;

    const Team &team_;
    std::vector<Slice> slices_;
    std::vector<std::size_t> active_;
    std::vector<Span> spans_;
    std::vector<pid_t> thread_ids_;
    std::optional<ThreadGroup> group_;
};

// Checks that processors stay on their cores.

// Fails when two of the processors share a core: each would take time from the other.
HPART_PRIVATE void require_own_cores(const Team &team, std::span<const std::size_t> processors);

// Watches, from now on, the threads of this process that are not the processors' own.
class BindingWatch
{
  public:
    BindingWatch(const Team &team, const TeamRun &run);

    // One sentence for each active processor: "" while its cores were kept.
    std::vector<std::string> broken() const;

  private:
    void find_moved(std::vector<std::string> &broken) const;
    void find_strangers(std::vector<std::string> &broken) const;

    const Team &team_;
    const TeamRun &run_;
    pid_t caller_ = this_thread_id();
    std::map<pid_t, ThreadUse> before_ = thread_uses();
    Clock::time_point begin_ = Clock::now();
};

// The remedy, as half a sentence.
std::string_view binding_remedy();

} // namespace hpart
