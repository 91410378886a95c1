// Events of CUDA's streams as the ends of commands, with the times between which they ran.
#pragma once

#include "core/progress.hpp"
#include "out_of_card/devices/cuda_context.hpp"

#include <memory>
#include <mutex>

namespace hpart
{

// An event that times; goes back when destroyed. The context is current when one is made.
class CudaMark
{
  public:
    explicit CudaMark(std::shared_ptr<CudaContext> context);
    CudaMark(const CudaMark &) = delete;
    CudaMark &operator=(const CudaMark &) = delete;
    ~CudaMark();

    CudaEventHandle handle() const { return handle_; }
    void record(CudaStream stream);
    // Time between two marks that are over.
    double seconds_since(const CudaMark &earlier) const;

  private:
    std::shared_ptr<CudaContext> context_;
    CudaEventHandle handle_ = nullptr;
};

// Marks tell only how long one comes after another, as a float of milliseconds: marks that are far apart lose digits.
// So times are taken from a base that is not old, and the bases' times are added up.
class CudaClock
{
  public:
    struct Base {
        std::shared_ptr<const CudaMark> mark;
        double seconds = 0; // after the first base
    };
    // A float tells milliseconds up to the usual age of a base to half a microsecond.
    explicit CudaClock(std::shared_ptr<CudaContext> context, double longest_base_seconds = 8);
    CudaClock(const CudaClock &) = delete;
    CudaClock &operator=(const CudaClock &) = delete;
    ~CudaClock();

    // A base that is over. The context is current.
    Base base();

  private:
    std::shared_ptr<CudaMark> mark_now();

    std::shared_ptr<CudaContext> context_;
    CudaStream stream_ = nullptr; // that is always empty
    std::mutex mutex_;
    Base base_;
    Clock::time_point made_;
    const double longest_base_seconds_;
};

// Failed once the context has, unless it was seen to be done before.
class CudaEvent final : public DeviceEvent
{
  public:
    CudaEvent(std::shared_ptr<CudaContext> context, CudaClock::Base base);
    CudaEvent(const CudaEvent &) = delete;
    CudaEvent &operator=(const CudaEvent &) = delete;
    ~CudaEvent() override;

    CudaMark &start() { return start_; }
    CudaMark &end() { return end_; }
    bool is_known_done() const { return state_ == EventState::done; }

    EventState state() const override;
    EventState wait() const override;
    Interval interval() const override;
    std::string failure() const override { return context_->failure(); }

  private:
    EventState ask(CudaResult (*CudaDriver::*function)(CudaEventHandle)) const;

    std::shared_ptr<CudaContext> context_;
    CudaClock::Base base_;
    CudaMark start_, end_;
    mutable std::atomic<EventState> state_{EventState::pending};
};

} // namespace hpart
