#include "failure.hpp"

#include <array>

namespace hpart_command
{

namespace
{
constexpr std::size_t longest_quoted_bytes = 120;

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

std::string number_text(double value)
{
    std::array<char, 64> buffer{};
    char *const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

std::string one_line(std::string_view text)
{
    std::string out(text);
    for (auto &c : out)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    return out;
}

std::string in_quotes(std::string_view text)
{
    if (text.size() <= longest_quoted_bytes) return "'" + one_line(text) + "'";
    return "'" + one_line(text.substr(0, longest_quoted_bytes)) + "...'";
}

Failure library_failure(hpart_status status, Files files)
{
    std::string message = hpart_last_error();
    if (message.empty()) message = hpart_strerror(status);
    return {exit_status_of(status, files), std::move(message)};
}

} // namespace hpart_command
