// Results as rows under a header.
#pragma once

#include "output.hpp"

#include <string>

namespace hpart_command
{

// The rows of the result's one list of objects, such as the points of a front or the tasks of a schedule, each with the result's
// own values before its own; of a result without a list one row. Sizes of a distribution have columns of the processors' names.
std::string csv_text(const Json &result);

} // namespace hpart_command
