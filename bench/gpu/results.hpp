// The table on the screen and the file of data.
#pragma once

#include "core/report.hpp"
#include "core/text.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace gpu_bench
{

// One run, or one check: "operation=gemm", "seconds=1.5" ... in the file, a line each.
class Results
{
  public:
    Results(const std::string &path, double seconds_at_most);
    Results(const Results &) = delete;
    Results &operator=(const Results &) = delete;
    ~Results() { std::fclose(file_); }

    using Fields = std::vector<std::pair<std::string, std::string>>;
    // Fields of the report are added to the file's line.
    void add(const Fields &fields, const hpart::Report *report = nullptr);
    // One line for people, kept for the end too.
    void say(const std::string &line);
    // A check that was not met: the program's exit status tells of it.
    void fail(const std::string &line);
    void repeat_all() const;
    int failures() const { return failures_; }

    double seconds_left() const { return seconds_at_most_ - seconds(); }
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  private:
    std::FILE *file_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double seconds_at_most_;
    std::vector<std::string> lines_;
    int failures_ = 0;
};

template <typename Job> double seconds_of(const Job &job)
{
    const auto start = std::chrono::steady_clock::now();
    job();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string number(double value);  // four digits
std::string precise(double value); // six digits
std::string fixed(double value, int decimals);
std::string rough(double value); // "1.2e-16"

// Zero where there is none.
double number_of(const hpart::Report &report, const char *key);
std::string text_of(const hpart::Report &report, const char *key);

} // namespace gpu_bench
