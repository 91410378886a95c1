#include "measurement/binding.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Less than that disturbs no measurement: it is what polling, progress and meters take.
constexpr double least_share = 0.05;
constexpr double least_use_seconds = 0.02;

bool has(const CoreList &cores, int core) { return std::find(cores.begin(), cores.end(), core) != cores.end(); }

bool are_among(const CoreList &some, const CoreList &cores)
{
    return std::all_of(some.begin(), some.end(), [&](int core) { return has(cores, core); });
}

} // namespace

std::string_view binding_remedy()
{
    return "set OMP_PROC_BIND=false and OPENBLAS_NUM_THREADS=1, POCL_AFFINITY=1 for PoCL, or limit the kernel's "
           "threads "
           "(threadpoolctl): docs/background/cores.md";
}

void require_own_cores(const Team &team, std::span<const std::size_t> processors)
{
    for (std::size_t second = 0; second < processors.size(); ++second)
        for (std::size_t first = 0; first < second; ++first) {
            const auto &one = team.member(processors[first]), &other = team.member(processors[second]);
            CoreList shared;
            std::copy_if(one.occupied.begin(), one.occupied.end(), std::back_inserter(shared),
                         [&](int core) { return has(other.occupied, core); });
            if (shared.empty()) continue;
            const bool has_units = one.name.starts_with("opencl:") || other.name.starts_with("opencl:");
            fail_argument("processors ", in_quotes(one.name), " and ", in_quotes(other.name), " share core",
                          shared.size() > 1 ? "s " : " ", format_cores(shared),
                          ", where each takes time from the other; give each its own cores, or set option 'overlap' to "
                          "'allowed'",
                          has_units ? "; POCL_AFFINITY=1 in the environment gives each unit of PoCL its own core" : "");
        }
}

BindingWatch::BindingWatch(const Team &team, const TeamRun &run) : team_(team), run_(run) {}

std::vector<std::string> BindingWatch::broken() const
{
    std::vector<std::string> broken(run_.active().size());
    find_moved(broken);
    find_strangers(broken);
    return broken;
}

// A library in the kernel, as an OpenMP runtime, may bind the thread that calls it.
void BindingWatch::find_moved(std::vector<std::string> &broken) const
{
    for (std::size_t a = 0; a < broken.size(); ++a) {
        const auto &cores = team_.member(run_.active()[a]).cores;
        const auto now = cores_of_thread(run_.thread_ids()[a]);
        if (!cores.empty() && !are_among(now, cores))
            broken[a] =
                text("was given core ", format_cores(cores), ", but its thread was moved to ", format_cores(now));
    }
}

void BindingWatch::find_strangers(std::vector<std::string> &broken) const
{
    const auto &ids = run_.thread_ids();
    const double least = std::max(least_use_seconds, least_share * seconds_since(begin_));
    std::vector<CoreList> occupied;
    for (const auto i : run_.active()) occupied.push_back(team_.member(i).occupied);
    const bool all_known = std::none_of(occupied.begin(), occupied.end(), [](const auto &of) { return of.empty(); });
    for (const auto &[id, use] : thread_uses()) {
        const auto earlier = before_.find(id);
        const double seconds = use.seconds - (earlier == before_.end() ? 0 : earlier->second.seconds);
        if (seconds < least || id == caller_ || std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
        const auto may_use = cores_of_thread(id);
        const bool belongs = may_use.empty() || std::any_of(occupied.begin(), occupied.end(),
                                                            [&](const auto &of) { return are_among(may_use, of); });
        if (belongs) continue;
        const auto disturbed = std::find_if(occupied.begin(), occupied.end(),
                                            [&, core = use.last_core](const auto &of) { return has(of, core); });
        // Elsewhere it is the driver's of a device, or the pool of a processor without cores.
        if (disturbed == occupied.end() && !all_known) continue;
        auto &of = broken[disturbed == occupied.end() ? 0 : static_cast<std::size_t>(disturbed - occupied.begin())];
        if (of.empty())
            of = text("was disturbed: thread ", id, " (", use.name, ") of this process used core ", use.last_core,
                      " for ", std::round(seconds * 100) / 100, " s and may use ", format_cores(may_use));
    }
}

} // namespace hpart
