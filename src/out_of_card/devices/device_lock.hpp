// One operation at a time uses a device. What would wait for ever is refused: another operation in a callback of the first one, and a driver
// in a forked process, which lacks the driver's threads.
#pragma once

#include "core/error.hpp"
#include "out_of_card/devices/device.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

namespace hpart
{

class DeviceLock
{
  public:
    explicit DeviceLock(const DeviceInfo &of) : of_(of) {}
    void lock()
    {
        if (of_.backend != Backend::host && process_ != getpid())
            fail(Status::device, of_.spec,
                 " was opened before this process was forked, and its driver does not work in a fork; start a new "
                 "process instead");
        if (owner_ == std::this_thread::get_id() || called_back == this)
            fail_argument(
                of_.spec,
                " is running an operation; a callback of the operation cannot start another one on the device");
        // Another device of the same operation would never be free.
        if (called_back != nullptr) {
            if (!mutex_.try_lock())
                fail_argument(of_.spec,
                              " is running an operation; a callback of an operation cannot wait for a device");
        } else {
            mutex_.lock();
        }
        owner_ = std::this_thread::get_id();
    }
    void unlock()
    {
        owner_ = std::thread::id();
        mutex_.unlock();
    }

    // While it lives, this thread runs a callback of the operation that has the device.
    class Callback
    {
      public:
        explicit Callback(const DeviceLock &lock) : outer_(std::exchange(called_back, &lock)) {}
        Callback(const Callback &) = delete;
        Callback &operator=(const Callback &) = delete;
        ~Callback() { called_back = outer_; }

      private:
        const DeviceLock *outer_;
    };

  private:
    inline static thread_local const DeviceLock *called_back = nullptr;
    const DeviceInfo &of_;
    pid_t process_ = getpid();
    std::mutex mutex_;
    std::atomic<std::thread::id> owner_{};
};

} // namespace hpart
