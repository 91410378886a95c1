#include "energy/tally.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpart
{

void Trace::add(TracePoint point)
{
    const auto count = points_.size();
    // The newest point replaces the last one if that was too close to the point before it.
    if (count >= 2 && points_[count - 1].seconds - points_[count - 2].seconds < spacing_) points_.pop_back();
    points_.push_back(point);
    if (points_.size() >= most_points) thin();
}

// Drops every second point. Later points are kept at the average distance of the remaining ones.
void Trace::thin()
{
    const auto newest = points_.back();
    points_.pop_back();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < points_.size(); k += 2) points_[kept++] = points_[k];
    points_.resize(kept);
    spacing_ = (newest.seconds - points_.front().seconds) / static_cast<double>(kept);
    points_.push_back(newest);
}

double energy_at(const std::vector<TracePoint> &trace, double seconds)
{
    const auto next = std::lower_bound(trace.begin() + 1, trace.end() - 1, seconds,
                                       [](const TracePoint &point, double time) { return point.seconds < time; });
    const auto &a = *(next - 1), &b = *next;
    const double length = b.seconds - a.seconds;
    return length > 0 ? a.joules + (b.joules - a.joules) * (seconds - a.seconds) / length : b.joules;
}

Reading power_on_line(const Reading &before, const Reading &after, double seconds)
{
    const double length = after.seconds - before.seconds;
    const double part = length > 0 ? (seconds - before.seconds) / length : 1;
    return {seconds, {before.values.front() + (after.values.front() - before.values.front()) * part}};
}

namespace
{

Reading power_at(const std::vector<Reading> &readings, double seconds)
{
    const auto next = std::lower_bound(readings.begin(), readings.end(), seconds,
                                       [](const Reading &reading, double time) { return reading.seconds < time; });
    if (next == readings.end()) return {seconds, readings.back().values};
    if (next == readings.begin()) return {seconds, next->values};
    return power_on_line(*(next - 1), *next, seconds);
}

} // namespace

std::vector<Reading> power_between(const std::vector<Reading> &readings, double from, double to)
{
    std::vector<Reading> inside{power_at(readings, from)};
    for (const auto &reading : readings)
        if (reading.seconds > from && reading.seconds < to) inside.push_back(reading);
    inside.push_back(power_at(readings, to));
    return inside;
}

namespace
{

constexpr double fewest_batches = 10;
// Beyond this more batches make the error no better known.
constexpr double most_batches = 30;
// A correlation of neighbouring batches above this cannot be told from one.
constexpr double highest_correlation = 0.9;

// The unit of the last decimal of the shortest number that is no further from the value.
double decimal_step_within(double value, double distance)
{
    constexpr int most_digits = 15;
    for (int digits = 1; digits < most_digits; ++digits) {
        const auto unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
        if (const double shorter = std::round(value / unit) * unit; std::abs(shorter - value) <= distance)
            return decimal_step(shorter);
    }
    return decimal_step(value);
}

} // namespace

