// How fast a card's link is.
#pragma once

#include "out_of_card/devices/card.hpp"
#include "out_of_card/gemm/rates.hpp"

namespace hpart
{

// Measured at the first call for this card, by rectangles such as panels are, within what is free of its memory; kept with
// its profile. The card's in_use is held.
LinkRates measured_link(Card &card);

} // namespace hpart
