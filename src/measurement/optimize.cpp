#include "measurement/optimize.hpp"

#include "core/error.hpp"
#include "core/pluralise.hpp"
#include "measurement/application.hpp"
#include "measurement/optimize_one_time.hpp"
#include "measurement/race.hpp"
#include "optimum/one_time_search.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

class Optimizer
{
  public:
    Optimizer(const Team &team, const OptimizeRequest &request, Control &control)
        : team_(team), request_(request), control_(control),
          search_(std::vector(team.count(), request.sizes), request.rules),
          rounds_(team, request, search_, [this] { report_progress(); })
    {
        out_.rules = request.rules;
        out_.confidence = request.race.confidence;
    }

    Optimum run()
    {
        rounds_.run(request_.confirms ? 1 - race_share : 1);
        out_.certificate = search_.certificate();
        rounds_.keep_all();
        if (out_.certificate.x.empty()) rounds_.fail_at_limit();
        out_.rivals.push_back({"optimal", out_.certificate.x});
        out_.value = search_.value_of(out_.certificate.x, request_.rules.objective);
        if (request_.confirms) {
            confirm();
            rounds_.keep_all(); // energies of the runs, too
        }
        static_cast<Findings &>(out_) = rounds_.findings();
        return std::move(out_);
    }

  private:
    void add_baselines();
    void confirm();
    void add_rival(const std::string &method, std::vector<std::int64_t> x);
    bool is_energy() const { return needs_energies(request_.rules.objective); }
    void report_progress();

    const Team &team_;
    const OptimizeRequest &request_;
    Control &control_;
    optimum::CertifiedSearch search_;
    Rounds rounds_;
    Optimum out_;
};

void Optimizer::add_baselines()
{
    const auto measured = search_.times(false); // the file may have sizes that this search may not use
    for (const std::string method : {"exact", "equal", "cpm", "fpm", "balanced"}) {
        if (method == "exact" && !is_energy()) continue; // least time, of the sizes that the search measured
        PartitionRequest baseline;
        baseline.size = request_.rules.size;
        baseline.method = method;
        baseline.wants_joules = false;
        try {
            auto found = partition(measured, baseline, control_);
            add_rival(method == "exact" ? "least-time" : method, std::move(found.x));
        } catch (const Error &error) {
            if (error.status() != Status::infeasible) throw; // the sizes measured hold no such distribution
        }
    }
    if (!request_.shares.empty())
        add_rival("shares", optimum::nearest_distribution(std::vector(team_.count(), request_.sizes),
                                                          request_.rules.size, request_.shares));
}

void Optimizer::add_rival(const std::string &method, std::vector<std::int64_t> x)
{
    const bool is_known =
        std::any_of(out_.rivals.begin(), out_.rivals.end(), [&](const auto &rival) { return rival.x == x; });
    if (!is_known) out_.rivals.push_back({method, std::move(x)});
}

void Optimizer::confirm()
{
    add_baselines();
    const auto look = [this] {
        rounds_.end_at_budget();
        control_.report_progress(-1, "comparing with the baselines");
    };
    std::function<double(const std::vector<Slice> &)> turn;
    if (is_energy()) turn = [this](const std::vector<Slice> &slices) { return rounds_.survey().joules_of(slices); };
    run_race(out_, team_, request_, rounds_.seconds(), look, turn);
}

void Optimizer::report_progress()
{
    const auto &found = search_.last();
    if (!std::isfinite(found.upper) || found.upper <= 0) return control_.report_progress(-1, "measuring");
    const double gap = found.lower > 0 ? found.upper / found.lower - 1 : 1;
    const auto what = text("at most ", std::round(1e6 * found.upper) / 1e6, is_energy() ? " J" : " s", ", within ",
                           std::round(1000 * gap) / 10, " % of the least");
    control_.report_progress(std::clamp(1 - std::log1p(gap) / std::log1p(1.0), 0.0, 0.99), what.c_str());
}

} // namespace

Optimum optimize(const Team &team, const OptimizeRequest &request, Control &control)
{
    const bool may_have_one_time = team.application() != nullptr && request.rules.objective == Objective::time;
    if (!request.shares.empty() && request.shares.size() != team.count())
        fail_argument("option 'shares' has ", pluralise(request.shares.size(), "share"),
                      "; there must be one for each of ", pluralise(team.count(), "processor"));
    try {
        return Optimizer(team, request, control).run();
    } catch (const OneTime &) {
        if (!may_have_one_time) throw;
    } catch (const NoCulprit &) { // perhaps an application of one time, which takes sizes of one sum only
        if (!may_have_one_time) throw;
        try {
            return optimize_one_time(team, request, control);
        } catch (const TimesOfEach &) { // it is none
        }
        throw;
    }
    try {
        return optimize_one_time(team, request, control);
    } catch (const TimesOfEach &) {
        fail(Status::callback, "the application gave one time for all in one run, and the time of each processor in "
                               "another; it must give the same kind in all");
    }
}

Report report_of(const Optimum &optimum)
{
    std::string names;
    std::vector<double> means, ratios, low, high, distributions;
    for (std::size_t r = 0; r < optimum.rivals.size(); ++r) {
        names += text(r == 0 ? "" : ",", optimum.rivals[r].method);
        for (const auto part : optimum.rivals[r].x) distributions.push_back(static_cast<double>(part));
        if (!optimum.race) continue;
        means.push_back(optimum.race->estimates[r].mean);
        ratios.push_back(optimum.race->ratios[r].value);
        low.push_back(optimum.race->ratios[r].low);
        high.push_back(optimum.race->ratios[r].high);
    }
    const auto &certificate = optimum.certificate;
    Report report;
    report.set("certified", std::int64_t{certificate.certified ? 1 : 0});
    const auto &one_time = optimum.one_time;
    report.set("one_time", std::int64_t{one_time ? 1 : 0});
    report.set("note", one_time ? one_time->note : "");
    if (one_time) {
        report.set("runs", one_time->runs);
        report.set("distributions", one_time->distributions);
        report.set("failed_runs", one_time->failed_runs);
    } else {
        report.set("lower_bound", certificate.lower);
        report.set("upper_bound", certificate.upper);
        report.set("jaggedness", certificate.jaggedness);
    }
    report.set("precision", optimum.rules.precision);
    report.set("confidence", optimum.confidence);
    const bool is_energy = needs_energies(optimum.rules.objective);
    report.set(is_energy ? "energy_low" : "time_low", optimum.value.low);
    report.set(is_energy ? "energy_high" : "time_high", optimum.value.high);
    report.set("race_failure", optimum.race_failure);
    optimum.add_to(report, certificate.certified);
    if (one_time && !optimum.time_was_up)
        report.set("stop_reason", std::string(one_time->is_settled ? "settled" : "max_runs"));
    report.set("winner", optimum.rivals[optimum.winner].method);
    report.set("baselines", names);
    report.set("baseline_distributions", distributions);
    report.set(is_energy ? "baseline_joules" : "baseline_seconds", means);
    report.set("ratios", ratios);
    report.set("ratio_low", low);
    report.set("ratio_high", high);
    return report;
}

} // namespace hpart
