// Scenarios of public calls, by hpart.hpp: the first that fails throws.
#pragma once

#include <hpart.hpp>

#include <functional>
#include <string>
#include <vector>

// A scenario calls it when what it prepares is there.
using Start = std::function<void()>;

struct Scenario {
    std::string name;
    std::function<void(const Start &)> run;
    bool uses_drivers = false; // which keep some memory for each device that was opened
};

std::vector<Scenario> model_scenarios();   // platforms, distributions
std::vector<Scenario> machine_scenarios(); // teams, meters, devices
// Before the scenarios of devices: with enough memory for what is kept in the file; else every run would measure it.
void measure_devices();
