#include "measurement/optimize_one_time.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "measurement/application.hpp"
#include "measurement/optimize.hpp"
#include "measurement/resumable_file.hpp"
#include "models/platform_file.hpp"
#include "optimum/one_time_search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace hpart
{

OptimalFront optimize_front(const Team &team, const OptimizeRequest &request, Control &control)
{
    optimum::CertifiedFront search(std::vector(team.count(), request.sizes), request.rules);
    Rounds rounds(team, request, search, [&] {
        const auto &last = search.last();
        if (last.upper.empty()) return control.report_progress(-1, "measuring");
        const auto covered = std::floor(1000 * last.covered) / 10;
        control.report_progress(0.99 * last.covered, text(covered, " % of the lower front is covered").c_str());
    });
    rounds.run(1);
    OptimalFront out;
    out.rules = request.rules;
    out.confidence = request.race.confidence;
    out.certificate = search.certificate();
    out.jaggedness = search.jaggedness();
    rounds.keep_all();
    if (out.certificate.upper.empty()) rounds.fail_at_limit();
    for (const auto &point : out.certificate.upper) {
        out.times.push_back(search.value_of(point.x, Objective::time));
        out.energies.push_back(search.value_of(point.x, request.rules.objective));
    }
    static_cast<Findings &>(out) = rounds.findings();
    return out;
}

Report report_of(const OptimalFront &front)
{
    Report report;
    const auto &certificate = front.certificate;
    report.set("certified", std::int64_t{certificate.certified ? 1 : 0});
    report.set("covered", certificate.covered);
    report.set("points", static_cast<std::int64_t>(certificate.upper.size()));
    report.set("precision", front.rules.precision);
    report.set("confidence", front.confidence);
    report.set("jaggedness", front.jaggedness);
    front.add_to(report, certificate.certified);
    using optimum::Interval;
    const auto set = [&](const char *key, const auto &all, const auto &member) {
        std::vector<double> values;
        values.reserve(all.size());
        for (const auto &one : all) values.push_back(one.*member);
        report.set(key, std::move(values));
    };
    set("seconds", front.times, &Interval::value);
    set("time_low", front.times, &Interval::low);
    set("time_high", front.times, &Interval::high);
    set("joules", front.energies, &Interval::value);
    set("energy_low", front.energies, &Interval::low);
    set("energy_high", front.energies, &Interval::high);
    set("lower_seconds", certificate.lower, &FrontPoint::seconds);
    set("lower_joules", certificate.lower, &FrontPoint::joules);
    return report;
}

namespace
{

constexpr std::int64_t runs_of_processor = 15;
constexpr double longest_run = 1e100; // sums of squares of more overflow

class OneTimeOptimizer
{
  public:
    OneTimeOptimizer(const Team &team, const OptimizeRequest &request, Control &control,
                     std::optional<ApplicationRun> shown)
        : team_(team), request_(request), control_(control), shown_(std::move(shown)),
          max_runs_(request.max_runs.value_or(runs_of_processor * static_cast<std::int64_t>(team.count()))),
          search_(std::vector(team.count(), request.sizes), request.rules.size, max_runs_)
    {
    }

    std::optional<Optimum> run()
    {
        Optimum out;
        out.rules = request_.rules;
        out.confidence = request_.race.confidence;
        platform_ = start_file();
        const bool has_one_time = search(out);
        write();
        if (!has_one_time) return std::nullopt;
        const auto best = search_.best(1);
        if (best.empty() && out.time_was_up)
            fail_option(Status::limit, "max_total_seconds", ", ", request_.max_total_seconds,
                        " s, did not suffice for one run of a distribution; set it higher");
        if (best.empty())
            fail(Status::callback, "the application failed with ",
                 search_.tried().size() == 1 ? "the only distribution" : "each of the distributions", " tried, ",
                 pluralise(search_.tried().size(), "distribution"), "; the first: ", first_failure_);
        describe(out);
        out.rivals.push_back({"best", best.front().x});
        const double mean = best.front().mean();
        out.value = {mean, *std::min_element(best.front().seconds.begin(), best.front().seconds.end()),
                     *std::max_element(best.front().seconds.begin(), best.front().seconds.end())};
        if (request_.confirms) race(out);
        note_choice(platform_.facts, choice_of(out));
        write();
        out.platform = platform_;
        return out;
    }

  private:
    void race(Optimum &out)
    {
        add_rival(out, "equal", search_.equal());
        if (!request_.shares.empty()) add_rival(out, "shares", search_.nearest(request_.shares));
        run_race(out, team_, request_, budget_,
                 poll_of([this] { control_.report_progress(-1, "comparing with the baselines"); }));
        keep_race(out);
    }

    Platform start_file()
    {
        auto platform = platform_of(team_, true, Statistic::median);
        if (request_.file.empty()) return platform;
        require_writable_file(request_.file);
        lock_file(request_.file, lock_);
        auto found = read_to_continue(request_.file, platform);
        has_file_ = found.has_value();
        if (found) platform = std::move(*found);
        for (const auto &run : platform.facts.all<ApplicationRun>()) keep(run);
        for (const auto &comment : platform.facts.all<std::string>())
            if (comment.starts_with(" run ")) refuse_line(comment);
        if (team_.kernel().empty()) kept_.clear(); // it may have changed
        return platform;
    }

    void keep(const ApplicationRun &run)
    {
        if (run.x.size() != team_.count() || run.seconds > longest_run) refuse_line(line_of(run));
        kept_[run.x].push_back(run);
    }

    [[noreturn]] void refuse_line(std::string_view line) const
    {
        refuse_file(request_.file,
                    text("its line ", in_quotes(text("#", line)), " is no run of ", team_.count(), " processors"));
    }

    // A run of the file in place of a new one.
    bool use_kept(const std::vector<std::int64_t> &x)
    {
        const auto found = kept_.find(x);
        if (found == kept_.end() || found->second.empty()) return false;
        const auto run = std::move(found->second.front());
        found->second.pop_front();
        add(x, run);
        return true;
    }

    // Runs of the file that the search did not ask for, as of another one's baselines: one may be the best.
    void use_other_kept()
    {
        const auto is_size = [&](auto part) {
            return part == 0 || std::binary_search(request_.sizes.begin(), request_.sizes.end(), part);
        };
        for (const auto &[x, runs] : kept_) {
            const auto size = std::accumulate(x.begin(), x.end(), std::int64_t{0});
            if (size != request_.rules.size || !std::all_of(x.begin(), x.end(), is_size)) continue;
            for (const auto &run : runs) add(x, run);
        }
    }

    // The means of the runs against the baselines, one run each.
    void keep_race(const Optimum &out)
    {
        if (!out.race) return;
        for (std::size_t r = 1; r < out.rivals.size(); ++r)
            platform_.facts.add(ApplicationRun{out.rivals[r].x, out.race->estimates[r].mean, ""});
    }

    void add(const std::vector<std::int64_t> &x, const ApplicationRun &run)
    {
        if (run.failure.empty()) return search_.add(x, run.seconds);
        if (first_failure_.empty()) first_failure_ = run.failure;
        search_.add_failure(x);
    }

    void add_new(const std::vector<std::int64_t> &x, const ApplicationRun &run)
    {
        add(x, run);
        if (run.failure.empty()) // it runs now
            platform_.facts.erase_if<ApplicationRun>(
                [&](const auto &earlier) { return earlier.x == x && !earlier.failure.empty(); });
        platform_.facts.add(ApplicationRun{x, run.seconds, printable(run.failure)});
        if (seconds_since(written_) > least_seconds_between_writes) write();
    }

    // The file begins with a run that succeeded, as a search's file does with its points.
    void write()
    {
        note_time_doubt(platform_.facts, team_.time_doubt());
        if (!request_.file.empty() && (has_file_ || !search_.best(1).empty())) write_platform(platform_, request_.file);
        written_ = Clock::now();
    }

    Poll poll_of(std::function<void()> report) const
    {
        return Poll(std::move(report), &budget_,
                    text("the time budget, ", request_.max_total_seconds, " s, ended while the application ran"));
    }

    void report_progress()
    {
        const auto best = search_.best(1);
        const auto what =
            text(search_.runs(), " of ", max_runs_, " runs",
                 best.empty() ? "" : text(", at best ", std::round(1e6 * best.front().mean()) / 1e6, " s"));
        control_.report_progress(static_cast<double>(search_.runs()) / static_cast<double>(max_runs_ + 1),
                                 what.c_str());
    }

    // False if a run gave the time of each processor.
    bool search(Optimum &out)
    {
        const auto part = budget_.part(request_.confirms ? 1 - race_share : 1);
        try {
            if (!check_kept(out)) return false;
            const bool is_warm = request_.batches.warmup == 0 || !team_.application()->stays_alive();
            if (shown_ && is_warm) kept_[shown_->x].push_back(*shown_);
            for (auto x = search_.next(); !x.empty(); x = search_.next()) {
                if (use_kept(x)) continue;
                if (part.is_up()) {
                    out.time_was_up = true;
                    break;
                }
                const auto run = run_once(x, out);
                if (!run) return false;
                add_new(x, *run);
            }
        } catch (const BudgetEnded &) {
            out.time_was_up = true;
        } catch (...) { // an interrupt
            write();
            throw;
        }
        runs_ = search_.runs();
        distributions_ = static_cast<std::int64_t>(search_.tried().size());
        use_other_kept();
        return true;
    }

    // Runs before this one, which do not count: of each new distribution where it finds what they leave, else of the first.
    std::int64_t take_warmup(const std::vector<std::int64_t> &x)
    {
        const bool is_new =
            team_.application()->stays_alive() ? warm_.insert(x).second : !std::exchange(has_run_, true);
        return is_new ? request_.batches.warmup : 0;
    }

    // Nothing if it gave the time of each processor.
    std::optional<ApplicationRun> run_once(const std::vector<std::int64_t> &x, Optimum &out)
    {
        try {
            const auto poll = poll_of([this] { report_progress(); });
            TeamRun run(team_, team_.slices(x));
            for (auto left = take_warmup(x); left > 0; --left) run.repeat(poll);
            run.repeat(poll);
            if (run.active().size() > 1 && !team_.application()->gave_one_time()) return std::nullopt;
            const double seconds_of_run = run.spans().front().seconds();
            if (seconds_of_run > longest_run)
                fail_argument("the application says that it took ", seconds_of_run, " s; that must be at most ",
                              longest_run, ": the unit is the second");
            out.counts.seconds += seconds_of_run;
            ++out.counts.repetitions;
            return ApplicationRun{x, seconds_of_run, ""};
        } catch (const PointFailure &failure) {
            return ApplicationRun{x, 0, failure.what()};
        }
    }

    // The application may have changed since the file was written: the fastest distribution runs again. False as of search.
    bool check_kept(Optimum &out)
    {
        const std::vector<std::int64_t> *fastest = nullptr;
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (const auto &[x, runs] : kept_) {
            if (std::accumulate(x.begin(), x.end(), std::int64_t{0}) != request_.rules.size) continue;
            const auto [low, high] = std::minmax_element(
                runs.begin(), runs.end(), [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
            const bool has_failed =
                std::any_of(runs.begin(), runs.end(), [](const auto &run) { return !run.failure.empty(); });
            if (has_failed || high->seconds >= least) continue;
            fastest = &x;
            least = low->seconds;
            most = high->seconds;
        }
        const double tolerance = tolerance_of(platform_, team_, request_.resume_tolerance);
        if (fastest == nullptr || std::isinf(tolerance)) return true;
        const auto run = run_once(*fastest, out);
        if (!run) return false;
        const auto &now = *run;
        constexpr double least_difference = 1e-3; // seconds that starting a program may differ by
        const double allowed = tolerance * most + least_difference;
        if (now.failure.empty() && now.seconds >= least - allowed && now.seconds <= most + allowed) {
            note_origin(platform_, team_);
            return true;
        }
        refuse_file(request_.file,
                    text("its fastest run, ", comma_list(*fastest), ", took ", least, " s, and now ",
                         now.failure.empty() ? text("takes ", now.seconds, " s") : "fails: " + now.failure,
                         "; if the application has changed, its runs are worth nothing; if the machine is busy, set "
                         "option 'resume_tolerance' above ",
                         tolerance));
    }

    void describe(Optimum &out) const
    {
        auto &facts = out.one_time.emplace();
        facts.runs = runs_;
        facts.distributions = distributions_;
        for (const auto &one : search_.tried()) facts.failed_runs += one.failed() ? 1 : 0;
        facts.is_settled = search_.is_settled();
        out.failed = first_failure_.empty()
                         ? ""
                         : text(pluralise(facts.failed_runs, "distribution"), ", the first: ", first_failure_);
        out.note =
            text("the best of ", pluralise(distributions_, "distribution"),
                 " run; nothing is certified, since the application gave one time for all processors; if it printed ",
                 team_.count(),
                 " times, one a processor, hpart would measure each processor, and certify how far the "
                 "result is from the least time");
    }

    void add_rival(Optimum &out, const char *name, std::vector<std::int64_t> x) const
    {
        const auto is_it = [&](const auto &one) { return one.x == x; };
        const auto &tried = search_.tried();
        if (std::any_of(out.rivals.begin(), out.rivals.end(), is_it)) return;
        if (const auto at = std::find_if(tried.begin(), tried.end(), is_it); at != tried.end() && at->failed()) return;
        out.rivals.push_back({name, std::move(x)});
    }

    const Team &team_;
    const OptimizeRequest &request_;
    Control &control_;
    const std::optional<ApplicationRun> shown_; // the run before the search
    const Budget budget_{request_.max_total_seconds};
    std::int64_t max_runs_;
    optimum::OneTimeSearch search_;
    std::set<std::vector<std::int64_t>> warm_; // distributions
    bool has_run_ = false;
    std::int64_t runs_ = 0, distributions_ = 0; // of the search
    std::string first_failure_;
    Platform platform_{1};
    std::map<std::vector<std::int64_t>, std::deque<ApplicationRun>> kept_; // runs of the file that were not used yet
    Clock::time_point written_ = {};
    bool has_file_ = false;
    std::optional<FileLock> lock_;
};

} // namespace

std::optional<Optimum> optimize_one_time(const Team &team, const OptimizeRequest &request, Control &control,
                                         std::optional<ApplicationRun> shown)
{
    return OneTimeOptimizer(team, request, control, std::move(shown)).run();
}

} // namespace hpart
