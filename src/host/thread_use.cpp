#include "host/thread_use.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/progress.hpp"

#include <ctime>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hpart
{

namespace
{

// "" when the thread has just ended.
std::string content_of(const std::filesystem::path &path)
{
    try {
        return read_file(path.string());
    } catch (const Error &) {
        return {};
    }
}

double process_seconds()
{
    struct timespec used {
    };
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// "17 (name) S 1 ...": the name may have blanks and brackets.
std::optional<ThreadUse> parse_stat(const std::string &stat)
{
    const auto open = stat.find('('), close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
    std::istringstream rest(stat.substr(close + 1));
    std::vector<std::string> fields;
    for (std::string field; rest >> field;) fields.push_back(field);
    constexpr std::size_t user_ticks = 11, system_ticks = 12, processor = 36; // proc(5), counted behind the name
    if (fields.size() <= processor) return std::nullopt;
    const auto number = [&](std::size_t field) { return parse_double(fields[field]).value_or(0); };
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return ThreadUse{stat.substr(open + 1, close - open - 1), (number(user_ticks) + number(system_ticks)) / ticks,
                     static_cast<int>(number(processor))};
}

} // namespace

pid_t this_thread_id() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

std::map<pid_t, ThreadUse> thread_uses()
{
    std::map<pid_t, ThreadUse> uses;
    std::error_code error;
    for (auto at = std::filesystem::directory_iterator("/proc/self/task", error);
         !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        const auto id = parse_int(at->path().filename().string());
        auto use = parse_stat(content_of(at->path() / "stat"));
        if (!id || !use) continue; // it has just ended
        // In nanoseconds, where the system has that; else ticks of 10 ms.
        const auto schedule = content_of(at->path() / "schedstat");
        if (const auto run = parse_double(schedule.substr(0, schedule.find(' ')))) use->seconds = *run * 1e-9;
        uses.emplace(static_cast<pid_t>(*id), std::move(*use));
    }
    return uses;
}

CoreList cores_of_thread(pid_t id)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CoreList cores;
    if (::sched_getaffinity(id, sizeof set, &set) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) cores.push_back(core);
    return cores;
}

void wait_for_rest(double most_seconds)
{
    constexpr std::chrono::milliseconds look(10);
    constexpr double at_rest = 0.1; // of a core
    const auto start = Clock::now();
    do {
        const double used = process_seconds();
        const auto begin = Clock::now();
        std::this_thread::sleep_for(look);
        if (process_seconds() - used < at_rest * seconds_since(begin)) return;
    } while (seconds_since(start) < most_seconds);
}

} // namespace hpart
