#include "measurement/optimize.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "energy/tally.hpp"
#include "measurement/application.hpp"
#include "measurement/energy.hpp"
#include "measurement/optimize_one_time.hpp"
#include "measurement/team_run.hpp"
#include "optimum/one_time_search.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// It takes at most so many times the seconds of the search, or these.
constexpr double longest_race_share = 2, usual_race_seconds = 10;

} // namespace

void run_race(Optimum &out, const Team &team, const OptimizeRequest &request, const Budget &budget, const Poll &poll,
              const std::function<double(const std::vector<Slice> &)> &turn)
{
    if (out.rivals.size() == 1) return;
    auto rule = request.race;
    rule.sees_steps = !turn; // a window's energy is a quotient
    rule.max_seconds = std::min(budget.left(), std::max(longest_race_share * budget.spent(), usual_race_seconds));
    std::vector<std::vector<Slice>> slices;
    for (const auto &rival : out.rivals) slices.push_back(team.slices(rival.x));
    const auto begin = Clock::now();
    try {
        out.race = turn ? compare(
                              rule, slices.size(),
                              [&](std::size_t d) {
                                  poll.check();
                                  return turn(slices[d]);
                              },
                              [&] { return seconds_since(begin); })
                        : compare(team, slices, {rule, request.batches.warmup, request.is_simultaneous()}, poll);
    } catch (const PointFailure &failure) { // what was found stays
        out.race_failure = failure.what();
        return;
    } catch (const MeterFailure &failure) {
        out.race_failure = failure.what();
        return;
    } catch (const BudgetEnded &ended) {
        out.race_failure = ended.what();
        return;
    }
    // Without a certificate the runs are the best that is known, though they may not tell two splits apart.
    const auto &ratios = out.race->ratios;
    const bool is_certified = out.certificate.certified && !out.one_time;
    for (std::size_t r = 1; r < ratios.size(); ++r) {
        const bool is_less = ratios[r].high < 1 || (!is_certified && ratios[r].value < 1 - request.rules.precision);
        if (is_less && ratios[r].value < ratios[out.winner].value) out.winner = r;
    }
    const auto &estimate = out.race->estimates[out.winner];
    out.value = {estimate.mean, estimate.low, estimate.high};
    out.median = estimate.median;
}

namespace
{

// A baseline's sizes are measured so often; the race then measures the distribution.
constexpr std::int64_t baseline_repetitions = 2;
constexpr int baseline_rounds = 3;

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
        const double share = request_.confirms ? 1 - race_share : 1;
        rounds_.run(share);
        if (request_.confirms && !search_.certificate().x.empty()) {
            measure_baselines();
            rounds_.run(share); // their sizes may tell of faster ones
        }
        out_.certificate = search_.certificate();
        rounds_.keep_all();
        if (out_.certificate.x.empty()) rounds_.fail_at_limit();
        if (!out_.certificate.certified) out_.note = two_speeds();
        if (!out_.certificate.certified && out_.note.empty()) out_.note = coarse_times();
        out_.rivals.push_back({"optimal", out_.certificate.x});
        out_.value = search_.value_of(out_.certificate.x, request_.rules.objective);
        if (request_.confirms) {
            confirm();
            rounds_.keep_all(); // energies of the runs, too
            believe_the_runs();
        }
        if (!out_.certificate.certified) out_.rivals.front().method = out_.winner == 0 ? "chosen" : "search";
        rounds_.survey().keep_choice(choice_of(out_));
        static_cast<Findings &>(out_) = rounds_.findings();
        return std::move(out_);
    }

  private:
    std::vector<std::string> baselines() const;
    std::vector<std::int64_t> baseline(const std::string &method, const Platform &times) const;
    std::vector<optimum::Request> unmeasured(const std::string &method, std::span<const std::int64_t> x) const;
    void measure_baselines();
    void add_baselines();
    std::vector<std::int64_t> earlier_choice();
    std::string two_speeds() const;
    std::string coarse_times() const;
    void confirm();
    void believe_the_runs();
    // False if there is none, or another method has the same.
    bool add_rival(const std::string &method, std::vector<std::int64_t> x);
    bool is_energy() const { return needs_energies(request_.rules.objective); }
    std::string_view unit() const { return objective_kind(request_.rules.objective).unit; }
    void report_progress();

    const Team &team_;
    const OptimizeRequest &request_;
    Control &control_;
    optimum::CertifiedSearch search_;
    Rounds rounds_;
    Optimum out_;
};

