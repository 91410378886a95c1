#include "team.hpp"

#include "failure.hpp"

namespace hpart_command
{

Team make_team(const KernelLine &line, const std::vector<std::string> &processors)
{
    Options options;
    check(hpart_options_create(Filled(options)));
    check(hpart_options_set_string(options.get(), "dims", dims_text(line.dims).c_str()));
    Team team;
    check(hpart_team_create(Filled(team)));
    for (const auto &spec : processors)
        check(hpart_team_add_builtin(team.get(), spec.c_str(), line.kernel.c_str(), spec.c_str(), options.get()));
    return team;
}

} // namespace hpart_command
