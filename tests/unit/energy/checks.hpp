// Shared by the tests of meters: failures and the settings of a meter that is never silent.
#pragma once

#include "energy/sensor.hpp"
#include "support/errors.hpp"

namespace hpart
{

// Eleven days between rows: no machine is so busy that its meter falls silent.
inline const MeterSettings patient{1e6};

using support::expect_error;

} // namespace hpart
