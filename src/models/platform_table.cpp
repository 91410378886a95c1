#include "models/platform_file.hpp"

#include "core/text.hpp"
#include "models/metadata_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hpart
{

namespace
{

enum Column : std::uint8_t {
    column_processor,
    column_size,
    column_time,
    column_speed,
    column_energy,
    column_time_low,
    column_time_high,
    column_energy_low,
    column_energy_high,
    column_repetitions,
    column_parameter
};
constexpr std::array<std::string_view, 11> column_names = {"processor",   "size",        "time",      "speed",
                                                           "energy",      "time_low",    "time_high", "energy_low",
                                                           "energy_high", "repetitions", "parameter"};
constexpr int no_field = -1;
constexpr std::string_view blanks = " \t\r";

// Which field of a row holds which column.
struct Header {
    Header() { field.fill(no_field); }
    std::array<int, column_names.size()> field{};
    int fields = 0;
    bool has(Column column) const { return field[column] != no_field; }
};

// The ends of intervals that a file gives.
struct IntervalRows {
    std::vector<std::int64_t> sizes;
    std::vector<double> low, high;
};

// The rows of one processor, and one parameter, as they stand in the file.
struct Rows {
    std::vector<std::int64_t> sizes, lines;
    std::vector<double> seconds;
    std::vector<std::int64_t> energy_sizes;
    std::vector<double> joules;
    IntervalRows time, energy;
    std::vector<std::int64_t> repetition_sizes, repetitions;
};

// A metadata line of one slice alone.
struct SliceLine {
    std::int64_t parameter;
    std::string_view line;
    std::int64_t line_number, column;
};

class PlatformParser
{
  public:
    PlatformParser(std::string_view content, const std::string &name, TableKind kind)
        : content_(content), file_(name), kind_(kind)
    {
    }
    std::map<std::int64_t, Platform> parse();

  private:
    TextPosition position(std::string_view field) const { return {file_, line_, field.data() - line_start_ + 1}; }
    void parse_line(std::string_view line);
    void parse_comment(std::string_view content);
    void split(std::string_view line);
    void parse_header();
    // "; it has 'sizes'": a column that may be meant as one of these; "" if none is.
    std::string name_like(std::span<const std::string_view> names) const;
    void parse_row(std::string_view line);
    std::string_view field_of(Column column) const { return fields_[static_cast<std::size_t>(header_->field[column])]; }
    // Empty where the column is not there, too. R writes NA.
    bool is_empty(Column column) const
    {
        return !header_->has(column) || field_of(column).empty() || field_of(column) == "NA";
    }
    double number_field(Column column) const;
    double end_field(Column column, double value) const;
    void add_interval(IntervalRows &rows, std::int64_t size, double value, Column low, Column high) const;
    void parse_energy(Rows &rows, std::int64_t size) const;
    std::size_t index_of(std::string_view name);
    Rows &rows_of(std::int64_t parameter, std::string_view name);
    std::vector<std::string> all_names() const;
    Metadata metadata_of(std::int64_t parameter) const;
    std::string_view take_field(std::string_view &rest) const;
    void join_runs(std::string_view name, Rows &rows);
    void check_encoding() const;
    Platform assemble(std::int64_t parameter, const std::vector<Rows> &slice,
                      const std::vector<std::string> &names) const;

    std::string_view content_;
    const std::string &file_;
    TableKind kind_;
    std::int64_t line_ = 0;
    const char *line_start_ = nullptr;

    std::vector<std::string_view> fields_;
    std::optional<Header> header_;
    std::string_view header_text_;
    Metadata metadata_;
    std::vector<SliceLine> slice_lines_;
    std::vector<std::string> names_; // by first appearance
    std::unordered_map<std::string, std::size_t> index_of_name_;
    std::size_t last_ = 0;
    std::string unread_; // columns, by name
    bool has_runs_ = false;
    std::map<std::int64_t, std::vector<Rows>> slices_; // one entry per name, as far as the slice has rows
};

std::map<std::int64_t, Platform> PlatformParser::parse()
{
    check_encoding();
    auto rest = content_;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        ++line_;
        line_start_ = rest.data();
        parse_line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const TextPosition end{file_, line_ + 1, 1};
    if (!header_)
        end.fail(line_ == 0 ? "the file is empty; its first line must name the columns: "
                            : "the file has only comments and blank lines; a line must name the columns: ",
                 kind_ == TableKind::family ? "parameter," : "", "processor,size,time and, optionally, energy");
    if (kind_ == TableKind::platform && !metadata_.declared_processors().empty()) slices_.try_emplace(0);
    const auto names = all_names();
    if (slices_.empty() || names.empty()) end.fail("the file has a header but no rows");
    for (const auto &own : slice_lines_)
        if (!slices_.contains(own.parameter))
            TextPosition{file_, own.line_number, own.column}.fail("there are no rows of parameter ", own.parameter);
    for (auto &[parameter, slice] : slices_)
        for (std::size_t i = 0; i < slice.size(); ++i) join_runs(names_[i], slice[i]);
    if (has_runs_) metadata_.add_line(" rows of equal size were runs: times and energies are their means", end);
    if (!unread_.empty()) metadata_.add_line(" columns that were not read: " + unread_, end);
    std::map<std::int64_t, Platform> out;
    for (const auto &[parameter, slice] : slices_) out.emplace(parameter, assemble(parameter, slice, names));
    return out;
}

// Spreadsheets write them.
void PlatformParser::check_encoding() const
{
    const TextPosition begin{file_, 1, 1};
    if (content_.starts_with("\xFF\xFE") || content_.starts_with("\xFE\xFF") ||
        content_.find('\0') != std::string_view::npos)
        begin.fail("the file is no text in UTF-8, but perhaps in UTF-16; save it as UTF-8");
    if (const auto first = trim(content_.substr(0, 100)); first.starts_with('{') || first.starts_with('['))
        begin.fail("the file is JSON, as a result of hpart's; give the platform file, a table");
    if (content_.find('\r') != std::string_view::npos && content_.find('\n') == std::string_view::npos)
        begin.fail("the lines end with CR alone; they must end with LF, or with CR and LF");
}

void PlatformParser::parse_line(std::string_view line)
{
    auto content = trim(line);
    // A spreadsheet fills each line with commas, and puts a comment that has some between quotes.
    if (content.starts_with("\"#")) content = take_field(line);
    if (content.starts_with('#')) content = content.substr(0, content.find_last_not_of(", \t") + 1);
    if (content.empty()) return;
    if (content.front() == '#') {
        parse_comment(content);
        return;
    }
    split(line);
    if (header_ && content == header_text_) position(content).fail("the header stands here again; it must stand once");
    if (header_) {
        parse_row(content);
    } else {
        parse_header();
        header_text_ = content;
    }
}

// "at 512: " before a metadata line of a family file: it belongs to that slice alone. Takes it off the line, which begins
// behind its '#'; nothing when there is none.
std::optional<std::int64_t> take_slice(std::string_view &line)
{
    constexpr std::string_view word = "at ";
    auto rest = trim(line);
    if (!rest.starts_with(word)) return std::nullopt;
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto parameter = parse_int(trim(rest.substr(word.size(), colon - word.size())));
    if (parameter) line = line.substr(line.find(':') + 1);
    return parameter;
}

void PlatformParser::parse_comment(std::string_view content)
{
    const auto at = position(content);
    auto line = content.substr(1);
    if (kind_ == TableKind::family)
        if (const auto parameter = take_slice(line)) {
            slice_lines_.push_back({*parameter, line, at.line, at.column});
            return;
        }
    metadata_.add_line(line, at);
}

void PlatformParser::split(std::string_view line)
{
    fields_.clear();
    for (;;) {
        fields_.push_back(take_field(line));
        if (line.empty()) return;
        line.remove_prefix(1);
        if (line.empty()) fields_.push_back(line); // behind the last comma
        if (line.empty()) return;
    }
}

// The first field, which may stand between double quotes (RFC 4180). `rest` then begins with the comma behind it, or is empty.
std::string_view PlatformParser::take_field(std::string_view &rest) const
{
    const auto whole = rest;
    const bool begins_at_once = !whole.empty() && whole.front() > '"';
    const auto begin = begins_at_once ? 0 : std::min(whole.find_first_not_of(blanks), whole.size());
    if (begins_at_once || begin == whole.size() || whole[begin] != '"') {
        const auto comma = std::min(whole.find(','), whole.size());
        rest.remove_prefix(comma);
        const auto field = trim(whole.substr(0, comma));
        return field.data() == nullptr ? whole.substr(0, 0) : field; // an empty field has a place, too
    }
    const auto end = whole.find('"', begin + 1);
    if (end == std::string_view::npos) position(whole.substr(begin)).fail("the quote is not closed in this line");
    const auto behind = std::min(whole.find_first_not_of(blanks, end + 1), whole.size());
    if (behind < whole.size() && whole[behind] != ',')
        position(whole.substr(behind))
            .fail(in_quotes(whole.substr(behind, 1)),
                  " stands behind a closed quote; a comma must, and fields have no quotes inside");
    rest.remove_prefix(behind);
    return whole.substr(begin + 1, end - begin - 1);
}

std::string names_of_columns(TableKind kind)
{
    return text("The first line of the table must name the columns, of ",
                kind == TableKind::family ? "parameter, " : "",
                "processor, size, time or speed, energy, time_low, time_high, energy_low, energy_high, repetitions");
}

std::string PlatformParser::name_like(std::span<const std::string_view> names) const
{
    for (const auto field : fields_)
        if (std::find(column_names.begin(), column_names.end(), field) == column_names.end() &&
            !did_you_mean(field, names, "").empty())
            return text("; it has ", in_quotes(field));
    return "";
}

void PlatformParser::parse_header()
{
    Header header;
    const auto separator = fields_.front().find_first_of(";\t");
    if (fields_.size() == 1 && separator != std::string_view::npos)
        position(fields_.front())
            .fail("the columns are separated by ", fields_.front()[separator] == ';' ? "semicolons" : "tabs",
                  "; they must be separated by commas, with points in numbers");
    if (fields_.front().empty())
        position(fields_.front())
            .fail("the first column has no name; write the table without row numbers (R: row.names=FALSE, pandas: "
                  "index=False)");
    for (const auto field : fields_) {
        const auto *const found = std::find(column_names.begin(), column_names.end(), field);
        const bool is_known = found != column_names.end();
        if (is_known && *found == column_names[column_parameter] && kind_ == TableKind::platform)
            position(field).fail(
                "'parameter' is a column of family files; hpart slice and hpart_platform_read_slice take a "
                "platform from one");
        if (!is_known) {
            if (field.empty()) position(field).fail("a column has no name");
            unread_ += text(unread_.empty() ? "" : ", ", field);
            ++header.fields;
            continue;
        }
        const auto column = static_cast<std::size_t>(found - column_names.begin());
        if (header.field[column] != no_field) position(field).fail("column ", in_quotes(field), " is named twice");
        header.field[column] = header.fields++;
    }
    const auto first = position(fields_.front());
    for (const auto column : {column_processor, column_size, column_parameter})
        if (!header.has(column) && (column != column_parameter || kind_ == TableKind::family))
            first.fail("the column ", in_quotes(column_names[column]), " is missing in the header",
                       name_like({&column_names[column], 1}), ". ", names_of_columns(kind_));
    if (!header.has(column_time) && !header.has(column_speed))
        first.fail("the header has neither a column 'time' nor one 'speed'; one is needed",
                   name_like({&column_names[column_time], 2}));
    if (header.has(column_time) && header.has(column_speed))
        first.fail("the header has both a column 'time' and one 'speed'; give one of them");
    for (const auto column : {column_energy_low, column_energy_high})
        if (header.has(column) && !header.has(column_energy))
            first.fail("the header has a column ", in_quotes(column_names[column]), " but none 'energy'");
    header_ = header;
}

double PlatformParser::number_field(Column column) const
{
    const auto field = field_of(column);
    return parse_quantity(field, position(field), column_names[column],
                          column == column_speed ? Sign::positive : Sign::not_negative);
}

// One end of the interval around a value.
double PlatformParser::end_field(Column column, double value) const
{
    if (is_empty(column)) return std::numeric_limits<double>::quiet_NaN();
    const auto end = number_field(column);
    const bool is_low = column == column_time_low || column == column_energy_low;
    if (is_low ? end > value : end < value)
        position(field_of(column))
            .fail(column_names[column], " is ", in_quotes(field_of(column)), "; it must be at ",
                  is_low ? "most" : "least", " the value, which is ", value);
    return end;
}

void PlatformParser::add_interval(IntervalRows &rows, std::int64_t size, double value, Column low, Column high) const
{
    if (is_empty(low) && is_empty(high)) return;
    rows.sizes.push_back(size);
    rows.low.push_back(end_field(low, value));
    rows.high.push_back(end_field(high, value));
}

void PlatformParser::parse_row(std::string_view line)
{
    const auto expected = static_cast<std::size_t>(header_->fields);
    if (fields_.size() != expected)
        position(fields_.size() < expected ? line : fields_[expected])
            .fail("the row ", in_quotes(line), " has ", fields_.size(), " fields; the header has ", expected,
                  fields_.size() == expected + 1 && parse_int(fields_.front())
                      ? "; write a table of R with row.names=FALSE"
                      : "");
    std::int64_t parameter = 0;
    if (kind_ == TableKind::family) {
        const auto field = field_of(column_parameter);
        parameter = parse_size(field, position(field), column_names[column_parameter]);
    }
    auto &rows = rows_of(parameter, field_of(column_processor));
    const auto size_field = field_of(column_size);
    const auto size = parse_size(size_field, position(size_field), "size");
    double seconds = 0;
    if (header_->has(column_time)) {
        seconds = number_field(column_time);
    } else {
        seconds = static_cast<double>(size) / number_field(column_speed);
        if (!std::isfinite(seconds))
            position(line).fail("the time size / speed of ", in_quotes(line), " does not fit a double");
    }
    rows.sizes.push_back(size);
    rows.seconds.push_back(seconds);
    rows.lines.push_back(line_);
    add_interval(rows.time, size, seconds, column_time_low, column_time_high);
    parse_energy(rows, size);
    if (is_empty(column_repetitions)) return;
    const auto repetitions = field_of(column_repetitions);
    rows.repetition_sizes.push_back(size);
    rows.repetitions.push_back(parse_size(repetitions, position(repetitions), "repetitions"));
}

void PlatformParser::parse_energy(Rows &rows, std::int64_t size) const
{
    if (is_empty(column_energy)) { // this size has no energy value
        for (const auto column : {column_energy_low, column_energy_high})
            if (!is_empty(column))
                position(field_of(column)).fail(column_names[column], " is given for a size without energy");
        return;
    }
    const auto joules = number_field(column_energy);
    rows.energy_sizes.push_back(size);
    rows.joules.push_back(joules);
    add_interval(rows.energy, size, joules, column_energy_low, column_energy_high);
}

std::size_t PlatformParser::index_of(std::string_view name)
{
    if (last_ < names_.size() && names_[last_] == name) return last_;
    std::string key(name);
    const auto found = index_of_name_.find(key);
    if (found != index_of_name_.end()) return last_ = found->second;
    if (name == "NA") position(name).fail("the processor is NA, no name");
    position(name).accept([&] { check_processor_name(key); });
    last_ = names_.size();
    index_of_name_.emplace(key, last_);
    names_.push_back(std::move(key));
    return last_;
}

Rows &PlatformParser::rows_of(std::int64_t parameter, std::string_view name)
{
    const auto index = index_of(name);
    auto &slice = slices_[parameter];
    if (slice.size() <= index) slice.resize(index + 1);
    return slice[index];
}

// The values of each size: their mean and, of several, its interval.
void join_values(std::vector<std::int64_t> &sizes, std::vector<double> &values, IntervalRows &intervals)
{
    std::map<std::int64_t, std::vector<double>> runs;
    for (std::size_t k = 0; k < sizes.size(); ++k) runs[sizes[k]].push_back(values[k]);
    sizes.clear();
    values.clear();
    for (const auto &[size, all] : runs) {
        sizes.push_back(size);
        values.push_back(all.front());
        if (all.size() == 1) continue;
        const auto mean = mean_of_runs(all);
        values.back() = mean.mean;
        if (mean.low == mean.high) continue; // rows that stand twice: nothing is known of their noise
        intervals.sizes.push_back(size);
        intervals.low.push_back(mean.low);
        intervals.high.push_back(mean.high);
    }
}

// Tables of other programs have a row a run.
void PlatformParser::join_runs(std::string_view name, Rows &rows)
{
    if (is_increasing(rows.sizes)) return;
    std::vector<std::pair<std::int64_t, std::int64_t>> order;
    order.reserve(rows.sizes.size());
    for (std::size_t k = 0; k < rows.sizes.size(); ++k) order.emplace_back(rows.sizes[k], rows.lines[k]);
    std::sort(order.begin(), order.end());
    const auto twice =
        std::adjacent_find(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.first == b.first; });
    if (twice == order.end()) return;
    const bool have_intervals = !rows.time.sizes.empty() || !rows.energy.sizes.empty() || !rows.repetitions.empty();
    if (have_intervals || !unread_.empty())
        TextPosition{file_, std::next(twice)->second, 1}.fail(
            "size ", twice->first, " of processor ", in_quotes(name), " stands already in line ", twice->second,
            "; rows of equal size are runs only in a table without ",
            have_intervals ? "intervals and repetitions" : "columns that are not read, such as ",
            have_intervals ? "" : unread_.substr(0, unread_.find(',')));
    has_runs_ = true;
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto size : rows.sizes) ++counts[size];
    for (const auto &[size, count] : counts) {
        rows.repetition_sizes.push_back(size);
        rows.repetitions.push_back(count);
    }
    join_values(rows.sizes, rows.seconds, rows.time);
    join_values(rows.energy_sizes, rows.joules, rows.energy);
}

