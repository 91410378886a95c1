// The backends of the registry, each in a file of its own name. open_... takes the spec's argument; Status::unsupported if the machine
// has no such meter, Status::permission with the remedy if the system refuses. look_for_...: the line of `hpart info`.
#pragma once

#include "energy/registry.hpp"

#include <string>
#include <vector>

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

// Availability of a backend with each argument: opens, reads and closes it. All are watched at once, for at most 20 intervals: by
// then a counter that stands still is known.
std::vector<MeterAvailability> try_to_open_all(Sensor (*open)(const std::string &, const MeterSettings &),
                                               const std::vector<std::string> &arguments);
MeterAvailability try_to_open(Sensor (*open)(const std::string &, const MeterSettings &), const std::string &argument);

} // namespace hpart
