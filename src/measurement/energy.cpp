#include "measurement/energy.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/options.hpp"
#include "host/thread_group.hpp"
#include "measurement/distributions.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Degrees of freedom of the base power's error. It comes from at least ten batches, so this errs on the safe side.
constexpr std::int64_t base_power_degrees = 9;
// Averages over an idle system's occasional activity.
constexpr double usual_base_seconds = 2;

double square(double value) { return value * value; }

// Throws a meter's failure as MeterFailure, so that it is not taken for a kernel's.
template <typename Action> auto of_meter(const Action &action)
{
    try {
        return action();
    } catch (const Error &error) {
        if (error.status() != Status::device) throw;
        throw MeterFailure(error.status(), error.what());
    }
}

// Windows of several meters that begin and end together. The destructor closes them and ignores errors.
class Windows
{
  public:
    explicit Windows(std::span<Meter *const> meters) : meters_(meters)
    {
        try {
            for (; open_ < meters_.size(); ++open_) of_meter([&] { meters_[open_]->start(); });
        } catch (...) {
            abandon();
            throw;
        }
    }
    Windows(const Windows &) = delete;
    Windows &operator=(const Windows &) = delete;
    ~Windows() { abandon(); }

    // Throws as soon as a meter has failed: the rest of the window would be for nothing.
    void check() const
    {
        for (auto *meter : meters_) of_meter([&] { meter->check(); });
    }

    // The meters' results, in order.
    std::vector<Measured> finish()
    {
        std::vector<Measured> measured;
        while (open_ > 0) measured.push_back(of_meter([&] { return meters_[--open_]->stop(); }));
        std::reverse(measured.begin(), measured.end());
        return measured;
    }

  private:
    void abandon() noexcept
    {
        while (open_ > 0) try {
                meters_[--open_]->stop();
            } catch (...) { // NOLINT(bugprone-empty-catch): the caller gets the error under way
            }
    }

    std::span<Meter *const> meters_;
    std::size_t open_ = 0;
};

// The meters that the run is measured with, by the team's order of meters.
std::vector<std::size_t> meters_of_run(const Team &team, const TeamRun &run)
{
    if (team.node_meter() != nullptr) return {0};
    return run.active();
}

// Seconds of this machine's clock that a window must take for all of the meters.
double least_window(std::span<Meter *const> meters)
{
    double least = 0;
    for (const auto *meter : meters)
        if (meter->traits().real_time) least = std::max(least, minimum_window(meter->traits()));
    return least;
}

double base_power_seconds(const Traits &traits, const EnergySettings &settings)
{
    const double least = minimum_window(traits);
    const double seconds = settings.base_seconds.value_or(std::max(least, usual_base_seconds));
    if (seconds < least)
        fail_option("base_seconds", " is ", seconds, "; the base power of meter ", traits.name, " takes at least ",
                    least, " s, 20 of its intervals");
    return seconds;
}

// Sums over all windows so far.
struct Sums {
    std::int64_t repetitions = 0;
    std::vector<double> joules, seconds; // of a repetition of each window
};

class WindowSampler
{
  public:
    WindowSampler(TeamRun &run, std::vector<Meter *> meters, std::vector<BasePower> bases, const Poll &poll)
        : run_(run), meters_(std::move(meters)), bases_(std::move(bases)), poll_(poll),
          least_seconds_(least_window(meters_))
    {
        sums_.joules.assign(meters_.size(), 0);
        sums_.seconds.assign(meters_.size(), 0);
    }

    // Dynamic joules a repetition, one per meter.
    void take(std::span<double> joules)
    {
        Windows windows(meters_);
        const auto begin = Clock::now();
        std::int64_t repetitions = 0;
        do {
            run_.repeat(poll_);
            ++repetitions;
            windows.check();
        } while (seconds_since(begin) < least_seconds_);
        const auto measured = windows.finish();
        // Each meter that watches has seen the same machine.
        const auto watched = std::find_if(measured.begin(), measured.end(), [](const auto &of) { return of.activity; });
        if (watched != measured.end()) log_.add(*watched->activity);
        sums_.repetitions += repetitions;
        for (std::size_t k = 0; k < measured.size(); ++k) {
            const double total = measured[k].joules / static_cast<double>(repetitions);
            const double seconds = measured[k].seconds / static_cast<double>(repetitions);
            sums_.joules[k] += total;
            sums_.seconds[k] += seconds;
            joules[k] = dynamic_energy(total, seconds, bases_[k]).joules;
        }
    }

