#include "measurement/batches.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "host/crew.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace hpart
{

namespace
{

class BatchRun
{
  public:
    BatchRun(const Team &team, std::span<Batch> batches, std::int64_t warmup)
        : team_(team), warmup_(warmup), of_(team.count())
    {
        for (auto &batch : batches) of_[batch.processor].push_back(&batch);
        for (std::size_t i = 0; i < of_.size(); ++i)
            if (!of_[i].empty()) active_.push_back(i);
    }

    void run(const std::function<void()> &look)
    {
        std::vector<CoreList> bindings;
        for (const auto i : active_) bindings.push_back(team_.member(i).cores);
        if (active_.empty()) return;
        Crew crew(bindings);
        crew.run([&](std::size_t a) { run_all_of(active_[a]); },
                 [&] {
                     try {
                         look();
                     } catch (...) {
                         stop();
                         throw;
                     }
                 });
    }

    double longest() const
    {
        double longest = 0;
        for (const auto &batches : of_) {
            double sum = 0;
            for (const auto *batch : batches) sum = std::accumulate(batch->seconds.begin(), batch->seconds.end(), sum);
            longest = std::max(longest, sum);
        }
        return longest;
    }

  private:
    void stop()
    {
        is_stopped_ = true;
        for (const auto i : active_) team_.member(i).kernel->interrupt();
    }

    void run_all_of(std::size_t i)
    {
        auto &kernel = *team_.member(i).kernel;
        for (auto *batch : of_[i]) {
            if (is_stopped_) return;
            try {
                kernel.prepare({0, batch->size});
                for (std::int64_t r = -warmup_; r < batch->repetitions && !is_stopped_; ++r) {
                    const auto begin = Clock::now();
                    kernel.run();
                    const double seconds = kernel.own_seconds().value_or(seconds_since(begin));
                    if (r >= 0) batch->seconds.push_back(seconds);
                }
                kernel.release();
            } catch (const RunFailure &failure) {
                kernel.release();
                batch->seconds.clear();
                batch->failure = failure.what();
            } catch (const Error &error) {
                kernel.release();
                is_stopped_ = true;
                fail(error.status(), "processor ", in_quotes(team_.member(i).name), ", size ", batch->size, ": ",
                     error.what());
            } catch (...) {
                kernel.release();
                is_stopped_ = true;
                throw;
            }
        }
    }

    const Team &team_;
    const std::int64_t warmup_;
    std::vector<std::vector<Batch *>> of_; // by processor
    std::vector<std::size_t> active_;
    std::atomic<bool> is_stopped_ = false;
};

} // namespace

double run_batches(const Team &team, std::span<Batch> batches, std::int64_t warmup, const std::function<void()> &look)
{
    BatchRun run(team, batches, warmup);
    run.run(look);
    return run.longest();
}

} // namespace hpart
