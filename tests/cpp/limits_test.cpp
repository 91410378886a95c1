// Numbers and texts that only one of C++ and hpart.h can hold, and exceptions between the two.
#include "errors.hpp"

namespace
{

constexpr std::int64_t large = std::int64_t{1} << 32;

template <typename Function> void expect_refused(const std::string &words, const Function &function)
{
    expect_status(HPART_ERR_INVALID_ARGUMENT, words, function);
}

TEST(CppLimits, AnyResultButZeroStops)
{
    const auto run = [](auto result) {
        hpart::team team;
        team.add("a", [result](std::int64_t) { return result; });
        team.execute({1}, {{"warmup", 0}});
    };
    const auto expect = [&](const std::string &words, auto result) {
        expect_status(HPART_ERR_CALLBACK, words, [&] { run(result); });
    };
    expect(" 256", 256);
    expect(" 2147483647", large);
    expect(" 2147483647", ~std::uint64_t{0});
    expect(" -2147483648", -large);
    EXPECT_NO_THROW(run(std::uint64_t{0}));
}

TEST(CppLimits, ReportsDoNotCutNumbers)
{
    hpart::platform platform(1);
    platform.set_time_function(0, {large + 1}, {1.0});
    hpart::options options;
    options.set_previous({0});
    const auto report = hpart::partition(platform, hpart::objective::time, large + 1, options).report;
    EXPECT_EQ(report.get<std::int64_t>("moved"), large + 1);
    EXPECT_EQ(report.get<std::uint64_t>("moved"), 4294967297U);
    EXPECT_TRUE(report.get<bool>("moved"));
    expect_refused("'moved' is 4294967297, which", [&] { report.get<int>("moved"); });
    expect_refused("use get<std::int64_t>", [&] { report.get<unsigned>("moved"); });
}

TEST(CppLimits, OptionsDoNotWrapNumbers)
{
    expect_refused("'max_active' is 9223372036854775808; it must be at most 9223372036854775807", [] {
        hpart::options{{"max_active", std::uint64_t{1} << 63}};
    });
}

TEST(CppLimits, TextsHaveNoNullCharacter)
{
    const std::string text("exact\0ly", 8), words = "8 characters and a null character after 'exact'";
    hpart::platform platform(1);
    hpart::team team;
    const auto report = hpart::info();
    expect_refused(words, [&] { hpart::options{{"method", text}}; });
    expect_refused(words, [&] { hpart::options{{text, 1}}; });
    expect_refused(words, [&] { platform.set_name(0, text); });
    expect_refused(words, [&] { platform.write(text); });
    expect_refused(words, [&] { hpart::platform::read(text); });
    expect_refused(words, [&] { report.get<std::int64_t>(text); });
    expect_refused(words, [&] { report.get<std::string>(text); });
    expect_refused(words, [&] { report.get<std::vector<double>>(text); });
    expect_refused(words, [&] { report.contains(text); });
    expect_refused(words, [&] { hpart::groupings(text); });
    expect_refused(words, [&] { hpart::device{text}; });
    expect_refused(words, [&] {
        team.add(
            "a", [](std::int64_t) {}, text);
    });
    expect_refused(words, [&] { team.add_builtin(text, "dgemm", "cpu:0"); });
    EXPECT_EQ(team.processors(), 0);
}

// A call of hpart.h with C++ callables has nobody to throw to: its exceptions must not end in another call.
TEST(CppLimits, ExceptionsInCallsOfC)
{
    const auto platform = jagged_platform(12);
    const auto solve = [&](const hpart::options &options) {
        hpart::front(platform, 1500, hpart::energy_kind::dynamic, options);
    };
    const auto call_of_c = [&] {
        hpart::options throws;
        throws.set_progress([](double, const char *) { throw own_error("in C"); });
        hpart_front *raw = nullptr;
        EXPECT_EQ(hpart_front_compute(platform.native(), 1500, HPART_ENERGY_DYNAMIC, throws.native(), &raw),
                  HPART_ERR_CANCELLED);
        EXPECT_EQ(raw, nullptr);
    };
    hpart::options stops, nests, nests_and_throws;
    stops.set_progress([](double, const char *) { return true; });
    nests.set_progress([&](double, const char *) {
        call_of_c();
        return true;
    });
    nests_and_throws.set_progress([&](double, const char *) {
        call_of_c();
        throw own_error("in C++");
    });
    call_of_c();
    EXPECT_THROW(solve(stops), hpart::cancelled);
    EXPECT_THROW(solve(nests), hpart::cancelled);
    EXPECT_STREQ(thrown<own_error>([&] { solve(nests_and_throws); }).what(), "in C++");
}

TEST(CppLimits, KernelsAndMetersInCallsOfC)
{
    bool throws = true;
    hpart::team team;
    team.add("a", [&](std::int64_t) {
        if (throws) throw own_error("in C");
        return 3;
    });
    const std::int64_t x = 1;
    double seconds = 0;
    EXPECT_EQ(hpart_team_execute(team.native(), &x, nullptr, &seconds, nullptr), HPART_ERR_CALLBACK);
    throws = false;
    EXPECT_THROW(team.execute({1}), hpart::error);

    const char *words = "in C";
    hpart::meter meter(
        "broken", [&]() -> hpart::reading { throw own_error(words); }, hpart::quantity::watts, 1e-6);
    for (const auto *next : {"first", "second"}) {
        EXPECT_EQ(hpart_meter_start(meter.native()), HPART_ERR_CALLBACK);
        words = next;
        const auto error = thrown<own_error>([&] {
            if (words == std::string("first"))
                meter.start();
            else
                meter.base_power(1);
        });
        EXPECT_STREQ(error.what(), next);
    }
}

} // namespace
