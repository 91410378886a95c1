#include "measurement/rounds.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace hpart
{

Rounds::Rounds(const Team &team, const OptimizeRequest &request, optimum::Search &search, std::function<void()> report)
    : team_(team), request_(request), search_(search),
      poll_(team.is_interruptible() ? strict_poll(std::move(report)) : Poll(std::move(report))),
      survey_(team, request, search, poll_)
{
}

Poll Rounds::strict_poll(std::function<void()> report) const
{
    return Poll(std::move(report), &budget_,
                text("the time budget, ", request_.max_total_seconds, " s, ended while the processors ran"));
}

void Rounds::run(double share)
{
    const auto part = budget_.part(share);
    try {
        for (;;) {
            poll_.check();
            const auto requests = next_requests();
            if (requests.empty()) break;
            if (part.is_up()) {
                time_was_up_ = true;
                break;
            }
            survey_.run(requests, part);
        }
    } catch (const BudgetEnded &) { // the measurements so far are the result
        time_was_up_ = true;
    }
    require_a_size_of_each();
}

std::vector<optimum::Request> Rounds::next_requests()
{
    try {
        return search_.next();
    } catch (const Error &error) { // no sizes are left
        require_a_size_of_each();
        const auto failed = failures();
        if (failed.empty()) throw;
        throw Error(error.status(), text(error.what(), "; sizes that failed: ", failed));
    }
}

void Rounds::measure(std::span<const optimum::Request> requests, double share)
{
    try {
        survey_.run(requests, budget_.part(share));
    } catch (const BudgetEnded &) {
        time_was_up_ = true;
    }
}

void Rounds::require_a_size_of_each() const
{
    for (std::size_t i = 0; i < team_.count(); ++i)
        if (const auto &failed = survey_.failed()[i]; failed.count > 0 && search_.function(i).measured() == 0)
            fail(Status::callback, "processor ", in_quotes(team_.member(i).name),
                 " failed at every size that this call tried: size ", failed.first, ": ", failed.reason);
}

void Rounds::fail_at_limit() const
{
    const auto &unfinished = survey_.unfinished();
    fail_option(Status::limit, "max_total_seconds", ", ", request_.max_total_seconds,
                " s, did not suffice to measure a whole distribution; ",
                unfinished.empty() ? "" : text("it ended ", unfinished, "; "), "set it higher",
                survey_.has_file() ? ", or call again to go on" : "",
                unfinished.empty() ? "" : "; a program's timeout leaves out sizes that run for ever");
}

// "GPU: 10 sizes, the first 6400: out of memory"
std::string Rounds::failures() const
{
    std::string out;
    for (std::size_t i = 0; i < team_.count(); ++i)
        if (const auto &failed = survey_.failed()[i]; failed.count > 0)
            out += text(out.empty() ? "" : "; ", team_.member(i).name, ": ", pluralise(failed.count, "size"),
                        ", the first ", failed.first, ": ", failed.reason);
    return out;
}

Findings Rounds::findings() const
{
    return {time_was_up_,     !search_.is_at_max_repetitions(),
            measured_points_, survey_.known_points(),
            failures(),       survey_.unfinished(),
            survey_.counts(), survey_.platform()};
}

void Findings::add_to(Report &report, bool certified) const
{
    report.set("measured_points", measured_points);
    report.set("known_points", known_points);
    report.set("failed", failed);
    report.set("unfinished", unfinished);
    report.set("repetitions", counts.repetitions);
    report.set("contaminated", counts.contaminated);
    report.set("busy", counts.busy());
    report.set("time_doubt", platform.facts.stated(Topic::time_doubt));
    report.set("measuring_seconds", counts.seconds);
    report.set("stop_reason", std::string(certified      ? "certified"
                                          : time_was_up  ? "max_total_seconds"
                                          : is_exhausted ? "exhausted"
                                                         : "max_repetitions"));
}

} // namespace hpart
