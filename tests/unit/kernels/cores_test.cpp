#include "core/error.hpp"
#include "host/cores.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <thread>

#include <sched.h>

namespace hpart
{
namespace
{

const CoreList sixteen = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

TEST(Cores, AreNumbersAndRanges)
{
    EXPECT_EQ(parse_cores("0", sixteen), (CoreList{0}));
    EXPECT_EQ(parse_cores("0-3,8", sixteen), (CoreList{0, 1, 2, 3, 8}));
    EXPECT_EQ(parse_cores("15,4-5,0", sixteen), (CoreList{0, 4, 5, 15}));
    EXPECT_EQ(parse_cores("7-7", sixteen), (CoreList{7}));
}

TEST(Cores, OfAnyOtherFormAreRefused)
{
    for (const char *bad : {"",
                            ",",
                            "0,",
                            ",0",
                            "0,,1",
                            " 0",
                            "0 ",
                            "0 -1",
                            "-1",
                            "1-",
                            "-",
                            "3-1",
                            "a",
                            "0x1",
                            "+1",
                            "1-2-3",
                            "0;1",
                            "1.5",
                            "99999999999999999999",
                            "4294967296",
                            "0-3,2",
                            "0,0"})
        support::expect_error(Status::invalid_argument, {std::string("'") + bad}, [&] { parse_cores(bad, sixteen); });
}

TEST(Cores, ThatAreNotHereAreNamed)
{
    EXPECT_EQ(support::message_of([] { parse_cores("0-2000000000", sixteen); }),
              "cores are '0-2000000000', but core 16 is not here; this process may use 0-15");
}

TEST(Cores, AreWrittenAsRanges)
{
    EXPECT_EQ(format_cores({0, 1, 2, 3, 8}), "0-3,8");
    EXPECT_EQ(format_cores({5}), "5");
    EXPECT_EQ(format_cores({1, 3, 4}), "1,3-4");
    EXPECT_EQ(format_cores({}), "");
}

TEST(Cores, BindTheCallingThreadAlone)
{
    const auto last = usable_cores().back();
    cpu_set_t before, bound, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    std::thread([&] {
        try {
            bind_this_thread({last});
        } catch (const Error &error) {
            ASSERT_EQ(error.status(), Status::unsupported) << error.what();
            CPU_ZERO(&bound);
            CPU_SET(static_cast<std::size_t>(last), &bound);
            return;
        }
        sched_getaffinity(0, sizeof bound, &bound);
    }).join();
    EXPECT_EQ(CPU_COUNT(&bound), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(last), &bound));
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

} // namespace
} // namespace hpart
