#include "measurement/estimator.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "measurement/distributions.hpp"
#include "measurement/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hpart
{

// Source: Khaleghzadeh's thesis of 2019, Algorithms 11 (MeanUsingTtest) and 12 (CalAccuracy). As printed its 95 % interval
// is a two-sided one of 90 % (the quantile is one-sided), the floor of repetitions is off by one, and the time limit leaves
// out the gaps between runs; here the interval can be chosen and the others are as their text means them.

namespace
{

// An interval needs two samples.
constexpr std::int64_t fewest_repetitions = 2;
constexpr double seconds_between_reports = 0.05;

bool all_precise(std::span<Estimator> estimators, double precision)
{
    return std::all_of(estimators.begin(), estimators.end(),
                       [&](Estimator &estimator) { return estimator.is_precise(precision); });
}

class Loop
{
  public:
    Loop(const StopRule &rule, std::size_t processors, const ElapsedSeconds &elapsed, DisturbanceWatch *watch)
        : rule_(rule), processors_(processors), elapsed_(elapsed), watch_(watch)
    {
        begin_estimators();
    }
    Measurement run(const Sampler &sample, const MeanReport &report);

  private:
    enum class State : std::uint8_t { clean, kept, dropped }; // the last two were disturbed

    void begin_estimators()
    {
        estimators_.assign(processors_, {rule_.statistic, rule_.interval, rule_.confidence, rule_.sees_steps});
    }
    // False if the caller stopped the repetition, and those before it are the result.
    bool take(const Sampler &sample);
    void note_time();
    // Returns true if it drops samples that had been added.
    bool judge(std::int64_t newest, bool is_newest_added);
    void estimate_anew();
    void finish();
    MeanSoFar so_far();

    const StopRule &rule_;
    std::size_t processors_;
    const ElapsedSeconds &elapsed_;
    double start_ = elapsed_(), now_ = start_, longest_ = 0; // repetition
    DisturbanceWatch *watch_;
    std::vector<Estimator> estimators_;
    std::vector<double> samples_; // of all repetitions, dropped ones too
    std::vector<State> states_;
    std::int64_t dropped_ = 0;
    bool time_is_up_ = false, may_repeat_ = true; // the time left has room for one repetition more
    Measurement out_;
};

bool Loop::take(const Sampler &sample)
{
    samples_.resize(samples_.size() + processors_);
    const auto newest = std::span(samples_).last(processors_);
    try {
        sample(newest);
    } catch (const Error &error) {
        // The end of a budget, as in a comparison, or a caller who stops the call.
        const bool is_stopped = error.status() == Status::cancelled && rule_.keeps_cancelled;
        if (!(is_stopped || error.status() == Status::limit) || out_.repetitions < fewest_repetitions) throw;
        samples_.resize(samples_.size() - processors_);
        out_.reason = is_stopped ? StopReason::cancelled : StopReason::max_seconds;
        out_.precise = false;
        return false;
    }
    states_.push_back(State::clean);
    note_time();
    if (watch_ != nullptr && judge(watch_->after_repetition(*std::max_element(newest.begin(), newest.end())), false)) {
        estimate_anew();
        return true;
    }
    if (states_.back() == State::dropped) return true;
    for (std::size_t i = 0; i < processors_; ++i) estimators_[i].add(newest[i]);
    ++out_.repetitions;
    return true;
}

void Loop::note_time()
{
    const double now = elapsed_();
    longest_ = std::max(longest_, now - std::exchange(now_, now));
    may_repeat_ = now - start_ + longest_ < rule_.max_seconds;
    time_is_up_ = now - start_ + (rule_.keeps_time ? longest_ : 0) >= rule_.max_seconds;
}

bool Loop::judge(std::int64_t newest, bool is_newest_added)
{
    bool estimated = false;
    const auto all = static_cast<std::int64_t>(states_.size());
    for (auto r = states_.size() - static_cast<std::size_t>(newest); r < states_.size(); ++r) {
        if (states_[r] != State::clean) continue;
        ++out_.contaminated;
        states_[r] = State::kept;
        const bool is_a_third = 3 * (dropped_ + 1) > std::max(all, rule_.min_repetitions);
        if (!rule_.repeats_contaminated || !may_repeat_ || is_a_third) continue;
        states_[r] = State::dropped;
        ++dropped_;
        if (r + 1 < states_.size() || is_newest_added) estimated = true;
    }
    return estimated;
}

void Loop::estimate_anew()
{
    begin_estimators();
    out_.repetitions = 0;
    for (std::size_t r = 0; r < states_.size(); ++r) {
        if (states_[r] == State::dropped) continue;
        for (std::size_t i = 0; i < processors_; ++i) estimators_[i].add(samples_[r * processors_ + i]);
        ++out_.repetitions;
    }
}

// A width that is w times too large needs w^2 times the repetitions.
MeanSoFar Loop::so_far()
{
    MeanSoFar out{0, 0, out_.repetitions, 1};
    for (auto &estimator : estimators_) {
        const auto [value, half] = estimator.spread();
        if (value >= out.seconds) out = {value, half, out.repetitions, out.fraction};
        const double ratio = rule_.precision * value / half;
        if (ratio < 1) out.fraction = std::min(out.fraction, ratio * ratio);
    }
    out.fraction = std::min(out.fraction, static_cast<double>(out_.repetitions) /
                                              static_cast<double>(std::max<std::int64_t>(rule_.min_repetitions, 1)));
    return out;
}

Measurement Loop::run(const Sampler &sample, const MeanReport &report)
{
    double reported = start_;
    while (take(sample)) {
        if (out_.repetitions < fewest_repetitions) {
            if (!rule_.keeps_time || !time_is_up_) continue;
            out_.reason = StopReason::max_seconds;
            out_.precise = false;
            break;
        }
        for (std::size_t i = 0; rule_.printed_step && i < processors_; ++i)
            estimators_[i].set_printed_step(rule_.printed_step(i));
        if (report && now_ - reported >= seconds_between_reports) {
            reported = now_;
            report(so_far());
        }
        out_.precise = out_.repetitions >= rule_.min_repetitions && all_precise(estimators_, rule_.precision);
        out_.reason = StopReason::precision;
        const bool is_enough = out_.precise || out_.repetitions >= rule_.max_repetitions;
        if (is_enough && watch_ != nullptr && judge(watch_->finish(), true)) {
            estimate_anew();
            continue;
        }
        if (out_.precise) break;
        out_.reason = StopReason::max_repetitions;
        if (out_.repetitions >= rule_.max_repetitions) break;
        out_.reason = StopReason::max_seconds;
        if (time_is_up_) break;
    }
    finish();
    return std::move(out_);
}

void Loop::finish()
{
    for (std::size_t r = 0; r < states_.size(); ++r)
        if (states_[r] != State::dropped)
            out_.samples.insert(out_.samples.end(), samples_.begin() + static_cast<std::ptrdiff_t>(r * processors_),
                                samples_.begin() + static_cast<std::ptrdiff_t>((r + 1) * processors_));
    for (std::size_t i = 0; i < processors_; ++i) {
        out_.estimates.push_back(estimators_[i].estimate(out_.samples_of(i)));
        if (out_.estimates.back().value == 0) out_.precise = false; // less than a clock shows may be anything
    }
    const auto all = static_cast<std::int64_t>(states_.size());
    if (out_.contaminated > std::max(dropped_, all / 3))
        out_.busy = text(out_.contaminated, " of ", all, " repetitions were disturbed: ", watch_->who());
}

} // namespace

StopRule StopRule::from(const Options &options, std::uint32_t call)
{
    StopRule rule;
    rule.repeats_contaminated = options.get_text("contaminated") == "repeated";
    rule.statistic = statistic_named(options.get_text("statistic"));
    rule.interval = interval_named(options.get_text("ttest"));
    rule.confidence = options.get_double("confidence", call);
    rule.precision = options.get_double("precision", call);
    rule.min_repetitions = options.get_int("min_repetitions", call);
    rule.max_repetitions = options.get_int("max_repetitions", call);
    rule.max_seconds = options.get_double("max_seconds", call);
    if (!options.is_set("min_repetitions")) rule.min_repetitions = std::min(rule.min_repetitions, rule.max_repetitions);
    if (rule.min_repetitions > rule.max_repetitions)
        fail_option("min_repetitions", " is ", rule.min_repetitions, ", more than 'max_repetitions', ",
                    rule.max_repetitions);
    rule.by_size = parse_repetitions(options.get_text("repetitions"));
    t_quantile(rule.confidence, 1);
    return rule;
}

StopRule StopRule::of_size(std::int64_t size) const
{
    auto rule = *this;
    for (const auto &limits : by_size)
        if (limits.smallest <= size && size <= limits.largest) {
            rule.min_repetitions = limits.min_repetitions;
            rule.max_repetitions = limits.max_repetitions;
        }
    return rule;
}

std::vector<RepetitionLimits> parse_repetitions(std::string_view option)
{
    std::vector<RepetitionLimits> out;
    const auto refuse = [&](const auto &...reason) {
        fail_option("repetitions", " is ", in_quotes(option), "; ", reason...);
    };
    // "5-50"; with no second number, `open`.
    const auto range = [&](std::string_view part, std::int64_t open) -> std::pair<std::int64_t, std::int64_t> {
        const auto dash = part.find('-');
        const auto last = dash == std::string_view::npos ? std::string_view() : part.substr(dash + 1);
        const auto low = parse_int(part.substr(0, dash)), high = last.empty() ? open : parse_int(last);
        if (dash == std::string_view::npos || !low || !high || *high < *low) return {0, 0};
        return {*low, *high};
    };
    for (auto rest = option; !rest.empty();) {
        const auto part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const auto colon = std::min(part.find(':'), part.size());
        const auto sizes = range(part.substr(0, colon), std::numeric_limits<std::int64_t>::max());
        const auto limits = range(part.substr(std::min(colon + 1, part.size())), 0);
        if (sizes.first < 1 || limits.first < fewest_repetitions)
            refuse(in_quotes(part),
                   " must be sizes and repetitions, as in 1-1000:50-500,1001-:3-10, with sizes of at least 1 and ",
                   fewest_repetitions, " repetitions or more");
        out.push_back({sizes.first, sizes.second, limits.first, limits.second});
    }
    std::sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.smallest < b.smallest; });
    for (std::size_t k = 1; k < out.size(); ++k)
        if (out[k].smallest <= out[k - 1].largest) refuse("size ", out[k].smallest, " is in two of its ranges");
    return out;
}

