#include "models/platform_file.hpp"

#include "core/file.hpp"
#include "core/text.hpp"
#include "models/metadata_line.hpp"
#include "models/text_position.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

namespace hpart
{

namespace
{

enum Column : std::uint8_t { column_processor, column_size, column_time, column_speed, column_energy };
constexpr std::array<std::string_view, 5> column_names = {"processor", "size", "time", "speed", "energy"};
constexpr int absent = -1;

// Which field of a row holds which column.
struct Header {
    std::array<int, column_names.size()> field = {absent, absent, absent, absent, absent};
    int fields = 0;
    bool has(Column column) const { return field[column] != absent; }
};

// The rows of one processor as they stand in the file.
struct Rows {
    std::string name;
    std::vector<std::int64_t> sizes, lines;
    std::vector<double> seconds;
    std::vector<std::int64_t> energy_sizes;
    std::vector<double> joules;
};

class Parser
{
  public:
    Parser(std::string_view content, const std::string &name) : content_(content), file_(name) {}
    Platform parse();

  private:
    TextPosition position(std::string_view field) const { return {file_, line_, field.data() - line_start_ + 1}; }
    void parse_line(std::string_view line);
    void split(std::string_view line);
    void parse_header();
    void parse_row(std::string_view line);
    double number_field(Column column) const;
    Rows &rows_of(std::string_view name);
    void check_distinct() const;
    Platform assemble();

    std::string_view content_;
    const std::string &file_;
    std::int64_t line_ = 0;
    const char *line_start_ = nullptr;