    const Sums &sums() const { return sums_; }
    const ActivityLog &log() const { return log_; }
    const std::vector<BasePower> &bases() const { return bases_; }
    std::size_t meters() const { return meters_.size(); }

  private:
    TeamRun &run_;
    std::vector<Meter *> meters_;
    std::vector<BasePower> bases_;
    const Poll &poll_;
    double least_seconds_;
    Sums sums_;
    ActivityLog log_;
};

double scatter_of(const Measurement &loop, std::size_t meter, std::size_t meters)
{
    RunningMean sample;
    for (std::size_t k = meter; k < loop.samples.size(); k += meters) sample.add(loop.samples[k]);
    return sample.count() < 2 ? unknown : sample.standard_deviation() / std::sqrt(static_cast<double>(sample.count()));
}

EnergyMeasurement with_base_errors(const Measurement &loop, const WindowSampler &sampler, const StopRule &rule)
{
    EnergyMeasurement out;
    out.windows = loop.repetitions;
    out.repetitions = sampler.sums().repetitions;
    out.reason = loop.reason;
    out.precise = loop.precise;
    out.samples = loop.samples;
    out.contaminated = sampler.log().disturbed();
    std::vector<std::string> busy = {sampler.log().text()};
    for (const auto &base : sampler.bases())
        if (std::find(busy.begin(), busy.end(), base.busy) == busy.end()) busy.push_back(base.busy);
    out.busy = with_semicolons(busy);
    const auto windows = static_cast<double>(out.windows);
    for (std::size_t k = 0; k < sampler.meters(); ++k) {
        EnergyEstimate estimate;
        estimate.joules = loop.estimates[k].value;
        estimate.scatter = scatter_of(loop, k, sampler.meters());
        estimate.seconds = sampler.sums().seconds[k] / windows;
        estimate.total_joules = sampler.sums().joules[k] / windows;
        estimate.base = sampler.bases()[k];
        const double of_windows = loop.estimates[k].high - loop.estimates[k].value;
        const double of_base = half_width_of(estimate.base, rule.confidence) * estimate.seconds;
        const double half = std::hypot(of_windows, of_base);
        estimate.base_half_width = of_base;
        estimate.low = estimate.joules - half;
        estimate.high = estimate.joules + half;
        if (!estimate.is_precise(rule.precision)) out.precise = false;
        out.estimates.push_back(estimate);
    }
    return out;
}

template <typename TextOf> std::string each_once(const Team &team, const TextOf &text_of)
{
    std::string out;
    std::vector<std::string> seen;
    for (const auto *meter : team.meters()) {
        auto next = text_of(*meter);
        if (std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
        out += (out.empty() ? "" : ", ") + next;
        seen.push_back(std::move(next));
    }
    return out;
}

} // namespace

EnergySettings EnergySettings::from(const Options &options)
{
    EnergySettings settings;
    settings.rule = StopRule::from(options);
    settings.rule.statistic = Statistic::mean;
    settings.rule.sees_steps = false; // a window's energy is a quotient
    settings.rule.keeps_time = true;
    settings.rule.precision = options.get_double("energy_precision");
    settings.warmup = options.get_int("warmup");
    settings.base_power = options.find_double("base_power");
    settings.base_seconds = options.find_double("base_seconds");
    return settings;
}

double EnergyEstimate::standard_error() const
{
    return std::sqrt(square(scatter) + square(base.standard_error * seconds));
}

void require_meters(const Team &team)
{
    if (team.node_meter() != nullptr) return;
    for (std::size_t i = 0; i < team.count(); ++i)
        if (team.member(i).meter == nullptr)
            fail_argument("energy is asked for, but processor ", in_quotes(team.member(i).name),
                          " has no meter; hpart_team_set_meter attaches one to the whole node (-1), or one to each "
                          "processor");
}

