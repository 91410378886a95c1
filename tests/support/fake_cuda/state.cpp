#include "state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include <sys/mman.h>
#include <unistd.h>

namespace fake_cuda
{

State &state()
{
    static State &instance = *new State; // a program may exit with a device open
    return instance;
}

std::vector<CudaContextHandle> &current_stack()
{
    thread_local std::vector<CudaContextHandle> stack;
    return stack;
}

CudaContextHandle current_context() { return current_stack().empty() ? nullptr : current_stack().back(); }

void violation(const Lock &, std::string what) { state().violations.push_back(std::move(what)); }

namespace
{

// The error of a driver that works no more.
int end_of_driver()
{
    const auto &s = state();
    if (s.exiting) return deinitialized;
    return s.owner != 0 && s.owner != getpid() ? not_initialized : 0;
}

int context_of_call(const Lock &lock, const char *name)
{
    const auto *const context = current_context();
    if (context == nullptr) {
        violation(lock, std::string(name) + " without a current context");
        return invalid_context;
    }
    return context->lost ? context_is_destroyed : 0;
}

} // namespace

int begin_call(Lock &lock, const char *name, bool needs_context)
{
    auto &s = state();
    ++s.calls;
    now(lock) += simulated(&Speeds::call);
    if (const auto code = end_of_driver(); code != 0) return code;
    if (s.calls_to_failure > 0 && --s.calls_to_failure == 0) return s.call_failure;
    if (needs_context)
        if (const auto code = context_of_call(lock, name); code != 0) return code;
    return s.sticky;
}

int begin_return(Lock &lock, const char *name)
{
    if (const auto code = end_of_driver(); code != 0) {
        violation(lock, std::string(name) + " after the driver's end");
        return code;
    }
    if (const auto code = context_of_call(lock, name); code != 0) return code;
    return 0;
}

int check_context(const Lock &lock, CudaContextHandle context, const char *call)
{
    if (context == current_context()) return 0;
    violation(lock, std::string(call) + " of another context's");
    return invalid_handle;
}

bool take_memory(Lock &lock, CudaContextHandle context, std::int64_t bytes)
{
    auto &s = state();
    if (s.settings.refusal > 0 && std::bernoulli_distribution(s.settings.refusal)(s.random)) return false;
    if (bytes > s.settings.memory_bytes - s.used_bytes[context->device]) return false;
    give_memory(lock, context, -bytes);
    return true;
}

void give_memory(const Lock &, CudaContextHandle context, std::int64_t bytes)
{
    state().used_bytes[context->device] -= bytes;
}

int either(const Lock &, int one, int other) { return state().random() % 2 == 0 ? one : other; }

double simulated(double Speeds::*cost)
{
    const auto &speeds = state().settings.speeds;
    return speeds ? (*speeds).*cost : 0;
}

double simulated_work(double amount, double Speeds::*rate)
{
    const auto &speeds = state().settings.speeds;
    return speeds ? amount / ((*speeds).*rate) : 0;
}

namespace
{

// The array that holds this range; the end where there is none.
auto array_of(const FakeRange &range)
{
    const auto &buffers = state().buffers;
    const auto after = buffers.upper_bound(range.first);
    if (after == buffers.begin()) return buffers.end();
    const auto found = std::prev(after);
    return FakeRange{found->first, found->second.bytes}.contains(range) ? found : buffers.end();
}

} // namespace

bool is_on_device(const Lock &, const FakeRange &range)
{
    return state().settings.reads_pageable_memory || array_of(range) != state().buffers.end();
}

void check_owner(const Lock &lock, const FakeRange &range, CudaContextHandle context, const char *call)
{
    const auto found = array_of(range);
    if (found != state().buffers.end() && found->second.context != context)
        violation(lock, std::string(call) + " with an array of another context's");
}

namespace
{

double clock_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// When something that is used by one at a time has been used for so long, as soon as it is free after `begin`, in pieces if need be.
// busy: ends by beginnings.
double end_of_use(std::map<double, double> &busy, double begin, double seconds)
{
    if (seconds == 0) return begin;
    auto next = busy.upper_bound(begin);
    if (next != busy.begin()) begin = std::max(begin, std::prev(next)->second);
    auto end = begin + seconds;
    for (; next != busy.end() && next->first < end; next = busy.erase(next)) end += next->second - next->first;
    return busy[begin] = end;
}

void run(Lock &lock, CudaStream stream, const FakeCommand &command)
{
    auto &s = state();
    if (command.wait_for) {
        s.changed.wait(lock, [&] { return command.wait_for->passed || stream->closing; });
        stream->seconds = std::max(stream->seconds, command.wait_for->seconds);
        return;
    }
    stream->seconds = std::max(stream->seconds, command.given);
    if (command.pass) {
        command.pass->seconds = s.settings.speeds ? stream->seconds : clock_seconds();
        command.pass->passed = true;
        return;
    }
    ++s.commands;
    if (s.commands_to_failure > 0 && --s.commands_to_failure == 0 && s.sticky == 0) s.sticky = s.command_failure;
    if (s.sticky != 0 || stream->context->lost) return;
    const auto engine = static_cast<std::size_t>(command.engine);
    const auto begin = std::max(stream->seconds, s.free_at[engine]);
    stream->seconds =
        std::max(begin + command.seconds, end_of_use(s.link, begin, simulated_work(command.link_bytes, &Speeds::both)));
    s.free_at[engine] = stream->seconds;
    s.busy[engine] += command.seconds;
    for (const auto &range : command.device_ranges)
        if (!is_on_device(lock, range)) {
            violation(lock, "a command runs on device memory that is not there");
            return;
        }
    if (!s.settings.executes) return;
    const auto delay = s.settings.longest_delay_microseconds;
    const auto microseconds = delay > 0 ? s.random() % static_cast<unsigned>(delay) : 0;
    lock.unlock();
    if (microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    command.work();
    lock.lock();
}

bool takes_no_time(const FakeCommand &command) { return command.wait_for || command.pass; }

double begin_of(const hpart::CUstream_st &stream, const FakeCommand &command)
{
    return std::max({stream.seconds, command.given, state().free_at[static_cast<std::size_t>(command.engine)]});
}

// An urgent stream's command is the first of those that can begin at once, as on the hardware.
std::tuple<double, FakeEngine, int> order_of(const hpart::CUstream_st &stream)
{
    const auto &command = *stream.commands.front();
    return {begin_of(stream, command), command.engine, stream.priority};
}

// Work that only takes time runs in the order of its times, and while somebody waits for it: the results do not depend on how fast the
// threads of this machine are.
bool is_next(CudaStream stream)
{
    const auto &s = state();
    const auto &command = *stream->commands.front();
    if (!s.settings.speeds || s.settings.executes || stream->closing || takes_no_time(command)) return true;
    if (s.waits.empty() || std::ranges::any_of(s.waits, [](const auto *is_over) { return (*is_over)(); })) return false;
    const auto key = order_of(*stream);
    return std::ranges::none_of(s.streams, [&](const CudaStream other) {
        if (other == stream || other->commands.empty()) return false;
        const auto &its = *other->commands.front();
        if (takes_no_time(its)) return !its.wait_for || its.wait_for->passed;
        return order_of(*other) < key;
    });
}

void run_commands(CudaStream stream)
{
    auto &s = state();
    Lock lock(s.mutex);
    for (;;) {
        s.changed.wait(lock, [&] { return stream->commands.empty() ? stream->closing : is_next(stream); });
        if (stream->commands.empty()) return;
        run(lock, stream, *stream->commands.front());
        stream->commands.pop_front();
        s.changed.notify_all();
    }
}

void close(Lock &lock, CudaStream stream)
{
    stream->closing = true;
    state().changed.notify_all();
    state().streams.erase(stream);
    lock.unlock();
    if (stream->thread.joinable()) stream->thread.join();
    lock.lock();
}

} // namespace

double &now(const Lock &)
{
    struct Clock {
        std::int64_t resets = -1;
        double seconds = 0;
    };
    thread_local Clock clock;
    if (clock.resets != state().resets) clock = {state().resets, 0};
    return clock.seconds;
}

void pack(const Lock &lock, double bytes)
{
    if (bytes == 0 || simulated(&Speeds::packing) == 0) return;
    now(lock) = end_of_use(state().packing, now(lock), simulated_work(bytes, &Speeds::packing));
}

int push(Lock &lock, CudaStream stream, std::shared_ptr<FakeCommand> command, const char *call)
{
    auto &s = state();
    if (!s.streams.contains(stream)) {
        violation(lock, std::string(call) + " in a stream that is none");
        return invalid_handle;
    }
    if (const auto code = check_context(lock, stream->context, call); code != 0) return code;
    for (const auto &range : command->device_ranges) check_owner(lock, range, stream->context, call);
    command->given = now(lock);
    if (!stream->thread.joinable()) stream->thread = std::thread(run_commands, stream);
    stream->commands.push_back(std::move(command));
    s.changed.notify_all();
    return 0;
}

void wait_until(Lock &lock, const std::function<bool()> &is_over)
{
    auto &s = state();
    if (is_over()) return;
    s.waits.insert(&is_over);
    s.changed.notify_all();
    s.changed.wait(lock, is_over);
    s.waits.erase(&is_over);
    s.changed.notify_all();
}

void wait_until_empty(Lock &lock, CudaStream stream)
{
    auto &s = state();
    wait_until(lock, [&] { return stream->commands.empty(); });
    if (s.settings.speeds) now(lock) = std::max(now(lock), stream->seconds + simulated(&Speeds::wake_up));
}

void check_unused(const Lock &lock, const FakeRange &range, const char *call)
{
    const auto uses = [&](const auto &ranges) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const auto &used) { return used.meets(range); });
    };
    for (auto *const stream : state().streams)
        for (const auto &command : stream->commands)
            if (uses(command->device_ranges) || uses(command->host_ranges))
                violation(lock, std::string(call) + " of memory that a command uses");
}

