// Another program, in its own process group: it ends together with all processes that it has started.
#pragma once

#include "core/clock.hpp"
#include "core/file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// Both ends are closed in programs that are started.
struct Pipe {
    Pipe();
    Descriptor read_end, write_end;
};

// A program's descriptors; -1: /dev/null.
struct StandardStreams {
    int input = -1, output = -1, error = -1;
};

// The file of the program, which is looked for in PATH unless it has a slash. Throws Status::invalid_argument unless it can be run, so
// that nothing is done before that is seen.
std::string find_program(const std::string &program);

class ChildProcess
{
  public:
    // Returns when the program runs or cannot: then Status::io with the reason, or Status::invalid_argument if there is no such program. arguments[0] is looked for in PATH unless it has
    // a slash. The program may use the cores of the calling thread, has no signal blocked or ignored, and no descriptor beyond
    // its streams that is marked to be closed.
    ChildProcess(const std::vector<std::string> &arguments, const StandardStreams &streams);
    ChildProcess(const ChildProcess &) = delete;
    ChildProcess &operator=(const ChildProcess &) = delete;
    ~ChildProcess() { end(); }

    pid_t id() const { return process_; }
    // Readable when the program has ended; -1 where the system has no such descriptors.
    int end_descriptor() const { return end_.get(); }
    bool has_ended() const;
    // Returns whether the process has ended.
    bool wait_until(Clock::time_point limit) const;
    // Also ends the processes that it has started in its group.
    void kill_rest() const noexcept;
    // Asks the group to end, kills it if it does not soon, and frees the process. Once.
    void end() noexcept;

    // Only when it has ended, before end(). -1 without one: a signal has ended it.
    int exit_status() const;
    // Processor time of the program and of the processes that it has waited for. NaN if unknown. Only when it has ended, before end().
    double processor_seconds() const;
    // "ended with exit status 3"; "" after exit status 0.
    std::string failure() const;

  private:
    pid_t process_ = 0; // 0: ended and freed
    Descriptor end_;
};

// The words of a command, grouped as a POSIX shell groups them, without a shell.

// Blanks separate words. 'text' is taken as it is; in "text" a backslash escapes $ ` " \ and a line's end; elsewhere it escapes any
// character. Nothing is expanded. Status::invalid_argument for an open quote, no word at all, or an unquoted shell
// operator (| & ; < >), since there is no shell.
std::vector<std::string> split_command(std::string_view command);

// The words on one line for people: those that need quotes have them.
std::string join_command(const std::vector<std::string> &words);

} // namespace hpart
