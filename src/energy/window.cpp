#include "energy/window.hpp"

#include "core/error.hpp"

#include <cmath>

namespace hpart
{

namespace
{

// Failures of streams are noticed within this time.
constexpr auto look_at_stream_every = std::chrono::milliseconds(50);

double now_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

Measured measured_by(const Tally &tally)
{
    return {tally.joules(), tally.seconds(), tally.joules_of_channels(), tally.readings(), tally.missed(), {}};
}

// Readings of a source, at both ends and in between on a thread where the tally needs them.
class SourceWindow final : public Window
{
  public:
    SourceWindow(Source &source, const Traits &traits, double trace_spacing)
        : source_(source), tally_(traits), trace_spacing_(trace_spacing)
    {
        read();
        if (std::isfinite(pause())) thread_ = std::thread([this] { run(); });
    }
    SourceWindow(const SourceWindow &) = delete;
    SourceWindow &operator=(const SourceWindow &) = delete;
    ~SourceWindow() override { stop(); }

    void wait_until(Clock::time_point end) override
    {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, end, [this] { return error_ != nullptr; });
        if (error_) std::rethrow_exception(error_);
    }

    Measured finish() override
    {
        stop();
        if (error_) std::rethrow_exception(error_);
        read();
        tally_.check_moved();
        auto result = measured_by(tally_);
        result.trace = std::move(trace_);
        return result;
    }

  private:
    double pause() const
    {
        return trace_spacing_ > 0 ? std::min(trace_spacing_, tally_.poll_seconds()) : tally_.poll_seconds();
    }

    void read()
    {
        const double asked = now_seconds();
        tally_.add(source_.read(), asked);
        if (trace_spacing_ > 0) trace_.push_back({tally_.seconds(), tally_.joules()});
    }

    // Only this thread reads while it runs.
    void run() noexcept
    {
        auto next = Clock::now();
        std::unique_lock lock(mutex_);
        try {
            for (;;) {
                const auto distance = clock_duration(pause());
                // One reading that was late is made up for, not more.
                next = std::max(next + distance, Clock::now());
                if (changed_.wait_until(lock, next, [this] { return stopping_; })) return;
                lock.unlock();
                read();
                lock.lock();
            }
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            error_ = std::current_exception();
            changed_.notify_all();
        }
    }

    void stop() noexcept
    {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    Source &source_;
    Tally tally_;
    const double trace_spacing_;
    std::vector<TracePoint> trace_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

class StreamWindow final : public Window
{
  public:
    StreamWindow(Stream &stream, const Traits &traits, bool keeps_trace)
        : stream_(stream), traits_(traits), keeps_trace_(keeps_trace)
    {
        stream_.begin();
    }

    void wait_until(Clock::time_point end) override
    {
        if (!traits_.real_time) return;
        for (auto now = Clock::now(); now < end; now = Clock::now()) {
            stream_.check();
            std::this_thread::sleep_until(std::min(end, now + look_at_stream_every));
        }
    }

    Measured finish() override
    {
        Tally tally(traits_);
        std::vector<TracePoint> trace;
        for (auto &reading : stream_.end()) {
            const double at = reading.seconds;
            tally.add(std::move(reading), at);
            if (keeps_trace_) trace.push_back({tally.seconds(), tally.joules()});
        }
        tally.check_moved();
        auto result = measured_by(tally);
        result.trace = std::move(trace);
        return result;
    }

  private:
    Stream &stream_;
    const Traits &traits_;
    const bool keeps_trace_;
};

} // namespace

std::unique_ptr<Window> open_window(const Sensor &sensor, double trace_spacing)
{
    if (sensor.source) return std::make_unique<SourceWindow>(*sensor.source, sensor.traits, trace_spacing);
    return std::make_unique<StreamWindow>(*sensor.stream, sensor.traits, trace_spacing > 0);
}

} // namespace hpart
