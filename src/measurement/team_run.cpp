#include "measurement/team_run.hpp"

#include "core/error.hpp"
#include "host/thread_group.hpp"
#include "kernels/kinds.hpp"
#include "measurement/application.hpp"

#include <algorithm>
#include <cmath>
#include <new>

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

namespace
{

// The processors of one problem know each other, if they need that.
void join_partners(const Team &team, std::span<const std::size_t> active, std::span<const Slice> slices)
{
    std::vector<BuiltinKernel *> kernels;
    for (std::size_t i = 0; i < team.count(); ++i) {
        auto *kernel = dynamic_cast<BuiltinKernel *>(team.member(i).kernel.get());
        if (kernel == nullptr || !kernel->needs_partners()) return;
        if (i > 0 && kernel->description() != kernels.front()->description()) return;
        kernels.push_back(kernel);
    }
    std::vector<Slice> parts;
    for (const auto i : active) parts.push_back(slices[i]);
    const auto partners = std::make_shared<Partners>(parts);
    for (std::size_t a = 0; a < active.size(); ++a) kernels[active[a]]->join(partners, a);
}

} // namespace

TeamRun::TeamRun(const Team &team, std::vector<Slice> slices, bool prepares) : team_(team), slices_(std::move(slices))
{
    std::vector<CoreList> bindings;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
        if (slices_[i].rows == 0) continue;
        active_.push_back(i);
        bindings.push_back(team_.member(i).cores);
    }
    spans_.resize(active_.size());
    thread_ids_.resize(active_.size());
    if (active_.empty()) return;
    if (team_.application() != nullptr) bindings.resize(1);
    if (prepares) join_partners(team_, active_, slices_);
    group_.emplace(bindings);
    try {
        if (auto *const application = team_.application())
            on_threads([&](std::size_t, Kernel &) {
                std::fill(thread_ids_.begin(), thread_ids_.end(), this_thread_id());
                application->prepare();
            });
        else
            on_threads([&](std::size_t a, Kernel &kernel) {
                thread_ids_[a] = this_thread_id();
                if (prepares) kernel.prepare(slices_[active_[a]]);
            });
    } catch (...) {
        release();
        throw;
    }
}

TeamRun::~TeamRun() { release(); }

void TeamRun::release() noexcept
{
    group_.reset();
    for (const auto i : active_) team_.member(i).kernel->release();
}

std::vector<std::int64_t> TeamRun::sizes() const
{
    std::vector<std::int64_t> x;
    for (const auto &slice : slices_) x.push_back(slice.rows);
    return x;
}

void TeamRun::repeat(const Poll &poll)
{
    if (auto *const application = team_.application()) {
        const auto job = [&, x = sizes()](std::size_t, Kernel &, const auto &) {
            std::vector<double> seconds(x.size(), 0);
            const auto begin = Clock::now();
            application->run(x, seconds);
            const auto end = Clock::now();
            for (std::size_t a = 0; a < active_.size(); ++a) spans_[a] = {begin, end, seconds[active_[a]]};
        };
        return run(job, poll);
    }
    run(
        [&](std::size_t a, Kernel &kernel, const std::atomic<bool> &) {
            const auto begin = Clock::now();
            kernel.run();
            spans_[a] = {begin, Clock::now(), kernel.own_seconds()};
        },
        poll);
}

// Polling takes a little time from kernels of this process: it is left where it could not end any.
void TeamRun::run(const Job &job, const Poll &poll, bool job_heeds_is_broken)
{
    poll.check();
    std::atomic<bool> is_broken = false;
    const auto end_others = [&] {
        const bool is_first = !is_broken.exchange(true);
        if (is_first) interrupt();
        return is_first;
    };
    const auto one = [&](std::size_t a, Kernel &kernel) {
        try {
            job(a, kernel, is_broken);
        } catch (...) {
            if (end_others()) throw; // else because of the first
        }
    };
    const auto look = [&] {
        try {
            poll.check();
        } catch (...) {
            end_others();
            throw;
        }
    };
    const bool may_end = job_heeds_is_broken || team_.is_interruptible(active_);
    on_threads(one, may_end ? std::function<void()>(look) : nullptr);
}

void TeamRun::prepare(std::size_t a, const Slice &slice)
{
    auto &prepared = slices_[active_[a]];
    if (prepared == slice) return;
    prepared = slice;
    team_.member(active_[a]).kernel->prepare(slice);
}

void TeamRun::interrupt() noexcept
{
    for (const auto i : active_) team_.member(i).kernel->interrupt();
}

void TeamRun::on_threads(const std::function<void(std::size_t a, Kernel &kernel)> &job,
                         const std::function<void()> &look)
{
    const auto one = [&](std::size_t a) {
        try {
            job(a, *team_.member(active_[a]).kernel);
        } catch (const RunFailure &failure) { // failures name what ran, by then
            const bool is_of_several = team_.application() != nullptr && active_.size() > 1;
            throw PointFailure(active_[a], failure.what(), text(subject(a), ": ", failure.what()), is_of_several);
        } catch (const Error &error) {
            throw Error(error.status(), text(subject(a), ": ", error.what()));
        } catch (const std::bad_alloc &) {
            throw Error(Status::out_of_memory, subject(a) + ": out of memory");
        } catch (const std::exception &error) {
            throw Error(Status::internal, text(subject(a), ": ", error.what()));
        }
    };
    if (group_) group_->run(one, look);
}

std::string TeamRun::subject(std::size_t a) const
{
    const auto i = active_[a];
    if (team_.application() == nullptr)
        return text("processor ", in_quotes(team_.member(i).name), ", size ", slices_[i].rows);
    std::string all;
    for (const auto size : sizes()) all += text(all.empty() ? "sizes " : ",", size);
    return all;
}

} // namespace hpart