std::string describe(const StopRule &rule)
{
    const auto percent = [](double share) { return format_double(std::round(share * 1e8) / 1e6) + " %"; };
    const auto floor =
        rule.min_repetitions >= StopRule{}.min_repetitions
            ? ""
            : text("; with a floor of ", rule.min_repetitions, " repetitions it holds the truth less often");
    if (rule.statistic == Statistic::minimum)
        return text(
            "none: a minimum has no confidence interval; the second half of the repetitions lowered it by at most ",
            percent(rule.precision), " where 'precision_reached' is 1");
    const std::string of_median = rule.statistic == Statistic::median ? " of the median, by order statistics" : "";
    switch (rule.interval) {
    case IntervalKind::two_sided:
        return text("two-sided, ", percent(rule.confidence), of_median,
                    ", widened by 1.1 for the looks after every repetition, and where neighbours are correlated",
                    floor);
    case IntervalKind::plain:
        return text("two-sided, ", percent(rule.confidence), of_median,
                    ", less in truth for the looks after every repetition", floor);
    case IntervalKind::one_sided:
        return text("one-sided quantile at ", percent(rule.confidence), of_median,
                    ", as the papers have it: two-sided it is ", percent(2 * rule.confidence - 1),
                    ", less in truth for the looks after every repetition", floor);
    }
    return "unknown";
}

