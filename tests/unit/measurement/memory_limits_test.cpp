// Arrays of the host, and FFTW's own, under the memory limit of a control group.
#include "core/machine.hpp"
#include "host/host_fft.hpp"
#include "host/page_memory.hpp"

#include "../energy/sysfs_tree.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>

namespace hpart
{
namespace
{

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

class MemoryLimits : public testing::Test
{
  protected:
    void SetUp() override
    {
        set_limit(mebibyte);
        tree_.write("../proc/self/cgroup", "0::/\n");
    }
    void set_limit(std::int64_t bytes) const
    {
        tree_.write("fs/cgroup/memory.max", bytes);
        tree_.write("fs/cgroup/memory.current", 0);
    }
    // Pages that are there, of those that lie in the memory.
    static bool are_taken(void *memory, std::int64_t bytes)
    {
        const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page_bytes - 1) / page_bytes * page_bytes;
        const auto end =
            (reinterpret_cast<std::uintptr_t>(memory) + static_cast<std::uintptr_t>(bytes)) / page_bytes * page_bytes;
        std::vector<unsigned char> pages((end - begin) / page_bytes);
        EXPECT_EQ(::mincore(reinterpret_cast<void *>(begin), end - begin, pages.data()), 0);
        return std::all_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; });
    }

    const SysfsTree tree_;
};

// The system counts a page at its first write: two arrays that fit alone would be promised, and the process killed.
TEST_F(MemoryLimits, CountAnArrayWhenItIsPromised)
{
    constexpr std::int64_t bytes = 16 * mebibyte;
    set_limit(64 * mebibyte);
    const auto pages = allocate_pages(bytes);
    EXPECT_TRUE(are_taken(pages.get(), bytes));
    HostBuffer matrix(bytes / 8, 1);
    EXPECT_TRUE(are_taken(matrix.data(), bytes));
    support::expect_error(Status::out_of_memory, {"control group"}, [] { allocate_pages(60 * mebibyte); });
}

TEST_F(MemoryLimits, RefuseATransformWhoseWorkArraysMayNotFit)
{
    constexpr std::int64_t prime = 200003; // a line of 3.2 MB
    HostFftShape shape;
    shape.dimensions = {{prime, 1, 1}};
    shape.in_place = true;
    set_limit(32 * mebibyte);
    support::expect_error(Status::out_of_memory, {"FFTW's work arrays", "control group"},
                          [&] { const HostFft fft(shape); });
    set_limit(64 * mebibyte);
    std::vector<std::complex<double>> data(prime);
    data[0] = 1;
    HostFft(shape).run(data.data(), data.data());
    EXPECT_NEAR(std::abs(data[prime / 3]), 1, 1e-9);
    // Small factors need little.
    shape.dimensions = {{1 << 17, 1, 1}};
    EXPECT_LE(host_fft_work_bytes(shape), 9 * mebibyte);
    shape.runs = 4;
    EXPECT_GT(host_fft_work_bytes(shape), 16 * mebibyte);
}

// Plans are measured with arrays as large as the data; beside the data they must fit, too.
TEST_F(MemoryLimits, PlanTransformsWithoutArraysThatDoNotFit)
{
    constexpr std::int64_t side = 1 << 11; // 64 MiB
    HostFftShape shape;
    shape.dimensions = {{side, 1, 1}};
    shape.loops = {{side, side, side}};
    shape.in_place = shape.measured = true;
    std::vector<std::complex<double>> data(side * side);
    data[0] = 1;
    const auto peak = [] {
        rusage use{};
        ::getrusage(RUSAGE_SELF, &use);
        return std::int64_t{use.ru_maxrss} << 10;
    };
    set_limit(40 * mebibyte);
    const auto before = peak();
    HostFft(shape).run(data.data(), data.data());
    EXPECT_LT(peak() - before, 40 * mebibyte);
    EXPECT_NEAR(std::abs(data[side / 3]), 1, 1e-9);
}

} // namespace
} // namespace hpart
