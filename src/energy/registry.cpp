#include "energy/registry.hpp"

#include "core/error.hpp"
#include "energy/backends.hpp"
#include "energy/window.hpp"

#include <algorithm>
#include <memory>

namespace hpart
{

namespace
{

std::string forms()
{
    std::string list;
    for (const auto &kind : meter_kinds()) list += text(list.empty() ? "" : ", ", kind.form);
    return list;
}

} // namespace

const std::vector<MeterKind> &meter_kinds()
{
    static const std::vector<MeterKind> kinds = {
        {"rapl", "rapl", open_rapl, look_for_rapl},
        {"perf", "perf", open_perf, look_for_perf},
        {"nvml", "nvml:N", open_nvml, look_for_nvml},
        {"hwmon", "hwmon:PATH", open_hwmon, look_for_hwmon},
        {"wattsup", "wattsup:TTY", open_wattsup, look_for_wattsup},
        {"command", "command:PROGRAM", open_command, look_for_command},
        {"replay", "replay:FILE", open_replay, look_for_replay},
        {"estimate", "estimate:W", open_estimate, look_for_estimate},
    };
    return kinds;
}

std::vector<MeterAvailability> try_to_open_all(Sensor (*open)(const std::string &, const MeterSettings &),
                                               const std::vector<std::string> &arguments)
{
    struct Trial {
        Sensor sensor;
        std::unique_ptr<Window> window;
    };
    std::vector<Trial> trials(arguments.size());
    std::vector<MeterAvailability> found(arguments.size());
    const auto attempt = [&](std::size_t k, const auto &action) {
        try {
            action(trials[k]);
        } catch (const Error &error) {
            found[k] = {error.status(), error.what(), dynamic_cast<const DeadError *>(&error) != nullptr};
        }
    };
    for (std::size_t k = 0; k < arguments.size(); ++k)
        attempt(k, [&](Trial &trial) {
            trial.sensor = open(arguments[k], {});
            if (trial.sensor.source) trial.window = open_window(trial.sensor);
        });
    // Two readings and, for a counter that did not move between them, those that tell whether it ever does.
    for (std::size_t k = 0; k < arguments.size(); ++k)
        attempt(k, [&](Trial &trial) {
            if (found[k].status != Status::success) return;
            if (trial.window) trial.window->finish();
            for (const auto &channel : trial.sensor.traits.channels)
                found[k].text += text(found[k].text.empty() ? "" : ", ", channel.name);
        });
    return found;
}

MeterAvailability try_to_open(Sensor (*open)(const std::string &, const MeterSettings &), const std::string &argument)
{
    return try_to_open_all(open, {argument}).front();
}

Sensor open_sensor(std::string_view spec, const MeterSettings &settings)
{
    const auto colon = spec.find(':');
    const auto name = spec.substr(0, colon);
    const auto argument = colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
    const auto &kinds = meter_kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto &each) { return each.name == name; });
    if (kind == kinds.end()) fail_argument("spec is ", in_quotes(spec), "; a meter is one of ", forms());
    const bool takes_argument = kind->form.size() > kind->name.size();
    if (takes_argument == argument.empty() || (!takes_argument && colon != std::string_view::npos))
        fail_argument("spec is ", in_quotes(spec), "; it must be of the form ", kind->form, " (meters: ", forms(), ")");
    return kind->open(std::string(argument), settings);
}

} // namespace hpart
