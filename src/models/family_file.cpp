// Family files: platform files with a column `parameter`. A metadata line is that of all slices, or of the one that it names:
// "# at 512: kernel = dgemm n=512".
#include "core/error.hpp"
#include "core/file.hpp"
#include "models/family.hpp"
#include "models/metadata_line.hpp"
#include "models/platform_table.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace hpart
{

namespace
{

constexpr std::string_view processors_line = "# processors = ";

// The metadata lines of a slice, and how often each occurs.
struct Lines {
    std::vector<std::string> all;
    std::unordered_map<std::string, int> times;
};

Lines lines_of(const Platform &platform)
{
    Lines out;
    const auto metadata = format_metadata(platform);
    for (std::string_view rest = metadata; !rest.empty();) {
        const auto end = rest.find('\n');
        out.all.emplace_back(rest.substr(0, end));
        ++out.times[out.all.back()];
        rest.remove_prefix(end + 1);
    }
    return out;
}

int times_in(const Lines &lines, const std::string &line)
{
    const auto found = lines.times.find(line);
    return found == lines.times.end() ? 0 : found->second;
}

// The lines that are written once for all slices: all have them alike, and they do not read as if they named slices.
std::set<std::string> common_lines(const std::vector<Lines> &slices)
{
    std::set<std::string> common;
    if (slices.empty()) return common;
    const auto &first = slices.front();
    for (const auto &line : first.all) {
        auto content = std::string_view(line).substr(1);
        if (take_slice(content) || declares_slices(content)) continue;
        const auto is_alike = [&](const Lines &slice) { return times_in(slice, line) == times_in(first, line); };
        if (std::all_of(slices.begin(), slices.end(), is_alike)) common.insert(line);
    }
    return common;
}

std::string format_slices_metadata(const Family &family)
{
    std::vector<Lines> slices;
    for (const auto &[parameter, platform] : family.slices()) slices.push_back(lines_of(platform));
    const auto common = common_lines(slices);
    std::string of_all, own, processors;
    auto lines = slices.begin();
    for (const auto &[parameter, platform] : family.slices()) {
        for (const auto &line : lines->all) {
            if (line.starts_with(processors_line))
                processors = line + "\n"; // the same in all that have it, and the file's own
            else if (!common.contains(line))
                own += text("# at ", parameter, ":", std::string_view(line).substr(1), "\n");
            else if (lines == slices.begin())
                of_all += line + "\n";
        }
        ++lines;
    }
    return of_all + processors + own;
}

// Nothing if the rows already determine it.
std::string declaration_of_slices(const std::map<std::int64_t, Platform> &slices)
{
    std::string list;
    bool some_without_points = false;
    for (const auto &[parameter, platform] : slices) {
        list += text(list.empty() ? "" : ",", parameter);
        std::int64_t i = 0;
        while (i < platform.count() && platform.points(i).count() == 0) ++i;
        some_without_points = some_without_points || i == platform.count();
    }
    return some_without_points ? "# parameters = " + list + "\n" : "";
}

} // namespace

Family parse_family(std::string_view content, const std::string &name)
{
    Family family;
    for (auto &[parameter, platform] : parse_table(content, name, TableKind::family))
        family.add(parameter, std::move(platform));
    return family;
}

std::string format_family(const Family &family)
{
    const auto &slices = family.slices();
    if (slices.empty()) fail_argument("the family has no slices; a file needs at least one");
    RowColumns columns;
    for (const auto &[parameter, platform] : slices) columns.add(platform);
    auto out = declaration_of_slices(slices) + format_slices_metadata(family);
    out += "parameter," + columns.header();
    for (const auto &[parameter, platform] : slices) append_rows(out, platform, text(parameter, ","), columns);
    return out;
}

Family read_family(const std::string &path)
{
    const auto content = read_file(path);
    return parse_family(content, path);
}

void write_family(const Family &family, const std::string &path) { write_file(path, format_family(family)); }

} // namespace hpart
