// Plans of in-card transforms by FFTW.
#include "core/error.hpp"
#include "kernels/registry.hpp"
#include "out_of_card/in_card/spans.hpp"

#ifdef HPART_HAVE_FFTW

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include <dlfcn.h>

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

// Plans that FFTW measures add to its wisdom.
TEST(FftLinesPlans, OfAKernelAreMeasuredInItsFirstRun)
{
    auto *const library = ::dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr);
    const auto wisdom = [&] {
        const std::unique_ptr<char, decltype(&std::free)> words(
            reinterpret_cast<char *(*)()>(::dlsym(library, "fftw_export_wisdom_to_string"))(), std::free);
        return std::string(words.get());
    };
    std::unique_ptr<BuiltinKernel> kernel;
    try {
        kernel = make_builtin("zfft", "opencl:0:0", "n=48").kernel;
    } catch (const Error &error) {
        GTEST_SKIP() << error.what();
    }
    kernel->prepare({0, 80});
    const auto before = wisdom();
    kernel->run();
    const auto first = wisdom();
    for (int k = 0; k < runs / 10; ++k) kernel->run();
    EXPECT_EQ(wisdom(), first);
    if (first == before) GTEST_SKIP() << "the device does not transform by FFTW";
}

} // namespace
} // namespace hpart

#endif