BasePower mean_power(const std::vector<TracePoint> &trace, double intervals)
{
    const double length = trace.empty() ? 0 : trace.back().seconds - trace.front().seconds;
    if (!(length > 0)) fail(Status::numerical, "base power: no time passed between the meter's readings");
    const double batches = std::clamp(std::floor(std::sqrt(intervals)), fewest_batches, most_batches);
    const auto count = static_cast<std::size_t>(batches);
    const double mean = (trace.back().joules - trace.front().joules) / length;
    std::vector<double> deviations(count);
    double before = trace.front().joules;
    for (std::size_t k = 0; k < count; ++k) {
        const double end = static_cast<double>(k + 1) / batches;
        const double after = energy_at(trace, trace.front().seconds + length * end);
        deviations[k] = (after - before) * batches / length - mean;
        before = after;
    }
    double squares = 0, products = 0;
    for (std::size_t k = 0; k < count; ++k) {
        squares += deviations[k] * deviations[k];
        if (k > 0) products += deviations[k] * deviations[k - 1];
    }
    if (!std::isfinite(mean) || !std::isfinite(squares) || !std::isfinite(products))
        fail(Status::numerical, "base power: the values read are beyond what a number can hold; they must be wrong");
    // A power that never moves is known within half of its last decimal, anywhere in there. Rounding of the trace is no movement, nor is
    // what no meter resolves.
    constexpr double roundings = 8 * std::numeric_limits<double>::epsilon(), finest = 1e-9;
    const auto &first = trace.front(), &last = trace.back();
    const double joules = std::max(std::abs(first.joules), std::abs(last.joules)),
                 seconds = std::max(std::abs(first.seconds), std::abs(last.seconds));
    const double rounded_off = roundings * (joules + std::abs(mean) * seconds) / length;
    const double unresolved = batches * rounded_off + finest * std::abs(mean); // of a batch
    if (squares <= batches * unresolved * unresolved)
        return {mean, mean == 0 ? 0 : decimal_step_within(mean, rounded_off) / 2 / std::sqrt(3.0)};
    // Neighbouring batches stay correlated, as in an autoregressive series of order one.
    const double correlation = std::clamp(products / squares, 0.0, highest_correlation);
    const double variance = squares / (batches - 1) / batches * (1 + correlation) / (1 - correlation);
    return {mean, std::sqrt(variance)};
}

namespace
{
// A late reading of a small counter may hold more than a round: from this gap on the highest rate decides.
constexpr double shortest_wrap_seconds = 0.25;
// A rate is known from gaps of this length: shorter ones may hold one update of the counter more or less.
constexpr double telling_gap_seconds = 0.02;
// In a second a step that is no energy stands out from what a node draws, and a counter whose range is unknown does not go round and
// pass its old value unseen.
constexpr double longest_poll_seconds = 1;
// Before a rate is known: more than a socket or a device draws.
constexpr double likely_watts = 1000;
// No channel of a node draws more: a step of more joules is no energy.
constexpr double most_watts_of_a_part = 10 * likely_watts;
// Readings so close that the power may rise sixteenfold from one to the next and no wrap is missed.
constexpr double polls_in_a_wrap = 16;
// Hypervisors write a counter this often.
constexpr double rare_interval = 1;
// A gap this much longer than the interval has lost a value.
constexpr double late_intervals = 1.5;
// Counters are kept in fixed-point units of some microjoules; the range may be rounded to one of them.
constexpr double range_tolerance = 1e-6;
} // namespace

std::string_view method_name(Method method)
{
    switch (method) {
    case Method::counter: return "counter";
    case Method::integrated: return "integrated";
    case Method::estimated: return "estimated";
    case Method::replayed: return "replayed";
    }
    return "unknown";
}

std::string rounded_text(double value)
{
    constexpr int digits = 3;
    std::array<char, 64> buffer{};
    return {buffer.data(),
            std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits).ptr};
}

double Tally::joules() const { return std::accumulate(joules_.begin(), joules_.end(), 0.0); }

void Tally::check(const Reading &reading) const
{
    if (reading.values.size() != traits_.channels.size())
        fail(Status::internal, "meter ", traits_.name, " gave ", reading.values.size(), " values");
    if (!std::isfinite(reading.seconds))
        fail(Status::device, "meter ", traits_.name, " gave the time ", reading.seconds, "; it must be finite");
    if (readings_ > 0 && reading.seconds < last_.seconds)
        fail(Status::device, "meter ", traits_.name, " gave the time ", reading.seconds, " s after ", last_.seconds,
             " s; its clock must not go back");
    for (std::size_t k = 0; k < reading.values.size(); ++k) {
        const auto &channel = traits_.channels[k];
        const double value = reading.values[k];
        if (!std::isfinite(value) || value < 0)
            fail(Status::device, "meter ", traits_.name, " read ",
                 std::isfinite(value) ? rounded_text(value) : text(value),
                 traits_.quantity == Quantity::joules ? " J" : " W", " from ", channel.name,
                 "; it must be finite and not negative");
        if (traits_.quantity == Quantity::watts && traits_.never_rests && value > most_watts_of_a_part)
            fail(Status::device, "meter ", traits_.name, " read ", rounded_text(value), " W from ", channel.name,
                 ", more than any device takes: so drivers say that they do not know");
        if (traits_.quantity == Quantity::joules && channel.wrap > 0 && value > channel.wrap * (1 + range_tolerance))
            fail(Status::device, "meter ", traits_.name, " read ", value, " J from ", channel.name,
                 ", whose range ends at ", channel.wrap, " J");
    }
}

