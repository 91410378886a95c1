#include "measurement/point_notes.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "measurement/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace hpart
{

namespace
{

constexpr double hardly_by_chance = 0.001;
// A smaller one widens the interval by less than 5 %.
constexpr double least_correlation = 0.05;

bool is_failure(const Note &note) { return note.kind == NoteKind::failed || note.kind == NoteKind::unfinished; }

// A point's notes of some kinds, in place of the earlier ones.
class PointNotes
{
  public:
    PointNotes(std::string_view processor, std::int64_t size) : processor_(processor), size_(size) {}
    template <typename... Parts> void set(NoteKind kind, bool holds, const Parts &...parts)
    {
        kinds_.push_back(kind);
        if (holds) made_.push_back({kind, processor_, size_, text(parts...)});
    }
    // In one pass: there may be 100,000 notes.
    void replace(Facts &facts)
    {
        facts.erase_if<Note>([&](const Note &note) {
            return note.is_at(processor_, size_) && std::ranges::find(kinds_, note.kind) != kinds_.end();
        });
        for (auto &note : made_) facts.add(std::move(note));
    }

  private:
    std::string processor_;
    std::int64_t size_;
    std::vector<NoteKind> kinds_;
    std::vector<Note> made_;
};

double in_percent(double share) { return std::round(share * 1e4) / 1e2; }

// Two digits say how small it is.
std::string two_digits(double p)
{
    std::array<char, 32> digits{};
    auto *const end = std::to_chars(digits.begin(), digits.end(), p, std::chars_format::general, 2).ptr;
    return {digits.begin(), end};
}

} // namespace

void note_point(Facts &facts, std::string_view processor, std::int64_t size, const Measurement &measurement,
                std::size_t at, const StopRule &rule)
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

    PointNotes notes(processor, size);
    Imprecision known{"", std::nullopt, repetitions, false, ""};
    known.clause = estimate.value == 0    ? std::string("is 0, less than its clock shows,")
                   : std::isnan(relative) ? std::string("has no interval")
                                          : text("is known to ", in_percent(relative), " %");
    if (measurement.reason != StopReason::precision)
        known.remark = text(" (", stop_reason_name(measurement.reason), ")");
    notes.set(NoteKind::imprecise, !measurement.precise && !(relative <= rule.precision), known.line());
    const auto broken = at < measurement.broken_bindings.size() ? measurement.broken_bindings[at] : std::string();
    notes.set(NoteKind::unbound, !broken.empty(), broken);
    notes.set(NoteKind::busy, !measurement.busy.empty(), "was measured on a busy machine: ", measurement.busy);
    notes.set(NoteKind::outliers, far > 0, "has ", far, " of ", repetitions, " samples far from the median");
    notes.set(NoteKind::drift, change.p < hardly_by_chance && std::abs(change.change) > rule.precision, "changed by ",
              in_percent(change.change), " % in ", repetitions, " repetitions (drift_p ", two_digits(change.p), ")");
    notes.set(NoteKind::serial_correlation, serial.p < hardly_by_chance && serial.lag_1 > least_correlation, "has ",
              std::round(serial.lag_1 * 100) / 100, " between neighbours of ", repetitions,
              " samples (serial_correlation_p ", two_digits(serial.p), ")");
    notes.replace(facts);
}

void note_failure(Facts &facts, std::string_view processor, std::int64_t size, std::string_view reason)
{
    PointNotes notes(processor, size);
    notes.set(NoteKind::failed, !reason.empty(), printable(reason));
    notes.set(NoteKind::unfinished, false);
    notes.replace(facts);
}

void note_unfinished(Facts &facts, std::string_view processor, std::int64_t size, double seconds)
{
    if (facts.has_note(NoteKind::failed, processor, size)) return;
    PointNotes notes(processor, size);
    notes.set(NoteKind::unfinished, true, "after ", std::round(10 * seconds) / 10, " s");
    notes.replace(facts);
}

void note_time_doubt(Facts &facts, std::string_view doubt)
{
    if (!doubt.empty() && !facts.states(Topic::time_doubt)) facts.state(Topic::time_doubt, printable(doubt));
}

void note_choice(Facts &facts, ChosenDistribution choice)
{
    const auto is_of_call = [&](const ChosenDistribution &one) {
        return one.objective == choice.objective && one.size == choice.size;
    };
    const auto all = facts.all<ChosenDistribution>();
    const bool is_known_better = !choice.has_run && std::ranges::any_of(all, [&](const ChosenDistribution &one) {
        return is_of_call(one) && one.has_run && (one.certified || !choice.certified);
    });
    if (is_known_better) return;
    facts.erase_if<ChosenDistribution>(is_of_call);
    facts.add(std::move(choice));
}

std::vector<Note> noted_failures(const Facts &facts)
{
    std::vector<Note> failures;
    facts.each<Note>([&](const Note &note) {
        if (is_failure(note)) failures.push_back(note);
    });
    return failures;
}

std::size_t place_of_failure(const std::vector<Note> &failures, std::string_view processor, std::int64_t size)
{
    const auto last =
        std::find_if(failures.rbegin(), failures.rend(), [&](const auto &note) { return note.is_at(processor, size); });
    return static_cast<std::size_t>(failures.rend() - last);
}

std::optional<double> noted_precision(const Facts &facts, std::string_view processor, std::int64_t size)
{
    std::optional<double> precision;
    facts.each<Note>([&](const Note &note) {
        if (precision || note.kind != NoteKind::imprecise || !note.is_at(processor, size)) return;
        if (const auto known = Imprecision::read(note.text); known && !known->is_energy) precision = known->ratio;
    });
    return precision;
}

} // namespace hpart
