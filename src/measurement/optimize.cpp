#include "measurement/optimize.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "measurement/batches.hpp"
#include "measurement/distributions.hpp"
#include "measurement/point_notes.hpp"
#include "measurement/resumable_file.hpp"
#include "models/platform_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace hpart
{

namespace
{

constexpr double usual_precision = 0.05;
// The seconds of the confirmation: a tenth of all at least; at most twice those of the search, or ten.
constexpr double least_race_share = 0.1, longest_race_share = 2, usual_race_seconds = 10;
// A point of a file that says nothing of its interval.
constexpr double unknown_half_width = 0.025;
constexpr std::int64_t unknown_repetitions = 10;
// Of a point of a file that must agree.
constexpr std::int64_t checked_repetitions = 3;
// Of freedom: as many are the normal distribution.
constexpr std::int64_t many_degrees = 1000000000;

class Optimizer
{
  public:
    Optimizer(const Team &team, const OptimizeRequest &request, Control &control)
        : team_(team), request_(request), control_(control),
          search_(std::vector(team.count(), request.sizes), request.rules)
    {
        out_.rules = request.rules;
        out_.confidence = request.race.confidence;
    }

    Optimum run()
    {
        start_platform();
        if (has_known_) check_kernel();
        measure();
        out_.certificate = search_.certificate();
        keep_all();
        if (out_.certificate.x.empty())
            fail(Status::limit, "option 'max_total_seconds', ", request_.max_total_seconds,
                 " s, did not suffice to measure a whole distribution; set it higher",
                 request_.file.empty() ? "" : ", or call again to go on");
        choose();
        return std::move(out_);
    }

  private:
    void start_platform();
    void take_known(const Platform &found);
    void check_kernel();
    void measure();
    void run_round(std::vector<Batch> batches);
    void keep(std::size_t processor, std::size_t point);
    void keep_all();
    void write() const;
    void choose();
    void tell();

    const Team &team_;
    const OptimizeRequest &request_;
    Control &control_;
    optimum::CertifiedSearch search_;
    Optimum out_;
    std::optional<FileLock> lock_;
    bool has_known_ = false;
    const Clock::time_point begin_ = Clock::now();
};

void Optimizer::start_platform()
{
    out_.platform = platform_of(team_, true, Statistic::median);
    if (request_.file.empty()) return;
    require_writable_file(request_.file);
    lock_file(request_.file, lock_);
    if (auto found = read_to_continue(request_.file, out_.platform)) {
        out_.platform = std::move(*found);
        take_known(out_.platform);
    }
}

void Optimizer::take_known(const Platform &found)
{
    for (std::size_t i = 0; i < team_.count(); ++i) {
        const auto &points = found.points(static_cast<std::int64_t>(i));
        auto &function = search_.function(i);
        for (std::size_t k = 0; k < points.count(); ++k) {
            const double value = points.seconds[k];
            const auto at = search_.index_of(i, points.sizes[k]);
            if (std::isnan(value) || at == function.count() || function.sizes()[at] != points.sizes[k]) continue;
            double half_width = unknown_half_width * value;
            std::int64_t repetitions = unknown_repetitions;
            if (points.intervals && !std::isnan(points.intervals->time_high[k]))
                half_width = points.intervals->time_high[k] - value;
            if (points.intervals && points.intervals->repetitions[k] > 0)
                repetitions = points.intervals->repetitions[k];
            function.add_known(at, value, half_width, repetitions);
            has_known_ = true;
        }
    }
}

// Kernels without a name may have changed since the file was written.
void Optimizer::check_kernel()
{
    if (!out_.platform.kernel().empty() || std::isinf(request_.resume_tolerance)) return;
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < team_.count(); ++i) {
        const auto &function = search_.function(i);
        std::vector<std::int64_t> known;
        for (std::size_t k = 0; k < function.count(); ++k)
            if (function.is_measured(k)) known.push_back(function.sizes()[k]);
        if (const auto size = size_to_check({known})) batches.push_back({i, *size, checked_repetitions, {}, ""});
    }
    run_batches(team_, batches, request_.batches, [&] { tell(); });
    for (auto &batch : batches) {
        if (batch.seconds.empty()) continue;
        const auto before = search_.function(batch.processor).interval(search_.index_of(batch.processor, batch.size));
        require_agreement(request_.file,
                          {team_.member(batch.processor).name, batch.size, before.value, median(batch.seconds),
                           before.high - before.value},
                          request_.resume_tolerance);
    }
}

void Optimizer::measure()
{
    for (;;) {
        tell();
        const auto requests = search_.next();
        if (requests.empty()) return;
        if (seconds_since(begin_) >= request_.max_total_seconds) {
            out_.time_was_up = true;
            return;
        }
        std::vector<Batch> batches;
        for (const auto &request : requests)
            batches.push_back({request.processor,
                               search_.function(request.processor).sizes()[request.point],
                               request.repetitions,
                               {},
                               ""});
        run_round(std::move(batches));
    }
}

void Optimizer::run_round(std::vector<Batch> batches)
{
    out_.counts.add(run_batches(team_, batches, request_.batches, [&] { tell(); }));
    std::set<std::pair<std::size_t, std::size_t>> changed;
    for (const auto &batch : batches) {
        auto &function = search_.function(batch.processor);
        const auto point = search_.index_of(batch.processor, batch.size);
        if (batch.failure.empty()) {
            function.add(point, batch.seconds);
            changed.insert({batch.processor, point});
            note_failure(out_.platform.comments, team_.member(batch.processor).name, batch.size, "");
        } else if (!function.is_excluded(point)) {
            function.exclude(point);
            note_failure(out_.platform.comments, team_.member(batch.processor).name, batch.size, batch.failure);
        }
    }
    for (const auto &[i, k] : changed)
        if (search_.function(i).is_measured(k)) keep(i, k);
    write();
}

void Optimizer::keep(std::size_t processor, std::size_t point)
{
    const auto &function = search_.function(processor);
    const auto interval = function.interval(point);
    out_.platform.set_point(static_cast<std::int64_t>(processor), FunctionKind::time, function.sizes()[point],
                            {interval.value, interval.low, interval.high, function.repetitions(point)});
}

void Optimizer::keep_all()
{
    for (std::size_t i = 0; i < team_.count(); ++i)
        for (std::size_t k = 0; k < search_.function(i).count(); ++k) {
            if (!search_.function(i).is_measured(k)) continue;
            keep(i, k);
            ++out_.measured_points;
        }
    write();
}

void Optimizer::write() const
{
    if (!request_.file.empty()) write_platform(out_.platform, request_.file);
}

// The certified distribution and the baselines run against each other; the fastest is the answer.
void Optimizer::choose()
{
    const auto &x = out_.certificate.x;
    out_.rivals.push_back({"optimal", x});
    out_.seconds = {0, 0, 0};
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        const auto interval = search_.function(i).interval(search_.index_of(i, x[i]));
        out_.seconds = {std::max(out_.seconds.value, interval.value), std::max(out_.seconds.low, interval.low),
                        std::max(out_.seconds.high, interval.high)};
    }
    if (!request_.confirms) return;
    for (const auto *method : {"equal", "cpm", "fpm", "balanced"}) {
        PartitionRequest baseline;
        baseline.size = request_.rules.size;
        baseline.method = method;
        baseline.wants_joules = false;
        try {
            auto found = partition(out_.platform, baseline, control_);
            const bool is_known = std::any_of(out_.rivals.begin(), out_.rivals.end(),
                                              [&](const auto &rival) { return rival.x == found.x; });
            if (!is_known) out_.rivals.push_back({method, std::move(found.x)});
        } catch (const Error &error) {
            if (error.status() != Status::infeasible) throw; // the sizes measured hold no such distribution
        }
    }
    if (out_.rivals.size() == 1) return;
    auto rule = request_.race;
    const double spent = seconds_since(begin_), all = request_.max_total_seconds;
    rule.max_seconds = std::min(std::max(all - spent, least_race_share * all),
                                std::max(longest_race_share * spent, usual_race_seconds));
    std::vector<std::vector<Slice>> slices;
    for (const auto &rival : out_.rivals) slices.push_back(team_.slices(rival.x));
    out_.race = compare(team_, slices, rule, request_.batches.warmup,
                        [&] { control_.tell(-1, "comparing with the baselines"); });
    // Another is chosen only where it is faster beyond doubt.
    const auto &ratios = out_.race->ratios;
    for (std::size_t r = 1; r < ratios.size(); ++r)
        if (ratios[r].high < 1 && ratios[r].value < ratios[out_.winner].value) out_.winner = r;
    const auto &estimate = out_.race->estimates[out_.winner];
    out_.seconds = {estimate.mean, estimate.low, estimate.high};
}

