// Plans a device's transform: the fastest way by a model of the device, and of equally fast ways the way that moves least.
#pragma once

#include "out_of_card/devices/registry.hpp"
#include "out_of_card/fft/problem.hpp"
#include "out_of_card/in_card/fft.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hpart
{

struct FftRates {
    LinkRates link;
    double staging = 0;            // bytes both ways between plain and pinned memory; 0: transfers go directly
    double command_seconds = 1e-5; // of a launch or transfer besides its work
    double flops = 1e10;           // of transforms in the device
    double copy = 8e9;             // bytes of copies on the device, and of twiddles
};

// Under which name a session keeps them.
std::string name_of_fft_rates(std::string_view engine, bool is_double);
// Measured with this implementation in some hundredths of a second, once a device.
FftRates rates_of(DeviceSession &session, InCardFft &engine, bool is_double);
// Zeros in all of it, before transforms are timed: what the memory holds at first may make arithmetic slow.
void clear_memory(DeviceSession &session, DeviceBuffer *buffer, std::int64_t bytes);

// The cost of the steps of one pass.
struct PassCost {
    double in_bytes = 0, out_bytes = 0, in_rows = 0, out_rows = 0;
    double flops = 0, copied_bytes = 0;
    double commands = 0; // in the queue of kernels
    double slabs = 0;
    double first_in = 1, last_out = 1;    // parts of all that move alone
    double through_slots = 1;             // the part of all that goes through the slots
    double places = 3;                    // slabs that the slots hold at once
    double pieces = 1;                    // in which a slab moves
    bool in_turns = false;                // in waits for out
    bool is_staged = false;               // then rows cost nothing
    std::optional<double> kernel_seconds; // of transforms and copies, where they were timed
};

struct FftPlan {
    std::string_view name; // in-card, slabs
    const FftPasses *what = nullptr;
    PassesPlan how;
    std::int64_t bytes_in = 0, bytes_out = 0; // of all transforms
    PassCost first, second;                   // of a transform
    double seconds = 0;                       // predicted
    std::string describe() const;             // "slabs, 2048 x 2048, 3 slots of 1398080 bytes, 9 blocks of 128 stay"
};

// The part of each axis, and of the transforms that fit as they are, that a device makes: [from, to).
struct FftShare {
    double from = 0, to = 1;
    bool is_whole() const { return from == 0 && to == 1; }
    // Shares that meet have ranges that meet; their bounds are multiples of `together`.
    FftRange of(std::int64_t count, std::int64_t together = 1) const;
};

struct FftPlanning {
    std::int64_t memory_limit = 0;
    FftShare share;
    std::string_view only;  // plans of this name; empty: all
    bool is_staged = false; // all transfers are staged: the caller's arrays are not pinned
};

// By the passes' costs.
double seconds_of(const FftPlan &plan, const FftRates &rates);

// That a device with so much memory must move for its share, both ways, if each number that it does not keep between the
// passes goes out and in.
std::int64_t lower_bound_bytes(const FftPlan &plan, std::int64_t memory);

// Nothing where no way fits in the limit or the implementation lacks a shape.
std::optional<FftPlan> plan_fft(const FftProblem &problem, DeviceSession &session, const InCardFft &engine,
                                const FftRates &rates, const FftPlanning &planning);

} // namespace hpart
