// The certified optimum of teams whose kernels tell simulated times: nothing waits.
#include "calls.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "fake_kernel.hpp"
#include "measurement/optimize.hpp"
#include "models/platform_file.hpp"
#include "partitioners/calls/partition.hpp"
#include "support/fake_clock.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <numeric>
#include <thread>

namespace hpart
{
namespace
{

// Slow at every size but the multiples of four; the second processor is twice as fast.
double jagged(std::int64_t size, double speed) { return static_cast<double>(size) / speed * (size % 4 == 0 ? 1 : 1.4); }

class Optimize : public testing::Test
{
  protected:
    Optimize()
    {
        add("slow", [](std::int64_t size) { return jagged(size, 1); });
        add("fast", [](std::int64_t size) { return jagged(size, 2); });
    }

    void add(const std::string &name, const std::function<double(std::int64_t size)> &seconds)
    {
        add_timed(team_, name, [seconds](const Slice &slice) { return seconds(slice.rows); });
    }

    Optimum optimum(std::int64_t size, const Options &options, Objective objective = Objective::time)
    {
        return optimize(team_, OptimizeRequest::from(objective, size, up_to(64), options));
    }

    Options with_file() const
    {
        Options options;
        options.set_text("checkpoint_file", file_);
        options.set_int("min_repetitions", 2);
        return options;
    }

