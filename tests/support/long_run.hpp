// HPART_TEST_LONG: all backends, tilings and cases of accuracy, for which a usual run has no time.
#pragma once

#include <cstdlib>

namespace support
{

inline bool is_long_run() { return std::getenv("HPART_TEST_LONG") != nullptr; }

} // namespace support
