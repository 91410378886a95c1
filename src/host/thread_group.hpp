// Threads that do one job together, again and again, from one barrier.
#pragma once

#include "host/cores.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace hpart
{

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

} // namespace hpart
