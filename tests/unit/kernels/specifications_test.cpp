// The texts that name cores and dimensions.
#include "core/error.hpp"
#include "host/cores.hpp"
#include "host/page_memory.hpp"
#include "kernels/registry.hpp"
#include "support/errors.hpp"
#include "support/split.hpp"

#include <gtest/gtest.h>

#include <array>
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
    for (const auto &bad : support::split(
             " | , | 0, | ,0 | 0,,1 |  0 | 0  | 0 -1 | -1 | 1- | - | 3-1 | a | 0x1 | +1 | 1-2-3 | 0;1 | 1.5 | "
             "99999999999999999999 | 4294967296 | 0-3,2 | 0,0"))
        support::expect_error(Status::invalid_argument, {"'" + bad}, [&] { parse_cores(bad, sixteen); });
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

constexpr std::array<std::string_view, 2> n_k = {"n", "k"};

TEST(Dimensions, ComeInTheKernelsOrder)
{
    const auto dims = parse_dimensions("k=7,n=5", n_k, "dgemm");
    EXPECT_EQ(describe_kernel("dgemm", dims), "dgemm n=5 k=7");
}

TEST(Dimensions, MayBeTheSize)
{
    const auto dims = parse_dimensions("k=size,n=5", n_k, "dgemm");
    EXPECT_EQ(describe_kernel("dgemm", dims), "dgemm n=5 k=size");
    EXPECT_EQ(at_size(dims[0].value, 12), 5);
    EXPECT_EQ(at_size(dims[1].value, 12), 12);
}

TEST(Dimensions, OfAnyOtherFormAreRefused)
{
    for (const char *bad : {"", "n=5", "n=5,k=0", "n=5,k=-1", "n=5,k=1.5", "n=5,k", "n=5,,k=1", "n=5,k=1,", "n=5;k=1",
                            "n=5,k=1,m=2", "n=5,n=6,k=1", "n=5, k=1", "N=5,k=1", "n=5,k=", "n=5,k=99999999999999999999",
                            "n=size,n=size,k=1", "n=5,k=sizes", "n=5,k=Size"})
        support::expect_error(Status::invalid_argument, {"'n=512,k=512'"},
                              [&] { parse_dimensions(bad, n_k, "dgemm"); });
}

TEST(HostBuffer, LargerThanTheMachineIsRefusedBeforeItIsTouched)
{
    const auto large = std::int64_t{1} << 40;
    for (const auto &columns : {large, std::int64_t{1} << 8})
        support::expect_error(Status::out_of_memory, {}, [&] { HostBuffer(large, columns); });
}

} // namespace
} // namespace hpart
