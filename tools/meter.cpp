#include "meter.hpp"
#include "file.hpp"

#include "arguments.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "library.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string_view>
#include <vector>

namespace hpart_command
{

namespace
{

bool is_of_this_machine(hpart_status status)
{
    return status == HPART_ERR_UNSUPPORTED || status == HPART_ERR_PERMISSION || status == HPART_ERR_DEVICE;
}

} // namespace

void add_meter_arguments(CLI::App &app, MeterArguments &arguments)
{
    add_optional(app, "--meter", arguments.spec,
                 "measure dynamic energy too, with a meter of the whole node that hpart info lists: rapl, "
                 "wattsup:/dev/ttyUSB0, estimate:12, ...")
        ->type_name("SPEC");
    add_optional(app, "--base-power", arguments.base_power,
                 "power of the idle machine in watts; measured first when it is not given")
        ->type_name("W");
}

void MeterArguments::settle(Common &common)
{
    const auto is_of_meter = [](const std::string &setting) {
        const auto *const key = hpart::find_option_key(setting.substr(0, setting.find('=')));
        return key != nullptr && key->calls == hpart::call_meter;
    };
    for (const auto &setting : common.options) {
        if (!is_of_meter(setting)) continue;
        if (!spec)
            refuse("option '", setting.substr(0, setting.find('=')), "' does not belong to a call without --meter");
        options.push_back(setting);
    }
    std::erase_if(common.options, is_of_meter);
    if (base_power) refuse_twice(common, "--base-power", "base_power");
}

TeamMeter::TeamMeter(const MeterArguments &arguments, std::string_view needed_by)
{
    if (arguments.base_power && !arguments.spec) refuse("--base-power is given without --meter");
    if (!arguments.spec) return;
    if (arguments.base_power) base_power_ = parse_watts("--base-power", *arguments.base_power);
    claim_recording(*arguments.spec);
    Common own;
    own.options = arguments.options;
    const auto options = make_options(own);
    name_argument("spec", "--meter");
    const auto status = hpart_meter_open(arguments.spec->c_str(), options.get(), Filled(meter_));
    if (!is_of_this_machine(status)) {
        check(status);
        return;
    }
    if (!needed_by.empty()) hpart_command::give_up(needed_by, " needs a meter that works here: ", last_error_text());
    give_up(last_error_text());
}

void TeamMeter::give_up(const std::string &why)
{
    given_up_ = true;
    note_ = text("no energy is measured: ", why);
    std::cerr << "hpart: " << one_line(note_) << "\n";
}

void TeamMeter::doubt(double joules)
{
    if (!note_.empty() || !(joules < 0)) return;
    note_ = doubts_about_energy(joules, method(), "");
    std::cerr << "hpart: " << one_line(note_) << "\n";
}

void TeamMeter::attach(hpart_team *team) const
{
    if (works()) check(hpart_team_set_meter(team, -1, meter_.get()));
}

void TeamMeter::set_options(hpart_options *options) const
{
    if (works() && base_power_) check(hpart_options_set_double(options, "base_power", *base_power_));
}

double TeamMeter::window_seconds() const
{
    if (!works() || method() == "replayed") return 0;
    Report report;
    check(hpart_meter_report(meter_.get(), Filled(report)));
    return report_double(report, "minimum_window").value_or(0);
}

void TeamMeter::require_budget(const std::string &budget, bool measures_base, std::int64_t windows) const
{
    const bool has_base = measures_base && !base_power_;
    const double window = window_seconds(), least = window * static_cast<double>(windows + (has_base ? 1 : 0));
    if (parse_seconds("--budget", budget) >= least) return;
    refuse("--budget is ", budget, ", and must be at least ", hpart::brief_seconds(least), ": ",
           has_base ? "the base power and " : "", windows == 1 ? "a window" : text("each of ", windows, " windows"),
           " of the meter ", has_base ? "take " : "takes ", hpart::brief_seconds(window), has_base ? " each" : "",
           ", 20 of its intervals; if it reads more often, give --option interval=SECONDS");
}

std::string TeamMeter::method() const
{
    if (!meter_) return {};
    Report report;
    check(hpart_meter_report(meter_.get(), Filled(report)));
    return report_text(report, "method");
}

std::string TeamMeter::name() const
{
    if (!meter_) return {};
    Report report;
    check(hpart_meter_report(meter_.get(), Filled(report)));
    return report_text(report, "meter");
}

void TeamMeter::describe(Json &result) const
{
    const auto or_null = [](const std::string &value) { return value.empty() ? Json(nullptr) : Json(value); };
    result["meter"] = or_null(name());
    result["energy_method"] = or_null(method());
    result["meter_note"] = or_null(note_);
}

void claim_recording(std::string_view spec)
{
    // A sum has several meters; a plus may also be part of a file's name.
    constexpr std::string_view replay = "replay:";
    for (auto at = spec.find(replay); at != std::string_view::npos; at = spec.find(replay, at + 1)) {
        const auto name = spec.substr(at + replay.size());
        for (auto end = name.find('+'); end != std::string_view::npos; end = name.find('+', end + 1))
            claim_input(std::string(name.substr(0, end)));
        claim_input(std::string(name));
    }
}

std::string cause_of_negative_energy(const std::string &method)
{
    if (method == "estimated")
        return "An estimate counts busy cores only and has no power of an idle machine in it; do not take a base power "
               "from it.";
    return "The base power is not this machine's, or was not measured by this meter.";
}

std::string doubts_about_energy(double joules, const std::string &method, const std::string &busy)
{
    std::string out;
    if (joules < 0) out = "The dynamic energy is negative. " + cause_of_negative_energy(method);
    if (!busy.empty()) out += text(out.empty() ? "" : " ", "Other parts of the machine took energy: ", busy, ".");
    return out;
}

std::string energy_heading(const std::string &words, const std::string &method)
{
    if (method == "estimated" || method == "replayed") return words + " (" + method + ")";
    return words;
}

std::string energy_warning(const std::string &source)
{
    if (!is_no_measurement(source)) return {};
    return "energies are not measured here but " + source + "\n";
}

std::string left_out_text(const hpart_platform *platform)
{
    std::int64_t all = 0, left_out = 0;
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i) {
        const auto function = function_of(platform, i);
        for (std::size_t k = 0; k < function.sizes.size(); ++k) {
            if (std::isnan(function.seconds[k])) continue;
            ++all;
            if (std::isnan(function.joules[k])) ++left_out;
        }
    }
    if (left_out == 0) return {};
    return text("left out: ", left_out, " of ", hpart::pluralise(all, "size"),
                " of the processors, without an energy\n");
}

} // namespace hpart_command
