#include "team.hpp"

#include "arguments.hpp"
#include "file.hpp"
#include "library.hpp"
#include "processors.hpp"

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

namespace
{

constexpr std::string_view library_prefix = "lib:";

bool is_program(std::string_view processor) { return processor.find('=') != std::string_view::npos; }

Options program_options(const ProgramArguments &arguments)
{
    Options options;
    check(hpart_options_create(Filled(options)));
    // Messages advise on options that are not given, too.
    const auto set = [&](const char *key, const char *argument, const std::optional<std::string> &value) {
        name_argument(key, argument);
        if (value) check(hpart_options_set_string(options.get(), key, value->c_str()));
    };
    set("time_from", "--time-from", arguments.time_from);
    set("time_pattern", "--time-pattern", arguments.time_pattern);
    set("time_unit", "--time-unit", arguments.time_unit);
    set("protocol", "--protocol", arguments.protocol);
    const auto seconds =
        arguments.timeout ? std::optional(parse_seconds("--timeout", *arguments.timeout)) : arguments.longest_run;
    set("timeout", "--timeout", seconds ? std::optional(text(*seconds)) : std::nullopt);
    return options;
}

} // namespace

ProgramArguments ProgramArguments::within(const std::optional<std::string> &budget, double least) const
{
    auto out = *this;
    if (budget) out.longest_run = std::max(parse_seconds("--budget", *budget), least);
    return out;
}

void add_program_arguments(CLI::App &app, ProgramArguments &arguments)
{
    add_optional(app, "--time-from", arguments.time_from,
                 "a program's time: its wall time (the default), the time that it prints (an application: "
                 "the times), the size by the rate that it prints, or its processor time")
        ->type_name("wall|stdout|rate|cpu");
    add_optional(app, "--time-pattern", arguments.time_pattern,
                 "regular expression whose first group is the time or the rate that a program prints")
        ->type_name("REGEX");
    add_optional(app, "--time-unit", arguments.time_unit, "unit of printed times that have none; s unless set")
        ->type_name("ns|us|ms|s|min|h");
    add_optional(app, "--protocol", arguments.protocol,
                 "lines: programs stay alive, read a size a line and answer a line of seconds")
        ->type_name("none|lines");
    add_optional(app, "--timeout", arguments.timeout, "a run of a program that takes longer has failed")
        ->type_name("TIME");
}

void add_application_arguments(CLI::App &app, ApplicationArguments &arguments, bool names_are_of_a_file)
{
    add_optional(app, "--application", arguments.command,
                 "one command that runs all processors: {x} becomes their sizes, {x1} the first, {size} the sum")
        ->type_name("COMMAND");
    if (names_are_of_a_file) return;
    add_optional(app, "--processors", arguments.processors, "names of the processors of --application, in order")
        ->type_name("NAME,NAME...");
}

std::vector<Program> programs_of(const std::vector<std::string> &processors)
{
    std::vector<Program> programs;
    for (const auto &processor : processors) {
        if (!is_program(processor)) continue;
        const auto equals = processor.find('=');
        programs.push_back({processor.substr(0, equals), processor.substr(equals + 1)});
    }
    const auto nameless = std::find_if(processors.begin(), processors.end(), [](const auto &processor) {
        return !is_program(processor) && processor.find_first_of(" {") != std::string::npos;
    });
    if (nameless != processors.end())
        refuse("--processor is ", in_quotes(*nameless), ", which has no name; give NAME=COMMAND, as ",
               in_quotes("A=" + *nameless));
    if (programs.empty() || programs.size() == processors.size()) return programs;
    const auto builtin = std::find_if_not(processors.begin(), processors.end(), is_program);
    refuse("--processor is ", in_quotes(*builtin), ", but another is a program, ", in_quotes(programs.front().name),
           "; all must be NAME=COMMAND, or none");
}

std::vector<Program> in_order(const std::vector<Program> &programs, const std::vector<std::string> &names)
{
    for (const auto &program : programs)
        if (std::find(names.begin(), names.end(), program.name) == names.end())
            refuse("--processor names ", in_quotes(program.name), ", which is no processor of the file");
    std::vector<Program> ordered;
    for (const auto &name : names) {
        const auto found =
            std::find_if(programs.begin(), programs.end(), [&](const auto &program) { return program.name == name; });
        if (found == programs.end())
            refuse("processor ", in_quotes(name), " of the file has no --processor ", name, "=COMMAND");
        ordered.push_back(*found);
    }
    if (ordered.size() < programs.size()) refuse("--processor names a processor twice");
    return ordered;
}

bool takes_size(const Program &program)
{
    return program.command.starts_with(library_prefix) || program.command.find("{size}") != std::string::npos;
}

Team make_team(const std::vector<Program> &programs, const ProgramArguments &arguments)
{
    const auto options = program_options(arguments);
    Team team;
    check(hpart_team_create(Filled(team)));
    for (const auto &program : programs) {
        const bool is_function = program.command.starts_with(library_prefix);
        check(hpart_team_add_program(team.get(), program.name.c_str(), program.command.c_str(),
                                     is_function ? nullptr : options.get()));
    }
    return team;
}

Team make_application_team(const ApplicationArguments &application, const std::string &names,
                           const ProgramArguments &arguments)
{
    name_argument("command", "--application");
    const auto options = program_options(arguments);
    Team team;
    check(hpart_team_create(Filled(team)));
    check(hpart_team_set_application(team.get(), names.c_str(), application.command->c_str(), options.get()));
    return team;
}

std::string kernel_of(const Team &team)
{
    std::int64_t needed = 0;
    check(hpart_team_get_kernel(team.get(), nullptr, 0, &needed));
    std::string kernel(static_cast<std::size_t>(needed), '\0');
    check(hpart_team_get_kernel(team.get(), kernel.data(), needed, &needed));
    kernel.pop_back(); // the end of C's text
    return kernel;
}

bool is_of_programs(std::string_view kernel)
{
    return kernel.starts_with("programs ") || kernel.starts_with("application ");
}

} // namespace hpart_command
