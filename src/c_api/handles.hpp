// The objects behind the public handles.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "hpart.h"
#include "models/platform.hpp"
#include "partitioners/calls/partition.hpp"

#include <memory>

struct hpart_options {
    hpart::Options value;
};

struct hpart_report {
    hpart::Report value;
};

struct hpart_platform {
    hpart::Platform value;
    hpart::PreparedPlatform prepared{}; // of the value as it is: setters forget what they change
};

struct hpart_front {
    hpart::Front value;
};

struct hpart_schedule {
    hpart::Schedule value;
};

namespace hpart::c_api
{

// The options of a call, all defaults for NULL, after the check that every key set belongs to it.
inline Options options_for(const hpart_options *options, Call call)
{
    if (options == nullptr) return {};
    options->value.check_belongs(call);
    return options->value;
}

inline Objective objective_of(std::int32_t objective)
{
    switch (objective) {
    case HPART_OBJECTIVE_TIME: return Objective::time;
    case HPART_OBJECTIVE_ENERGY: return Objective::energy;
    case HPART_OBJECTIVE_TOTAL_ENERGY: return Objective::total_energy;
    case HPART_OBJECTIVE_SUM_TIME: return Objective::sum_time;
    default:
        fail_argument("objective is ", objective,
                      "; it must be 0 (time), 1 (energy), 2 (total energy) or 3 (sum of times)");
    }
}

// Gives the report to the caller if asked; after this nothing may throw.
inline std::unique_ptr<hpart_report> make_report(bool wanted, Report report)
{
    return wanted ? std::make_unique<hpart_report>(hpart_report{std::move(report)}) : nullptr;
}

} // namespace hpart::c_api
