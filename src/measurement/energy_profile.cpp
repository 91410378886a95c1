#include "measurement/energy_profile.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

EnergyRequest EnergyRequest::from(const Options &options)
{
    return {EnergySettings::from(options), options.get_text("energy") == "simultaneous"};
}

EnergyProfile::EnergyProfile(const Team &team, const EnergyRequest &request, bool times_are_simultaneous)
    : team_(team), request_(request), wanted_(!team.meters().empty())
{
    if (request.simultaneous && (!wanted_ || team.node_meter() != nullptr))
        fail_option("energy", " is 'simultaneous', for which each processor must have a meter of its own; "
                              "hpart_team_set_meter attaches them");
    if (request.simultaneous && !times_are_simultaneous)
        fail_option("energy", " is 'simultaneous', but 'simultaneous' is 0; it must be 1");
    if (wanted_) require_meters(team);
}

std::string EnergyProfile::line() const
{
    if (!wanted_) return "none";
    return text(energy_method(team_), " by ", energy_meter(team_), ", ",
                request_.simultaneous ? "all processors at once" : "each processor alone");
}

void EnergyProfile::describe(Platform &platform) const
{
    if (wanted_) platform.facts.add(Statement{Topic::energy, line()});
}

std::string EnergyProfile::resume(const Platform &found)
{
    const auto energy = found.facts.stated(Topic::energy, "none");
    if (energy != line()) return text("its energy is ", energy, ", not ", line());
    if (!wanted_ || team_.node_meter() == nullptr || !found.has_base_power()) return "";
    const auto known = team_.node_meter()->base_power();
    auto asked = request_.settings.base_power;
    if (!asked && known) asked = known->watts;
    if (asked && *asked != found.base_power())
        return text("its base power is ", found.base_power(), " W, not ", *asked);
    bases_ = {{found.base_power(), parse_double(found.facts.stated(Topic::base_power_error)).value_or(0)}};
    return "";
}

void EnergyProfile::prepare(Platform &platform, const std::function<void()> &before)
{
    if (!wanted_ || !bases_.empty()) return;
    bases_ = base_powers(team_, request_.settings, before);
    const auto base = base_power();
    platform.set_base_power(base.watts);
    platform.facts.state(Topic::base_power_error, text(base.standard_error));
}

BasePower EnergyProfile::base_power() const
{
    double watts = 0, variance = 0;
    for (const auto &base : bases_) {
        watts += base.watts;
        variance += base.standard_error * base.standard_error;
    }
    // An estimate of what an idle machine takes may be a little below nothing.
    return {std::max(watts, 0.0), std::sqrt(variance)};
}

double EnergyProfile::least_seconds(std::size_t processors) const
{
    double window = 0;
    for (const auto *meter : team_.meters())
        if (meter->traits().real_time) window = std::max(window, minimum_window(meter->traits()));
    return static_cast<double>(measurements(processors)) * window;
}

std::size_t EnergyProfile::measurements(std::size_t processors) const
{
    if (!wanted_) return 0;
    return request_.simultaneous ? 1 : processors;
}

void EnergyProfile::measure(Platform &platform, std::span<const std::size_t> processors, std::int64_t size,
                            double max_seconds, const std::function<void()> &before)
{
    if (!wanted_) return;
    auto settings = request_.settings;
    settings.rule.max_seconds = max_seconds;
    const auto of = [&](std::span<const std::size_t> together) {
        std::vector<Slice> slices(team_.count());
        for (const auto i : together) slices[i] = {0, size};
        const auto measured = measure_energy(team_, std::move(slices), settings, bases_, before);
        for (std::size_t k = 0; k < together.size(); ++k) keep(platform, together[k], size, measured, k);
    };
    if (request_.simultaneous) return of(processors);
    for (std::size_t k = 0; k < processors.size(); ++k) of(processors.subspan(k, 1));
}

EnergyMeasurement EnergyProfile::windows(std::vector<Slice> slices, std::int64_t count,
                                         const std::function<void()> &before) const
{
    auto settings = request_.settings;
    settings.rule.min_repetitions = settings.rule.max_repetitions = std::max<std::int64_t>(count, 2);
    settings.rule.max_seconds = std::numeric_limits<double>::infinity();
    return measure_energy(team_, std::move(slices), settings, bases_, before);
}

// Less than nothing is a wrong base power, or one of a time when the machine did other work.
void EnergyProfile::require_no_less_than_nothing(std::size_t processor, std::int64_t size,
                                                 const EnergyEstimate &estimate) const
{
    if (estimate.high < 0)
        fail(Status::numerical, "processor ", in_quotes(team_.member(processor).name), ", size ", size,
             ": its dynamic energy is ", with_uncertainty(estimate.joules, estimate.high - estimate.joules),
             " J: the base power, ", with_uncertainty(estimate.base.watts, estimate.base.standard_error),
             " W, is more than the machine takes at work");
}

void EnergyProfile::keep(Platform &platform, std::size_t processor, std::int64_t size,
                         const EnergyMeasurement &measured, std::size_t k) const
{
    const auto &estimate = measured.estimates[k];
    const auto &name = team_.member(processor).name;
    require_no_less_than_nothing(processor, size, estimate);
    const auto i = static_cast<std::int64_t>(processor);
    platform.set_point(i, FunctionKind::energy, size, measured_point(estimate.joules, estimate.low, estimate.high));
    platform.facts.erase_if<Note>(
        [&](const Note &note) { return note.kind == NoteKind::energy_busy && note.is_at(name, size); });
    if (!measured.busy.empty())
        platform.facts.add(
            Note{NoteKind::energy_busy, name, size, "took energy of other parts of the machine: " + measured.busy});
    if (estimate.is_precise(request_.settings.rule.precision)) return;
    const auto joules = std::isnan(estimate.high)
                            ? text(rounded_text(estimate.joules), " J without an interval,")
                            : with_uncertainty(estimate.joules, estimate.high - estimate.joules) + " J";
    const Imprecision known{text("takes ", joules), std::nullopt, measured.windows, true,
                            estimate.joules < 0 ? "; the function, which cannot be negative, has 0" : ""};
    platform.facts.add(Note{NoteKind::imprecise, name, size, known.line()});
}

} // namespace hpart
