// A node whose power is scripted: it takes base_watts all the time, and kernels burn the joules that they are told to. Its
// meters are exact, so that a wrong watt shows. Its time is a fake clock's.
#pragma once

#include "core/error.hpp"
#include "energy/meter.hpp"

#include "fake_kernel.hpp"
#include "support/fake_clock.hpp"
#include "support/function_source.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace hpart
{

class BurningWorld
{
  public:
    static constexpr double base_watts = 58;

    void burn(double joules) { burnt_.fetch_add(joules); }

    // Joules since the beginning at a time of this machine's clock, and that time. From the read'th reading on it fails, for some readings.
    Reading read()
    {
        if (fails_from >= 0 && ++reads_ > fails_from && reads_ <= fails_from + failures)
            fail(Status::device, "meter world: it was pulled out");
        const double now = seconds_since(start_);
        return {now, {base_watts * now + burnt_}};
    }

    std::atomic<int> fails_from{-1}, failures{1 << 20};
    void forget_reads() { reads_ = 0; }
    int reads() const { return reads_; }

    std::unique_ptr<Meter> meter(double interval, std::optional<BasePower> base = std::nullopt,
                                 Method method = Method::counter, std::optional<std::string> proc_root = std::nullopt)
    {
        Sensor sensor;
        sensor.traits = {"world", Quantity::joules, method, interval, {{"world", never_wraps}}};
        sensor.source = std::make_unique<support::FunctionSource>([this] { return read(); });
        return std::make_unique<Meter>(std::move(sensor), base, no_look, Calibration{}, std::move(proc_root));
    }

  private:
    Clock::time_point start_ = Clock::now();
    std::atomic<double> burnt_{0};
    std::atomic<int> reads_{0};
};

// A processor that burns joules a unit of size in this world, and takes a while of the clock for it.
inline std::shared_ptr<Calls> add_burner(Team &team, const std::string &name, BurningWorld &world, double joules)
{
    return add_timed(team, name, [&world, joules](const Slice &slice) {
        world.burn(joules * static_cast<double>(slice.rows));
        Clock::sleep_for(std::chrono::microseconds(100));
        return 1e-4;
    });
}

} // namespace hpart
