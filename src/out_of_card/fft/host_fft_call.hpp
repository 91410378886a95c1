// A whole call on the host, in two passes by several threads where it is large.
#pragma once

#include "out_of_card/fft/fft_layout.hpp"
#include "out_of_card/fft/host_pass.hpp"
#include "out_of_card/fft/problem.hpp"

namespace hpart
{

void fft_on_host(HostTeam &team, const FftCall &call);

} // namespace hpart
