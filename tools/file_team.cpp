#include "file_team.hpp"

#include "facts.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "kernel_line.hpp"
#include "team.hpp"

namespace hpart_command
{

namespace
{

std::string shown(const std::string &kernel)
{
    constexpr std::size_t longest = 200;
    return text("'", one_line(kernel.substr(0, longest)), kernel.size() > longest ? "..." : "", "'");
}

// The file's kernel, after a comparison with the call's arguments.
KernelLine kernel_line(const FileTeam &arguments, const hpart_platform *platform)
{
    const auto line = kernel_of(platform);
    if (is_of_programs(line))
        refuse(in_quotes(arguments.file), " was measured with programs, which are run only when they are given: ",
               "--processor NAME=COMMAND for each of its processors, or --application COMMAND, with --time-from and "
               "the other options of that call");
    if (line.empty())
        refuse(input_name(arguments.file), " does not say what kernel it was measured with, in a line such as ",
               "'# kernel = dgemm n=512 k=512'; give --processor NAME=COMMAND for each of its processors");
    if (!is_builtin(line))
        refuse("kernel ", shown(line), " of ", input_name(arguments.file), " is not one that hpart runs; ",
               "give --processor NAME=COMMAND for each of its processors");
    const auto parsed = parse_kernel_line(line);
    if (arguments.kernel && *arguments.kernel != parsed->kernel)
        refuse("--kernel is ", in_quotes(*arguments.kernel), " but ", input_name(arguments.file), " was measured with ",
               in_quotes(line), "; give the file's kernel");
    if (arguments.dims && parse_dims("--dims", *arguments.dims, parsed->kernel) != parsed->dims)
        refuse("--dims is ", in_quotes(*arguments.dims), " but ", input_name(arguments.file), " was measured with ",
               in_quotes(line), "; give the file's dims");
    return *parsed;
}

// The file's functions hold for the memory limits that it states.
void check_memory_limit(const FileTeam &arguments, const hpart_platform *platform)
{
    const auto given = arguments.memory_limit ? text(parse_positive("--memory-limit", *arguments.memory_limit)) : "";
    for (const auto &[device, bytes] : facts_of(platform).memory_limits)
        if (text(bytes) != given)
            refuse(input_name(arguments.file), " was measured with a memory limit of ", bytes, " bytes of ",
                   in_quotes(device), "; give --memory-limit ", bytes);
}

// The team of the built-in kernel that the file was measured with.
Team team_of_kernel(const FileTeam &arguments, const hpart_platform *platform)
{
    if (!arguments.processors.empty())
        refuse("--processor is ", in_quotes(arguments.processors.front()), "; it must be NAME=COMMAND");
    if (arguments.program.are_given())
        refuse("--time-from, --time-pattern, --time-unit, --protocol and --timeout belong to programs, --processor "
               "NAME=COMMAND");
    const auto line = kernel_line(arguments, platform);
    check_memory_limit(arguments, platform);
    std::vector<std::string> specs;
    for (const auto &name : processor_names(platform)) specs.push_back(spec_of_name(name));
    auto team = make_team(line, specs, arguments.memory_limit);
    const auto here = parse_kernel_line(kernel_of(team)).value_or(KernelLine{});
    if (here.math_mode != line.math_mode)
        refuse(input_name(arguments.file), " was measured with the math mode ", in_quotes(line.math_mode_name()),
               ", but the library has ", in_quotes(here.math_mode_name()),
               " now; set it as it was (NVIDIA_TF32_OVERRIDE, CUBLAS_EMULATE_DOUBLE_PRECISION, "
               "CUBLAS_EMULATE_SINGLE_PRECISION), or measure again");
    return team;
}

void require_kernel_of_file(const FileTeam &arguments, const Team &team, const hpart_platform *platform)
{
    const auto kernel = kernel_of(platform);
    // A kernel that is neither built in nor of programs has a user's name: the programs may be it.
    if ((is_builtin(kernel) || is_of_programs(kernel)) && kernel_of(team) != kernel)
        refuse(in_quotes(arguments.file), " was measured with ", shown(kernel), ", not with ", shown(kernel_of(team)),
               "; give the file's programs, or measure a file of these");
}

// The programs that the file was measured with.
Team team_of_programs(const FileTeam &arguments, const std::vector<Program> &programs, const hpart_platform *platform)
{
    if (arguments.kernel || arguments.dims || arguments.memory_limit)
        refuse("--kernel, --dims and --memory-limit belong to built-in kernels, but --processor names a program");
    auto team = make_team(in_order(programs, processor_names(platform)), arguments.program);
    require_kernel_of_file(arguments, team, platform);
    return team;
}

Team team_of_application(const FileTeam &arguments, const hpart_platform *platform)
{
    if (arguments.kernel || arguments.dims || arguments.memory_limit || !arguments.processors.empty())
        refuse("remove --kernel, --dims, --memory-limit and --processor: --application runs all processors");
    std::string names;
    for (const auto &name : processor_names(platform)) names += (names.empty() ? "" : ",") + name;
    auto team = make_application_team(arguments.application, names, arguments.program);
    require_kernel_of_file(arguments, team, platform);
    return team;
}

} // namespace

void add_file_team(CLI::App &app, FileTeam &arguments)
{
    add_optional(app, "--kernel", arguments.kernel, "refuse a file of another kernel")->type_name("NAME");
    add_optional(app, "--dims", arguments.dims, "refuse a file of other dimensions")->type_name("n=512,k=512|512x512");
    add_optional(app, "--memory-limit", arguments.memory_limit, "as the file was measured with")->type_name("BYTES");
    app.add_option("--processor", arguments.processors,
                   "a program that the file was measured with, as hpart profile had it; one for each processor")
        ->type_name("NAME=COMMAND")
        ->allow_extra_args(false);
    add_application_arguments(app, arguments.application, true);
    add_program_arguments(app, arguments.program);
}

Team make_team(const FileTeam &arguments, const hpart_platform *platform)
{
    if (arguments.application.command) return team_of_application(arguments, platform);
    const auto programs = programs_of(arguments.processors);
    return programs.empty() ? team_of_kernel(arguments, platform) : team_of_programs(arguments, programs, platform);
}

} // namespace hpart_command
