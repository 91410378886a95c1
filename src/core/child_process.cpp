#include "core/child_process.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char **environ; // NOLINT(readability-redundant-declaration): the header has it for GNU alone

namespace hpart
{

namespace
{

// A program that is asked to end has this long, then it is killed.
constexpr auto kill_patience = std::chrono::milliseconds(500);
constexpr auto poll_interval = std::chrono::milliseconds(1); // where the system does not wake us

// 0, 1 and 2 are the program's own streams.
void move_above_streams(Descriptor &descriptor)
{
    if (descriptor.get() > STDERR_FILENO) return;
    const int higher = ::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (higher < 0) fail(Status::io, "cannot make a pipe: ", std::generic_category().message(errno));
    descriptor = Descriptor(higher);
}

class SpawnAttributes
{
  public:
    SpawnAttributes()
    {
        if (::posix_spawn_file_actions_init(&actions_) != 0) throw std::bad_alloc();
        if (::posix_spawnattr_init(&attributes_) != 0) {
            ::posix_spawn_file_actions_destroy(&actions_);
            throw std::bad_alloc();
        }
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    }
    SpawnAttributes(const SpawnAttributes &) = delete;
    SpawnAttributes &operator=(const SpawnAttributes &) = delete;
    ~SpawnAttributes()
    {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    void set_stream(int stream, int source, int mode)
    {
        const int error = source < 0 ? ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", mode, 0)
                                     : ::posix_spawn_file_actions_adddup2(&actions_, source, stream);
        if (error != 0) throw std::bad_alloc();
    }
    const posix_spawn_file_actions_t *actions() const { return &actions_; }
    const posix_spawnattr_t *attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

[[noreturn]] void fail_to_start(const std::string &program, int error)
{
    const bool is_wrong_command = error == ENOENT || error == EACCES || error == ENOEXEC;
    const bool is_sought = error == ENOENT && program.find('/') == std::string::npos;
    fail(is_wrong_command ? Status::invalid_argument : Status::io,
         "cannot be started: ", std::generic_category().message(error),
         is_sought ? "; give its path, or let PATH in the environment have its folder"
         : error == ENOEXEC
             ? "; a script must begin with a line such as #!/bin/sh, and a program must be one of this machine"
             : "");
}

// 0 if the file can be run.
int error_of_file(const std::string &path)
{
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0) return errno;
    return S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
}

int pidfd_of(pid_t process)
{
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
    return -1;
#endif
}

std::string name_of_signal(int signal)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
    if (const char *name = ::sigabbrev_np(signal); name != nullptr) return text(" (SIG", name, ")");
#endif
    return "";
}

} // namespace

Pipe::Pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail(Status::io, "cannot make a pipe: ", std::generic_category().message(errno));
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
    move_above_streams(read_end);
    move_above_streams(write_end);
}

std::string find_program(const std::string &program)
{
    int error = ENOENT;
    if (program.find('/') != std::string::npos) {
        error = error_of_file(program);
        if (error == 0) return program;
    } else {
        const char *const path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nothing here sets it
        std::string_view folders = path != nullptr ? path : "/bin:/usr/bin";
        for (bool is_last = false; !is_last;) {
            const auto folder = folders.substr(0, folders.find(':'));
            is_last = folder.size() == folders.size();
            folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
            auto file = folder.empty() ? program : text(folder, "/", program);
            const int found = error_of_file(file);
            if (found == 0) return file;
            if (found == EACCES) error = found;
        }
    }
    fail_to_start(program, error);
}

ChildProcess::ChildProcess(const std::vector<std::string> &arguments, const StandardStreams &streams)
{
    auto words = arguments;
    std::vector<char *> pointers;
    pointers.reserve(words.size() + 1);
    for (auto &word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    SpawnAttributes spawn;
    spawn.set_stream(STDIN_FILENO, streams.input, O_RDONLY);
    spawn.set_stream(STDOUT_FILENO, streams.output, O_WRONLY);
    spawn.set_stream(STDERR_FILENO, streams.error, O_WRONLY);
    const int error =
        ::posix_spawnp(&process_, pointers.front(), spawn.actions(), spawn.attributes(), pointers.data(), environ);
    if (error != 0) {
        process_ = 0;
        fail_to_start(words.front(), error);
    }
    end_ = Descriptor(pidfd_of(process_));
}

// Only the wait that frees the process frees its number: until then the group is this one.
bool ChildProcess::has_ended() const
{
    if (process_ == 0) return true;
    siginfo_t information{};
    if (::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno != EINTR;
    return information.si_pid != 0;
}

bool ChildProcess::wait_until(Clock::time_point limit) const
{
    while (!has_ended()) {
        const auto left = limit - Clock::now();
        if (left <= Clock::duration::zero()) return false;
        if (end_.get() < 0) {
            Clock::sleep_for(std::min<Clock::duration>(left, poll_interval));
            continue;
        }
        const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        struct pollfd wanted = {end_.get(), POLLIN, 0};
        ::poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(milliseconds, 60000)));
    }
    return true;
}

