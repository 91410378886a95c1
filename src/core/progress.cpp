#include "core/progress.hpp"

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/pluralise.hpp"

namespace hpart
{

namespace
{
// Beyond this a time limit is none: the clock's own range is about 292 years.
constexpr double longest_limit_seconds = 1e9;
constexpr auto telling_interval = std::chrono::milliseconds(50);
constexpr std::int64_t usual_memory_limit = std::int64_t{1} << 30;
} // namespace

Control::Control(std::shared_ptr<const ProgressCallback> progress, double time_limit_seconds,
                 std::int64_t memory_limit_bytes)
    : progress_(std::move(progress)), start_(Clock::now()), end_(start_), last_told_(start_ - telling_interval),
      time_limit_seconds_(time_limit_seconds), memory_limit_(memory_limit_bytes),
      has_time_limit_(time_limit_seconds < longest_limit_seconds)
{
    if (has_time_limit_)
        end_ = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit_seconds));
}

Control Control::from(const Options &options)
{
    Control control(options.progress(),
                    options.find_double("time_limit").value_or(std::numeric_limits<double>::infinity()),
                    options.find_int("memory_limit").value_or(usual_memory_limit));
    control.timeline_ = options.timeline();
    return control;
}

Control Control::of_work(std::int64_t most_units, std::int64_t memory_limit_bytes)
{
    Control control(nullptr, std::numeric_limits<double>::infinity(), memory_limit_bytes);
    control.work_left_ = most_units;
    return control;
}

std::string Control::limit_met() const
{
    if (time_is_up()) return text("option time_limit, ", pluralise(time_limit_seconds_, "second"), ", was reached");
    return text("option memory_limit, ", pluralise(memory_limit_, "byte"), ", was reached");
}

void Control::report_progress(double fraction, const char *what)
{
    if (progress_ && Clock::now() - last_told_ >= telling_interval) announce(fraction, what);
}

void Control::announce(double fraction, const char *what)
{
    if (!progress_) return;
    last_told_ = Clock::now();
    if ((*progress_)(fraction, what) != 0) fail(Status::cancelled, "the progress callback stopped the call at: ", what);
}

} // namespace hpart
