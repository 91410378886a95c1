#include "measurement/energy_profile.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "measurement/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <sys/stat.h>

namespace hpart
{

EnergyRequest EnergyRequest::from(const Options &options)
{
    return {EnergySettings::from(options), options.get_text("energy") == "simultaneous"};
}

EnergyProfile::EnergyProfile(const Team &team, const EnergyRequest &request, bool times_are_simultaneous)
    : team_(team), request_(request), wanted_(!team.meters().empty())
{
    if (request.simultaneous && (!wanted_ || team.node_meter() != nullptr))
        fail_option("energy", " is 'simultaneous', for which each processor must have a meter of its own; "
                              "hpart_team_set_meter attaches them");
    if (request.simultaneous && !times_are_simultaneous)
        fail_option("energy", " is 'simultaneous', but 'simultaneous' is 0; it must be 1");
    if (wanted_) require_meters(team);
}

std::string EnergyProfile::line() const
{
    if (!wanted_) return "none";
    return text(energy_method(team_), " by ", energy_meter(team_), ", ",
                request_.simultaneous ? "all processors at once" : "each processor alone");
}

void EnergyProfile::describe(Platform &platform) const
{
    if (wanted_) platform.facts.state(Topic::energy, line());
}

std::string EnergyProfile::resume(const Platform &found)
{
    const auto energy = found.facts.stated(Topic::energy, "none");
    if (energy != line()) return text("its energy is ", energy, ", not ", line());
    if (!wanted_ || team_.node_meter() == nullptr || !found.has_base_power()) return "";
    const auto known = team_.node_meter()->base_power();
    auto asked = request_.settings.base_power;
    if (!asked && known) asked = known->watts;
    if (asked && *asked != found.base_power())
        return text("its base power is ", found.base_power(), " W, not ", *asked);
    bases_ = {{found.base_power(), parse_double(found.facts.stated(Topic::base_power_error)).value_or(0)}};
    return "";
}

void EnergyProfile::prepare(Platform &platform, const Poll &poll)
{
    if (!wanted_ || !bases_.empty()) return;
    bases_ = base_powers(team_, request_.settings, poll);
    const auto base = base_power();
    platform.set_base_power(base.watts);
    platform.facts.state(Topic::base_power_error, text(base.standard_error));
}

BasePower EnergyProfile::base_power() const
{
    double watts = 0, variance = 0;
    for (const auto &base : bases_) {
        watts += base.watts;
        variance += base.standard_error * base.standard_error;
    }
    // An estimate of what an idle machine takes may be a little below nothing.
    return {std::max(watts, 0.0), std::sqrt(variance)};
}

double EnergyProfile::least_seconds(std::size_t processors) const
{
    double window = 0;
    for (const auto *meter : team_.meters())
        if (meter->traits().real_time) window = std::max(window, minimum_window(meter->traits()));
    return static_cast<double>(measurements(processors)) * window;
}

std::size_t EnergyProfile::measurements(std::size_t processors) const
{
    if (!wanted_) return 0;
    return request_.simultaneous ? 1 : processors;
}

void EnergyProfile::measure(Platform &platform, std::span<const std::size_t> processors, std::int64_t size,
                            double max_seconds, const Poll &poll)
{
    if (!wanted_) return;
    auto settings = request_.settings;
    settings.rule.max_seconds = max_seconds;
    const auto of = [&](std::span<const std::size_t> together) {
        std::vector<Slice> slices(team_.count());
        for (const auto i : together) slices[i] = {0, size};
        const auto measured = measure_energy(team_, std::move(slices), settings, bases_, poll);
        for (std::size_t k = 0; k < together.size(); ++k) keep(platform, together[k], size, measured, k);
    };
    if (request_.simultaneous) return of(processors);
    for (std::size_t k = 0; k < processors.size(); ++k) of(processors.subspan(k, 1));
}

EnergyMeasurement EnergyProfile::windows(std::vector<Slice> slices, std::int64_t count, const Poll &poll) const
{
    auto settings = request_.settings;
    settings.rule.min_repetitions = settings.rule.max_repetitions = std::max<std::int64_t>(count, 2);
    settings.rule.max_seconds = std::numeric_limits<double>::infinity();
    return measure_energy(team_, std::move(slices), settings, bases_, poll);
}

// A base power is wrong then, or was measured while the machine did other work.
void EnergyProfile::require_no_less_than_nothing(std::size_t processor, std::int64_t size,
                                                 const EnergyEstimate &estimate) const
{
    if (estimate.joules >= 0 || estimate.high >= 0) return;
    const auto base = with_uncertainty(estimate.base.watts, estimate.base.standard_error);
    const auto subject = text("processor ", in_quotes(team_.member(processor).name), ", size ", size);
    if (std::isnan(estimate.high)) // nobody knows the error of one window
        throw MeterFailure(Status::numerical, text(subject, ": its dynamic energy is ", rounded_text(estimate.joules),
                                                   " J in the only window of the meter, above a base power of ", base,
                                                   " W; more time has more windows"));
    fail(Status::numerical, subject, ": its dynamic energy is ",
         with_uncertainty(estimate.joules, estimate.high - estimate.joules), " J: the base power, ", base,
         " W, is more than the machine takes at work");
}

void EnergyProfile::keep(Platform &platform, std::size_t processor, std::int64_t size,
                         const EnergyMeasurement &measured, std::size_t k) const
{
    const auto &estimate = measured.estimates[k];
    const auto &name = team_.member(processor).name;
    require_no_less_than_nothing(processor, size, estimate);
    const auto i = static_cast<std::int64_t>(processor);
    platform.set_point(i, FunctionKind::energy, size, measured_point(estimate.joules, estimate.low, estimate.high));
    platform.facts.erase_if<Note>(
        [&](const Note &note) { return note.kind == NoteKind::energy_busy && note.is_at(name, size); });
    if (!measured.busy.empty())
        platform.facts.add(
            Note{NoteKind::energy_busy, name, size, "took energy of other parts of the machine: " + measured.busy});
    if (estimate.is_precise(request_.settings.rule.precision)) return;
    const auto known = imprecise_energy(estimate.joules, estimate.high, measured.windows);
    platform.facts.add(Note{NoteKind::imprecise, name, size, known.line()});
}

Imprecision imprecise_energy(double joules, double high, std::int64_t windows)
{
    const auto known = std::isnan(high) ? text(rounded_text(joules), " J without an interval,")
                                        : with_uncertainty(joules, high - joules) + " J";
    return {text("takes ", known), std::nullopt, windows, true,
            joules < 0 ? "; the function, which cannot be negative, has 0" : ""};
}

namespace
{

enum Field : std::uint8_t { processor_field, size_field, repetition_field, seconds_field, outlier_field, field_count };

// Lines of a file of samples, one after another, and what they must be.
class Reader
{
  public:
    Reader(const std::string &path, std::span<const std::string> names) : path_(path), names_(names) {}

