// The meter of a team that --meter asks for.
#pragma once

#include "arguments.hpp"
#include "library.hpp"
#include "output.hpp"

#include <CLI/App.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

struct MeterArguments {
    std::optional<std::string> spec, base_power;
    std::vector<std::string> options;

    // Called after the arguments are known: takes the meter's options out of the measurement's --option KEY=VALUE.
    void settle(Common &common);
};

// --meter and --base-power.
void add_meter_arguments(CLI::App &app, MeterArguments &arguments);

// A meter of the whole node. If it does not work on this machine, there is none: the note has the reason, one sentence for stderr, and
// the command continues without it. A wrong spec, or a recording that cannot be read, is refused.
class TeamMeter
{
  public:
    // needed_by: what cannot continue without a meter that works; "": the note is enough.
    explicit TeamMeter(const MeterArguments &arguments, std::string_view needed_by = "");

    void attach(hpart_team *team) const;
    // The base power that was given, for the measurement's options.
    void set_options(hpart_options *options) const;
    // Seconds of the shortest window; 0 without a meter, and for recordings, whose windows take no time.
    double window_seconds() const;
    // Refuses a --budget that has no time for so many windows, and the base power if it is to be measured.
    void require_budget(const std::string &budget, bool measures_base, std::int64_t windows = 1) const;
    bool works() const { return meter_ != nullptr && !given_up_; }
    // Stops using the meter; the note has the reason. Earlier measurements remain.
    void give_up(const std::string &why);
    // Notes once that measured joules are below 0, and why.
    void doubt(double joules);
    // Keys meter, energy_method, meter_note; null where there is none.
    void describe(Json &result) const;
    // "counter", "estimated", ...; "" without a meter.
    std::string method() const;
    std::string name() const;

  private:
    Meter meter_;
    bool given_up_ = false;
    std::string note_;
    std::optional<double> base_power_;
};

// Claims the recording of a meter that replays one, an input of the call.
void claim_recording(std::string_view spec);
// Why a dynamic energy is less than nothing, as a sentence.
std::string cause_of_negative_energy(const std::string &method);
// Sentences about a measured energy that is negative, or in which other consumers have a share; "" if there is none.
std::string doubts_about_energy(double joules, const std::string &method, const std::string &busy);
// "energy", with the method if the energy was not measured: "energy (estimated)".
std::string energy_heading(const std::string &words, const std::string &method);

// A warning for people about the source of energies; "" for measured energies and unknown sources.
std::string energy_warning(const std::string &source);
// A line with the number of sizes that calls with energies leave out, since they have a time only; "" if there are none.
std::string left_out_text(const hpart_platform *platform);

} // namespace hpart_command
