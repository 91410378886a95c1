#include "host/cores.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <unistd.h>

#ifdef HPART_HAVE_HWLOC
#include "host/topology.hpp"

#include <cerrno>
#include <system_error>
#endif

namespace hpart
{

namespace
{

#ifdef HPART_HAVE_HWLOC

CoreList find_usable_cores()
{
    const auto set = make_bitmap();
    // The process's binding at the first call; without one, all allowed cores.
    if (hwloc_get_cpubind(this_topology().get(), set.get(), HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(this_topology().get()));
    return cores_in(set.get());
}

#else

CoreList find_usable_cores()
{
    CoreList cores;
    const auto count = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned core = 0; core < count; ++core) cores.push_back(static_cast<int>(core));
    return cores;
}

#endif

// A core number off the front of text.
std::optional<int> take_number(std::string_view &text)
{
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_int(text.substr(0, end));
    if (!number || *number > std::numeric_limits<int>::max()) return std::nullopt;
    text.remove_prefix(end);
    return static_cast<int>(*number);
}

} // namespace

int online_cores() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

const CoreList &usable_cores()
{
    static const CoreList cores = find_usable_cores();
    return cores;
}

CoreList parse_cores(std::string_view text, std::span<const int> usable, std::string_view processor)
{
    const auto fail_at = [&](const auto &...why) {
        if (!processor.empty()) fail_parameter("processor", " is ", in_quotes(processor), why...);
        fail_argument("cores are ", in_quotes(text), why...);
    };
    const auto fail_form = [&] { fail_at("; cores must be numbers and ranges with commas between, as 0-3,8"); };
    const CoreList known(usable.begin(), usable.end());
    CoreList cores;
    auto rest = text;
    for (;;) {
        const auto first = take_number(rest);
        if (!first) fail_form();
        auto last = first;
        if (!rest.empty() && rest.front() == '-') {
            rest.remove_prefix(1);
            last = take_number(rest);
            if (!last || *last < *first) fail_form();
        }
        for (int core = *first;; ++core) {
            if (std::find(known.begin(), known.end(), core) == known.end())
                fail_at(", but core ", core, " is not here; this process may use ", format_cores(known));
            if (std::find(cores.begin(), cores.end(), core) != cores.end())
                fail_at(", where core ", core, " stands twice");
            cores.push_back(core);
            if (core == *last) break;
        }
        if (rest.empty()) break;
        if (rest.front() != ',') fail_form();
        rest.remove_prefix(1);
    }
    std::sort(cores.begin(), cores.end());
    return cores;
}

std::string format_cores(const CoreList &cores)
{
    std::string out;
    for (std::size_t k = 0; k < cores.size();) {
        auto end = k + 1;
        while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
        out += text(out.empty() ? "" : ",", cores[k]);
        if (end - k > 1) out += text("-", cores[end - 1]);
        k = end;
    }
    return out;
}

void bind_this_thread(const CoreList &cores)
{
    if (cores.empty()) return;
#ifdef HPART_HAVE_HWLOC
    const auto set = make_bitmap();
    for (const int core : cores) hwloc_bitmap_set(set.get(), static_cast<unsigned>(core));
    if (hwloc_set_cpubind(this_topology().get(), set.get(), HWLOC_CPUBIND_THREAD) != 0) {
        const int error = errno;
        fail(error == EPERM || error == EACCES ? Status::permission : Status::unsupported,
             "a thread cannot be bound to cores ", format_cores(cores), ": ", std::generic_category().message(error));
    }
#else
    fail(Status::unsupported, "this build has no hwloc: threads cannot be bound to cores ", format_cores(cores));
#endif
}

} // namespace hpart
