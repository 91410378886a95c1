#include "functions.hpp"

#include "kernels.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace hpart_languages
{

void Server::run(const std::function<void()> &call)
{
    std::thread caller([&] {
        call();
        const std::lock_guard lock(mutex_);
        is_done_ = true;
        changed_.notify_all();
    });
    {
        constexpr std::chrono::milliseconds interval(100);
        auto polled = std::chrono::steady_clock::now();
        std::unique_lock lock(mutex_);
        while (!is_done_) {
            if (task_ != nullptr)
                serve(lock);
            else
                changed_.wait_for(lock, interval);
            const auto now = std::chrono::steady_clock::now();
            if (failure_ || language.poll == nullptr || now - polled < interval) continue;
            polled = now;
            poll();
        }
    }
    caller.join();
}

void Server::poll()
{
    try {
        language.poll();
    } catch (...) {
        failure_ = std::current_exception();
    }
}

bool Server::has_failed()
{
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
}

void Server::serve(std::unique_lock<std::mutex> &lock)
{
    std::exception_ptr failure = failure_;
    lock.unlock();
    if (!failure) {
        try {
            (*task_)();
        } catch (...) {
            failure = std::current_exception();
        }
    }
    lock.lock();
    failure_ = failure;
    task_ = nullptr;
    changed_.notify_all();
}

bool Server::ask(const std::function<void()> &task)
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return task_ == nullptr; });
    task_ = &task;
    changed_.notify_all();
    changed_.wait(lock, [&] { return task_ != &task; });
    return !failure_;
}

void Server::rethrow() const
{
    if (failure_) std::rethrow_exception(failure_);
}

std::unique_ptr<Called> new_called(Function function, State *team)
{
    return std::make_unique<Called>(Called{std::move(function), team});
}

int run_kernel(int64_t size, void *user)
{
    const auto *called = static_cast<const Called *>(user);
    return called->team->server->ask([&] { called->function->call({size}, Result::ignored); }) ? 0 : 1;
}

int run_application(int64_t processors, const int64_t *x, double *seconds, void *user)
{
    const auto *called = static_cast<const Called *>(user);
    const bool is_done = called->team->server->ask([&] {
        const Numbers list =
            numbers_of(called->function->call({Integers(x, x + processors)}), "the application's result");
        if (list.size() == 1) {
            *std::find_if(seconds, seconds + processors,
                          [&](const double &place) { return x[&place - seconds] != 0; }) = list.front();
        } else {
            same_length("x", static_cast<size_t>(processors), "the application's result", list.size());
            std::copy(list.begin(), list.end(), seconds);
        }
    });
    return is_done ? 0 : 1;
}

void free_called(void *user) { delete static_cast<Called *>(user); }

void keep_called(const Borrowed<hpart_team> &team, std::unique_ptr<Called> &called, bool is_kernel)
{
    called.release(); // the team has it
    team.state()->is_called = true;
    if (is_kernel) team.state()->called.insert(processors(team.get()) - 1);
}

void keep_meter(const Borrowed<hpart_team> &team, int64_t processor, const Borrowed<hpart_meter> &meter)
{
    team.state()->meters.erase(processor);
    if (meter.get() != nullptr) team.state()->meters[processor] = meter.share_of_object();
}

void prepare_run(const Borrowed<hpart_team> &team, Options &options, Simultaneous simultaneous)
{
    if (team.state()->called.size() < 2 || simultaneous == Simultaneous::never) return;
    if (simultaneous == Simultaneous::always)
        refuse("several kernels of the team are functions of the interpreter, which run in turn; this call needs all "
               "at once: use programs (team_add_program), one function of all processors "
               "(team_set_application_function), or team_profile and partition_time");
    if (options.has("simultaneous", "1"))
        refuse(
            "simultaneous is 1, but several kernels of the team are functions of the interpreter, which run in turn");
    options.set("simultaneous", 0);
}

Status run(const Borrowed<hpart_team> &team, Options &options, const std::function<hpart_status()> &call)
{
    if (!team.state()->is_called && language.poll == nullptr) return call();
    Server server;
    Status status = HPART_SUCCESS;
    team.state()->server = &server;
    options.watch(&server);
    server.run([&] { status = call(); });
    options.watch(nullptr);
    team.state()->server = nullptr;
    server.rethrow();
    return status;
}

size_t joules_of(const Borrowed<hpart_team> &team)
{
    const auto &meters = team.state()->meters;
    const auto count = static_cast<size_t>(processors(team.get()));
    return meters.count(-1) != 0 ? 1 : meters.size() == count ? count : 0;
}

