// Any program that prints watts, a number per line: for meters that come with a tool of their own.

#include "core/child_process.hpp"
#include "core/error.hpp"
#include "energy/backends.hpp"
#include "energy/live_stream.hpp"
#include "energy/sensor.hpp"

#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

constexpr double command_interval_seconds = 1;
// A program that has closed its output has this long to end.
constexpr auto patience = std::chrono::milliseconds(200);

// A shell with the program: its child processes end with it.
class ShellCommand
{
  public:
    // output: closed here once the program has it, so that its end is seen.
    ShellCommand(const std::string &command, Descriptor output)
    try : process_({"/bin/sh", "-c", command}, {-1, output.get(), -1}) {
    } catch (const Error &error) {
        fail(error.status(), "/bin/sh for ", in_quotes(command), " ", error.what());
    }

    // "ended with exit status 1", after "the program".
    std::string how_it_ended() const
    {
        if (!process_.wait_until(Clock::now() + patience)) return "closed its output";
        // The shell's exit statuses for a program that it cannot run.
        constexpr int not_found = 127, not_run = 126;
        const int status = process_.exit_status();
        if (status == not_found)
            return "was not found; give its path, or let PATH in the environment have its folder (exit status 127)";
        if (status == not_run) return "may not be run: is it executable? (exit status 126)";
        return status == 0 ? "ended with exit status 0" : process_.failure();
    }

  private:
    ChildProcess process_;
};

std::string advice_about(std::int64_t together, std::int64_t lines)
{
    const std::string kept_back = "Does it keep lines back? stdbuf -oL helps";
    if (lines > 1) return text("option lines is ", lines, ". ", kept_back);
    return text("several sensors? lines=", together, " adds them up, unless one is their sum. ", kept_back);
}

class CommandStream final : public Stream
{
  public:
    CommandStream(const std::string &name, const std::string &command, double interval, const MeterSettings &settings)
        : program_(command, std::move(pipe_.write_end)),
          rows_(name, std::move(pipe_.read_end), interval,
                {"\n", "printed",
                 "when it prints more seldom than once a second, say so by the option interval; when it keeps lines "
                 "back, "
                 "stdbuf -oL helps",
                 [name](std::string_view line) { return command_watts(name, line); },
                 [lines = settings.lines](std::int64_t together) { return advice_about(together, lines); }, "lines",
                 settings.lines},
                [this] { return "the program " + program_.how_it_ended(); })
    {
        rows_.wait_for_first_row(settings.look);
    }
    void begin(ReadingSink sink) override { rows_.begin(std::move(sink)); }
    void end() override { rows_.end(); }
    void check() const override { rows_.check(); }

  private:
    Pipe pipe_;
    ShellCommand program_;
    LiveStream rows_; // the first to go: its thread asks the program
};

} // namespace

double command_watts(const std::string &name, std::string_view line)
{
    const auto watts = parse_double(line);
    if (!watts || !std::isfinite(*watts) || *watts < 0)
        fail(Status::device, "meter ", name, " printed ", in_quotes(line),
             "; each line must be watts, a finite number that is not negative");
    return *watts;
}

Sensor open_command(const std::string &argument, const MeterSettings &settings)
{
    const auto name = "command:" + argument;
    Sensor sensor;
    sensor.traits = {name,
                     Quantity::watts,
                     Method::integrated,
                     settings.interval.value_or(command_interval_seconds),
                     {{"printed power", never_wraps}}};
    sensor.stream = std::make_unique<CommandStream>(name, argument, sensor.traits.interval, settings);
    return sensor;
}

MeterAvailability look_for_command()
{
    return {Status::success, "any program that prints watts, a number a line, at least once a second"};
}

} // namespace hpart
