#include "out_of_card/gemm/queue_latency.hpp"

#include "out_of_card/in_card/padding.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hpart
{

namespace
{

constexpr const char *profile_name = "queue_latency";
constexpr double usual_step_seconds = 2e-3;
constexpr std::int64_t smallest_side = 16, largest_side = 4096, deepest = 512;
constexpr int step_count = 16;

// Steps of a product of square blocks; A, B and C stand one after another in one buffer.
class QueuedSteps
{
  public:
    QueuedSteps(DeviceSession &session, InCardGemm &kernel, const GemmRates &rates) : session_(session), kernel_(kernel)
    {
        if (bytes_of_side(side_) > room()) return;
        const auto is_short = [&] { return rates.seconds(side_, side_, depth()) < usual_step_seconds; };
        while (is_short() && side_ < largest_side && bytes_of_side(2 * side_) <= room()) side_ *= 2;
        is_usual_ = !is_short() || side_ == largest_side;
        const auto bytes = bytes_of_operands(side_);
        buffer_ = session.allocate(bytes);
        scratch_ = allocate_scratch(session, kernel, side_, side_, side_);
        const std::vector<char> zeros(static_cast<std::size_t>(bytes));
        Flow flow(session, control_);
        flow.write({buffer_.get(), 0, bytes}, zeros.data(), bytes, {1, bytes});
        flow.finish();
    }

    // As long as was wanted: what is measured holds for the device, not for this limit of its memory alone.
    bool is_usual() const { return is_usual_; }

    // The mean of the waits where a copy of a byte stands between each two steps; 0 where there is no room for a step.
    double wait_seconds()
    {
        if (!buffer_) return 0;
        std::vector<Event> events = {nullptr};
        Flow flow(session_, control_);
        for (int step = 0; step < step_count; ++step) {
            if (step > 0) events.push_back(flow.read({buffer_.get(), 0, 1}, &byte_, 1, {1, 1}, {events.back()}));
            events.push_back(flow.launch(kernel_.product(product()), {events.back()}));
            flow.next_step(0, ""); // this thread wakes up as well
        }
        flow.finish();
        std::vector<double> waits;
        for (auto next = events.begin() + 2; next != events.end(); ++next) {
            const auto interval = next[0]->interval(), before = next[-1]->interval();
            if (interval.end > 0 && before.end > 0) waits.push_back(interval.start - before.end);
        }
        const auto total = std::accumulate(waits.begin(), waits.end(), 0.0);
        return waits.empty() ? 0 : std::max(0.0, total / static_cast<double>(waits.size()));
    }

  private:
    std::int64_t room() const
    {
        return std::min(session_.memory_limit() - session_.used(), session_.info().largest_buffer_bytes);
    }
    std::int64_t elements_of(std::int64_t side) const { return side * padded_row(side, kernel_.type()); }
    std::int64_t bytes_of_operands(std::int64_t side) const
    {
        return session_.taken_by(3 * elements_of(side) * bytes_of(kernel_.type()));
    }
    std::int64_t bytes_of_side(std::int64_t side) const
    {
        return bytes_of_operands(side) + scratch_taken(session_, kernel_, side, side, side);
    }
    std::int64_t depth() const { return std::min(side_, deepest); }

    DeviceGemm product() const
    {
        DeviceGemm what;
        what.m = what.n = side_;
        what.k = depth();
        what.beta = 1;
        const auto each = elements_of(side_), ld = padded_row(side_, kernel_.type());
        what.a = {buffer_.get(), 0, ld};
        what.b = {buffer_.get(), each, ld};
        what.c = {buffer_.get(), 2 * each, ld};
        what.scratch = scratch_.get();
        return what;
    }

    DeviceSession &session_;
    InCardGemm &kernel_;
    Control control_;
    std::int64_t side_ = smallest_side;
    bool is_usual_ = false;
    SessionBuffer buffer_, scratch_;
    char byte_ = 0;
};

} // namespace

double measured_queue_latency(DeviceSession &session, InCardGemm &kernel, const GemmRates &rates)
{
    return *session.kept<const double>("queue latency", [&] {
        if (const auto kept = session.profile().numbers(profile_name); kept && kept->size() == 1 && kept->front() >= 0)
            return std::make_shared<const double>(kept->front());
        QueuedSteps trial(session, kernel, rates);
        const auto seconds = trial.wait_seconds();
        if (trial.is_usual()) session.profile().keep(profile_name, std::vector<double>{seconds});
        return std::make_shared<const double>(seconds);
    });
}

} // namespace hpart