    Team team_;
    const support::Folder folder_;
    const std::string file_ = folder_.file();
};

TEST_F(Optimize, FindsAndCertifiesTheFastestDistribution)
{
    const auto found = optimum(60, with_file());
    EXPECT_TRUE(found.certificate.certified);
    EXPECT_EQ(found.rivals[found.winner].x, (std::vector<std::int64_t>{20, 40}));
    EXPECT_NEAR(found.value.value, 20, 1e-9);
    EXPECT_LE(found.certificate.lower, 20);
    EXPECT_GE(found.certificate.upper, 20 - 1e-9);
    EXPECT_GT(found.counts.seconds, 20);
    EXPECT_LT(found.measured_points, 128);
    ASSERT_TRUE(found.race.has_value());
    EXPECT_EQ(found.race->estimates.size(), found.rivals.size());
    for (const auto &rival : found.rivals)
        EXPECT_EQ(std::accumulate(rival.x.begin(), rival.x.end(), std::int64_t{0}), 60);
    const auto report = report_of(found);
    EXPECT_EQ(Report::format(report.get("stop_reason")), "certified");
}

// The fast processor has 64 at most; the rest is worth the least on the slow one at a multiple of four.
TEST_F(Optimize, FindsTheLeastSumOfTimesOfProcessorsInTurn)
{
    std::atomic<int> running = 0, most = 0;
    Team team;
    for (const double speed : {1.0, 2.0})
        add_timed(team, speed == 1 ? "slow" : "fast", [&, speed](const Slice &slice) {
            most = std::max(most.load(), ++running);
            std::this_thread::yield();
            --running;
            return jagged(slice.rows, speed);
        });
    auto options = with_file();
    const auto request = OptimizeRequest::from(Objective::sum_time, 68, up_to(64), options);
    const auto found = optimize(team, request);
    EXPECT_EQ(most, 1) << "no processor runs beside another";
    EXPECT_TRUE(found.certificate.certified);
    EXPECT_EQ(found.rivals[found.winner].x, (std::vector<std::int64_t>{4, 64}));
    EXPECT_NEAR(found.value.value, 36, 1e-9);
    ASSERT_TRUE(found.race.has_value());
    EXPECT_EQ(found.rivals[1].method, "equal");
    for (std::size_t r = 0; r < found.rivals.size(); ++r)
        EXPECT_NEAR(found.race->estimates[r].mean, jagged(found.rivals[r].x[0], 1) + jagged(found.rivals[r].x[1], 2),
                    1e-9);
    EXPECT_NO_THROW(optimize(team, request)) << "goes on from its file";
    EXPECT_THROW(optimum(68, options), Error) << "times of processors at once are others";
}

// One line a size and objective: that of the last search.
TEST_F(Optimize, TheFileKeepsWhatWasChosen)
{
    const auto lines = [&] {
        std::vector<std::string> chosen;
        const auto platform = read_platform(file_);
        std::ranges::copy_if(platform.facts.lines(), std::back_inserter(chosen),
                             [](const auto &comment) { return comment.starts_with(" chosen "); });
        return chosen;
    };
    optimum(60, with_file());
    const std::string of_60 = " chosen time 60 = 20,40 ran 20 certified 0.05";
    EXPECT_EQ(lines(), std::vector{of_60});
    optimum(30, with_file());
    const std::vector both{of_60, std::string(" chosen time 30 = 6,24 ran 12 certified 0.05")};
    EXPECT_EQ(lines(), both);
    auto options = with_file();
    options.set_int("confirm", 0);
    optimum(60, options);
    EXPECT_EQ(lines(), both) << "a prediction takes nothing away";
}

// A rougher search may find less than an earlier one: the file's result runs, too, and stays if it takes less.
TEST_F(Optimize, TheFilesChoiceStaysUnlessAnotherTakesLess)
{
    const auto write_choice = [&](const std::string &x) {
        const auto text = read_file(file_);
        const auto begin = text.find("# chosen time 52 = ") + 19;
        write_file(file_, text.substr(0, begin) + x + text.substr(text.find(' ', begin)));
    };
    const auto split = [](const Optimum &one) { return one.rivals[one.winner].x; };
    const std::vector<std::int64_t> fastest{16, 36}, slower{24, 28};
    EXPECT_EQ(split(optimum(52, with_file())), fastest);
    write_choice("24,28");
    const auto again = optimum(52, with_file());
    EXPECT_EQ(split(again), fastest);
    EXPECT_EQ(again.rivals.back().method, "earlier");
    EXPECT_EQ(again.rivals.back().x, slower);
    for (const auto *wrong : {"65,-13", "52,0,0"}) { // no result of a search
        write_choice(wrong);
        EXPECT_NE(optimum(52, with_file()).rivals.back().method, "earlier") << wrong;
    }

    std::filesystem::remove(file_);
    auto roughly = with_file();
    roughly.set_double("precision", 0.9);
    ASSERT_NE(split(optimum(52, roughly)), fastest);
    write_choice("16,36");
    for (int call = 0; call < 2; ++call) {
        const auto kept = optimum(52, roughly);
        EXPECT_EQ(kept.rivals[kept.winner].method, "earlier") << call;
        EXPECT_EQ(split(kept), fastest) << call;
    }
}

TEST_F(Optimize, NamesMethodsOfTheSameDistribution)
{
    auto options = with_file();
    options.set_text("shares", "1:2");
    const auto found = optimum(60, options);
    const auto &same = found.rivals.front().same_split;
    EXPECT_NE(std::find(same.begin(), same.end(), "shares"), same.end());
    const auto rows = std::get<Report::Rows>(report_of(found).get("baselines"));
    const auto named = std::get<Report::Rows>(rows.front().get("same_split"));
    EXPECT_EQ(std::get<std::string>(named.back().get("method")), "shares");
    std::size_t all = found.rivals.size();
    for (const auto &rival : found.rivals) all += rival.same_split.size();
    EXPECT_EQ(all, 6U) << "optimal, four baselines and the shares";
}

TEST_F(Optimize, CoarseTimesCertifyNothing)
{
    Team team;
    for (const double speed : {10.0, 5.0}) // 45 ms are printed as 0.04 or 0.05
        add_timed(team, speed == 10 ? "slow" : "fast", [speed](const Slice &slice) {
            return std::round(speed * static_cast<double>(slice.rows) / 10) / 100;
        });
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 12, up_to(12), {}));
    EXPECT_FALSE(found.certificate.certified);
    EXPECT_EQ(found.rivals.front().method, "chosen") << "only a certified one is called optimal";
    EXPECT_EQ(choice_of(found).certified, std::nullopt);
    EXPECT_NE(found.note.find("times in steps of 0.01 s"), std::string::npos) << found.note;
    EXPECT_EQ(Report::format(report_of(found).get("stop_reason")), "exhausted");
}