    std::vector<std::string_view> fields_;
    std::optional<Header> header_;
    Metadata metadata_;
    std::vector<Rows> rows_;
    std::unordered_map<std::string, std::size_t> index_of_name_;
    std::size_t last_ = 0;
};

Platform Parser::parse()
{
    auto rest = content_;
    if (rest.substr(0, 3) == "\xEF\xBB\xBF") rest.remove_prefix(3);
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        ++line_;
        line_start_ = rest.data();
        parse_line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const TextPosition end{file_, line_ + 1, 1};
    if (!header_)
        end.fail(
            "the file is empty; its first line must name the columns: processor,size,time and, optionally, energy");
    if (rows_.empty() && metadata_.declared_processors().empty()) end.fail("the file has a header but no rows");
    check_distinct();
    return assemble();
}

void Parser::parse_line(std::string_view line)
{
    const auto content = trim(line);
    if (content.empty()) return;
    if (content.front() == '#') {
        metadata_.add_line(content.substr(1), position(content));
        return;
    }
    split(line);
    if (header_)
        parse_row(content);
    else
        parse_header();
}

void Parser::split(std::string_view line)
{
    fields_.clear();
    for (;;) {
        const auto comma = line.find(',');
        auto field = trim(line.substr(0, comma));
        // trim gives no address for an empty field; its column is still wanted.
        if (field.data() == nullptr) field = line.substr(0, 0);
        fields_.push_back(field);
        if (comma == std::string_view::npos) return;
        line.remove_prefix(comma + 1);
    }
}

void Parser::parse_header()
{
    Header header;
    for (const auto field : fields_) {
        const auto *const found = std::find(column_names.begin(), column_names.end(), field);
        if (found == column_names.end())
            position(field).fail(in_quotes(field),
                                 " is not a column; the first line must name the columns, of processor, "
                                 "size, time or speed, energy");
        const auto column = static_cast<std::size_t>(found - column_names.begin());
        if (header.field[column] != absent) position(field).fail("column ", in_quotes(field), " is named twice");
        header.field[column] = header.fields++;
    }
    const auto first = position(fields_.front());
    for (const auto column : {column_processor, column_size})
        if (!header.has(column))
            first.fail("the column ", in_quotes(column_names[column]), " is missing in the header");
    if (!header.has(column_time) && !header.has(column_speed))
        first.fail("the header has neither a column 'time' nor one 'speed'; one is needed");
    if (header.has(column_time) && header.has(column_speed))
        first.fail("the header has both a column 'time' and one 'speed'; give one of them");
    header_ = header;
}

double Parser::number_field(Column column) const
{
    const auto field = fields_[static_cast<std::size_t>(header_->field[column])];
    return parse_quantity(field, position(field), column_names[column],
                          column == column_speed ? Sign::positive : Sign::not_negative);
}

void Parser::parse_row(std::string_view line)
{
    const auto expected = static_cast<std::size_t>(header_->fields);
    if (fields_.size() != expected)
        position(fields_.size() < expected ? line : fields_[expected])
            .fail("the row ", in_quotes(line), " has ", fields_.size(), " fields; the header has ", expected);
    auto &rows = rows_of(fields_[static_cast<std::size_t>(header_->field[column_processor])]);
    const auto size_field = fields_[static_cast<std::size_t>(header_->field[column_size])];
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
    if (!header_->has(column_energy)) return;
    if (fields_[static_cast<std::size_t>(header_->field[column_energy])].empty())
        return; // this size has no energy value
    rows.energy_sizes.push_back(size);
    rows.joules.push_back(number_field(column_energy));
}

Rows &Parser::rows_of(std::string_view name)
{
    if (last_ < rows_.size() && rows_[last_].name == name) return rows_[last_];
    std::string key(name);
    const auto found = index_of_name_.find(key);
    if (found != index_of_name_.end()) {
        last_ = found->second;
        return rows_[last_];
    }
    position(name).accept([&] { check_processor_name(key); });
    last_ = rows_.size();
    index_of_name_.emplace(key, last_);
    rows_.emplace_back().name = std::move(key);
    return rows_.back();
}

void Parser::check_distinct() const
{
    for (const auto &rows : rows_) {
        if (is_increasing(rows.sizes)) continue;
        std::vector<std::pair<std::int64_t, std::int64_t>> order;
        order.reserve(rows.sizes.size());
        for (std::size_t k = 0; k < rows.sizes.size(); ++k) order.emplace_back(rows.sizes[k], rows.lines[k]);
        std::sort(order.begin(), order.end());
        const auto twice = std::adjacent_find(order.begin(), order.end(),
                                              [](const auto &a, const auto &b) { return a.first == b.first; });
        if (twice != order.end())
            TextPosition{file_, std::next(twice)->second, 1}.fail("size ", twice->first, " of processor ",
                                                                  in_quotes(rows.name), " stands already in line ",
                                                                  twice->second);
    }
}

Platform Parser::assemble()
{
    // Processors that the metadata declares come first, in their order: those without rows exist too.
    const auto &declared = metadata_.declared_processors();
    auto names = declared;
    for (const auto &rows : rows_)
        if (std::find(declared.begin(), declared.end(), rows.name) == declared.end()) names.push_back(rows.name);
    Platform platform(static_cast<std::int64_t>(names.size()));
    platform.set_names(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto processor = static_cast<std::int64_t>(i);
        const auto found = index_of_name_.find(names[i]);
        if (found == index_of_name_.end()) continue;
        const auto &rows = rows_[found->second];
        platform.set_time_function(processor, rows.sizes, rows.seconds);
        if (!rows.joules.empty()) platform.set_energy_function(processor, rows.energy_sizes, rows.joules);
    }
    metadata_.apply(platform, names);
    return platform;
}

} // namespace

std::string format_platform(const Platform &platform)
{
    bool has_energy = false;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &joules = platform.points(i).joules;
        has_energy = has_energy || std::any_of(joules.begin(), joules.end(), [](double e) { return !std::isnan(e); });
    }
    auto out = format_metadata(platform);
    out += has_energy ? "processor,size,time,energy\n" : "processor,size,time\n";
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &name = platform.processor(i).name;
        const auto &points = platform.points(i);
        for (std::size_t k = 0; k < points.count(); ++k) {
            if (std::isnan(points.seconds[k]))
                fail_argument("processor ", in_quotes(name), " has an energy but no time at size ", points.sizes[k],
                              "; a platform file needs a time for each size");
            out += text(name, ",", points.sizes[k], ",", points.seconds[k]);
            if (has_energy) out += std::isnan(points.joules[k]) ? "," : text(",", points.joules[k]);
            out += '\n';
        }
    }
    return out;
}

Platform parse_platform(std::string_view content, const std::string &name) { return Parser(content, name).parse(); }

Platform read_platform(const std::string &path)
{
    const auto content = read_file(path);
    return parse_platform(content, path);
}

void write_platform(const Platform &platform, const std::string &path) { write_file(path, format_platform(platform)); }

} // namespace hpart
