// operator new of this program, and so of the library: it counts, and fails once.
#pragma once

#include <cstdint>

namespace allocations
{

// Allocations that are not freed.
std::int64_t live();
// From now on the k-th allocation fails, from 1; 0: none.
void fail_at(std::int64_t k);
// Allocations since then.
std::int64_t made();

} // namespace allocations
