// The widths of a left-looking method on a device: the least predicted time among the widths that fit its memory.
#pragma once

#include "out_of_card/factorisations/factorisation_step.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <optional>

namespace hpart
{

// On a device, of a block: padded against leading dimensions that are powers of two.
std::int64_t bytes_of_block(const DeviceSession &session, Scalar type, bool row_major, std::int64_t rows,
                            std::int64_t columns);

// The caller's wishes.
struct LeftLookingWish {
    std::optional<std::int64_t> width; // of panels
    double share = 1;                  // of the device's free memory
    FlowOptions flow;
    bool times_kernels = false; // for a better prediction

    // Options panel_width, queues and staging.
    static LeftLookingWish from(const Options &options, double share_of_memory = 1);
};

struct PredictedShape {
    LeftLookingShape shape;
    double seconds = 0;
};

// Nothing where too little fits for blocks that are worth it, or to measure in. The device's in_use is held.
std::optional<PredictedShape> best_shape(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel,
                                         const FactorisationStep &problem, const LeftLookingWish &wish);

// A lower bound of the bytes that any plan of these operations moves: both ways together, for a device with so many bytes that does all
// products but those within the host's panels (of triangular solutions: within the diagonal blocks) and holds each element of the matrix
// in one place.
std::int64_t least_bytes(const FactorisationStep &problem, const LeftLookingShape &shape, std::int64_t device_bytes);

} // namespace hpart
