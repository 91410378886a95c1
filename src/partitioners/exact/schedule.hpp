// The totals that packages can make.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// All totals up to a limit as options without costs, one class a processor. Throws Status::limit.
Choices schedule_choices(const Instance &instance, std::int64_t limit, Control &control);

} // namespace hpart
