// A call as work for devices: transforms that fit as they are, and the ways to cut a larger one in two passes.
#pragma once

#include "out_of_card/fft/fft.hpp"
#include "out_of_card/fft/passes.hpp"

#include <vector>

namespace hpart
{

// The layout of the arrays in the host's memory.
struct FftLayout {
    std::int64_t real_bytes = 8;                          // of one real number
    std::int64_t complex_bytes = 16;                      // of one complex number
    std::int64_t rows = 1;                                // along the last dimension, all batches together
    std::int64_t length = 1;                              // of the last dimension, as the call has it
    std::int64_t spectrum = 1;                            // complex numbers of a row on a complex side
    std::int64_t in_row_bytes = 0, out_row_bytes = 0;     // without padding
    std::int64_t in_pitch_bytes = 0, out_pitch_bytes = 0; // from row to row
    bool in_place = false;
    std::int64_t in_bytes() const { return rows * in_pitch_bytes; }
    std::int64_t out_bytes() const { return rows * out_pitch_bytes; }
};

// Checks the call: Status::invalid_argument.
FftLayout layout_of(const FftCall &call);

// Without dimensions of length 1, which change nothing. One dimension stays; a real transform's last one stays in any case.
FftCall without_ones(const FftCall &call);

struct FftProblem {
    FftPasses uncut;             // whole transforms are rows
    std::vector<FftPasses> cuts; // where middle.data is null, a workspace of a transform's size is needed there
    double flops = 0;
};

FftProblem problem_of(const FftCall &call);
// Operations by the usual count: 5 n log2 n for complex numbers and half of it for real ones.
double flops_of(const FftCall &call);

} // namespace hpart
