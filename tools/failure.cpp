#include "failure.hpp"

#include "core/characters.hpp"

#include <array>
#include <utility>
#include <vector>

namespace hpart_command
{

namespace
{

struct Replacement {
    std::string said, typed;
};

// Other words of the library, at any place.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> phrases = {{
    {", or set time_pattern", ", or give --time-pattern"},
    {" interpolate=linear allows", " --option interpolate=linear allows"},
    {"name the unit by time_unit", "name the unit by --time-unit"},
    {", but option 'protocol' is 'lines', where", ", but --protocol is 'lines', where"},
    {"a program's option 'timeout' leaves out", "a program's --timeout leaves out"},
}};

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
        // Words at the beginning alone, as the rest may be a file's name; a path of the command itself, or a clause, anywhere.
        const bool is_unmistakable = said.front() == '/' || said.starts_with("; ");
        if (at == 0 || (at != std::string::npos && is_unmistakable)) message.replace(at, said.size(), typed);
    }
    for (const auto &[said, typed] : phrases)
        if (const auto at = message.find(said); at != std::string::npos && message.find(typed) == std::string::npos)
            message.replace(at, said.size(), typed);
    return message;
}

std::string last_error_text() { return in_typed_words(hpart_last_error()); }

std::string one_line(std::string_view text) { return hpart::printable(text, ' '); }

Failure library_failure(hpart_status status, Files files)
{
    std::string message = last_error_text();
    if (message.empty()) message = hpart_strerror(status);
    return {exit_status_of(status, files), std::move(message)};
}

} // namespace hpart_command
