// Which way a device does a transform: the fastest by a model of the device, and of ways as fast the one that moves least.
#pragma once

#include "out_of_card/fft/problem.hpp"
#include "out_of_card/fft/rates.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hpart
{

struct FftPlan {
    std::string_view name; // in-card, slabs
    const FftPasses *what = nullptr;
    PassesPlan how;
    std::int64_t bytes_in = 0, bytes_out = 0; // of all transforms
    double seconds = 0;                       // predicted
    std::string describe() const;             // "slabs 2048x2048, 12 buffers of 1398080 bytes, 9 resident"
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
    bool is_packed = false; // all transfers are staged: the caller's arrays are not pinned
};

// That a device with so much memory must move for its share, both ways, if each number that it does not keep between the
// passes goes out and in.
std::int64_t lower_bound_bytes(const FftPlan &plan, std::int64_t memory);

// Nothing where no way fits in the limit or the implementation lacks a shape.
std::optional<FftPlan> plan_fft(const FftProblem &problem, DeviceSession &session, const InCardFft &engine,
                                const FftRates &rates, const FftPlanning &planning);

} // namespace hpart
