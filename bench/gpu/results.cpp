#include "results.hpp"

#include "core/error.hpp"

#include <cerrno>
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

} // namespace

Results::Results(const std::string &path, double seconds_at_most)
    : file_(std::fopen(path.c_str(), "w")), seconds_at_most_(seconds_at_most)
{
    if (file_ == nullptr)
        hpart::fail(hpart::Status::io, "cannot write ", hpart::in_quotes(path), ": ", std::strerror(errno));
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
    std::fprintf(file_, "%s\n", line.c_str());
    std::fflush(file_);
}

void Results::say(const std::string &line)
{
    std::printf("[%5.1f s] %s\n", seconds(), line.c_str());
    std::fflush(stdout);
    lines_.push_back(line);
}

void Results::fail(const std::string &line)
{
    ++failures_;
    say("FAILED: " + line);
}

void Results::repeat_all() const
{
    std::printf("\n---- all lines once more ----\n");
    for (const auto &line : lines_) std::printf("%s\n", line.c_str());
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
