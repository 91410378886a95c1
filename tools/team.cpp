#include "team.hpp"

#include "arguments.hpp"
#include "failure.hpp"

#include <algorithm>

namespace hpart_command
{

Team make_team(const KernelLine &line, const std::vector<std::string> &processors,
               const std::optional<std::string> &memory_limit)
{
    Options options;
    check(hpart_options_create(Filled(options)));
    check(hpart_options_set_string(options.get(), "dims", dims_text(line.dims).c_str()));
    if (memory_limit)
        set_option(options, {}, "memory_limit", "--memory-limit",
                   text(parse_positive("--memory-limit", *memory_limit)));
    Team team;
    check(hpart_team_create(Filled(team)));
    for (const auto &spec : processors) {
        if (spec.starts_with("opencl")) bind_units_of_pocl();
        check_opened(hpart_team_add_builtin(team.get(), nullptr, line.kernel.c_str(), spec.c_str(), options.get()),
                     spec);
    }
    return team;
}

std::string spec_of_name(std::string name)
{
    std::replace(name.begin(), name.end(), '+', ',');
    return name;
}

} // namespace hpart_command
