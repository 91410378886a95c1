#include "energy/live_stream.hpp"

#include "core/error.hpp"
#include "energy/sensor.hpp"
#include "energy/tally.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>

namespace hpart
{

namespace
{

constexpr std::size_t longest_row = 4096;
constexpr std::size_t most_bytes_at_once = 65536; // what a pipe holds

// A busy machine delays rows, so that some come together: groups are regular ones only, for this long and at least so many.
constexpr double telling_seconds = 0.5;
constexpr int telling_groups = 3;
constexpr std::size_t most_arrivals = 256;
constexpr double shortest_pause_seconds = 0.02;
// In usual pauses: longer ones are between groups, shorter ones inside. Between the two nothing is certain.
constexpr double least_share_between = 0.5, most_share_inside = 0.25, most_share_of_outlier = 2;
// Longer pauses between groups than inside, and alike from group to group, are no accident in so many groups of so few rows.
constexpr double least_ratio = 1.5, most_share_of_difference = 0.25;
constexpr std::size_t groups_in_turn = 6, most_in_turn = 8;
// After so many pauses between groups, or rows, groups would be known.
constexpr int untold_pauses = 7;
constexpr std::size_t untold_arrivals = 64, few_pauses = 2 * most_in_turn;
constexpr double late_intervals_of_rows = 2; // nothing more comes that tells
// Blocks of a buffer have rows of different lengths.
constexpr std::int64_t rows_per_row_of_difference = 8;

bool is_alike(std::int64_t rows, std::int64_t others)
{
    return std::abs(rows - others) * rows_per_row_of_difference <= std::max(rows, others);
}

} // namespace

void RowGroups::add(double seconds, std::int64_t rows)
{
    arrivals_.push_back({seconds, rows});
    if (!first_) first_ = arrivals_.back();
    if (arrivals_.size() > most_arrivals) arrivals_.pop_front();
}

bool RowGroups::may_begin_with_group() const
{
    return first_ && first_->rows > 1 && arrivals_.back().seconds - first_->seconds < telling_seconds;
}

// The second longest: one may be an accident.
double RowGroups::usual_pause() const
{
    double longest = 0, second = 0;
    for (std::size_t k = 1; k < arrivals_.size(); ++k) {
        const double pause = arrivals_[k].seconds - arrivals_[k - 1].seconds;
        second = std::max(second, std::min(pause, longest));
        longest = std::max(longest, pause);
    }
    return second;
}

std::int64_t RowGroups::rows_at_a_time() const
{
    const auto together = rows_together();
    return together > 0 ? together : rows_in_turn();
}

bool RowGroups::may_be_groups(double now) const
{
    if (arrivals_.empty() || arrivals_.size() >= untold_arrivals) return false;
    double shortest = std::numeric_limits<double>::infinity(), longest = now - arrivals_.back().seconds;
    std::vector<double> pauses;
    for (std::size_t k = 0; k < arrivals_.size(); ++k) {
        if (arrivals_[k].rows > 1) shortest = 0;
        if (k > 0) pauses.push_back(arrivals_[k].seconds - arrivals_[k - 1].seconds);
    }
    for (const double pause : pauses) {
        shortest = std::min(shortest, pause);
        longest = std::max(longest, pause);
    }
    if (pauses.size() >= few_pauses) longest = usual_pause();
    if (longest < shortest_pause_seconds || longest < least_ratio * shortest || rows_at_a_time() > 0) return false;
    return std::count_if(pauses.begin(), pauses.end(), [&](double pause) { return least_ratio * pause >= longest; }) <
           untold_pauses;
}

// Rows one by one at two kinds of distances in turn: sensors that are read one after another, and a pause.
std::int64_t RowGroups::rows_in_turn() const
{
    std::vector<double> pauses; // before each row, from the newest back
    for (auto k = arrivals_.size(); k-- > 1 && pauses.size() < groups_in_turn * most_in_turn;) {
        const auto together = std::min<std::size_t>(static_cast<std::size_t>(arrivals_[k].rows), most_in_turn + 1);
        pauses.resize(pauses.size() + together - 1, 0);
        pauses.push_back(arrivals_[k].seconds - arrivals_[k - 1].seconds);
    }
    for (std::size_t rows = 2; rows <= most_in_turn && groups_in_turn * rows <= pauses.size(); ++rows) {
        const auto end = pauses.begin() + static_cast<std::ptrdiff_t>(rows);
        const auto between = static_cast<std::size_t>(std::max_element(pauses.begin(), end) - pauses.begin());
        std::vector<double> least(rows, std::numeric_limits<double>::infinity()), most(rows, 0);
        for (std::size_t k = 0; k < groups_in_turn * rows; ++k) {
            least[k % rows] = std::min(least[k % rows], pauses[k]);
            most[k % rows] = std::max(most[k % rows], pauses[k]);
        }
        double inside = 0, spread = 0;
        for (std::size_t k = 0; k < rows; ++k) {
            if (k != between) inside = std::max(inside, most[k]);
            spread = std::max(spread, most[k] - least[k]);
        }
        const double pause = least[between];
        if (pause >= shortest_pause_seconds && pause >= least_ratio * inside &&
            spread <= most_share_of_difference * (pause - inside))
            return static_cast<std::int64_t>(rows);
    }
    return 0;
}

// All of the latest groups must have as many rows.
std::int64_t RowGroups::rows_together() const
{
    const double usual = usual_pause();
    if (usual < shortest_pause_seconds) return 0;
    struct Group {
        double begin, end;
        std::int64_t rows;
    };
    std::vector<Group> groups; // from the newest back
    bool begins = true;
    for (auto k = arrivals_.size(); k-- > 0;) {
        const auto &[seconds, rows] = arrivals_[k];
        if (std::exchange(begins, false)) groups.push_back({seconds, seconds, 0});
        groups.back().begin = seconds;
        groups.back().rows += rows;
        const double pause = k > 0 ? seconds - arrivals_[k - 1].seconds : 0;
        if (pause <= most_share_inside * usual) continue;
        if (pause < least_share_between * usual || pause > most_share_of_outlier * usual) break;
        begins = true;
    }
    if (groups.size() > 1 && groups[0].rows < groups[1].rows) groups.erase(groups.begin()); // more of its rows may come
    int found = 0;
    for (const auto &group : groups) {
        const auto &newest = groups.front();
        if (group.rows < 2 || !is_alike(group.rows, newest.rows) || group.end - group.begin > usual) return 0;
        if (++found >= telling_groups && newest.begin - group.begin >= telling_seconds) return newest.rows;
    }
    return 0;
}

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

void LiveStream::wait_for_first_row(const std::function<void()> &look)
{
    const double longest = longest_silence(interval_);
    const auto end = Clock::now() + clock_duration(longest);
    std::unique_lock lock(mutex_);
    const auto is_known = [this] {
        return error_ || (last_ && (!format_.when_grouped || !groups_.may_begin_with_group()));
    };
    for (auto now = Clock::now(); now < end && !is_known(); now = Clock::now()) {
        lock.unlock();
        look();
        lock.lock();
        Clock::wait_until(came_, lock, std::min(end, now + look_every), is_known);
    }
    if (error_) std::rethrow_exception(error_);
    if (!last_)
        fail(Status::device, "meter ", name_, " ", format_.sends, " no power within ", longest, " s; ",
             format_.when_silent);
}

void LiveStream::check_locked() const
{
    if (error_) std::rethrow_exception(error_);
    const double silence = now_seconds() - last_->seconds;
    if (silence > longest_silence(interval_))
        fail(Status::device, "meter ", name_, " ", format_.sends, " no power for ", rounded_text(silence), " s; ",
             format_.when_silent);
}

void LiveStream::check() const
{
    const std::lock_guard lock(mutex_);
    check_locked();
    if (window_error_) std::rethrow_exception(window_error_);
}

void LiveStream::begin(ReadingSink sink)
{
    const std::lock_guard lock(mutex_);
    check_locked();
    window_error_ = nullptr;
    row_in_window_ = false;
    begun_ = now_seconds();
    sink_ = std::move(sink);
}

void LiveStream::end()
{
    const double asked = now_seconds();
    std::unique_lock lock(mutex_);
    const auto sink = std::exchange(sink_, nullptr);
    const auto error = std::exchange(window_error_, nullptr);
    check_locked();
    if (error) std::rethrow_exception(error);
    if (!row_in_window_) sink({begun_, last_->values});
    // A row may have come while this thread waited for the lock: it is in the sum already.
    sink({std::max(asked, last_->seconds), last_->values});
    if (format_.when_grouped) wait_until_told(lock);
}

// A short window has too few rows: several sensors look like one sensor that is late.
void LiveStream::wait_until_told(std::unique_lock<std::mutex> &lock)
{
    const auto is_told = [this] { return error_ || !groups_.may_be_groups(now_seconds()); };
    const auto is_silent = [this] { return now_seconds() - last_->seconds > late_intervals_of_rows * interval_; };
    while (!is_told() && !is_silent()) Clock::wait_until(came_, lock, Clock::now() + look_every, is_told);
    if (is_grouped_) std::rethrow_exception(error_);
}

// Passes a reading to the open window, if any. The window reports errors at its end.
void LiveStream::pass_on(const Reading &reading)
{
    if (!sink_ || window_error_) return;
    try {
        const double silence = reading.seconds - last_->seconds;
        if (silence > longest_silence(interval_))
            fail(Status::device, "meter ", name_, " ", format_.sends, " no power for ", rounded_text(silence),
                 " s while it measured; ", format_.when_silent);
        if (!row_in_window_) sink_(power_on_line(*last_, reading, begun_));
        row_in_window_ = true;
        sink_(reading);
    } catch (...) {
        window_error_ = std::current_exception();
    }
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
    std::array<char, most_bytes_at_once> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    const auto length = ::read(input_.get(), buffer.data(), buffer.size());
    if (length < 0) return errno == EAGAIN || errno == EINTR;
    if (length == 0) return false;
    std::optional<double> first;
    double last = 0;
    std::int64_t rows = 0;
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(length))) {
        const bool is_newline = c == '\n' || c == '\r';
        if (!is_newline) unfinished_ += c;
        if (is_newline || format_.ends.find(c) != std::string_view::npos) {
            if (const auto watts = watts_of_unfinished()) {
                ++rows;
                sum_ += *watts;
                if (++summed_ == format_.added_up) {
                    last = std::exchange(sum_, 0);
                    if (!first) first = last;
                    summed_ = 0;
                }
            }
            unfinished_.clear();
        } else if (unfinished_.size() > longest_row) {
            fail(Status::device, "meter ", name_, " ", format_.sends, " ", longest_row,
                 " bytes without the end of a row");
        }
    }
    if (rows > 0) take_together(first, last, rows);
    return true;
}

std::optional<double> LiveStream::watts_of_unfinished()
{
    const auto row = trim(unfinished_);
    return row.empty() ? std::nullopt : format_.watts(row);
}

// Rows that came together came at one time: power is on a line to the first and held from the last, and those between have no part
// in the integral.
void LiveStream::take_together(const std::optional<double> &first, double last, std::int64_t rows)
{
    std::exception_ptr error;
    {
        const std::lock_guard lock(mutex_);
        const double now = now_seconds();
        for (const double watts : {first.value_or(last), last}) {
            if (!first) break;
            Reading reading{now, {watts}};
            pass_on(reading);
            last_ = std::move(reading);
            if (*first == last) break;
        }
        groups_.add(now, rows);
        const auto together = format_.when_grouped ? groups_.rows_at_a_time() : 0;
        is_grouped_ = together > 0 && together != format_.added_up;
        if (is_grouped_)
            error_ = std::make_exception_ptr(
                Error(Status::device, text("meter ", name_, " ", format_.sends, " ", together, " ", format_.row_name,
                                           " at a time: ", format_.when_grouped(together))));
        error = error_;
    }
    came_.notify_all();
    if (error) std::rethrow_exception(error);
}

} // namespace hpart
