#include "energy/meter.hpp"

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

namespace
{
// Readings of a counter while base power is measured: enough for batches.
constexpr double most_readings = static_cast<double>(Trace::most_points) / 2;
constexpr double longest_base_seconds = 1e7;
template <typename Action> class OnExit
{
  public:
    explicit OnExit(Action action) : action_(std::move(action)) {}
    OnExit(const OnExit &) = delete;
    OnExit &operator=(const OnExit &) = delete;
    ~OnExit() { action_(); }

  private:
    Action action_;
};

constexpr double rounding = 1 - 1e-9; // 20 intervals of 0.003 s are 0.06 s
} // namespace

Meter::Meter(Sensor sensor, std::optional<BasePower> base, std::function<void()> look, Calibration calibration,
             std::optional<std::string> proc_root)
    : sensor_(std::move(sensor)), look_(std::move(look)), calibration_(calibration), proc_root_(std::move(proc_root)),
      base_(base)
{
}

// The offset is of all channels together.
void Meter::calibrate(Measured &measured) const
{
    measured.joules = calibration_.scale * measured.joules + calibration_.offset * measured.seconds;
    for (auto &joules : measured.joules_of_channels) joules *= calibration_.scale;
    if (measured.joules < 0)
        fail(Status::numerical, "the energy of meter ", traits().name, " is ", measured.joules,
             " J after its calibration; option 'meter_offset' is ", calibration_.offset,
             " W; its sum with 'meter_scale' times the power that the meter reads must not be below 0");
}

void Meter::start()
{
    const std::lock_guard lock(mutex_);
    if (window_) fail_argument("meter ", traits().name, " is started already; stop it first");
    require_no_base_power();
    if (watches()) activity_.emplace(*proc_root_);
    window_ = open_window(sensor_);
}

void Meter::check()
{
    const std::lock_guard lock(mutex_);
    if (window_) window_->check();
}

Measured Meter::stop()
{
    const std::lock_guard lock(mutex_);
    if (!window_) fail_argument("meter ", traits().name, " is not started; start it first");
    const auto window = std::move(window_);
    last_.reset();
    auto measured = window->finish();
    calibrate(measured);
    if (activity_) measured.activity = activity_->until_now();
    activity_.reset();
    last_ = std::move(measured);
    return *last_;
}

BasePower Meter::measure_base_power(double seconds, const std::function<void()> &look)
{
    const double least = minimum_window(traits());
    if (!(seconds >= least * rounding) || seconds > longest_base_seconds)
        fail_argument("seconds is ", seconds, "; the base power of meter ", traits().name, " takes at least ", least,
                      " s, ", least_intervals, " of its intervals of ", traits().interval, " s, and at most ",
                      longest_base_seconds, " s");
    {
        const std::lock_guard lock(mutex_);
        if (window_) fail_argument("meter ", traits().name, " is started; stop it before its base power is measured");
        require_no_base_power();
        measures_base_ = true;
    }
    // Without the lock: whoever looks may ask for the report. Nobody else opens a window meanwhile.
    const OnExit afterwards([this] {
        const std::lock_guard lock(mutex_);
        measures_base_ = false;
    });
    std::optional<ActivityWatch> activity;
    if (watches()) activity.emplace(*proc_root_);
    const auto end = Clock::now() + clock_duration(seconds);
    const auto window = open_window(sensor_, std::max(traits().interval, seconds / most_readings));
    window->wait_until(end, [&] {
        look_();
        look();
    });
    const auto measured = window->finish();
    if (measured.seconds < least * rounding && !traits().real_time)
        fail_argument("seconds is ", seconds, "; the recording of meter ", traits().name, " has ", measured.seconds,
                      " s only, and a base power takes at least ", least);
    auto base = mean_power(measured.trace.points(), measured.seconds / traits().interval);
    base.watts = calibration_.scale * base.watts + calibration_.offset;
    base.standard_error *= calibration_.scale;
    if (const auto busy = activity ? activity->until_now().text() : ""; !busy.empty())
        base.busy = text("while the base power was measured, ", busy);
    const std::lock_guard lock(mutex_);
    base_ = base;
    return base;
}

void Meter::require_no_base_power() const
{
    if (measures_base_)
        fail_argument("the base power of meter ", traits().name, " is being measured; the meter is free after that");
}

std::optional<BasePower> Meter::base_power() const
{
    const std::lock_guard lock(mutex_);
    return base_;
}

// The error of the open window; empty if it has none.
std::string Meter::failure() const
{
    try {
        if (window_) window_->check();
        return {};
    } catch (const std::exception &error) {
        return error.what();
    }
}

Report Meter::report() const
{
    const std::lock_guard lock(mutex_);
    Report about;
    about.set("meter", traits().name);
    about.set("method", std::string(method_name(traits().method)));
    about.set("interval", traits().interval);
    about.set("minimum_window", minimum_window(traits()));
    Report::Rows channels;
    for (const auto &channel : traits().channels) channels.emplace_back().set("name", channel.name);
    about.set("channels", std::move(channels));
    about.set("meter_scale", calibration_.scale);
    about.set("meter_offset", calibration_.offset);
    if (base_) {
        about.set("base_power", base_->watts);
        about.set("base_power_error", base_->standard_error);
    }
    if (auto why = failure(); !why.empty()) about.set("failure", std::move(why));
    if (!last_) return about;
    about.set("joules", last_->joules);
    about.set("seconds", last_->seconds);
    if (last_->seconds > 0) about.set("watts", last_->joules / last_->seconds);
    about.set("channel_joules", last_->joules_of_channels);
    about.set("readings", last_->readings);
    about.set("missed", last_->missed);
    about.set("short_window", std::int64_t{last_->seconds < minimum_window(traits()) ? 1 : 0});
    about.set("busy", with_semicolons({last_->activity ? last_->activity->text() : "", base_ ? base_->busy : ""}));
    if (base_) {
        const auto dynamic = dynamic_energy(last_->joules, last_->seconds, *base_);
        about.set("dynamic_joules", dynamic.joules);
        about.set("dynamic_joules_error", dynamic.standard_error);
    }
    return about;
}

} // namespace hpart
