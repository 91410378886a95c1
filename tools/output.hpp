// The command's output on stdout and in files.
#pragma once

#include "arguments.hpp"
#include "hpart.h"
#include "library.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpart_command
{

using Json = nlohmann::ordered_json;

// All of it, or the command ends with exit_other: a reader that has gone or a full disk is not passed over.
void print(std::string_view content);

// Results go out once they are complete: to the file of --output, then to stdout as JSON or as a table for people.
void emit(const Common &common, Json result, const std::function<std::string()> &for_people);
// The first of these texts that is not "" begins the table, and is "time_doubt" of the JSON: printed times that cannot be right.
void note_time_doubt(const std::string &doubt);
// Repetitions disturbed by other work, of all: true if they are so many that people must know.
template <typename Number> bool are_many(Number disturbed, Number all) { return 5 * disturbed > all; }

// The object as text; NaN, which JSON has not, is null.
std::string json_text(const Json &object);

struct Result {
    Json json;
    std::string for_people;
    std::optional<Failure> failure = {}; // that ends the command after the output
    std::vector<std::string> row = {};   // in the table of several sizes, above the text for people
};
// The results of all sizes: one as it is, several as {"results": [...]}. A size without a distribution has the object `empty`, with
// its size and the reason, beside the objects of the others; the command then ends with exit_infeasible. Without any other it ends
// at once. With `headings` people get the rows of several sizes as one table.
void emit_each(const Common &common, const std::vector<std::int64_t> &sizes, Json empty,
               const std::function<Result(std::int64_t)> &solve, const std::vector<std::string> &headings = {});

// The processors and libraries found, for results that depend on them: {"openblas": "0.3.21 SkylakeX", ...}.
Json libraries_json();

// Seconds that suffice for so many points by those measured now; null if nothing is known or needed. The command asks for a
// quarter more than their mean, and for a point more, since the budget may end within one.
Json budget_needed(double seconds, std::int64_t measured_now, double points);
// False beyond a day: there the disturbances decide, not the budget.
bool is_worth_a_budget(const Json &seconds);
// A budget that ended leaves a result: after the output, one line on stderr. `missing` has no full stop; seconds: of the rest, null if
// unknown: "MISSING. Run the same command again to continue; about 4 minutes would measure the rest."
void note_end_of_budget(std::string_view missing, const Json &seconds = {});
// The same of a call that keeps no file: "MISSING. A longer --budget gives it more time."
void note_short_budget(std::string_view missing, std::string_view argument = "--budget");

// The progress of long calls: a bar on stderr when that is a terminal, and the place where an interrupt stops them.

class ProgressBar
{
  public:
    ProgressBar();
    ProgressBar(const ProgressBar &) = delete;
    ProgressBar &operator=(const ProgressBar &) = delete;
    ~ProgressBar() { clear(); }

    // The calls that take these options tell this bar, which must outlive them.
    void attach(hpart_options *options);
    // A call that is only a part of the whole: its own fraction 0..1 becomes start..start + share.
    void set_part(double start, double share, std::string what);
    // Writes the lines to stderr once a call reports progress. Until then it may refuse its arguments, and that is the only message.
    void warn_when_begun(std::string lines) { warnings_ = std::move(lines); }
    void clear();

  private:
    static int told(double fraction, const char *what, void *self) noexcept;
    void draw(double fraction, const char *what);

    bool visible_;
    bool drawn_ = false;
    double part_start_ = 0, part_share_ = 1, fraction_ = 0;
    std::string part_what_, warnings_;
};

// SIGINT, SIGTERM, SIGHUP and SIGQUIT: long work stops at its next check and leaves valid files.

// From now on the first of these signals is only noted; a second one more than a second later ends the process at once.
// With last words the process also ends if it still runs patience_seconds after the first: it writes them and exits with 128 + signal.
void watch_for_interrupts(const std::string &last_words = "", unsigned patience_seconds = 5);

// The signal noted, or 0.
int interrupted_by();

// A command that the user wants to be run.

// Runs it to its end and gives the exit status of a shell: the command's, or 128 + the signal that ended it. Signals that
// were sent to this process alone are passed on. Throws Failure when it cannot be started: 127 not found, 126 anything else.
int run_child(const std::vector<std::string> &command, bool output_to_stderr);

} // namespace hpart_command