TEST_F(Optimize, KeepsAllThatItMeasuredAndGoesOnFromIt)
{
    auto options = with_file();
    options.set_int("confirm", 0);
    const auto first = optimum(60, options);
    const auto kept = read_platform(file_);
    std::size_t points = 0;
    for (std::int64_t i = 0; i < kept.count(); ++i) {
        points += kept.points(i).count();
        ASSERT_TRUE(kept.points(i).intervals);
        for (std::size_t k = 0; k < kept.points(i).count(); ++k) {
            EXPECT_NEAR(kept.points(i).seconds[k], jagged(kept.points(i).sizes[k], i == 0 ? 1 : 2), 1e-9);
            EXPECT_GE(kept.points(i).intervals->repetitions[k], 2);
        }
    }
    EXPECT_EQ(points, static_cast<std::size_t>(first.measured_points));
    const auto again = optimum(60, options);
    EXPECT_TRUE(again.certificate.certified);
    EXPECT_LT(again.counts.repetitions, first.counts.repetitions / 3) << "what the file has is not measured again";
    const auto other = optimum(48, options);
    EXPECT_EQ(other.rivals[other.winner].x, (std::vector<std::int64_t>{16, 32}));
}

// The second processor's larger sizes would be faster; the caller left them out.
TEST_F(Optimize, NoDistributionHasASizeThatTheFileAloneHas)
{
    for (const auto objective : {Objective::time, Objective::sum_time}) {
        std::filesystem::remove(file_);
        auto options = with_file();
        const auto call = [&](std::int64_t largest) {
            return optimize(team_, OptimizeRequest::from(objective, 60, up_to(largest), options));
        };
        call(64);
        const auto found = call(30);
        EXPECT_EQ(found.rivals.size(), 1U) << "30 + 30 is the only one";
        EXPECT_EQ(found.rivals[found.winner].x, (std::vector<std::int64_t>{30, 30}));
        EXPECT_GE(found.value.value, found.certificate.lower);
    }
}

// As programs are; every second run is 60 times as long. A run takes 20 seconds of the clock unless the same kernel ran last: it may run a
// million times while the others wait for a core.
class UncertainKernel final : public Kernel
{
  public:
    UncertainKernel(support::FakeClock &clock, std::atomic<const Kernel *> &last) : clock_(clock), last_(last) {}
    void prepare(const Slice &slice) override { rows_ = slice.rows; }
    void run() override
    {
        if (last_.exchange(this) != this) clock_.advance(20);
        seconds_ = static_cast<double>(rows_) * (++runs_ % 2 == 0 ? 60 : 1);
    }
    void release() noexcept override {}
    std::optional<double> own_seconds() const override { return seconds_; }
    bool is_interruptible() const override { return true; }
    void interrupt() noexcept override {}

  private:
    support::FakeClock &clock_;
    std::atomic<const Kernel *> &last_;
    std::int64_t rows_ = 0, runs_ = 0;
    double seconds_ = 0;
};

TEST_F(Optimize, ASearchThatIsNeverCertainReturnsTheBestWithinItsBudget)
{
    for (const int confirm : {0, 1}) {
        support::FakeClock clock;
        std::atomic<const Kernel *> last = nullptr;
        Team team;
        for (const auto *name : {"a", "b"}) team.add({name, std::make_unique<UncertainKernel>(clock, last), {}});
        Options options;
        options.set_double("max_total_seconds", 20000);
        options.set_text("contaminated", "kept"); // the real machine disturbs, which the clock does not see
        options.set_int("confirm", confirm);
        const auto found = optimize(team, OptimizeRequest::from(Objective::time, 9, up_to(9), options));
        EXPECT_TRUE(found.time_was_up);
        EXPECT_FALSE(found.certificate.certified);
        EXPECT_FALSE(found.rivals.front().x.empty());
    }
}

