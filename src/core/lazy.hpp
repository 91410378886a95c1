// A value made once, at the first request, by the requesting thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

namespace hpart
{

template <typename Value> class Lazy
{
  public:
    // The value, made by make() as a unique_ptr if it is not there. When make throws, the next to ask makes it.
    template <typename Make> const Value &get(Make &&make) const
    {
        if (const auto *ready = ready_.load(std::memory_order_acquire)) return *ready;
        const std::lock_guard lock(making_);
        if (!value_) {
            value_ = make();
            ready_.store(value_.get(), std::memory_order_release);
        }
        return *value_;
    }

    // Nobody may be asking at the same time.
    void forget()
    {
        ready_.store(nullptr, std::memory_order_relaxed);
        value_.reset();
    }

  private:
    mutable std::atomic<const Value *> ready_ = nullptr;
    mutable std::mutex making_;
    mutable std::unique_ptr<const Value> value_;
};

} // namespace hpart
