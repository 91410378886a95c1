// Teams of programs, for tests.
#pragma once

#include "measurement/team.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace hpart
{

using Settings = std::vector<std::pair<std::string, std::string>>;

inline void add_program(Team &team, const std::string &name, const std::string &command, const Settings &settings = {})
{
    const auto options = support::options_of(settings);
    options.check_belongs(call_program);
    auto made = make_external(command, options);
    team.add({name, std::move(made.kernel), std::move(made.cores)});
}

inline const Settings line_protocol = {{"protocol", "lines"}};
inline const Settings from_output = {{"time_from", "stdout"}};

inline void expect_part(const std::string &whole, const std::string &part)
{
    EXPECT_NE(whole.find(part), std::string::npos) << "'" << part << "' is not in '" << whole << "'";
}

} // namespace hpart
