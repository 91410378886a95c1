// Functions built point by point: complete, resumed wherever they were interrupted, and never on the wrong file.
#include "measurement/energy_profile.hpp"

#include "profile_fixture.hpp"

namespace hpart
{
namespace
{

using Profile = ProfileFixture;

TEST_F(Profile, HasEverySizeOfEveryProcessor)
{
    for (const bool simultaneous : {true, false})
        for (const bool to_file : {true, false}) {
            auto request = request_;
            request.simultaneous = simultaneous;
            if (!to_file) request.file = "";
            fs::remove(request_.file);
            runs_.clear();
            const auto platform = profile(team_, request).platform;
            ASSERT_EQ(platform.count(), 2);
            EXPECT_EQ(platform.processor(1).name, "b");
            EXPECT_EQ(platform.points(0).sizes, (std::vector<std::int64_t>{1, 2, 3, 5, 8, 13}));
            EXPECT_EQ(platform.points(1).sizes, platform.points(0).sizes);
            EXPECT_EQ(runs_.size(), 12U);
            for (const auto &[point, count] : runs_) EXPECT_EQ(count, 2);
            EXPECT_EQ(fs::exists(request_.file), to_file);
            EXPECT_EQ(to_file ? read_file(request_.file) : format_platform(platform), format_platform(platform));
        }
}

TEST_F(Profile, HasTheIntervalsOfItsMeansAndKeepsThemWhenItGoesOn)
{
    request_.samples = folder_.file("samples.csv");
    request_.settings.rule.min_repetitions = request_.settings.rule.max_repetitions = 7;
    profile(team_, request_);
    const auto first = read_platform(request_.file);
    std::map<std::pair<std::string, std::int64_t>, RunningMean> samples;
    const auto content = read_file(request_.samples);
    for (const auto &runs : parse_samples(content, request_.samples, {}))
        for (const double seconds : runs.seconds) samples[{std::string(runs.processor), runs.size}].add(seconds);
    HalfWidth half_width(IntervalKind::two_sided, 0.95);
    for (std::int64_t i = 0; i < 2; ++i) {
        const auto &points = first.points(i);
        ASSERT_NE(points.intervals, nullptr);
        for (std::size_t k = 0; k < points.count(); ++k) {
            const auto &sample = samples[{first.processor(i).name, points.sizes[k]}];
            EXPECT_DOUBLE_EQ(points.intervals->time_high[k], sample.mean() + half_width.of(sample));
            EXPECT_NEAR(points.intervals->time_low[k], std::max(0.0, sample.mean() - half_width.of(sample)), 1e-15);
            EXPECT_EQ(points.intervals->repetitions[k], 7);
        }
    }
    request_.sizes.push_back(21);
    profile(team_, request_);
    const auto again = read_platform(request_.file);
    EXPECT_EQ(again.points(0).count(), first.points(0).count() + 1);
    for (std::size_t k = 0; k < first.points(1).count(); ++k)
        EXPECT_EQ(again.points(1).intervals->time_low[k], first.points(1).intervals->time_low[k]);
    EXPECT_EQ(again.points(1).intervals->repetitions.back(), 7);
}

TEST_F(Profile, KeepsTheOrderGivenOrTakesARandomOneThatIsTheSameEachTime)
{
    request_.file = "";
    request_.sizes.clear();
    for (std::int64_t size = 1; size <= 8; ++size) request_.sizes.push_back(size);
    const auto sizes_in_order = [&](bool random) {
        order_.clear();
        request_.random_order = random;
        profile(team_, request_);
        std::vector<std::int64_t> out;
        for (std::size_t k = 0; k < order_.size(); k += 4) out.push_back(order_[k]);
        return out;
    };
    EXPECT_EQ(sizes_in_order(false), request_.sizes);
    const auto random = sizes_in_order(true);
    EXPECT_NE(random, request_.sizes);
    EXPECT_EQ(random[0], 1);
    EXPECT_EQ(random[1], 8);
    EXPECT_EQ(random, sizes_in_order(true));
}

TEST_F(Profile, AddsSizesWithinTheGivenOnes)
{
    request_.sizes = {16, 1000};
    request_.most_sizes = 9;
    request_.block = 8;
    request_.settings.rule.precision = 1e-9;
    for (const bool simultaneous : {true, false}) {
        request_.simultaneous = simultaneous;
        fs::remove(request_.file);
        const auto platform = profile(team_, request_).platform;
        for (const std::int64_t i : {0, 1}) {
            const auto &sizes = platform.points(i).sizes;
            EXPECT_EQ(sizes.size(), 9U);
            EXPECT_EQ(sizes.front(), 16);
            EXPECT_EQ(sizes.back(), 1000);
            for (const auto size : sizes) EXPECT_EQ(size % 8, 0);
        }
        runs_.clear();
        profile(team_, request_);
        EXPECT_TRUE(runs_.empty()) << "there are as many as were asked for";
        ++request_.most_sizes;
        EXPECT_EQ(profile(team_, request_).platform.points(0).count(), 10U);
        EXPECT_EQ(runs_.size(), 2U);
        --request_.most_sizes;
    }
}

TEST_F(Profile, ForgetsThatAPointWasNotPreciseWhenItIsMeasuredAgain)
{
    write_file(request_.file, "# precision not reached: a size 8 is known to 7 % after 2 repetitions (max_seconds)\n"
                              "# precision not reached: b size 80 is known to 7 % after 2 repetitions (max_seconds)\n"
                              "processor,size,time\na,8,1\nb,80,1\n");
    request_.settings.rule.precision = std::numeric_limits<double>::infinity();
    request_.sizes = {8};
    const auto platform = profile(team_, request_).platform;
    const auto of = [&](const std::string &what) {
        return std::ranges::count_if(platform.facts.lines(),
                                     [&](const auto &comment) { return comment.find(what) != std::string::npos; });
    };
    EXPECT_EQ(of("a size 8 "), 0);
    EXPECT_EQ(of("b size 80 "), 1);
}

TEST_F(Profile, TakesFurtherSizesAndKeepsWhatTheFileHas)
{
    profile(team_, request_);
    auto first = read_platform(request_.file);
    first.set_base_power(58);
    first.facts.add<std::string>(" by hand");
    write_platform(first, request_.file);
    runs_.clear();
    request_.sizes = {5, 21};
    const auto platform = profile(team_, request_).platform;
    EXPECT_EQ(runs_.size(), 2U);
    EXPECT_EQ(platform.points(0).sizes, (std::vector<std::int64_t>{1, 2, 3, 5, 8, 13, 21}));
    EXPECT_EQ(platform.points(0).seconds[3], first.points(0).seconds[3]);
    EXPECT_EQ(platform.base_power(), 58);
    EXPECT_EQ(std::ranges::count(platform.facts.lines(), " by hand"), 1);
}

TEST_F(Profile, MeasuresAgainAPointThatOneProcessorLacks)
{
    write_file(request_.file, "processor,size,time\na,8,1\nb,8,1\na,3,1\nb,1,1\n");
    const auto platform = profile(team_, request_).platform;
    EXPECT_EQ(runs_.count({"a", 8}), 0U);
    EXPECT_EQ(runs_.count({"a", 3}), 1U) << "at once with b, as all points are measured";
    EXPECT_EQ(runs_.count({"a", 1}), 1U);
    EXPECT_LT(platform.points(0).seconds[2], 1);
    EXPECT_EQ(platform.points(0).count(), 6U);
}

TEST_F(Profile, RefusesTheWrongFileAndLeavesItAsItIs)
{
    expect_refused("# kernel = dgemm n=1 k=1\nprocessor,size,time\na,8,1\nb,8,1\n", "the kernel 'dgemm n=1 k=1'");
    expect_refused("processor,size,time\na,8,1\n", "it has 1 processor, the team 2");
    expect_refused("processor,size,time\nb,8,1\na,8,1\n", "processor 0 is 'b', the team's 'a'");
    expect_refused("# measured = one after another\nprocessor,size,time\na,8,1\nb,8,1\n",
                   "measured one after another, not all processors at once");
    expect_refused("# memory limit of b = 1000\nprocessor,size,time\na,8,1\nb,8,1\n",
                   "measured with memory limit of b = 1000; this call has no memory limit");
    expect_refused("processor,size,time\na,8,fast\nb,8,1\n", ":2:5:");
    expect_refused("not a platform at all", "functions.csv:1:1");
}

// A device with less memory is another processor.
TEST_F(Profile, KeepsTheMemoryLimitsOfDevices)
{
    const auto profile_with = [&](std::int64_t limit) {
        Team team;
        for (const auto *name : {"a", "b"})
            team.add(
                {name, std::make_unique<FakeKernel>(std::make_shared<Calls>(), FakeKernel::Job()), {}, nullptr, limit});
        return profile(team, request_).platform;
    };
    const auto comments = profile_with(1000).facts.lines();
    for (const auto *expected : {" memory limit of a = 1000", " memory limit of b = 1000"})
        EXPECT_EQ(std::count(comments.begin(), comments.end(), expected), 1);
    EXPECT_EQ(profile_with(1000).facts.lines(), comments);
    EXPECT_THROW(profile_with(2000), Error);
    EXPECT_EQ(read_platform(request_.file).facts.lines(), comments);
}

class KernelBehindALink final : public Kernel
{
  public:
    explicit KernelBehindALink(int &asked) : asked_(asked) {}
    void prepare(const Slice & /*slice*/) override {}
    void run() override {}
    void release() noexcept override {}
    std::optional<HostLink> host_link() override
    {
        ++asked_;
        return HostLink{1.5e-5, 2e10};
    }