// If the meter's clock stops, integrated power would be 0.
void Tally::check_clock(const Reading &reading, double asked) const
{
    const double still = asked - clock_moved_asked_;
    if (traits_.quantity == Quantity::watts && reading.seconds == last_.seconds &&
        still > longest_silence(traits_.interval))
        fail(Status::device, "meter ", traits_.name, ": its clock has stood still at ", reading.seconds, " s for ",
             rounded_text(still), " s of this machine's; power cannot be integrated over it");
}

// A counter that goes back may have wrapped, or begun again at 0: then its step would be the rest of its range. A counter that goes
// forward may have been set, too. The power seen so far tells; the first step forward has none before it, and is short. An update that
// was due before the gap may fall into it.
void Tally::check_power(const Channel &channel, double before, double after, double step, double gap) const
{
    const bool has_wrapped = after < before;
    const bool is_first_step = highest_watts_ == 0 && !has_wrapped;
    const double most =
        is_first_step ? most_watts_of_a_part
                      : std::min(most_watts_of_a_part, std::max(2 * likely_watts, polls_in_a_wrap * highest_watts_));
    const double seconds = gap + std::max(traits_.interval, telling_gap_seconds);
    if (step <= most * seconds) return;
    fail(Status::device, "meter ", traits_.name, ": ", channel.name, " went from ", before, " J to ", after, " J in ",
         rounded_text(gap), " s, which would be ", rounded_text(step / seconds),
         " W: ", has_wrapped ? "the counter was set back" : "one of the two readings is wrong",
         ", and the energy is not known");
}

void Tally::learn_rate(double asked)
{
    const double gap = asked - gap_asked_;
    if (gap < telling_gap_seconds) return;
    for (std::size_t k = 0; k < joules_.size(); ++k)
        highest_watts_ = std::max(highest_watts_, (joules_[k] - gap_joules_[k]) / gap);
    gap_asked_ = asked;
    gap_joules_ = joules_;
}

double Tally::counted(std::size_t channel, double before, double after, double gap) const
{
    const auto &[name, wrap] = traits_.channels[channel];
    if (wrap > 0 && gap >= shortest_wrap_seconds) {
        const double watts = highest_watts_ > 0 ? 2 * highest_watts_ : likely_watts;
        if (gap * watts >= wrap)
            fail(Status::device, "meter ", traits_.name, " could not be read for ", gap, " s, in which ", name,
                 " may have gone round its range of ", wrap, " J more than once: the energy is not known");
    }
    const double step = after >= before ? after - before : wrap - before + after;
    // Readings cannot be closer. If a small counter goes round between two, its steps look like any numbers below the range. A
    // counter that is updated more rarely may take a long step in a short gap.
    const bool is_small = wrap < polls_in_a_wrap * telling_gap_seconds * std::max(highest_watts_, likely_watts);
    if (wrap > 0 && is_small && step > wrap / 2 && std::max(gap, traits_.interval) < 2 * telling_gap_seconds)
        fail(Status::device, "meter ", traits_.name, ": ", name, " went through ", rounded_text(step),
             " J of its range of ", wrap, " J in ", rounded_text(gap),
             " s; it may go round between two readings: the energy is not known");
    if (after >= before || wrap > 0) return step;
    if (std::isnan(wrap))
        fail(Status::device, "meter ", traits_.name, ": ", name, " went back from ", before, " J to ", after,
             " J and the range of the counter is not known, so the energy is not known either");
    fail(Status::device, "meter ", traits_.name, ": ", name, " went back from ", before, " J to ", after,
         " J; a counter that never wraps must not");
}