// Those that the result runs against.
std::vector<std::string> Optimizer::baselines() const
{
    std::vector<std::string> methods{"equal", "cpm", "fpm", "balanced"};
    if (is_energy()) methods.emplace(methods.begin(), "exact");
    return methods;
}

// Empty if the sizes have no such distribution.
std::vector<std::int64_t> Optimizer::baseline(const std::string &method, const Platform &times) const
{
    PartitionRequest request;
    request.size = request_.rules.size;
    request.method = method;
    request.wants_joules = false;
    try {
        return partition(times, request, control_).x;
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw;
    }
    return {};
}

// The sizes of x whose times are not known. For cpm also the sizes nearest to equal shares: it takes their speeds.
std::vector<optimum::Request> Optimizer::unmeasured(const std::string &method, std::span<const std::int64_t> x) const
{
    std::vector<optimum::Request> requests;
    const auto add = [&](std::size_t i, std::size_t k) {
        const auto &times = search_.function(i, FunctionKind::time);
        if (k < times.count() && !times.is_measured(k) && !times.is_excluded(k))
            requests.push_back({i, k, baseline_repetitions, FunctionKind::time});
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] > 0) add(i, search_.index_of(i, x[i]));
        if (method != "cpm") continue;
        const auto share = static_cast<double>(request_.rules.size) / static_cast<double>(x.size());
        const auto &sizes = search_.function(i, FunctionKind::time).sizes();
        const auto distance = [&](std::size_t k) { return std::abs(static_cast<double>(sizes[k]) - share); };
        const auto &possible = search_.possible_points(i);
        const auto nearest = std::min_element(possible.begin(), possible.end(),
                                              [&](auto a, auto b) { return distance(a) < distance(b); });
        if (nearest != possible.end()) add(i, *nearest);
    }
    return requests;
}

// A baseline of only the sizes that the search needed would be slower than its method is. Sizes without a time get the time that
// their neighbours suggest. The sizes that the baselines choose are measured, until they choose measured sizes alone.
void Optimizer::measure_baselines()
{
    for (int round = 0; round < baseline_rounds; ++round) {
        const auto times = search_.times(true);
        std::vector<optimum::Request> requests;
        for (const auto &method : baselines())
            for (const auto &request : unmeasured(method, baseline(method, times))) {
                const bool is_asked = std::any_of(requests.begin(), requests.end(), [&](const auto &other) {
                    return other.processor == request.processor && other.point == request.point;
                });
                if (!is_asked) requests.push_back(request);
            }
        if (requests.empty()) return;
        rounds_.measure(requests, 1 - race_share / 2);
    }
}

void Optimizer::add_baselines()
{
    const auto all = search_.times(true), measured = search_.times(false);
    for (const auto &method : baselines()) {
        const std::string name = method == "exact" ? "least-time" : method;
        auto x = baseline(method, all);
        if (x.empty() || !unmeasured(method, x).empty()) {
            x = baseline(method, measured);
            if (add_rival(name, std::move(x))) out_.rivals.back().is_among_measured = true;
        } else {
            add_rival(name, std::move(x));
        }
    }
    if (!request_.shares.empty())
        add_rival("shares", optimum::nearest_distribution(std::vector(team_.count(), request_.sizes),
                                                          request_.rules.size, request_.shares));
    auto earlier = earlier_choice();
    if (std::ranges::find(out_.rivals, earlier, &Rival::x) == out_.rivals.end())
        add_rival("earlier", std::move(earlier));
}

// The file's result for this size: it stays the result if it still takes less. Empty without one, or if this call has not all of its sizes.
std::vector<std::int64_t> Optimizer::earlier_choice()
{
    const auto name = objective_kind(request_.rules.objective).name;
    for (auto &choice : rounds_.survey().platform().facts.all<ChosenDistribution>()) {
        if (choice.objective != name || choice.size != request_.rules.size || choice.x.size() != team_.count())
            continue;
        const auto can_run = [&](std::size_t i) {
            const auto &times = search_.function(i, FunctionKind::time);
            const auto k = search_.index_of(i, choice.x[i]);
            return choice.x[i] == 0 || (k < times.count() && times.sizes()[k] == choice.x[i] && !times.is_excluded(k));
        };
        std::size_t runs = 0;
        while (runs < choice.x.size() && can_run(runs)) ++runs;
        if (runs == choice.x.size()) return std::move(choice.x);
    }
    return {};
}

