// The ends of OpenCL commands.
#pragma once

#include "out_of_card/devices/opencl_backend.hpp"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace hpart
{

// When this finished command ended, by the driver's clock; 0 where it is not known, by some drivers for commands without work.
double end_seconds(cl_event event);

class OpenClEvent;
using OpenClEvents = std::vector<std::shared_ptr<const OpenClEvent>>;

// It fails if an event that its commands wait for fails. Some drivers (Intel's) report commands that could not run as complete.
class OpenClEvent final : public DeviceEvent
{
  public:
    // The event of commands from `first` (may be null) to `last`. `first_is_before`: it ends where the commands begin.
    // `after`: the events that they wait for.
    OpenClEvent(OpenClStatePtr state, ClEvent first, bool first_is_before, ClEvent last, OpenClEvents after = {});
    // Over at once: done, or failed with this status.
    OpenClEvent(OpenClStatePtr state, cl_int status);
    // A gate: a user event.
    static std::shared_ptr<OpenClEvent> gate(const OpenClStatePtr &state);
    OpenClEvent(const OpenClEvent &) = delete;
    OpenClEvent &operator=(const OpenClEvent &) = delete;
    // A gate that nobody can open any more fails.
    ~OpenClEvent() override;

    EventState state() const override;
    EventState wait() const override;
    Interval interval() const override;
    std::string failure() const override;

    // Opens a gate; the first call counts.
    void open(bool succeed);
    cl_event native() const { return last_.get(); }
    // state(), for those who hold OpenClState::failing.
    EventState look() const;

  private:
    // Waits until the driver is done with events that are failing just now.
    void settle() const;
    EventState end(cl_int status) const;
    // The status of commands that the driver takes for complete; CL_SUBMITTED while it is not known.
    cl_int status_of_complete() const;
    OpenClEvents after() const;
    // Not under the lock of OpenClState::failing, which events that go take.
    void release() const;

    Counted counted_;
    ClEvent first_, last_;
    bool first_is_before_ = false;
    std::atomic<bool> closed_gate_{false};
    mutable std::atomic<cl_int> status_{CL_SUBMITTED}; // CL_COMPLETE or negative once it is over
    mutable std::mutex mutex_;
    mutable OpenClEvents after_; // those that it waits for; none once somebody has seen its end
};

// The events as OpenCL takes them, without those that are done. Made under the shared lock of OpenClState::failing.
class OpenClWaitList
{
  public:
    explicit OpenClWaitList(std::span<const Event> after, const Event &one_more = nullptr);
    // True if the commands that depend on it cannot run.
    bool has_failed() const { return failed_; }
    cl_uint size() const { return static_cast<cl_uint>(events_.size()); }
    const cl_event *data() const { return events_.empty() ? nullptr : events_.data(); }
    // For the event of the commands that wait.
    OpenClEvents take() { return std::move(pending_); }

  private:
    void add(const Event &event);

    std::vector<cl_event> events_;
    OpenClEvents pending_;
    bool failed_ = false;
};

} // namespace hpart
