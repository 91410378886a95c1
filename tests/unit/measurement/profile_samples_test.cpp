// The file of all runs beside a profile's platform file: whatever happens both tell of the same points, each once.
#include "measurement/energy_profile.hpp"

#include "profile_fixture.hpp"

#include <utility>

namespace hpart
{
namespace
{

class ProfileSamples : public ProfileFixture
{
  protected:
    ProfileSamples() { request_.samples = folder_.file("samples.csv"); }

    // From one byte of a file to the next that is tried.
    const std::size_t step = support::is_long_run() ? 1 : 23;
};

TEST_F(ProfileSamples, LosesAndDoublesNothingWhenTheProcessIsKilled)
{
    request_.sizes.clear();
    for (std::int64_t size = 1; size <= 6; ++size) request_.sizes.push_back(10 * size);
    request_.most_sizes = 10;
    request_.settings.rule.precision = 1e-9;
    auto random = support::seeded(7);
    const auto wanted = support::is_long_run() ? 200 : 3;
    for (int killed = 0; killed < wanted;) {
        fs::remove(request_.file);
        killed += kill_until_done(random);
        expect_all_samples_once();
    }
}

TEST_F(ProfileSamples, TakesAFileOfSamplesThatEndsAnywhere)
{
    request_.sizes = {8, 3};
    request_.random_order = false;
    profile(team_, request_);
    const auto samples = read_file(request_.samples);
    const auto second_point = samples.find("a,3,0,");
    ASSERT_NE(second_point, std::string::npos);
    auto first_only = read_platform(request_.file);
    for (const std::int64_t i : {0, 1}) {
        const std::vector<std::int64_t> sizes = {8};
        const std::vector<double> seconds = {first_only.points(i).seconds[1]};
        first_only.set_time_function(i, sizes, seconds);
    }
    for (auto end = second_point; end <= samples.size(); end += step) {
        write_platform(first_only, request_.file);
        write_file(request_.samples, std::string_view(samples).substr(0, end));
        runs_.clear();
        profile(team_, request_);
        EXPECT_EQ(runs_.size(), 2U);
        EXPECT_EQ(read_file(request_.samples).substr(0, second_point), samples.substr(0, second_point));
        expect_all_samples_once();
    }
}

TEST_F(ProfileSamples, AreThoseOfTheStatisticThatIsMeasured)
{
    request_.settings.rule.min_repetitions = request_.settings.rule.max_repetitions = 7;
    request_.settings.rule.statistic = Statistic::median;
    profile(team_, request_);
    const auto platform = read_platform(request_.file);
    EXPECT_NE(read_file(request_.file).find("# statistic = median\n"), std::string::npos);
    const auto content = read_file(request_.samples);
    for (const auto &runs : parse_samples(content, request_.samples, {})) {
        const auto &points = platform.points(runs.processor == "a" ? 0 : 1);
        EXPECT_EQ(points.seconds[points.find(runs.size)], statistic_of(Statistic::median, runs.seconds));
    }
    runs_.clear();
    profile(team_, request_);
    EXPECT_TRUE(runs_.empty()); // all points have their samples
    request_.settings.rule.statistic = Statistic::minimum;
    expect_refused(read_file(request_.file), "its times are medians, this call's minimums");
}

TEST_F(ProfileSamples, MeasuresAgainWhatHasNoSamples)
{
    Team removing;
    for (const auto *name : {"a", "b"})
        add_fake(removing, name, [this, name](const Slice &slice) {
            const std::lock_guard lock(mutex_);
            runs_[{name, slice.rows}] = 1;
            if (runs_.size() == 5) fs::remove(request_.samples); // the third point
        });
    EXPECT_EQ(error_of([&] { profile(removing, request_); }).status(), Status::io);
    const auto known = points_in_file();
    EXPECT_GT(known, 0U);
    runs_.clear();
    profile(team_, request_);
    EXPECT_EQ(runs_.size(), 2 * request_.sizes.size()) << "all, as no samples are left";
    expect_all_samples_once();
}

TEST_F(ProfileSamples, RefusesAFileOfOtherThingsForSamples)
{
    for (const std::string content :
         {"my thesis\n", "processor,size\n", "processor,size,repetition,seconds,outlier\na,x,0,1,0\n",
          "processor,size,repetition,seconds,outlier\na,1\n"}) {
        write_file(request_.samples, content);
        EXPECT_EQ(error_of([&] { profile(team_, request_); }).status(), Status::format) << content;
        EXPECT_EQ(read_file(request_.samples), content);
    }
    request_.samples = folder_.file("no-such-folder/samples.csv");
    EXPECT_THROW(profile(team_, request_), Error);
    EXPECT_TRUE(runs_.empty()) << "told before anything is measured";
}

TEST_F(ProfileSamples, StartsTheSamplesAnewWithoutAFileToGoOnWith)
{
    request_.file = "";
    profile(team_, request_);
    const auto lines = [&] {
        const auto content = read_file(request_.samples);
        return std::count(content.begin(), content.end(), '\n');
    };
    EXPECT_EQ(lines(), 1 + 2 * 2 * 6);
    request_.sizes = {5};
    profile(team_, request_);
    EXPECT_EQ(lines(), 1 + 2 * 2);
}

// Cut at every byte, however many points are lost with it: the same call measures what is missing, and both files tell of the same
// points.
TEST_F(ProfileSamples, AreWholeAgainWhereverTheFileWasCut)
{
    request_.sizes = {8, 3};
    request_.most_sizes = 3;
    request_.settings.rule.precision = 1e-9;
    for (const bool simultaneous : {true, false}) {
        request_.simultaneous = simultaneous;
        fs::remove(request_.file);
        profile(team_, request_);
        const auto platform = read_platform(request_.file);
        const auto samples = read_file(request_.samples);
        const auto sizes = platform.points(0).sizes;
        ASSERT_EQ(sizes.size(), 3U);
        for (std::size_t end = 0;; end = std::min(end + step, samples.size())) {
            write_platform(platform, request_.file);
            write_file(request_.samples, std::string_view(samples).substr(0, end));
            profile(team_, request_);
            EXPECT_EQ(read_platform(request_.file).points(0).sizes, sizes) << end;
            expect_all_samples_once();
            if (HasFailure() || end == samples.size()) break;
        }
        EXPECT_EQ(read_file(request_.samples), samples);
    }
}

// Any other change of a byte, but in the last point, is refused; nothing is written.
TEST_F(ProfileSamples, AreRefusedWhereAByteIsAnother)
{
    request_.sizes = {8, 3, 5};
    profile(team_, request_);
    const auto samples = read_file(request_.samples), platform = read_file(request_.file);
    const auto last_size = samples.substr(samples.rfind("b,"), 3);
    const auto last_point = samples.find("a" + last_size.substr(1) + ",0,");
    ASSERT_NE(last_point, std::string::npos);
    for (std::size_t at = 0; at < last_point; at += step)
        for (const char wrong : {'x', '7', ',', '\n', '\0'}) {
            auto garbled = samples;
            if (garbled[at] == wrong) continue;
            garbled[at] = wrong;
            write_file(request_.samples, garbled);
            const auto error = error_of([&] { profile(team_, request_); });
            ASSERT_EQ(error.status(), Status::format) << error.what() << " with another byte " << at << ": " << garbled;
            EXPECT_NE(std::string(error.what()).find(request_.samples), std::string::npos) << error.what();
            EXPECT_EQ(read_file(request_.samples), garbled);
            EXPECT_EQ(read_file(request_.file), platform);
        }
}

TEST_F(ProfileSamples, OfOtherPointsAreRefused)
{
    request_.sizes = {8, 3, 5};
    profile(team_, request_);
    const auto samples = read_file(request_.samples);
    const auto refusal = [&](const std::string &content) -> std::string {
        write_file(request_.samples, content);
        return error_of([&] { profile(team_, request_); }).what();
    };
    const auto header = samples.substr(0, samples.find('\n') + 1), lines = samples.substr(header.size());
    EXPECT_NE(refusal(samples + lines).find("a second time"), std::string::npos);
    EXPECT_NE(refusal(header + "a,99,0,1,0\na,99,1,1,0\n" + lines).find("size 99"), std::string::npos);
    EXPECT_NE(refusal(header + "c,8,0,1,0\n" + lines).find("no processor"), std::string::npos);
    EXPECT_NE(refusal(header + "a,8,1,1,0\n").find("where repetition 0 must be"), std::string::npos);
    for (const auto *wrong :
         {"a,8,0,nan,0\n", "a,8,0,inf,0\n", "a,8,0,-1,0\n", "a,8,0,,0\n", "a,8,0,1,2\n", "a,0,0,1,0\n", "a,-8,0,1,0\n",
          "a,8,0,1\n", "a,8,0,1,0,0\n", "\n", "thesis", "a,8,0,1e5x", "a,b,"})
        EXPECT_NE(refusal(header + wrong).find("give another file, or remove this one"), std::string::npos) << wrong;
    EXPECT_EQ(refusal(samples), "no error");
}

TEST_F(ProfileSamples, OfPointsThatWereMeasuredWithoutThemAreTaken)
{
    const auto samples = std::exchange(request_.samples, "");
    profile(team_, request_);
    request_.samples = samples;
    request_.sizes = {8, 3};
    runs_.clear();
    profile(team_, request_);
    EXPECT_EQ(runs_.size(), 4U) << "both sizes of both processors, and no size that the call does not name";
    EXPECT_EQ(points_in_file(), 6U);
    runs_.clear();
    profile(team_, request_);
    EXPECT_TRUE(runs_.empty());
}

} // namespace
} // namespace hpart
