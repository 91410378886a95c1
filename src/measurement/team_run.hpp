// A distribution being run: the threads and the prepared kernels of the processors that have work.
#pragma once

#include "core/progress.hpp"
#include "host/crew.hpp"
#include "measurement/team.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// When a processor's last run began and ended.
struct Span {
    Clock::time_point begin, end;
    double seconds() const { return std::chrono::duration<double>(end - begin).count(); }
};

class TeamRun
{
  public:
    // One slice a processor; those of no rows stay idle. Prepares every kernel on its processor's own thread. A failure
    // on any thread leaves the others to finish and is thrown here, naming processor and size.
    TeamRun(const Team &team, std::vector<Slice> slices);
    TeamRun(const TeamRun &) = delete;
    TeamRun &operator=(const TeamRun &) = delete;
    ~TeamRun();

    // Indices of the processors that have work.
    const std::vector<std::size_t> &active() const { return active_; }
    const std::vector<Slice> &slices() const { return slices_; }
    // Of the threads that run them.
    const std::vector<pid_t> &thread_ids() const { return thread_ids_; }

    // All active processors once, from one barrier.
    void repeat();
    // Of the last repetition, one an active processor.
    const std::vector<Span> &spans() const { return spans_; }

  private:
    void on_each(const std::function<void(std::size_t a, Kernel &kernel)> &job);
    void release() noexcept;

    const Team &team_;
    std::vector<Slice> slices_;
    std::vector<std::size_t> active_;
    std::vector<Span> spans_;
    std::vector<pid_t> thread_ids_;
    std::optional<Crew> crew_;
};

} // namespace hpart
