// Public calls, made one after another until one fails.
#pragma once

#include <hpart.h>

#include <functional>
#include <string>
#include <vector>

struct Scenario {
    std::string name;
    // Calls its argument when what it prepares is there, and returns the first status that is no success.
    std::function<hpart_status(const std::function<void()> &)> run;
    bool uses_drivers = false; // which keep some memory for each device that was opened
};

std::vector<Scenario> model_scenarios();   // platforms, distributions
std::vector<Scenario> machine_scenarios(); // teams, meters, devices
// Before the scenarios of devices: with enough memory for what is kept in the file; else every run would measure it.
void measure_devices();

// One call after another; those after a failure are not made.
class Calls
{
  public:
    template <typename Call> Calls &then(const Call &call)
    {
        if (status_ == HPART_SUCCESS) status_ = call();
        return *this;
    }
    hpart_status status() const { return status_; }

  private:
    hpart_status status_ = HPART_SUCCESS;
};

template <typename Type, void (*destroy)(Type *)> class Handle
{
  public:
    Handle() = default;
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    ~Handle() { destroy(value_); }
    operator Type *() const { return value_; } // NOLINT(google-explicit-constructor)
    Type **out()
    {
        destroy(value_);
        value_ = nullptr;
        return &value_;
    }

  private:
    Type *value_ = nullptr;
};

using Platform = Handle<hpart_platform, hpart_platform_destroy>;
using Options = Handle<hpart_options, hpart_options_destroy>;
using Report = Handle<hpart_report, hpart_report_destroy>;
using Front = Handle<hpart_front, hpart_front_destroy>;
using Schedule = Handle<hpart_schedule, hpart_schedule_destroy>;
using Family = Handle<hpart_family, hpart_family_destroy>;
using Team = Handle<hpart_team, hpart_team_destroy>;
using Meter = Handle<hpart_meter, hpart_meter_close>;
using Device = Handle<hpart_device, hpart_device_close>;
using Pipeline = Handle<hpart_pipeline, hpart_pipeline_destroy>;
using Adaptive = Handle<hpart_adaptive, hpart_adaptive_destroy>;
