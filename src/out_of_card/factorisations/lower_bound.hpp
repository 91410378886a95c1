// Lower bounds of the bytes that any plan of these operations moves.
#pragma once

#include "out_of_card/factorisations/factorisation_step.hpp"

namespace hpart
{

// Bytes both ways together, for a device with so many bytes that does all products but those within the host's panels (of
// triangular solutions: within the diagonal blocks) and holds each element of the matrix in one place.
std::int64_t least_bytes(const FactorisationStep &problem, const LeftLookingShape &shape, std::int64_t device_bytes);

} // namespace hpart
