// No sensor at all: seconds of processor time, of this process and of its children that have ended, times watts a core.

#include "core/error.hpp"
#include "core/text.hpp"
#include "energy/sensor.hpp"
#include "energy/tally.hpp"

#include <cmath>

#include <sys/resource.h>

namespace hpart
{

namespace
{

constexpr double estimate_interval = 0.001;
constexpr double seconds_of_microsecond = 1e-6;

double seconds_of(const timeval &time)
{
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * seconds_of_microsecond;
}

double processor_seconds()
{
    double sum = 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        getrusage(who, &usage);
        sum += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    }
    return sum;
}

class Estimate final : public Source
{
  public:
    explicit Estimate(double watts) : watts_(watts) {}
    Reading read() override
    {
        const auto before = Clock::now();
        const double joules = watts_ * processor_seconds();
        return {middle_seconds(before, Clock::now()), {joules}};
    }

  private:
    double watts_;
};

} // namespace

Sensor open_estimate(const std::string &argument, const MeterSettings &settings)
{
    const auto watts = parse_double(argument);
    if (!watts || !std::isfinite(*watts) || *watts <= 0)
        fail_parameter("spec", " is ", in_quotes("estimate:" + argument),
                       "; the watts of a busy core must be above 0, as in estimate:12");
    Sensor sensor;
    sensor.traits = {"estimate:" + argument,
                     Quantity::joules,
                     Method::estimated,
                     settings.interval.value_or(estimate_interval),
                     {{"processor time", never_wraps}}};
    sensor.traits.may_stand_still = true;
    sensor.traits.origin = "processor time";
    sensor.source = std::make_unique<Estimate>(*watts);
    return sensor;
}

MeterAvailability look_for_estimate()
{
    return {Status::success,
            "an estimate, not a measurement: processor time of this process and its children times W watts a core"};
}

} // namespace hpart
