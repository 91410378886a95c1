#include "energy/window.hpp"

#include "core/error.hpp"
#include "core/machine.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// A window whose counter did not move stays open until that is significant, but no longer than this.
constexpr double longest_watch_seconds = 0.25;
constexpr auto watch_pause = std::chrono::milliseconds(1);
// A sensor that is busy is read again for an interval, or for this long.
constexpr double shortest_patience_seconds = 0.02;
constexpr auto busy_pause = std::chrono::milliseconds(1);

Measured measured_by(const Tally &tally)
{
    return {tally.joules(), tally.seconds(), tally.joules_of_channels(), tally.readings(), tally.missed(), {}};
}

// Readings of a source, at both ends and in between on a thread where the tally needs them.
class SourceWindow final : public Window
{
  public:
    SourceWindow(Source &source, const Traits &traits, double trace_spacing)
        : source_(source), tally_(traits), never_rests_(traits.never_rests && !traits.may_stand_still),
          patience_(clock_duration(std::max(traits.interval, shortest_patience_seconds))), trace_spacing_(trace_spacing)
    {
        read();
        if (std::isfinite(pause())) thread_ = Clock::thread([this] { run(); });
    }
    SourceWindow(const SourceWindow &) = delete;
    SourceWindow &operator=(const SourceWindow &) = delete;
    ~SourceWindow() override { stop(); }

    void wait_until(Clock::time_point end, const std::function<void()> &look) override
    {
        for (auto now = Clock::now(); now < end; now = Clock::now()) {
            look();
            std::unique_lock lock(mutex_);
            Clock::wait_until(changed_, lock, std::min(end, now + look_every), [this] { return error_ != nullptr; });
            if (error_) std::rethrow_exception(error_);
        }
    }

    void check() override
    {
        const std::lock_guard lock(mutex_);
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
        require_alive();
        return result;
    }

  private:
    double pause() const
    {
        return trace_spacing_ > 0 ? std::min(trace_spacing_, tally_.poll_seconds()) : tally_.poll_seconds();
    }

    void add_reading()
    {
        const auto end = Clock::now() + patience_;
        for (;;) {
            const double asked = now_seconds();
            try {
                return tally_.add(source_.read(), asked);
            } catch (const BusyError &) {
                if (Clock::now() >= end) throw;
            }
            Clock::sleep_for(busy_pause);
        }
    }

    void read()
    {
        add_reading();
        if (trace_spacing_ > 0) trace_.add({tally_.seconds(), tally_.joules()});
    }

    // A counter that does not move may be dead, have stopped, or be between two values: watching it longer decides. A counter that rests
    // with its device is watched only if it did not move at all and is fast.
    void require_alive()
    {
        const auto read_again = [this] {
            Clock::sleep_for(watch_pause);
            add_reading();
            tally_.check_moved();
        };
        if (never_rests_) {
            for (tally_.watch(); tally_.is_waiting();) read_again();
            return;
        }
        if (!tally_.stands_still() || tally_.dead_seconds() > longest_watch_seconds) return;
        const auto end = Clock::now() + clock_duration(longest_watch_seconds);
        while (tally_.stands_still() && Clock::now() < end) read_again();
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
                if (Clock::wait_until(changed_, lock, next, [this] { return stopping_; })) return;
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
    const bool never_rests_;
    const Clock::duration patience_;
    const double trace_spacing_;
    Trace trace_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

// Adds up a stream's readings as they arrive.
class StreamWindow final : public Window
{
  public:
    StreamWindow(Stream &stream, const Traits &traits, bool keeps_trace)
        : stream_(stream), is_real_time_(traits.real_time), keeps_trace_(keeps_trace), tally_(traits)
    {
        stream_.begin([this](Reading reading) { take(std::move(reading)); });
    }
    StreamWindow(const StreamWindow &) = delete;
    StreamWindow &operator=(const StreamWindow &) = delete;
    ~StreamWindow() override
    {
        if (is_open_) try {
                stream_.end();
            } catch (...) { // NOLINT(bugprone-empty-catch): whoever leaves a window early is told why already
            }
    }

    void wait_until(Clock::time_point end, const std::function<void()> &look) override
    {
        if (!is_real_time_) return;
        for (auto now = Clock::now(); now < end; now = Clock::now()) {
            look();
            check();
            Clock::sleep_until(std::min(end, now + look_every));
        }
    }

    void check() override { stream_.check(); }

    Measured finish() override
    {
        is_open_ = false;
        stream_.end();
        tally_.check_moved();
        auto result = measured_by(tally_);
        result.trace = std::move(trace_);
        return result;
    }

  private:
    // On one thread at a time, as streams promise.
    void take(Reading reading)
    {
        const double at = reading.seconds;
        tally_.add(std::move(reading), at);
        if (keeps_trace_) trace_.add({tally_.seconds(), tally_.joules()});
    }

    Stream &stream_;
    const bool is_real_time_;
    const bool keeps_trace_;
    bool is_open_ = true;
    Tally tally_;
    Trace trace_;
};

// Several meters at the same time. Their windows end some readings apart: the longest counts, and the others' mean powers over its time.
class SumWindow final : public Window
{
  public:
    SumWindow(const std::vector<Sensor> &parts, double trace_spacing)
    {
        for (const auto &part : parts) windows_.push_back(open_window(part, trace_spacing));
    }

    void wait_until(Clock::time_point end, const std::function<void()> &look) override
    {
        windows_.front()->wait_until(end, [&] {
            look();
            check();
        });
    }

    void check() override
    {
        for (const auto &window : windows_) window->check();
    }

    Measured finish() override
    {
        std::vector<Measured> parts;
        for (const auto &window : windows_) parts.push_back(window->finish());
        Measured sum;
        for (const auto &part : parts) sum.seconds = std::max(sum.seconds, part.seconds);
        for (const auto &part : parts) {
            const double longer = part.seconds > 0 ? sum.seconds / part.seconds : 1;
            sum.joules += longer * part.joules;
            for (const double joules : part.joules_of_channels) sum.joules_of_channels.push_back(longer * joules);
            sum.readings += part.readings;
            sum.missed += part.missed;
        }
        add_traces(parts, sum.trace);
        return sum;
    }

  private:
    static void add_traces(const std::vector<Measured> &parts, Trace &sum)
    {
        const auto has_line = [](const Measured &part) { return part.trace.points().size() > 1; };
        if (!std::all_of(parts.begin(), parts.end(), has_line)) return;
        for (auto point : parts.front().trace.points()) {
            for (std::size_t k = 1; k < parts.size(); ++k)
                point.joules += energy_at(parts[k].trace.points(), point.seconds);
            sum.add(point);
        }
    }

    std::vector<std::unique_ptr<Window>> windows_;
};

} // namespace

std::unique_ptr<Window> open_window(const Sensor &sensor, double trace_spacing)
{
    if (!sensor.parts.empty()) return std::make_unique<SumWindow>(sensor.parts, trace_spacing);
    if (sensor.source) return std::make_unique<SourceWindow>(*sensor.source, sensor.traits, trace_spacing);
    return std::make_unique<StreamWindow>(*sensor.stream, sensor.traits, trace_spacing > 0);
}

} // namespace hpart
