// The best distribution of an application if only the time of whole runs is known. Nothing is certified.
#pragma once

#include "measurement/application.hpp"
#include "measurement/optimize.hpp"

namespace hpart
{

// shown: the run that showed it, or null. Throws Error: TimesOfEach when a run gives the time of each processor, callback when all fail, limit when the budget ends before a run.
Optimum optimize_one_time(const Team &team, const OptimizeRequest &request, Control &control,
                          const OneTime *shown = nullptr);

// A run of several processors gave the time of each.
class TimesOfEach : public Error
{
  public:
    TimesOfEach() : Error(Status::internal, "the application gave the time of each processor") {}
};

} // namespace hpart
