// Plans of in-card transforms by FFTW.
#include "out_of_card/in_card/fft_lines.hpp"

#ifdef HPART_HAVE_FFTW

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

DeviceFftShape lines_of(bool is_repeated)
{
    DeviceFftShape shape;
    shape.outer = 64;
    shape.length = 32;
    shape.is_repeated = is_repeated;
    return shape;
}

constexpr int runs = 10'000;

// A later run that measures plans would be among the times of a kernel.
TEST(FftLinesPlans, OfARepeatedTransformStay)
{
    FftLines lines(lines_of(true), 1);
    const auto &first = lines.plans_for_a_run();
    for (int k = 0; k < runs; ++k) ASSERT_EQ(&lines.plans_for_a_run(), &first) << k;
}

TEST(FftLinesPlans, AreMeasuredOnceItPays)
{
    FftLines lines(lines_of(false), 1);
    const auto &first = lines.plans_for_a_run();
    EXPECT_EQ(&lines.plans_for_a_run(), &first);
    for (int k = 0; k < runs; ++k) lines.plans_for_a_run();
    EXPECT_NE(&lines.plans_for_a_run(), &first);
}

TEST(FftLinesPlans, AreTheShapesOwn) { EXPECT_NE(lines_of(true) < lines_of(false), lines_of(false) < lines_of(true)); }

} // namespace
} // namespace hpart

#endif
