// One application that runs the work of all processors at once: a program, or a function of the user's.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "measurement/team.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

class TeamRun;

// Runs on one thread; another may interrupt it.
class Application
{
  public:
    Application() = default;
    Application(const Application &) = delete;
    Application &operator=(const Application &) = delete;
    virtual ~Application() = default;

    // Before the first run of another distribution.
    virtual void prepare() = 0;
    // Runs a distribution. Writes the seconds of each processor, 0 for those without work. Throws RunFailure.
    virtual void run(std::span<const std::int64_t> x, std::span<double> seconds) = 0;
    // True if the last run of several processors gave one time for all of them: the whole run's.
    virtual bool gave_one_time() const { return false; }
    // True if all its runs do.
    virtual bool always_gives_one_time() const { return false; }
    // True if a run finds what earlier ones left, such as compiled code, plans and buffers.
    virtual bool stays_alive() const = 0;
    // The unit of the last decimal of printed times, in seconds; the finest one of all runs.
    virtual std::optional<double> printed_step() const { return std::nullopt; }
    // Why the seconds of some run cannot be its time; "" if they can.
    virtual std::string time_doubt() const { return ""; }
    // Seconds for which processes that it started waited for a core, in all runs.
    virtual double waited_seconds() const { return 0; }
    // Names what its times depend on beside this machine: programs with their dates. Without line feeds.
    virtual std::vector<std::string> origins() const { return {}; }
    // "./app {x}"; "" if unknown.
    virtual std::string description() const { return ""; }
    virtual bool is_interruptible() const { return false; }
    virtual void interrupt() noexcept {}
};

// A program. Its words have {x}, the sizes with commas between them, {x:SEPARATOR}, {x1} to {xp}, or {size}, their sum; with protocol lines
// it reads them from its input, with blanks between them. options: of call_program.
std::unique_ptr<Application> make_application(const std::vector<std::string> &names, std::string_view command,
                                              const Options &options);

// Adds one processor for each name. The application runs their work. The team must be empty.
void set_application(Team &team, const std::vector<std::string> &names, std::shared_ptr<Application> application);

// Called after a run of several sizes failed. Returns the processors whose size also fails alone. Calls look repeatedly; it may
// throw.
std::vector<std::size_t> culprits_of(const Team &team, std::span<const Slice> slices,
                                     const std::function<void()> &look);

// The application gave one time for all processors where each one's is needed.
class OneTime : public Error
{
  public:
    OneTime(std::string message, std::vector<std::int64_t> x, double seconds)
        : Error(Status::unsupported, std::move(message)), x_(std::move(x)), seconds_(seconds)
    {
    }
    // The run that showed it.
    const std::vector<std::int64_t> &x() const { return x_; }
    double seconds() const { return seconds_; }

  private:
    std::vector<std::int64_t> x_;
    double seconds_;
};

// A run of several sizes fails, though none, or each, of them fails alone.
class NoCulprit : public Error
{
  public:
    using Error::Error;
};

// Throws OneTime if the application gave one time for several processors, which `what` cannot use. run: the last one, if the
// caller still has it.
void require_times_of_each(const Team &team, std::string_view what, const TeamRun *run = nullptr);

} // namespace hpart
