// The backends of the registry, each in a file of its own name. open_...: of the spec's argument; Status::unsupported where
// there is no such thing, Status::permission with the remedy where the system refuses. look_for_...: what `hpart info` says.
#pragma once

#include "energy/registry.hpp"

#include <string>

namespace hpart
{

Sensor open_rapl(const std::string &argument, const MeterSettings &settings);
Sensor open_perf(const std::string &argument, const MeterSettings &settings);
Sensor open_nvml(const std::string &argument, const MeterSettings &settings);
Sensor open_hwmon(const std::string &argument, const MeterSettings &settings);
Sensor open_wattsup(const std::string &argument, const MeterSettings &settings);
Sensor open_command(const std::string &argument, const MeterSettings &settings);
Sensor open_replay(const std::string &argument, const MeterSettings &settings);
Sensor open_estimate(const std::string &argument, const MeterSettings &settings);

MeterAvailability look_for_rapl();
MeterAvailability look_for_perf();
MeterAvailability look_for_nvml();
MeterAvailability look_for_hwmon();
MeterAvailability look_for_wattsup();
MeterAvailability look_for_command();
MeterAvailability look_for_replay();
MeterAvailability look_for_estimate();

// That of a backend which takes no more than its first argument: opened, read, and closed.
MeterAvailability try_to_open(Sensor (*open)(const std::string &, const MeterSettings &), const std::string &argument);

} // namespace hpart