void *make_array(std::size_t bytes, std::size_t filled)
{
    if (!state().settings.executes) {
        // Whoever touched much of it would fill the machine's memory.
        constexpr std::size_t most_touched = std::size_t{1} << 28;
        const auto access = bytes > most_touched ? PROT_NONE : PROT_READ | PROT_WRITE;
        auto *const space = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return space == MAP_FAILED ? nullptr : space;
    }
    auto *const memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512); // as the real one
    if (memory != nullptr) std::memset(memory, 0xff, std::min(bytes, filled));
    return memory;
}

void free_array(std::uintptr_t first, std::size_t bytes)
{
    auto *const memory = reinterpret_cast<void *>(first);
    if (!state().settings.executes) {
        munmap(memory, bytes);
        return;
    }
    std::memset(memory, 0xff, std::min(bytes, most_filled));
    std::free(memory);
}

void lose(Lock &lock, CudaContextHandle context)
{
    auto &s = state();
    context->lost = true;
    const auto streams = s.streams;
    for (auto *const stream : streams)
        if (stream->context == context) close(lock, stream);
    std::erase_if(s.events, [&](CudaEventHandle event) { return event->context == context; });
    const auto lose_arrays = [&](auto &arrays) {
        std::erase_if(arrays, [&](const auto &entry) {
            if (entry.second.context != context) return false;
            if (!entry.second.registered) free_array(entry.first, entry.second.bytes);
            return true;
        });
    };
    lose_arrays(s.buffers);
    lose_arrays(s.pinned);
    const auto is_its_own = [&](const auto &entry) { return entry.second == context; };
    std::erase_if(s.blas_handles, is_its_own);
    std::erase_if(s.modules, is_its_own);
    std::erase_if(s.fft_plans, is_its_own);
    s.used_bytes[context->device] = 0;
    s.primary.erase(context->device);
}