// "'A', size 250: 13 of 25 times are near 0.25 s, the others near 15 s: ..."; empty if no point of few certain times has two groups.
std::string Optimizer::two_speeds() const
{
    std::string out;
    std::int64_t sizes = 0, most = 0;
    for (std::size_t i = 0; i < team_.count(); ++i)
        for (std::size_t k = 0; k < search_.function(i).count(); ++k) {
            const auto &function = search_.function(i);
            if (!function.is_measured(k)) continue;
            const auto found = function.two_speeds(k);
            const auto [value, low, high] = function.interval(k);
            if (!found || high - low <= request_.rules.precision * value) continue;
            ++sizes;
            if (found->count <= most) continue;
            most = found->count;
            const auto shown = [&](double number) {
                return is_energy() ? text(rounded_text(number), " ", unit()) : brief_seconds(number);
            };
            out = text(in_quotes(team_.member(i).name), ", size ", function.sizes()[k], ": ", found->fast_count, " of ",
                       found->count, is_energy() ? " energies" : " times", " are near ", shown(found->fast),
                       ", the others near ", shown(found->slow));
        }
    return sizes == 0 ? ""
                      : text("two speeds at ", pluralise(sizes, "size"), ", as ", out,
                             "; no median is known between the two speeds, and nothing can be certified");
}

// "'A' has times in steps of 0.01 s, 25 % of ...: ..."; empty if the steps of the result's times prevent no certificate.
std::string Optimizer::coarse_times() const
{
    const auto &x = out_.certificate.x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto &function = search_.function(i);
        if (x[i] == 0 || is_energy()) continue;
        const double value = function.interval(search_.index_of(i, x[i])).value, step = function.step();
        if (!std::isfinite(step) || (value > 0 && step <= request_.rules.precision / 2 * value)) continue;
        return text(in_quotes(team_.member(i).name), " has ", "times in steps of ", step, " s, and ",
                    rounded_text(value), " s for size ", x[i],
                    ": print more digits; nothing can be certified by these");
    }
    return "";
}

// Runs of whole distributions refute a certificate if another one is faster than the search's, or if they take more than its points say
// by more than the precision. They refute its bound if they take less, unless by less than the points are known to.
void Optimizer::believe_the_runs()
{
    auto &certificate = out_.certificate;
    if (!out_.race) return;
    const double precision = request_.rules.precision;
    const auto refute = [&](auto... reason) {
        out_.is_refuted = std::exchange(certificate.certified, false);
        out_.note = text(reason...);
    };
    if (certificate.certified && out_.winner != 0)
        return refute("the split of ", out_.rivals[out_.winner].method, " took less than the search's when they ran");
    if (certificate.certified && out_.value.low > (1 + precision) * certificate.upper)
        return refute("its runs took at least ", rounded_text(out_.value.low), " ", unit(), ", more than the ",
                      rounded_text(certificate.upper), " ", unit(), " of its processors one by one");
    if (out_.value.value >= certificate.lower) return;
    const bool is_near = certificate.lower <= (1 + precision / 2) * out_.value.high;
    if (is_near && out_.value.high <= (1 + precision) * out_.value.low) {
        certificate.lower = out_.value.low;
        return;
    }
    if (out_.value.high >= certificate.lower) return;
    refute("its runs took at most ", rounded_text(out_.value.high), " ", unit(), ", less than the bound of ",
           rounded_text(certificate.lower), " ", unit(),
           is_energy() ? ": the energies of the processors do not add up here"
                       : ": the processors were slower while the points were measured");
}

bool Optimizer::add_rival(const std::string &method, std::vector<std::int64_t> x)
{
    if (x.empty()) return false;
    const auto same =
        std::find_if(out_.rivals.begin(), out_.rivals.end(), [&](const auto &rival) { return rival.x == x; });
    if (same != out_.rivals.end()) {
        same->same_split.push_back(method);
        return false;
    }
    out_.rivals.push_back({method, std::move(x)});
    return true;
}

