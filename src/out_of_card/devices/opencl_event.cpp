#include "out_of_card/devices/opencl_event.hpp"

#include "core/error.hpp"

#include <mutex>

namespace hpart
{

namespace
{

constexpr cl_int status_of_dependents = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

// 0 where it is not known.
double seconds_of(cl_event event, cl_profiling_info what)
{
    cl_ulong nanoseconds = 0;
    if (clGetEventProfilingInfo(event, what, sizeof nanoseconds, &nanoseconds, nullptr) != CL_SUCCESS) return 0;
    return static_cast<double>(nanoseconds) * 1e-9;
}

} // namespace

double end_seconds(cl_event event)
{
    return seconds_of(event, CL_PROFILING_COMMAND_START) > 0 ? seconds_of(event, CL_PROFILING_COMMAND_END) : 0;
}

OpenClEvent::OpenClEvent(OpenClStatePtr state, ClEvent first, bool first_is_before, ClEvent last, OpenClEvents after)
    : counted_(std::move(state), &Census::events), first_(std::move(first)), last_(std::move(last)),
      first_is_before_(first_is_before), after_(std::move(after))
{
}

OpenClEvent::OpenClEvent(OpenClStatePtr state, cl_int status)
    : counted_(std::move(state), &Census::events), status_(status)
{
}

std::shared_ptr<OpenClEvent> OpenClEvent::gate(const OpenClStatePtr &state)
{
    cl_int status = CL_SUCCESS;
    ClEvent user(clCreateUserEvent(state->context.get(), &status));
    check_cl(status, "clCreateUserEvent");
    auto gate = std::make_shared<OpenClEvent>(state, ClEvent(), false, std::move(user));
    gate->closed_gate_ = true;
    return gate;
}

OpenClEvent::~OpenClEvent()
{
    open(false);
    settle(); // also what nobody has looked at may be failing just now
}

void OpenClEvent::open(bool succeed)
{
    if (!closed_gate_.exchange(false)) return;
    if (succeed) {
        clSetUserEventStatus(last_.get(), CL_COMPLETE);
        return;
    }
    const std::unique_lock lock(counted_.state().failing);
    clSetUserEventStatus(last_.get(), status_of_dependents);
}

void OpenClEvent::settle() const
{
    if (status_.load(std::memory_order_acquire) == CL_COMPLETE) return;
    const std::shared_lock lock(counted_.state().failing);
}

EventState OpenClEvent::end(cl_int status) const
{
    if (status > CL_COMPLETE) return EventState::pending;
    cl_int known = CL_SUBMITTED; // the first to know counts: later ones may find after_ empty
    if (!status_.compare_exchange_strong(known, status, std::memory_order_acq_rel)) status = known;
    return status == CL_COMPLETE ? EventState::done : EventState::failed;
}

OpenClEvents OpenClEvent::after() const
{
    const std::lock_guard lock(mutex_);
    return after_;
}

cl_int OpenClEvent::status_of_complete() const
{
    for (const auto &event : after()) {
        const auto state = event->look();
        if (state != EventState::done) return state == EventState::failed ? status_of_dependents : CL_SUBMITTED;
    }
    auto *event = last_.get();
    return clWaitForEvents(1, &event); // its status is a success, too
}

EventState OpenClEvent::look() const
{
    cl_int status = status_.load(std::memory_order_acquire);
    if (status <= CL_COMPLETE) return end(status);
    const auto asked = clGetEventInfo(last_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (asked != CL_SUCCESS) status = asked;
    return end(status == CL_COMPLETE ? status_of_complete() : status);
}

EventState OpenClEvent::state() const
{
    const auto state = look();
    if (state == EventState::failed) settle();
    if (state != EventState::pending) release();
    return state;
}

void OpenClEvent::release() const
{
    OpenClEvents released; // goes without the lock
    const std::lock_guard lock(mutex_);
    released.swap(after_);
}

EventState OpenClEvent::wait() const
{
    if (const auto known = state(); known != EventState::pending) return known;
    for (const auto &event : after()) event->wait();
    auto *event = last_.get();
    const auto waited = clWaitForEvents(1, &event);
    const auto known = state();
    // The driver says that it cannot wait: it will not tell of an end either.
    return known == EventState::pending ? end(waited == CL_SUCCESS ? CL_OUT_OF_RESOURCES : waited) : known;
}

Interval OpenClEvent::interval() const
{
    if (!counted_.state().has_times || last_.get() == nullptr || state() != EventState::done) return {};
    const auto &first = first_.get() == nullptr ? last_ : first_;
    const Interval interval{
        seconds_of(first.get(), first_is_before_ ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START),
        seconds_of(last_.get(), CL_PROFILING_COMMAND_END)};
    return interval.start > 0 && interval.end >= interval.start ? interval : Interval{};
}

std::string OpenClEvent::failure() const
{
    const auto status = status_.load(std::memory_order_acquire);
    // PoCL's status of all that cannot run; the name that -1 has as a call's status would mislead.
    if (status == -1 || status == status_of_dependents)
        return "what it waits for failed, or a gate was closed for good";
    return cl_error_name(status);
}

OpenClWaitList::OpenClWaitList(std::span<const Event> after, const Event &one_more)
{
    for (const auto &event : after)
        if (event) add(event);
    if (one_more) add(one_more);
}

void OpenClWaitList::add(const Event &event)
{
    auto own = std::dynamic_pointer_cast<const OpenClEvent>(event);
    if (own == nullptr) fail(Status::internal, "a command on an OpenCL device waits for another device's event");
    switch (own->look()) {
    case EventState::done: break;
    case EventState::failed: failed_ = true; break;
    case EventState::pending:
        events_.push_back(own->native());
        pending_.push_back(std::move(own));
        break;
    }
}

} // namespace hpart