    void take(std::string_view line)
    {
        ++number_;
        const auto fields = split(line);
        if (fields.size() != field_count) refuse(line, "where there must be processor,size,repetition,seconds,outlier");
        for (std::size_t k = 0; k < fields.size(); ++k) check(static_cast<Field>(k), fields[k]);
        const auto size = parse_int(fields[size_field]).value_or(0);
        const auto repetition = parse_int(fields[repetition_field]).value_or(0);
        const bool is_next =
            !runs_.empty() && runs_.back().processor == fields[processor_field] && runs_.back().size == size;
        if (!is_next || repetition == 0) begin(fields[processor_field], size);
        if (repetition != runs_.back().repetitions)
            refuse(fields[repetition_field], text("where repetition ", runs_.back().repetitions, " must be"));
        auto &runs = runs_.back();
        ++runs.repetitions;
        runs.seconds.push_back(parse_double(fields[seconds_field]).value_or(0));
        const char *begin = runs.lines.empty() ? line.data() : runs.lines.data();
        runs.lines = {begin, static_cast<std::size_t>(line.data() + line.size() + 1 - begin)};
    }
    // A line without an end: whether a longer one may have begun so.
    void take_cut(std::string_view line)
    {
        ++number_;
        const auto fields = split(line);
        if (fields.size() > field_count) refuse(line, "where the file ends");
        for (std::size_t k = 0; k + 1 < fields.size(); ++k) check(static_cast<Field>(k), fields[k]);
        const auto last = fields.back();
        const bool is_name = fields.size() == 1;
        const bool fits = is_name
                              ? names_.empty() || std::any_of(names_.begin(), names_.end(),
                                                              [&](const auto &name) { return name.starts_with(last); })
                              : last.find_first_not_of("0123456789.e+-") == std::string_view::npos;
        if (!fits) refuse(line, "where the file ends");
        if (!runs_.empty() && line.starts_with(text(runs_.back().processor, ',', runs_.back().size, ',')))
            runs_.back().is_cut = true;
    }
    std::vector<SampledRuns> runs() && { return std::move(runs_); }

  private:
    static std::vector<std::string_view> split(std::string_view line)
    {
        std::vector<std::string_view> fields;
        for (;;) {
            const auto comma = line.find(',');
            fields.push_back(line.substr(0, comma));
            if (comma == std::string_view::npos) return fields;
            line.remove_prefix(comma + 1);
        }
    }
    void begin(std::string_view processor, std::int64_t size)
    {
        if (!seen_.emplace(processor, size).second) refuse(text(processor, ",", size), "a second time");
        runs_.push_back({processor, size});
    }
    void check(Field field, std::string_view value) const
    {
        const auto number = parse_double(value);
        switch (field) {
        case processor_field:
            if (!names_.empty() && std::find(names_.begin(), names_.end(), value) == names_.end())
                refuse(value, "which is no processor of this profile");
            return;
        case size_field:
            if (parse_int(value).value_or(0) < 1) refuse(value, "where a size must be, 1 or more");
            return;
        case repetition_field:
            if (parse_int(value).value_or(-1) < 0) refuse(value, "where a repetition must be, 0 or more");
            return;
        case seconds_field:
            if (!number || !std::isfinite(*number) || *number < 0) refuse(value, "where seconds must be, 0 or more");
            return;
        default:
            if (value != "0" && value != "1") refuse(value, "where 'outlier' must be 0 or 1");
        }
    }
    [[noreturn]] void refuse(std::string_view found, std::string_view instead) const
    {
        fail(Status::format, "the file ", in_quotes(path_), ", line ", number_, ", has ", in_quotes(found), " ",
             instead, "; give another file, or remove this one");
    }

