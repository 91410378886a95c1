// A search of hpart.h on a thread of its own: its requests are served on the calling thread, the only thread that may call MPI.
#pragma once

#include "mpi/communicator.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace hpart::mpi
{

class SearchThread
{
  public:
    using Job = std::function<int()>;

    // Runs `search`, which may throw, with the function that does a job on the calling thread and returns its result. Returns the failure
    // of the search.
    Failure run(const std::function<void(const std::function<int(const Job &)> &)> &search)
    {
        Failure failure;
        std::thread thread([&] {
            failure = failure_of([&] { search([this](const Job &job) { return ask(job); }); });
            const std::lock_guard lock(mutex_);
            has_ended_ = true;
            changed_.notify_all();
        });
        serve();
        thread.join();
        return failure;
    }

  private:
    int ask(const Job &job)
    {
        const std::lock_guard turn(turn_);
        std::unique_lock lock(mutex_);
        job_ = &job;
        changed_.notify_all();
        changed_.wait(lock, [this] { return job_ == nullptr; });
        return result_;
    }

    // Jobs do not throw.
    void serve()
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return job_ != nullptr || has_ended_; });
            if (job_ == nullptr) return;
            const auto *const job = job_;
            lock.unlock();
            const int result = (*job)();
            lock.lock();
            result_ = result;
            job_ = nullptr;
            changed_.notify_all();
        }
    }

    std::mutex turn_; // of one job
    std::mutex mutex_;
    std::condition_variable changed_;
    const Job *job_ = nullptr;
    int result_ = 0;
    bool has_ended_ = false;
};

} // namespace hpart::mpi
