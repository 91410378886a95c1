// The memory that a call holds.
#pragma once

#include "support/fake_clock.hpp"

#include "core/progress.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HPART_TEST_ADDRESS_SANITIZER
#endif
#endif
#ifdef HPART_TEST_ADDRESS_SANITIZER
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

namespace support
{

inline std::int64_t held_bytes()
{
#ifdef HPART_TEST_ADDRESS_SANITIZER
    return static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes());
#else
    const auto held = mallinfo2();
    return static_cast<std::int64_t>(held.uordblks + held.hblkhd);
#endif
}

// Calls solve(control) under the memory limit. Returns the most memory that it holds at its looks at the clock, beyond that before it.
template <typename Solve> std::int64_t most_held_bytes(std::int64_t memory_limit, const Solve &solve)
{
    const auto before = held_bytes();
    std::int64_t most = 0;
    const auto look = std::make_shared<const hpart::ProgressCallback>([&](double, const char *) {
        most = std::max(most, held_bytes() - before);
        return 0;
    });
    const FakeClock clock(1); // a look calls back
    hpart::Control control(look, std::numeric_limits<double>::infinity(), memory_limit);
    solve(control);
    return most;
}

} // namespace support