void reset(const Settings &settings)
{
    auto &s = state();
    Lock lock(s.mutex);
    while (!s.primary.empty()) lose(lock, s.primary.begin()->second);
    s.settings = settings;
    s.violations.clear();
    s.calls = s.commands = s.fft_plans_made = s.panels_factored = s.calls_to_failure = s.commands_to_failure = 0;
    s.sticky = 0;
    s.owner = 0;
    s.exiting = false;
    s.all_contexts.clear();
    s.all_streams.clear();
    s.all_events.clear();
    s.used_bytes.clear();
    ++s.resets;
    s.packing.clear();
    s.link.clear();
    s.free_at = s.busy = {};
}

void fail_call(std::int64_t k, int code)
{
    const Lock lock(state().mutex);
    state().calls_to_failure = k;
    state().call_failure = code;
}

void fail_command(std::int64_t k, int code)
{
    const Lock lock(state().mutex);
    state().commands_to_failure = k;
    state().command_failure = code;
}

void lose_context(int device)
{
    Lock lock(state().mutex);
    const auto found = state().primary.find(device);
    if (found != state().primary.end()) lose(lock, found->second);
}

int fork_process()
{
    const Lock lock(state().mutex); // no thread is at work in it: the child may use it
    return fork();
}

void begin_exit()
{
    const Lock lock(state().mutex);
    state().exiting = true;
}

std::int64_t calls()
{
    const Lock lock(state().mutex);
    return state().calls;
}

std::int64_t commands()
{
    const Lock lock(state().mutex);
    return state().commands;
}

std::int64_t fft_plans_made()
{
    const Lock lock(state().mutex);
    return state().fft_plans_made;
}

std::int64_t panels_factored()
{
    const Lock lock(state().mutex);
    return state().panels_factored;
}

std::int64_t used_bytes(int device)
{
    const Lock lock(state().mutex);
    return state().used_bytes[device];
}

Times times()
{
    const auto &s = state();
    const Lock lock(state().mutex);
    auto end = std::max(now(lock), *std::ranges::max_element(s.free_at));
    if (!s.packing.empty()) end = std::max(end, s.packing.rbegin()->second);
    return {end, s.busy[0], s.busy[1], s.busy[2]};
}

void spend(double seconds)
{
    const Lock lock(state().mutex);
    now(lock) += seconds;
}

std::vector<std::string> violations()
{
    const Lock lock(state().mutex);
    return state().violations;
}

Live live()
{
    auto &s = state();
    const Lock lock(s.mutex);
    const auto count = [](const auto &things) { return static_cast<std::int64_t>(things.size()); };
    return {count(s.primary), count(s.buffers),      count(s.pinned),    count(s.streams),
            count(s.events),  count(s.blas_handles), count(s.fft_plans), count(s.modules)};
}

std::int64_t current_contexts() { return static_cast<std::int64_t>(current_stack().size()); }

} // namespace fake_cuda
