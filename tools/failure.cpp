#include "failure.hpp"

#include "core/characters.hpp"

#include <vector>

namespace hpart_command
{

namespace
{

struct Replacement {
    std::string said, typed;
};

std::vector<Replacement> &words_to_replace()
{
    static std::vector<Replacement> words;
    return words;
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

void say_instead(std::string said, std::string_view typed)
{
    words_to_replace().push_back({std::move(said), std::string(typed)});
}

std::string in_typed_words(std::string message)
{
    for (const auto &[said, typed] : words_to_replace()) {
        const auto at = message.find(said);
        // Words at the beginning alone, as the rest may be a file's name; a path of the command itself anywhere.
        if (at == 0 || (at != std::string::npos && said.front() == '/')) message.replace(at, said.size(), typed);
    }
    return message;
}

std::string one_line(std::string_view text) { return hpart::printable(text, ' '); }

Failure library_failure(hpart_status status, Files files)
{
    std::string message = hpart_last_error();
    if (message.empty()) message = hpart_strerror(status);
    constexpr std::string_view suggestion = "interpolate=linear allows";
    if (const auto at = message.find(suggestion); status == HPART_ERR_INFEASIBLE && at != std::string::npos)
        message.insert(at, "--option ");
    return {exit_status_of(status, files), std::move(message)};
}

} // namespace hpart_command