std::string_view stop_reason_name(StopReason reason)
{
    switch (reason) {
    case StopReason::precision: return "precision";
    case StopReason::max_repetitions: return "max_repetitions";
    case StopReason::max_seconds: return "max_seconds";
    case StopReason::max_total_seconds: return "max_total_seconds";
    case StopReason::cancelled: return "cancelled";
    }
    return "unknown";
}

std::vector<double> Measurement::samples_of(std::size_t processor) const
{
    std::vector<double> out(static_cast<std::size_t>(repetitions));
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = samples[r * (samples.size() / out.size()) + processor];
    return out;
}

Measurement mean_using_t_test(const StopRule &rule, std::size_t processors, const Sampler &sample,
                              const ElapsedSeconds &elapsed, DisturbanceWatch *watch, const MeanReport &report)
{
    if (processors == 0) return {};
    return Loop(rule, processors, elapsed, watch).run(sample, report);
}

Statistic statistic_named(std::string_view option)
{
    if (option == "median") return Statistic::median;
    return option == "minimum" ? Statistic::minimum : Statistic::mean;
}

std::string_view statistic_name(Statistic statistic)
{
    switch (statistic) {
    case Statistic::mean: return "mean";
    case Statistic::median: return "median";
    case Statistic::minimum: return "minimum";
    }
    return "unknown";
}

double statistic_of(Statistic statistic, std::span<const double> values)
{
    if (statistic == Statistic::minimum) return *std::min_element(values.begin(), values.end());
    if (statistic == Statistic::median) {
        std::vector<double> copy(values.begin(), values.end());
        return median(copy);
    }
    return mean_of(values).mean();
}

std::int64_t MedianRanks::left_out(std::int64_t count)
{
    const auto may_leave_out = [&](std::int64_t k) { return 2 * k < count && coin_p(k, count) <= tail_; };
    if (count == count_ + 1) {
        if (may_leave_out(left_out_ + 1)) ++left_out_; // one more sample leaves out at most one more
    } else {
        left_out_ = -1;
        for (std::int64_t too_many = count / 2 + 1; too_many - left_out_ > 1;) {
            const auto middle = left_out_ + (too_many - left_out_) / 2;
            (may_leave_out(middle) ? left_out_ : too_many) = middle;
        }
    }
    count_ = count;
    return left_out_;
}

