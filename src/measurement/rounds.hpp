// The rounds of a certified search on a team: its requests are measured until it ends or the time is up.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "measurement/survey.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace hpart
{

// The part of the result that all certified searches share.
struct Findings {
    bool time_was_up = false;
    std::int64_t measured_points = 0, known_points = 0; // in all; of the file
    std::string failed;                                 // sizes that could not be run, by processor; empty: none
    std::string unfinished;                             // what ran when the budget ended, without one repetition
    BatchCounts counts;                                 // of all rounds
    Platform platform{1};                               // all that was measured

    void add_to(Report &report, bool certified) const;
};

// The budget ended while programs ran.
class BudgetEnded : public Error
{
  public:
    using Error::Error;
};

class Rounds
{
  public:
    Rounds(const Team &team, const OptimizeRequest &request, optimum::Search &search, std::function<void()> look);

    // Takes at most this share of the request's seconds.
    void run(double share);
    // Measures what a search does not need, until this share has gone by.
    void measure(std::span<const optimum::Request> requests, double share);
    // Writes all that is known by now to the platform and the file.
    void keep_all() { measured_points_ = survey_.keep_all(); }
    Findings findings() const;
    [[noreturn]] void fail_at_limit() const;
    // The end of the budget is the time-out of programs without one: throws BudgetEnded. of_kernels: it ends runs of kernels, too.
    void end_at_budget(bool of_kernels = false) const;
    double seconds() const { return seconds_since(begin_); } // so far
    Survey &survey() { return survey_; }

  private:
    std::vector<optimum::Request> next_requests();
    std::string failures() const; // empty: none
    void require_a_size_of_each() const;

    const Team &team_;
    const OptimizeRequest &request_;
    optimum::Search &search_;
    std::function<void()> look_;
    const Clock::time_point begin_ = Clock::now();
    Survey survey_;
    bool time_was_up_ = false;
    std::int64_t measured_points_ = 0;
};

} // namespace hpart
