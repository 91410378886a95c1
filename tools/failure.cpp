#include "failure.hpp"

#include "core/text.hpp"

#include <functional>
#include <map>

namespace hpart_command
{

namespace
{

// The arguments of the call, by the library's names of what they set.
std::map<std::string, std::string, std::less<>> &typed_names()
{
    static std::map<std::string, std::string, std::less<>> typed;
    return typed;
}

int exit_status_of(hpart_status status, Files files)
{
    switch (status) {
    case HPART_ERR_INVALID_ARGUMENT:
    case HPART_ERR_FORMAT: return exit_wrong_call;
    case HPART_ERR_IO: return files == Files::read ? exit_wrong_call : exit_other;
    case HPART_ERR_INFEASIBLE: return exit_infeasible;
    default: return exit_other;
    }
}

} // namespace

void name_argument(std::string_view option, std::string_view argument)
{
    typed_names()[std::string(option)] = argument;
}

std::string last_error_text()
{
    const std::string_view message = hpart_last_error(), option = hpart_last_error_option();
    const auto typed = typed_names().find(option);
    if (typed == typed_names().end()) return std::string(message);
    const auto words = message.starts_with(option) ? std::string(option) : text("option '", option, "'");
    return typed->second + std::string(message.substr(words.size()));
}

std::string one_line(std::string_view text) { return hpart::printable(text, ' '); }

Failure library_failure(hpart_status status, Files files)
{
    std::string message = last_error_text();
    if (message.empty()) message = hpart_strerror(status);
    return {exit_status_of(status, files), std::move(message)};
}

} // namespace hpart_command
