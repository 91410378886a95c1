// Processors of simulated times and joules, and their node's meter, whose clock is theirs: nothing waits, and every value is exact.
#pragma once

#include "energy/meter.hpp"

#include "fake_kernel.hpp"
#include "support/function_source.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace hpart
{

class SimulatedWorld
{
  public:
    using Value = std::function<double(std::int64_t size)>;
    static constexpr double base_watts = 10;

    void add(Team &team, const std::string &name, Value seconds, Value joules)
    {
        add_timed(team, name, [this, seconds = std::move(seconds), joules = std::move(joules)](const Slice &slice) {
            const double taken = seconds(slice.rows);
            seconds_.fetch_add(taken);
            joules_.fetch_add(joules(slice.rows));
            return taken;
        });
    }

    std::unique_ptr<Meter> meter()
    {
        Sensor sensor;
        sensor.traits = {"world", Quantity::joules, Method::counter, 1e-5, {{"world", never_wraps}}};
        sensor.traits.real_time = false;
        sensor.source = std::make_unique<support::FunctionSource>([this] {
            const double seconds = seconds_;
            return Reading{seconds, {base_watts * seconds + joules_}};
        });
        return std::make_unique<Meter>(std::move(sensor), BasePower{base_watts, 0});
    }

  private:
    std::atomic<double> seconds_{0}, joules_{0};
};

} // namespace hpart
