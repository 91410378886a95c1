#include "team_arguments.hpp"

#include "failure.hpp"
#include "library.hpp"
#include "processors.hpp"
#include "team.hpp"

#include <algorithm>

namespace hpart_command
{

namespace
{

// The programs in place of a built-in kernel.
Team team_of_programs(const TeamArguments &arguments, const std::vector<Program> &programs)
{
    if (!arguments.kernel.empty() || !arguments.dims.empty() || arguments.memory_limit)
        refuse("--kernel, --dims and --memory-limit belong to built-in kernels, but --processor names the program ",
               in_quotes(programs.front().name), "; remove them");
    for (const auto &program : programs)
        if (!takes_size(program) && !arguments.program.stays_alive())
            refuse("--processor ", in_quotes(program.name), " runs ", in_quotes(program.command),
                   ", which has no {size}: all sizes would be the same");
    return make_team(programs, arguments.program);
}

Team team_of_application(const TeamArguments &arguments)
{
    const auto &application = arguments.application;
    if (!application.command) refuse("--processors names the processors of --application, which is missing");
    if (!application.processors) refuse("--application needs the names of its processors: --processors NAME,NAME...");
    if (!arguments.kernel.empty() || !arguments.dims.empty() || arguments.memory_limit || !arguments.processors.empty())
        refuse("remove --kernel, --dims, --memory-limit and --processor: --application runs all processors");
    return make_application_team(application, *application.processors, arguments.program);
}

Team team_of_kernel(const TeamArguments &arguments)
{
    if (arguments.kernel.empty())
        refuse("--kernel is required, unless --processor NAME=COMMAND names programs; see hpart profile --help");
    if (arguments.program.are_given())
        refuse("--time-from, --time-pattern, --time-unit, --protocol and --timeout belong to programs, --processor "
               "NAME=COMMAND");
    return make_team(arguments.line(), arguments.processors.empty() ? default_processors() : arguments.processors,
                     arguments.memory_limit);
}

} // namespace

KernelLine TeamArguments::line() const { return {kernel, parse_dims("--dims", dims, kernel)}; }

std::string TeamArguments::warning() const
{
    const bool has_cores = processors.empty() || std::any_of(processors.begin(), processors.end(),
                                                             [](const auto &spec) { return spec.starts_with("cpu:"); });
    std::string lines;
    if (processors.size() > 1) {
        const bool has_opencl = std::any_of(processors.begin(), processors.end(),
                                            [](const auto &spec) { return spec.starts_with("opencl:"); });
        const auto bound = has_opencl ? devices_of_bound_units(devices()) : std::vector<std::string>();
        if (const auto siblings = siblings_of(processors, cores_here(), bound); !siblings.empty())
            lines += text("hpart: ", siblings,
                          " are threads of one core, and each takes time from the other; hpart info "
                          "proposes processors with cores of their own\n");
    }
    if (!has_cores || kernel.find("gem") == std::string::npos) return lines;
    constexpr std::string_view mark = "it does not know this processor";
    for (const auto &[name, version] : linked_libraries(library_info()))
        if (name == "openblas" && version.find(mark) != std::string::npos)
            lines += text("hpart: OpenBLAS ", version, "\n");
    return lines;
}

Team TeamArguments::make() const
{
    if (application.are_given()) return team_of_application(*this);
    if (!processors.empty()) name_argument("processor", "--processor");
    name_argument("dims", "--dims");
    const auto programs = programs_of(processors);
    return programs.empty() ? team_of_kernel(*this) : team_of_programs(*this, programs);
}

void add_team_arguments(CLI::App &app, TeamArguments &arguments)
{
    app.add_option("--kernel", arguments.kernel,
                   "dgemm (rows of C are split), dgemv (rows of y), fft2d (rows of one 2D transform), zfft (a 2D "
                   "transform each); sgemm, sgemv and cfft in single precision")
        ->type_name("NAME");
    app.add_option("--dims", arguments.dims,
                   "the kernel's other dimensions: n and k of dgemm, n of the others; n=size: square problems")
        ->type_name("n=512,k=512|512x512");
    app.add_option("--processor", arguments.processors,
                   "cpu:CORES or a device of hpart info, @CORES for its host part (cuda:0@23); or a program, "
                   "'GPU=./app {size}', CPU=lib:PATH:FUNCTION@CORES; may be repeated")
        ->type_name("SPEC|NAME=COMMAND")
        ->allow_extra_args(false);
    add_application_arguments(app, arguments.application);
    add_program_arguments(app, arguments.program);
    add_optional(app, "--memory-limit", arguments.memory_limit,
                 "use no more of each device's memory; larger problems go in parts")
        ->type_name("BYTES");
}

} // namespace hpart_command
