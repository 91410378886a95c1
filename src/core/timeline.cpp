#include "core/timeline.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <cmath>
#include <exception>
#include <fstream>

#include <sys/stat.h>

namespace hpart
{

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
