// Copies of rectangles: against the plainest loop, with nothing written beside them.
#include "host/page_memory.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hpart
{

TEST(RectangleCopy, CopiesRowsAndNothingElse)
{
    auto random = support::seeded(91);
    for (int instance = 0; instance < 3000; ++instance) {
        RectangleCopy copy;
        copy.rows = support::between(random, 0, 9);
        copy.row_bytes = support::between(random, 0, instance % 10 == 0 ? 5000 : 300);
        copy.from_pitch_bytes = copy.row_bytes + support::between(random, 0, 200);
        copy.to_pitch_bytes = copy.row_bytes + support::between(random, 0, 200);
        const auto offset = support::between(random, 0, 70), from_offset = support::between(random, 0, 70);
        std::vector<char> from(static_cast<std::size_t>(copy.rows * copy.from_pitch_bytes + from_offset + 1)),
            to(static_cast<std::size_t>(copy.rows * copy.to_pitch_bytes + offset + 64), '\xa5');
        for (auto &byte : from) byte = static_cast<char>(support::between(random, 0, 255));
        auto expected = to;
        for (std::int64_t row = 0; row < copy.rows; ++row)
            for (std::int64_t at = 0; at < copy.row_bytes; ++at)
                expected[static_cast<std::size_t>(offset + row * copy.to_pitch_bytes + at)] =
                    from[static_cast<std::size_t>(from_offset + row * copy.from_pitch_bytes + at)];
        copy.from = from.data() + from_offset;
        for (auto *const function : {copy_with_prefetch, copy_past_caches}) {
            auto result = to;
            copy.to = result.data() + offset;
            function(copy);
            ASSERT_EQ(result, expected) << "instance " << instance;
        }
    }
}

} // namespace hpart
