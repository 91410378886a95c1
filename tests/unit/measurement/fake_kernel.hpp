// Kernels of the tests: their job is given, their calls are counted. Shared by the tests of teams.
#pragma once

#include "measurement/team.hpp"
#include "support/errors.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace hpart
{

struct Calls {
    std::atomic<int> prepared{0}, run{0}, released{0};
};

class FakeKernel final : public Kernel
{
  public:
    using Job = std::function<void(const Slice &)>;
    using TimedJob = std::function<double(const Slice &)>; // seconds that it says it took
    FakeKernel(std::shared_ptr<Calls> calls, Job job) : calls_(std::move(calls)), job_(std::move(job)) {}
    FakeKernel(std::shared_ptr<Calls> calls, TimedJob job) : calls_(std::move(calls)), timed_job_(std::move(job)) {}
    void prepare(const Slice &slice) override
    {
        slice_ = slice;
        thread_ = std::this_thread::get_id();
        ++calls_->prepared;
    }
    void run() override
    {
        ++calls_->run;
        if (std::this_thread::get_id() != thread_) throw std::logic_error("run on another thread than prepare");
        if (job_) job_(slice_);
        if (timed_job_) seconds_ = timed_job_(slice_);
    }
    void release() noexcept override { ++calls_->released; }
    std::optional<double> own_seconds() const override { return seconds_; }

  private:
    std::shared_ptr<Calls> calls_;
    Job job_;
    TimedJob timed_job_;
    std::optional<double> seconds_;
    Slice slice_;
    std::thread::id thread_;
};

inline std::shared_ptr<Calls> add_fake(Team &team, const std::string &name, FakeKernel::Job job = nullptr)
{
    auto calls = std::make_shared<Calls>();
    team.add({name, std::make_unique<FakeKernel>(calls, std::move(job)), {}});
    return calls;
}
inline std::shared_ptr<Calls> add_timed(Team &team, const std::string &name, FakeKernel::TimedJob job)
{
    auto calls = std::make_shared<Calls>();
    team.add({name, std::make_unique<FakeKernel>(calls, std::move(job)), {}});
    return calls;
}

// So many repetitions, and no warm-up.
template <typename Settings> Settings repeated(std::int64_t repetitions)
{
    Settings settings;
    settings.rule.min_repetitions = settings.rule.max_repetitions = repetitions;
    settings.warmup = 0;
    return settings;
}

inline const Poll say_nothing;

using support::error_of;
using support::expect_error;

} // namespace hpart
