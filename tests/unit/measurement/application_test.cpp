// Applications that run all processors at once: the places of sizes, the times that they print, how they fail.
#include "measurement/application.hpp"
#include "measurement/optimize.hpp"

#include "profile_fixture.hpp"
#include "support/errors.hpp"

#include <numeric>

namespace hpart
{

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;
using Sizes = std::vector<std::int64_t>;

const Settings from_output = {{"time_from", "stdout"}};
const std::vector<std::string> three = {"A", "B", "C"};

Team team_of(const std::string &command, const Settings &settings = from_output,
             const std::vector<std::string> &names = three)
{
    Options options;
    for (const auto &[key, value] : settings) options.set_text(key, value);
    options.check_belongs(call_program);
    Team team;
    set_application(team, names, make_application(names, command, options));
    return team;
}

std::vector<double> seconds_of(const Team &team, const Sizes &x)
{
    Control control;
    return execute(team, x, 0, false, control).seconds;
}

std::vector<double> seconds_of(const std::string &command, const Sizes &x, const Settings &settings = from_output)
{
    return seconds_of(team_of(command, settings), x);
}

using Seconds = std::vector<double>;

TEST(Application, GetsTheSizesInEveryPlace)
{
    EXPECT_EQ(seconds_of("sh -c 'IFS=,; echo $1' sh {x}", {5, 6, 7}), (Seconds{5, 6, 7}));
    EXPECT_EQ(seconds_of("sh -c 'echo $1' sh '{x: }'", {5, 0, 7}), (Seconds{5, 0, 7}));
    EXPECT_EQ(seconds_of("echo {x3} {size} {x1}{x2}", {5, 6, 7}), (Seconds{7, 18, 56}));
    EXPECT_EQ(seconds_of("SIZES='{x: }' sh -c 'echo $SIZES'", {1, 2, 3}), (Seconds{1, 2, 3}));
    EXPECT_EQ(seconds_of("sh -c 'while read a b c; do echo $c, $b, $a; done'", {1, 2, 3}, {{"protocol", "lines"}}),
              (Seconds{3, 2, 1}));
}

TEST(Application, TimesOfEachProcessorInEveryForm)
{
    EXPECT_EQ(seconds_of("sh -c 'echo 9 9; echo 1 2 3; echo done in 7' sh {x}", {1, 1, 1}), (Seconds{1, 2, 3}))
        << "the line with a number a processor";
    EXPECT_EQ(seconds_of("sh -c 'echo C: 3 s; echo step 8; echo A 1; echo B=2' sh {x}", {1, 1, 1}), (Seconds{1, 2, 3}))
        << "lines that begin with names";
    EXPECT_EQ(seconds_of("sh -c 'echo one 1; echo two 2; echo three 3' sh {x}", {1, 1, 1}), (Seconds{1, 2, 3}))
        << "a line a processor";
    EXPECT_EQ(seconds_of("sh -c 'echo one 1; echo three 3' sh {x}", {1, 0, 1}), (Seconds{1, 0, 3}))
        << "a line for each that has work";
    EXPECT_EQ(seconds_of("echo t=1 t=2 t=3 t=4 t=5 t=6 {x}", {1, 1, 1}, {{"time_pattern", "t=([0-9])"}}),
              (Seconds{4, 5, 6}))
        << "the last round of matches";
}

TEST(Application, OneTimeIsThatOfAll)
{
    const auto team = team_of("sh -c 'echo took 2.5 s' sh {x}");
    EXPECT_EQ(seconds_of(team, {1, 0, 1}), (Seconds{2.5, 0, 2.5}));
    EXPECT_TRUE(team.application()->gave_one_time());
    EXPECT_EQ(seconds_of(team, {0, 4, 0}), (Seconds{0, 2.5, 0}));
    EXPECT_FALSE(team.application()->gave_one_time());
    expect_error(Status::unsupported, {"profile", "time of each"}, [&] {
        ProfileRequest request;
        request.sizes = {1, 2};
        Control control;
        profile(team, request, control);
    });
    const auto timed = team_of("true {x}", {});
    EXPECT_GT(seconds_of(timed, {1, 2, 3})[1], 0) << "the wall time";
}

TEST(Application, FailuresNameTheSizes)
{
    const auto fails = [](const std::string &command, const std::vector<std::string> &parts, const Settings &settings) {
        const auto error = error_of([&] { seconds_of(command, {1, 2, 3}, settings); });
        EXPECT_EQ(error.status(), Status::callback);
        for (const auto &part : parts)
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    };
    fails("sh -c 'echo no memory >&2; exit 3' sh {x}", {"sizes 1,2,3", "exit status 3", "'no memory'"}, from_output);
    fails("sh -c 'echo 1; echo 2' sh {x}", {"printed 2 times", "3 processors"}, from_output);
    fails("echo a 1 a 2 {x}", {"printed 2 times"}, {{"time_pattern", "a ([0-9])"}});
    fails("true {x}", {"printed no time"}, from_output);
    fails("sh -c 'echo 1 -2 3' sh {x}", {"-2"}, from_output);
    fails("/nowhere/app {x}", {"/nowhere/app"}, from_output);
    fails("sh -c 'read n; exit'", {"ended before it answered"}, {{"protocol", "lines"}});
    fails("sh -c 'sleep 99' sh {x}", {"within 0.05 s"}, {{"timeout", "0.05"}});
}

TEST(Application, Refusals)
{
    const auto refuses = [](const std::string &command, std::string_view part, const Settings &settings = {}) {
        expect_error(Status::invalid_argument, {part}, [&] { team_of(command, settings); });
    };
    refuses("./app", "{x}");
    refuses("./app {x: }", "quotes");
    refuses("./app {x4}", "{x4}");
    refuses("./app {x0}", "{x0}");
    refuses("./app {x}", "{x}", {{"protocol", "lines"}});
    refuses("./app {x}", "cores", {{"cores", "0"}});
    expect_error(Status::invalid_argument, {"'A'"}, [] { team_of("./app {x}", {}, {"A", "A"}); });
    auto team = team_of("./app {x}");
    expect_error(Status::invalid_argument, {"application"}, [&] { add_fake(team, "D", [](const Slice &) {}); });
    Team used;
    add_fake(used, "A", [](const Slice &) {});
    expect_error(Status::invalid_argument, {"1 processor"},
                 [&] { set_application(used, three, make_application(three, "./app {x}", Options())); });
    EXPECT_EQ(used.count(), 1U);
}

class ApplicationProfile : public ProfileFixture
{
};

// B fails from size 5 on, and with it every run that has such a size.
TEST_F(ApplicationProfile, FindsTheProcessorThatFails)
{
    const auto team = team_of("sh -c '[ $2 -lt 5 ] || exit 1; echo 0.$1 0.$2 0.$3' sh {x1} {x2} {x3}");
    EXPECT_EQ(team.kernel().substr(0, 18), "application sh -c ");
    Control control;
    const auto platform = profile(team, request_, control).platform;
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1, 2, 3, 5, 8, 13}));
    EXPECT_EQ(platform.points(1).sizes, (Sizes{1, 2, 3}));
    EXPECT_EQ(platform.points(2).seconds, (Seconds{0.1, 0.2, 0.3, 0.5, 0.8, 0.13}));
    EXPECT_NE(read_file(request_.file).find("# failed: B size 5 "), std::string::npos);
    EXPECT_EQ(profile(team, request_, control).platform.points(0).seconds, platform.points(0).seconds) << "goes on";
}

TEST_F(ApplicationProfile, FindsAndCertifiesTheOptimum)
{
    Options options;
    options.set_int("min_repetitions", 2);
    Sizes sizes(40);
    std::iota(sizes.begin(), sizes.end(), 1);
    const auto team =
        team_of("sh -c 'while read a b c; do [ $c -gt 30 ] && c=99; echo $((a * 6)) $((b * 3)) $((c * 2)); done'",
                {{"protocol", "lines"}, {"timeout", "5"}});
    Control control;
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 60, sizes, options), control);
    EXPECT_TRUE(found.certificate.certified);
    EXPECT_DOUBLE_EQ(found.value.value, 60);
    const auto &x = found.rivals[found.winner].x;
    EXPECT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), 60);
}

} // namespace

} // namespace hpart
