#include "energy/sensor.hpp"

#include "core/error.hpp"
#include "energy/meter.hpp"

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

namespace
{

const MeterKind *kind_of(std::string_view spec)
{
    const auto &kinds = meter_kinds();
    const auto name = spec.substr(0, spec.find(':'));
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto &each) { return each.name == name; });
    return kind == kinds.end() ? nullptr : &*kind;
}

// "rapl" and "nvml:0" of "rapl+nvml:0". A plus before anything but a kind of meter belongs to a path; a program may have any.
std::vector<std::string> terms_of(std::string_view spec)
{
    std::vector<std::string> terms;
    for (std::size_t from = 0; !spec.starts_with("command:");) {
        const auto plus = spec.find('+', from);
        if (plus == std::string_view::npos) break;
        from = plus + 1;
        const auto rest = spec.substr(from);
        if (kind_of(rest.substr(0, rest.find('+'))) == nullptr) continue;
        terms.emplace_back(spec.substr(0, plus));
        spec = rest;
        from = 0;
    }
    terms.emplace_back(spec);
    return terms;
}

Sensor open_one(std::string_view spec, const MeterSettings &settings)
{
    const auto colon = spec.find(':');
    const auto argument = colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
    const auto *const kind = kind_of(spec);
    if (kind == nullptr) fail_parameter("spec", " is ", in_quotes(spec), "; a meter is one of ", forms());
    const bool takes_argument = kind->form.size() > kind->name.size();
    if (takes_argument == argument.empty() || (!takes_argument && colon != std::string_view::npos))
        fail_parameter("spec", " is ", in_quotes(spec), "; it must be of the form ", kind->form, " (meters: ", forms(),
                       ")");
    return kind->open(std::string(argument), settings);
}

bool is_command(std::string_view term) { return term.starts_with("command:"); }

// The least certain of them.
Method method_of_sum(const std::vector<Sensor> &parts)
{
    auto method = Method::counter;
    for (const auto &part : parts) method = std::max(method, part.traits.method);
    return method;
}

} // namespace

Sensor open_sensor(std::string_view spec, const MeterSettings &settings)
{
    const auto terms = terms_of(spec);
    if (settings.lines > 1 && std::none_of(terms.begin(), terms.end(), is_command))
        fail_parameter("spec", " is ", in_quotes(spec), "; option 'lines' belongs to command:PROGRAM");
    if (terms.size() == 1) return open_one(spec, settings);
    const auto has = [&](std::string_view term) { return std::find(terms.begin(), terms.end(), term) != terms.end(); };
    for (std::size_t k = 0; k < terms.size(); ++k)
        if (std::find(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(k), terms[k]) !=
                terms.begin() + static_cast<std::ptrdiff_t>(k) ||
            (terms[k] == "perf" && has("rapl")))
            fail_parameter("spec", " is ", in_quotes(spec), "; ", terms[k], " would count an energy twice");
    Sensor sum;
    sum.traits.name = spec;
    for (const auto &term : terms) {
        auto part = open_one(term, settings);
        for (const auto &other : sum.parts)
            if (!part.traits.origin.empty() && other.traits.origin == part.traits.origin)
                fail_parameter("spec", " is ", in_quotes(spec), "; ", term, " is the sensor of ", other.traits.name,
                               ": the sum would count an energy twice");
        if (!part.traits.real_time)
            fail_parameter("spec", " is ", in_quotes(spec), "; the recording ", term,
                           " has a time of its own, and no sum");
        sum.traits.interval = std::max(sum.traits.interval, part.traits.interval);
        for (const auto &channel : part.traits.channels)
            sum.traits.channels.push_back({term + " " + channel.name, channel.wrap});
        sum.parts.push_back(std::move(part));
    }
    sum.traits.method = method_of_sum(sum.parts);
    return sum;
}

} // namespace hpart
