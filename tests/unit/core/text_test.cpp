#include "c_api/handles.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

TEST(Text, IsCutBetweenCharacters)
{
    const std::string_view text = "ab\xC3\xA4z"; // a b a-umlaut z
    EXPECT_EQ(utf8_length_within(text, 9), 5U);
    EXPECT_EQ(utf8_length_within(text, 4), 4U);
    EXPECT_EQ(utf8_length_within(text, 3), 2U);
    EXPECT_EQ(utf8_length_within(text, 0), 0U);
}

// hpart.h states the length, and that the pointer stays.
TEST(LastError, StaysWhereItIsAndIsCut)
{
    const char *const before = hpart_last_error();
    std::string whole(4094, 'a');
    whole += "\xC3\xA4 and more";
    c_api::remember(Status::io, whole.c_str());
    EXPECT_EQ(hpart_last_error(), std::string(4094, 'a'));
    c_api::remember(Status::io, hpart_last_error() + 4090); // its own text, through a callback
    EXPECT_EQ(hpart_last_error(), std::string("aaaa"));
    EXPECT_EQ(hpart_last_error(), before);
    std::thread([&] { EXPECT_NE(hpart_last_error(), before); }).join();
}

TEST(Text, DoublesReadBackTheSame)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 200000; ++i) {
        const auto bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        const auto back = parse_double(format_double(value));
        ASSERT_TRUE(back.has_value()) << format_double(value);
        ASSERT_EQ(std::memcmp(&*back, &value, sizeof value), 0) << format_double(value);
    }
}

