// The user's count of operations.
#pragma once

#include "hpart.h"

#include <cstdint>

namespace hpart::c_api
{

// C(size), finite and not negative; the size itself without a callback. Status::callback when it fails or throws.
double operations_of(std::int64_t size, hpart_complexity complexity, void *user);

} // namespace hpart::c_api
