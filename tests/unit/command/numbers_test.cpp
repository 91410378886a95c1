// Arrays of the command.
#include "library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace hpart_command
{
namespace
{

// The output of a transform is not written before it runs; its work arrays would take the room that it was promised.
TEST(Numbers, HaveAllTheirPagesWhenTheyAreMade)
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (const std::int64_t count : {1L, 1000L, 1L << 20}) {
        const Numbers numbers('z', count);
        const auto pages = (static_cast<std::size_t>(count) * 16 + page - 1) / page;
        std::vector<unsigned char> there(pages);
        ASSERT_EQ(::mincore(numbers.data(), pages * page, there.data()), 0);
        EXPECT_TRUE(std::all_of(there.begin(), there.end(), [](unsigned char one) { return (one & 1) != 0; })) << count;
    }
}

} // namespace
} // namespace hpart_command