Estimator::Estimator(Statistic statistic, IntervalKind interval, double confidence, bool sees_steps)
    : statistic_(statistic), sees_correlation_(interval == IntervalKind::two_sided),
      sees_steps_(sees_steps && sees_correlation_), confidence_(confidence), widening_(widening_of(interval)),
      half_width_(interval, confidence), ranks_(probability_of(interval, confidence))
{
}

void Estimator::add(double value)
{
    mean_.add(value);
    if (sees_correlation_) values_.push_back(value);
    if (statistic_ == Statistic::median) sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
    if (statistic_ == Statistic::minimum) minima_.push_back(minima_.empty() ? value : std::min(minima_.back(), value));
}

// The mean of n values whose neighbours have the correlation r has the variance of about n (1 - r) / (1 + r) independent ones. The r of a
// short series is low by about (1 + 3 r) / n (Kendall, Biometrika 1954).
double Estimator::widening_of_correlation()
{
    constexpr double significant = 0.05, highest = 0.9;
    if (values_.size() < std::max(fewest_to_test, next_look_)) return of_correlation_;
    next_look_ = values_.size() + values_.size() / 10 + 1;
    const auto [lag_1, p] = serial_correlation(values_);
    const auto n = static_cast<double>(values_.size());
    const double r = p < significant ? std::clamp((lag_1 + 1 / n) / (1 - 3 / n), 0.0, highest) : 0;
    return of_correlation_ = std::sqrt((1 + r) / (1 - r));
}

double Estimator::middle() const { return (sorted_[(sorted_.size() - 1) / 2] + sorted_[sorted_.size() / 2]) / 2; }

Estimator::Interval Estimator::median_interval()
{
    const auto left_out = ranks_.left_out(mean_.count());
    if (left_out < 0) return {unknown, unknown};
    const auto first = static_cast<std::size_t>(left_out);
    const double low = sorted_[first], high = sorted_[sorted_.size() - 1 - first];
    if (sees_steps_ && low == high) {
        const double half = half_width_of_equal(low, mean_.count(), confidence_, printed_step_);
        return {low - half, high + half};
    }
    const double widening = widening_ * of_correlation_;
    return {middle() - widening * (middle() - low), middle() + widening * (high - middle())};
}

double Estimator::mean_half_width()
{
    if (mean_.count() < 2) return unknown;
    if (sees_steps_ && mean_.standard_deviation() == 0)
        return half_width_of_equal(mean_.mean(), mean_.count(), confidence_, printed_step_);
    return half_width_.of(mean_) * widening_of_correlation();
}

bool Estimator::is_precise(double precision)
{
    switch (statistic_) {
    case Statistic::mean: {
        const double limit = precision * mean_.mean();
        if (mean_.mean() == 0 && mean_.standard_deviation() == 0) return true; // more repetitions show no more
        return half_width_.is_within(limit / of_correlation_, mean_) && mean_half_width() <= limit;
    }
    case Statistic::median: {
        const auto is_within = [&] {
            const auto [low, high] = median_interval();
            return std::max(high - middle(), middle() - low) <= precision * middle();
        };
        if (!is_within()) return false;
        widening_of_correlation();
        return is_within();
    }
    case Statistic::minimum: return minima_[(minima_.size() - 1) / 2] <= (1 + precision) * minima_.back();
    }
    return false;
}

Estimator::Spread Estimator::spread()
{
    switch (statistic_) {
    case Statistic::mean: return {mean_.mean(), mean_half_width()};
    case Statistic::median: {
        const auto [low, high] = median_interval();
        return {middle(), std::max(high - middle(), middle() - low)};
    }
    case Statistic::minimum: break;
    }
    return {minima_.back(), unknown};
}

Estimate Estimator::estimate(std::span<const double> values)
{
    next_look_ = 0;
    widening_of_correlation();
    const double middle_value = statistic_of(Statistic::median, values);
    const double least = statistic_of(Statistic::minimum, values);
    Estimate out{mean_.mean(), unknown, unknown, mean_.mean(), middle_value, least};
    if (statistic_ == Statistic::mean) {
        const double half = mean_half_width();
        out.low = out.value - half;
        out.high = out.value + half;
    } else if (statistic_ == Statistic::median) {
        const auto [low, high] = median_interval();
        out.value = middle_value;
        out.low = low;
        out.high = high;
    } else
        out.value = least;
    return out;
}

} // namespace hpart
