// The rounds of a certified search on a team: its requests are measured until it ends or the time is up.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/optimize_request.hpp"
#include "measurement/survey.hpp"
#include "optimum/search.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

// The part of the result that all certified searches share.
struct Findings {
    bool time_was_up = false;
    bool is_exhausted = false;                          // more repetitions would not have gone on
    std::int64_t measured_points = 0, known_points = 0; // in all; of the file
    std::string failed;                                 // sizes that could not be run, by processor; empty: none
    std::string unfinished;                             // what ran when the budget ended, without one repetition
    BatchCounts counts;                                 // of all rounds
    Platform platform{1};                               // all that was measured

    void add_to(Report &report, bool certified) const;
};

class Rounds
{
  public:
    // The end of the budget is the time-out of programs without one.
    Rounds(const Team &team, const OptimizeRequest &request, optimum::Search &search, std::function<void()> report);

    // Takes at most this share of the request's seconds.
    void run(double share);
    // Measures what a search does not need, until this share has gone by.
    void measure(std::span<const optimum::Request> requests, double share);
    // Writes all that is known by now to the platform and the file.
    void keep_all() { measured_points_ = survey_.keep_all(); }
    Findings findings() const;
    [[noreturn]] void fail_at_limit() const;
    const Budget &budget() const { return budget_; }
    // The budget ends runs of kernels, too.
    Poll strict_poll(std::function<void()> report) const;
    Survey &survey() { return survey_; }

  private:
    std::vector<optimum::Request> next_requests();
    std::string failures() const; // empty: none
    void require_a_size_of_each() const;

    const Team &team_;
    const OptimizeRequest &request_;
    optimum::Search &search_;
    const Budget budget_{request_.max_total_seconds};
    const Poll poll_;
    Survey survey_;
    bool time_was_up_ = false;
    std::int64_t measured_points_ = 0;
};

} // namespace hpart
