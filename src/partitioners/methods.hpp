// The registry of methods: one line each.
#pragma once

#include "partitioners/solution.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct Method {
    std::string_view name;
    Solution (*partition)(const Question &, Control &, Work &);
};

const std::vector<Method> &methods();

// Fails, listing the valid names, when there is none of that name for the call.
const Method &find_method(const std::string &name);
void check_front_method(const std::string &name);
void check_schedule_method(const std::string &name);

} // namespace hpart
