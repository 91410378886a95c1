#include "host/thread_group.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <sstream>
#include <system_error>
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

OwnThreads::OwnThreads(std::int64_t threads)
    : size_(threads > 0 ? threads : std::max<std::int64_t>(1, std::ssize(cores_of_thread(this_thread_id()))))
{
}

void OwnThreads::for_each(std::int64_t count, const std::function<void(std::int64_t)> &job)
{
    if (count <= 1 || size_ == 1) {
        for (std::int64_t k = 0; k < count; ++k) job(k);
        return;
    }
    if (!group_) group_.emplace(std::vector<CoreList>(static_cast<std::size_t>(size_)));
    group_->run([&](std::size_t member) {
        for (auto k = static_cast<std::int64_t>(member); k < count; k += size_) job(k);
    });
}

void OwnThreads::share(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)> &job)
{
    const auto parts = std::min(size_, count);
    for_each(parts, [&](std::int64_t part) {
        const auto first = count * part / parts;
        job(first, count * (part + 1) / parts - first);
    });
}

namespace
{

// About as long as it takes to wake a sleeping thread: 50 to 100 microseconds.
constexpr int spins_of_a_wake = 2000;

void relax()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

void wait_for_change(const std::atomic<std::uint32_t> &value, std::uint32_t old, int spins)
{
    for (int turn = 0; turn < spins; ++turn) {
        if (value.load(std::memory_order_acquire) != old) return;
        relax();
    }
    value.wait(old, std::memory_order_acquire);
}

// With more threads than cores the one waited for may need this very core.
int useful_spins(std::size_t threads) { return threads <= usable_cores().size() ? spins_of_a_wake : 0; }

} // namespace

void Barrier::arrive_and_wait()
{
    const auto generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < parties_)
        return wait_for_change(generation_, generation, spins_);
    arrived_.store(0, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
}

ThreadGroup::ThreadGroup(std::span<const CoreList> bindings)
    : spins_(useful_spins(bindings.size())), start_(static_cast<std::uint32_t>(bindings.size()), spins_),
      errors_(bindings.size())
{
    try {
        threads_.reserve(bindings.size());
        for (std::size_t member = 0; member < bindings.size(); ++member)
            threads_.emplace_back([this, member] { work(member); });
        run([&](std::size_t member) { bind_this_thread(bindings[member]); });
    } catch (const std::system_error &error) {
        stop();
        fail(Status::out_of_memory, "thread ", threads_.size() + 1, " of ", bindings.size(),
             " cannot be started: ", error.what());
    } catch (...) {
        stop();
        throw;
    }
}

ThreadGroup::~ThreadGroup() { stop(); }

void ThreadGroup::stop() noexcept
{
    job_ = nullptr;
    command_.fetch_add(1, std::memory_order_release);
    command_.notify_all();
    for (auto &thread : threads_) thread.join();
}

void ThreadGroup::run(const std::function<void(std::size_t)> &job, const std::function<void()> &look)
{
    job_ = &job;
    finished_.store(0, std::memory_order_relaxed);
    command_.fetch_add(1, std::memory_order_release);
    command_.notify_all();
    auto first = wait(look);
    for (auto &error : errors_) {
        if (error && !first) first = error;
        error = nullptr;
    }
    if (first) std::rethrow_exception(first);
}

// Returns what look has thrown.
std::exception_ptr ThreadGroup::wait(const std::function<void()> &look)
{
    constexpr auto interval = std::chrono::milliseconds(50);
    const auto members = static_cast<std::uint32_t>(threads_.size());
    const auto all_are_done = [&] { return finished_.load(std::memory_order_acquire) == members; };
    std::exception_ptr thrown;
    std::unique_lock lock(mutex_);
    while (look && !thrown && !all_finished_.wait_for(lock, interval, all_are_done)) {
        try {
            look();
        } catch (...) {
            thrown = std::current_exception();
        }
    }
    all_finished_.wait(lock, all_are_done);
    return thrown;
}

void ThreadGroup::work(std::size_t member)
{
    for (std::uint32_t seen = 0;; ++seen) {
        wait_for_change(command_, seen, spins_);
        if (job_ == nullptr) return;
        start_.arrive_and_wait();
        try {
            (*job_)(member);
        } catch (...) {
            errors_[member] = std::current_exception();
        }
        if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_.size()) continue;
        const std::lock_guard lock(mutex_); // the caller looks and sleeps in one step
        all_finished_.notify_all();
    }
}

} // namespace hpart
