// The kinds of meters: one line each. hpart_meter_open, hpart_meter_describe and the messages are made from it.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "energy/sensor.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Settings of a meter besides its kind.
struct MeterSettings {
    std::optional<double> interval = std::nullopt; // seconds
    std::function<void()> look = no_look;          // called while a meter is waited for; may throw
    std::int64_t lines = 1;                        // that a program prints at a time
};

// The status of a kind on this machine, and the remedy if it does not work.
struct MeterAvailability {
    Status status = Status::success;
    std::string text;
    bool is_dead = false; // a counter that did not move
};

struct MeterKind {
    std::string_view name;
    std::string_view form; // "nvml:N": as the user writes it
    Sensor (*open)(const std::string &argument, const MeterSettings &settings);
    MeterAvailability (*look)();
};

const std::vector<MeterKind> &meter_kinds();

// Opens "rapl", "nvml:0", ... Status::invalid_argument, with all forms, for other specs.
Sensor open_sensor(std::string_view spec, const MeterSettings &settings);

} // namespace hpart
