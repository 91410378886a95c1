#include "measurement/program_session.hpp"

#include "core/error.hpp"
#include "measurement/printed_time.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

namespace hpart
{

namespace
{

constexpr std::size_t large_piece = std::size_t{8} << 20;
constexpr auto moment = std::chrono::milliseconds(500);
constexpr int poll_milliseconds = 1; // milliseconds, where no descriptor tells of a program's end

int milliseconds_until(Clock::time_point limit)
{
    constexpr std::int64_t longest = 3600000;
    if (limit == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, longest));
}

// ESC [ 3 2 m, which sets the terminal's colour, ESC ( B, which sets its characters, ESC ] 0 ; text BEL, which sets its title, and their like.
void remove_sequences(std::string &line)
{
    const auto end_of = [&](std::size_t at, unsigned char low, unsigned char high) {
        while (at < line.size() && static_cast<unsigned char>(line[at]) >= low &&
               static_cast<unsigned char>(line[at]) <= high)
            ++at;
        return at;
    };
    for (auto at = line.find('\x1b'); at != std::string::npos; at = line.find('\x1b', at)) {
        if (line.compare(at, 2, "\x1b]") == 0) {
            const auto bell = line.find('\a', at), end = line.find("\x1b\\", at);
            line.erase(at, std::min(bell, end == std::string::npos ? end : end + 1) + 1 - at);
            continue;
        }
        const bool has_parameters = at + 1 < line.size() && line[at + 1] == '[';
        const auto last = end_of(has_parameters ? end_of(at + 2, '0', '?') : at + 1, ' ', '/');
        line.erase(at, last < line.size() ? last + 1 - at : std::string::npos);
    }
}

} // namespace

Interruption::Interruption() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (event_.get() < 0) fail(Status::io, "cannot make an event descriptor: ", std::generic_category().message(errno));
}

void Interruption::set() noexcept
{
    const std::uint64_t one = 1;
    while (::write(event_.get(), &one, sizeof one) < 0 && errno == EINTR) {}
}

void Interruption::clear() noexcept
{
    std::uint64_t count = 0;
    while (::read(event_.get(), &count, sizeof count) < 0 && errno == EINTR) {}
}

TextReader::TextReader(Descriptor source, OnText on_text, std::size_t least)
    : source_(std::move(source)), on_text_(std::move(on_text)), least_(least)
{
    ::fcntl(source_.get(), F_SETFL, O_NONBLOCK);
}

void TextReader::read()
{
    // A pipe holds no more; a program that prints faster than we read does not keep us here.
    constexpr int most_reads = 4;
    constexpr std::size_t room = 65536;
    for (int k = 0; k < most_reads && source_.get() >= 0; ++k) {
        const auto size = text_.size();
        text_.resize(size + room);
        const auto length = ::read(source_.get(), text_.data() + size, room);
        text_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && errno == EAGAIN) return;
        if (length <= 0) {
            source_ = Descriptor();
            return finish();
        }
        has_line_ = has_line_ || std::string_view(text_).substr(size).find_last_of("\r\n") != std::string_view::npos;
        if (text_.size() < least_) continue;
        if (std::exchange(has_line_, false)) pass_on(text_.find_last_of("\r\n") + 1);
        if (text_.size() > least_ + longest_line) text_.resize(longest_line + 1); // a line that is cut anyway
    }
}

void TextReader::pass_on(std::size_t size)
{
    auto text = std::string_view(text_).substr(0, size);
    const bool was_return = std::exchange(ends_with_return_, text.ends_with('\r'));
    if (was_return && text.starts_with('\n')) text.remove_prefix(1);
    on_text_(text);
    text_.erase(0, size);
}

void TextReader::finish()
{
    if (!text_.empty()) pass_on(text_.size());
}

namespace
{

bool pass_line(std::string_view line, std::string &changed, const OnLine &on_line)
{
    constexpr std::string_view byte_order_mark = "\ufeff";
    if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    const bool is_cut = line.size() > longest_line;
    if (!is_cut && line.find('\x1b') == std::string_view::npos) return on_line(line);
    changed = line.substr(0, longest_line);
    if (is_cut) {
        const auto blank = changed.find_last_of(" \t");
        changed.resize(blank == std::string::npos ? 0 : blank);
        changed += cut_mark;
    }
    remove_sequences(changed);
    return on_line(changed);
}

// The place behind the last such byte; 0 if there is none. Faster than find_last_of for lines.
std::size_t end_of_last(std::string_view text, char end)
{
    const auto *const found = static_cast<const char *>(::memrchr(text.data(), end, text.size()));
    return found == nullptr ? 0 : static_cast<std::size_t>(found - text.data()) + 1;
}

} // namespace

bool any_line(std::string_view text, const OnLine &on_line)
{
    std::string changed;
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        for (auto end = line.find('\r'); end != std::string_view::npos; end = line.find('\r')) {
            if (pass_line(line.substr(0, end), changed, on_line)) return true;
            line.remove_prefix(end + 1);
        }
        if (pass_line(line, changed, on_line)) return true;
    }
    return false;
}

bool any_line_from_end(std::string_view text, const OnLine &on_line)
{
    std::string changed;
    while (!text.empty()) {
        if (text.ends_with('\n')) text.remove_suffix(1);
        if (text.ends_with('\r')) text.remove_suffix(1);
        auto line = text.substr(end_of_last(text, '\n'));
        text.remove_suffix(line.size());
        for (auto begin = end_of_last(line, '\r'); begin > 0; begin = end_of_last(line, '\r')) {
            if (pass_line(line.substr(begin), changed, on_line)) return true;
            line = line.substr(0, begin - 1);
        }
        if (pass_line(line, changed, on_line)) return true;
    }
    return false;
}

