// A program that hpart starts for each run, or once and asks for each: its words, its answer, its failures.
#pragma once

#include "core/options.hpp"
#include "kernels/kernel.hpp"
#include "measurement/printed_time.hpp"
#include "measurement/program_session.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct ProgramSettings {
    bool prints_time = false; // else its wall time counts, or its processor time
    bool takes_processor_time = false;
    Printed quantity = Printed::time; // that it prints
    bool stays = false;               // one line of sizes on its input, one line of seconds as answer
    std::string pattern;
    std::string unit = "s";                                   // of printed times that have none
    double timeout = std::numeric_limits<double>::infinity(); // seconds of one run

    double unit_seconds() const;
    // Fails when the options contradict each other.
    static ProgramSettings from(const Options &options);
};

// One thread runs it; another may interrupt it. Runs that fail throw RunFailure with the command, the reason and the last line that the
// program wrote to standard error. Destroying it ends the program.
class Program
{
  public:
    // Words like NAME=VALUE before the command are its environment.
    Program(std::vector<std::string> words, const ProgramSettings &settings);
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program();

    // The file that is run. Throws unless it is there and may be run. A program whose name contains the size is not looked for: "".
    std::string command_file() const;
    // The program's file, and each file that the command names, as an interpreter's script.
    std::vector<std::string> origins() const;
    // Before the first run of another size: starts what stays, and forgets an interruption.
    void prepare();
    // Throws if the command's program, or the first file that its words name, as an interpreter's script, has changed since the first
    // run: times of two programs must not be mixed. A file that the first run itself changes is its output.
    // Runs it with these words, or sends this line to a program that stays. Calls on_text with the lines that it prints, in pieces, or
    // with its answer.
    void run(const std::vector<std::string> &words, const std::string &line, const TextReader::OnText &on_text);
    // The last run took so long, by the clock that the settings choose; one of a program that stays, until its answer.
    double seconds() const { return seconds_; }
    // For which its processes waited for a core, in all runs.
    double waited_seconds() const { return waited_seconds_; }
    void interrupt() noexcept { interruption_.set(); }
    // The run whose answer was read has failed.
    template <typename... Parts> [[noreturn]] void fail_run(const Parts &...reason) { fail_run_with(text(reason...)); }
    // Throws unless the time of the last run is a finite number, 0 or more. step: of its last decimal, if it is printed.
    void check_seconds(double seconds, std::optional<double> step);
    // Returns the seconds of this printed number and checks them. For a rate, which must be above 0: the seconds of `units` units.
    double checked_seconds(double printed, double step, std::int64_t units);
    std::optional<double> printed_step() const { return printed_step_; } // the finest one
    // The first time that was longer than its run, unless a pattern chose it; "" if there was none.
    const std::string &time_doubt() const { return time_doubt_; }

    const std::vector<std::string> &words() const { return words_; }
    const ProgramSettings &settings() const { return settings_; }
    const PrintedTime &printed() const { return printed_; }
    // The command and how its time is found.
    std::string description() const;

  private:
    [[noreturn]] void fail_run_with(const std::string &reason);
    void require_same_files();
    void start(bool asked, TextReader::OnText on_output);
    std::string ask(const std::string &line);
    std::string why_no_answer(bool was_read);
    Clock::time_point limit() const;
    void check(Wakeup wakeup, std::string_view what);

    std::vector<std::string> words_, words_now_;
    struct Watched {
        std::string path, state;            // at the first start
        std::optional<std::size_t> content; // its hash then; nothing of a file that is too large
        bool has_changed();
    };
    std::vector<Watched> watched_;
    std::int64_t starts_ = 0;
    ProgramSettings settings_;
    PrintedTime printed_;
    Interruption interruption_;
    std::vector<std::string> answers_;
    double wall_seconds_ = 0, seconds_ = 0, waited_seconds_ = 0;
    std::optional<double> printed_step_;
    std::string time_doubt_;
    std::optional<ProgramSession> session_; // the first to go: it writes answers
};

// Puts a text in the place of each `{name}` of the words.
std::vector<std::string> with_text(std::vector<std::string> words, std::string_view place,
                                   std::string_view replacement);

// {size} in the words is replaced at each run.
std::unique_ptr<Kernel> make_program(std::vector<std::string> words, const ProgramSettings &settings);

} // namespace hpart
