// Numbers with known transforms.
#include "out_of_card/in_card/spans.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

namespace hpart
{
namespace
{

DeviceFftShape shape_of(FftKind kind, std::int64_t outer, std::int64_t length, std::int64_t inner = 1)
{
    DeviceFftShape shape;
    shape.kind = kind;
    shape.outer = outer;
    shape.length = length;
    shape.inner = shape.pitch = inner;
    return shape;
}

#ifdef HPART_HAVE_FFTW

void transform(const DeviceFftShape &shape, void *data)
{
    FftLines lines(shape, 1);
    lines.run(lines.plans_for_a_run(), 0, data);
}

void expect_known(DeviceFftShape shape)
{
    for (const bool is_double : {true, false}) {
        shape.is_double = is_double;
        FftSample sample(shape);
        transform(shape, sample.data());
        EXPECT_TRUE(sample.is_transformed()) << shape.length << ' ' << shape.inner << ' ' << shape.sign;
    }
}

TEST(FftSample, HasFftwsTransforms)
{
    for (std::int64_t length = 1; length <= 40; ++length) {
        auto columns = shape_of(FftKind::complex, 2, length, 5);
        for (const int sign : {-1, 1}) {
            columns.sign = sign;
            expect_known(columns);
        }
        for (const auto kind : {FftKind::complex, FftKind::real_to_complex, FftKind::complex_to_real})
            if (length > 1) expect_known(shape_of(kind, 3, length));
    }
    for (const std::int64_t length : {4096, 10007})
        for (const auto kind : {FftKind::complex, FftKind::real_to_complex, FftKind::complex_to_real})
            expect_known(shape_of(kind, 1, length));
}

TEST(FftSample, ShowsOneWrongNumber)
{
    const auto shape = shape_of(FftKind::complex, 4, 1024);
    FftSample sample(shape);
    EXPECT_FALSE(sample.is_transformed());
    transform(shape, sample.data());
    auto *const numbers = static_cast<double *>(sample.data());
    for (const double wrong : {0.0, numbers[0], std::numeric_limits<double>::quiet_NaN()}) {
        const auto right = std::exchange(numbers[5001], wrong);
        EXPECT_FALSE(sample.is_transformed()) << wrong;
        numbers[5001] = right;
    }
    EXPECT_TRUE(sample.is_transformed());
}

#endif

TEST(FftSample, HasFewLines)
{
    const auto few = [](const DeviceFftShape &shape, std::int64_t most_bytes) {
        const auto result = with_few_lines(shape, most_bytes);
        EXPECT_EQ(result.inner, result.pitch);
        return std::pair(result.outer, result.inner);
    };
    using Lines = std::pair<std::int64_t, std::int64_t>;
    constexpr std::int64_t line = 16 * 100;
    EXPECT_EQ(few(shape_of(FftKind::complex, 200, 100), 200 * line), Lines(200, 1));
    EXPECT_EQ(few(shape_of(FftKind::complex, 201, 100), 200 * line), Lines(137, 1));
    EXPECT_EQ(few(shape_of(FftKind::complex, 200, 100), 20 * line), Lines(20, 1));
    EXPECT_EQ(few(shape_of(FftKind::complex, 200, 100), 1), Lines(1, 1));
    EXPECT_EQ(few(shape_of(FftKind::complex, 50, 100, 200), 1000 * line), Lines(5, 200));
    EXPECT_EQ(few(shape_of(FftKind::complex, 50, 100, 1000), 200 * line), Lines(1, 168));
    EXPECT_EQ(few(shape_of(FftKind::real_to_complex, 300, 200), 200 * line), Lines(172, 1));
}

} // namespace
} // namespace hpart