    const std::string &path_;
    std::span<const std::string> names_;
    std::int64_t number_ = 1; // the header
    std::vector<SampledRuns> runs_;
    std::set<std::pair<std::string_view, std::int64_t>> seen_;
};

// Compares with room for an instruction that rounds once instead of twice. is_cut: if all samples are equal, their mean does not show that
// one is missing.
bool is_time_of(const SampledRuns &runs, Statistic statistic, double seconds)
{
    constexpr double rounding = 1e-12;
    return !runs.is_cut && std::abs(statistic_of(statistic, runs.seconds) - seconds) <= rounding * seconds;
}

} // namespace

std::string samples_header() { return "processor,size,repetition,seconds,outlier\n"; }

std::string sample_lines(std::string_view processor, std::int64_t size, std::span<const double> seconds)
{
    const auto far = outliers(seconds);
    std::string out;
    for (std::size_t r = 0; r < seconds.size(); ++r)
        out += text(processor, ',', size, ',', r, ',', seconds[r], ',', far[r] ? 1 : 0, '\n');
    return out;
}

std::vector<SampledRuns> parse_samples(std::string_view content, const std::string &path,
                                       std::span<const std::string> names)
{
    const auto header = samples_header();
    if (header.starts_with(content)) return {};
    if (!content.starts_with(header))
        fail(Status::format, "the file ", in_quotes(path), " is no file of samples: its first line is not ",
             in_quotes(trim(header)), "; give another file, or remove this one");
    Reader reader(path, names);
    for (content.remove_prefix(header.size()); !content.empty();) {
        const auto end = content.find('\n');
        if (end == std::string_view::npos) {
            reader.take_cut(content);
            break;
        }
        reader.take(content.substr(0, end));
        content.remove_prefix(end + 1);
    }
    return std::move(reader).runs();
}

SamplesFile::SamplesFile(std::string path, const std::optional<SampledProfile> &resumed) : path_(std::move(path))
{
    struct stat info {
    };
    auto lines = samples_header();
    if (::stat(path_.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
        const auto content = read_file(path_);
        if (resumed)
            lines += lines_to_keep(content, *resumed);
        else
            parse_samples(content, path_, {}); // throws: other content is not overwritten
    }
    write_file(path_, lines);
}

std::string SamplesFile::lines_to_keep(std::string_view content, const SampledProfile &resumed)
{
    const auto runs = parse_samples(content, path_, resumed.names);
    using Point = std::pair<std::size_t, std::int64_t>; // a group and a size
    const auto processor_of = [&](const SampledRuns &of) {
        return static_cast<std::size_t>(std::find(resumed.names.begin(), resumed.names.end(), of.processor) -
                                        resumed.names.begin());
    };
    const auto point_of = [&](const SampledRuns &of) -> Point {
        const auto group = std::find_if(resumed.groups.begin(), resumed.groups.end(), [&](const auto &processors) {
            return std::find(processors.begin(), processors.end(), processor_of(of)) != processors.end();
        });
        return {static_cast<std::size_t>(group - resumed.groups.begin()), of.size};
    };
    for (const auto &of : runs) {
        const auto seconds = resumed.time(processor_of(of), of.size);
        if (seconds && is_time_of(of, resumed.statistic, *seconds)) points_.emplace(processor_of(of), of.size);
    }
    const auto is_whole = [&](const Point &point) {
        const auto &processors = resumed.groups[point.first];
        return std::all_of(processors.begin(), processors.end(), [&](auto i) { return has(i, point.second); });
    };
    std::string kept;
    std::set<std::pair<std::size_t, std::int64_t>> whole;
    for (const auto &of : runs) {
        if (is_whole(point_of(of))) {
            kept += of.lines;
            whole.emplace(processor_of(of), of.size);
        } else if (point_of(of) != point_of(runs.back()))
            fail(Status::format, "the file ", in_quotes(path_), " has samples of ", in_quotes(of.processor), ", size ",
                 of.size, ", whose ", statistic_name(resumed.statistic), ", ",
                 statistic_of(resumed.statistic, of.seconds),
                 " s, is not the time in the platform file; give another file, or remove this one");
    }
    points_ = std::move(whole);
    return kept;
}

void SamplesFile::add(std::span<const std::size_t> processors, std::int64_t size, std::string_view lines)
{
    added_ += lines;
    for (const auto i : processors) points_.emplace(i, size);
}

void SamplesFile::write_added()
{
    if (added_.empty()) return;
    append_to_file(path_, added_);
    added_.clear();
}

} // namespace hpart
