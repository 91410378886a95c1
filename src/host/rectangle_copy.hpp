// Copies of rectangles far larger than the caches near a core.
#pragma once

#include <cstdint>

namespace hpart
{

// `rows` rows of `row_bytes`. Rows of each side lie its pitch apart; the sides do not overlap.
struct RectangleCopy {
    void *to = nullptr;
    std::int64_t to_pitch_bytes = 0;
    const void *from = nullptr;
    std::int64_t from_pitch_bytes = 0;
    std::int64_t rows = 0, row_bytes = 0;
};

// For data used soon: fills the caches, and prefetches rows, which the processor does not do by itself beyond a page.
void copy_with_prefetch(const RectangleCopy &copy);

// For data used late: stores bypass the caches, which keep other data.
void copy_past_caches(const RectangleCopy &copy);

} // namespace hpart
