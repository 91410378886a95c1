// This machine's own cores and memory as a device: the reference of all backends. Its queues are threads, its memory is
// the heap's, and a launch does its work on the queue's thread.
#pragma once

#include "core/progress.hpp"
#include "out_of_card/devices/device.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hpart
{

// The queues and events of the host device.

class HostEvent final : public DeviceEvent
{
  public:
    explicit HostEvent(std::shared_ptr<Census> census);
    HostEvent(const HostEvent &) = delete;
    HostEvent &operator=(const HostEvent &) = delete;
    ~HostEvent() override;

    EventState state() const override { return state_.load(std::memory_order_acquire); }
    EventState wait() const override;
    Interval interval() const override { return interval_; }
    std::string failure() const override { return failure_.text; }
    Status failure_status() const override { return failure_.status; }

    struct Failure {
        std::string text; // empty: success
        Status status = Status::device;
    };
    // Once.
    void end(const Interval &interval, Failure failure);

  private:
    std::shared_ptr<Census> census_;
    std::atomic<EventState> state_{EventState::pending};
    mutable std::mutex mutex_;
    mutable std::condition_variable ended_;
    Interval interval_;
    Failure failure_;
};

class HostQueue final : public DeviceQueue
{
  public:
    explicit HostQueue(std::shared_ptr<Census> census);
    HostQueue(const HostQueue &) = delete;
    HostQueue &operator=(const HostQueue &) = delete;
    // After the commands that are in it.
    ~HostQueue() override;

    Event add(std::function<void()> work, std::span<const Event> after);

  private:
    struct Command {
        std::function<void()> work;
        std::vector<Event> after;
        std::shared_ptr<HostEvent> event;
    };
    void run_commands();
    static void run(Command &command);

    std::shared_ptr<Census> census_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Command> commands_;
    bool closing_ = false;
    std::thread thread_;
};

std::shared_ptr<Device> make_host_device();

} // namespace hpart