// From the comparison on, as beside other programs, each run takes a tenth of the budget: two rounds would take many budgets.
TEST_F(Optimize, ABudgetEndsTheComparisonOfKernels)
{
    support::FakeClock clock(0.06); // progress is told 20 times a second
    constexpr double budget = 1e5;
    double seconds_of_run = 0;
    Team team;
    for (const double speed : {1.0, 2.0})
        add_timed(team, speed == 1 ? "slow" : "fast", [&, speed](const Slice &slice) {
            clock.advance(seconds_of_run);
            return jagged(slice.rows, speed);
        });
    Options options;
    options.set_double("max_total_seconds", budget);
    options.set_text("contaminated", "kept"); // the real machine disturbs, which the clock does not see
    Control control(std::make_shared<ProgressCallback>([&](double, const char *what) {
                        if (std::string_view(what).starts_with("comparing")) seconds_of_run = budget / 10;
                        return 0;
                    }),
                    infinity, 1);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 47, up_to(47), options), control);
    ASSERT_GT(seconds_of_run, 0) << "there is a comparison";
    EXPECT_LE(clock.seconds(), budget + 4 * seconds_of_run + 1e4) << "a warm-up and a run of each processor, and looks";
    EXPECT_FALSE(found.race);
    EXPECT_NE(found.race_failure.find("ended while the processors ran"), std::string::npos) << found.race_failure;
    EXPECT_FALSE(found.rivals.front().x.empty());
}

TEST_F(Optimize, ProcessorsOfTwoSpeedsAreNamed)
{
    Team team;
    for (const auto *name : {"a", "b"})
        add_timed(team, name, [run = std::make_shared<int>(0)](const Slice &slice) {
            return static_cast<double>(slice.rows) * (++*run % 2 == 0 ? 60 : 1);
        });
    Options options;
    options.set_int("max_repetitions", 30);
    options.set_int("confirm", 0);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 9, up_to(9), options));
    EXPECT_FALSE(found.certificate.certified);
    EXPECT_TRUE(found.note.starts_with("two speeds at ")) << found.note;
    EXPECT_NE(found.note.find(" times are near "), std::string::npos) << found.note;
    EXPECT_EQ(Report::format(report_of(found).get("stop_reason")), "max_repetitions");
    EXPECT_EQ(optimum(60, options).note, "");
}

// The search needs few sizes; the usual methods choose among all.
TEST_F(Optimize, BaselinesAreThoseOfTheWholeFunctions)
{
    Platform whole(2);
    for (std::int64_t i = 0; i < 2; ++i) {
        std::vector<double> seconds;
        for (const auto size : up_to(64)) seconds.push_back(jagged(size, i == 0 ? 1 : 2));
        whole.set_time_function(i, up_to(64), seconds);
    }
    for (const std::int64_t size : {50, 61, 71, 90, 103}) {
        const auto found = optimum(size, {});
        for (const auto &rival : found.rivals) EXPECT_FALSE(rival.is_among_measured) << rival.method;
        for (const std::string method : {"equal", "cpm"}) {
            PartitionRequest request;
            request.size = size;
            request.method = method;
            Control control;
            const auto x = partition(whole, request, control).x;
            EXPECT_TRUE(
                std::any_of(found.rivals.begin(), found.rivals.end(), [&](const auto &one) { return one.x == x; }))
                << method << " " << size;
        }
    }
}

TEST_F(Optimize, BaselinesWithoutTimeTakeTheMeasuredSizesAndSaySo)
{
    support::FakeClock clock;
    Team team;
    for (const double speed : {1.0, 2.0})
        add_timed(team, speed == 1 ? "slow" : "fast", [&, speed](const Slice &slice) {
            if (speed == 1) clock.advance(1);
            return jagged(slice.rows, speed);
        });
    auto options = with_file();
    options.set_double("max_total_seconds", 12);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 61, up_to(64), options));
    EXPECT_FALSE(found.certificate.certified);
    EXPECT_TRUE(
        std::any_of(found.rivals.begin(), found.rivals.end(), [](const auto &one) { return one.is_among_measured; }));
    for (const auto &rival : found.rivals) {
        if (!rival.is_among_measured) continue;
        for (std::int64_t i = 0; i < 2; ++i) {
            const auto &points = found.platform.points(i);
            const auto part = rival.x[static_cast<std::size_t>(i)];
            EXPECT_TRUE(part == 0 || points.find(part) < points.count()) << rival.method;
        }
    }
}

