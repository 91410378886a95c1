#include "measurement/team.hpp"

#include "core/child_process.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "measurement/application.hpp"
#include "measurement/program.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace hpart
{

void Team::add(Member member)
{
    if (application_)
        fail_argument("an application runs the processors of this team, so that none can be added; an application's "
                      "processors are named with it");
    check_processor_name(member.name);
    if (std::any_of(members_.begin(), members_.end(), [&](const auto &other) { return other.name == member.name; }))
        fail_argument("the team has a processor ", in_quotes(member.name), " already; names must be unique");
    members_.push_back(std::move(member));
}

void Team::set_node_meter(Meter *meter)
{
    for (const auto &member : members_)
        if (meter != nullptr && member.meter != nullptr)
            fail_argument("processor is -1, but processor ", in_quotes(member.name),
                          " has a meter of its own; take it away (NULL) before the whole node gets one");
    node_meter_ = meter;
}

void Team::set_meter(std::size_t i, Meter *meter)
{
    auto &member = members_.at(i);
    if (meter != nullptr && node_meter_ != nullptr)
        fail_argument("processor is ", i,
                      ", but the whole node has a meter; take it away (processor -1, NULL) before "
                      "processors get their own");
    for (const auto &other : members_)
        if (meter != nullptr && other.meter == meter && other.name != member.name)
            fail_argument("the meter measures processor ", in_quotes(other.name), " already; it cannot be that of ",
                          in_quotes(member.name), " too");
    member.meter = meter;
}

std::vector<Meter *> Team::meters() const
{
    if (node_meter_ != nullptr) return {node_meter_};
    std::vector<Meter *> meters;
    for (const auto &member : members_)
        if (member.meter != nullptr) meters.push_back(member.meter);
    return meters;
}

std::string Team::shared_kernel() const
{
    std::string shared;
    for (const auto &member : members_) {
        const auto *builtin = dynamic_cast<const BuiltinKernel *>(member.kernel.get());
        if (builtin == nullptr) return "";
        const auto description = builtin->description();
        if (!shared.empty() && shared != description) return "";
        shared = description;
    }
    return shared;
}

// " math=fp64-emulated": the modes of built-in kernels that do not compute as usual.
std::string Team::math_modes() const
{
    std::set<std::string> modes;
    for (const auto &member : members_)
        if (const auto *builtin = dynamic_cast<const BuiltinKernel *>(member.kernel.get()))
            if (auto mode = builtin->math_mode(); !mode.empty()) modes.insert(std::move(mode));
    std::string all;
    for (const auto &mode : modes) all += text(all.empty() ? " math=" : "+", mode);
    return all;
}

// "programs CPU=./app {size} | GPU=./app --gpu {size}", "application ./app {x}"; "" where a processor runs something else.
std::string Team::commands() const
{
    if (application_) {
        const auto description = application_->description();
        return description.empty() ? "" : "application " + description;
    }
    std::string all;
    for (const auto &member : members_) {
        const auto description = member.kernel->description();
        if (description.empty() || dynamic_cast<const BuiltinKernel *>(member.kernel.get()) != nullptr) return "";
        all += text(all.empty() ? "programs " : " | ", member.name, "=", description,
                    member.cores.empty() ? "" : " on cores " + format_cores(member.cores));
    }
    return all;
}

std::string Team::kernel() const
{
    if (!kernel_name_.empty()) return kernel_name_;
    const auto shared = shared_kernel();
    return shared.empty() ? commands() : shared + math_modes();
}

std::string Team::time_doubt() const
{
    if (application_) return application_->time_doubt();
    for (const auto &member : members_)
        if (auto doubt = member.kernel->time_doubt(); !doubt.empty()) return doubt;
    return "";
}

std::optional<double> Team::printed_step() const
{
    double coarsest = 0;
    for (const auto &member : members_) {
        const auto step = member.kernel->printed_step();
        if (!step) return std::nullopt;
        coarsest = std::max(coarsest, *step);
    }
    return coarsest;
}

void Team::set_kernel(const std::string &name)
{
    check_kernel_text(name);
    kernel_name_ = name;
}

std::vector<Slice> Team::slices(std::span<const std::int64_t> x) const
{
    const bool shared = !shared_kernel().empty();
    std::vector<Slice> out;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] < 0) fail_argument("x[", i, "] is ", x[i], "; it must not be negative");
        const auto end = checked_add(first, x[i]);
        if (!end) fail_argument("the sum of x does not fit 64 bits at x[", i, "] = ", x[i]);
        out.push_back({shared ? first : 0, x[i]});
        first = *end;
    }
    return out;
}

namespace
{

constexpr std::string_view library_prefix = "lib:";

// Stays loaded to the end of the process.
class LibraryFunction final : public Kernel
{
  public:
    LibraryFunction(const std::string &path, const std::string &function)
        : path_(path), name_(text(library_prefix, path, ":", function)), library_("the library", {path})
    {
        try {
            library_.bind(function_, function.c_str());
        } catch (const Error &) {
            fail_argument("the library has no function ", in_quotes(function), "; one of C++ must be extern \"C\"");
        }
    }
    void prepare(const Slice &slice) override { size_ = slice.rows; }
    void run() override
    {
        int result = 0;
        try {
            result = function_(size_, nullptr);
        } catch (const std::exception &error) {
            throw RunFailure(text(in_quotes(name_), " threw an exception: ", in_quotes(error.what())));
        } catch (...) {
            throw RunFailure(text(in_quotes(name_), " threw an exception of unknown type"));
        }
        if (result != 0) throw RunFailure(text(in_quotes(name_), " returned ", result));
    }
    void release() noexcept override {}
    std::string description() const override { return printable(name_); }
    std::vector<std::string> origins() const override { return {describe_file(path_)}; }

  private:
    std::string path_, name_;
    DynamicLibrary library_;
    int (*function_)(std::int64_t size, void *user) = nullptr;
    std::int64_t size_ = 0;
};

ExternalProcessor make_library_function(std::string_view command, const Options &options)
{
    const auto rest = command.substr(library_prefix.size());
    const auto colon = rest.rfind(':');
    const auto tail = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    const auto at = tail.find('@');
    const auto function = tail.substr(0, at);
    if (colon == 0 || function.empty())
        fail_parameter("command", " is ", in_quotes(command),
                       "; it must be lib:PATH:FUNCTION or lib:PATH:FUNCTION@CORES");
    for (const std::string_view key : {"time_from", "time_pattern", "time_unit", "protocol", "timeout"})
        if (options.is_set(key))
            fail_parameter("command", " is ", in_quotes(command), ", but option ", in_quotes(key),
                           " is set, which belongs to programs; remove it");
    ExternalProcessor processor;
    if (at != std::string_view::npos) {
        if (options.is_set("cores"))
            fail_parameter("command", " is ", in_quotes(command),
                           ", but option 'cores' is set too; give only one of them");
        processor.cores = parse_cores(tail.substr(at + 1), usable_cores());
    }
    try {
        processor.kernel = std::make_unique<LibraryFunction>(std::string(rest.substr(0, colon)), std::string(function));
    } catch (const Error &error) {
        fail_parameter("command", " is ", in_quotes(command), ": ", error.what());
    }
    return processor;
}

} // namespace

ExternalProcessor make_external(std::string_view command, const Options &options)
{
    ExternalProcessor processor;
    if (command.starts_with(library_prefix))
        processor = make_library_function(command, options);
    else
        processor.kernel = make_program(split_command(command), ProgramSettings::from(options));
    if (options.is_set("cores")) processor.cores = parse_cores(options.get_text("cores"), usable_cores());
    return processor;
}

} // namespace hpart
