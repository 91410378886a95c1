#include "energy/meter.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

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
