// Batches of kernels that tell simulated times, judged by counters that are told which repetitions were disturbed.
#include "core/error.hpp"
#include "measurement/batches.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace hpart
{
namespace
{

constexpr double clean_seconds = 0.02, disturbed_seconds = 0.03;

// The common state of one processor's kernel and counters.
struct DisturbedMachine {
    std::vector<bool> disturbed; // by run, warm-ups included; none beyond the last
    std::size_t runs = 0;
    double waited = 0;
};

class DisturbedKernel final : public Kernel
{
  public:
    explicit DisturbedKernel(DisturbedMachine &machine) : machine_(machine) {}
    void prepare(const Slice & /*slice*/) override {}
    void run() override
    {
        const auto r = machine_.runs++;
        const bool is_disturbed = r < machine_.disturbed.size() && machine_.disturbed[r];
        last_ = is_disturbed ? disturbed_seconds : clean_seconds;
        if (is_disturbed) machine_.waited += disturbed_seconds - clean_seconds;
    }
    void release() noexcept override {}
    std::optional<double> own_seconds() const override { return last_; }

  private:
    DisturbedMachine &machine_;
    double last_ = 0;
};

class ToldCounters final : public Counters
{
  public:
    explicit ToldCounters(const DisturbedMachine &machine) : machine_(machine) {}
    ThreadCounts threads() override { return {{machine_.waited}, {}, {}, 0}; }
    MachineCounts machine() override { return {}; }
    double cores() const override { return 1; }
    bool are_unwatched() const override { return false; }

  private:
    const DisturbedMachine &machine_;
};

class Batches : public testing::Test
{
  protected:
    Batches()
    {
        team_.add({"one", std::make_unique<DisturbedKernel>(machine_), {}});
        rules_.counters = [this](const Member & /*member*/) { return std::make_unique<ToldCounters>(machine_); };
    }

    BatchCounts run(std::vector<std::int64_t> repetitions)
    {
        BatchCounts counts;
        std::vector<BatchCounts> so_far(1);
        seconds_.clear();
        for (const auto count : repetitions) {
            Batch batch{0, 8, count, {}, ""};
            counts.add(run_batches(team_, {&batch, 1}, rules_, so_far, Poll()));
            EXPECT_EQ(static_cast<std::int64_t>(batch.seconds.size()), count);
            seconds_.insert(seconds_.end(), batch.seconds.begin(), batch.seconds.end());
        }
        return counts;
    }

    std::int64_t kept() const { return std::count(seconds_.begin(), seconds_.end(), disturbed_seconds); }

    DisturbedMachine machine_;
    Team team_;
    BatchRules rules_;
    std::vector<double> seconds_;
};

TEST_F(Batches, RepeatDisturbedRepetitions)
{
    // The first of each batch is a warm-up.
    machine_.disturbed = {true, false, true, false, false, true, true};
    const auto counts = run({3, 2});
    EXPECT_EQ(counts.contaminated, 2);
    EXPECT_EQ(counts.dropped, 2);
    EXPECT_EQ(counts.repetitions, 7);
    EXPECT_EQ(kept(), 0);
    EXPECT_EQ(counts.busy(), "");
    EXPECT_DOUBLE_EQ(counts.seconds, 5 * clean_seconds + 2 * disturbed_seconds);
}

TEST_F(Batches, RepeatAThirdAtMost)
{
    machine_.disturbed.assign(1000, true);
    const auto counts = run({5, 5, 5, 5});
    EXPECT_EQ(counts.contaminated, counts.repetitions);
    EXPECT_LE(3 * counts.dropped, counts.repetitions + 2);
    EXPECT_GE(counts.dropped, counts.repetitions / 4);
    EXPECT_EQ(counts.repetitions, 20 + counts.dropped);
    EXPECT_NE(counts.busy().find("were disturbed: the threads waited for a core"), std::string::npos) << counts.busy();
}

TEST_F(Batches, KeepDisturbedRepetitionsWhereAsked)
{
    rules_.repeats_contaminated = false;
    machine_.disturbed = {false, true, false, false, false, false, false, true};
    const auto counts = run({4, 3});
    EXPECT_EQ(counts.contaminated, 2);
    EXPECT_EQ(counts.repetitions, 7);
    EXPECT_EQ(kept(), 2);
    EXPECT_EQ(counts.busy(), "");
}

TEST_F(Batches, AreNotJudgedWithoutCounters)
{
    rules_.counters = {};
    machine_.disturbed.assign(10, true);
    const auto counts = run({4});
    EXPECT_EQ(counts.contaminated, 0);
    EXPECT_EQ(kept(), 4);
}

// Tells of each run whether the others were prepared when it began and when it ended, as 1 or 0 seconds.
class WatchedKernel final : public Kernel
{
  public:
    WatchedKernel(std::atomic<int> &prepared, int all) : prepared_(prepared), all_(all) {}

    void prepare(const Slice &slice) override
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (slice.rows == failing) throw RunFailure("too large");
        if (slice.rows == broken) fail(Status::callback, "no such device");
        ++prepared_;
        is_prepared_ = true;
        is_flaky_ = slice.rows == flaky;
        runs_ = 0;
    }
    void run() override
    {
        if (is_flaky_ && ++runs_ > 3) throw RunFailure("out of luck"); // after a warm-up and two repetitions
        const bool had_company = prepared_ == all_;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        last_ = had_company && prepared_ == all_ ? 1 : 0;
    }
    void release() noexcept override
    {
        prepared_ -= is_prepared_ ? 1 : 0;
        is_prepared_ = false;
    }
    std::optional<double> own_seconds() const override { return last_; }

    static constexpr std::int64_t failing = 13, broken = 17, flaky = 19;

  private:
    std::atomic<int> &prepared_;
    const int all_;
    bool is_prepared_ = false, is_flaky_ = false;
    int runs_ = 0;
    double last_ = 0;
};

class BatchesInStep : public testing::Test
{
  protected:
    BatchesInStep()
    {
        for (const auto *name : {"one", "two", "three"})
            team_.add({name, std::make_unique<WatchedKernel>(prepared_, 3), {}});
    }

    std::atomic<int> prepared_ = 0;
    Team team_;
    const BatchRules rules_;
    std::vector<BatchCounts> so_far_ = std::vector<BatchCounts>(3);
};

TEST_F(BatchesInStep, CountWhatRunsWhileAllRun)
{
    for (const auto &repetitions : {std::vector<std::int64_t>{3, 7, 1}, {9, 1, 1}, {0, 8, 2}, {1, 0, 0}}) {
        std::vector<Batch> batches;
        for (std::size_t i = 0; i < 3; ++i) batches.push_back({i, 8, repetitions[i], {}, ""});
        run_batches(team_, batches, rules_, so_far_, Poll());
        for (const auto &batch : batches)
            EXPECT_EQ(batch.seconds, std::vector<double>(static_cast<std::size_t>(batch.repetitions), 1));
        EXPECT_EQ(prepared_, 0);
    }
}

TEST_F(BatchesInStep, GoOnWithoutAProcessorWhoseSizeFails)
{
    std::vector<Batch> batches{{0, 13, 3, {}, ""}, {1, 8, 3, {}, ""}, {2, 8, 3, {}, ""}};
    run_batches(team_, batches, rules_, so_far_, Poll());
    for (const auto &batch : batches) {
        EXPECT_EQ(batch.failure, batch.size == 13 ? "too large" : "");
        EXPECT_EQ(batch.seconds.size(), batch.size == 13 ? 0U : 3U);
    }
    EXPECT_EQ(prepared_, 0);
}

TEST_F(BatchesInStep, AFailureInCompanyLosesNothing)
{
    std::vector<Batch> batches{{0, 19, 2, {}, ""}, {1, 8, 200, {}, ""}};
    run_batches(team_, batches, rules_, so_far_, Poll());
    EXPECT_EQ(batches[0].failure, "");
    EXPECT_EQ(batches[0].seconds.size(), 2U);
    EXPECT_EQ(batches[1].seconds.size(), 200U);
}

TEST_F(BatchesInStep, EndWhenAProcessorBreaks)
{
    for (std::size_t which = 0; which < 3; ++which) {
        std::vector<Batch> batches;
        for (std::size_t i = 0; i < 3; ++i) batches.push_back({i, i == which ? 17 : 8, 1000000000, {}, ""});
        support::expect_error(Status::callback, {"size 17: no such device"},
                              [&] { run_batches(team_, batches, rules_, so_far_, Poll()); });
        EXPECT_EQ(prepared_, 0);
    }
}

TEST_F(BatchesInStep, EndWhenLookThrows)
{
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < 3; ++i) batches.push_back({i, 8, 1000000000, {}, ""});
    int looks = 0;
    const Poll poll([&] {
        if (++looks == 3) fail(Status::cancelled, "enough");
    });
    EXPECT_THROW(run_batches(team_, batches, rules_, so_far_, poll), Error);
    EXPECT_EQ(prepared_, 0);
}

} // namespace
} // namespace hpart
