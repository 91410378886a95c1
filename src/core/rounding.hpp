// Whole numbers rounded to multiples.
#pragma once

#include <cstdint>

namespace hpart
{

// For a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t multiple) { return ceil_div(a, multiple) * multiple; }
constexpr std::int64_t round_down(std::int64_t a, std::int64_t multiple) { return a / multiple * multiple; }

} // namespace hpart
