#include "core/error.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace hpart
{

namespace
{

TEST(DeviceTeam, EachPartHasAThreadAndThoseOfNothingHaveNone)
{
    Control control;
    std::vector<std::thread::id> threads(4);
    DeviceTeam({0.5, 0, 0.25, 0.25}, control).run([&](std::size_t part, Control &) {
        threads[part] = std::this_thread::get_id();
    });
    EXPECT_EQ(threads[1], std::thread::id());
    for (const std::size_t part : {0U, 2U, 3U}) {
        EXPECT_NE(threads[part], std::thread::id());
        EXPECT_NE(threads[part], std::this_thread::get_id());
    }
    DeviceTeam({}, control).run([](std::size_t, Control &) { FAIL(); });
}

TEST(DeviceTeam, PartsMeet)
{
    Control control;
    DeviceTeam team({0.2, 0, 0.8}, control);
    std::atomic<int> before = 0;
    std::vector<int> seen(3);
    team.run([&](std::size_t part, Control &) {
        for (int round = 1; round <= 100; ++round) {
            ++before;
            ASSERT_TRUE(team.meet());
            if (before < 2 * round) ++seen[part];
            ASSERT_TRUE(team.meet());
        }
    });
    EXPECT_EQ(seen, std::vector<int>(3));
}

TEST(DeviceTeam, TheFirstErrorIsThrownAndTheOthersStop)
{
    for (const std::size_t failing : {0U, 1U, 2U}) {
        Control control;
        DeviceTeam team({0.3, 0.3, 0.4}, control);
        std::atomic<int> stopped = 0, missed = 0;
        const auto work = [&](std::size_t part, Control &own) {
            if (part == failing) fail(Status::numerical, "part ", part);
            if (!team.meet()) ++missed;
            try {
                for (;;) own.report_progress(0.5, "steps");
            } catch (const Error &) {
                ++stopped;
                throw;
            }
        };
        support::expect_error(Status::numerical, {text("part ", failing)}, [&] { team.run(work); });
        EXPECT_EQ(stopped, 2);
        EXPECT_EQ(missed, 2);
    }
}

TEST(DeviceTeam, TheCallerHearsOfAllOnItsThreadAndStopsThem)
{
    const auto caller = std::this_thread::get_id();
    int told = 0;
    double last = -1;
    Control control(std::make_shared<const ProgressCallback>([&](double fraction, const char *what) {
                        EXPECT_EQ(std::this_thread::get_id(), caller);
                        EXPECT_GE(fraction, last);
                        EXPECT_LE(fraction, 0.75);
                        last = fraction;
                        if (told > 0) {
                            EXPECT_STREQ(what, "steps");
                        }
                        return last > 0.7 && ++told == 2 ? 1 : 0;
                    }),
                    std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max());
    const auto work = [](std::size_t part, Control &own) {
        for (;;) own.report_progress(part == 0 ? 0.5 : 1, "steps");
    };
    support::expect_error(Status::cancelled, {"steps"}, [&] { DeviceTeam({0.5, 0.5}, control).run(work); });
    EXPECT_EQ(told, 2);
}

} // namespace

} // namespace hpart