void Tally::add(Reading reading, double asked)
{
    check(reading);
    if (readings_ == 0) {
        first_seconds_ = reading.seconds;
        first_asked_ = clock_moved_asked_ = gap_asked_ = asked;
        moved_seconds_.assign(joules_.size(), reading.seconds);
    } else {
        check_clock(reading, asked);
        const double passed = reading.seconds - last_.seconds, gap = asked - last_asked_;
        for (std::size_t k = 0; k < joules_.size(); ++k) {
            const double before = last_.values[k], after = reading.values[k];
            const double step =
                traits_.quantity == Quantity::joules ? counted(k, before, after, gap) : passed * (before + after) / 2;
            // A recording's own time passes at once here. A counter that stood still for longer was dead.
            const double still = std::min(reading.seconds - moved_seconds_[k], dead_seconds());
            if (may_be_wrong()) check_power(traits_.channels[k], before, after, step, std::max({gap, passed, still}));
            joules_[k] += step;
            if (before != after) {
                moved_seconds_[k] = reading.seconds;
                if (!is_still_.empty()) is_still_[k] = false;
            }
            if (!std::isfinite(joules_[k]))
                fail(Status::numerical, "meter ", traits_.name, ": the energy of ", traits_.channels[k].name,
                     " is beyond what a number can hold; the values read must be wrong");
        }
        learn_rate(asked);
        if (traits_.quantity == Quantity::watts && passed > late_intervals * traits_.interval) {
            const double values = std::round(passed / traits_.interval);
            if (values < static_cast<double>(std::numeric_limits<std::int32_t>::max()))
                missed_ += static_cast<std::int64_t>(values) - 1;
        }
    }
    if (reading.seconds > last_.seconds) clock_moved_asked_ = asked;
    last_ = std::move(reading);
    last_asked_ = asked;
    ++readings_;
}

double Tally::poll_seconds() const
{
    if (traits_.quantity == Quantity::watts) return traits_.interval;
    if (!may_be_wrong()) return std::numeric_limits<double>::infinity();
    // A step that is no energy is the smaller the shorter it lasts, and the first one has no power before it.
    double poll = highest_watts_ > 0 ? longest_poll_seconds : telling_gap_seconds;
    const double watts = highest_watts_ > 0 ? highest_watts_ : likely_watts;
    for (const auto &channel : traits_.channels)
        if (channel.wrap > 0)
            poll = std::min(poll, std::max(channel.wrap / (polls_in_a_wrap * watts), telling_gap_seconds));
    return poll;
}

bool Tally::stands_still() const
{
    return traits_.quantity == Quantity::joules && !traits_.may_stand_still &&
           std::any_of(joules_.begin(), joules_.end(), [](double joules) { return joules == 0; });
}

bool Tally::is_waiting() const
{
    return std::any_of(is_still_.begin(), is_still_.end(), [](bool still) { return still; });
}

// As long as the shortest window: one in which a counter does not move is an error.
double Tally::dead_seconds() const { return minimum_window(traits_); }

void Tally::check_moved() const
{
    const double passed_here = last_asked_ - first_asked_;
    if (seconds() == 0 && passed_here > late_intervals * traits_.interval)
        fail(Status::device, "meter ", traits_.name, ": its clock has stood still at ", last_.seconds, " s for ",
             rounded_text(passed_here), " s of this machine's; neither energy nor power can be told by it");
    if (traits_.quantity != Quantity::joules || traits_.may_stand_still) return;
    for (std::size_t k = 0; k < moved_seconds_.size(); ++k) {
        if (last_.seconds - moved_seconds_[k] < dead_seconds()) continue;
        throw DeadError(
            Status::device,
            text("meter ", traits_.name, ": ", traits_.channels[k].name, " did not move in ",
                 rounded_text(dead_seconds()), " s, ", rounded_text(least_intervals),
                 " times its interval; the counter ",
                 moved_seconds_[k] == first_seconds_ ? "is dead" : "has stopped, so that part of the energy is missing",
                 traits_.never_rests && traits_.interval < rare_interval
                     ? ". If it moves once a second only, set --option interval=1"
                     : ""));
    }
}

} // namespace hpart
