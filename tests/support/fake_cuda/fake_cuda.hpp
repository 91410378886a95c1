// A driver of CUDA, a cuBLAS and a cuFFT that work on the host, for tests where no GPU is: one library with the symbols of
// all three. Streams are threads; device memory is the heap's, full of NaN when it is new and when it goes back. What the
// real ones leave undefined is written down as a violation. This is how a test sets it up and looks inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fake_cuda
{

// Costs on the simulated clock, in seconds, and bytes or flops per second.
struct Speeds {
    double in = 55e9, out = 55e9; // of the link, for pinned memory
    double both = 110e9;          // both ways at once
    double copy = 3e-6;           // of a transfer besides its bytes
    double row = 0;               // of a row of a rectangle besides its bytes
    double launch = 4e-6;         // of a kernel besides its work
    double wake_up = 2e-5;        // of a thread that waited for an event
    double packing = 0;           // by the host, of all that goes through pinned memory either way; 0: takes no time
    double call = 1e-6;           // of a call of the driver or a library
    double memory = 4e12;         // bytes that kernels read or write
    double gemm = 60e12, fft = 4e12;
    double gemm_depth = 0; // at which products have half of that rate
    double panel = 2e12,
           panel_column = 6e-6; // of cuSOLVER, beside other kernels: rows x columns^2 a second, and of each column
    double first_plan = 0.15, plan = 0.01; // of cuFFT: while no other is alive the library's code is loaded
};

// Memory of the device that nobody allocated by name.
struct HiddenBytes {
    std::int64_t blas_handle = 4096;               // small beside the limits of tests
    std::int64_t fft_code = std::int64_t{4} << 20; // while there is a plan
    std::int64_t fft_plan = 4096;
    std::int64_t module = 64 << 10;
};

struct Settings {
    int devices = 1;
    std::int64_t memory_bytes = std::int64_t{256} << 20;
    std::int64_t largest_pitch = (std::int64_t{1} << 31) - 1;
    bool refuses_pitches_on_device = false; // of copies from the device to itself
    bool integrated = false;
    bool reads_pageable_memory = false;     // host addresses are device addresses
    const void *read_only_memory = nullptr; // is registered with the flag for it alone
    bool copies_pageable_later = false;     // a copy to or from pageable memory returns before it is done
    int longest_delay_microseconds = 0;     // before a command runs, at random
    int driver_version = 12040;
    int library_cuda = 12; // the version of CUDA that cuBLAS and cuFFT come from
    int init_failure = 0;  // what cuInit returns
    int math_mode = 0;     // of cuBLAS
    HiddenBytes hidden{};
    double refusal = 0;                // the share of calls that take memory and get none, at random
    long long largest_fft = 1LL << 40; // a longer one has an invalid size
    // Times of events are those of a simulated clock.
    std::optional<Speeds> speeds{};
    // Commands are timed, but not executed: memory is address space alone, so there may be much of it.
    bool executes = true;
};

struct Live {
    std::int64_t contexts, buffers, pinned, streams, events, blas_handles, fft_plans, modules;
    std::int64_t sum() const
    {
        return contexts + buffers + pinned + streams + events + blas_handles + fft_plans + modules;
    }
};

// Forgets violations, faults and failed contexts, and all that is alive.
void reset(const Settings &settings = {});

// The k-th call from now (1: the next), of those that can fail in earnest, does nothing and returns this code of CUDA's; the
// libraries return a code of theirs.
void fail_call(std::int64_t k, int code);
// The k-th command from now that runs on a stream does nothing, and from then on every call returns this code.
void fail_command(std::int64_t k, int code);
// Another part of the program resets the device: all that belongs to its context is lost.
void lose_context(int device);
// A child in which the driver does not work.
int fork_process();
// The process begins to exit: the driver is gone.
void begin_exit();

// Since reset.
std::int64_t calls();
std::int64_t commands();
std::int64_t fft_plans_made();
std::int64_t panels_factored(); // by cuSOLVER
// Bytes of the device's memory in use.
std::int64_t used_bytes(int device = 0);

// The simulated clock.
struct Times {
    double now;             // of the calling thread, or the end of all that was given if that is later
    double in, out, kernel; // for which the copy engines and the kernels were busy
};
Times times();
// The calling thread works on the host for so long.
void spend(double seconds);

std::vector<std::string> violations();
Live live();
// Number of contexts that are current on this thread.
std::int64_t current_contexts();

} // namespace fake_cuda
