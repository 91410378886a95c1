#include "models/facts.hpp"

#include "core/error.hpp"
#include "core/objectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart
{

std::string comma_list(const std::vector<std::int64_t> &x)
{
    std::string list;
    for (const auto part : x) list += text(list.empty() ? "" : ",", part);
    return list;
}

namespace
{

constexpr std::array<std::string_view, 8> beginnings = {" measured = ",
                                                        " statistic = ",
                                                        " machine = ",
                                                        " origin = ",
                                                        " energy = ",
                                                        " base_power_error = ",
                                                        " sizes = those that a search measured",
                                                        " time doubt: "};
constexpr std::array<std::string_view, 9> note_names = {"failed",           "unfinished", "precision not reached",
                                                        "binding not kept", "busy",       "energy busy",
                                                        "outliers",         "drift",      "serial correlation"};
constexpr std::string_view limit_begin = " memory limit of ", chosen_begin = " chosen ", run_begin = " run ",
                           is_value = " = ", ran = "ran", predicted = "predicted", certified_word = "certified",
                           failed_begin = "failed: ", size_word = " size ", known_to = "is known to ", takes = "takes ",
                           window = "window of the meter", windows = "windows of the meter",
                           by_budget = " (max_total_seconds)";

// Takes `begin` off the front of the text; false if the text begins otherwise.
bool take_begin(std::string_view &text, std::string_view begin)
{
    if (!text.starts_with(begin)) return false;
    text.remove_prefix(begin.size());
    return true;
}

// Takes the text before the mark, and the mark, off the front; nothing if there is no mark.
std::optional<std::string_view> take_until_mark(std::string_view &text, std::string_view mark)
{
    const auto at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const auto before = text.substr(0, at);
    text.remove_prefix(at + mark.size());
    return before;
}

std::string_view take_word(std::string_view &text)
{
    const auto word = take_until_mark(text, " ");
    return word ? *word : std::exchange(text, {});
}

// Empty if it is no distribution.
std::vector<std::int64_t> read_distribution(std::string_view list)
{
    std::vector<std::int64_t> x;
    for (bool is_last = false; !is_last;) {
        const auto comma = list.find(',');
        is_last = comma == std::string_view::npos;
        const auto part = parse_int(list.substr(0, comma));
        if (!part || *part < 0) return {};
        x.push_back(*part);
        if (!is_last) list.remove_prefix(comma + 1);
    }
    return x;
}

std::string line_of(const std::string &comment) { return comment; }

std::string line_of(const Statement &statement)
{
    return text(beginnings[static_cast<std::size_t>(statement.topic)], statement.text);
}

std::string line_of(const MemoryLimit &limit) { return text(limit_begin, limit.device, is_value, limit.bytes); }

std::string line_of(const Note &note)
{
    return text(" ", note_name(note.kind), ": ", note.processor, size_word, note.size, " ", note.text);
}

std::string line_of(const ChosenDistribution &chosen)
{
    return text(chosen_begin, chosen.objective, " ", chosen.size, is_value, comma_list(chosen.x), " ",
                chosen.has_run ? ran : predicted, " ", format_double(chosen.value), " ",
                chosen.certified ? text(certified_word, " ", *chosen.certified) : text("not ", certified_word));
}

std::optional<Statement> read_statement(std::string_view line)
{
    for (std::size_t k = 0; k < beginnings.size(); ++k) {
        auto rest = line;
        const auto topic = static_cast<Topic>(k);
        if (!take_begin(rest, beginnings[k]) || (topic == Topic::sizes_of_search && !rest.empty())) continue;
        return Statement{topic, std::string(rest)};
    }
    return std::nullopt;
}

std::optional<MemoryLimit> read_limit(std::string_view line)
{
    if (!take_begin(line, limit_begin)) return std::nullopt;
    const auto at = line.rfind(is_value);
    if (at == std::string_view::npos) return std::nullopt;
    const auto bytes = parse_int(line.substr(at + is_value.size()));
    if (!bytes || *bytes < 0) return std::nullopt;
    if (at == 0 || text(*bytes) != line.substr(at + is_value.size())) return std::nullopt;
    return MemoryLimit{std::string(line.substr(0, at)), *bytes};
}

// A name may have " size 3 " inside: the longest processor counts.
std::optional<Note> read_note(std::string_view line, const Facts::IsProcessor &is_processor)
{
    if (!take_begin(line, " ")) return std::nullopt;
    for (std::size_t k = 0; k < note_names.size(); ++k) {
        auto rest = line;
        if (!take_begin(rest, note_names[k]) || !take_begin(rest, ": ")) continue;
        for (auto at = rest.rfind(size_word); at != std::string_view::npos && at > 0;
             at = rest.rfind(size_word, at - 1)) {
            const auto name = rest.substr(0, at);
            auto behind = rest.substr(at + size_word.size());
            const auto digits = take_until_mark(behind, " ");
            const auto size = digits ? parse_int(*digits) : std::nullopt;
            if (size && *size > 0 && is_processor(name))
                return Note{static_cast<NoteKind>(k), std::string(name), *size, std::string(behind)};
        }
        return std::nullopt;
    }
    return std::nullopt;
}

constexpr auto largest_reported = std::int64_t{1} << std::numeric_limits<double>::digits; // reports have doubles

// True if the sizes are a distribution of chosen.size and the numbers are in their ranges.
bool is_sound(const ChosenDistribution &chosen)
{
    if (chosen.size > largest_reported) return false;
    std::int64_t left = chosen.size;
    for (const auto part : chosen.x) {
        if (part > left) return false;
        left -= part;
    }
    return find_objective(chosen.objective) != nullptr && chosen.size > 0 && left == 0 && std::isfinite(chosen.value) &&
           chosen.value >= 0 && (!chosen.certified || (*chosen.certified > 0 && *chosen.certified < 1));
}

// A comment that begins so may be anyone's: a line that a search would not write is none.
std::optional<ChosenDistribution> read_chosen(std::string_view line)
{
    auto rest = line;
    if (!take_begin(rest, chosen_begin)) return std::nullopt;
    ChosenDistribution chosen;
    chosen.objective = take_word(rest);
    chosen.size = parse_int(take_word(rest)).value_or(0);
    take_word(rest);
    chosen.x = read_distribution(take_word(rest));
    chosen.has_run = take_word(rest) == ran;
    chosen.value = parse_double(take_word(rest)).value_or(std::numeric_limits<double>::quiet_NaN());
    if (take_word(rest) == certified_word) chosen.certified = parse_double(rest);
    if (!is_sound(chosen) || line_of(chosen) != line) return std::nullopt;
    return chosen;
}

std::optional<ApplicationRun> read_run(std::string_view line)
{
    if (!take_begin(line, run_begin)) return std::nullopt;
    const auto list = take_until_mark(line, is_value);
    ApplicationRun run{list ? read_distribution(*list) : std::vector<std::int64_t>(), 0, ""};
    std::int64_t left = run.x.empty() ? -1 : largest_reported;
    for (const auto part : run.x) left = part > left ? -1 : left - part;
    if (left < 0) return std::nullopt;
    if (take_begin(line, failed_begin)) {
        run.failure = line;
        return run;
    }
    const auto seconds = parse_double(line);
    if (!seconds || !(*seconds >= 0) || !std::isfinite(*seconds)) return std::nullopt;
    run.seconds = *seconds;
    return run;
}

// "takes 0.21 +- 0.06 J"; less than nothing has no ratio.
std::optional<double> ratio_of_energy(std::string_view clause)
{
    if (!take_begin(clause, takes)) return std::nullopt;
    const auto joules = take_until_mark(clause, " +- "), half_width = take_until_mark(clause, " J");
    if (!joules || !half_width) return std::nullopt;
    const auto ratio = parse_double(*half_width).value_or(0) / parse_double(*joules).value_or(0);
    return ratio > 0 ? std::optional(ratio) : std::nullopt;
}

Report row_of(const Note &note)
{
    Report row;
    row.set("kind", std::string(note_name(note.kind)));
    row.set("processor", note.processor);
    row.set("size", note.size);
    row.set("text", note.text);
    const auto known = note.kind == NoteKind::imprecise ? Imprecision::read(note.text) : std::nullopt;
    if (!known) return row;
    if (known->ratio) row.set("relative_half_width", *known->ratio);
    row.set("samples", known->samples);
    row.set("energy", known->is_energy ? std::int64_t{1} : 0);
    row.set("by_budget", known->is_by_budget() ? std::int64_t{1} : 0);
    return row;
}

Report row_of(const ChosenDistribution &chosen)
{
    Report row;
    row.set("objective", chosen.objective);
    row.set("size", chosen.size);
    row.set("distribution", std::vector<double>(chosen.x.begin(), chosen.x.end()));
    row.set("value", chosen.value);
    row.set("measured", chosen.has_run ? std::int64_t{1} : 0);
    if (chosen.certified) row.set("precision", *chosen.certified);
    return row;
}

Report row_of(const ApplicationRun &run)
{
    Report row;
    row.set("distribution", std::vector<double>(run.x.begin(), run.x.end()));
    if (run.failure.empty())
        row.set("seconds", run.seconds);
    else
        row.set("failure", run.failure);
    return row;
}

Report row_of(const MemoryLimit &limit)
{
    Report row;
    row.set("device", limit.device);
    row.set("bytes", limit.bytes);
    return row;
}

Report row_of(const std::string &words)
{
    Report row;
    row.set("text", words);
    return row;
}

template <typename Facts> void set_rows(Report &report, std::string_view key, const Facts &facts)
{
    Report::Rows rows;
    for (const auto &fact : facts) rows.push_back(row_of(fact));
    if (!rows.empty()) report.set(key, std::move(rows));
}

} // namespace

std::string line_of(const ApplicationRun &run)
{
    return text(run_begin, comma_list(run.x), is_value,
                run.failure.empty() ? format_double(run.seconds) : text(failed_begin, run.failure));
}

std::string_view note_name(NoteKind kind) { return note_names[static_cast<std::size_t>(kind)]; }

bool Imprecision::is_by_budget() const { return remark == by_budget; }

std::string_view Imprecision::unit() const
{
    if (!is_energy) return "repetitions";
    return samples == 1 ? window : windows;
}

std::string Imprecision::line() const { return text(clause, " after ", samples, " ", unit(), remark); }

std::optional<Imprecision> Imprecision::read(std::string_view line)
{
    auto rest = line;
    const auto clause = take_until_mark(rest, " after ");
    const auto samples = parse_int(take_word(rest));
    if (!clause || !samples) return std::nullopt;
    Imprecision read{std::string(*clause), std::nullopt, *samples, rest.starts_with("window"), ""};
    if (!take_begin(rest, read.unit())) return std::nullopt;
    read.remark = rest;
    auto known = *clause;
    if (read.is_energy) {
        read.ratio = ratio_of_energy(known);
    } else if (take_begin(known, known_to)) {
        if (const auto percent = parse_double(take_word(known))) read.ratio = *percent / 100;
    }
    return read;
}

void Facts::add_line(std::string_view line, const IsProcessor &is_processor)
{
    const auto is_added = [&](auto &&fact) {
        if (fact) facts_.emplace_back(std::move(*fact));
        return fact.has_value();
    };
    if (!is_added(read_statement(line)) && !is_added(read_limit(line)) && !is_added(read_note(line, is_processor)) &&
        !is_added(read_chosen(line)) && !is_added(read_run(line)))
        facts_.emplace_back(std::string(line));
}

std::vector<std::string> Facts::lines() const
{
    std::vector<std::string> lines;
    for (const auto &one : facts_) lines.push_back(std::visit([](const auto &fact) { return line_of(fact); }, one));
    return lines;
}

std::vector<std::string> Facts::all_stated(Topic topic) const
{
    std::vector<std::string> found;
    each<Statement>([&](const Statement &one) {
        if (one.topic == topic) found.push_back(one.text);
    });
    return found;
}

void Facts::add_of_points(const Facts &others)
{
    const auto add_new = [&]<typename Fact>(const Fact &fact) {
        bool is_known = false;
        each<Fact>([&](const Fact &one) { is_known = is_known || one == fact; });
        if (!is_known) add(fact);
    };
    others.each<Statement>([&](const Statement &one) {
        const bool has_several =
            one.topic == Topic::machine || one.topic == Topic::origin || one.topic == Topic::energy;
        if (has_several || !states(one.topic)) return add_new(one);
        if (one.topic != Topic::base_power_error) return;
        const auto error = [](const std::string &words) { return parse_double(words).value_or(0); };
        if (error(one.text) > error(stated(one.topic))) state(one.topic, one.text);
    });
    others.each<MemoryLimit>(add_new);
    others.each<Note>(add_new);
    others.each<std::string>(add_new);
}

void Facts::rename(std::string_view from, const std::string &to)
{
    for (auto &one : facts_) {
        if (auto *note = std::get_if<Note>(&one); note != nullptr && note->processor == from) note->processor = to;
        if (auto *limit = std::get_if<MemoryLimit>(&one); limit != nullptr && limit->device == from) limit->device = to;
    }
}

bool Facts::states(Topic topic) const { return !all_stated(topic).empty(); }

std::string Facts::stated(Topic topic, std::string_view otherwise) const
{
    const auto found = all_stated(topic);
    return found.empty() ? std::string(otherwise) : found.front();
}

void Facts::state(Topic topic, std::string text)
{
    erase_if<Statement>([&](const Statement &one) { return one.topic == topic; });
    add(Statement{topic, std::move(text)});
}

Report Facts::report() const
{
    Report report;
    const auto set_text = [&](const char *key, Topic topic) {
        if (states(topic)) report.set(key, stated(topic));
    };
    set_text("measured", Topic::way);
    set_text("statistic", Topic::statistic);
    set_rows(report, "machines", all_stated(Topic::machine));
    set_rows(report, "energies", all_stated(Topic::energy));
    if (const auto error = parse_double(stated(Topic::base_power_error))) report.set("base_power_error", *error);
    if (states(Topic::sizes_of_search)) report.set("sizes_of_search", std::int64_t{1});
    set_text("time_doubt", Topic::time_doubt);
    set_rows(report, "memory_limits", all<MemoryLimit>());
    set_rows(report, "chosen", all<ChosenDistribution>());
    set_rows(report, "runs", all<ApplicationRun>());
    set_rows(report, "notes", all<Note>());
    return report;
}

bool Facts::has_note(NoteKind kind, std::string_view processor, std::int64_t size) const
{
    bool found = false;
    each<Note>([&](const Note &note) { found = found || (note.kind == kind && note.is_at(processor, size)); });
    return found;
}

} // namespace hpart