void Optimizer::confirm()
{
    add_baselines();
    // A round of all splits is longer than a step of the search.
    const auto poll = rounds_.strict_poll([this] { control_.report_progress(-1, "comparing with the baselines"); });
    std::function<double(const std::vector<Slice> &)> turn;
    if (is_energy()) turn = [this](const std::vector<Slice> &slices) { return rounds_.survey().joules_of(slices); };
    run_race(out_, team_, request_, rounds_.budget(), poll, turn);
}

void Optimizer::report_progress()
{
    const auto &found = search_.last();
    const double of_budget = std::min(rounds_.budget().spent() / request_.max_total_seconds, 0.99);
    if (!std::isfinite(found.upper) || found.upper <= 0) return control_.report_progress(of_budget, "measuring");
    const double gap = found.lower > 0 ? found.upper / found.lower - 1 : 1;
    const auto what = text(rounded_text(found.upper), " ", unit(), " or less, the least up to ",
                           rounded_text(100 * (1 - found.lower / found.upper)), " % below");
    control_.report_progress(std::max(of_budget, std::clamp(1 - std::log1p(gap) / std::log1p(1.0), 0.0, 0.99)),
                             what.c_str());
}

} // namespace

Optimum optimize(const Team &team, const OptimizeRequest &request, Control &control)
{
    const bool may_have_one_time = team.application() != nullptr && request.rules.objective == Objective::time;
    if (!request.shares.empty() && request.shares.size() != team.count())
        fail_option("shares", " has ", pluralise(request.shares.size(), "share"), "; there must be one for each of ",
                    pluralise(team.count(), "processor"));
    if (may_have_one_time && team.application()->always_gives_one_time())
        return optimize_one_time(team, request, control).value();
    try {
        return Optimizer(team, request, control).run();
    } catch (const NoTimesOfEach &failure) {
        if (!may_have_one_time) throw;
        if (auto found = optimize_one_time(team, request, control, failure.one_time())) return std::move(*found);
        if (!failure.one_time()) throw;
    }
    fail(Status::callback, "the application gave one time for all in one run, and the time of each processor in "
                           "another; it must give the same kind in all");
}

ChosenDistribution choice_of(const Optimum &optimum)
{
    const auto &winner = optimum.rivals[optimum.winner];
    const bool is_certified = optimum.certificate.certified && !optimum.one_time;
    return {std::string(objective_kind(optimum.rules.objective).name),
            optimum.rules.size,
            winner.x,
            optimum.value.value,
            optimum.race || optimum.one_time,
            is_certified ? std::optional(optimum.rules.precision) : std::nullopt};
}

namespace
{

// The rows of `baselines`.
Report::Rows rows_of(const Optimum &optimum)
{
    Report::Rows rows;
    for (std::size_t r = 0; r < optimum.rivals.size(); ++r) {
        const auto &rival = optimum.rivals[r];
        auto &row = rows.emplace_back();
        row.set("method", rival.method);
        row.set("distribution", std::vector<double>(rival.x.begin(), rival.x.end()));
        row.set("among_measured", std::int64_t{rival.is_among_measured ? 1 : 0});
        Report::Rows same(rival.same_split.size());
        for (std::size_t k = 0; k < same.size(); ++k) same[k].set("method", rival.same_split[k]);
        row.set("same_split", std::move(same));
        if (!optimum.race) continue;
        row.set(needs_energies(optimum.rules.objective) ? "joules" : "seconds", optimum.race->estimates[r].mean);
        row.set("ratio", optimum.race->ratios[r].value);
        row.set("ratio_low", optimum.race->ratios[r].low);
        row.set("ratio_high", optimum.race->ratios[r].high);
    }
    return rows;
}

} // namespace

Report report_of(const Optimum &optimum)
{
    const auto &certificate = optimum.certificate;
    Report report;
    report.set("certified", std::int64_t{certificate.certified ? 1 : 0});
    const auto &one_time = optimum.one_time;
    report.set("one_time", std::int64_t{one_time ? 1 : 0});
    report.set("note", optimum.note);
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
    report.set("median", optimum.median.value_or(unknown));
    report.set("race_failure", optimum.race_failure);
    optimum.add_to(report, certificate.certified);
    if (one_time && !optimum.time_was_up)
        report.set("stop_reason", std::string(one_time->is_settled ? "settled" : "max_runs"));
    if (optimum.is_refuted) report.set("stop_reason", std::string("refuted"));
    report.set("winner", optimum.rivals[optimum.winner].method);
    report.set("baselines", rows_of(optimum));
    return report;
}

} // namespace hpart
