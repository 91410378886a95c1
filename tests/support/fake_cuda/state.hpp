// State that the parts of the fake library share.
#pragma once

#include "fake_cuda.hpp"
#include "out_of_card/devices/cuda_driver.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <sys/types.h>

namespace hpart
{

// A point in a stream.
struct FakeMark {
    bool passed = false;
    double seconds = 0;
    double unpacked_bytes = 0; // by the thread that waits for it first
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

enum class FakeEngine : std::uint8_t { in, out, kernel, panel };

struct FakeCommand {
    FakeEngine engine = FakeEngine::kernel;
    double seconds = 0;    // that it takes on the simulated clock
    double link_bytes = 0; // that it sends over the link
    double given = 0;      // when it was
    std::function<void()> work;
    std::vector<FakeRange> device_ranges; // must be alive when it runs
    std::vector<FakeRange> host_ranges;
    std::shared_ptr<FakeMark> wait_for, pass; // instead of work
};

struct CUstream_st {
    CudaContextHandle context = nullptr;
    double seconds = 0;                                // the end of what it has run, on the simulated clock
    double unpacked_bytes = 0;                         // of the last command, on the host
    std::deque<std::shared_ptr<FakeCommand>> commands; // the first one may be running
    bool closing = false;
    int priority = 0; // less goes first
    std::thread thread;
};

struct CUevent_st {
    CudaContextHandle context = nullptr;
    std::shared_ptr<FakeMark> mark;
};

struct CUctx_st {
    int device = 0;
    std::int64_t retained = 0;
    bool lost = false;
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
using hpart::FakeEngine;
using hpart::FakeMark;
using hpart::FakeRange;

constexpr int invalid_value = 1, out_of_memory = 2, not_initialized = 3, deinitialized = 4, no_device = 100,
              invalid_device = 101, invalid_image = 200, invalid_context = 201, invalid_handle = 400, not_found = 500,
              context_is_destroyed = 709;

inline CudaResult result(int code) { return static_cast<CudaResult>(code); }
inline std::uintptr_t number(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

struct Memory {
    std::size_t bytes = 0;
    CudaContextHandle context = nullptr;
    bool portable = false;   // pinned memory: for all contexts
    bool registered = false; // the program's own
};

struct State {
    std::mutex mutex;
    std::condition_variable changed;
    Settings settings;
    std::vector<std::string> violations;
    std::int64_t calls = 0, commands = 0, fft_plans_made = 0, panels_factored = 0;
    std::int64_t calls_to_failure = 0, commands_to_failure = 0; // zero: none
    int call_failure = 0, command_failure = 0;
    int sticky = 0;
    std::mt19937_64 random{1};

    pid_t owner = 0; // the process that initialised it
    bool exiting = false;
    std::deque<std::unique_ptr<hpart::CUctx_st>> all_contexts; // those that went are known
    std::map<int, CudaContextHandle> primary;                  // by device
    std::map<std::uintptr_t, Memory> buffers, pinned;
    std::map<int, std::int64_t> used_bytes; // by device
    // Handles are not used again before reset: those that went back are known.
    std::deque<std::unique_ptr<hpart::CUstream_st>> all_streams;
    std::deque<std::unique_ptr<hpart::CUevent_st>> all_events;
    std::set<CudaStream> streams;
    std::set<CudaEventHandle> events;
    std::map<const void *, CudaContextHandle> blas_handles, modules;
    std::map<int, CudaContextHandle> fft_plans;

    std::array<double, 4> free_at{}, busy{}; // of each engine on the simulated clock
    std::map<double, double> packing, link;  // when the host packs, and bytes move: ends by beginnings
    std::int64_t resets = 0;
    std::set<const std::function<bool()> *> waits; // of the host's threads: true when they are over
};

State &state();
std::vector<CudaContextHandle> &current_stack();
CudaContextHandle current_context(); // null: none

using Lock = std::unique_lock<std::mutex>;

void violation(const Lock &, std::string what);

// The beginning of every call that can fail: a code to return, or zero to go on.
int begin_call(Lock &, const char *name, bool needs_context = true);
// Calls that give back work whatever happened, but for the driver's own end.
int begin_return(Lock &, const char *name);
// Zero if a thing of this context may be used now, else the code to return.
int check_context(const Lock &, CudaContextHandle context, const char *call);

// Takes from the device of this context; false where there is too little, or at random.
bool take_memory(Lock &, CudaContextHandle context, std::int64_t bytes);
void give_memory(const Lock &, CudaContextHandle context, std::int64_t bytes);
// One of two, at random.
int either(const Lock &, int one, int other);

// True if it is an array of this device.
bool is_on_device(const Lock &, const FakeRange &range);
// A violation where it is an array of another context's.
void check_owner(const Lock &, const FakeRange &range, CudaContextHandle context, const char *call);
// Adds to a live stream: zero, or a code to return.
int push(Lock &, CudaStream stream, std::shared_ptr<FakeCommand> command, const char *call);
void wait_until(Lock &, const std::function<bool()> &is_over);
// Until all that is in it has run.
void wait_until_empty(Lock &, CudaStream stream);
// A violation when a command that has not ended uses it.
void check_unused(const Lock &, const FakeRange &range, const char *call);
// Its parts are gone.
void lose(Lock &, CudaContextHandle context);

// Arrays: NaN until they are written, or address space alone.
// The first bytes have what no result should be. Pinned arrays have it in their beginning: they are large, and tests use little of them.
constexpr std::size_t most_filled = std::size_t{1} << 20;
void *make_array(std::size_t bytes, std::size_t filled);
void free_array(std::uintptr_t first, std::size_t bytes);

// The calling thread's time on the simulated clock.
double &now(const Lock &);
// The thread packs or unpacks, as soon as the host's packing is free for so long.
void pack(const Lock &, double bytes);

// On the simulated clock; zeros without one.
double simulated(double Speeds::*cost);
double simulated_work(double amount, double Speeds::*rate);

} // namespace fake_cuda
