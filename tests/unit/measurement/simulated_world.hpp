// Processors of simulated times and joules, and their node's meter, whose clock is theirs: nothing waits, and every value is exact.
#pragma once

#include "energy/meter.hpp"
#include "measurement/team.hpp"

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

    // Repetitions of all processors.
    std::atomic<int> runs{0};

    void add(Team &team, const std::string &name, Value seconds, Value joules)
    {
        team.add({name, std::make_unique<Simulated>(*this, std::move(seconds), std::move(joules)), {}});
    }

    std::unique_ptr<Meter> meter()
    {
        Sensor sensor;
        sensor.traits = {"world", Quantity::joules, Method::counter, 1e-5, {{"world", never_wraps}}};
        sensor.traits.real_time = false;
        sensor.source = std::make_unique<Reader>(*this);
        return std::make_unique<Meter>(std::move(sensor), BasePower{base_watts, 0});
    }

  private:
    class Simulated final : public Kernel
    {
      public:
        Simulated(SimulatedWorld &world, Value seconds, Value joules)
            : world_(world), seconds_(std::move(seconds)), joules_(std::move(joules))
        {
        }
        void prepare(const Slice &slice) override { size_ = slice.rows; }
        void run() override
        {
            last_ = seconds_(size_);
            ++world_.runs;
            world_.seconds_.fetch_add(last_);
            world_.joules_.fetch_add(joules_(size_));
        }
        void release() noexcept override {}
        std::optional<double> own_seconds() const override { return last_; }

      private:
        SimulatedWorld &world_;
        Value seconds_, joules_;
        std::int64_t size_ = 0;
        double last_ = 0;
    };

    class Reader final : public Source
    {
      public:
        explicit Reader(SimulatedWorld &world) : world_(world) {}
        Reading read() override
        {
            const double seconds = world_.seconds_;
            return {seconds, {base_watts * seconds + world_.joules_}};
        }

      private:
        SimulatedWorld &world_;
    };

    std::atomic<double> seconds_{0}, joules_{0};
};

} // namespace hpart
