// Failures that end the command early: an exit status and one line for stderr.
#pragma once

#include "core/text.hpp"
#include "hpart.h"

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace hpart_command
{

constexpr int exit_other = 1;
constexpr int exit_wrong_call = 2; // the call or its input is wrong
constexpr int exit_infeasible = 3;
constexpr int exit_signal_base = 128; // the shell's convention: 128 + signal

class Failure : public std::exception
{
  public:
    Failure(int exit_status, std::string message) : exit_status_(exit_status), message_(std::move(message)) {}
    int exit_status() const noexcept { return exit_status_; }
    const char *what() const noexcept override { return message_.c_str(); }

  private:
    int exit_status_;
    std::string message_;
};

using hpart::in_quotes;
using hpart::text;

// The call or its input is wrong.
template <typename... Parts> [[noreturn]] void refuse(const Parts &...parts)
{
    throw Failure(exit_wrong_call, text(parts...));
}

template <typename... Parts> [[noreturn]] void give_up(const Parts &...parts)
{
    throw Failure(exit_other, text(parts...));
}

// The argument of the call that sets this option, or parameter, of the library: from now on messages name it instead.
void name_argument(std::string_view option, std::string_view argument);
// The library's last error. An option or parameter at its beginning has the name of its argument.
std::string last_error_text();

// Text on one line: control characters become blanks.
std::string one_line(std::string_view text);

// The role of a call's files. An input that cannot be read is a wrong call; an output that cannot be written is not.
enum class Files { read, written };

// The failure that a status of the library means, with its last error as the line.
Failure library_failure(hpart_status status, Files files = Files::read);
inline void check(hpart_status status, Files files = Files::read)
{
    if (status != HPART_SUCCESS) throw library_failure(status, files);
}

} // namespace hpart_command
