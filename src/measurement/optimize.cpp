#include "measurement/optimize.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// The confirmation has a share of all seconds, and takes at most twice those of the search, or ten.
constexpr double race_share = 0.2, longest_race_share = 2, usual_race_seconds = 10;

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
    Comparison race(const std::vector<std::vector<Slice>> &slices, const StopRule &rule);
    bool is_energy() const { return request_.rules.objective != Objective::time; }
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
    for (const std::string method : {"exact", "equal", "cpm", "fpm", "balanced"}) {
        if (method == "exact" && !is_energy()) continue; // least time
        PartitionRequest baseline;
        baseline.size = request_.rules.size;
        baseline.method = method;
        baseline.wants_joules = false;
        try {
            auto found = partition(rounds_.survey().platform(), baseline, control_);
            const bool is_known = std::any_of(out_.rivals.begin(), out_.rivals.end(),
                                              [&](const auto &rival) { return rival.x == found.x; });
            if (!is_known) out_.rivals.push_back({method == "exact" ? "least-time" : method, std::move(found.x)});
        } catch (const Error &error) {
            if (error.status() != Status::infeasible) throw; // the sizes measured hold no such distribution
        }
    }
}

// The certified distribution and the baselines run against each other; the best is the answer.
void Optimizer::confirm()
{
    add_baselines();
    if (out_.rivals.size() == 1) return;
    auto rule = request_.race;
    const double spent = rounds_.seconds(), all = request_.max_total_seconds;
    rule.max_seconds = std::min(all - spent, std::max(longest_race_share * spent, usual_race_seconds));
    std::vector<std::vector<Slice>> slices;
    for (const auto &rival : out_.rivals) slices.push_back(team_.slices(rival.x));
    try {
        out_.race = race(slices, rule);
    } catch (const PointFailure &failure) { // what was found stays
        out_.race_failure = failure.what();
        return;
    } catch (const BudgetEnded &ended) {
        out_.race_failure = ended.what();
        return;
    }
    // Another is chosen only where it is better beyond doubt.
    const auto &ratios = out_.race->ratios;
    for (std::size_t r = 1; r < ratios.size(); ++r)
        if (ratios[r].high < 1 && ratios[r].value < ratios[out_.winner].value) out_.winner = r;
    const auto &estimate = out_.race->estimates[out_.winner];
    out_.value = {estimate.mean, estimate.low, estimate.high};
}

Comparison Optimizer::race(const std::vector<std::vector<Slice>> &slices, const StopRule &rule)
{
    const auto look = [this] {
        rounds_.end_at_budget();
        control_.report_progress(-1, "comparing with the baselines");
    };
    if (!is_energy()) return compare(team_, slices, rule, request_.batches.warmup, look);
    const auto begin = Clock::now();
    return compare(
        rule, slices.size(),
        [&](std::size_t d) {
            look();
            return rounds_.survey().joules_of(slices[d]);
        },
        [&] { return seconds_since(begin); });
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
    return Optimizer(team, request, control).run();
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
    report.set("lower_bound", certificate.lower);
    report.set("upper_bound", certificate.upper);
    report.set("precision", optimum.rules.precision);
    report.set("confidence", optimum.confidence);
    report.set("jaggedness", certificate.jaggedness);
    const bool is_energy = optimum.rules.objective != Objective::time;
    report.set(is_energy ? "energy_low" : "time_low", optimum.value.low);
    report.set(is_energy ? "energy_high" : "time_high", optimum.value.high);
    report.set("race_failure", optimum.race_failure);
    optimum.add_to(report, certificate.certified);
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
