#include "programs.hpp"

#include "failure.hpp"

#include <algorithm>

namespace hpart_command
{

namespace
{

constexpr std::string_view library_prefix = "lib:";

bool is_program(std::string_view processor) { return processor.find('=') != std::string_view::npos; }

Options options_of(const ProgramArguments &arguments)
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
    set("timeout", "--timeout",
        arguments.timeout ? std::optional(text(parse_seconds("--timeout", *arguments.timeout))) : std::nullopt);
    return options;
}

} // namespace

ProgramArguments ProgramArguments::within(const std::optional<std::string> &budget, double least) const
{
    auto out = *this;
    if (budget && !timeout) out.timeout = text(std::max(parse_seconds("--budget", *budget), least));
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
    const auto options = options_of(arguments);
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
    const auto options = options_of(arguments);
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
