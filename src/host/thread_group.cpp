#include "host/thread_group.hpp"

#include "core/error.hpp"

#include <chrono>
#include <system_error>

namespace hpart
{

namespace
{

// About as long as it takes to wake a sleeping thread: 50 to 100 microseconds.
constexpr int spins_of_a_wake = 2000;

void relax()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

void wait_for_change(const std::atomic<std::uint32_t> &value, std::uint32_t old, int spins)
{
    for (int turn = 0; turn < spins; ++turn) {
        if (value.load(std::memory_order_acquire) != old) return;
        relax();
    }
    value.wait(old, std::memory_order_acquire);
}

// With more threads than cores the one waited for may need this very core.
int useful_spins(std::size_t threads) { return threads <= usable_cores().size() ? spins_of_a_wake : 0; }

} // namespace

void Barrier::arrive_and_wait()
{
    const auto generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < parties_)
        return wait_for_change(generation_, generation, spins_);
    arrived_.store(0, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
}

ThreadGroup::ThreadGroup(std::span<const CoreList> bindings)
    : spins_(useful_spins(bindings.size())), start_(static_cast<std::uint32_t>(bindings.size()), spins_),
      errors_(bindings.size())
{
    try {
        threads_.reserve(bindings.size());
        for (std::size_t member = 0; member < bindings.size(); ++member)
            threads_.emplace_back([this, member] { work(member); });
        run([&](std::size_t member) { bind_this_thread(bindings[member]); });
    } catch (const std::system_error &error) {
        stop();
        fail(Status::out_of_memory, "thread ", threads_.size() + 1, " of ", bindings.size(),
             " cannot be started: ", error.what());
    } catch (...) {
        stop();
        throw;
    }
}

ThreadGroup::~ThreadGroup() { stop(); }

void ThreadGroup::stop() noexcept
{
    job_ = nullptr;
    command_.fetch_add(1, std::memory_order_release);
    command_.notify_all();
    for (auto &thread : threads_) thread.join();
}

void ThreadGroup::run(const std::function<void(std::size_t)> &job, const std::function<void()> &look)
{
    job_ = &job;
    finished_.store(0, std::memory_order_relaxed);
    command_.fetch_add(1, std::memory_order_release);
    command_.notify_all();
    auto first = wait(look);
    for (auto &error : errors_) {
        if (error && !first) first = error;
        error = nullptr;
    }
    if (first) std::rethrow_exception(first);
}

// Returns what look has thrown.
std::exception_ptr ThreadGroup::wait(const std::function<void()> &look)
{
    constexpr auto interval = std::chrono::milliseconds(50);
    const auto members = static_cast<std::uint32_t>(threads_.size());
    const auto all_are_done = [&] { return finished_.load(std::memory_order_acquire) == members; };
    std::exception_ptr thrown;
    std::unique_lock lock(mutex_);
    while (look && !thrown && !all_finished_.wait_for(lock, interval, all_are_done)) {
        try {
            look();
        } catch (...) {
            thrown = std::current_exception();
        }
    }
    all_finished_.wait(lock, all_are_done);
    return thrown;
}

void ThreadGroup::work(std::size_t member)
{
    for (std::uint32_t seen = 0;; ++seen) {
        wait_for_change(command_, seen, spins_);
        if (job_ == nullptr) return;
        start_.arrive_and_wait();
        try {
            (*job_)(member);
        } catch (...) {
            errors_[member] = std::current_exception();
        }
        if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_.size()) continue;
        const std::lock_guard lock(mutex_); // the caller looks and sleeps in one step
        all_finished_.notify_all();
    }
}

} // namespace hpart