// As profiles do, whose tests have the other reasons.
TEST_F(Optimize, RefusesFilesOfOtherMeasurements)
{
    const std::string medians = "# statistic = median\n", header = "processor,size,time\n";
    const auto expect_refused = [&](const std::string &content, const char *reason) {
        write_file(file_, content);
        expect_error(Status::invalid_argument, {reason}, [&] { optimum(60, with_file()); });
        EXPECT_EQ(read_file(file_), content);
    };
    expect_refused(header + "slow,4,4\nfast,4,2\n", "its times are means, this call's medians");
    expect_refused(medians + "# measured = one after another\n" + header + "slow,4,4\nfast,4,2\n",
                   "it was measured one after another, not all processors at once");
    expect_refused(medians + header + "slow,4,9\nfast,4,2\n", "'slow', size 4, takes 4 s now and 9 s in the file");
    write_file(file_, "");
    EXPECT_TRUE(optimum(60, with_file()).certificate.certified) << "an empty file is none";
}

TEST_F(Optimize, SizesThatFailAreLeftOut)
{
    add("breaks", [](std::int64_t size) -> double {
        if (size % 8 == 0) throw RunFailure("out of luck");
        return jagged(size, 1);
    });
    const auto found = optimum(60, with_file());
    EXPECT_TRUE(found.certificate.certified);
    EXPECT_NE(found.rivals[found.winner].x[2] % 8, 0);
    const auto comments = found.platform.facts.lines();
    EXPECT_TRUE(std::any_of(comments.begin(), comments.end(), [](const auto &line) {
        return line.find("breaks") != std::string::npos && line.find("out of luck") != std::string::npos;
    }));
}

TEST(OptimizeFailing, ASizeWhoseDistributionsFailedSaysSo)
{
    Team team;
    for (const auto *name : {"one", "other"})
        add_timed(team, name, [](const Slice &slice) -> double {
            if (slice.rows == 3) throw RunFailure("out of luck");
            return 1e-3 * static_cast<double>(slice.rows);
        });
    const std::vector<std::int64_t> sizes = {3, 5};
    expect_error(Status::infeasible,
                 {"size 8 exists", "; sizes that failed: one: 1 size, the first 3: out of luck; other"},
                 [&] { optimize(team, OptimizeRequest::from(Objective::time, 8, sizes, {})); });
}

TEST_F(Optimize, AKernelsErrorNamesProcessorAndSize)
{
    add("wrong", [](std::int64_t) -> double { fail(Status::callback, "the kernel returned 7"); });
    expect_error(Status::callback, {"processor 'wrong', size "}, [&] { optimum(60, with_file()); });
}

TEST_F(Optimize, ABaselineThatIsFasterIsTheAnswer)
{
    // Each alone is as its function says; together the second slows the first down, unless it gets half.
    std::atomic<std::int64_t> other{0};
    Team team;
    add_timed(team, "a", [&](const Slice &slice) { return jagged(slice.rows, 1) * (other > 33 ? 3 : 1); });
    add_timed(team, "b", [&](const Slice &slice) {
        other = slice.rows;
        return jagged(slice.rows, 2);
    });
    auto options = with_file();
    options.set_int("warmup", 3);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 64, up_to(64), options));
    ASSERT_TRUE(found.race.has_value());
    for (const auto &estimate : found.race->estimates)
        EXPECT_LE(found.race->estimates[found.winner].mean, estimate.mean * 1.05);
}

TEST_F(Optimize, TimeThatIsUpIsSaid)
{
    auto options = with_file();
    options.set_double("max_total_seconds", 0);
    EXPECT_EQ(error_of([&] { optimum(60, options); }).status(), Status::limit);
}

TEST_F(Optimize, WrongCallsSayWhatIsWrong)
{
    const auto message = [&](std::int64_t size, std::vector<std::int64_t> sizes) {
        return std::string(
            error_of([&] { optimize(team_, OptimizeRequest::from(Objective::time, size, sizes, {})); }).what());
    };
    EXPECT_NE(message(5, {1, 0}).find("sizes has 0"), std::string::npos);
    EXPECT_NE(message(5, {2, 4}).find("no distribution of size 5"), std::string::npos) << message(5, {2, 4});
    EXPECT_EQ(message(5, {2, 4}).find("interpolate"), std::string::npos) << "no option of this call";
}

} // namespace
} // namespace hpart
