// Notes about odd points, and requests of profiles that are refused.
#include "measurement/profile.hpp"
#include "measurement/resumable_file.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hpart
{
namespace
{

// Samples are scripted: sizes of their own have an outlier, a drift, waves, and nothing odd.
TEST(NotesOfPoints, SayWhatIsOddAndForgetItWhenItIsMeasuredAgain)
{
    constexpr int repetitions = 24;
    const auto measured = [](const std::function<double(int)> &sample) {
        Measurement out;
        out.repetitions = repetitions;
        for (int r = 0; r < repetitions; ++r) {
            out.samples.push_back(1 + 0.01 * (r * 7 % repetitions)); // of another processor
            out.samples.push_back(sample(r));
        }
        out.estimates = {{1, 0.99, 1.01, 1, 1, 1}, {1, 0.99, 1.01, 1, 1, 1}};
        return out;
    };
    const auto quiet = [](int r) { return 1 + 0.01 * (r * 7 % repetitions); };
    Facts facts;
    facts.add<std::string>(" by hand");
    const auto note = [&](std::int64_t size, const std::function<double(int)> &sample) {
        note_point(facts, "b", size, measured(sample), 1, {});
    };
    note(8, [&](int r) { return r == 5 || r == 9 ? 7 : quiet(r); });
    note(80, [](int r) { return 1 + 0.01 * r; });
    note(81, [](int r) { return 1 + 0.001 * r; }); // a drift of less than the precision
    note(3, [&](int r) { return 1 + 0.1 * std::sin(0.5 * r) + 0.05 * quiet(r); });
    note(4, [&](int r) { return r % 2 == 0 ? 1 : 2; }); // the interval is too wide, not too narrow
    note(5, quiet);
    // Neighbours of an even rise of n samples have a correlation of (n - 3) / n.
    const std::vector<std::string> expected = {" by hand",
                                               " outliers: b size 8 has 2 of 24 samples far from the median",
                                               " drift: b size 80 changed by 14.35 % in 24 repetitions (drift_p 0)",
                                               " serial correlation: b size 80 has 0.8",
                                               " serial correlation: b size 81 has 0.8",
                                               " serial correlation: b size 3 has 0."};
    const auto comments = facts.lines();
    ASSERT_EQ(comments.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_TRUE(comments[k].starts_with(expected[k])) << comments[k];
    EXPECT_NE(comments.back().find(" between neighbours of 24 samples (serial_correlation_p "), std::string::npos);
    for (const std::int64_t size : {8, 80, 81, 3}) note(size, quiet);
    EXPECT_EQ(facts.lines(), (std::vector<std::string>{" by hand"}));
}

TEST(NotesOfPoints, KnowHowPreciselyTheFileHasATime)
{
    Facts facts;
    for (const auto *line : {" by hand", " outliers: a size 8 has 2 of 12 samples far from the median",
                             " precision not reached: a size 8 takes 2 +- 0.5 J after 3 windows of the meter",
                             " precision not reached: a size 8 is known to 41.5 % after 3 repetitions"})
        facts.add_line(line, [](std::string_view name) { return name == "a"; });
    EXPECT_EQ(noted_precision(facts, "a", 8), 0.415);
    EXPECT_EQ(noted_precision(facts, "a", 80), std::nullopt);
    EXPECT_EQ(noted_precision(facts, "b", 8), std::nullopt);
}

TEST(ProfileRequest, RefusesWrongSizes)
{
    for (const std::vector<std::int64_t> &bad : {std::vector<std::int64_t>{0}, {-3}, {4, 5, 4}})
        EXPECT_THROW(ProfileRequest::from(bad, Options{}), Error);
}

TEST(ProfileRequest, RefusesOptionsThatContradictIt)
{
    const auto refusal = [](const std::vector<std::int64_t> &sizes,
                            const std::map<std::string, std::string> &set) -> std::string {
        Options options;
        for (const auto &[key, value] : set) options.set_text(key, value);
        return support::error_of([&] { ProfileRequest::from(sizes, options); }).what();
    };
    EXPECT_NE(refusal({1, 2, 3}, {{"max_sizes", "2"}}).find("max_sizes"), std::string::npos);
    EXPECT_NE(refusal({7}, {{"max_sizes", "20"}}).find("max_sizes"), std::string::npos);
    EXPECT_NE(refusal({1, 2}, {{"checkpoint_file", "f"}, {"samples_file", "f"}}).find("samples_file"),
              std::string::npos);
    EXPECT_EQ(refusal({1, 2}, {{"max_sizes", "2"}, {"block", "3"}, {"checkpoint_file", "f"}, {"samples_file", "g"}}),
              "no error");
}

} // namespace
} // namespace hpart
