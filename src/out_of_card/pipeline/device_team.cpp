#include "out_of_card/pipeline/device_team.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <system_error>
#include <thread>

namespace hpart
{

DeviceTeam::DeviceTeam(std::vector<double> shares, Control &control)
    : shares_(std::move(shares)), control_(control), fractions_(shares_.size()),
      meeting_(std::ranges::count_if(shares_, [](double share) { return share > 0; }))
{
}

void DeviceTeam::run(const Work &work)
{
    // All have ended when it returns.
    struct Threads : std::vector<std::thread> {
        ~Threads()
        {
            for (auto &thread : *this) thread.join();
        }
    } threads;
    threads.reserve(shares_.size());
    std::unique_lock lock(mutex_);
    for (std::size_t part = 0; part < shares_.size() && !stopped_; ++part) {
        if (shares_[part] <= 0) continue;
        try {
            threads.emplace_back([this, part, &work] { this->work(part, work); });
            ++running_;
        } catch (...) { // the parts that have begun may wait for this one
            stop(std::current_exception());
        }
    }
    constexpr auto interval = std::chrono::milliseconds(20);
    while (running_ > 0) {
        changed_.wait_for(lock, interval);
        const auto done = std::inner_product(shares_.begin(), shares_.end(), fractions_.begin(), 0.0);
        const auto *const what = what_;
        if (stopped_) continue; // the caller has said so, or hears of the error
        lock.unlock();
        std::exception_ptr stops;
        try {
            control_.report_progress(done, what);
        } catch (...) {
            stops = std::current_exception();
        }
        lock.lock();
        if (stops) stop(stops);
    }
    try {
        if (error_) std::rethrow_exception(error_);
    } catch (const std::system_error &error) {
        fail(Status::out_of_memory, "a thread for a device cannot be started: ", error.what());
    }
}

void DeviceTeam::work(std::size_t part, const Work &work) noexcept
{
    std::exception_ptr error;
    try {
        const auto told = [this, part](double fraction, const char *what) {
            return report_progress(part, fraction, what);
        };
        Control control(std::make_shared<const ProgressCallback>(told), std::numeric_limits<double>::infinity(),
                        std::numeric_limits<std::int64_t>::max());
        control.set_timeline(control_.timeline());
        work(part, control);
    } catch (...) {
        error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (error) stop(error);
    fractions_[part] = 1;
    --running_;
    changed_.notify_all();
}

int DeviceTeam::report_progress(std::size_t part, double fraction, const char *what)
{
    const std::lock_guard lock(mutex_);
    fractions_[part] = fraction;
    what_ = what;
    return stopped_ ? 1 : 0;
}

// mutex_ is held. Later errors may come from parts that were stopped.
void DeviceTeam::stop(const std::exception_ptr &error)
{
    if (!stopped_) error_ = error;
    stopped_ = true;
    meeting_.give_up();
}

} // namespace hpart
