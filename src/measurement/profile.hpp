// Builds all time functions of a team, point by point, in a file that a later run can continue.
#pragma once

#include "core/error.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/measure.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Fails unless the sizes are positive and distinct.
inline void require_distinct_sizes(std::span<const std::int64_t> sizes)
{
    std::set<std::int64_t> seen;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (sizes[k] <= 0) fail_argument("sizes[", k, "] is ", sizes[k], "; sizes must be positive");
        if (!seen.insert(sizes[k]).second)
            fail_argument("sizes[", k, "] is ", sizes[k], ", which stands in sizes already; they must be distinct");
    }
}

struct ProfileRequest {
    std::vector<std::int64_t> sizes; // positive, distinct
    MeasureSettings settings;
    bool simultaneous = true;
    bool random_order = true;
    std::string file;                  // "": none
    std::string samples;               // "": none
    bool remeasures_imprecise = false; // points of the file, whatever their size
    // 0: the given sizes alone; else sizes are added where functions bend, to so many in all, multiples of block.
    std::int64_t most_sizes = 0;
    std::int64_t block = 1;
    std::optional<double> resume_tolerance = {}; // as tolerance_of() takes it
    EnergyRequest energy;                        // of teams with meters
    // For all sizes: each takes an equal share of the remaining time, at the cost of precision.
    double max_total_seconds = std::numeric_limits<double>::infinity();

    static ProfileRequest from(std::span<const std::int64_t> sizes, const Options &options);
};

struct ProfileResult {
    Platform platform;
    std::size_t missing = 0;  // points of the request that max_total_seconds did not suffice for
    std::size_t points = 0;   // that were to be measured
    bool goes_on = false;     // another call has a file to continue
    bool was_cut = false;     // a program ran when the time ended
    std::string failure = {}; // why the first point failed, if no point has a time
};

// A team with meters gets energy functions too, and the platform their base power. The file is replaced as a whole (write_platform) after each point, but for points within 0.2 s of the last time, so that at any moment it is a valid platform file
// with all points that are done. A point whose kernel throws RunFailure is left out: a comment has the reason, the other processors
// are measured without it, and a later call tries it again. A file of another kernel, other processors or another way of measuring is refused and
// left as it is. Sizes that the file has and the request has not are kept. The file of samples has all runs of the points that
// the platform has from this request, none twice: its lines of a point are written just before it.
ProfileResult profile(const Team &team, const ProfileRequest &request, Control &control);

} // namespace hpart
