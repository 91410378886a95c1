// A driver of CUDA, a cuBLAS and a cuFFT that work on the host, for tests where no GPU is: one library with the symbols of
// all three. Streams are threads; card memory is the heap's, full of NaN when it is new and when it goes back. What the
// real ones leave undefined is written down as a violation. This is how a test sets it up and looks inside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fake_cuda
{

struct Settings {
    int devices = 1;
    std::int64_t memory_bytes = std::int64_t{256} << 20;
    std::int64_t largest_pitch = (std::int64_t{1} << 31) - 1;
    bool integrated = false;
    bool reads_pageable_memory = false; // host addresses are device addresses
    bool copies_pageable_later = false; // a copy to or from pageable memory returns before it is done
    int longest_delay_microseconds = 0; // before a command runs, at random
    int driver_version = 12040;
};

struct Live {
    std::int64_t contexts, buffers, pinned, streams, events, blas_handles, fft_plans, modules;
    std::int64_t sum() const
    {
        return contexts + buffers + pinned + streams + events + blas_handles + fft_plans + modules;
    }
};

// Forgets violations, faults and failed contexts. Nothing may be alive.
void reset(const Settings &settings = {});

// The k-th call from now (1: the next), of those that can fail in earnest, does nothing and returns this code of CUDA's; the
// libraries return a code of theirs.
void fail_call(std::int64_t k, int code);
// The k-th command from now that runs on a stream does nothing, and from then on every call returns this code.
void fail_command(std::int64_t k, int code);
// Since reset.
std::int64_t calls();
std::int64_t commands();

std::vector<std::string> violations();
Live live();
// How many contexts are current on this thread.
std::int64_t current_contexts();

} // namespace fake_cuda
