// Power that arrives row by row at a descriptor, from a serial port or a program: a thread reads it from the beginning to the end
// of the meter's life, so that a window has the value before it, and notes when each row came. Only the last row is kept: however
// fast rows come and however long a window is, it takes no more memory.
#pragma once

#include "core/file.hpp"
#include "energy/sensor.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace hpart
{

struct RowFormat {
    std::string_view ends;        // characters that end a row; all but newlines stay part of it
    std::string_view sends;       // for messages: "sent", "printed"
    std::string_view when_silent; // what to do about it
    // Watts of a row; nothing for one to pass over. May throw Error: the stream is broken.
    std::function<std::optional<double>(std::string_view)> watts;
    // The words about so many rows at a time, again and again, which are refused; none: they count as one.
    std::function<std::string(std::int64_t)> when_grouped = nullptr;
    std::string_view row_name = "rows"; // for messages
    std::int64_t added_up = 1;          // rows of so many sensors in turn are one value
};

// Rows in groups, as several sensors send them, or a program that keeps them back.
class RowGroups
{
  public:
    // So many rows have come at that time.
    void add(double seconds, std::int64_t rows);
    // Rows in a group, once that is certain; 0 until then.
    std::int64_t rows_at_a_time() const;
    // True until it is certain for rows that began with several at once.
    bool may_begin_with_group() const;
    // True if rows came at uneven distances up to `now`, and too few for certainty.
    bool may_be_groups(double now) const;

  private:
    struct Arrival {
        double seconds;
        std::int64_t rows;
    };
    double usual_pause() const;
    std::int64_t rows_together() const;
    std::int64_t rows_in_turn() const;

    std::deque<Arrival> arrivals_; // the latest ones
    std::optional<Arrival> first_;
};

class LiveStream final : public Stream
{
  public:
    // at_end: what to say, as a sentence's second half, when nothing can come any more; called on the thread.
    LiveStream(std::string name, Descriptor input, double interval, RowFormat format,
               std::function<std::string()> at_end);
    LiveStream(const LiveStream &) = delete;
    LiveStream &operator=(const LiveStream &) = delete;
    ~LiveStream() override;

    // Throws Error when none comes in time. If several come at once, it waits until they are known to be no group. `look` is called
    // meanwhile, and may throw.
    void wait_for_first_row(const std::function<void()> &look);

    void begin(ReadingSink sink) override;
    void end() override;
    void check() const override;

  private:
    void run() noexcept;
    bool take_input();
    std::optional<double> watts_of_unfinished();
    void take_together(const std::optional<double> &first, double last, std::int64_t rows);
    void wait_until_told(std::unique_lock<std::mutex> &lock);
    void pass_on(const Reading &reading);
    void break_off(std::exception_ptr error);
    void check_locked() const;

    const std::string name_;
    Descriptor input_;
    Descriptor wake_read_, wake_write_;
    const double interval_;
    const RowFormat format_;
    const std::function<std::string()> at_end_;
    std::string unfinished_; // row
    double sum_ = 0;         // of the sensors that have come
    std::int64_t summed_ = 0;
    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::optional<Reading> last_;
    RowGroups groups_;
    bool is_grouped_ = false;         // refused
    ReadingSink sink_;                // while a window is open
    std::exception_ptr window_error_; // of this window only
    double begun_ = 0;
    bool row_in_window_ = false;
    std::exception_ptr error_; // for good
    std::thread thread_;
};

} // namespace hpart