Complexity::Complexity(Argument argument)
{
    if (is_given(argument)) function_ = function(argument, "complexity");
}

int Complexity::operations(int64_t size, double *operations, void *user)
{
    auto *self = static_cast<Complexity *>(user);
    try {
        *operations = number_of(self->function_->call({size}), "the result of complexity");
        return 0;
    } catch (...) {
        self->failure_ = std::current_exception();
        return 1;
    }
}

void Complexity::rethrow() const
{
    if (failure_) std::rethrow_exception(failure_);
}

namespace
{

// Parts of x that run one after another: the interpreter's kernels alone, and all others at once.
std::vector<Integers> turns_of(const State &team, const Integers &x)
{
    Integers together = x;
    std::vector<Integers> turns;
    for (const int64_t processor : team.called) {
        const auto i = static_cast<size_t>(processor);
        if (x[i] == 0) continue;
        turns.emplace_back(x.size(), 0);
        turns.back()[i] = x[i];
        together[i] = 0;
    }
    if (turns.size() < 2) return {x};
    if (std::any_of(together.begin(), together.end(), [](int64_t part) { return part != 0; }))
        turns.push_back(together);
    return turns;
}

// Adds the arrays of a turn's report to those of the turns before.
void join(Record &whole, const Record &turn, const Integers &x)
{
    static const std::set<std::string> joined = {"interval_low", "interval_high", "median", "minimum", "mean"};
    for (const Entry &entry : turn) {
        const auto *part = std::get_if<Numbers>(&entry.value);
        if (joined.count(entry.name) == 0 || part == nullptr || part->size() != x.size()) continue;
        auto found =
            std::find_if(whole.begin(), whole.end(), [&](const Entry &other) { return other.name == entry.name; });
        if (found == whole.end()) found = whole.insert(whole.end(), {entry.name, Numbers(x.size(), 0)});
        for (size_t i = 0; i < x.size(); ++i)
            if (x[i] != 0) std::get<Numbers>(found->value)[i] = (*part)[i];
    }
}

using Call = std::function<hpart_status(const int64_t *x, double *seconds, double *joules, hpart_report **report)>;

// hpart_team_measure and hpart_team_execute.
Outcome *run_in_turns(Argument team_, Argument x_, Argument options_, bool has_joules,
                      hpart_status (*call)(hpart_team *, const int64_t *, const hpart_options *, double *, double *,
                                           hpart_report **))
{
    return hpart_languages::call([&](Record &results) {
        const Borrowed<hpart_team> team(team_, "team");
        const Integers x = integers(x_, "x");
        same_length("the team", static_cast<size_t>(processors(team.get())), "x", x.size());
        Options options(options_);
        Numbers seconds(x.size(), 0);
        Numbers joules(has_joules ? joules_of(team) : 0, 0);
        const std::vector<Integers> turns = turns_of(*team.state(), x);
        Record report;
        for (const Integers &turn : turns) {
            Numbers once(x.size(), 0);
            Numbers energy(joules.size(), 0);
            Made<hpart_report> made_report;
            const Status status = run(team, options, [&] {
                return call(team.get(), turn.data(), options.get(), once.data(),
                            energy.empty() ? nullptr : energy.data(), made_report.place());
            });
            options.rethrow();
            if (status.value != HPART_SUCCESS) throw Failure(status.value, status.text);
            for (size_t i = 0; i < x.size(); ++i) seconds[i] += once[i];
            for (size_t i = 0; i < joules.size(); ++i) joules[i] += energy[i];
            Record about = record_of(made_report.get());
            if (turns.size() == 1)
                report = std::move(about);
            else
                join(report, about, turn);
        }
        report.push_back({"simultaneous", int64_t{turns.size() == 1}});
        add(results, has_joules ? "mean_seconds" : "seconds", std::move(seconds));
        if (has_joules) add(results, "joules", std::move(joules));
        add(results, "report", std::move(report));
    });
}

} // namespace

Outcome *team_measure(Argument team_, Argument x_, Argument options_)
{
    return run_in_turns(team_, x_, options_, true, hpart_team_measure);
}

Outcome *team_execute(Argument team_, Argument x_, Argument options_)
{
    return run_in_turns(team_, x_, options_, false,
                        [](hpart_team *team, const int64_t *x, const hpart_options *options, double *seconds, double *,
                           hpart_report **report) { return hpart_team_execute(team, x, options, seconds, report); });
}

} // namespace hpart_languages
