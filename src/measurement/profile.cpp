#include "measurement/profile.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "measurement/application.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/resumable_file.hpp"
#include "measurement/statistics.hpp"
#include "models/platform_file.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

namespace hpart
{

namespace
{

// Ends of intervals in a file are decimals.
constexpr double decimal_rounding = 1e-9;

// One size by all processors at once, or by one alone.
struct Point {
    std::int64_t size;
    std::vector<std::size_t> processors;
};

class Profiler
{
  public:
    Profiler(const Team &team, const ProfileRequest &request, Control &control)
        : team_(team), request_(request), control_(control),
          platform_(platform_of(team, request.simultaneous, request.settings.rule.statistic))
    {
    }
    ProfileResult run();

  private:
    ProfileResult measure_all();
    void resume();
    void measure_links();
    void check_kernel();
    void check_agreement(std::size_t processor, std::int64_t size, const Estimate &now) const;
    bool is_done(std::size_t processor, std::int64_t size) const;
    bool is_imprecise(std::size_t processor, std::int64_t size) const;
    bool is_narrower_in_file(std::size_t processor, std::int64_t size, double width) const;
    bool has_points() const;
    bool has_energies() const;
    std::vector<std::vector<std::size_t>> groups() const;
    void open_samples();
    std::vector<std::int64_t> sizes_to_have() const;
    std::vector<Point> points_to_do() const;
    void refine(const std::vector<std::size_t> &processors);
    Curves curves_between_given_sizes(const std::vector<std::size_t> &processors) const;
    void do_point(const Point &point);
    void write();
    Statistic statistic() const { return request_.settings.rule.statistic; }
    double fraction_done() const
    {
        return static_cast<double>(done_) / static_cast<double>(std::max<std::size_t>(total_, 1));
    }
    StopRule rule_of_next(std::size_t measurements) const;
    Measurement measure_time(const Point &point);
    void measure_point(Point point);
    void attempt(Point &point, const std::function<void(const Point &)> &measurement);
    std::vector<std::size_t> culprits_among(const Point &point, const PointFailure &failure);
    void note(const Point &point, std::size_t culprit, const PointFailure &failure);
    void note_lost_energy(const Point &point, const std::string &reason);
    void keep(const Point &point, const Measurement &measurement);
    Poll poll_of(const Point &point);
    void report_progress(const Point &point);

