// Threads that do one job together, again and again, from one barrier.
#pragma once

#include "host/cores.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// The processor time and last core of each thread of this process, from /proc.

struct ThreadUse {
    std::string name; // as the program or a library calls it
    double seconds;   // of a core's time, since the thread began
    int last_core;
    bool is_running; // or waits for a core
};

pid_t this_thread_id();
// By thread; empty where the system has no /proc. Threads that have ended are not among them.
std::map<pid_t, ThreadUse> thread_uses();
// Returns when the other threads of this process sleep, a second from now at the latest. Threads of a library's pool, as
// OpenBLAS's, spin for a while after their start and after their work: a meter would add their energy to the energy of the next
// work.
void wait_for_rest();
// Cores that a thread of this process may use now; empty when it has ended.
CoreList cores_of_thread(pid_t id);

// Binds the calling thread, and the threads that it starts, until this ends; an empty list changes nothing.
class BoundMeanwhile
{
  public:
    explicit BoundMeanwhile(const CoreList &cores);
    BoundMeanwhile(const BoundMeanwhile &) = delete;
    BoundMeanwhile &operator=(const BoundMeanwhile &) = delete;
    ~BoundMeanwhile();

  private:
    CoreList before_;
};

// A meeting point of threads that work together: they wait for each other, unless one of them has failed.

class MeetingPoint
{
  public:
    explicit MeetingPoint(std::int64_t parties) : parties_(parties) {}

    // Waits for all; false when one has given up. Meanwhile calls `idle` now and then, which may throw.
    template <typename Idle> bool arrive(const Idle &idle)
    {
        constexpr auto interval = std::chrono::milliseconds(20);
        std::unique_lock lock(mutex_);
        if (given_up_) return false;
        const auto meeting = meeting_;
        if (++arrived_ == parties_) {
            arrived_ = 0;
            ++meeting_;
            changed_.notify_all();
            return true;
        }
        while (!changed_.wait_for(lock, interval, [&] { return meeting_ != meeting || given_up_; })) {
            lock.unlock();
            idle();
            lock.lock();
        }
        return meeting_ != meeting;
    }

    // Nobody waits any more.
    void give_up()
    {
        const std::lock_guard lock(mutex_);
        given_up_ = true;
        changed_.notify_all();
    }

    bool is_given_up()
    {
        const std::lock_guard lock(mutex_);
        return given_up_;
    }

  private:
    const std::int64_t parties_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t arrived_ = 0, meeting_ = 0;
    bool given_up_ = false;
};

// All parties wait here for the last one.
class Barrier
{
  public:
    // Waiting spins that many turns, then sleeps.
    Barrier(std::uint32_t parties, int spins) : parties_(parties), spins_(spins) {}
    void arrive_and_wait();

  private:
    const std::uint32_t parties_;
    const int spins_;
    std::atomic<std::uint32_t> arrived_{0};
    std::atomic<std::uint32_t> generation_{0};
};

class ThreadGroup
{
  public:
    // One thread an entry, bound to these cores for its life. Fails when a thread cannot be made or bound.
    explicit ThreadGroup(std::span<const CoreList> bindings);
    ThreadGroup(const ThreadGroup &) = delete;
    ThreadGroup &operator=(const ThreadGroup &) = delete;
    ~ThreadGroup();

    std::size_t size() const { return threads_.size(); }

    // Runs job(member) on every thread, all released from one barrier, and returns when all have returned. Then throws the
    // exception of `look`, if any, else the exception of the lowest member. Meanwhile the caller sleeps, or calls `look` repeatedly
    // if it is not empty.
    void run(const std::function<void(std::size_t)> &job, const std::function<void()> &look = {});

  private:
    void work(std::size_t member);
    void stop() noexcept;
    std::exception_ptr wait(const std::function<void()> &look);

    const int spins_;
    Barrier start_;
    std::atomic<std::uint32_t> command_{0};  // counts the jobs given
    std::atomic<std::uint32_t> finished_{0}; // members that are done with the job
    std::mutex mutex_;                       // of the last to finish and the caller
    std::condition_variable all_finished_;
    const std::function<void(std::size_t)> *job_ = nullptr; // null: end
    std::vector<std::exception_ptr> errors_;
    std::vector<std::thread> threads_;
};

// Threads for short jobs on the cores that the caller may use.

class OwnThreads
{
  public:
    // 0: as many as the cores that the calling thread may use. They start with the first jobs, and stay.
    explicit OwnThreads(std::int64_t threads = 0);

    std::int64_t size() const { return size_; }
    // Calls job(0), ..., job(count - 1), in any order and at the same time.
    void for_each(std::int64_t count, const std::function<void(std::int64_t)> &job);
    // job(first, count) for equal parts of [0, count), one a thread.
    void share(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)> &job);

  private:
    std::int64_t size_;
    std::optional<ThreadGroup> group_;
};

} // namespace hpart
