#include "measurement/resumable_file.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "energy/tally.hpp"
#include "kernels/registry.hpp"
#include "measurement/measure.hpp"
#include "models/platform_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <set>

#include <sys/stat.h>

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

namespace
{

std::string memory_limits(const Platform &platform)
{
    std::string all;
    platform.facts.each<MemoryLimit>([&](const auto &limit) {
        all += text(all.empty() ? "" : ", ", "memory limit of ", limit.device, " = ", limit.bytes);
    });
    return all.empty() ? "no memory limit" : all;
}

// Quotes are cut behind 80 bytes: a long text begins at the word where it differs from the other one.
std::string quoted_from_difference(std::string_view text, std::string_view other)
{
    constexpr std::size_t short_enough = 40;
    const auto same = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin());
    const auto blank = text.substr(0, same).rfind(' ');
    if (same < short_enough || blank == std::string_view::npos) return in_quotes(text);
    return in_quotes("..." + std::string(text.substr(blank)));
}

// In order, each once. A file that the system does not know now changes nothing.
std::vector<std::string> origins_of(const Team &team)
{
    std::set<std::string> all;
    for (std::size_t i = 0; i < team.count(); ++i)
        for (auto &origin : team.member(i).kernel->origins())
            if (!origin.empty()) all.insert(std::move(origin));
    return {all.begin(), all.end()};
}

// Empty when the file may be continued.
std::string difference(const Platform &found, const Platform &wanted)
{
    if (found.count() != wanted.count())
        return text("it has ", pluralise(found.count(), "processor"), ", the team ", wanted.count());
    for (std::int64_t i = 0; i < found.count(); ++i)
        if (found.processor(i).name != wanted.processor(i).name)
            return text("its processor ", i, " is ", in_quotes(found.processor(i).name), ", the team's ",
                        in_quotes(wanted.processor(i).name), "; they must be in the same order");
    if (found.kernel() != wanted.kernel())
        return text("it was measured with the kernel ", quoted_from_difference(found.kernel(), wanted.kernel()),
                    ", not ", quoted_from_difference(wanted.kernel(), found.kernel()));
    const auto way = wanted.facts.stated(Topic::way);
    if (const auto before = found.facts.stated(Topic::way, way); before != way)
        return text("it was measured ", before, ", not ", way);
    const auto mean = statistic_name(Statistic::mean);
    const auto before = found.facts.stated(Topic::statistic, mean);
    const auto now = wanted.facts.stated(Topic::statistic, mean);
    if (before != now)
        return text("its times are ", before, "s, this call's ", now,
                    "s (option 'statistic'; the search takes medians)");
    if (memory_limits(found) != memory_limits(wanted))
        return text("it was measured with ", memory_limits(found), "; this call has ", memory_limits(wanted));
    return "";
}

} // namespace

Platform platform_of(const Team &team, bool simultaneous, Statistic statistic)
{
    Platform platform(static_cast<std::int64_t>(team.count()));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < team.count(); ++i) names.push_back(team.member(i).name);
    platform.set_names(names);
    platform.set_kernel(team.kernel());
    note_origin(platform, team);
    platform.facts.state(Topic::way, simultaneous ? "all processors at once" : "one after another");
    if (statistic != Statistic::mean) platform.facts.state(Topic::statistic, std::string(statistic_name(statistic)));
    for (std::size_t i = 0; i < team.count(); ++i)
        if (const auto &member = team.member(i); member.memory_limit)
            platform.facts.add(MemoryLimit{member.name, *member.memory_limit});
    return platform;
}

void lock_file(const std::string &path, std::optional<FileLock> &held)
{
    struct stat info {
    };
    if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) held.emplace(path);
}

void refuse_file(const std::string &path, const std::string &reason)
{
    fail_argument("the file ", in_quotes(path), " cannot be continued: ", reason,
                  "; give another file, or remove this one");
}

std::optional<Platform> read_to_continue(const std::string &path, const Platform &platform)
{
    struct stat info {
    };
    if (::stat(path.c_str(), &info) != 0 || (S_ISREG(info.st_mode) && info.st_size == 0)) return std::nullopt;
    if (S_ISCHR(info.st_mode)) return std::nullopt; // as /dev/null, which keeps nothing
    if (!S_ISREG(info.st_mode)) refuse_file(path, "it is no regular file");
    auto found = read_platform(path);
    if (const auto reason = difference(found, platform); !reason.empty()) refuse_file(path, reason);
    if (!found.facts.states(Topic::way)) found.facts.state(Topic::way, platform.facts.stated(Topic::way));
    return found;
}

bool names_this_machine(const Platform &platform)
{
    const auto machines = platform.facts.all_stated(Topic::machine);
    return std::ranges::find(machines, this_machine()) != machines.end();
}

bool is_to_be_checked(const Platform &platform, const Team &team)
{
    return platform.kernel().empty() || !names_this_machine(platform) ||
           platform.facts.all_stated(Topic::origin) != origins_of(team);
}

double tolerance_of(const Platform &platform, const Team &team, std::optional<double> asked)
{
    constexpr double usual = 0.25, of_changes = 0.05;
    const bool has_changed =
        !names_this_machine(platform) || platform.facts.all_stated(Topic::origin) != origins_of(team);
    return asked.value_or(has_changed ? of_changes : usual);
}

void note_origin(Platform &platform, const Team &team)
{
    if (!names_this_machine(platform)) platform.facts.add(Statement{Topic::machine, this_machine()});
    platform.facts.erase_if<Statement>([](const auto &one) { return one.topic == Topic::origin; });
    for (auto &origin : origins_of(team)) platform.facts.add(Statement{Topic::origin, std::move(origin)});
}

std::optional<std::int64_t> size_to_check(const std::vector<std::vector<std::int64_t>> &sizes)
{
    std::vector<std::int64_t> common = sizes.front();
    for (const auto &others : sizes)
        std::erase_if(common, [&](auto size) { return std::find(others.begin(), others.end(), size) == others.end(); });
    if (common.empty()) return std::nullopt;
    return common[common.size() / 2];
}

void require_agreement(const std::string &path, const Platform &platform, const RepeatedPoint &point, double tolerance)
{
    // Waking a thread may take so long.
    constexpr double least_seconds = 1e-5;
    const double allowed = tolerance * point.before + point.half_width + least_seconds;
    if (std::abs(point.now - point.before) <= allowed) return;
    const auto other = platform.facts.stated(Topic::machine);
    const auto why = names_this_machine(platform) ? "if the kernel has changed"
                     : other.empty()              ? "if the kernel or the machine has changed"
                                                  : "it was measured on another machine or with other kernels";
    fail_argument(
        "the file ", in_quotes(path), " cannot be continued: processor ", in_quotes(point.processor), ", size ",
        point.size, ", takes ", rounded_text(point.now), " s now and ", rounded_text(point.before),
        " s in the file, which may differ by ", rounded_text(allowed), " s; ", why,
        other.empty() || names_this_machine(platform) ? "" : text(" (", other, "; this one: ", this_machine(), ")"),
        ", give another file, or remove this one; if this machine is busy, set option 'resume_tolerance' above ",
        tolerance);
}

} // namespace hpart
