// # hpart schedules, version 1
// size,makespan,optimal,processor,package,repeats,application
// 4096,0.0123,1,CPU,512,2,dgemm n=512 k=512
// 4096,0.0123,1,GPU,1024,3,dgemm n=512 k=512
// An entry is a run of rows of one application and size. It names all processors in their order; an idle one has package 0, repeats 0. The
// application is the last field, as it may contain commas.

#include "models/schedule_table.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "models/platform.hpp"
#include "models/platform_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace hpart
{

// Rules, with R the rows left, n all of them, p processors, m the smallest package:
// - fixed: m rows (chunk self-scheduling).
// - guided: ceil(R / p). Polychronopoulos and Kuck, IEEE Trans. Computers C-36 (1987) 1425-1439.
// - factoring: batches of p packages of ceil(R / (2 p)). Hummel, Schonberg and Flynn, Comm. ACM 35 (1992) 90-101.
// - sigmoid: tanh(3 k R / n) n / (2 p) S_i / S_T, with S_i the mean speed of the processor's last three packages and S_T the sum of all.
//   Perez et al., J. Parallel Distrib. Comput. 157 (2021) 30-42, as equation 3.8 of the WDAH thesis has it: (1 - e^-2y) / (1 + e^-2y) is
//   tanh y. The paper takes first speeds from data sheets; here a processor without a package has the mean speed of the others.
// No package but the last is below m. Time O(p + log points) a package.

namespace
{

constexpr std::array<std::string_view, 4> self_method_names = {"fixed", "guided", "factoring", "sigmoid"};
constexpr std::size_t speeds_kept = 3;     // the thesis: found experimentally
constexpr double shortest_seconds = 1e-9;  // of a package whose time the clock does not resolve
constexpr std::int64_t fixed_packages = 8; // a processor, unless the option says otherwise

double mean(const std::deque<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

SelfMethod self_method_of(const std::string &name)
{
    const auto *const found = std::find(self_method_names.begin(), self_method_names.end(), name);
    if (found == self_method_names.end())
        fail_argument(
            "method is ", in_quotes(name), "; ",
            did_you_mean(name, self_method_names, "self-scheduling has the methods fixed, guided, factoring, sigmoid"));
    return static_cast<SelfMethod>(found - self_method_names.begin());
}

SelfSchedule SelfSchedule::from(SelfMethod method, std::int64_t size, std::size_t processors, const Options &options)
{
    const auto p = static_cast<std::int64_t>(processors);
    const auto usual = method == SelfMethod::fixed ? ceil_div(ceil_div(size, p), fixed_packages) : 1;
    return {method, size, options.is_set("package") ? options.get_int("package") : std::max<std::int64_t>(1, usual),
            options.get_double("sigmoid_rate")};
}

SelfScheduler::SelfScheduler(const SelfSchedule &schedule, std::size_t processors,
                             std::vector<std::span<const std::int64_t>> sizes)
    : schedule_(schedule), sizes_(std::move(sizes)), rest_(schedule.size), last_(processors), speeds_(processors)
{
}

std::int64_t SelfScheduler::next(std::size_t processor, std::optional<double> seconds)
{
    if (seconds) {
        auto &speeds = speeds_[processor];
        speeds.push_back(static_cast<double>(last_[processor]) / std::max(*seconds, shortest_seconds));
        if (speeds.size() > speeds_kept) speeds.pop_front();
    }
    if (rest_ == 0) return last_[processor] = 0;
    const auto size = allowed(processor, std::clamp(wanted(processor), std::min(schedule_.package, rest_), rest_));
    rest_ -= size;
    return last_[processor] = size;
}

std::int64_t SelfScheduler::wanted(std::size_t processor)
{
    const auto p = static_cast<std::int64_t>(last_.size());
    switch (schedule_.method) {
    case SelfMethod::fixed: break;
    case SelfMethod::guided: return ceil_div(rest_, p);
    case SelfMethod::factoring:
        if (batch_left_ == 0) {
            batch_left_ = p;
            batch_package_ = ceil_div(ceil_div(rest_, 2), p);
        }
        --batch_left_;
        return batch_package_;
    case SelfMethod::sigmoid: {
        const auto n = static_cast<double>(schedule_.size);
        const auto slope = std::tanh(3 * schedule_.rate * static_cast<double>(rest_) / n);
        return static_cast<std::int64_t>(slope * n / (2 * static_cast<double>(p)) * share(processor));
    }
    }
    return schedule_.package;
}

double SelfScheduler::share(std::size_t processor) const
{
    double sum = 0, known = 0;
    for (const auto &speeds : speeds_)
        if (!speeds.empty()) {
            sum += mean(speeds);
            ++known;
        }
    const auto p = static_cast<double>(speeds_.size());
    if (speeds_[processor].empty() || sum == 0) return 1 / p;
    return mean(speeds_[processor]) / (sum * p / known);
}

std::int64_t SelfScheduler::allowed(std::size_t processor, std::int64_t size) const
{
    if (sizes_.empty()) return size;
    const auto &sizes = sizes_[processor];
    const auto above = std::upper_bound(sizes.begin(), sizes.end(), size);
    if (above != sizes.begin()) return *(above - 1);
    return above != sizes.end() && *above <= rest_ ? *above : 0;
}

namespace
{

constexpr std::string_view first_line = "# hpart schedules, version ", version = "1";
constexpr std::string_view header = "size,makespan,optimal,processor,package,repeats,application";
constexpr std::size_t columns = 7;
enum TableColumn : std::size_t {
    at_size,
    at_makespan,
    at_optimal,
    at_processor,
    at_package,
    at_repeats,
    at_application
};

struct Field {
    std::string_view text;
    TextPosition position;
};

std::int64_t parse_count(const Field &field, std::string_view name)
{
    const auto value = parse_int(field.text);
    if (!value || *value < 0)
        field.position.fail(name, " is ", in_quotes(field.text), "; it must be an integer from 0 on");
    return *value;
}

class Parser
{
  public:
    explicit Parser(const std::string &file) : file_(file) {}

    ScheduleTable parse(std::string_view content)
    {
        while (!content.empty()) {
            const auto end = std::min(content.find('\n'), content.size());
            auto line = content.substr(0, end);
            content.remove_prefix(std::min(end + 1, content.size()));
            if (line.ends_with('\r')) line.remove_suffix(1);
            ++line_;
            if (line_ == 1)
                read_version(line);
            else if (line.starts_with('#'))
                table_.comments += text(line, "\n");
            else if (trim(line).empty())
                continue;
            else if (!std::exchange(has_header_, true))
                read_header(line);
            else
                read_row(line);
        }
        end_entry();
        if (!has_header_)
            at(1).fail("the table has no header; it must begin with ", first_line, version, " and ", header);
        return std::move(table_);
    }

  private:
    TextPosition at(std::int64_t column) const { return {file_, std::max<std::int64_t>(line_, 1), column}; }

    void read_version(std::string_view line) const
    {
        if (!line.starts_with(first_line))
            at(1).fail("the line is ", in_quotes(line), "; a table of schedules begins with '", first_line, version,
                       "'");
        if (const auto found = line.substr(first_line.size()); found != version)
            at(1).fail("the version is ", in_quotes(found), "; this library reads version ", version);
    }

    void read_header(std::string_view line) const
    {
        if (line != header) at(1).fail("the header is ", in_quotes(line), "; it must be ", header);
    }

    std::vector<Field> fields_of(std::string_view line) const
    {
        std::vector<Field> fields;
        std::size_t begin = 0;
        while (fields.size() + 1 < columns) {
            const auto end = line.find(',', begin);
            if (end == std::string_view::npos)
                at(1).fail("the row has ", fields.size() + 1, " fields; it must have ", columns);
            fields.push_back({line.substr(begin, end - begin), at(static_cast<std::int64_t>(begin) + 1)});
            begin = end + 1;
        }
        fields.push_back({line.substr(begin), at(static_cast<std::int64_t>(begin) + 1)});
        return fields;
    }

    void read_row(std::string_view line)
    {
        const auto fields = fields_of(line);
        const auto size = parse_count(fields[at_size], "size");
        const std::string application(fields[at_application].text);
        if (table_.entries.empty() || entry().application != application || entry().size != size) {
            end_entry();
            fields[at_application].position.accept([&] { check_application(application); });
            if (table_.find(application, size) != nullptr)
                at(1).fail("a second schedule of size ", size, " and ", in_quotes(application),
                           "; the rows of a schedule must follow each other");
            table_.entries.push_back({application, size, 0, false, {}, {}});
            assigned_ = 0;
            line_of_entry_ = line_;
        }
        read_totals(fields);
        read_task(fields);
    }

    void read_totals(const std::vector<Field> &fields)
    {
        const auto makespan =
            parse_quantity(fields[at_makespan].text, fields[at_makespan].position, "makespan", Sign::not_negative);
        const auto optimal = parse_count(fields[at_optimal], "optimal");
        if (optimal > 1) fields[at_optimal].position.fail("optimal is ", optimal, "; it must be 0 or 1");
        if (entry().processors.empty()) {
            entry().makespan = makespan;
            entry().is_optimal = optimal == 1;
        }
        if (entry().makespan != makespan || entry().is_optimal != (optimal == 1))
            fields[at_makespan].position.fail("makespan and optimal differ from those of the schedule's first row");
    }

    void read_task(const std::vector<Field> &fields)
    {
        auto &[application, size, makespan, is_optimal, processors, tasks] = entry();
        const std::string name(fields[at_processor].text);
        const auto package = parse_count(fields[at_package], "package");
        const auto repeats = parse_count(fields[at_repeats], "repeats");
        if ((package == 0) != (repeats == 0))
            fields[at_package].position.fail("package is ", package, " and repeats ", repeats,
                                             "; both are 0 where a processor is idle, else positive");
        const bool is_next = processors.empty() || processors.back() != name;
        if (is_next) {
            fields[at_processor].position.accept([&] { check_processor_name(name); });
            if (std::find(processors.begin(), processors.end(), name) != processors.end())
                fields[at_processor].position.fail("processor ", in_quotes(name),
                                                   " has rows before; its rows must follow each other");
            processors.push_back(name);
        } else if (package == 0 || tasks.empty() || tasks.back().package <= package ||
                   tasks.back().processor + 1 != static_cast<std::int64_t>(processors.size())) {
            fields[at_package].position.fail("package is ", package, "; the packages of a processor must decrease");
        }
        if (package == 0) return;
        const auto rows = checked_mul(package, repeats);
        const auto sum = rows ? checked_add(assigned_, *rows) : std::nullopt;
        if (!sum || *sum > size) fields[at_package].position.fail("the packages sum to more than the size, ", size);
        assigned_ = *sum;
        tasks.push_back({static_cast<std::int64_t>(processors.size()) - 1, package, repeats});
    }

    void end_entry() const
    {
        if (!table_.entries.empty() && assigned_ != table_.entries.back().size)
            TextPosition{file_, line_of_entry_, 1}.fail("the packages sum to ", assigned_, ", not to the size, ",
                                                        table_.entries.back().size);
    }

    TableEntry &entry() { return table_.entries.back(); }

    const std::string &file_;
    std::int64_t line_ = 0, line_of_entry_ = 0;
    bool has_header_ = false;
    std::int64_t assigned_ = 0; // of the last entry
    ScheduleTable table_;
};

} // namespace

const TableEntry *ScheduleTable::find(const std::string &application, std::int64_t size) const
{
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const TableEntry &entry) {
        return entry.size == size && entry.application == application;
    });
    return found == entries.end() ? nullptr : &*found;
}

void ScheduleTable::set(TableEntry entry)
{
    const auto *found = find(entry.application, entry.size);
    if (found == nullptr)
        entries.push_back(std::move(entry));
    else
        entries[static_cast<std::size_t>(found - entries.data())] = std::move(entry);
}

void check_application(const std::string &application)
{
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
    if (application.empty() || trim(application) != application ||
        std::any_of(application.begin(), application.end(), is_control))
        fail_argument("application is ", in_quotes(application),
                      "; it must be one line that is not empty and has no blanks at its ends");
}

ScheduleTable parse_schedule_table(std::string_view content, const std::string &name)
{
    return Parser(name).parse(content);
}

std::string format_schedule_table(const ScheduleTable &table)
{
    auto out = text(first_line, version, "\n", table.comments, header, "\n");
    for (const auto &entry : table.entries) {
        auto task = entry.tasks.begin();
        const auto append = [&](std::size_t i, std::int64_t package, std::int64_t repeats) {
            out += text(entry.size, ",", entry.makespan, ",", entry.is_optimal ? 1 : 0, ",", entry.processors[i], ",",
                        package, ",", repeats, ",", entry.application, "\n");
        };
        for (std::size_t i = 0; i < entry.processors.size(); ++i) {
            const auto is_own = [&] {
                return task != entry.tasks.end() && task->processor == static_cast<std::int64_t>(i);
            };
            if (!is_own()) append(i, 0, 0);
            for (; is_own(); ++task) append(i, task->package, task->repeats);
        }
    }
    return out;
}

} // namespace hpart
