#include "calibration.hpp"

#include "child.hpp"
#include "core/pluralise.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace hpart_command
{

namespace
{

constexpr int idle_windows = 5, fewest_busy_windows = 3;

Report report_about(const Meter &meter)
{
    Report report;
    check(hpart_meter_report(meter.get(), Filled(report)));
    return report;
}

// Windows of both meters at once, one after another.
class PairedWindows
{
  public:
    PairedWindows(const Meter &meter, const Meter &reference)
        : meters_{meter.get(), reference.get()},
          seconds_(std::max(report_double(report_about(meter), "minimum_window").value(),
                            report_double(report_about(reference), "minimum_window").value()))
    {
    }

    // False if stop() ended it: nothing is kept then.
    bool take()
    {
        for (auto *meter : meters_) require_success(hpart_meter_start(meter));
        const bool is_whole = wait_for_end();
        std::vector<double> watts;
        for (auto *meter : meters_) {
            double joules = 0, seconds = 0;
            require_success(hpart_meter_stop(meter, &joules, &seconds));
            watts.push_back(joules / seconds);
        }
        if (!is_whole) return false;
        watts_.push_back(watts.front());
        reference_.push_back(watts.back());
        return true;
    }
    void stop()
    {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
    }

    double seconds() const { return seconds_; }
    const std::vector<double> &watts() const { return watts_; }
    const std::vector<double> &reference() const { return reference_; }

  private:
    // A signal does not end a wait: it is looked for.
    bool wait_for_end()
    {
        using Clock = std::chrono::steady_clock;
        constexpr auto look_every = std::chrono::milliseconds(50);
        const auto end =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_));
        std::unique_lock lock(mutex_);
        for (auto now = Clock::now(); now < end; now = Clock::now()) {
            if (stopping_ || interrupted_by() != 0) return false;
            changed_.wait_until(lock, std::min<Clock::time_point>(end, now + look_every));
        }
        return true;
    }
    // The library's message is of this thread.
    static void require_success(hpart_status status)
    {
        if (status != HPART_SUCCESS) throw Failure(exit_meter_failed, last_error_text());
    }

    std::vector<hpart_meter *> meters_;
    double seconds_;
    std::vector<double> watts_, reference_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
};

int run_measured(PairedWindows &windows, const std::vector<std::string> &command, bool output_to_stderr)
{
    std::exception_ptr failure;
    std::thread thread([&] {
        try {
            while (windows.take()) {}
        } catch (...) {
            failure = std::current_exception();
        }
    });
    const int status = run_child(command, output_to_stderr);
    windows.stop();
    thread.join();
    if (failure) std::rethrow_exception(failure);
    return status;
}

std::string calibration_for_people(const Json &result)
{
    const auto number = [&](const char *key) { return result[key].get<double>(); };
    Table table({"", ">value", ">from", ">to"});
    table.add({"meter_scale", fixed_text(number("scale"), 4), fixed_text(number("scale_low"), 4),
               fixed_text(number("scale_high"), 4)});
    table.add({"meter_offset [W]", fixed_text(number("offset"), 2), fixed_text(number("offset_low"), 2),
               fixed_text(number("offset_high"), 2)});
    return table.text() + text("\n", hpart::pluralise(result["windows"].size(), "window"), " of ",
                               seconds_text(number("window_seconds")), ", ", fixed_text(number("residual"), 2),
                               " W about the line\nuse it: --meter ", result["meter"].get<std::string>(),
                               " --option meter_scale=", number("scale"), " --option meter_offset=", number("offset"),
                               "\n");
}

} // namespace

int run_calibration(const Common &common, const Meter &meter, const Meter &reference,
                    const std::vector<std::string> &command)
{
    PairedWindows windows(meter, reference);
    for (int k = 0; k < idle_windows; ++k)
        if (!windows.take() || interrupted_by() != 0) give_up("interrupted before the command was run");
    const int status = run_measured(windows, command, common.json);
    const auto count = windows.watts().size();
    if (count < idle_windows + fewest_busy_windows)
        give_up("the command ended after ", hpart::pluralise(count - idle_windows, "window"), " of ", windows.seconds(),
                " s; it must run for at least ", fewest_busy_windows);
    double scale = 0, offset = 0;
    Report report;
    check(hpart_meter_calibrate(static_cast<std::int64_t>(count), windows.watts().data(), windows.reference().data(),
                                &scale, &offset, Filled(report)));
    Json result;
    result["meter"] = report_text(report_about(meter), "meter");
    result["reference"] = report_text(report_about(reference), "meter");
    result["scale"] = scale;
    result["offset"] = offset;
    for (const auto *key : {"scale_low", "scale_high", "offset_low", "offset_high", "residual"})
        result[key] = report_double(report, key).value();
    result["window_seconds"] = windows.seconds();
    result["windows"] = Json::array();
    for (std::size_t k = 0; k < count; ++k)
        result["windows"].push_back(
            {{"idle", k < idle_windows}, {"watts", windows.watts()[k]}, {"reference_watts", windows.reference()[k]}});
    result["exit_status"] = status;
    emit(common, result, [&] { return calibration_for_people(result); });
    return status;
}

} // namespace hpart_command
