// hpart slice: the platform of one parameter of a family t(x; n).
#include "arguments.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "output.hpp"
#include "table.hpp"

#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct SliceArguments {
    Common common;
    std::string file, parameter, output;
};

void run_slice(const SliceArguments &arguments)
{
    const auto parameter = parse_size("--parameter", arguments.parameter);
    const auto options = make_options(arguments.common);
    if (arguments.output.empty()) refuse("-o is ''; it must be the name of the platform file to write");
    Platform platform;
    check_read(
        hpart_platform_read_slice(input_path(arguments.file).c_str(), parameter, options.get(), Filled(platform)),
        arguments.file);
    check(hpart_platform_write(platform.get(), arguments.output.c_str()), Files::written);

    Json result;
    result["parameter"] = parameter;
    result["file"] = arguments.output;
    result["processors"] = processor_names(platform.get());
    emit(arguments.common, result,
         [&] { return text("wrote the platform of parameter ", parameter, " to ", arguments.output, "\n"); });
}

} // namespace

void add_slice(CLI::App &app)
{
    auto arguments = std::make_shared<SliceArguments>();
    auto *sub = app.add_subcommand("slice", "the platform of one parameter of a family of functions");
    sub->add_option("FILE", arguments->file, "family file: platform files' columns and one more, parameter")
        ->required();
    sub->add_option("--parameter", arguments->parameter, "the slice's, or with interpolate=linear one between two")
        ->required()
        ->type_name("N");
    add_platform_output(*sub, arguments->output, "the platform file to write");
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart slice --parameter 768 --option interpolate=linear family.csv -o n768.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        run_slice(*arguments);
    });
}

} // namespace hpart_command
