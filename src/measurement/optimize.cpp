#include "measurement/optimize.hpp"

#include "core/counted.hpp"
#include "core/error.hpp"
#include "measurement/distributions.hpp"
#include "measurement/survey.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

constexpr double usual_precision = 0.05;
// The confirmation has a share of all seconds, and takes at most twice those of the search, or ten.
constexpr double race_share = 0.2, longest_race_share = 2, usual_race_seconds = 10;
// Intervals have a width.
constexpr double least_quantile = 0.25;
// Of freedom: as many are the normal distribution.
constexpr std::int64_t many_degrees = 1000000000;

class Optimizer
{
  public:
    Optimizer(const Team &team, const OptimizeRequest &request, Control &control)
        : team_(team), request_(request), control_(control),
          search_(std::vector(team.count(), request.sizes), request.rules),
          survey_(team, request, search_, [this] { tell(); })
    {
        out_.rules = request.rules;
        out_.confidence = request.race.confidence;
    }

    Optimum run()
    {
        measure();
        require_a_size_of_each();
        out_.certificate = search_.certificate();
        out_.measured_points = survey_.keep_all();
        if (out_.certificate.x.empty())
            fail(Status::limit, "option 'max_total_seconds', ", request_.max_total_seconds,
                 " s, did not suffice to measure a whole distribution; set it higher",
                 request_.file.empty() ? "" : ", or call again to go on");
        out_.rivals.push_back({"optimal", out_.certificate.x});
        out_.value = survey_.value_of(out_.certificate.x);
        if (request_.confirms) confirm();
        out_.counts = survey_.counts();
        out_.known_points = survey_.known_points();
        out_.failed = failed_text();
        out_.platform = survey_.platform();
        return std::move(out_);
    }

  private:
    void measure();
    void require_a_size_of_each() const;
    std::string failed_text() const;
    void add_baselines();
    void confirm();
    Comparison race(const std::vector<std::vector<Slice>> &slices, const StopRule &rule);
    bool is_energy() const { return request_.rules.objective == Objective::energy; }
    bool time_is_up() const
    {
        const double share = request_.confirms ? 1 - race_share : 1;
        return seconds_since(begin_) >= share * request_.max_total_seconds;
    }
    void tell();

    const Team &team_;
    const OptimizeRequest &request_;
    Control &control_;
    const Clock::time_point begin_ = Clock::now();
    optimum::CertifiedSearch search_;
    Survey survey_;
    Optimum out_;
};

void Optimizer::measure()
{
    for (;;) {
        tell();
        std::vector<optimum::Request> requests;
        try {
            requests = search_.next();
        } catch (const Error &) { // no sizes are left
            require_a_size_of_each();
            throw;
        }
        if (requests.empty()) return;
        if (time_is_up()) {
            out_.time_was_up = true;
            return;
        }
        survey_.run(requests, [this] { return time_is_up(); });
    }
}

void Optimizer::require_a_size_of_each() const
{
    for (std::size_t i = 0; i < team_.count(); ++i)
        if (const auto &failed = survey_.failed()[i]; failed.count > 0 && search_.function(i).measured() == 0)
            fail(Status::callback, "processor ", in_quotes(team_.member(i).name), " failed at every size tried: size ",
                 failed.first, ": ", failed.reason);
}

// "GPU: 10 sizes, the first 6400: out of memory".
std::string Optimizer::failed_text() const
{
    std::string all;
    for (std::size_t i = 0; i < team_.count(); ++i)
        if (const auto &failed = survey_.failed()[i]; failed.count > 0)
            all += text(all.empty() ? "" : "; ", team_.member(i).name, ": ", counted(failed.count, "size"),
                        ", the first ", failed.first, ": ", failed.reason);
    return all;
}

