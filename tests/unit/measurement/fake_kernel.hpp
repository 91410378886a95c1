// Kernels of the tests: their job is given, their calls are counted. Shared by the tests of teams.
#pragma once

#include "core/error.hpp"
#include "measurement/team.hpp"

#include <atomic>
#include <functional>
#include <memory>
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
    FakeKernel(std::shared_ptr<Calls> calls, Job job) : calls_(std::move(calls)), job_(std::move(job)) {}
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
    }
    void release() noexcept override { ++calls_->released; }

  private:
    std::shared_ptr<Calls> calls_;
    Job job_;
    Slice slice_;
    std::thread::id thread_;
};

inline std::shared_ptr<Calls> add_fake(Team &team, const std::string &name, FakeKernel::Job job = nullptr)
{
    auto calls = std::make_shared<Calls>();
    team.add({name, std::make_unique<FakeKernel>(calls, std::move(job)), {}});
    return calls;
}

inline const std::function<void()> say_nothing = [] {};

inline Error error_of(const std::function<void()> &call)
{
    try {
        call();
    } catch (const Error &error) {
        return error;
    }
    return {Status::success, "no error"};
}

} // namespace hpart
