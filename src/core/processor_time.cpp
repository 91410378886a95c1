#include "core/processor_time.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>

#include <unistd.h>

namespace hpart
{

namespace
{

double ticks_per_second() { return static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// Calls take(word) for each of them.
template <typename Take> void for_each_word(std::string_view line, const Take &take)
{
    constexpr std::string_view blanks = " \n";
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
         begin = line.find_first_not_of(blanks)) {
        line.remove_prefix(begin);
        const auto word = line.substr(0, line.find_first_of(blanks));
        take(word);
        line.remove_prefix(word.size());
    }
}

// Ticks of a process and of the children that it waited for. "17 (a name) S 1 ...": the name may have blanks and brackets.
std::int64_t ticks_of(const std::string &stat)
{
    constexpr int first = 11, last = 14; // utime, stime, cutime and cstime behind the name
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::int64_t ticks = 0;
    int field = 0;
    for_each_word(std::string_view(stat).substr(name_end + 1), [&](std::string_view word) {
        if (field >= first && field <= last) ticks += parse_int(word).value_or(0);
        ++field;
    });
    return ticks;
}

std::int64_t ticks_of_family(const std::string &folder, const std::string &proc_root)
{
    auto ticks = ticks_of(content_of_file(folder + "/stat"));
    for (const auto &thread : names_in(folder + "/task"))
        for_each_word(content_of_file(text(folder, "/task/", thread, "/children")), [&](std::string_view child) {
            ticks += ticks_of_family(text(proc_root, "/", child), proc_root);
        });
    return ticks;
}

} // namespace

CoreTimes parse_core_times(std::string_view stat, const std::vector<int> &cores)
{
    // cpu3 user nice system idle iowait irq softirq steal guest guest_nice; guests' time is in user's.
    constexpr std::size_t idle = 3, iowait = 4, steal = 7, fields = 8;
    constexpr std::string_view prefix = "cpu";
    const auto ticks = ticks_per_second();
    CoreTimes out;
    for (; stat.starts_with(prefix); stat.remove_prefix(std::min(stat.find('\n'), stat.size() - 1) + 1)) {
        auto line = stat.substr(prefix.size(), stat.find('\n') - prefix.size());
        const auto core = parse_int(line.substr(0, line.find(' ')));
        if (core && !cores.empty() && std::find(cores.begin(), cores.end(), *core) == cores.end()) continue;
        if (core) ++out.cores;
        // The first line is the sum over all cores, rounded once. It has two blanks.
        if (core.has_value() == cores.empty()) continue;
        if (line.starts_with("  ")) line.remove_prefix(1);
        for (std::size_t field = 0; field < fields; ++field) {
            const auto blank = line.find(' ');
            if (blank == std::string_view::npos) break;
            line.remove_prefix(blank + 1);
            const double seconds = static_cast<double>(parse_int(line.substr(0, line.find(' '))).value_or(0)) / ticks;
            if (field == steal)
                out.stolen += seconds;
            else if (field != idle && field != iowait)
                out.busy += seconds;
        }
    }
    return out;
}

CoreTimes core_times(const std::string &proc_root, const std::vector<int> &cores)
{
    return parse_core_times(content_of_file(proc_root + "/stat"), cores);
}

double own_core_seconds(const std::string &proc_root)
{
    return static_cast<double>(ticks_of_family(proc_root + "/self", proc_root)) / ticks_per_second();
}

} // namespace hpart
