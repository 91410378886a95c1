// Transforms that fit on the device one or more at a time: through it in slabs of whole transforms.
#pragma once

#include "out_of_card/fft/matrix.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// A transform is a row of a matrix.
struct OnePass {
    FftType sort;
    std::int64_t rows = 1, columns = 1;
    std::vector<RowStep> steps;
    FftSide in, out;

    std::int64_t row_bytes() const { return columns * sort.complex_bytes(); } // on the device
    std::int64_t in_bytes(std::int64_t count) const { return count * in.lines * in.line_bytes; }
    std::int64_t out_bytes(std::int64_t count) const { return count * out.lines * out.line_bytes; }
};

// The way in which one device makes its share.
struct OnePassPlan {
    FftRange share;
    std::int64_t band = 1; // rows of a slab
    std::int64_t slots = 3;
    std::int64_t scratch_bytes = 0, table_bytes = 0;
    // Bytes of the device's memory that it takes.
    std::int64_t memory(const OnePass &what, const DeviceSession &session) const;
};

std::vector<DeviceFftShape> shapes_of(const OnePass &what, const OnePassPlan &plan);

// The buffers on the device; taken before the flow begins.
struct OnePassMemory {
    OnePassMemory(DeviceSession &session, const OnePass &what, const OnePassPlan &plan);
    std::vector<SessionBuffer> slots;
    SessionBuffer scratch;
};

// Gives all commands.
void give_one_pass(Flow &flow, InCardFft &engine, const OnePass &what, const OnePassPlan &plan,
                   const OnePassMemory &memory);

} // namespace hpart
