// hpart options: the library's options, by the calls that they belong to.
#include "arguments.hpp"
#include "core/option_keys.hpp"
#include "failure.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace hpart_command
{

namespace
{

struct OptionsArguments {
    Common common;
    std::optional<std::string> call;
};

std::string type_name(hpart::OptionType type)
{
    return type == hpart::OptionType::integer ? "int" : type == hpart::OptionType::real ? "double" : "string";
}

std::vector<std::string> calls_of(const hpart::OptionKey &key)
{
    std::vector<std::string> names;
    for (unsigned bit = 0; bit < 32; ++bit) // NOLINT(readability-magic-numbers): of the mask
        if (((key.calls >> bit) & 1U) != 0) names.emplace_back(hpart::call_name(static_cast<hpart::Call>(1U << bit)));
    return names;
}

std::string joined(const std::vector<std::string> &names)
{
    std::string out;
    for (const auto &name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

void run_options(const OptionsArguments &arguments)
{
    Json list = Json::array();
    std::vector<std::string> known;
    for (const auto &key : hpart::option_keys()) {
        const auto calls = calls_of(key);
        for (const auto &call : calls)
            if (std::find(known.begin(), known.end(), call) == known.end()) known.push_back(call);
        if (arguments.call && std::find(calls.begin(), calls.end(), *arguments.call) == calls.end()) continue;
        list.push_back({{"name", key.name},
                        {"type", type_name(key.type)},
                        {"default", key.default_text},
                        {"choices", key.choices},
                        {"calls", joined(calls)},
                        {"meaning", key.meaning}});
    }
    if (list.empty()) refuse("CALL is ", in_quotes(*arguments.call), "; it must be one of ", joined(known));
    emit(arguments.common, Json{{"options", list}}, [&] {
        std::string out;
        for (const auto &option : list) {
            const auto value = [&](const char *name) { return option[name].get<std::string>(); };
            const auto choices = value("choices");
            out += text(value("name"), " (", choices.empty() ? value("type") : choices, "; default ",
                        value("default").empty() ? "none" : value("default"), ")\n    ", value("meaning"), "\n    of ",
                        value("calls"), "\n");
        }
        return out;
    });
}

} // namespace

void add_options(CLI::App &app)
{
    auto arguments = std::make_shared<OptionsArguments>();
    auto *sub = app.add_subcommand("options", "what --option KEY=VALUE takes, by the calls of the library");
    add_optional(*sub, "CALL", arguments->call, "only those of this call, such as partition, front, profile or gemm");
    add_format(*sub, arguments->common);
    sub->footer("Example: hpart options partition");
    sub->callback([arguments] {
        arguments->common.settle();
        run_options(*arguments);
    });
}

} // namespace hpart_command
