// Products and sums of matrices where they are: on the host, by the BLAS.
#pragma once

#include "core/progress.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

// On so many threads; 0: on all that the BLAS has. Status::unsupported without a BLAS, and where a size does not fit its
// integers.
void gemm_on_host(const GemmCall &row_major, int threads, Control &control);
void gemv_on_host(const GemvCall &call);
// Fails as it does for sizes that the BLAS does not take; nothing is written.
void check_host_sizes(const GemvCall &call);
// Fails as gemm_on_host does, before anything is changed.
void check_host_sizes(const GemmCall &row_major);
// True if this build has the BLAS that these need.
bool has_host_blas();

} // namespace hpart
