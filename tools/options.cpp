// hpart options: the library's options, by the calls that they belong to.
#include "arguments.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
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

struct Calls {
    std::string_view name;
    std::uint32_t mask;
};

// A meter's options come with --meter. Subcommands execute splits by comparisons and measurements.
constexpr std::uint32_t executing = hpart::call_compare | hpart::call_measure | hpart::call_meter;
constexpr std::array<Calls, 16> subcommands = {
    {{"partition", hpart::call_partition},
     {"pareto", hpart::call_front},
     {"schedule", hpart::call_schedule | hpart::call_run_schedule},
     {"profile", hpart::call_profile | hpart::call_meter},
     {"additivity", hpart::call_additivity | hpart::call_meter},
     {"tune", hpart::call_optimize | hpart::call_meter},
     {"group", hpart::call_profile | hpart::call_measure | hpart::call_meter},
     {"run", hpart::call_slice | executing | hpart::call_self_schedule},
     {"study", hpart::call_partition | executing | hpart::call_schedule},
     {"slice", hpart::call_slice},
     {"report", hpart::call_slice}, // interpolate
     {"gemm", hpart::call_gemm},
     {"fft", hpart::call_fft},
     {"factor", hpart::call_factor},
     {"measure", hpart::call_measure | hpart::call_meter},
     {"energy", hpart::call_meter}}};

// The calls of a mask, in the order of the library.
std::vector<Calls> calls_in(std::uint32_t mask)
{
    std::vector<Calls> calls;
    for (unsigned bit = 0; bit < 32; ++bit) // NOLINT(readability-magic-numbers): of the mask
        if (const auto call = static_cast<hpart::Call>(1U << bit); (mask & call) != 0)
            calls.push_back({hpart::call_name(call), call});
    return calls;
}

std::string joined(const std::vector<Calls> &calls)
{
    std::string out;
    for (const auto &call : calls) out.append(out.empty() ? "" : ", ").append(call.name);
    return out;
}

// The calls, and the subcommands that are no call's name.
std::vector<Calls> known_calls()
{
    std::uint32_t all = 0;
    for (const auto &key : hpart::option_keys()) all |= key.calls;
    auto known = calls_in(all);
    for (const auto &subcommand : subcommands)
        if (std::ranges::find(known, subcommand.name, &Calls::name) == known.end()) known.push_back(subcommand);
    return known;
}

// The call by which the library checks an operation's options; other names are themselves.
std::string call_of(const std::string &name)
{
    static constexpr std::string_view products[] = {
        "gemm_strided_batched", "gemmt", "hemm", "her2k", "herk", "symm", "syr2k", "syrk", "trmm", "trsm"};
    static constexpr std::string_view factorisations[] = {"gels",  "geqrf", "gesv",  "getrf", "getri",
                                                          "getrs", "orgqr", "ormqr", "posv",  "potrf",
                                                          "potri", "potrs", "ungqr", "unmqr"};
    if (std::ranges::find(products, name) != std::end(products)) return "gemm";
    return std::ranges::find(factorisations, name) != std::end(factorisations) ? "factor" : name;
}

bool is_call(std::string_view name)
{
    const auto known = known_calls();
    return std::ranges::find(known, name, &Calls::name) != known.end();
}

std::uint32_t mask_of(std::string_view name)
{
    const auto known = known_calls();
    const auto found = std::ranges::find(known, name, &Calls::name);
    if (found != known.end()) return found->mask;
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const auto &call : known) names.push_back(call.name);
    refuse("NAME is ", in_quotes(name), "; ", hpart::did_you_mean(name, names, "it must be an option, or one of "),
           joined(known));
}

void run_options(const OptionsArguments &arguments)
{
    Json list = Json::array();
    const auto *const key_alone =
        arguments.call && !is_call(*arguments.call) ? hpart::find_option_key(*arguments.call) : nullptr;
    const auto wanted = arguments.call && key_alone == nullptr ? mask_of(*arguments.call) : ~0U;
    for (const auto &key : hpart::option_keys()) {
        if ((key.calls & wanted) == 0 || (key_alone != nullptr && &key != key_alone)) continue;
        if (arguments.call == "study" && std::ranges::find(not_of_study, key.name) != not_of_study.end()) continue;
        const auto shown = key.in(key.calls & wanted);
        list.push_back({{"name", key.name},
                        {"type", type_name(key.type)},
                        {"default", shown.default_text},
                        {"choices", shown.choices},
                        {"calls", hpart::call_names(key.calls)},
                        {"meaning", shown.whole_meaning()}});
    }
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

std::uint32_t calls_of(std::string_view subcommand)
{
    const auto *const found = std::ranges::find(subcommands, subcommand, &Calls::name);
    return found == subcommands.end() ? 0 : found->mask;
}

void add_options(CLI::App &app)
{
    auto arguments = std::make_shared<OptionsArguments>();
    auto *sub = app.add_subcommand("options", "what --option KEY=VALUE takes, by the calls of the library");
    add_optional(*sub, "NAME", arguments->call,
                 "only this option, such as slowdown, or those of this call or subcommand, such as front or tune");
    add_format(*sub, arguments->common);
    sub->footer("Example: hpart options tune");
    sub->callback([arguments] {
        arguments->common.settle();
        if (arguments->call) arguments->call = call_of(*arguments->call);
        run_options(*arguments);
    });
}

} // namespace hpart_command
