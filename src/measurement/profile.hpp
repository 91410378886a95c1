// Building all time functions of a team, point by point, in a file that an interrupted run goes on with.
#pragma once

#include "measurement/measure.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

struct ProfileRequest {
    std::vector<std::int64_t> sizes; // positive, distinct
    MeasureSettings settings;
    bool simultaneous = true;
    bool random_order = true;
    std::string file; // "": none

    static ProfileRequest from(std::span<const std::int64_t> sizes, const Options &options);
};

// The file is replaced as a whole after each point (write_platform), so that at any moment it is a valid platform file
// with all points that are done. A file of another kernel, other processors or another way of measuring is refused and
// left as it is. Sizes that the file has and the request has not are kept.
Platform profile(const Team &team, const ProfileRequest &request, Control &control);

} // namespace hpart
