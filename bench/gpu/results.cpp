#include "results.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gpu_bench
{

namespace
{

enum class Style : unsigned char { general, fixed, exponent };

std::string formatted(Style style, int digits, double value)
{
    char text[64];
    switch (style) {
    case Style::general: std::snprintf(text, sizeof text, "%.*g", digits, value); break;
    case Style::fixed: std::snprintf(text, sizeof text, "%.*f", digits, value); break;
    case Style::exponent: std::snprintf(text, sizeof text, "%.*e", digits, value); break;
    }
    return text;
}

std::string column(const std::string &text, std::size_t width)
{
    return (text.size() < width ? std::string(width - text.size(), ' ') : "") + text + ' ';
}

std::string heading()
{
    std::string line = "what";
    line.resize(58, ' ');
    for (const auto *name : {"x device", "seconds", "GF/s", "kernel", "bound", "plan"}) line += column(name, 8);
    return line + " note";
}

std::string line_of(const Row &row)
{
    const auto value = [](double number, int decimals) {
        return column(number == 0 ? "" : fixed(number, decimals), 8);
    };
    auto line = row.what;
    line.resize(std::max<std::size_t>(line.size(), 58), ' ');
    line += value(row.over, 2) + value(row.seconds, 3) + value(row.gflops, 0) + value(row.of_kernel, 3) +
            value(row.of_bound, 3) + value(row.of_predicted, 3);
    return line + (row.is_right ? " " : " WRONG ") + row.note;
}

} // namespace

Results::Results(const std::string &path, double seconds_at_most)
    : file_(std::fopen(path.c_str(), "w")), seconds_at_most_(seconds_at_most), share_ends_(seconds_at_most)
{
    if (file_ == nullptr)
        hpart::fail(hpart::Status::io, "cannot write ", hpart::in_quotes(path), ": ", std::strerror(errno));
    watching_ = std::thread([this] { watch(); });
}

Results::~Results()
{
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_all();
    watching_.join();
    std::fclose(file_);
}

void Results::watch()
{
    std::unique_lock lock(mutex_);
    const auto end = start_ + std::chrono::duration<double>(seconds_at_most_);
    if (ended_.wait_until(lock, std::chrono::time_point_cast<std::chrono::steady_clock::duration>(end),
                          [this] { return has_ended_; }))
        return;
    say_locked("the time is up: what is under way is not waited for");
    summarise_locked();
    std::_Exit(exit_time_is_up);
}

void Results::add(const Fields &fields, const hpart::Report *report)
{
    std::string line;
    const auto put = [&](const std::string &key, const std::string &value) {
        if (!line.empty()) line += '\t';
        line += key;
        line += '=';
        line += value;
    };
    for (const auto &[key, value] : fields) put(key, value);
    if (report != nullptr)
        for (std::int64_t k = 0; k < report->count(); ++k)
            put(report->key(k), hpart::Report::format(*report->find(report->key(k))));
    const std::lock_guard lock(mutex_);
    std::fprintf(file_, "%s\n", line.c_str());
    std::fflush(file_);
}

void Results::add(const Row &row)
{
    const std::lock_guard lock(mutex_);
    if (rows_.empty()) say_locked(heading());
    rows_.push_back(row);
    say_locked(line_of(row));
    if (!row.is_right) failures_.push_back(row.what + ": wrong: " + row.note);
}

void Results::say(const std::string &line)
{
    const std::lock_guard lock(mutex_);
    say_locked(line);
}

void Results::say_locked(const std::string &line)
{
    std::printf("[%5.1f s] %s\n", seconds(), line.c_str());
    std::fflush(stdout);
}

void Results::fail(const std::string &line)
{
    const std::lock_guard lock(mutex_);
    failures_.push_back(line);
    say_locked("FAILED: " + line);
}

void Results::summarise()
{
    const std::lock_guard lock(mutex_);
    summarise_locked();
}

void Results::summarise_locked() const
{
    std::printf("\n%s\n", heading().c_str());
    for (const auto &row : rows_) std::printf("%s\n", line_of(row).c_str());
    std::printf(
        "kernel, bound, plan: the time at the kernel's rate, the longest of kernel and transfers, the plan's time; "
        "each over the time\n");
    for (const auto &line : failures_) std::printf("FAILED: %s\n", line.c_str());
    std::printf("%zu failures in %.0f s\n", failures_.size(), seconds());
    std::fflush(stdout);
}

std::string number(double value) { return formatted(Style::general, 4, value); }

std::string precise(double value) { return formatted(Style::general, 6, value); }

std::string fixed(double value, int decimals) { return formatted(Style::fixed, decimals, value); }

std::string rough(double value) { return formatted(Style::exponent, 1, value); }

double number_of(const hpart::Report &report, const char *key)
{
    const auto *const value = report.find(key);
    if (value == nullptr) return 0;
    if (const auto *const real = std::get_if<double>(value)) return *real;
    if (const auto *const integer = std::get_if<std::int64_t>(value)) return static_cast<double>(*integer);
    return 0;
}

std::string text_of(const hpart::Report &report, const char *key)
{
    const auto *const value = report.find(key);
    return value == nullptr ? "" : hpart::Report::format(*value);
}

} // namespace gpu_bench
