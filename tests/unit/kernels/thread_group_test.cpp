#include "core/error.hpp"
#include "host/thread_group.hpp"
#include "kernels/kernel.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

namespace hpart
{
namespace
{

TEST(ThreadGroup, RunsEveryJobOnceOnEveryThread)
{
    for (const std::size_t members : {1, 2, 3, 16}) { // also more threads than cores
        const std::vector<CoreList> unbound(members);
        ThreadGroup group(unbound);
        std::vector<int> counts(members, 0);
        constexpr int jobs = 300;
        for (int k = 0; k < jobs; ++k) group.run([&](std::size_t member) { ++counts[member]; });
        EXPECT_EQ(counts, std::vector<int>(members, jobs));
    }
}

TEST(ThreadGroup, StartsAllFromOneBarrier)
{
    // A job that ends only when all members are in it: without a common start it would never end.
    const std::vector<CoreList> unbound(4);
    ThreadGroup group(unbound);
    for (int k = 0; k < 100; ++k) {
        std::atomic<int> inside{0};
        group.run([&](std::size_t) {
            ++inside;
            while (inside < 4) std::this_thread::yield();
        });
        EXPECT_EQ(inside, 4);
    }
}

TEST(ThreadGroup, MovesTheErrorOfTheLowestMemberToTheCallerAndGoesOn)
{
    const std::vector<CoreList> unbound(4);
    ThreadGroup group(unbound);
    for (int k = 0; k < 50; ++k) {
        std::atomic<int> done{0};
        support::expect_error(Status::device, {"one"}, [&] {
            group.run([&](std::size_t member) {
                ++done;
                if (member == 3) throw std::runtime_error("three");
                if (member == 1) fail(Status::device, "one");
            });
        });
        EXPECT_EQ(done, 4);
        group.run([&](std::size_t) { ++done; });
        EXPECT_EQ(done, 8);
    }
}

TEST(ThreadGroup, OfNobodyDoesNothing)
{
    ThreadGroup group(std::span<const CoreList>{});
    group.run([](std::size_t) { FAIL(); });
}

TEST(ThreadGroup, ThatCannotBeBoundFailsWhole)
{
    const std::vector<CoreList> impossible = {{}, {100000}};
    EXPECT_THROW(ThreadGroup group(impossible), Error);
}

TEST(Workers, OfOneCoreAreTheCallingThread)
{
    Workers one({0});
    one.start();
    const auto caller = std::this_thread::get_id();
    one.run([&](std::size_t worker) {
        EXPECT_EQ(worker, 0U);
        EXPECT_EQ(std::this_thread::get_id(), caller);
    });
}

TEST(Workers, ShareEverythingOnce)
{
    for (const std::int64_t count : {0, 1, 2, 7, 64, 1000})
        for (const std::size_t parts : {1, 2, 3, 7}) {
            std::int64_t next = 0;
            for (std::size_t w = 0; w < parts; ++w) {
                const auto part = part_of(count, w, parts);
                EXPECT_EQ(part.first, next);
                EXPECT_LE(part.rows, count / static_cast<std::int64_t>(parts) + 1);
                next += part.rows;
            }
            EXPECT_EQ(next, count);
        }
}

} // namespace
} // namespace hpart
