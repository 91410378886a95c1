// One application that runs the work of all processors at once: a program, or a function of the user's.
#pragma once

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/printed_time.hpp"
#include "measurement/program.hpp"
#include "measurement/team.hpp"
#include "models/facts.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// The times that an application prints.

// The matches of a pattern. Without a pattern the lines that begin with a processor's name and have its time, or, if
// there are none, the last line of several numbers and nothing else, or the lines of one number each, or the only line with a time.
class ApplicationTimes
{
  public:
    ApplicationTimes(const std::vector<std::string> &names, const PrintedTime &pattern, const ProgramSettings &settings)
        : names_(names), pattern_(pattern), has_pattern_(!settings.pattern.empty()), unit_(settings.unit_seconds()),
          quantity_(settings.quantity), named_(names.size())
    {
    }

    void take(std::string_view line);

    // The first that was no number; "" if all were.
    const std::string &bad() const { return bad_; }
    Flaw flaw() const { return flaw_; }
    // The finest unit of the last decimals of the times found, in seconds.
    double step() const { return step_; }

    // The seconds of the processors that have work, in order, or one for all of them. Else why there are none.
    std::vector<double> found(std::span<const std::int64_t> x, std::string &failure);

  private:
    // A number behind a name: how surely it is a time.
    enum class Rank { none, with_unit, alone, alone_with_unit };
    struct Named {
        Rank rank = Rank::none;
        double seconds = 0;
        std::string words;   // its line without numbers
        std::string unclear; // a line whose number may be another quantity
        std::string bad;     // the number, if it is none
        std::string line;    // of a number alone
        Flaw flaw = Flaw::none;
        double step = infinity;
        std::int64_t lines = 0; // of this rank
    };

    // Times in order, and how many there were.
    struct Times {
        std::vector<double> each; // the first of count
        std::size_t count = 0;
        std::string bad;
        Flaw flaw = Flaw::none;
        double step = infinity;
        bool is_cut = false;
        bool has_units = false, has_bare = false;
    };

    // One time of the whole run, as a program prints it.
    void take_whole(std::string_view line);
    // A number without a unit beside a time with one may be anything.
    std::string mixed_units(const std::string &without) const;
    std::vector<double> found_whole(std::string &failure);

    // The line of several; else all single numbers, or the last of them in a row if there are too many.
    const Times &chosen(std::size_t active) const;

    // Other lines may begin with a name, too: "GPU0 done", "GPU0 memory 12 GB", "GPU0 71 rows".
    void take_named(std::size_t i, std::string_view rest);

    std::string_view what() const { return quantity_ == Printed::rate ? "rate" : "time"; }

    void add(Times &times, std::string_view line, const PrintedNumber &number) const;

    // "GPU0 0.31", "GPU0: 0.31 s": the longest name that the line begins with.
    std::optional<std::size_t> index_of(std::string_view line) const;

    const std::vector<std::string> &names_;
    const PrintedTime &pattern_;
    bool has_pattern_, is_run_ = false;
    double unit_;
    Printed quantity_;
    std::vector<Named> named_;
    std::string bad_;
    Flaw flaw_ = Flaw::none;
    double step_ = infinity;
    bool has_counts_ = false; // the lines of several numbers begin with whole numbers: not the 0 of an idle processor
    bool line_begins_whole_ = false;
    bool is_mixed_ = false; // the lines of a name are not together
    std::size_t last_named_ = 0;
    std::int64_t lines_with_time_ = 0;
    PrintedNumber whole_; // the last one's
    std::string whole_line_;
    std::string numbers_line_;   // the last line of numbers alone without units
    std::string line_with_unit_; // the last line with one time with a unit
    Times line_, singles_, run_; // the last line of several; all lines of one; the last of these in a row
};

class TeamRun;

// Runs on one thread; another may interrupt it.
class Application : public Work
{
  public:
    // Before the first run of another distribution.
    virtual void prepare() = 0;
    // Runs a distribution. Writes the seconds of each processor, 0 for those without work. Throws RunFailure.
    virtual void run(std::span<const std::int64_t> x, std::span<double> seconds) = 0;
    // The step of a processor's times, as printed_step() of all.
    virtual std::optional<double> printed_step_of(std::size_t /*processor*/) const { return printed_step(); }
    // True if the last run of several processors gave one time for all of them: the whole run's.
    virtual bool gave_one_time() const { return false; }
    // True if all its runs do.
    virtual bool always_gives_one_time() const { return false; }
    // True if a run finds what earlier ones left, such as compiled code, plans and buffers.
    virtual bool stays_alive() const = 0;
};

// A program. Its words have {x}, the sizes with commas between them, {x:SEPARATOR}, {x1} to {xp}, or {size}, their sum; with protocol lines
// it reads them from its input, with blanks between them. options: of call_program.
std::unique_ptr<Application> make_application(const std::vector<std::string> &names, std::string_view command,
                                              const Options &options);

// Adds one processor for each name. The application runs their work. The team must be empty.
HPART_PRIVATE void set_application(Team &team, const std::vector<std::string> &names,
                                   std::shared_ptr<Application> application);

// Called after a run of several sizes failed. Returns the processors whose size also fails alone.
std::vector<std::size_t> culprits_of(const Team &team, std::span<const Slice> slices, const Poll &poll);

// The time of each processor is needed, but the application gave one for all, or no processor is to blame for a failed run: none, or each,
// of its sizes fails alone.
class NoTimesOfEach : public Error
{
  public:
    NoTimesOfEach(Status status, std::string message, std::optional<ApplicationRun> one_time = {})
        : Error(status, std::move(message)), one_time_(std::move(one_time))
    {
    }
    // The run that gave one time; nothing: perhaps the application gives one time, and takes sizes of one sum only.
    const std::optional<ApplicationRun> &one_time() const { return one_time_; }

  private:
    std::optional<ApplicationRun> one_time_;
};

// Throws NoTimesOfEach if the application gave one time for several processors, which `what` cannot use. run: the last one, if the
// caller still has it.
void require_times_of_each(const Team &team, std::string_view what, const TeamRun *run = nullptr);

} // namespace hpart