TEST(Text, SpecialDoubles)
{
    EXPECT_EQ(format_double(std::nan("")), "nan");
    EXPECT_EQ(format_double(-std::nan("")), "nan");
    EXPECT_EQ(format_double(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(format_double(0.1), "0.1");
    EXPECT_EQ(format_double(2), "2");
}

TEST(Text, ParseTakesTheWholeTextOrNothing)
{
    EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    for (const char *wrong : {"", " 1", "1 ", "+1", "1.0", "9223372036854775808", "0x10", "1e3", "-"})
        EXPECT_FALSE(parse_int(wrong).has_value()) << wrong;
    EXPECT_EQ(parse_double("1e-5"), 1e-5);
    for (const char *wrong : {"", " 1", "1 ", "1e400", "1,5", "0x1p3", "1.2.3", "--1"})
        EXPECT_FALSE(parse_double(wrong).has_value()) << wrong;
}

TEST(Text, InQuotesFitsOneLine)
{
    EXPECT_EQ(in_quotes("a\nb\tc\x7F"), "'a?b?c?'");
    EXPECT_EQ(in_quotes(std::string(100, 'x')), "'" + std::string(80, 'x') + "...'");
    // A sequence of two bytes is not cut in its middle.
    EXPECT_EQ(in_quotes(std::string(79, 'x') + "\xC3\xA9 and more"), "'" + std::string(79, 'x') + "...'");
}

TEST(Text, PrintableHasNoControlCharacters)
{
    EXPECT_EQ(printable("a\x1B[31m\x7F"), "a?[31m?");
    EXPECT_EQ(printable("\xC2\x9B"
                        "31m \xC2\xA0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
              "?31m \xC2\xA0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    EXPECT_EQ(printable("\x9B\xC3"), "??");
    EXPECT_EQ(printable("\xE0\x82\x9B\xC1\x81"), "?????") << "longer than need be";
    EXPECT_EQ(printable("\xED\xA0\x80\xF4\x90\x80\x80"), "???????") << "no character";
    EXPECT_EQ(printable("a\nb\tc", ' ', "\n"), "a\nb c");
    EXPECT_EQ(in_quotes("\xC2\x85"), "'?'");
}

TEST(Text, OneIsNotMany)
{
    EXPECT_EQ(hpart::pluralise(0, "byte"), "0 bytes");
    EXPECT_EQ(hpart::pluralise(1, "byte"), "1 byte");
    EXPECT_EQ(hpart::pluralise(2, "byte"), "2 bytes");
}

TEST(Text, Trim)
{
    EXPECT_EQ(trim(" \ta b\r"), "a b");
    EXPECT_EQ(trim(" \t "), "");
}

TEST(Text, NumbersEndWhereTheyAreUncertain)
{
    EXPECT_EQ(with_uncertainty(0.21010835914475912, 0.05722048044405209), "0.21 +- 0.06");
    EXPECT_EQ(with_uncertainty(-1234.5678, 3.4), "-1235 +- 3");
    EXPECT_EQ(with_uncertainty(0.03, 0.87), "0.03 +- 0.9");
    EXPECT_EQ(with_uncertainty(0, 0.004), "0 +- 0.004");
    EXPECT_EQ(with_uncertainty(500, 0), "500 +- 0");
    EXPECT_EQ(brief_seconds(0.0601734), "60.2 ms");
    EXPECT_EQ(brief_seconds(123.456), "123 s");
    EXPECT_EQ(brief_seconds(0), "0 s");
    EXPECT_EQ(brief_seconds(2.5e-7), "250 ns");
    EXPECT_EQ(brief_seconds(9.9996e-4), "1.00 ms");
    EXPECT_EQ(brief_seconds(9.996), "10.0 s");
    EXPECT_EQ(brief_seconds(1e-3), "1.00 ms");
    EXPECT_EQ(brief_seconds(1234.5), "1234 s");
    EXPECT_EQ(brief_seconds(1e300), "1e+300 s");
    EXPECT_EQ(brief_seconds(0.0601734, 0.0018), "60.2 ms +- 3 %");
    EXPECT_EQ(brief_seconds(2, 0.005), "2.00 s +- 0.3 %");
    EXPECT_EQ(brief_seconds(2, 5), "2.00 s");
}

TEST(Text, BoundsAreShortAndSuffice)
{
    EXPECT_EQ(hpart::sufficient_seconds(0.012345678), "12.4 ms");
    EXPECT_EQ(hpart::sufficient_seconds(0.0123), "12.3 ms");
    EXPECT_EQ(hpart::sufficient_seconds(0.999999), "1 s");
    EXPECT_EQ(hpart::sufficient_seconds(1001), "1001 s");
    EXPECT_EQ(hpart::sufficient_seconds(12345.6), "12400 s");
    EXPECT_EQ(hpart::sufficient_seconds(9.991e-7), "999.1 ns");
    EXPECT_EQ(hpart::sufficient_value(0), "0");
    EXPECT_EQ(hpart::sufficient_value(99.9001), "100");
    EXPECT_EQ(hpart::sufficient_value(1.00001e-3), "0.00101");
    EXPECT_EQ(hpart::sufficient_value(1e300 / 3), "3.34e+299");
    EXPECT_EQ(hpart::given_seconds(0.0123456789), "12.3457 ms");
    EXPECT_EQ(hpart::given_seconds(0.5), "500 ms");
    EXPECT_EQ(hpart::given_value(2.5), "2.5");
}

TEST(Checked, SumsAndProductsDoNotWrap)
{
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    EXPECT_FALSE(checked_add(largest, 1).has_value());
    EXPECT_EQ(checked_add(largest, -1), largest - 1);
    EXPECT_FALSE(checked_mul(largest, 2).has_value());
    EXPECT_EQ(saturating_add(largest, 5), largest);
    EXPECT_EQ(saturating_add(-largest, -5), std::numeric_limits<std::int64_t>::min());
}

TEST(Status, EveryStatusHasATextOfItsOwn)
{
    std::vector<std::string> texts;
#define HPART_COLLECT(name, constant, value, text) texts.emplace_back(status_text(Status::name));
    HPART_STATUS_LIST(HPART_COLLECT)
#undef HPART_COLLECT
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
    EXPECT_STREQ(status_text(static_cast<Status>(-50)), "unknown status");
}

} // namespace
} // namespace hpart
