// A started program, whose outputs are read as they come.
#pragma once

#include "core/child_process.hpp"
#include "core/machine.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Wakes a thread that waits for a program.
class Interruption
{
  public:
    Interruption();
    void set() noexcept;
    void clear() noexcept;
    int descriptor() const { return event_.get(); } // readable while set

  private:
    Descriptor event_;
};

// Text from a pipe. Lines end with a newline, or a carriage return, as progress bars print it.
class TextReader
{
  public:
    // Takes complete lines; the last one of all may have no newline.
    using OnText = std::function<void(std::string_view)>;
    TextReader() = default;
    // on_text: called when at least so many bytes are there, and at the end.
    TextReader(Descriptor source, OnText on_text, std::size_t least = 1);
    int descriptor() const { return source_.get(); } // -1 at the end
    // Reads the bytes that are there now.
    void read();
    void finish();

  private:
    void pass_on(std::size_t size);

    Descriptor source_;
    OnText on_text_;
    std::string text_;
    std::size_t least_ = 1;
    bool has_line_ = false, ends_with_return_ = false;
};

// Calls with each line, or with the last one first, until it returns true; returns whether one did. Without the sequences of terminals; a line
// that is longer than longest_line is cut, and ends with cut_mark.
using OnLine = std::function<bool(std::string_view)>;
bool any_line(std::string_view text, const OnLine &on_line);
bool any_line_from_end(std::string_view text, const OnLine &on_line);

enum class Wakeup { done, ended, timeout, interrupted };

class ProgramSession
{
  public:
    // asked: with a pipe to its input, and each line of its output is passed on at once, else large pieces are: no program waits for their
    // reader. on_output: null where its output is thrown away. Status::io when it cannot be started.
    ProgramSession(const std::vector<std::string> &words, bool asked, TextReader::OnText on_output);
    ProgramSession(const ProgramSession &) = delete;
    ProgramSession &operator=(const ProgramSession &) = delete;
    ~ProgramSession() = default;

    // Reads the outputs until done() holds, the program has ended, or the limit is there.
    Wakeup wait(const std::function<bool()> &done, Clock::time_point limit, const Interruption &interruption);
    // Wakeup::ended when nobody reads it. SIGPIPE does not reach the process.
    Wakeup send(std::string_view line, Clock::time_point limit, const Interruption &interruption);
    void read_output() { output_.read(); }
    bool output_is_open() const { return output_.descriptor() >= 0; }
    bool has_ended() const { return child_->has_ended(); }
    // The way in which it ended, after a moment in which it may; "" after exit status 0, nothing when it goes on.
    std::optional<std::string> how_it_ended();
    // The last line of standard error; before mpirun's own, if it reports the failure.
    const std::string &last_error_line() const
    {
        return error_line_before_mpi_.empty() ? last_error_line_ : error_line_before_mpi_;
    }
    // From its start to its end.
    double seconds() const { return std::chrono::duration<double>(end_ - begin_).count(); }
    // Its processor time, when it has ended.
    double processor_seconds() const { return child_->processor_seconds(); }
    // Seconds for which a thread of its processes waited for a core since begin_waits(), or since the start; the longest one's.
    double waited_seconds();
    void begin_waits() { waits_->begin(); }
    // No more input, and a moment for its own end.
    void close_input() noexcept;

  private:
    void read_rest();
    void take_error_line(std::string_view line);

    Descriptor input_;
    TextReader output_, error_;
    std::string last_error_line_;
    std::string error_line_before_frame_, error_line_before_mpi_;
    Clock::time_point begin_, end_;
    std::optional<ChildProcess> child_;
    std::optional<FamilyWaits> waits_;
};

} // namespace hpart
