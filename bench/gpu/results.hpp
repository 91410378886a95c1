// The table on the screen and the file of data.
#pragma once

#include "core/options.hpp"
#include "core/text.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gpu_bench
{

constexpr int exit_time_is_up = 75;

// A line of the table; zeros are left empty.
struct Row {
    std::string what;
    double over = 0; // bytes of the operands over the memory limit
    double seconds = 0, gflops = 0;
    double of_kernel = 0;    // the kernel's time at its in-card rate, over the time
    double of_bound = 0;     // the longest of kernel, transfers in and transfers out, over the time
    double of_predicted = 0; // the plan's time, over the time
    std::string note;
    bool is_right = true;
};

// All is written when it is known: a program that is killed loses none of it. When the time is up, the program ends with
// the table so far and exit_time_is_up.
class Results
{
  public:
    Results(const std::string &path, double seconds_at_most);
    Results(const Results &) = delete;
    Results &operator=(const Results &) = delete;
    ~Results();

    using Fields = std::vector<std::pair<std::string, std::string>>;
    // A line "operation=gemm", "seconds=1.5" ... of the file; the report's fields are added.
    void add(const Fields &fields, const hpart::Report *report = nullptr);
    // A line of the table; one that is not right is a failure.
    void add(const Row &row);
    // A line for people.
    void say(const std::string &line);
    // A check that was not met: the exit status tells of it.
    void fail(const std::string &line);
    // The whole table and the failures, once more.
    void summarise();
    int failures() const { return static_cast<int>(failures_.size()); }

    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    // Until the end, or the end of a device's share of the time.
    double seconds_left() const { return share_ends_ - seconds(); }
    // The next device may use this part of what is left.
    void begin_share(double part) { share_ends_ = seconds() + part * (seconds_at_most_ - seconds()); }

  private:
    void say_locked(const std::string &line);
    void summarise_locked() const;
    void watch();

    std::FILE *file_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double seconds_at_most_, share_ends_;
    std::vector<Row> rows_;
    std::vector<std::string> failures_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::thread watching_;
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
