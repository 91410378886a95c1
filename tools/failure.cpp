#include "failure.hpp"

#include "core/characters.hpp"

namespace hpart_command
{

namespace
{
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

std::string one_line(std::string_view text) { return hpart::printable(text, ' '); }

Failure library_failure(hpart_status status, Files files)
{
    std::string message = hpart_last_error();
    if (message.empty()) message = hpart_strerror(status);
    return {exit_status_of(status, files), std::move(message)};
}

} // namespace hpart_command
