// A recorded meter: for tests, demonstrations, and machines without a sensor.

#include "energy/backends.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "energy/sensor.hpp"
#include "energy/tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace hpart
{

namespace
{

constexpr std::string_view unknown_range = "unknown";
// Seconds. As doubles, times since the epoch have steps of a quarter of a microsecond.
constexpr double coarsest_step = 1e-4;

struct Unit {
    std::string_view name;
    Quantity quantity;
    double factor;
};
constexpr Unit recorded_units[] = {{"W", Quantity::watts, 1},      {"mW", Quantity::watts, 1e-3},
                                   {"kW", Quantity::watts, 1e3},   {"J", Quantity::joules, 1},
                                   {"mJ", Quantity::joules, 1e-3}, {"uJ", Quantity::joules, 1e-6},
                                   {"kJ", Quantity::joules, 1e3}};

class ReplayParser
{
  public:
    ReplayParser(std::string_view content, const std::string &path) : rest_(content), path_(path) {}

    Recording parse()
    {
        while (!rest_.empty()) {
            const auto end = rest_.find('\n');
            line_ = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            ++number_;
            if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
            const auto content = trim(line_);
            if (content.empty()) continue;
            if (content.front() == '#')
                metadata(content.substr(1));
            else
                row();
        }
        return finish();
    }

  private:
    template <typename... Parts> [[noreturn]] void wrong(std::string_view where, const Parts &...parts) const
    {
        // An empty text has no place in the line.
        const auto column = where.data() >= line_.data() && where.data() <= line_.data() + line_.size()
                                ? where.data() - line_.data() + 1
                                : 1;
        fail(Status::format, in_quotes(path_), ", line ", number_, ", column ", column, ": ", in_quotes(where), " ",
             parts...);
    }

    double number(std::string_view text, std::string_view what) const
    {
        const auto value = parse_double(text);
        if (!value || !std::isfinite(*value) || *value < 0)
            wrong(text, "is no ", what, "; it must be finite and not negative");
        return *value;
    }

    double positive(std::string_view text, std::string_view what) const
    {
        const double value = number(text, what);
        if (value == 0) wrong(text, "is no ", what, "; it must be above 0");
        return value;
    }

    // "key = value"; other lines are comments.
    void metadata(std::string_view comment)
    {
        const auto equals = comment.find('=');
        if (equals == std::string_view::npos) return;
        const auto key = trim(comment.substr(0, equals)), value = trim(comment.substr(equals + 1));
        if (key == "quantity")
            quantity(value);
        else if (key == "interval")
            recording_.interval = positive(value, "interval in seconds");
        else if (key == "wrap")
            recording_.wrap = value == unknown_range ? std::numeric_limits<double>::quiet_NaN()
                                                     : positive(value, "range in joules, and not 'unknown'");
        else if (key == "clock")
            clock(value);
    }

    void quantity(std::string_view name)
    {
        if (name != "watts" && name != "joules") wrong(name, "is no quantity; it must be watts or joules");
        const auto named = name == "joules" ? Quantity::joules : Quantity::watts;
        if (quantity_ && *quantity_ != named) wrong(name, "is not the quantity that was named before");
        quantity_ = named;
    }

    void clock(std::string_view name)
    {
        if (name != "real" && name != "script") wrong(name, "is no clock; it must be real or script");
        recording_.real_time = name == "real";
    }

    void row()
    {
        const auto comma = line_.find(',');
        if (comma == std::string_view::npos || line_.find(',', comma + 1) != std::string_view::npos)
            wrong(line_, "is no row; the header must be seconds,watts or seconds,joules, and a row two numbers");
        const auto first = trim(line_.substr(0, comma)), second = trim(line_.substr(comma + 1));
        if (first == "seconds" && recording_.readings.empty()) {
            quantity(second);
            return;
        }
        if (recording_.readings.empty() && !first.empty() && !parse_double(first.substr(0, 1)) && first.front() != '-')
            wrong(line_, "is no header; it must be seconds,watts or seconds,joules");
        const double seconds = number(first, "time in seconds");
        if (const double step = std::nextafter(seconds, std::numeric_limits<double>::infinity()) - seconds;
            step > coarsest_step)
            wrong(first, "is too large a time: numbers of that size are ", rounded_text(step),
                  " apart; times must be in seconds");
        auto &readings = recording_.readings;
        if (!readings.empty() && seconds <= readings.back().seconds)
            wrong(first, "is not later than the row before; times must increase");
        readings.push_back({seconds, {value(second)}});
    }

    // 61.53, or with a unit of the quantity: "61.53 W".
    double value(std::string_view text) const
    {
        const auto unit_begin = text.find_last_of("0123456789.") + 1;
        const auto unit = trim(text.substr(unit_begin));
        for (const auto &[name, of, factor] : recorded_units)
            if (unit == name && quantity_ == of) return number(trim(text.substr(0, unit_begin)), "value") * factor;
        return number(text, unit.empty() ? "value" : "value without a unit, or with one of the header's quantity");
    }

    Recording finish()
    {
        const auto &readings = recording_.readings;
        if (readings.size() < 2)
            fail(Status::format, in_quotes(path_), ": the recording has ", readings.size(),
                 " rows; it must have two at least");
        if (!quantity_)
            fail(Status::format, in_quotes(path_),
                 ": the quantity is not said; the header must be seconds,watts or seconds,joules");
        recording_.quantity = *quantity_;
        if (recording_.interval == 0) recording_.interval = usual_spacing();
        if (recording_.quantity == Quantity::watts && recording_.wrap != never_wraps)
            fail(Status::format, in_quotes(path_), ": power has no wrap; only a recording of joules has");
        for (std::size_t k = 1; k < readings.size(); ++k)
            if (recording_.quantity == Quantity::joules && recording_.wrap == never_wraps &&
                readings[k].values[0] < readings[k - 1].values[0])
                fail(Status::format, in_quotes(path_), ": the joules fall at ", readings[k].seconds,
                     " s; a counter that goes round needs its range, as in '# wrap = 65536'");
        return std::move(recording_);
    }

    // The median distance of rows.
    double usual_spacing() const
    {
        const auto &readings = recording_.readings;
        std::vector<double> distances;
        for (std::size_t k = 1; k < readings.size(); ++k)
            distances.push_back(readings[k].seconds - readings[k - 1].seconds);
        const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
        std::nth_element(distances.begin(), middle, distances.end());
        return *middle;
    }

    std::string_view rest_;
    const std::string &path_;
    std::string_view line_;
    std::int64_t number_ = 0;
    std::optional<Quantity> quantity_;
    Recording recording_;
};

} // namespace

Recording parse_recording(std::string_view content, const std::string &path)
{
    return ReplayParser(content, path).parse();
}

std::string format_recording(const Recording &recording)
{
    std::string out =
        text("# interval = ", recording.interval, "\n# clock = ", recording.real_time ? "real" : "script", "\n");
    if (std::isnan(recording.wrap))
        out += text("# wrap = ", unknown_range, "\n");
    else if (recording.wrap != never_wraps)
        out += text("# wrap = ", recording.wrap, "\n");
    out += recording.quantity == Quantity::joules ? "seconds,joules\n" : "seconds,watts\n";
    for (const auto &reading : recording.readings) out += text(reading.seconds, ",", reading.values.front(), "\n");
    return out;
}

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