void Optimizer::tell()
{
    const auto &found = search_.last();
    if (!std::isfinite(found.upper) || found.upper <= 0) return control_.tell(-1, "measuring");
    const double gap = found.lower > 0 ? found.upper / found.lower - 1 : 1;
    const auto what = text("at most ", std::round(1e6 * found.upper) / 1e6, " s, within ", std::round(1000 * gap) / 10,
                           " % of the least");
    control_.tell(std::clamp(1 - std::log1p(gap) / std::log1p(1.0), 0.0, 0.99), what.c_str());
}

} // namespace

OptimizeRequest OptimizeRequest::from(std::int64_t size, std::span<const std::int64_t> sizes, const Options &options)
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
    request.race = StopRule::from(options);
    if (!options.is_set("precision")) request.race.precision = usual_precision;
    request.rules.size = size;
    request.rules.precision = request.race.precision;
    request.rules.quantile = t_quantile(request.race.confidence, many_degrees);
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
    std::vector<double> seconds, ratios, low, high, distributions;
    for (std::size_t r = 0; r < optimum.rivals.size(); ++r) {
        names += text(r == 0 ? "" : ",", optimum.rivals[r].method);
        for (const auto part : optimum.rivals[r].x) distributions.push_back(static_cast<double>(part));
        if (!optimum.race) continue;
        seconds.push_back(optimum.race->estimates[r].mean);
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
    report.set("time_low", optimum.seconds.low);
    report.set("time_high", optimum.seconds.high);
    report.set("measured_points", optimum.measured_points);
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
    report.set("baseline_seconds", seconds);
    report.set("ratios", ratios);
    report.set("ratio_low", low);
    report.set("ratio_high", high);
    return report;
}

} // namespace hpart
