#include "host/thread_use.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hpart
{

namespace
{

// "" when the thread has just ended.
std::string content_of(const std::string &path)
{
    try {
        return read_file(path);
    } catch (const Error &) {
        return {};
    }
}

bool others_run()
{
    const auto caller = this_thread_id();
    const auto uses = thread_uses();
    return std::any_of(uses.begin(), uses.end(),
                       [&](const auto &thread) { return thread.first != caller && thread.second.is_running; });
}

// "17 (name) S 1 ...": the name may have blanks and brackets.
std::optional<ThreadUse> parse_stat(const std::string &stat)
{
    const auto open = stat.find('('), close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
    std::istringstream rest(stat.substr(close + 1));
    std::vector<std::string> fields;
    for (std::string field; rest >> field;) fields.push_back(field);
    constexpr std::size_t state = 0, user_ticks = 11, system_ticks = 12,
                          processor = 36; // proc(5), counted behind the name
    if (fields.size() <= processor) return std::nullopt;
    const auto number = [&](std::size_t field) { return parse_double(fields[field]).value_or(0); };
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return ThreadUse{stat.substr(open + 1, close - open - 1), (number(user_ticks) + number(system_ticks)) / ticks,
                     static_cast<int>(number(processor)), fields[state] == "R"};
}

} // namespace

pid_t this_thread_id() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

std::map<pid_t, ThreadUse> thread_uses()
{
    std::map<pid_t, ThreadUse> uses;
    const std::string folder = "/proc/self/task/";
    for (const auto &name : names_in(folder)) {
        const auto id = parse_int(name);
        if (!id) continue;
        auto use = parse_stat(content_of(folder + name + "/stat"));
        if (!use) continue; // it has just ended
        // In nanoseconds, where the system has that; else ticks of 10 ms.
        const auto schedule = content_of(folder + name + "/schedstat");
        if (const auto run = parse_double(schedule.substr(0, schedule.find(' ')))) use->seconds = *run * 1e-9;
        uses.emplace(static_cast<pid_t>(*id), std::move(*use));
    }
    return uses;
}

CoreList cores_of_thread(pid_t id)
{
    // The system refuses a mask of fewer cores than it may have.
    constexpr std::size_t sets_of_most = 1024;
    CoreList cores;
    for (std::vector<cpu_set_t> sets(1); sets.size() <= sets_of_most; sets.resize(2 * sets.size())) {
        const auto bytes = sets.size() * sizeof(cpu_set_t);
        if (::sched_getaffinity(id, bytes, sets.data()) == 0) {
            for (std::size_t core = 0; core < 8 * bytes; ++core)
                if (CPU_ISSET_S(core, bytes, sets.data())) cores.push_back(static_cast<int>(core));
            return cores;
        }
        if (errno != EINVAL) return cores;
    }
    return cores;
}

void wait_for_rest()
{
    constexpr double most_seconds = 1;
    // A thread that polls sleeps now and then.
    constexpr std::chrono::milliseconds between_looks(2);
    constexpr int quiet_looks = 4;
    const auto start = Clock::now();
    for (int quiet = 0; quiet < quiet_looks && seconds_since(start) < most_seconds;) {
        Clock::sleep_for(between_looks);
        quiet = others_run() ? 0 : quiet + 1;
    }
}

BoundMeanwhile::BoundMeanwhile(const CoreList &cores)
{
    if (cores.empty()) return;
    const auto &usable = usable_cores(); // asked before the binding: the first call finds it for good
    before_ = cores_of_thread(this_thread_id());
    if (before_.empty()) before_ = usable;
    bind_this_thread(cores);
}

BoundMeanwhile::~BoundMeanwhile()
{
    try {
        bind_this_thread(before_);
    } catch (...) { // NOLINT(bugprone-empty-catch): the cores were this thread's before
    }
}

} // namespace hpart
