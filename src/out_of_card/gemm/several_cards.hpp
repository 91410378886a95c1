// A product on several cards at once.
#pragma once

#include "out_of_card/gemm/one_card.hpp"

namespace hpart
{

// C is split by rows, or by columns where that repeats less: the shares come from the library's own partitioner, on the
// cards' modelled times, corrected by what earlier calls took. Each card works on a thread of its own; the host, without a
// memory limit, in place on the cores that the others leave. When one fails, all stop.
Account gemm_on_cards(DeviceGroup &cards, const GemmCall &row_major, const GemmSettings &settings, Control &control);

} // namespace hpart