std::vector<BasePower> base_powers(const Team &team, const EnergySettings &settings, const Poll &poll)
{
    if (settings.base_power && team.node_meter() == nullptr)
        fail_option("base_power", " is ", *settings.base_power,
                    ", but each processor has its own meter; open those with base powers of their own");
    std::vector<BasePower> bases;
    for (auto *meter : team.meters()) {
        const auto known = meter->base_power();
        if (settings.base_power)
            bases.push_back({*settings.base_power, 0});
        else if (known)
            bases.push_back(*known);
        else if (meter->traits().method == Method::estimated)
            bases.push_back({0, 0}); // an estimate has no idle power, only hpart's own work
        else if (!meter->traits().real_time)
            fail_argument("meter ", meter->traits().name,
                          " plays a recording in which the machine is never idle; give a base power");
        else {
            poll.check();
            wait_for_rest();
            bases.push_back(
                meter->measure_base_power(base_power_seconds(meter->traits(), settings), [&] { poll.check(); }));
        }
    }
    return bases;
}

double half_width_of(const BasePower &base, double confidence)
{
    return t_quantile((1 + confidence) / 2, base_power_degrees) * base.standard_error;
}

EnergyMeasurement measure_energy(const Team &team, std::vector<Slice> slices, const EnergySettings &settings,
                                 std::span<const BasePower> bases, const Poll &poll)
{
    TeamRun run(team, std::move(slices));
    if (run.active().empty()) return {};
    std::vector<Meter *> meters;
    std::vector<BasePower> bases_of_run;
    for (const auto k : meters_of_run(team, run)) {
        meters.push_back(team.meters()[k]);
        bases_of_run.push_back(bases[k]);
    }
    for (std::int64_t k = 0; k < settings.warmup; ++k) run.repeat(poll);
    if (least_window(meters) > 0) wait_for_rest();
    WindowSampler sampler(run, std::move(meters), std::move(bases_of_run), poll);
    const auto start = Clock::now();
    const auto loop = mean_using_t_test(
        settings.rule, sampler.meters(), [&](std::span<double> joules) { sampler.take(joules); },
        [&] { return seconds_since(start); });
    return with_base_errors(loop, sampler, settings.rule);
}

std::string energy_method(const Team &team)
{
    return each_once(team, [](const Meter &meter) { return std::string(method_name(meter.traits().method)); });
}

std::string energy_meter(const Team &team)
{
    return each_once(team, [](const Meter &meter) { return meter.traits().name; });
}

void add_energy(Report &report, const Team &team, const EnergyMeasurement &measurement,
                std::span<const std::size_t> active)
{
    const auto &estimates = measurement.estimates;
    const bool of_node = team.node_meter() != nullptr;
    const auto set = [&](std::string_view key, const auto &quantity) {
        if (of_node) {
            report.set(key, estimates.empty() ? 0 : quantity(estimates.front()));
            return;
        }
        std::vector<double> values(team.count(), 0);
        for (std::size_t a = 0; a < estimates.size(); ++a) values[active[a]] = quantity(estimates[a]);
        report.set(key, std::move(values));
    };
    set("energy_interval_low", [](const EnergyEstimate &of) { return of.low; });
    set("energy_interval_high", [](const EnergyEstimate &of) { return of.high; });
    set("energy_error", [](const EnergyEstimate &of) { return of.standard_error(); });
    set("energy_total", [](const EnergyEstimate &of) { return of.total_joules; });
    set("base_power", [](const EnergyEstimate &of) { return of.base.watts; });
    set("base_power_error", [](const EnergyEstimate &of) { return of.base.standard_error; });
    report.set("energy_windows", measurement.windows);
    report.set("energy_repetitions", measurement.repetitions);
    report.set("energy_samples", measurement.samples);
    report.set("energy_stop_reason", std::string(stop_reason_name(measurement.reason)));
    report.set("energy_precision_reached", std::int64_t{measurement.precise ? 1 : 0});
    report.set("energy_contaminated", measurement.contaminated);
    report.set("energy_busy", measurement.busy);
    report.set("energy_method", energy_method(team));
    report.set("energy_meter", energy_meter(team));
}

} // namespace hpart
