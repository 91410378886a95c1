#include "core/error.hpp"
#include "host/host_buffer.hpp"
#include "kernels/dimensions.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <array>

namespace hpart
{
namespace
{

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