void ChildProcess::kill_rest() const noexcept
{
    // A caller that ignores SIGCHLD has no process left to wait for, and its number may be another's.
    siginfo_t information{};
    if (process_ == 0 || ::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOHANG | WNOWAIT) != 0)
        return;
    ::kill(-process_, SIGKILL);
}

void ChildProcess::end() noexcept
{
    if (process_ == 0) return;
    if (!has_ended()) {
        ::kill(-process_, SIGTERM);
        wait_until(Clock::now() + kill_patience);
    }
    kill_rest();
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
    process_ = 0;
    end_ = Descriptor();
}

int ChildProcess::exit_status() const
{
    siginfo_t information{};
    const bool is_known = ::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOHANG | WNOWAIT) == 0;
    return is_known && information.si_code == CLD_EXITED ? information.si_status : -1;
}

double ChildProcess::processor_seconds() const
{
    double seconds = std::numeric_limits<double>::quiet_NaN();
#ifdef SYS_waitid
    // The C library's waitid has no place for the use of resources, and only wait4 has one, which frees the process.
    siginfo_t information{};
    struct rusage use = {};
    const auto of = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    if (::syscall(SYS_waitid, P_PID, process_, &information, WEXITED | WNOHANG | WNOWAIT, &use) == 0)
        seconds = of(use.ru_utime) + of(use.ru_stime);
#endif
    return seconds;
}

std::string ChildProcess::failure() const
{
    siginfo_t information{};
    if (::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOHANG | WNOWAIT) != 0)
        return "ended, and its exit status is lost: this process must not ignore SIGCHLD, nor wait for all its "
               "children";
    if (information.si_code != CLD_EXITED)
        return text("was ended by signal ", information.si_status, name_of_signal(information.si_status));
    if (information.si_status == 0) return "";
    return text("ended with exit status ", information.si_status);
}

namespace
{

constexpr std::string_view word_blanks = " \t\r\n";
constexpr std::string_view operators = "|&;<>";
constexpr std::string_view escaped_in_quotes = "$`\"\\\n";

bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

class Splitter
{
  public:
    explicit Splitter(std::string_view command) : command_(command), rest_(command) {}

    std::vector<std::string> split()
    {
        while (!rest_.empty()) take(next());
        end_word();
        if (words_.empty()) fail_parameter("command", " is ", in_quotes(command_), "; it must name a program");
        return std::move(words_);
    }

  private:
    char next()
    {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    void add(char c)
    {
        word_ += c;
        in_word_ = true;
    }
    void end_word()
    {
        if (in_word_) words_.push_back(std::move(word_));
        word_.clear();
        in_word_ = false;
    }
    void take(char c)
    {
        if (is_one_of(word_blanks, c)) return end_word();
        if (c == '\'' || c == '"') return quoted(c);
        if (c == '\\') return escape();
        if (is_one_of(operators, c))
            fail_parameter("command", " is ", in_quotes(command_), "; no shell reads it, so that '", c,
                           "' must be quoted, or the command be sh -c '...'");
        add(c);
    }
    void escape()
    {
        if (rest_.empty()) fail_parameter("command", " is ", in_quotes(command_), "; it must not end with a backslash");
        const char c = next();
        if (c != '\n') add(c);
    }
    void quoted(char quote)
    {
        in_word_ = true; // also when there is nothing between the quotes
        for (;;) {
            if (rest_.empty())
                fail_parameter("command", " is ", in_quotes(command_), "; the quote ", quote, " must be closed");
            const char c = next();
            if (c == quote) return;
            const bool escapes =
                quote == '"' && c == '\\' && !rest_.empty() && is_one_of(escaped_in_quotes, rest_.front());
            if (escapes)
                escape();
            else
                add(c);
        }
    }

    std::string_view command_, rest_;
    std::vector<std::string> words_;
    std::string word_;
    bool in_word_ = false;
};

bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           is_one_of("_-./:=,+@%{}^~#", c);
}

} // namespace

std::vector<std::string> split_command(std::string_view command) { return Splitter(command).split(); }

std::string join_command(const std::vector<std::string> &words)
{
    std::string line;
    for (const auto &word : words) {
        if (!line.empty()) line += ' ';
        if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word) {
            if (c == '\'')
                line += "'\\''";
            else
                line += c;
        }
        line += '\'';
    }
    return line;
}

} // namespace hpart
