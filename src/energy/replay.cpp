// A recorded meter: for tests, demonstrations, and machines without a sensor.
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "energy/backends.hpp"
#include "energy/replay_file.hpp"
#include "energy/samples.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Time in the recording: it begins when the meter is opened.
class Playback
{
  public:
    Playback(Recording recording, std::string name) : recording_(std::move(recording)), name_(std::move(name)) {}

    const std::vector<Reading> &readings() const { return recording_.readings; }
    double first() const { return readings().front().seconds; }
    double last() const { return readings().back().seconds; }
    double wrap() const { return recording_.wrap; }

    double now() const
    {
        const double seconds = first() + seconds_since(opened_);
        if (seconds > last())
            fail(Status::device, "meter ", name_, ": the recording ended ", last() - first(),
                 " s after the meter was opened");
        return seconds;
    }

  private:
    Recording recording_;
    std::string name_;
    Clock::time_point opened_ = Clock::now();
};

class ReplayedCounter final : public Source
{
  public:
    explicit ReplayedCounter(Playback playback) : playback_(std::move(playback)) {}

    // Between two rows the counter moves evenly, also over a wrap; where its range is unknown it jumps there.
    Reading read() override
    {
        const double now = playback_.now();
        const auto &readings = playback_.readings();
        const auto next = std::upper_bound(readings.begin(), readings.end() - 1, now,
                                           [](double time, const Reading &reading) { return time < reading.seconds; });
        const auto &a = *(next - 1), &b = *next;
        const double before = a.values.front(), after = b.values.front();
        const double part = (now - a.seconds) / (b.seconds - a.seconds);
        if (after >= before) return {now, {before + (after - before) * part}};
        if (!(playback_.wrap() > 0)) return {now, {part < 1 ? before : after}};
        return {now, {std::fmod(before + (after + playback_.wrap() - before) * part, playback_.wrap())}};
    }

  private:
    Playback playback_;
};

class ReplayedPower final : public Stream
{
  public:
    explicit ReplayedPower(Playback playback) : playback_(std::move(playback)) {}
    void begin(ReadingSink sink) override
    {
        begun_ = playback_.now();
        sink_ = std::move(sink);
    }
    void end() override
    {
        const auto sink = std::exchange(sink_, nullptr);
        for (auto &reading : power_between(playback_.readings(), begun_, playback_.now())) sink(std::move(reading));
    }
    void check() const override { playback_.now(); }

  private:
    Playback playback_;
    ReadingSink sink_;
    double begun_ = 0;
};

// Each window is the whole recording, at once.
class Script final : public Stream
{
  public:
    explicit Script(std::vector<Reading> readings) : readings_(std::move(readings)) {}
    void begin(ReadingSink sink) override { sink_ = std::move(sink); }
    void end() override
    {
        const auto sink = std::exchange(sink_, nullptr);
        for (const auto &reading : readings_) sink(reading);
    }

  private:
    std::vector<Reading> readings_;
    ReadingSink sink_;
};

} // namespace

Sensor open_replay(const std::string &argument, const MeterSettings &settings)
{
    auto recording = parse_recording(read_file(argument), argument);
    Sensor sensor;
    const auto name = "replay:" + argument;
    sensor.traits = {name,
                     recording.quantity,
                     Method::replayed,
                     settings.interval.value_or(recording.interval),
                     {{recording.quantity == Quantity::joules ? "recorded energy" : "recorded power", recording.wrap}}};
    sensor.traits.real_time = recording.real_time;
    if (!recording.real_time)
        sensor.stream = std::make_unique<Script>(std::move(recording.readings));
    else if (recording.quantity == Quantity::joules)
        sensor.source = std::make_unique<ReplayedCounter>(Playback(std::move(recording), name));
    else
        sensor.stream = std::make_unique<ReplayedPower>(Playback(std::move(recording), name));
    return sensor;
}

MeterAvailability look_for_replay()
{
    return {Status::success, "a recording in FILE instead of a sensor: rows of seconds,watts or seconds,joules"};
}

} // namespace hpart
