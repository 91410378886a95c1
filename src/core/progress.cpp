#include "core/progress.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/options.hpp"
#include "core/text.hpp"

#include <cmath>
#include <exception>
#include <fstream>

#include <sys/stat.h>

namespace hpart
{

namespace
{
// Beyond this a time limit is none: the clock's own range is about 292 years.
constexpr double longest_limit_seconds = 1e9;
constexpr auto telling_interval = std::chrono::milliseconds(50);
} // namespace

Control::Control(std::shared_ptr<const ProgressCallback> progress, double time_limit_seconds,
                 std::int64_t memory_limit_bytes)
    : progress_(std::move(progress)), start_(Clock::now()), end_(start_), last_told_(start_ - telling_interval),
      time_limit_seconds_(time_limit_seconds), memory_limit_(memory_limit_bytes),
      has_time_limit_(time_limit_seconds < longest_limit_seconds)
{
    if (has_time_limit_)
        end_ = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit_seconds));
}

Control Control::from(const Options &options)
{
    Control control(options.progress(),
                    options.find_double("time_limit").value_or(std::numeric_limits<double>::infinity()),
                    options.get_int("memory_limit", call_partition));
    control.timeline_ = options.timeline();
    return control;
}

Control Control::of_work(std::int64_t most_units, std::int64_t memory_limit_bytes)
{
    Control control(nullptr, std::numeric_limits<double>::infinity(), memory_limit_bytes);
    control.work_left_ = most_units;
    return control;
}

std::string Control::limit_met() const
{
    if (time_is_up()) return text("option time_limit, ", pluralise(time_limit_seconds_, "second"), ", was reached");
    return text("option memory_limit, ", pluralise(memory_limit_, "byte"), ", was reached");
}

void Control::report_progress(double fraction, const char *what)
{
    if (progress_ && Clock::now() - last_told_ >= telling_interval) announce(fraction, what);
}

void Control::announce(double fraction, const char *what)
{
    if (!progress_) return;
    last_told_ = Clock::now();
    if ((*progress_)(fraction, what) != 0) fail(Status::cancelled, "the progress callback stopped the call at: ", what);
}

namespace
{

// Microseconds with three decimals.
std::string microseconds(double seconds) { return format_double(std::round(seconds * 1e9) / 1e3); }

std::string in_json(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return out + '"';
}

} // namespace

Timeline::Timeline(std::string path) : path_(std::move(path))
{
    require_writable_file(path_);
    struct stat info {
    };
    if (::stat(path_.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return;
    std::string begin(1000, '\0');
    std::ifstream(path_).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin.find("traceEvents") == std::string::npos)
        fail(Status::io, "the file ", in_quotes(path_), " is no trace; it is not written over: give another file");
}

void Timeline::add(const std::string &line, std::string_view command, double begin, double end) noexcept
{
    const std::lock_guard lock(mutex_);
    ++left_out_;
    if (commands_.size() == most_commands) return;
    try {
        const auto at = lines_.emplace(line, lines_.size()).first->second;
        commands_.push_back({at, std::string(command), begin, end});
        --left_out_;
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch)
    }
}

void Timeline::leave_out() noexcept
{
    const std::lock_guard lock(mutex_);
    ++left_out_;
}

bool Timeline::empty() const
{
    const std::lock_guard lock(mutex_);
    return commands_.empty();
}

void Timeline::write() const
{
    const std::lock_guard lock(mutex_);
    std::string out = "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"commands left out\": ";
    out += text(left_out_, "}, \"traceEvents\": [");
    const char *separator = "\n";
    for (const auto &[name, line] : lines_) {
        out += text(separator, R"({"ph": "M", "pid": 0, "tid": )", line,
                    R"(, "name": "thread_name", "args": {"name": )", in_json(name), "}}");
        separator = ",\n";
    }
    for (const auto &command : commands_)
        out += text(",\n", R"({"ph": "X", "pid": 0, "tid": )", command.line, R"(, "name": )", in_json(command.name),
                    R"(, "ts": )", microseconds(command.begin), R"(, "dur": )",
                    microseconds(command.end - command.begin), "}");
    write_file(path_, out + "\n]}\n");
}

} // namespace hpart
