// The method `exact` of each problem.
#pragma once

#include "partitioners/solution.hpp"

#include <vector>

namespace hpart
{

Solution least_time(const Question &question, Control &control, Work &work);
Solution least_energy(const Question &question, Control &control, Work &work);
Solution least_total_energy(const Question &question, Control &control, Work &work);

// HEPOPT: the Pareto front of time and dynamic energy, in increasing time; empty when there is no distribution.
// Throws Status::limit.
std::vector<TimedEnergy> exact_front(const FrontQuestion &question, Control &control, Work &work);

// Several packages a processor, one after another: least makespan. Throws Status::limit.
PackageSchedule exact_schedule(const ScheduleQuestion &question, Control &control, Work &work);

} // namespace hpart
