#include "core/error.hpp"
#include "core/file.hpp"
#include "kernels/registry.hpp"
#include "measurement/measure.hpp"

#include "calls.hpp"
#include "fake_kernel.hpp"
#include "support/fake_clock.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace hpart
{
namespace
{

using namespace std::chrono_literals;

MeasureSettings exactly(std::int64_t repetitions)
{
    auto settings = repeated<MeasureSettings>(repetitions);
    settings.rule.precision = 1;
    return settings;
}

TEST(Team, GivesOneProblemsRowsInOrder)
{
    Team team;
    add_fake(team, "a");
    add_fake(team, "b");
    const std::vector<std::int64_t> x = {3, 4};
    EXPECT_EQ(team.slices(x), (std::vector<Slice>{{0, 3}, {0, 4}})) << "the user's kernels share no problem";
    EXPECT_EQ(team.shared_kernel(), "");
    try {
        Team same, unlike;
        for (const auto *name : {"first", "second", "third"})
            same.add({name, make_builtin("dgemm", "cpu:0", "n=3,k=5").kernel, {}});
        unlike.add({"a", make_builtin("dgemm", "cpu:0", "n=3,k=5").kernel, {}});
        unlike.add({"b", make_builtin("dgemm", "cpu:0", "n=3,k=6").kernel, {}});
        const std::vector<std::int64_t> three = {3, 0, 4};
        EXPECT_EQ(same.shared_kernel(), "dgemm n=3 k=5");
        EXPECT_EQ(same.slices(three), (std::vector<Slice>{{0, 3}, {3, 0}, {3, 4}}));
        EXPECT_EQ(unlike.shared_kernel(), "");
        EXPECT_EQ(unlike.slices(x), (std::vector<Slice>{{0, 3}, {0, 4}}));
    } catch (const Error &error) {
        ASSERT_EQ(error.status(), Status::unsupported) << error.what();
    }
}

TEST(Team, RunsProcessorsAtTheSameTime)
{
    // Each kernel waits for the other inside its run: one after another they would wait until the deadline.
    Team team;
    std::array<std::atomic<int>, 2> entered{0, 0};
    std::atomic<bool> missed{false};
    for (const std::size_t i : {0, 1})
        add_fake(team, std::to_string(i), [&, i](const Slice &) {
            const int round = ++entered[i];
            const auto deadline = Clock::now() + 60s;
            while (entered[1 - i] < round && !missed) {
                if (Clock::now() > deadline) missed = true;
                std::this_thread::yield();
            }
        });
    TeamRun run(team, {{0, 1}, {0, 1}});
    for (int k = 0; k < 20 && !missed; ++k) {
        run.repeat({});
        const auto &spans = run.spans();
        EXPECT_LE(std::max(spans[0].begin, spans[1].begin), std::min(spans[0].end, spans[1].end)) << "no overlap";
    }
    EXPECT_FALSE(missed);
}

TEST(Team, LeavesProcessorsWithoutRowsIdle)
{
    Team team;
    const auto first = add_fake(team, "first"), idle = add_fake(team, "idle"), last = add_fake(team, "last");
    auto settings = exactly(5);
    settings.warmup = 3;
    settings.rule.precision = 1e-6;
    const auto result = measure(team, {{0, 2}, {0, 0}, {0, 7}}, settings, say_nothing);
    EXPECT_EQ(result.estimates.size(), 2U);
    EXPECT_EQ(idle->prepared + idle->run, 0);
    for (const auto &calls : {first, last}) {
        EXPECT_EQ(calls->prepared, 1);
        EXPECT_EQ(calls->run, 3 + result.repetitions);
        EXPECT_EQ(calls->released, 1);
    }
}

TEST(Team, ReportsTheShareOfTheTimeAndThePresentValue)
{
    support::FakeClock clock;
    Team team;
    add_timed(team, "a", [&, run = 0](const Slice &) mutable {
        clock.advance(1);
        return ++run % 2 == 0 ? 1.0 : 1.5;
    });
    auto settings = exactly(1000000);
    settings.warmup = 1;
    settings.rule.precision = 1e-9;
    settings.rule.max_seconds = 10;
    std::vector<double> fractions;
    std::vector<std::string> texts;
    const Poll poll([&](double fraction, const std::string &what) {
        fractions.push_back(fraction);
        texts.push_back(what);
    });
    const auto result = measure(team, {{0, 2}}, settings, poll);
    EXPECT_EQ(result.reason, StopReason::max_seconds);
    ASSERT_EQ(fractions.size(), 11U);
    EXPECT_EQ(fractions.front(), 0);
    for (std::size_t k = 1; k < fractions.size(); ++k)
        EXPECT_NEAR(fractions[k], static_cast<double>(k - 1) / 10, 1e-9) << k;
    EXPECT_EQ(texts.front(), "warming up");
    EXPECT_TRUE(texts.back().starts_with("1.22 s +- ")) << texts.back(); // (5 x 1 + 4 x 1.5) / 9
    EXPECT_TRUE(texts.back().ends_with(" % after 9 runs")) << texts.back();
}

TEST(Team, APollEndsWithTheBudget)
{
    support::FakeClock clock;
    const Budget budget(10);
    int reports = 0;
    const Poll poll([&] { ++reports; }, &budget, "no time is left");
    clock.advance(8);
    EXPECT_TRUE(budget.part(0.5).is_up());
    poll.check();
    clock.advance(2);
    expect_error(Status::limit, {"no time is left"}, [&] { poll.check(); });
    EXPECT_EQ(reports, 1);
    Team team;
    const auto calls = add_fake(team, "A");
    TeamRun run(team, {{0, 1}});
    EXPECT_THROW(run.repeat(poll), BudgetEnded);
    EXPECT_EQ(calls->run, 0);
}

TEST(Team, WritesAllSamplesWhenAsked)
{
    Team team;
    for (const auto *name : {"first", "idle", "last"}) add_fake(team, name);
    auto settings = exactly(3);
    settings.rule.precision = 1e-9;
    const support::Folder folder;
    settings.samples = folder.file();
    const auto result = measure(team, {{0, 2}, {0, 0}, {0, 7}}, settings, say_nothing);
    std::istringstream lines(read_file(settings.samples));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "processor,size,repetition,seconds,outlier");
    for (const std::size_t a : {0, 1})
        for (std::size_t r = 0; r < 3; ++r) {
            std::getline(lines, line);
            EXPECT_EQ(line.substr(0, line.rfind(',')),
                      text(a == 0 ? "first,2," : "last,7,", r, ',', result.samples[2 * r + a]));
        }
    EXPECT_FALSE(std::getline(lines, line));

    settings.samples = folder.file("no-such-folder/samples.csv");
    const auto calls = add_fake(team, "more");
    expect_error(Status::io, {}, [&] { measure(team, {{0, 0}, {0, 0}, {0, 0}, {0, 1}}, settings, say_nothing); });
    EXPECT_EQ(calls->run, 0);
}

TEST(Team, NamesTheProcessorThatFailedAndReleasesTheOthers)
{
    for (const bool in_callback : {true, false}) {
        Team team;
        const auto good = add_fake(team, "good");
        std::atomic<int> runs{0};
        const auto bad = add_fake(team, "bad", [&](const Slice &) {
            if (++runs < 3) return;
            if (in_callback) fail(Status::callback, "the kernel returned 7");
            throw std::runtime_error("a surprise");
        });
        const auto error = error_of([&] { measure(team, {{0, 4}, {0, 9}}, exactly(1000), say_nothing); });
        if (in_callback) {
            EXPECT_EQ(error.status(), Status::callback);
            EXPECT_STREQ(error.what(), "processor 'bad', size 9: the kernel returned 7");
        } else {
            EXPECT_EQ(error.status(), Status::internal);
            EXPECT_STREQ(error.what(), "processor 'bad', size 9: a surprise");
        }
        EXPECT_EQ(good->run, 3) << "all members run a repetition to its end";
        EXPECT_EQ(good->released, 1);
        EXPECT_EQ(bad->released, 1);
        runs = -1000; // the team can be used again
        measure(team, {{0, 4}, {0, 9}}, exactly(5), say_nothing);
    }
}

class FailsToPrepare final : public Kernel
{
  public:
    explicit FailsToPrepare(std::shared_ptr<Calls> calls) : calls_(std::move(calls)) {}
    void prepare(const Slice &) override { throw std::bad_alloc(); }
    void run() override { FAIL() << "run without being prepared"; }
    void release() noexcept override { ++calls_->released; }

  private:
    std::shared_ptr<Calls> calls_;
};

// A kernel that runs until it is interrupted, or for ten seconds.
class EndlessKernel final : public Kernel
{
  public:
    explicit EndlessKernel(std::atomic<bool> &was_interrupted) : was_interrupted_(was_interrupted) {}
    void prepare(const Slice &) override {}
    void run() override
    {
        std::unique_lock lock(mutex_);
        interrupted_.wait_for(lock, 10s, [this] { return was_interrupted_.load(); });
        throw RunFailure("was interrupted");
    }
    void release() noexcept override {}
    bool is_interruptible() const override { return true; }
    void interrupt() noexcept override
    {
        const std::lock_guard lock(mutex_);
        was_interrupted_ = true;
        interrupted_.notify_all();
    }

  private:
    std::atomic<bool> &was_interrupted_;
    std::mutex mutex_;
    std::condition_variable interrupted_;
};

TEST(Team, InterruptsTheOthersWhenOneBreaks)
{
    std::atomic<bool> was_interrupted = false;
    Team team;
    team.add({"waits", std::make_unique<EndlessKernel>(was_interrupted), {}});
    add_fake(team, "breaks", [](const Slice &) { fail(Status::callback, "the kernel returned 7"); });
    const auto error = error_of([&] { measure(team, {{0, 3}, {0, 4}}, exactly(2), say_nothing); });
    EXPECT_STREQ(error.what(), "processor 'breaks', size 4: the kernel returned 7");
    EXPECT_TRUE(was_interrupted);
}

TEST(Team, ReleasesAllWhenOneCannotPrepare)
{
    Team team;
    const auto good = add_fake(team, "good");
    auto bad = std::make_shared<Calls>();
    team.add({"bad", std::make_unique<FailsToPrepare>(bad), {}});
    const auto error = error_of([&] { TeamRun run(team, {{0, 1}, {0, 2}}); });
    EXPECT_EQ(error.status(), Status::out_of_memory);
    EXPECT_STREQ(error.what(), "processor 'bad', size 2: out of memory");
    EXPECT_EQ(good->released, 1);
    EXPECT_EQ(bad->released, 1);
    EXPECT_EQ(good->run, 0);
}

TEST(Team, CallsBackFromTheCallingThreadOnlyAndStopsWhenToldTo)
{
    Team team;
    const auto calls = add_fake(team, "a");
    add_fake(team, "b");
    const auto caller = std::this_thread::get_id();
    int told = 0;
    const Poll stop([&] {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        if (++told == 5) fail(Status::cancelled, "enough");
    });
    auto settings = exactly(100);
    settings.rule.min_repetitions = 50;
    settings.rule.max_repetitions = 100;
    EXPECT_EQ(error_of([&] { measure(team, {{0, 1}, {0, 1}}, settings, stop); }).status(), Status::cancelled);
    EXPECT_EQ(calls->run, 4);
    EXPECT_EQ(calls->released, 1);
}

// A built-in kernel whose result can be made wrong.
class FakeBuiltin final : public BuiltinKernel
{
  public:
    explicit FakeBuiltin(double error) : error_(error) {}
    void prepare(const Slice &slice) override { values_.assign(static_cast<std::size_t>(slice.rows), 1.0); }
    void run() override {}
    void release() noexcept override { values_.clear(); }
    std::string description() const override { return "fake n=1"; }
    std::span<const double> result() const override { return values_; }
    Check check(std::span<const SliceResult> slices) const override
    {
        std::int64_t next = 0;
        for (const auto &[slice, values] : slices) {
            EXPECT_EQ(slice.first, next);
            EXPECT_EQ(values.size(), static_cast<std::size_t>(slice.rows));
            next += slice.rows;
        }
        return {error_, 1e-10};
    }

  private:
    double error_;
    std::vector<double> values_;
};

TEST(Execute, ChecksTheWholeProblemAndTellsWhenItIsWrong)
{
    const std::vector<std::int64_t> x = {2, 0, 5};
    for (const double wrong : {0.0, 1e-11, 1e-9, std::numeric_limits<double>::quiet_NaN()}) {
        Team team;
        for (const auto *name : {"a", "b", "c"}) team.add({name, std::make_unique<FakeBuiltin>(wrong), {}});
        const auto error = error_of([&] {
            const auto result = execute(team, x, 1, true);
            EXPECT_EQ(result.check->max_relative_error, wrong);
            EXPECT_EQ(result.seconds[1], 0);
        });
        EXPECT_EQ(error.status(), wrong <= 1e-10 ? Status::success : Status::numerical) << error.what();
        EXPECT_FALSE(execute(team, x, 1, false).check.has_value());
    }
}

TEST(ReportOfAMeasurement, HasAnEntryAProcessor)
{
    Measurement measurement;
    measurement.repetitions = 2;
    measurement.precise = false;
    measurement.reason = StopReason::max_seconds;
    measurement.estimates = {{1, 0.5, 1.5, 1, 1.25, 0.75}};
    measurement.samples = {0.75, 1.25};
    const std::vector<std::size_t> active = {1};
    const auto report = report_of(measurement, {}, active, 3);
    const auto text_of = [&](const char *key) { return Report::format(report.get(key)); };
    EXPECT_EQ(text_of("repetitions"), "2");
    EXPECT_EQ(text_of("interval_low"), "0 0.5 0");
    EXPECT_EQ(text_of("interval_high"), "0 1.5 0");
    EXPECT_EQ(text_of("median"), "0 1.25 0");
    EXPECT_EQ(text_of("minimum"), "0 0.75 0");
    EXPECT_EQ(text_of("samples"), "0 0.75 0 0 1.25 0");
    EXPECT_EQ(text_of("outliers"), "0 0 0");
    EXPECT_EQ(text_of("outlier_flags"), "0 0 0 0 0 0");
    EXPECT_EQ(text_of("median_low"), "0 nan 0") << "two samples bound no median";
    EXPECT_EQ(text_of("normality_test"), "none");
    EXPECT_EQ(text_of("normality_p"), "0 nan 0");
    EXPECT_EQ(text_of("drift"), "0 0 0");
    EXPECT_EQ(text_of("drift_p"), "0 nan 0");
    EXPECT_EQ(text_of("serial_correlation"), "0 -0.5 0");
    EXPECT_EQ(text_of("serial_correlation_p"), "0 nan 0");
    EXPECT_EQ(text_of("stop_reason"), "max_seconds");
    EXPECT_EQ(text_of("precision_reached"), "0");
}

TEST(ReportOfAMeasurement, FlagsWhatIsOddAndKeepsIt)
{
    // The first processor warms up; the second has one disturbed run.
    Measurement measurement;
    measurement.repetitions = 12;
    measurement.estimates = {{1, 0.5, 1.5, 1, 1.25, 0.75}, {1, 0.5, 1.5, 1, 1.25, 0.75}};
    for (int r = 0; r < 12; ++r) {
        measurement.samples.push_back(2 - 0.05 * r);
        measurement.samples.push_back(r == 7 ? 9 : 1 + 0.01 * (r * 5 % 12));
    }
    const std::vector<std::size_t> active = {0, 2};
    const auto report = report_of(measurement, {}, active, 3);
    const auto numbers = [&](const char *key) { return std::get<std::vector<double>>(report.get(key)); };
    EXPECT_EQ(numbers("outliers"), (std::vector<double>{0, 0, 1}));
    ASSERT_EQ(numbers("outlier_flags").size(), 36U);
    EXPECT_EQ(numbers("outlier_flags")[7 * 3 + 2], 1);
    EXPECT_EQ(numbers("samples")[7 * 3 + 2], 9);
    EXPECT_LT(numbers("drift")[0], -0.2);
    EXPECT_LT(numbers("drift_p")[0], 1e-6);
    EXPECT_GT(numbers("drift_p")[2], 0.05);
    EXPECT_GT(numbers("serial_correlation")[0], 0.7);
    EXPECT_LT(numbers("serial_correlation_p")[0], 0.01);
    EXPECT_GT(numbers("serial_correlation_p")[2], 0.05);
    EXPECT_LT(numbers("normality_p")[2], 1e-4);
    EXPECT_GT(numbers("normality_p")[0], 0.05);
    EXPECT_EQ(numbers("median_low")[2], 1.02); // ranks 3 and 10 of 12
    EXPECT_EQ(numbers("median_high")[2], 1.09);
}

} // namespace
} // namespace hpart
