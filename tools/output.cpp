#include "output.hpp"

#include "failure.hpp"
#include "file.hpp"
#include "library.hpp"

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace hpart_command
{

void print(std::string_view content)
{
    if (!write_all(STDOUT_FILENO, content))
        give_up("cannot write to standard output: ", std::generic_category().message(errno));
}

std::string json_text(const Json &object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

void emit(const Common &common, const Json &result, const std::function<std::string()> &for_people)
{
    if (common.output) write_file(*common.output, json_text(result));
    print(common.json ? json_text(result) : for_people());
}

Json libraries_json()
{
    Json libraries = Json::object();
    for (const auto &[name, what] : linked_libraries(library_info())) libraries[name] = what;
    return libraries;
}

} // namespace hpart_command
