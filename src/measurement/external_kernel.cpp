#include "measurement/external_kernel.hpp"

#include "core/child_process.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "measurement/program.hpp"

#include <array>
#include <string>

namespace hpart
{

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
