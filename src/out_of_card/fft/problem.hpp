// A call as work for devices: transforms that fit as they are, and the ways to cut a larger one in two passes.
#pragma once

#include "out_of_card/fft/fft.hpp"
#include "out_of_card/fft/fft_layout.hpp"
#include "out_of_card/fft/passes.hpp"

#include <vector>

namespace hpart
{

struct FftProblem {
    FftPasses uncut;             // whole transforms are rows
    std::vector<FftPasses> cuts; // where middle.data is null, a workspace of a transform's size is needed there
    double flops = 0;
};

FftProblem problem_of(const FftCall &call);
// Operations by the usual count: 5 n log2 n for complex numbers and half of it for real ones.
double flops_of(const FftCall &call);

} // namespace hpart
