// Parts of an operation on several devices at once: a thread each. The caller hears of their progress on its own thread. The first
// error is the cause of the others, and is thrown when all have ended.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "host/thread_group.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// The report of an operation on a device. All operations use the same words: this is the one place
// that writes the keys that they share.

// Predictions for an operation, made before it began.
struct Expectation {
    std::int64_t bytes = 0;             // both ways
    std::int64_t lower_bound_bytes = 0; // that no plan in this memory can go below
    double seconds = 0;
};

// A device's part, where several share an operation.
struct DevicePart {
    std::string device; // and its work: "opencl:0:0 120 rows"
    double share = 0;   // of the whole
    double seconds = 0;
};

struct Account {
    std::string method = "host"; // where: host, zero-copy, out-of-card, devices, pipeline
    std::string plan = "host";   // how: the name of a plan
    std::string tiles{};         // in what pieces; empty where it was not cut
    std::optional<std::string> kernel{};
    FlowRecord moved{};       // of all devices together
    double seconds = 0;       // of the operation
    double setup_seconds = 0; // of the call besides: measuring, compiling, planning
    std::optional<double> flops{};
    std::optional<Expectation> expected{};
    std::int64_t retries = 0;
    std::vector<DevicePart> parts{};
    std::string bound_by{};          // products that were planned: the longest of what was expected
    std::int64_t device_bytes = 0;   // of a device's memory; 0: not counted apart
    std::int64_t least_memory = 0;   // of the device, for any plan; 0: not asked for
    std::int64_t advised_memory = 0; // of the device, for nearly the best time; 0: not asked for, or not known
    double in_card_seconds = 0;      // of the same kernels without transfers; 0: not asked for

    void report(Report &report) const;
};

// Shares of several devices, by the library's own partitioner. A model predicts their times; the times of earlier calls correct
// the model.

// Work is dealt out in so many units at most.
constexpr std::int64_t most_units = 128;

// Times of 1, 2 ... `units` units: modelled at a few sizes, on lines between.
std::vector<double> seconds_of_units(std::int64_t units, const std::function<double(std::int64_t size)> &modelled);

// Least time for `size` units: seconds[i][x - 1] is device i's for x units.
std::vector<std::int64_t> shares_of_least_time(const std::vector<std::vector<double>> &seconds, std::int64_t size);

// Measured over predicted times of a kind of work on a device. They differ where other devices are loaded at the same time.
class Correction
{
  public:
    double factor() const { return factor_; }
    // Corrects later calls by a part's expected time, with the factor, and the time that it took.
    void learn(double expected_seconds, double seconds);

  private:
    double factor_ = 1;
};

// The device's own for this kind of work. The device's in_use is held.
std::shared_ptr<Correction> correction_of(DeviceSession &session, const std::string &work);

// The memory of a device that a dry run advises: with less of it an operation soon becomes slow.

// The fewest bytes, at most an eighth above them, with which the predicted time is within 1.2 of the time with `most`: `from` to `most`;
// nothing if `most` has no prediction. seconds(bytes) is optional.
template <typename Seconds>
std::optional<std::int64_t> advised_bytes(std::int64_t from, std::int64_t most, const Seconds &seconds)
{
    constexpr double near = 1.2;
    constexpr std::int64_t parts = 8;
    const std::optional<double> best = seconds(most);
    if (!best) return std::nullopt;
    const auto is_near = [&](std::int64_t bytes) {
        const std::optional<double> one = seconds(bytes);
        return one && *one <= near * *best;
    };
    if (from >= most || is_near(from)) return std::min(from, most);
    auto low = from, high = most;
    while (high - low > std::max<std::int64_t>(1, high / parts)) {
        const auto mean = static_cast<std::int64_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
        const auto middle = std::clamp(mean, low + 1, high - 1);
        (is_near(middle) ? high : low) = middle;
    }
    return high;
}

// Runs a user's list of steps on a device.

// A step as a user's kernel sees it.
struct StepView {
    std::int64_t index = 0;
    void *queue = nullptr;      // cl_command_queue, CUstream; null on the host
    std::vector<void *> memory; // of each use: cl_mem, CUdeviceptr; on the host an address. Rows without gaps
};

// Adds its commands to the queue, or on the host does the work. Non-zero: stop.
using StepKernel = std::function<int(const StepView &step)>;

// As if the steps ran one after another on the host's memory. Status::callback when the kernel returns non-zero.
void run_steps(DeviceSession &session, const StepList &list, const StepKernel &kernel, const FlowOptions &flow_options,
               Control &control, Report &report);

class DeviceTeam
{
  public:
    // shares: of the whole, one for each part; a part of nothing has no thread.
    DeviceTeam(std::vector<double> shares, Control &control);
    DeviceTeam(const DeviceTeam &) = delete;
    DeviceTeam &operator=(const DeviceTeam &) = delete;
    ~DeviceTeam() = default;

    // The control stops a part when another one failed, or the caller says so.
    using Work = std::function<void(std::size_t part, Control &control)>;
    // Status::out_of_memory where a thread cannot be started.
    void run(const Work &work);
    // Within the work of each part: waits for all others. False if one of them will not come.
    bool meet()
    {
        return meeting_.arrive([] {});
    }

  private:
    void work(std::size_t part, const Work &work) noexcept;
    int report_progress(std::size_t part, double fraction, const char *what);
    void stop(const std::exception_ptr &error);

    const std::vector<double> shares_;
    Control &control_; // the caller's
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<double> fractions_; // that are done of each
    const char *what_ = "starting";
    std::exception_ptr error_;
    bool stopped_ = false;
    std::int64_t running_ = 0; // parts that have a thread
    MeetingPoint meeting_;
};

} // namespace hpart
