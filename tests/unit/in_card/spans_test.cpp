// Products in parts whose operands are short: right as a whole, and no part too long.
#include "out_of_card/in_card/spans.hpp"
#include "product.hpp"
#include "support/backends.hpp"
#include "support/known_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace in_card_test
{

using namespace hpart;

namespace
{

std::int64_t longest_span_of(const DeviceGemm &what)
{
    const auto span = [](const DeviceMatrix &matrix, Transpose transpose, std::int64_t rows, std::int64_t columns) {
        if (transpose != Transpose::none) std::swap(rows, columns);
        return (rows - 1) * matrix.ld + columns;
    };
    return std::max({span(what.a, what.transpose_a, what.m, what.k), span(what.b, what.transpose_b, what.k, what.n),
                     span(what.c, Transpose::none, what.m, what.n)});
}

// Another kernel, which gets no operand of more elements.
class ShortSpans final : public InCardGemm
{
  public:
    ShortSpans(std::shared_ptr<InCardGemm> kernel, std::int64_t longest) : kernel_(std::move(kernel)), longest_(longest)
    {
    }
    std::string_view name() const override { return kernel_->name(); }
    Scalar type() const override { return kernel_->type(); }
    std::int64_t row_multiple() const override { return kernel_->row_multiple(); }
    std::int64_t column_multiple() const override { return kernel_->column_multiple(); }
    std::int64_t scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const override
    {
        return kernel_->scratch_bytes(m, n, k);
    }
    Launch product(const DeviceGemm &what) override
    {
        std::vector<Launch> launches;
        for (const auto &part : within_span(what, longest_)) {
            EXPECT_LE(longest_span_of(part), std::max(longest_, std::max({part.m, part.n, part.k})));
            launches.push_back(kernel_->product(part));
        }
        parts += static_cast<std::int64_t>(launches.size());
        return [launches](LaunchContext &context) {
            for (const auto &launch : launches) launch(context);
        };
    }
    std::int64_t parts = 0;

  private:
    std::shared_ptr<InCardGemm> kernel_;
    std::int64_t longest_;
};

} // namespace

TEST(Spans, OfProductsInPartsAreShortAndTheWholeIsRight)
{
    const auto host = support::backend_cases().front();
    const auto session = support::known_device(host.open(), std::nullopt);
    auto random = support::seeded(7);
    const auto count = support::how_many(0.1);
    std::int64_t parts = 0;
    for (std::int64_t k = 0; k < count && !testing::Test::HasFailure(); ++k) {
        constexpr Scalar types[] = {Scalar::s, Scalar::d, Scalar::c, Scalar::z};
        ShortSpans kernel(in_card_gemm(*session, types[k % 4]), between(random, 150, 8000));
        const auto form = any_form(random, kernel, 140);
        Product product(form, random);
        product.run(*session, kernel);
        EXPECT_EQ(product.check(), "") << describe(form);
        parts += kernel.parts;
    }
    EXPECT_GT(parts, 2 * count);
}

// As a tile of C for a large GPU.
TEST(Spans, AreCutAtMultiplesOfRows)
{
    DeviceGemm what;
    what.m = what.n = 50000, what.k = 512;
    what.a.ld = 512, what.b.ld = what.c.ld = 50000;
    const auto parts = within_span(what, (std::int64_t{1} << 31) - 1);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].m, 42944);
    EXPECT_EQ(parts[1].c.offset, 42944 * std::int64_t{50000});
    EXPECT_EQ(within_span(what, 50000 * std::int64_t{50000}).size(), 1U);
}

} // namespace in_card_test
