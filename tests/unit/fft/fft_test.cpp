// Transforms of every kind and shape against the definition and FFTW.
#include "out_of_card/fft/fft.hpp"

#include "core/error.hpp"
#include "problem.hpp"
#include "support/errors.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>

using namespace problem;
using namespace hpart;

namespace
{

// Small shapes, many; larger ones, few.
std::int64_t some_points(Random &random) { return std::int64_t{1} << between(random, 0, 13); }

} // namespace

TEST(Fft, AnyShapeOnTheHost)
{
    auto random = seeded(1);
    const auto count = how_many(0.1);
    DeviceGroup devices;
    for (std::int64_t k = 0; k < count; ++k) {
        const auto problem = any_problem(random, some_points(random));
        Arrays arrays(problem);
        Report report;
        fft(devices, arrays.call(), {}, report);
        ASSERT_LE(arrays.error(), arrays.tolerance()) << describe(problem);
        ASSERT_TRUE(arrays.rest_is_untouched()) << describe(problem);
    }
}

TEST(Fft, OptionsThatContradict)
{
    std::vector<double> values(32);
    FftCall call;
    call.dims = {16};
    call.in = call.out = values.data();
    const auto status_with = [&](const char *place, const char *plan) {
        const auto options = support::options_of({{"run_on", place}, {"fft_plan", plan}});
        DeviceGroup devices;
        Report report;
        return support::error_of([&] { fft(devices, call, options, report); }).status();
    };
    EXPECT_EQ(status_with("device", "host"), Status::invalid_argument);
    for (const auto *plan : {"in-card", "slabs"})
        EXPECT_EQ(status_with("host", plan), Status::invalid_argument) << plan;
    EXPECT_EQ(status_with("host", "host"), Status::success);
    EXPECT_EQ(status_with("host", "model"), Status::success);
    EXPECT_EQ(status_with("auto", "host"), Status::success);
}