  private:
    int &asked_;
};

TEST_F(Profile, KeepsTheMeasuredHostLinkOfADevice)
{
    int asked = 0;
    Team team;
    add_fake(team, "core");
    team.add({"device", std::make_unique<KernelBehindALink>(asked), {}});
    profile(team, request_);
    EXPECT_EQ(read_platform(request_.file).processor(1).host_link, (Link{1.5e-5, 2e10}));
    EXPECT_EQ(read_platform(request_.file).processor(0).host_link, Link{});
    auto by_hand = read_platform(request_.file);
    by_hand.set_host_link(1, {1e-3, 1e9});
    write_platform(by_hand, request_.file);
    request_.sizes.push_back(99);
    EXPECT_EQ(profile(team, request_).platform.processor(1).host_link, (Link{1e-3, 1e9}));
    EXPECT_EQ(asked, 1);
}

// Kernels that are never precise: the budget alone ends each point.
TEST_F(Profile, SharesItsBudgetAmongAllSizes)
{
    support::FakeClock clock;
    Team imprecise;
    for (const auto *name : {"a", "b"})
        add_timed(imprecise, name, [&, name, run = 0](const Slice &slice) mutable {
            const std::lock_guard lock(mutex_);
            ++runs_[{name, slice.rows}];
            clock.advance(0.0025);
            return 1.0 + ++run % 7;
        });
    request_.settings.rule.precision = 1e-9;
    request_.settings.rule.max_repetitions = 1000000;
    request_.max_total_seconds = 0.6;
    const auto result = profile(imprecise, request_);
    EXPECT_EQ(result.missing, 0U);
    EXPECT_EQ(points_in_file(), 6U);
    EXPECT_EQ(runs_.size(), 12U);
    for (const auto &[point, runs] : runs_) EXPECT_NEAR(runs, 20, 1) << "0.1 s a size, 5 ms a repetition";
    EXPECT_NEAR(clock.seconds(), 0.6, 0.01);
    // Without the budget a size would take all of max_seconds: the comments name the option that would help.
    for (const auto &comment : result.platform.facts.lines())
        if (comment.starts_with(" precision not reached: ")) {
            EXPECT_NE(comment.find("(max_total_seconds)"), std::string::npos) << comment;
        }
}

TEST_F(Profile, EndsWithWhatItHasWhenTheBudgetIsUsedUp)
{
    support::FakeClock clock;
    Team slow;
    for (const auto *name : {"a", "b"}) add_fake(slow, name, [&](const Slice &) { clock.advance(0.02); });
    request_.max_total_seconds = 0.01;
    Control control(telling_, std::numeric_limits<double>::infinity(), 0);
    const auto first = profile(slow, request_, control);
    EXPECT_EQ(first.missing, 5U);
    EXPECT_EQ(first.points, 6U);
    EXPECT_EQ(points_in_file(), 1U);
    EXPECT_NE(told_.front().find(", at most 1 s left"), std::string::npos) << told_.front();
    request_.max_total_seconds = 60;
    EXPECT_EQ(profile(slow, request_, control).missing, 0U);
    EXPECT_EQ(points_in_file(), 6U);
}

// The second call would write over what the first has measured, and disturb it.
TEST_F(Profile, IsRefusedWhileAnotherWritesTheSameFile)
{
    request_.samples = folder_.file("samples.csv");
    const auto refusal = [&](const ProfileRequest &request) -> std::string {
        return error_of([&] { profile(team_, request); }).what();
    };
    std::vector<std::string> said;
    Team first;
    for (const auto *name : {"a", "b"})
        add_fake(first, name, [&, name](const Slice &slice) {
            if (name != std::string("a") || slice.rows != 5 || !said.empty()) return;
            auto other = request_;
            said.push_back(refusal(other));
            other.file = folder_.file("others.csv");
            said.push_back(refusal(other)); // the samples are the same
            other.samples = "";
            said.push_back(refusal(other));
        });
    profile(first, request_);
    ASSERT_EQ(said.size(), 3U);
    EXPECT_NE(said[0].find("functions.csv' is being written by another call"), std::string::npos) << said[0];
    EXPECT_NE(said[1].find("samples.csv' is being written by another call"), std::string::npos) << said[1];
    EXPECT_EQ(said[2], "no error");
    EXPECT_EQ(refusal(request_), "no error");
    for (const auto &file : fs::directory_iterator(folder_.path()))
        EXPECT_EQ(file.path().extension(), ".csv") << file.path();
}

TEST_F(Profile, IsRefusedThroughALinkToTheFileThatAnotherWrites)
{
    auto other = request_;
    other.file = folder_.file("link.csv");
    fs::create_symlink("functions.csv", other.file);
    std::string said;
    Team first;
    add_fake(first, "a", [&](const Slice &) {
        if (!said.empty()) return;
        EXPECT_FALSE(fs::exists(other.file)) << "the link names a file that is not there yet";
        said = error_of([&] { profile(team_, other); }).what();
    });
    profile(first, request_);
    EXPECT_NE(said.find("is being written by another call"), std::string::npos) << said;
    EXPECT_TRUE(runs_.empty());
    other.sizes = {40};
    profile(first, other);
    EXPECT_TRUE(fs::is_symlink(other.file));
    EXPECT_EQ(read_platform(request_.file).points(0).count(), 7U);
}

TEST_F(Profile, FindsOutThatItCannotWriteBeforeItMeasures)
{
    request_.file = folder_.file("no-such-folder/functions.csv");
    EXPECT_EQ(error_of([&] { profile(team_, request_); }).status(), Status::io);
    EXPECT_TRUE(runs_.empty());
}

// One repetition in ten takes long: the file says so, and it says it once however often the profile is gone on with.
TEST_F(Profile, NamesPointsWithOutliersInTheFile)
{
    request_.settings.rule.min_repetitions = request_.settings.rule.max_repetitions = 10;
    Team slow_at_times;
    int runs = 0;
    for (const auto *name : {"a", "b"})
        add_timed(slow_at_times, name, [&runs, name](const Slice &slice) {
            const bool is_slow = name == std::string("a") && slice.rows == 5 && ++runs == 4;
            return is_slow ? 0.3 : 0.001;
        });
    for (int call = 0; call < 2; ++call) {
        const auto platform = profile(slow_at_times, request_).platform;
        EXPECT_EQ(
            std::ranges::count_if(platform.facts.lines(),
                                  [](const auto &comment) { return comment.starts_with(" outliers: a size 5 has "); }),
            1);
        EXPECT_EQ(read_platform(request_.file).facts.lines(), platform.facts.lines());
    }
}

} // namespace
} // namespace hpart