void Optimizer::add_baselines()
{
    std::vector<std::string> methods{"equal", "cpm", "fpm", "balanced"};
    if (is_energy()) methods.insert(methods.begin(), "exact"); // least time
    for (const auto &method : methods) {
        PartitionRequest baseline;
        baseline.size = request_.rules.size;
        baseline.method = method;
        baseline.wants_joules = false;
        try {
            auto found = partition(survey_.platform(), baseline, control_);
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
    const double spent = seconds_since(begin_), all = request_.max_total_seconds;
    rule.max_seconds = std::min(all - spent, std::max(longest_race_share * spent, usual_race_seconds));
    std::vector<std::vector<Slice>> slices;
    for (const auto &rival : out_.rivals) slices.push_back(team_.slices(rival.x));
    try {
        out_.race = race(slices, rule);
    } catch (const PointFailure &failure) { // what was found stays
        out_.race_failure = failure.what();
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
    const auto look = [this] { control_.tell(-1, "comparing with the baselines"); };
    if (!is_energy()) return compare(team_, slices, rule, request_.batches.warmup, look);
    const auto begin = Clock::now();
    return compare(
        rule, slices.size(),
        [&](std::size_t d) {
            look();
            return survey_.joules_of(slices[d]);
        },
        [&] { return seconds_since(begin); });
}

void Optimizer::tell()
{
    const auto &found = search_.last();
    if (!std::isfinite(found.upper) || found.upper <= 0) return control_.tell(-1, "measuring");
    const double gap = found.lower > 0 ? found.upper / found.lower - 1 : 1;
    const auto what = text("at most ", std::round(1e6 * found.upper) / 1e6, is_energy() ? " J" : " s", ", within ",
                           std::round(1000 * gap) / 10, " % of the least");
    control_.tell(std::clamp(1 - std::log1p(gap) / std::log1p(1.0), 0.0, 0.99), what.c_str());
}

} // namespace

OptimizeRequest OptimizeRequest::from(Objective objective, std::int64_t size, std::span<const std::int64_t> sizes,
                                      const Options &options)
{
    if (size < 1) fail_argument("size is ", size, "; it must be positive");
    OptimizeRequest request;
    request.sizes.assign(sizes.begin(), sizes.end());
    std::sort(request.sizes.begin(), request.sizes.end());
    for (std::size_t k = 0; k < request.sizes.size(); ++k) {
        if (request.sizes[k] < 1) fail_argument("sizes has ", request.sizes[k], "; sizes must be positive");
        if (k > 0 && request.sizes[k] == request.sizes[k - 1])
            fail_argument("sizes has ", request.sizes[k], " twice; they must be distinct");
    }
    const auto median = statistic_name(Statistic::median);
    if (options.is_set("statistic") && options.get_text("statistic") != median)
        fail_argument("option 'statistic' is ", in_quotes(options.get_text("statistic")), "; the search takes ", median,
                      "s only");
    request.race = StopRule::from(options);
    if (!options.is_set("precision")) request.race.precision = usual_precision;
    request.rules.objective = objective;
    request.rules.size = size;
    request.energy = EnergyRequest::from(options);
    request.rules.precision = request.race.precision;
    request.rules.quantile = std::max(least_quantile, t_quantile(request.race.confidence, many_degrees));
    request.rules.jaggedness = options.find_double("jaggedness").value_or(0);
    request.rules.all_sizes = options.get_text("sizes") == "all";
    request.rules.max_repetitions = request.race.max_repetitions;
    request.confirms = options.get_int("confirm") == 1;
    request.batches.warmup = options.get_int("warmup");
    request.batches.precision = request.race.precision;
    request.batches.repeats_contaminated = request.race.repeats_contaminated;
    request.batches.counters = counters_of_thread;
    request.max_total_seconds = options.get_double("max_total_seconds");
    request.resume_tolerance = options.get_double("resume_tolerance");
    request.file = options.get_text("file");
    return request;
}

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
    const bool is_energy = optimum.rules.objective == Objective::energy;
    report.set(is_energy ? "energy_low" : "time_low", optimum.value.low);
    report.set(is_energy ? "energy_high" : "time_high", optimum.value.high);
    report.set("measured_points", optimum.measured_points);
    report.set("known_points", optimum.known_points);
    report.set("failed", optimum.failed);
    report.set("race_failure", optimum.race_failure);
    report.set("repetitions", optimum.counts.repetitions);
    report.set("contaminated", optimum.counts.contaminated);
    report.set("busy", optimum.counts.busy());
    report.set("measuring_seconds", optimum.counts.seconds);
    report.set("stop_reason", std::string(certificate.certified ? "certified"
                                          : optimum.time_was_up ? "max_total_seconds"
                                                                : "max_repetitions"));
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
