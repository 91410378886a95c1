#include "energy/live_stream.hpp"

#include "core/error.hpp"
#include "energy/samples.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <poll.h>

namespace hpart
{

namespace
{

// Nothing for this many intervals, and for at least that long, is no missed value but a meter that is gone.
constexpr double silent_intervals = 5;
constexpr double shortest_silence_seconds = 0.25;
constexpr std::size_t longest_row = 4096;

double now_seconds()
{
    const auto now = Clock::now();
    return middle_seconds(now, now);
}

} // namespace

LiveStream::LiveStream(std::string name, Descriptor input, double interval, RowFormat format,
                       std::function<std::string()> at_end)
    : name_(std::move(name)), input_(std::move(input)), interval_(interval), format_(std::move(format)),
      at_end_(std::move(at_end))
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail(Status::io, "cannot make a pipe: ", std::generic_category().message(errno));
    wake_read_ = Descriptor(ends[0]);
    wake_write_ = Descriptor(ends[1]);
    thread_ = std::thread([this] { run(); });
}

LiveStream::~LiveStream()
{
    wake_write_.close();
    thread_.join();
}

double LiveStream::longest_silence() const { return std::max(silent_intervals * interval_, shortest_silence_seconds); }

void LiveStream::wait_for_first_row()
{
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::duration<double>(longest_silence()),
                   [this] { return error_ != nullptr || !readings_.empty(); });
    if (error_) std::rethrow_exception(error_);
    if (readings_.empty())
        fail(Status::device, "meter ", name_, " ", format_.sends, " no power within ", longest_silence(), " s; ",
             format_.when_silent);
}

void LiveStream::check_locked() const
{
    if (error_) std::rethrow_exception(error_);
    const double silence = now_seconds() - readings_.back().seconds;
    if (silence > longest_silence())
        fail(Status::device, "meter ", name_, " ", format_.sends, " no power for ", silence, " s; ",
             format_.when_silent);
}

void LiveStream::check() const
{
    const std::lock_guard lock(mutex_);
    check_locked();
}

void LiveStream::begin()
{
    const std::lock_guard lock(mutex_);
    check_locked();
    readings_.erase(readings_.begin(), readings_.end() - 1);
    window_open_ = true;
    begun_ = now_seconds();
}

std::vector<Reading> LiveStream::end()
{
    const std::lock_guard lock(mutex_);
    window_open_ = false;
    check_locked();
    for (std::size_t k = 1; k < readings_.size(); ++k) {
        const double silence = readings_[k].seconds - readings_[k - 1].seconds;
        if (silence > longest_silence())
            fail(Status::device, "meter ", name_, " ", format_.sends, " no power for ", silence,
                 " s while it measured; ", format_.when_silent);
    }
    return power_between(readings_, begun_, now_seconds());
}

void LiveStream::break_off(std::exception_ptr error)
{
    {
        const std::lock_guard lock(mutex_);
        error_ = std::move(error);
    }
    came_.notify_all();
}

void LiveStream::run() noexcept
{
    try {
        for (;;) {
            std::array<pollfd, 2> watched{{{input_.get(), POLLIN, 0}, {wake_read_.get(), POLLIN, 0}}};
            if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
                fail(Status::device, "meter ", name_, ": ", std::generic_category().message(errno));
            if (watched[1].revents != 0) return;
            if (watched[0].revents != 0 && !take_input()) fail(Status::device, "meter ", name_, ": ", at_end_());
        }
    } catch (...) {
        break_off(std::current_exception());
    }
}

// False at the end of the input.
bool LiveStream::take_input()
{
    std::array<char, longest_row> buffer{};
    const auto length = ::read(input_.get(), buffer.data(), buffer.size());
    if (length < 0) return errno == EAGAIN || errno == EINTR;
    if (length == 0) return false;
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(length))) {
        const bool is_newline = c == '\n' || c == '\r';
        if (!is_newline) unfinished_ += c;
        if (is_newline || format_.ends.find(c) != std::string_view::npos) {
            take_row(unfinished_);
            unfinished_.clear();
        } else if (unfinished_.size() > longest_row) {
            fail(Status::device, "meter ", name_, " ", format_.sends, " ", longest_row,
                 " bytes without the end of a row");
        }
    }
    return true;
}

void LiveStream::take_row(std::string_view row)
{
    row = trim(row);
    if (row.empty()) return;
    const auto watts = format_.watts(row);
    if (!watts) return;
    {
        const std::lock_guard lock(mutex_);
        if (!window_open_) readings_.clear();
        readings_.push_back({now_seconds(), {*watts}});
    }
    came_.notify_all();
}

} // namespace hpart
