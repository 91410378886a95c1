// The methods of the papers.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

Solution hpopta(const PartitionProblem &problem, Control &control, Work &work);
Solution heopta(const PartitionProblem &problem, Control &control, Work &work);
Solution htpopta(const PartitionProblem &problem, Control &control, Work &work);
Solution hipopta(const PartitionProblem &problem, Control &control, Work &work);

// The dynamic front, of which HTPOPTA's front is a filter. Throws Status::limit.
std::vector<TimedEnergy> hepopta(const FrontProblem &problem, Control &control, Work &work);

Solution popta(const PartitionProblem &problem, Control &control, Work &work);
Solution eopta(const PartitionProblem &problem, Control &control, Work &work);
Solution paraleph(const PartitionProblem &problem, Control &control, Work &work);

// Throws Status::limit.
std::vector<TimedEnergy> aleph(const FrontProblem &problem, Control &control, Work &work);

// Objective time. Heuristic; a distribution whenever there is one.
Solution data_locality(const PartitionProblem &problem, Control &control, Work &work);

// The Pareto front of time and dynamic energy, in increasing time; empty when there is no distribution. `fastest` gets the
// distribution of least time that HPOPTA finds first, if one is known when a limit is met. Throws Status::limit.
std::vector<TimedEnergy> search_front(const Instance &instance, std::int64_t size, Control &control, Work &work,
                                      std::vector<std::int64_t> &fastest);

// Initial priorities (equation 4.6): shares of the size in proportion to the highest speeds, 0 for a processor without packages.
// Infinite speeds, if any, share it equally.
std::vector<double> wdah_priorities(const std::vector<double> &speeds, std::int64_t size);

// Branch and cut with option backtrack_limit. Heuristic. Throws Status::limit.
PackageSchedule wdah(const ScheduleProblem &problem, Control &control, Work &work);

// The same with a backtrack limit of 1: the first schedule.
PackageSchedule wdah_heuristic(const ScheduleProblem &problem, Control &control, Work &work);

} // namespace hpart
