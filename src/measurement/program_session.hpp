// A started program, whose outputs are read as they come.
#pragma once

#include "core/child_process.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Bytes; the rest is cut, since std::regex recurses for every character.
constexpr std::size_t longest_line = 2048;
// The end of a line that was longer: its last number is none.
constexpr std::string_view cut_mark = " ... nan";

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

// Lines from a pipe. A carriage return ends one, too, as progress bars print it. A line that is too long is cut at a blank, and marked.
class LineReader
{
  public:
    using OnLine = std::function<void(std::string_view)>;
    LineReader() = default;
    LineReader(Descriptor source, OnLine on_line);
    int descriptor() const { return source_.get(); } // -1 at the end
    // Takes what is there now.
    void read();
    // The last line may have no newline.
    void finish();

  private:
    void take(std::string_view piece);
    void end_line();

    Descriptor source_;
    OnLine on_line_;
    std::string line_;
    bool is_cut_ = false, ends_with_return_ = false;
};

enum class Wakeup { done, ended, timeout, interrupted };

class ProgramSession
{
  public:
    // asked: with a pipe to its input. on_output: null where its output is thrown away.
    // Status::io when it cannot be started.
    ProgramSession(const std::vector<std::string> &words, bool asked, LineReader::OnLine on_output);
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
    // No more input, and a moment for its own end.
    void close_input() noexcept;

  private:
    void read_rest();
    void take_error_line(std::string_view line);

    Descriptor input_;
    LineReader output_, error_;
    std::string last_error_line_;
    std::string error_line_before_frame_, error_line_before_mpi_;
    Clock::time_point begin_, end_;
    std::optional<ChildProcess> child_;
};

} // namespace hpart
