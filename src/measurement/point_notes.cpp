#include "measurement/point_notes.hpp"

#include "core/characters.hpp"
#include "core/error.hpp"
#include "measurement/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace hpart
{

namespace
{

constexpr double hardly_by_chance = 0.001;
// A smaller one widens the interval by less than 5 %.
constexpr double least_correlation = 0.05;
constexpr std::string_view imprecise_key = "precision not reached";
constexpr std::string_view failure_key = "failed", unfinished_key = "unfinished";
constexpr std::string_view time_doubt_begin = " time doubt: ";
constexpr std::string_view known_to = "is known to ";

// The words after the key begin with the point, so that a later measurement finds them.
class Notes
{
  public:
    Notes(std::vector<std::string> &comments, std::string_view processor, std::int64_t size)
        : comments_(comments), point_(text(processor, " size ", size, " "))
    {
    }
    template <typename... Parts> void set(std::string_view key, bool holds, const Parts &...parts)
    {
        begins_.push_back(text(" ", key, ": ", point_));
        if (holds) made_.push_back(text(begins_.back(), parts...));
    }
    // In one pass: there may be 100,000 comments.
    void replace()
    {
        std::erase_if(comments_, [&](const auto &comment) {
            return std::any_of(begins_.begin(), begins_.end(),
                               [&](const auto &begin) { return comment.starts_with(begin); });
        });
        std::move(made_.begin(), made_.end(), std::back_inserter(comments_));
    }

  private:
    std::vector<std::string> &comments_;
    std::string point_;
    std::vector<std::string> begins_, made_;
};

// Returns the index behind the last such comment; 0 if there is none.
std::size_t place_of_note(const std::vector<std::string> &comments, std::string_view key, std::string_view processor,
                          std::int64_t size)
{
    const auto begin = text(" ", key, ": ", processor, " size ", size, " ");
    const auto last = std::find_if(comments.rbegin(), comments.rend(),
                                   [&](const auto &comment) { return comment.starts_with(begin); });
    return static_cast<std::size_t>(comments.rend() - last);
}

double in_percent(double share) { return std::round(share * 1e4) / 1e2; }

// Two digits say how small it is.
std::string two_digits(double p)
{
    std::array<char, 32> digits{};
    auto *const end = std::to_chars(digits.begin(), digits.end(), p, std::chars_format::general, 2).ptr;
    return {digits.begin(), end};
}

} // namespace

void note_point(std::vector<std::string> &comments, std::string_view processor, std::int64_t size,
                const Measurement &measurement, std::size_t at, const StopRule &rule)
{
    const auto &estimate = measurement.estimates[at];
    const auto repetitions = measurement.repetitions;
    const double width = estimate.high - estimate.value;
    const double relative = estimate.value != 0 ? width / estimate.value : std::numeric_limits<double>::infinity();
    const auto samples = measurement.samples_of(at);
    const auto flags = outliers(samples);
    const auto far = std::count(flags.begin(), flags.end(), true);
    const auto change = drift(samples);
    const auto serial = serial_correlation(samples);

    Notes notes(comments, processor, size);
    const auto how = estimate.value == 0    ? std::string("is 0, less than its clock shows,")
                     : std::isnan(relative) ? std::string("has no interval")
                                            : text(known_to, in_percent(relative), " %");
    notes.set(imprecise_key, !measurement.precise && !(relative <= rule.precision), how, " after ", repetitions,
              " repetitions",
              measurement.reason == StopReason::precision ? "" : text(" (", stop_reason_name(measurement.reason), ")"));
    const auto broken = at < measurement.broken_bindings.size() ? measurement.broken_bindings[at] : std::string();
    notes.set("binding not kept", !broken.empty(), broken);
    notes.set("busy", !measurement.busy.empty(), "was measured on a busy machine: ", measurement.busy);
    notes.set("outliers", far > 0, "has ", far, " of ", repetitions, " samples far from the median");
    notes.set("drift", change.p < hardly_by_chance && std::abs(change.change) > rule.precision, "changed by ",
              in_percent(change.change), " % in ", repetitions, " repetitions (drift_p ", two_digits(change.p), ")");
    notes.set("serial correlation", serial.p < hardly_by_chance && serial.lag_1 > least_correlation, "has ",
              std::round(serial.lag_1 * 100) / 100, " between neighbours of ", repetitions,
              " samples (serial_correlation_p ", two_digits(serial.p), ")");
    notes.replace();
}

void note_failure(std::vector<std::string> &comments, std::string_view processor, std::int64_t size,
                  std::string_view reason)
{
    Notes notes(comments, processor, size);
    notes.set(failure_key, !reason.empty(), printable(reason));
    notes.set(unfinished_key, false);
    notes.replace();
}

void note_unfinished(std::vector<std::string> &comments, std::string_view processor, std::int64_t size, double seconds)
{
    if (place_of_note(comments, failure_key, processor, size) > 0) return;
    Notes notes(comments, processor, size);
    notes.set(unfinished_key, true, "after ", std::round(10 * seconds) / 10, " s");
    notes.replace();
}

void note_time_doubt(std::vector<std::string> &comments, std::string_view doubt)
{
    if (!doubt.empty() && noted_time_doubt(comments).empty())
        comments.push_back(text(time_doubt_begin, printable(doubt)));
}

void note_choice(std::vector<std::string> &comments, const ChosenDistribution &choice)
{
    const auto begin = text(chosen_key, choice.objective, " ", choice.size, " = ");
    std::erase_if(comments, [&](const auto &comment) { return comment.starts_with(begin); });
    std::string x;
    for (const auto part : choice.x) x += text(x.empty() ? "" : ",", part);
    comments.push_back(text(begin, x, choice.has_run ? " ran " : " predicted ", format_double(choice.value),
                            choice.certified ? text(" certified ", *choice.certified) : " not certified"));
}

std::string noted_time_doubt(const std::vector<std::string> &comments)
{
    for (const auto &comment : comments)
        if (comment.starts_with(time_doubt_begin)) return comment.substr(time_doubt_begin.size());
    return "";
}

bool is_noted_imprecise(const std::vector<std::string> &comments, std::string_view processor, std::int64_t size)
{
    return place_of_note(comments, imprecise_key, processor, size) > 0;
}

std::vector<std::string> noted_failures(std::vector<std::string> comments)
{
    std::erase_if(comments,
                  [begins = {text(" ", failure_key, ": "), text(" ", unfinished_key, ": ")}](const auto &comment) {
                      return std::none_of(begins.begin(), begins.end(),
                                          [&](const auto &begin) { return comment.starts_with(begin); });
                  });
    return comments;
}

std::size_t place_of_failure(const std::vector<std::string> &comments, std::string_view processor, std::int64_t size)
{
    return std::max(place_of_note(comments, failure_key, processor, size),
                    place_of_note(comments, unfinished_key, processor, size));
}

std::optional<double> noted_precision(const std::vector<std::string> &comments, std::string_view processor,
                                      std::int64_t size)
{
    const auto begin = text(" ", imprecise_key, ": ", processor, " size ", size, " ", known_to);
    for (const auto &comment : comments) {
        if (!comment.starts_with(begin)) continue;
        const auto rest = std::string_view(comment).substr(begin.size());
        if (const auto percent = parse_double(rest.substr(0, rest.find(' ')))) return *percent / 100;
    }
    return std::nullopt;
}

} // namespace hpart
