#include "core/text.hpp"

#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

TEST(Units, OfTime)
{
    for (const auto &[text, seconds] : {std::pair("7", 7.0),
                                        {"0.25", 0.25},
                                        {"1e-3", 1e-3},
                                        {"5ms", 0.005},
                                        {"1e-3ms", 1e-6},
                                        {"3ns", 3e-9},
                                        {"2.5us", 2.5e-6},
                                        {"90s", 90.0},
                                        {"2m", 120.0},
                                        {"2min", 120.0},
                                        {"0.5h", 1800.0},
                                        {"1.005ms", 0.001005},
                                        {"3.3e-140ns", 3.3e-149},
                                        {"3.3E+02ms", 0.33},
                                        {"1.18ns", 1.18e-9},
                                        {"-1ms", -0.001}})
        EXPECT_EQ(parse_time(text), seconds) << text;
    for (const auto *text : {"", "s", "ms", "5 s", "5S", "5days", "1.2.3s", "s5", "5ss", "1e999h", "0x5s"})
        EXPECT_FALSE(parse_time(text)) << text;
}

TEST(Units, OfCounts)
{
    for (const auto &[text, count] : {std::pair<const char *, std::int64_t>("12", 12),
                                      {"4k", 4000},
                                      {"4K", 4000},
                                      {"4kB", 4000},
                                      {"4Ki", 4096},
                                      {"4KiB", 4096},
                                      {"7B", 7},
                                      {"3M", 3'000'000},
                                      {"3MiB", 3 << 20},
                                      {"2G", 2'000'000'000},
                                      {"1Ti", std::int64_t{1} << 40},
                                      {"-2k", -2000},
                                      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()}})
        EXPECT_EQ(parse_count(text), count) << text;
    for (const auto *text :
         {"", "k", "4.5k", "4 k", "4x", "4kk", "4kiB ", "4Bk", "4iB", "4i", "9223372036854775808", "10000000T", "9e3"})
        EXPECT_FALSE(parse_count(text)) << text;
}

// Any text: nothing, or what the number alone gives, times the unit.
TEST(Units, AnyTextIsRead)
{
    std::mt19937_64 random(1);
    const std::string letters = "0123456789.e-+kMGTiBmsnuh ";
    for (int k = 0; k < 20'000; ++k) {
        std::string text;
        for (auto left = random() % 8; left > 0; --left) text += letters[random() % letters.size()];
        const auto count = parse_count(text + "k"), plain = parse_count(text);
        if (plain && text.find_first_of("kMGTB") == std::string::npos && std::abs(*plain) < 1'000'000) {
            EXPECT_EQ(count, *plain * 1000) << text;
        }
        if (const auto seconds = parse_time(text);
            seconds && text.find_first_not_of("0123456789.") == std::string::npos) {
            EXPECT_EQ(parse_time(text + "m"), *seconds * 60) << text;
        }
    }
}

} // namespace
} // namespace hpart
