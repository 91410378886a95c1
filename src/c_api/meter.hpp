// The object behind hpart_meter.
#pragma once

#include "energy/meter.hpp"
#include "hpart.h"

struct hpart_meter {
    hpart::Meter value;
};