// Processors that the metadata declares come first, in their order: those without rows exist too.
std::vector<std::string> PlatformParser::all_names() const
{
    auto names = metadata_.declared_processors();
    const std::set<std::string_view> declared(metadata_.declared_processors().begin(),
                                              metadata_.declared_processors().end());
    for (const auto &name : names_)
        if (!declared.contains(name)) names.push_back(name);
    return names;
}

Metadata PlatformParser::metadata_of(std::int64_t parameter) const
{
    auto metadata = metadata_;
    for (const auto &own : slice_lines_) {
        if (own.parameter != parameter) continue;
        const TextPosition at{file_, own.line_number, own.column};
        metadata.add_line(own.line, at);
        if (metadata.declared_processors() != metadata_.declared_processors())
            at.fail("the processors are those of all slices; this line must not name a slice");
    }
    return metadata;
}

Platform PlatformParser::assemble(std::int64_t parameter, const std::vector<Rows> &slice,
                                  const std::vector<std::string> &names) const
{
    Platform platform(static_cast<std::int64_t>(names.size()));
    platform.set_names(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto processor = static_cast<std::int64_t>(i);
        const auto found = index_of_name_.find(names[i]);
        if (found == index_of_name_.end() || found->second >= slice.size()) continue;
        const auto &rows = slice[found->second];
        platform.set_time_function(processor, rows.sizes, rows.seconds);
        if (!rows.joules.empty()) platform.set_energy_function(processor, rows.energy_sizes, rows.joules);
        if (!rows.time.sizes.empty())
            platform.set_interval(processor, FunctionKind::time, rows.time.sizes, rows.time.low, rows.time.high);
        if (!rows.energy.sizes.empty())
            platform.set_interval(processor, FunctionKind::energy, rows.energy.sizes, rows.energy.low,
                                  rows.energy.high);
        if (!rows.repetitions.empty()) platform.set_repetitions(processor, rows.repetition_sizes, rows.repetitions);
    }
    metadata_of(parameter).apply(platform, names);
    return platform;
}

} // namespace

std::map<std::int64_t, Platform> parse_table(std::string_view content, const std::string &name, TableKind kind)
{
    return PlatformParser(content, name, kind).parse();
}

} // namespace hpart
