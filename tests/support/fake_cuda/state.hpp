// What the three parts of the fake library share.
#pragma once

#include "fake_cuda.hpp"
#include "out_of_card/devices/cuda_driver.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace hpart
{

// A point in a stream.
struct FakeMark {
    bool passed = false;
    double seconds = 0;
};

struct FakeRange {
    std::uintptr_t first = 0;
    std::size_t bytes = 0;
    bool contains(const FakeRange &other) const
    {
        return other.first >= first && other.first + other.bytes <= first + bytes;
    }
    bool meets(const FakeRange &other) const
    {
        return other.first < first + bytes && first < other.first + other.bytes;
    }
};

struct FakeCommand {
    std::function<void()> work;
    std::vector<FakeRange> card_ranges; // must be alive when it runs
    std::vector<FakeRange> host_ranges;
    std::shared_ptr<FakeMark> wait_for, pass; // instead of work
};

struct CUstream_st {
    std::deque<std::shared_ptr<FakeCommand>> commands; // the first one may be running
    bool closing = false;
    std::thread thread;
};

struct CUevent_st {
    std::shared_ptr<FakeMark> mark;
};

struct CUctx_st {
    std::int64_t retained = 0;
};

} // namespace hpart

namespace fake_cuda
{

using hpart::CudaAddress;
using hpart::CudaContextHandle;
using hpart::CudaEventHandle;
using hpart::CudaResult;
using hpart::CudaStream;
using hpart::FakeCommand;
using hpart::FakeMark;
using hpart::FakeRange;

struct State {
    std::mutex mutex;
    std::condition_variable changed;
    Settings settings;
    std::vector<std::string> violations;
    std::int64_t calls = 0, commands = 0;
    std::int64_t calls_to_failure = 0, commands_to_failure = 0; // zero: none
    int call_failure = 0, command_failure = 0;
    int sticky = 0;
    std::mt19937_64 random{1};

    bool initialised = false;
    std::vector<std::unique_ptr<hpart::CUctx_st>> contexts;
    std::map<std::uintptr_t, std::size_t> buffers, pinned;
    std::int64_t used_bytes = 0;
    // Handles are not used again before reset: those that went back are known.
    std::deque<std::unique_ptr<hpart::CUstream_st>> all_streams;
    std::deque<std::unique_ptr<hpart::CUevent_st>> all_events;
    std::set<CudaStream> streams;
    std::set<CudaEventHandle> events;
    std::set<const void *> blas_handles;
    std::set<int> fft_plans;
    std::set<const void *> modules;
};

State &state();
std::vector<CudaContextHandle> &current_stack();

using Lock = std::unique_lock<std::mutex>;

void violation(const Lock &, std::string what);

// The beginning of every call that can fail: a code to return, or zero to go on.
int begin_call(Lock &, const char *name, bool needs_context = true);
// Of calls that give back: they work whatever happened.
int begin_return(Lock &, const char *name);

bool is_on_card(const Lock &, const FakeRange &range);
// Adds to a live stream. False where the stream is none.
bool push(Lock &, CudaStream stream, std::shared_ptr<FakeCommand> command);
// Until all that is in it has run.
void wait_until_empty(Lock &, CudaStream stream);
// A violation when a command that has not ended uses it.
void check_unused(const Lock &, const FakeRange &range, const char *call);

} // namespace fake_cuda
