#include "out_of_card/devices/cuda_event.hpp"

namespace hpart
{

CudaMark::CudaMark(std::shared_ptr<CudaContext> context) : context_(std::move(context))
{
    context_->check(context_->driver().event_create(&handle_, cuda_event_blocking_sync), "cuEventCreate");
}

CudaMark::~CudaMark()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().event_destroy(handle_);
}

void CudaMark::record(CudaStream stream)
{
    context_->check(context_->driver().event_record(handle_, stream), "cuEventRecord");
}

double CudaMark::seconds_since(const CudaMark &earlier) const
{
    float milliseconds = 0;
    context_->check(context_->driver().event_elapsed(&milliseconds, earlier.handle(), handle_), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) / 1000;
}

CudaClock::CudaClock(std::shared_ptr<CudaContext> context, double longest_base_seconds)
    : context_(std::move(context)), longest_base_seconds_(longest_base_seconds)
{
    const CudaCurrent current(*context_);
    const auto &driver = context_->driver();
    context_->check(driver.stream_create(&stream_, cuda_stream_non_blocking), "cuStreamCreate");
    try {
        base_ = {mark_now(), 0};
    } catch (...) {
        driver.stream_destroy(stream_);
        throw;
    }
}

CudaClock::~CudaClock()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().stream_destroy(stream_);
}

std::shared_ptr<CudaMark> CudaClock::mark_now()
{
    auto mark = std::make_shared<CudaMark>(context_);
    mark->record(stream_);
    context_->check(context_->driver().event_synchronize(mark->handle()), "cuEventSynchronize");
    made_ = Clock::now();
    return mark;
}

CudaClock::Base CudaClock::base()
{
    const std::lock_guard lock(mutex_);
    if (seconds_since(made_) > longest_base_seconds_) {
        const auto mark = mark_now();
        base_ = {mark, base_.seconds + mark->seconds_since(*base_.mark)};
    }
    return base_;
}

CudaEvent::CudaEvent(std::shared_ptr<CudaContext> context, CudaClock::Base base)
    : context_(std::move(context)), base_(std::move(base)), start_(context_), end_(context_)
{
    ++context_->census().events;
}

CudaEvent::~CudaEvent() { --context_->census().events; }

EventState CudaEvent::state() const { return ask(&CudaDriver::event_query); }

EventState CudaEvent::wait() const { return ask(&CudaDriver::event_synchronize); }

EventState CudaEvent::ask(CudaResult (*CudaDriver::*function)(CudaEventHandle)) const
{
    if (state_ != EventState::pending) return state_;
    if (!context_->has_failed()) {
        const CudaCurrent current(*context_, std::nothrow);
        const auto result = (context_->driver().*function)(end_.handle());
        if (result == CudaResult::not_ready) return EventState::pending;
        if (result != CudaResult::success) context_->note_failure(result);
    }
    state_ = context_->has_failed() ? EventState::failed : EventState::done;
    return state_;
}

Interval CudaEvent::interval() const
{
    if (!is_known_done() || context_->has_failed()) return {};
    const CudaCurrent current(*context_, std::nothrow);
    try {
        const auto start = base_.seconds + start_.seconds_since(*base_.mark);
        return {start, start + end_.seconds_since(start_)};
    } catch (const std::exception &) {
        return {}; // the driver cannot tell
    }
}

} // namespace hpart
