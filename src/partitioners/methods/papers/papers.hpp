// The methods of the papers.
#pragma once

#include "partitioners/problem/problem.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

Solution hpopta(const PartitionProblem &problem, Control &control);
Solution heopta(const PartitionProblem &problem, Control &control);
Solution htpopta(const PartitionProblem &problem, Control &control);
Solution hipopta(const PartitionProblem &problem, Control &control);

// The dynamic front, of which HTPOPTA's front is a filter. Throws Status::limit.
std::vector<FrontPoint> hepopta(const PartitionProblem &problem, Control &control);

Solution popta(const PartitionProblem &problem, Control &control);
Solution eopta(const PartitionProblem &problem, Control &control);
Solution paraleph(const PartitionProblem &problem, Control &control);

// Throws Status::limit.
std::vector<FrontPoint> aleph(const PartitionProblem &problem, Control &control);

// Objective time. Heuristic; a distribution whenever there is one.
Solution data_locality(const PartitionProblem &problem, Control &control);

// The Pareto front of time and dynamic energy, in increasing time; empty when there is no distribution. `fastest` gets the
// distribution of least time that HPOPTA finds first, if one is known when a limit is met. Throws Status::limit.
std::vector<FrontPoint> search_front(const Instance &instance, std::int64_t size, Control &control,
                                     std::vector<std::int64_t> &fastest);

// Branch and cut with option backtrack_limit. Heuristic. Throws Status::limit.
PackageSchedule wdah(const ScheduleProblem &problem, Control &control);

// The same with a backtrack limit of 1: the first schedule.
PackageSchedule wdah_heuristic(const ScheduleProblem &problem, Control &control);

} // namespace hpart
