// One repetition of a distribution on all ranks at once.
#pragma once

#include "c_api/team.hpp"
#include "measurement/team_run.hpp"
#include "mpi/communicator.hpp"
#include "mpi/platform.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace hpart::mpi
{

// A search of hpart.h on a thread of its own: its requests are served on the calling thread, the only thread that may call MPI.

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

// Its processors' names and their kernel, without points. NULL: none.
PlatformPart part_of_team(const hpart_team *team);

// The result of a rank's part.
struct RankResult {
    Failure failure;          // success, or why the part did not run
    bool is_of_point = false; // the failure is of this size; another size may succeed
    std::vector<double> seconds;
    std::vector<double> printed_steps; // of each processor; NaN: it prints no times
    std::string time_doubt;
};

class RankRun
{
  public:
    // mine: this rank's processors; NULL: none.
    RankRun(const Communicator &all, const hpart_team *mine) : all_(all), mine_(mine) {}

    std::size_t processors() const { return mine_ == nullptr ? 0 : mine_->value.count(); }

    // Called by every rank: runs x between two barriers. Kernels stay prepared while x stays the same. Rank 0 gets the results of all.
    std::vector<RankResult> repeat(const std::vector<std::int64_t> &x);

  private:
    template <typename Body> void attempt(Body &&body);

    const Communicator &all_;
    const hpart_team *mine_;
    std::vector<std::int64_t> x_; // of run_
    std::optional<TeamRun> run_;
    RankResult result_;
};

} // namespace hpart::mpi
