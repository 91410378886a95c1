#include "state.hpp"

#include <algorithm>
#include <chrono>

namespace fake_cuda
{

State &state()
{
    static State instance;
    return instance;
}

std::vector<CudaContextHandle> &current_stack()
{
    thread_local std::vector<CudaContextHandle> stack;
    return stack;
}

void violation(const Lock &, std::string what) { state().violations.push_back(std::move(what)); }

int begin_call(Lock &lock, const char *name, bool needs_context)
{
    auto &s = state();
    ++s.calls;
    if (s.calls_to_failure > 0 && --s.calls_to_failure == 0) return s.call_failure;
    return needs_context ? begin_return(lock, name) : s.sticky;
}

int begin_return(Lock &lock, const char *name)
{
    if (current_stack().empty()) violation(lock, std::string(name) + " without a current context");
    return state().sticky;
}

bool is_on_card(const Lock &, const FakeRange &range)
{
    const auto contains = [&](const auto &ranges) {
        const auto after = ranges.upper_bound(range.first);
        if (after == ranges.begin()) return false;
        const auto &[first, bytes] = *std::prev(after);
        return FakeRange{first, bytes}.contains(range);
    };
    const auto &s = state();
    return s.settings.reads_pageable_memory || contains(s.buffers);
}

namespace
{

void run(Lock &lock, const FakeCommand &command)
{
    auto &s = state();
    if (command.wait_for) {
        s.changed.wait(lock, [&] { return command.wait_for->passed; });
        return;
    }
    if (command.pass) {
        command.pass->seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        command.pass->passed = true;
        return;
    }
    ++s.commands;
    if (s.commands_to_failure > 0 && --s.commands_to_failure == 0 && s.sticky == 0) s.sticky = s.command_failure;
    if (s.sticky != 0) return;
    for (const auto &range : command.card_ranges)
        if (!is_on_card(lock, range)) {
            violation(lock, "a command runs on card memory that is not there");
            return;
        }
    const auto delay = s.settings.longest_delay_microseconds;
    const auto microseconds = delay > 0 ? s.random() % static_cast<unsigned>(delay) : 0;
    lock.unlock();
    if (microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    command.work();
    lock.lock();
}

void run_commands(CudaStream stream)
{
    auto &s = state();
    Lock lock(s.mutex);
    for (;;) {
        s.changed.wait(lock, [&] { return stream->closing || !stream->commands.empty(); });
        if (stream->commands.empty()) return;
        run(lock, *stream->commands.front());
        stream->commands.pop_front();
        s.changed.notify_all();
    }
}

} // namespace

bool push(Lock &, CudaStream stream, std::shared_ptr<FakeCommand> command)
{
    auto &s = state();
    if (!s.streams.contains(stream)) return false;
    if (!stream->thread.joinable()) stream->thread = std::thread(run_commands, stream);
    stream->commands.push_back(std::move(command));
    s.changed.notify_all();
    return true;
}

void wait_until_empty(Lock &lock, CudaStream stream)
{
    state().changed.wait(lock, [&] { return stream->commands.empty(); });
}

void check_unused(const Lock &lock, const FakeRange &range, const char *call)
{
    const auto uses = [&](const auto &ranges) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const auto &used) { return used.meets(range); });
    };
    for (auto *const stream : state().streams)
        for (const auto &command : stream->commands)
            if (uses(command->card_ranges) || uses(command->host_ranges))
                violation(lock, std::string(call) + " of memory that a command uses");
}

void reset(const Settings &settings)
{
    auto &s = state();
    const Lock lock(s.mutex);
    s.settings = settings;
    s.violations.clear();
    s.calls = s.commands = s.calls_to_failure = s.commands_to_failure = 0;
    s.sticky = 0;
    s.initialised = false;
    s.contexts.clear();
    s.all_streams.clear();
    s.all_events.clear();
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
    const auto contexts = std::count_if(s.contexts.begin(), s.contexts.end(),
                                        [](const auto &context) { return context && context->retained > 0; });
    return {contexts,        count(s.buffers),      count(s.pinned),    count(s.streams),
            count(s.events), count(s.blas_handles), count(s.fft_plans), count(s.modules)};
}

std::int64_t current_contexts() { return static_cast<std::int64_t>(current_stack().size()); }

} // namespace fake_cuda
