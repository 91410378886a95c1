#include "measurement/team_run.hpp"

#include "core/error.hpp"
#include "host/thread_use.hpp"

#include <new>

namespace hpart
{

namespace
{

[[noreturn]] void fail_for(const std::string &name, std::int64_t size, Status status, const char *what)
{
    fail(status, "processor ", in_quotes(name), ", size ", size, ": ", what);
}

} // namespace

TeamRun::TeamRun(const Team &team, std::vector<Slice> slices) : team_(team), slices_(std::move(slices))
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
    crew_.emplace(bindings);
    try {
        on_each([&](std::size_t a, Kernel &kernel) {
            thread_ids_[a] = this_thread_id();
            kernel.prepare(slices_[active_[a]]);
        });
    } catch (...) {
        release();
        throw;
    }
}

TeamRun::~TeamRun() { release(); }

void TeamRun::release() noexcept
{
    crew_.reset();
    for (const auto i : active_) team_.member(i).kernel->release();
}

void TeamRun::repeat()
{
    on_each([&](std::size_t a, Kernel &kernel) {
        const auto begin = Clock::now();
        kernel.run();
        spans_[a] = {begin, Clock::now()};
    });
}

void TeamRun::on_each(const std::function<void(std::size_t a, Kernel &kernel)> &job)
{
    if (!crew_) return;
    crew_->run([&](std::size_t a) {
        const auto &member = team_.member(active_[a]);
        const auto &name = member.name;
        const auto size = slices_[active_[a]].rows;
        try {
            job(a, *member.kernel);
        } catch (const Error &error) {
            fail_for(name, size, error.status(), error.what());
        } catch (const std::bad_alloc &) {
            fail_for(name, size, Status::out_of_memory, "out of memory");
        } catch (const std::exception &error) {
            fail_for(name, size, Status::internal, error.what());
        }
    });
}

} // namespace hpart
