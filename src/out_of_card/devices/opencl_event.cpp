#include "out_of_card/devices/opencl_event.hpp"

#include "core/error.hpp"
#include "host/page_memory.hpp"
#include "out_of_card/devices/opencl_backend.hpp"

#include <algorithm>
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

namespace
{

ClBuffer make_buffer(const OpenClState &state, cl_mem_flags flags, std::int64_t bytes, void *memory)
{
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(clCreateBuffer(state.context.get(), flags, static_cast<std::size_t>(bytes), memory, &status));
    check_allocation(status, "clCreateBuffer");
    return buffer;
}

class OpenClBuffer : public DeviceBuffer
{
  public:
    OpenClBuffer(const OpenClStatePtr &state, PageMemory own, ClBuffer buffer, std::int64_t bytes)
        : counted_(state, &Census::buffers), own_(std::move(own)), buffer_(std::move(buffer)), bytes_(bytes)
    {
        state->allocated_bytes += bytes;
    }
    OpenClBuffer(const OpenClBuffer &) = delete;
    OpenClBuffer &operator=(const OpenClBuffer &) = delete;
    ~OpenClBuffer() override { state().allocated_bytes -= bytes_; }
    void *native() const override { return buffer_.get(); }

  protected:
    OpenClState &state() const { return counted_.state(); }
    cl_mem buffer() const { return buffer_.get(); }

  private:
    Counted counted_;
    PageMemory own_; // goes after the buffer that is made of it
    ClBuffer buffer_;
    std::int64_t bytes_;
};

class OpenClWrapped final : public OpenClBuffer
{
  public:
    OpenClWrapped(const OpenClStatePtr &state, ClBuffer buffer, std::int64_t bytes)
        : OpenClBuffer(state, nullptr, std::move(buffer), 0), bytes_(bytes)
    {
    }
    OpenClWrapped(const OpenClWrapped &) = delete;
    OpenClWrapped &operator=(const OpenClWrapped &) = delete;
    ~OpenClWrapped() override
    {
        // A mapping brings the host's view up to date; where it fails the commands before it have failed too.
        cl_int status = CL_SUCCESS;
        auto *const queue = state().service.get();
        void *mapped = clEnqueueMapBuffer(queue, buffer(), CL_TRUE, CL_MAP_READ, 0, static_cast<std::size_t>(bytes_), 0,
                                          nullptr, nullptr, &status);
        if (status == CL_SUCCESS && clEnqueueUnmapMemObject(queue, buffer(), mapped, 0, nullptr, nullptr) == CL_SUCCESS)
            clFinish(queue);
    }

  private:
    std::int64_t bytes_;
};

// Pages of the host: all that there is to pin where the device runs there.
class PinnedPages final : public PinnedMemory
{
  public:
    PinnedPages(const OpenClStatePtr &state, PageMemory pages, bool is_pinned)
        : counted_(state, &Census::pinned), pages_(std::move(pages)), is_pinned_(is_pinned)
    {
    }
    void *data() const override { return pages_.get(); }
    bool is_pinned() const override { return is_pinned_; }

  private:
    Counted counted_;
    PageMemory pages_;
    bool is_pinned_;
};

// Memory that the driver has pinned, mapped for its life.
class PinnedMapping final : public PinnedMemory
{
  public:
    PinnedMapping(const OpenClStatePtr &state, std::int64_t bytes)
        : counted_(state, &Census::pinned),
          buffer_(make_buffer(*state, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr))
    {
        cl_int status = CL_SUCCESS;
        data_ = clEnqueueMapBuffer(state->service.get(), buffer_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                   static_cast<std::size_t>(bytes), 0, nullptr, nullptr, &status);
        check_allocation(status, "clEnqueueMapBuffer");
    }
    PinnedMapping(const PinnedMapping &) = delete;
    PinnedMapping &operator=(const PinnedMapping &) = delete;
    ~PinnedMapping() override
    {
        auto *const queue = counted_.state().service.get();
        if (clEnqueueUnmapMemObject(queue, buffer_.get(), data_, 0, nullptr, nullptr) == CL_SUCCESS) clFinish(queue);
    }
    void *data() const override { return data_; }

  private:
    Counted counted_;
    ClBuffer buffer_;
    void *data_ = nullptr;
};

// Some drivers take memory when a command first uses it: one does so here, where a failure can be met.
void make_resident(const OpenClState &state, cl_mem buffer)
{
    constexpr char byte = 0;
    cl_event event = nullptr;
    check_allocation(
        clEnqueueWriteBuffer(state.service.get(), buffer, CL_TRUE, 0, sizeof byte, &byte, 0, nullptr, &event),
        "clEnqueueWriteBuffer");
    const ClEvent written(event);
    // A blocking write returns once the byte is copied: some drivers (Intel's) send it later.
    const auto waited = clWaitForEvents(1, &event);
    cl_int status = CL_COMPLETE;
    check_cl(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
             "clGetEventInfo");
    check_allocation(std::min(status, CL_COMPLETE), "clEnqueueWriteBuffer");
    check_cl(waited, "clWaitForEvents");
}

} // namespace

std::unique_ptr<DeviceBuffer> allocate_opencl_buffer(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes)
{
    bytes = std::max<std::int64_t>(bytes, 1); // no buffer is empty
    if (bytes > info.largest_buffer_bytes)
        fail(Status::out_of_memory, info.spec, " takes no array above ", info.largest_buffer_bytes, " bytes; ", bytes,
             " are needed");
    if (const auto left = info.memory_bytes - state->allocated_bytes; bytes > left)
        fail(Status::out_of_memory, info.spec, " has ", left, " bytes left of ", info.memory_bytes, "; ", bytes,
             " are needed");
    if (!info.on_host_cores) {
        auto buffer = make_buffer(*state, CL_MEM_READ_WRITE, bytes, nullptr);
        make_resident(*state, buffer.get());
        return std::make_unique<OpenClBuffer>(state, nullptr, std::move(buffer), bytes);
    }
    auto pages = allocate_pages(bytes);
    auto buffer = make_buffer(*state, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, pages.get());
    return std::make_unique<OpenClBuffer>(state, std::move(pages), std::move(buffer), bytes);
}

std::unique_ptr<DeviceBuffer> wrap_for_opencl(const OpenClStatePtr &state, void *memory, std::int64_t bytes)
{
    return std::make_unique<OpenClWrapped>(
        state, make_buffer(*state, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory), bytes);
}

std::unique_ptr<PinnedMemory> allocate_opencl_pinned(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes)
{
    if (info.on_host_cores) return std::make_unique<PinnedPages>(state, allocate_pages(bytes), true);
    try {
        return std::make_unique<PinnedMapping>(state, std::max<std::int64_t>(bytes, 1));
    } catch (const Error &error) {
        // Some drivers pin more at once than they promise, others no more than their largest array.
        if (error.status() != Status::out_of_memory || bytes <= info.largest_buffer_bytes) throw;
    }
    return std::make_unique<PinnedPages>(state, allocate_pages(bytes), false);
}

} // namespace hpart