    const Team &team_;
    const ProfileRequest &request_;
    Control &control_;
    EnergyProfile energy_{team_, request_.energy, request_.simultaneous};
    Platform platform_;
    std::optional<FileLock> file_lock_, samples_lock_;
    bool resumes_ = false; // the file has points
    std::optional<SamplesFile> samples_;
    std::string first_failure_;        // "" while no point has failed
    std::string lost_energy_;          // the first reason
    std::size_t done_ = 0, total_ = 0; // points of this call; those that refine adds are counted as they come
    const Budget budget_{request_.max_total_seconds};
    Clock::time_point start_; // of the points
    bool has_news_ = false;   // that are not written
    double overrun_ = 0;      // the longest of a measurement over its share
    Clock::time_point written_ = {};
};

ProfileResult Profiler::run()
{
    try {
        return measure_all();
    } catch (const Error &error) { // an interrupt leaves what was measured, and a wrong call no file
        if (resumes_ || error.status() != Status::invalid_argument) write();
        throw;
    } catch (...) {
        write();
        throw;
    }
}

ProfileResult Profiler::measure_all()
{
    energy_.describe(platform_);
    if (!request_.file.empty()) {
        require_writable_file(request_.file);
        lock_file(request_.file, file_lock_);
        resume();
    }
    open_samples();
    const auto points = points_to_do();
    total_ = points.size();
    if (resumes_) check_kernel();
    measure_links();
    start_ = Clock::now();
    bool was_cut = false;
    try {
        for (const auto &point : points) {
            if (done_ > 0 && budget_.left() <= energy_.least_seconds(point.processors.size())) break;
            do_point(point);
        }
    } catch (const BudgetEnded &) { // a program ran: its point is missing, it has not failed
        was_cut = true;
    }
    const auto missing = points.size() - done_;
    if (!first_failure_.empty() && !has_points()) {
        write();
        return {std::move(platform_), missing, points.size(), resumes_, was_cut, first_failure_};
    }
    if (!lost_energy_.empty() && !has_energies()) fail(Status::device, "no energy was measured: ", lost_energy_);
    if (request_.most_sizes > 0 && missing == 0)
        for (const auto &processors : groups()) refine(processors);
    write(); // before the platform goes
    const bool goes_on = !request_.file.empty() && (resumes_ || has_points());
    return {std::move(platform_), missing, points.size(), goes_on, was_cut};
}

// Those that are measured together.
std::vector<std::vector<std::size_t>> Profiler::groups() const
{
    std::vector<std::vector<std::size_t>> out(request_.simultaneous ? 1 : team_.count());
    for (std::size_t i = 0; i < team_.count(); ++i) out[request_.simultaneous ? 0 : i].push_back(i);
    return out;
}

void Profiler::do_point(const Point &point)
{
    const auto begin = Clock::now();
    try {
        measure_point(point);
    } catch (const BudgetEnded &) {
        for (const auto i : point.processors)
            if (!is_done(i, point.size))
                note_unfinished(platform_.facts, team_.member(i).name, point.size, seconds_since(begin));
        has_news_ = true;
        throw;
    }
    ++done_;
    has_news_ = true;
    if (seconds_since(written_) > least_seconds_between_writes) write();
}

void Profiler::write()
{
    note_time_doubt(platform_.facts, team_.time_doubt());
    if (!request_.file.empty() && has_news_ && (resumes_ || has_points())) write_platform(platform_, request_.file);
    // After the platform file: a point that has no samples is measured again, and samples without a point are refused.
    if (samples_) samples_->write_added();
    has_news_ = false;
    written_ = Clock::now();
}

// The next size depends on the points alone, so that it is the same after an interruption.
void Profiler::refine(const std::vector<std::size_t> &processors)
{
    for (;;) {
        const auto curves = curves_between_given_sizes(processors);
        if (static_cast<std::int64_t>(curves.sizes.size()) >= request_.most_sizes) return;
        const auto size = size_at_bend(curves, request_.settings.rule.precision, request_.block);
        if (!size || budget_.left() <= 0) return;
        ++total_;
        try {
            do_point({*size, processors});
        } catch (const BudgetEnded &) {
            return;
        }
        // Stops if a processor failed: the same size would be next for ever.
        if (!std::all_of(processors.begin(), processors.end(), [&](auto i) { return is_done(i, *size); })) return;
    }
}

Curves Profiler::curves_between_given_sizes(const std::vector<std::size_t> &processors) const
{
    const auto [smallest, largest] = std::minmax_element(request_.sizes.begin(), request_.sizes.end());
    Curves curves{{}, std::vector<std::vector<double>>(processors.size())};
    const auto points_of = [&](std::size_t i) -> const Points & {
        return platform_.points(static_cast<std::int64_t>(processors[i]));
    };
    for (const auto size : points_of(0).sizes) {
        if (size < *smallest || size > *largest) continue;
        if (!std::all_of(processors.begin(), processors.end(), [&](auto i) { return is_done(i, size); })) continue;
        curves.sizes.push_back(size);
        for (std::size_t i = 0; i < processors.size(); ++i)
            curves.seconds[i].push_back(points_of(i).seconds[points_of(i).find(size)]);
    }
    return curves;
}

void Profiler::resume()
{
    auto found = read_to_continue(request_.file, platform_);
    if (!found) return;
    if (const auto reason = energy_.resume(*found); !reason.empty()) refuse_file(request_.file, reason);
    platform_ = std::move(*found);
    // The functions become whole: what a search found of its few sizes is no longer theirs.
    platform_.facts.erase_if<Statement>([](const auto &one) { return one.topic == Topic::sizes_of_search; });
    platform_.facts.erase_if<ChosenDistribution>([](const auto &) { return true; });
    resumes_ = true;
}

// The machine may be another one, and a program, or a kernel without a name, may have changed since the file was written.
void Profiler::check_kernel()
{
    const double tolerance = tolerance_of(platform_, team_, request_.resume_tolerance);
    if (!is_to_be_checked(platform_, team_) || std::isinf(tolerance)) return;
    for (const auto &processors : groups()) {
        std::vector<std::vector<std::int64_t>> done;
        for (const auto i : processors) {
            done.emplace_back();
            for (const auto size : platform_.points(static_cast<std::int64_t>(i)).sizes)
                if (is_done(i, size)) done.back().push_back(size);
        }
        const auto size = size_to_check(done);
        if (!size) continue;
        const auto measured = measure_time({*size, processors});
        for (std::size_t a = 0; a < processors.size(); ++a)
            check_agreement(processors[a], *size, measured.estimates[a]);
    }
    note_origin(platform_, team_);
    has_news_ = true;
}

void Profiler::check_agreement(std::size_t processor, std::int64_t size, const Estimate &now) const
{
    const auto &name = team_.member(processor).name;
    const auto &points = platform_.points(static_cast<std::int64_t>(processor));
    const double before = points.seconds[points.find(size)];
    const double precision = noted_precision(platform_.facts, name, size).value_or(request_.settings.rule.precision);
    const double half_width = std::isnan(now.high) ? 0 : now.high - now.value;
    require_agreement(request_.file, platform_, {name, size, before, now.value, precision * before + half_width},
                      tolerance_of(platform_, team_, request_.resume_tolerance));
}

// A link that the file has may have been set by hand: it stays.
void Profiler::measure_links()
{
    for (std::int64_t i = 0; i < platform_.count(); ++i) {
        if (!(platform_.processor(i).host_link == Link{})) continue;
        if (const auto link = team_.member(static_cast<std::size_t>(i)).kernel->host_link())
            platform_.set_host_link(i, {link->latency_seconds, link->bytes_per_second});
    }
}

bool has_time(const Points &points, std::int64_t size)
{
    const auto k = points.find(size);
    return k < points.count() && !std::isnan(points.seconds[k]);
}

bool Profiler::is_done(std::size_t processor, std::int64_t size) const
{
    const auto &points = platform_.points(static_cast<std::int64_t>(processor));
    return has_time(points, size) && (!energy_.wanted() || !std::isnan(points.joules[points.find(size)]));
}

// Judged by the interval; by the comment where there is none, as of minima.
bool Profiler::is_imprecise(std::size_t processor, std::int64_t size) const
{
    const auto &points = platform_.points(static_cast<std::int64_t>(processor));
    const auto k = points.find(size);
    if (!is_done(processor, size)) return false;
    const auto is_known = [&](FunctionKind kind) {
        return points.intervals && !std::isnan(points.intervals->high(kind)[k]);
    };
    if (!is_known(FunctionKind::time))
        return platform_.facts.has_note(NoteKind::imprecise, team_.member(processor).name, size);
    const auto is_wide = [&](FunctionKind kind, double precision) {
        if (!is_known(kind)) return false;
        const double value = points.values(kind)[k];
        return std::max(points.intervals->high(kind)[k] - value, value - points.intervals->low(kind)[k]) >
               precision * value * (1 + decimal_rounding);
    };
    return is_wide(FunctionKind::time, request_.settings.rule.precision) ||
           (energy_.wanted() && is_wide(FunctionKind::energy, request_.energy.settings.rule.precision));
}

// A point that is measured again keeps its value unless the new one is known better.
bool Profiler::is_narrower_in_file(std::size_t processor, std::int64_t size, double width) const
{
    const auto &points = platform_.points(static_cast<std::int64_t>(processor));
    if (!request_.remeasures_imprecise || !is_done(processor, size) || !points.intervals) return false;
    const auto k = points.find(size);
    const auto &intervals = *points.intervals;
    const double known = intervals.high(FunctionKind::time)[k] - intervals.low(FunctionKind::time)[k];
    return !std::isnan(known) && !(width < known);
}

bool Profiler::has_points() const
{
    for (std::int64_t i = 0; i < platform_.count(); ++i)
        if (platform_.points(i).count() > 0) return true;
    return false;
}

bool Profiler::has_energies() const
{
    for (std::int64_t i = 0; i < platform_.count(); ++i)
        for (const double joules : platform_.points(i).joules)
            if (!std::isnan(joules)) return true;
    return false;
}

void Profiler::open_samples()
{
    if (request_.samples.empty()) return;
    require_writable_file(request_.samples);
    lock_file(request_.samples, samples_lock_);
    std::optional<SampledProfile> resumed;
    if (resumes_) {
        resumed.emplace();
        for (std::size_t i = 0; i < team_.count(); ++i) resumed->names.push_back(team_.member(i).name);
        resumed->groups = groups();
        resumed->statistic = statistic();
        resumed->time = [this](std::size_t i, std::int64_t size) -> std::optional<double> {
            const auto &points = platform_.points(static_cast<std::int64_t>(i));
            if (!is_done(i, size)) return std::nullopt;
            return points.seconds[points.find(size)];
        };
    }
    samples_.emplace(request_.samples, resumed);
}

// Sizes of the call. With samples, those that were added between them too: their runs may be missing.
std::vector<std::int64_t> Profiler::sizes_to_have() const
{
    auto sizes = request_.sizes;
    const bool has_samples = samples_ && request_.most_sizes > 0;
    if (!has_samples && !request_.remeasures_imprecise) return sizes;
    const auto [smallest, largest] = std::minmax_element(request_.sizes.begin(), request_.sizes.end());
    std::set<std::int64_t> added;
    for (std::size_t i = 0; i < team_.count(); ++i)
        for (const auto size : platform_.points(static_cast<std::int64_t>(i)).sizes)
            if (request_.remeasures_imprecise ? is_imprecise(i, size)
                                              : size > *smallest && size < *largest && is_done(i, size))
                added.insert(size);
    for (const auto size : request_.sizes) added.erase(size);
    sizes.insert(sizes.end(), added.begin(), added.end());
    return sizes;
}

std::vector<Point> Profiler::points_to_do() const
{
    std::vector<Point> points;
    const auto is_missing = [&](std::size_t i, std::int64_t size) {
        return !is_done(i, size) || (samples_ && !samples_->has(i, size)) ||
               (request_.remeasures_imprecise && is_imprecise(i, size));
    };
    for (const auto size : sizes_to_have())
        for (const auto &together : groups())
            if (std::any_of(together.begin(), together.end(), [&](auto i) { return is_missing(i, size); }))
                points.push_back({size, together});
    if (!request_.random_order) return points;
    // Random so that drift is not mistaken for shape, and the same each time.
    std::mt19937_64 generator;
    for (std::size_t k = points.size(); k > 1; --k) std::swap(points[k - 1], points[generator() % k]);
    // The ends come first: a budget that ends early leaves functions of the whole range.
    const auto [smallest, largest] = std::minmax_element(request_.sizes.begin(), request_.sizes.end());
    const auto rest = std::stable_partition(points.begin(), points.end(),
                                            [first = *smallest](const Point &point) { return point.size == first; });
    std::stable_partition(rest, points.end(), [last = *largest](const Point &point) { return point.size == last; });
    // Sizes that failed, or had no time, come last, the latest behind the others: a program that hangs there takes the budget of no other.
    const auto failures = noted_failures(platform_.facts);
    if (failures.empty()) return points;
    std::vector<std::pair<std::size_t, Point>> placed;
    for (auto &point : points) {
        std::size_t place = 0;
        for (const auto i : point.processors)
            place = std::max(place, place_of_failure(failures, team_.member(i).name, point.size));
        placed.emplace_back(place, std::move(point));
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::transform(placed.begin(), placed.end(), points.begin(), [](auto &one) { return std::move(one.second); });
    return points;
}

Measurement Profiler::measure_time(const Point &point)
{
    std::vector<Slice> slices(team_.count());
    for (const auto i : point.processors) slices[i] = {0, point.size};
    auto settings = request_.settings;
    settings.rule = rule_of_next(1 + energy_.measurements(point.processors.size()));
    const auto begin = Clock::now();
    auto measurement = measure(team_, std::move(slices), settings, poll_of(point));
    overrun_ = std::max(overrun_, seconds_since(begin) - settings.rule.max_seconds);
    const bool had_a_share = settings.rule.max_seconds < request_.settings.rule.max_seconds;
    if (had_a_share && measurement.reason == StopReason::max_seconds)
        measurement.reason = StopReason::max_total_seconds;
    return measurement;
}

// The stop rule of the next measurement if each point that is left takes `measurements` of them. Warm-ups and last repetitions come on top
// of a share; without room for them the last point would be cut off. One slow point takes no more than half of the others' shares.
StopRule Profiler::rule_of_next(std::size_t measurements) const
{
    auto rule = request_.settings.rule;
    const auto points = std::max(total_, done_ + 1) - done_;
    const double share = budget_.left() / static_cast<double>(points * measurements);
    rule.max_seconds = std::clamp(share - std::min(overrun_, share / 2), 0.0, rule.max_seconds);
    return rule;
}

void Profiler::measure_point(Point point)
{
    energy_.prepare(platform_, Poll([&] { control_.report_progress(-1, "measuring the base power"); }));
    attempt(point, [&](const Point &now) { keep(now, measure_time(now)); });
    if (point.processors.empty() || !energy_.wanted()) return;
    const auto most_seconds = rule_of_next(energy_.measurements(point.processors.size())).max_seconds;
    const auto measure = [&](const Point &now) {
        try {
            energy_.measure(platform_, now.processors, now.size, most_seconds, poll_of(now));
        } catch (const MeterFailure &failure) {
            note_lost_energy(now, failure.what());
        }
    };
    if (request_.energy.simultaneous) return attempt(point, measure);
    for (const auto i : point.processors) {
        Point alone{point.size, {i}};
        attempt(alone, measure);
    }
}

// A processor that fails is taken out of the point.
void Profiler::attempt(Point &point, const std::function<void(const Point &)> &measurement)
{
    while (!point.processors.empty()) {
        try {
            return measurement(point);
        } catch (const PointFailure &failure) {
            for (const auto i : culprits_among(point, failure)) {
                note(point, i, failure);
                std::erase(point.processors, i);
            }
        }
    }
}

// All of them if an application fails with their sizes together, though with none of them alone.
std::vector<std::size_t> Profiler::culprits_among(const Point &point, const PointFailure &failure)
{
    if (!failure.is_of_several()) return {failure.processor()};
    std::vector<Slice> slices(team_.count());
    for (const auto i : point.processors) slices[i] = {0, point.size};
    const auto culprits = culprits_of(team_, slices, poll_of(point));
    return culprits.empty() ? point.processors : culprits;
}

void Profiler::note(const Point &point, std::size_t culprit, const PointFailure &failure)
{
    note_failure(platform_.facts, team_.member(culprit).name, point.size, failure.reason());
    if (first_failure_.empty()) first_failure_ = failure.what();
    control_.announce(fraction_done(), failure.what());
}

// The times stay, and the next call measures the point again.
void Profiler::note_lost_energy(const Point &point, const std::string &reason)
{
    for (const auto i : point.processors)
        note_failure(platform_.facts, team_.member(i).name, point.size, text("no energy: ", reason));
    if (lost_energy_.empty()) lost_energy_ = reason;
    control_.announce(fraction_done(), text("no energy at size ", point.size, ": ", reason).c_str());
}

void Profiler::keep(const Point &point, const Measurement &measurement)
{
    std::string lines;
    for (std::size_t a = 0; a < point.processors.size(); ++a) {
        const auto i = static_cast<std::int64_t>(point.processors[a]);
        const auto &estimate = measurement.estimates[a];
        if (is_narrower_in_file(point.processors[a], point.size, estimate.high - estimate.low)) continue;
        platform_.set_point(i, FunctionKind::time, point.size,
                            measured_point(estimate.value, estimate.low, estimate.high, measurement.repetitions));
        const auto &name = team_.member(point.processors[a]).name;
        if (samples_) lines += sample_lines(name, point.size, measurement.samples_of(a));
        note_failure(platform_.facts, name, point.size, "");
        note_point(platform_.facts, name, point.size, measurement, a, request_.settings.rule);
    }
    if (samples_) samples_->add(point.processors, point.size, lines);
}

// The end of the budget is the time-out of programs without one.
Poll Profiler::poll_of(const Point &point)
{
    return Poll([this, &point] { report_progress(point); },
                team_.is_interruptible(point.processors) ? &budget_ : nullptr,
                "the time budget ended while a point was measured");
}

void Profiler::report_progress(const Point &point)
{
    require_times_of_each(team_, "a profile of several processors at once");
    auto what = text("size ", point.size, ", point ", done_ + 1, " of ", total_);
    if (!request_.simultaneous) what += text(", ", team_.member(point.processors.front()).name);
    double left = std::max(budget_.left(), 1.0); // a size that is measured takes some time
    if (done_ > 0)
        left = std::min(left, static_cast<double>(total_ - done_) * seconds_since(start_) / static_cast<double>(done_));
    if (std::isfinite(left))
        what += text(done_ > 0 ? ", about " : ", at most ", static_cast<std::int64_t>(std::ceil(left)), " s left");
    control_.report_progress(fraction_done(), what.c_str());
}

} // namespace

ProfileResult profile(const Team &team, const ProfileRequest &request, Control &control)
{
    return Profiler(team, request, control).run();
}

} // namespace hpart