ProgramSession::ProgramSession(const std::vector<std::string> &words, bool asked, TextReader::OnText on_output)
{
    std::optional<Pipe> input, output;
    Pipe error;
    StandardStreams streams;
    if (asked) streams.input = input.emplace().read_end.get();
    if (on_output) streams.output = output.emplace().write_end.get();
    streams.error = error.write_end.get();
    begin_ = Clock::now();
    child_.emplace(words, streams);
    waits_.emplace(child_->id());
    if (input) {
        input_ = std::move(input->write_end);
        ::fcntl(input_.get(), F_SETFL, O_NONBLOCK); // a program that does not read must not keep the call
    }
    if (output) output_ = TextReader(std::move(output->read_end), std::move(on_output), asked ? 1 : large_piece);
    error_ = TextReader(std::move(error.read_end), [this](std::string_view lines) {
        any_line(lines, [this](std::string_view line) {
            take_error_line(trim(line));
            return false;
        });
    });
}

// Open MPI frames its reports by lines of dashes, MPICH by lines of =. The line before the first is the program's.
void ProgramSession::take_error_line(std::string_view line)
{
    constexpr std::size_t shortest_frame = 20;
    constexpr std::array<std::string_view, 5> reports = {"mpirun", "mpiexec", "MPI_ABORT", "Primary job",
                                                         "BAD TERMINATION"};
    if (line.empty()) return;
    if (line.size() >= shortest_frame && (line.front() == '-' || line.front() == '=') &&
        line.find_first_not_of(line.front()) == std::string_view::npos) {
        error_line_before_frame_ = last_error_line_;
        return;
    }
    const auto is_in = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
    if (error_line_before_mpi_.empty() && std::any_of(reports.begin(), reports.end(), is_in))
        error_line_before_mpi_ = error_line_before_frame_;
    last_error_line_ = line;
}

Wakeup ProgramSession::wait(const std::function<bool()> &done, Clock::time_point limit,
                            const Interruption &interruption)
{
    // A look takes time from programs that use all cores: 1 % at most.
    constexpr std::chrono::milliseconds first_look(10), longest_pause(160);
    constexpr int looks_in_pause = 100;
    Clock::duration pause = first_look;
    auto next_look = Clock::now() + pause;
    while (!done()) {
        const int end = child_->end_descriptor();
        auto timeout = milliseconds_until(std::min(limit, next_look));
        if (end < 0) timeout = timeout < 0 ? poll_milliseconds : std::min(timeout, poll_milliseconds);
        std::array<struct pollfd, 4> wanted = {{{end, POLLIN, 0},
                                                {interruption.descriptor(), POLLIN, 0},
                                                {output_.descriptor(), POLLIN, 0},
                                                {error_.descriptor(), POLLIN, 0}}};
        ::poll(wanted.data(), wanted.size(), timeout);
        end_ = Clock::now();
        if (wanted[0].revents != 0 || (end < 0 && child_->has_ended())) {
            read_rest();
            return done() ? Wakeup::done : Wakeup::ended;
        }
        if (wanted[1].revents != 0) return Wakeup::interrupted;
        if (wanted[2].revents != 0) output_.read();
        if (wanted[3].revents != 0) error_.read();
        if (end_ >= limit && !done()) return Wakeup::timeout;
        if (end_ < next_look) continue;
        waits_->look();
        const auto now = Clock::now();
        pause = std::max(std::min<Clock::duration>(2 * pause, longest_pause), looks_in_pause * (now - end_));
        next_look = now + pause;
    }
    return Wakeup::done;
}

// Programs that the program has started and left write no more.
void ProgramSession::read_rest()
{
    child_->kill_rest();
    for (auto *reader : {&output_, &error_}) {
        reader->read();
        reader->finish();
    }
}

Wakeup ProgramSession::send(std::string_view line, Clock::time_point limit, const Interruption &interruption)
{
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    bool broken = false;
    auto wakeup = Wakeup::done;
    while (!line.empty() && wakeup == Wakeup::done) {
        const auto written = ::write(input_.get(), line.data(), line.size());
        if (written > 0) {
            line.remove_prefix(static_cast<std::size_t>(written));
        } else if (written < 0 && errno == EAGAIN) { // it does not read now
            std::array<struct pollfd, 2> wanted = {
                {{input_.get(), POLLOUT, 0}, {interruption.descriptor(), POLLIN, 0}}};
            ::poll(wanted.data(), wanted.size(), milliseconds_until(limit));
            if (wanted[1].revents != 0)
                wakeup = Wakeup::interrupted;
            else if (Clock::now() >= limit)
                wakeup = Wakeup::timeout;
        } else if (written < 0 && errno != EINTR) {
            broken = errno == EPIPE;
            wakeup = Wakeup::ended;
        }
    }
    const struct timespec now = {};
    while (broken && ::sigismember(&pending, SIGPIPE) == 0 && ::sigtimedwait(&pipe_signal, nullptr, &now) < 0 &&
           errno == EINTR) {}
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return wakeup;
}

std::optional<std::string> ProgramSession::how_it_ended()
{
    if (!child_->wait_until(Clock::now() + moment)) return std::nullopt;
    read_rest();
    return child_->failure();
}

double ProgramSession::waited_seconds()
{
    waits_->look();
    return waits_->seconds();
}

void ProgramSession::close_input() noexcept
{
    input_ = Descriptor();
    child_->wait_until(Clock::now() + moment);
}

} // namespace hpart
