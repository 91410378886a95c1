#include "out_of_card/devices/host_queue.hpp"

#include "core/error.hpp"

namespace hpart
{

namespace
{

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

template <typename Work> HostEvent::Failure failure_of(const Work &work) noexcept
{
    try {
        try {
            work();
            return {};
        } catch (const std::bad_alloc &) {
            throw;
        } catch (const Error &error) {
            return {error.what(), error.status() == Status::callback ? Status::callback : Status::device};
        } catch (const std::exception &error) {
            return {error.what()};
        }
    } catch (...) {
        return {"out of memory"}; // short: takes none
    }
}

} // namespace

HostEvent::HostEvent(std::shared_ptr<Census> census) : census_(std::move(census)) { ++census_->events; }

HostEvent::~HostEvent() { --census_->events; }

EventState HostEvent::wait() const
{
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return state() != EventState::pending; });
    return state();
}

void HostEvent::end(const Interval &interval, Failure failure)
{
    {
        const std::lock_guard lock(mutex_);
        interval_ = interval;
        failure_ = std::move(failure);
        state_.store(failure_.text.empty() ? EventState::done : EventState::failed, std::memory_order_release);
    }
    ended_.notify_all();
}

HostQueue::HostQueue(std::shared_ptr<Census> census) : census_(std::move(census))
{
    try {
        thread_ = std::thread([this] { run_commands(); });
    } catch (const std::system_error &error) {
        fail(Status::device, "the host device cannot start a thread: ", error.what());
    }
    ++census_->queues;
}

HostQueue::~HostQueue()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_one();
    thread_.join();
    --census_->queues;
}

Event HostQueue::add(std::function<void()> work, std::span<const Event> after)
{
    auto event = std::make_shared<HostEvent>(census_);
    {
        const std::lock_guard lock(mutex_);
        commands_.push_back({std::move(work), {after.begin(), after.end()}, event});
    }
    changed_.notify_one();
    return event;
}

void HostQueue::run_commands()
{
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closing_ || !commands_.empty(); });
        if (commands_.empty()) return;
        auto command = std::move(commands_.front());
        commands_.pop_front();
        lock.unlock();
        run(command);
    }
}

void HostQueue::run(Command &command)
{
    bool may_run = true;
    for (const auto &event : command.after) may_run = event->wait() == EventState::done && may_run;
    const auto start = now();
    auto failure = failure_of([&] {
        if (!may_run) fail(Status::device, "a command that it waits for failed");
        command.work();
    });
    // The command's objects go before anyone who waits for its end goes on.
    command.work = nullptr;
    command.after.clear();
    command.event->end({start, now()}, std::move(failure));
}

} // namespace hpart
