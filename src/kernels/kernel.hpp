// The work of an abstract processor.
#pragma once

#include "core/error.hpp"
#include "host/thread_group.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Contiguous rows of a problem.
struct Slice {
    std::int64_t first = 0;
    std::int64_t rows = 0;
    bool operator==(const Slice &) const = default;
};

// Between the host and a device with memory of its own.
struct HostLink {
    double latency_seconds, bytes_per_second;
};

// The run of one size failed; another size may succeed.
class RunFailure : public Error
{
  public:
    explicit RunFailure(std::string message) : Error(Status::callback, std::move(message)) {}
};

// A kernel, or an application.
class Work
{
  public:
    Work() = default;
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;
    virtual ~Work() = default;

    // The unit of the last decimal of printed times, in seconds; the finest one of all runs.
    virtual std::optional<double> printed_step() const { return std::nullopt; }
    // Why the seconds of some run cannot be its time; "" if they can.
    virtual std::string time_doubt() const { return ""; }
    // Seconds for which processes that it started waited for a core, in all runs.
    virtual double waited_seconds() const { return 0; }
    // Names what its times depend on beside this machine: programs with their dates, devices with their drivers. Without line feeds.
    virtual std::vector<std::string> origins() const { return {}; }
    // "dgemm n=512 k=512", "./app {x}"; "" if unknown.
    virtual std::string description() const { return ""; }
    // True if interrupt() makes a run throw. Another thread calls interrupt(); its effect lasts until the next prepare.
    virtual bool is_interruptible() const { return false; }
    virtual void interrupt() noexcept {}
};

// prepare and run are called on the processor's own thread; release on any, when that thread does nothing.
class Kernel : public Work
{
  public:
    // All that is not to be timed: memory, data, plans. rows >= 1.
    virtual void prepare(const Slice &slice) = 0;
    // The slice prepared last; may be called many times, each time with the same work and the same result.
    virtual void run() = 0;
    // Gives back what prepare took. No effect when nothing is prepared.
    virtual void release() noexcept = 0;
    // Seconds of the last run, where the kernel measures them itself.
    virtual std::optional<double> own_seconds() const { return std::nullopt; }
    // Measured at the first call; nothing if the kernel runs on the host's cores, or the link is unknown.
    virtual std::optional<HostLink> host_link() { return std::nullopt; }
};

struct SliceResult {
    Slice slice;
    std::span<const double> values;
};

struct Check {
    double max_relative_error;
    double tolerance; // the largest error that rounding explains
};

// The time of a part of a run.
struct PartSeconds {
    std::string_view name; // "transpose"
    double seconds;
};

struct Partners;

// A kernel of the library's: its processors share one problem when their descriptions are equal.
class BuiltinKernel : public Kernel
{
  public:
    // True if a processor's part needs the others while it runs.
    virtual bool needs_partners() const { return false; }
    // The math mode of its libraries, if not the usual one: "fp64-emulated".
    virtual std::string math_mode() const { return ""; }
    // Before prepare, on any thread: those that work on one problem together. place: this one's among their slices.
    virtual void join(const std::shared_ptr<Partners> & /*partners*/, std::size_t /*place*/) {}
    // The parts of the last run, whose sum is own_seconds(); none for a run of one part.
    virtual std::span<const PartSeconds> parts() const { return {}; }
    // The slice's rows after a run, until release; of single precision, a copy until the next call.
    virtual std::span<const double> result() const = 0;
    // Compares a problem's slices, consecutive from row 0, with a reference that is computed another way.
    virtual Check check(std::span<const SliceResult> slices) const = 0;
};

// The threads of one abstract processor of several cores: the processor's own thread alone where it has one core.

// Part w of `parts` contiguous parts of [0, count), of lengths that differ by one at most.
inline Slice part_of(std::int64_t count, std::size_t w, std::size_t parts)
{
    const auto p = static_cast<std::int64_t>(parts), i = static_cast<std::int64_t>(w);
    const auto longer = std::min(i, count % p);
    return {count / p * i + longer, count / p + (i < count % p ? 1 : 0)};
}

class Workers
{
  public:
    explicit Workers(CoreList cores) : cores_(std::move(cores)) {}

    std::size_t count() const { return cores_.empty() ? 1 : cores_.size(); }
    // The threads live from start to stop.
    void start()
    {
        if (count() == 1 || group_) return;
        std::vector<CoreList> bindings;
        for (const int core : cores_) bindings.push_back({core});
        group_.emplace(bindings);
    }
    void stop() noexcept { group_.reset(); }

    template <typename Job> void run(const Job &job)
    {
        if (group_)
            group_->run(job);
        else
            job(0);
    }

  private:
    CoreList cores_;
    std::optional<ThreadGroup> group_;
};

} // namespace hpart
