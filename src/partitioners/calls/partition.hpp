// The partitioners as the C interface calls them. `prepared_measured` belongs to the platform, as it is; calls without it prepare anew.
#pragma once

#include "core/progress.hpp"
#include "models/platform.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/problem/request.hpp"

namespace hpart
{

// Throws Error: infeasible with the nearest feasible sizes, cancelled, invalid_argument for an unknown method.
Distribution partition(const Platform &measured, const PreparedPlatform &prepared_measured,
                       const PartitionRequest &request, Control &control);
Distribution partition(const Platform &platform, const PartitionRequest &request, Control &control);

// The costs of x with the options' communication: seconds, dynamic energy (NaN if x has none), and report. Throws Error: invalid_argument
// if x has a size without a time.
Distribution evaluate(const Platform &platform, std::vector<std::int64_t> x, const Options &options);

// Throws Error: infeasible, limit, cancelled.
Front compute_front(const Platform &measured, const PreparedPlatform &prepared_measured, const FrontRequest &request,
                    Control &control);
Front compute_front(const Platform &platform, const FrontRequest &request, Control &control);

// Throws Error: infeasible, limit, cancelled.
Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control);
Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control);

} // namespace hpart
