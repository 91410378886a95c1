// Any program that prints watts, a number a line: for meters that come with a tool of their own.
#include "energy/command.hpp"

#include "core/error.hpp"
#include "energy/backends.hpp"
#include "energy/live_stream.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern "C" char **environ; // NOLINT(readability-redundant-declaration): the header has it for GNU alone

namespace hpart
{

namespace
{

constexpr double interval_seconds = 1;
// A program that is asked to end has this long, then it is killed.
constexpr auto patience = std::chrono::milliseconds(200);
constexpr auto look_every = std::chrono::milliseconds(5);

// A shell with the program, in a process group of its own, so that what the shell starts is ended with it.
class Program
{
  public:
    // output: closed here once the program has it, so that its end is seen.
    Program(const std::string &command, Descriptor output)
    {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        ::posix_spawnattr_setsigdefault(&attributes, &all);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setpgroup(&attributes, 0);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
        std::string shell = "sh", option = "-c", text = command;
        const std::array<char *, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
        const int error = ::posix_spawn(&process_, "/bin/sh", &actions, &attributes, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
        if (error != 0)
            fail(Status::io, "cannot start /bin/sh for ", in_quotes(command), ": ",
                 std::generic_category().message(error));
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program()
    {
        // Only the wait that reaps frees the number: until then the group is this one.
        if (!ended_within(std::chrono::milliseconds(0))) {
            ::kill(-process_, SIGTERM);
            ended_within(patience);
        }
        ::kill(-process_, SIGKILL);
        int status = 0;
        while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
    }

    // "ended with exit status 1", after "the program".
    std::string how_it_ended() const
    {
        siginfo_t information{};
        if (!ended_within(patience)) return "closed its output";
        if (::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOHANG | WNOWAIT) != 0)
            return "ended";
        if (information.si_code != CLD_EXITED) return text("was ended by signal ", information.si_status);
        // What the shell says of a program that it cannot run.
        constexpr int not_found = 127, not_run = 126;
        if (information.si_status == not_found)
            return "was not found; give its path, or let PATH in the environment have its folder (exit status 127)";
        if (information.si_status == not_run) return "may not be run: is it executable? (exit status 126)";
        return text("ended with exit status ", information.si_status);
    }

  private:
    bool ended_within(std::chrono::milliseconds limit) const
    {
        const auto end = Clock::now() + limit;
        for (;;) {
            siginfo_t information{};
            if (::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOHANG | WNOWAIT) != 0)
                return true;
            if (information.si_pid != 0) return true;
            if (Clock::now() >= end) return false;
            std::this_thread::sleep_for(look_every);
        }
    }

    pid_t process_ = 0;
};

struct Pipe {
    Descriptor read_end, write_end;
    Pipe()
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            fail(Status::io, "cannot make a pipe: ", std::generic_category().message(errno));
        read_end = Descriptor(ends[0]);
        write_end = Descriptor(ends[1]);
    }
};

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
                 [name](std::string_view line) { return command_watts(name, line); }},
                [this] { return "the program " + program_.how_it_ended(); })
    {
        rows_.wait_for_first_row(settings.look);
    }
    void begin(ReadingSink sink) override { rows_.begin(std::move(sink)); }
    void end() override { rows_.end(); }
    void check() const override { rows_.check(); }

  private:
    Pipe pipe_;
    Program program_;
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
                     settings.interval.value_or(interval_seconds),
                     {{"printed power", never_wraps}}};
    sensor.stream = std::make_unique<CommandStream>(name, argument, sensor.traits.interval, settings);
    return sensor;
}

MeterAvailability look_for_command()
{
    return {Status::success, "any program that prints watts, a number a line, at least once a second"};
}

} // namespace hpart
