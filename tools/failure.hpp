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

// From now on messages that begin with the library's words begin with those that the user typed instead. A clause
// that begins with "; " is replaced at any place.
void say_instead(std::string said, std::string_view typed);
// For every message of the library: an error, or a text of a report.
std::string in_typed_words(std::string message);
// The library's last error in the user's words.
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
