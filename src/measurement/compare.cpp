// The ratio of two means, of pairs (y, z) from the same round: Fieller's interval, all R for which the mean of y - R z may be 0 by
// Student's t. It is exact for normal noise, and what a round's runs have in common cancels out.
// Repeated looks: stopping as soon as a plain 95 % interval leaves out 1 would find a difference where there is none far too often.
// Look j has the share 1 / (j (j + 1)) of the whole 5 %: they sum to 1, so that in 95 % no look is wrong. The numbers of rounds
// between looks grow, which keeps the looks few.
// With medians: the median of the rounds' ratios, between two order statistics with the same shares: right for any distribution of the ratios.
// Source: E. C. Fieller, Some problems in interval estimation, J. R. Stat. Soc. B 16 (1954) 175-185.
#include "measurement/compare.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "measurement/application.hpp"
#include "measurement/distributions.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

namespace hpart
{

namespace
{

double ratio_of_values(double value, double first) { return value == first ? 1 : value / first; }

// Means, and sums of squares and products of the deviations from them, of a growing number of rounds.
class Moments
{
  public:
    // confidence: of the intervals of equal values; 0: these have no width.
    Moments(std::size_t distributions, double confidence)
        : confidence_(confidence), means_(distributions, 0), squares_(distributions, 0), products_(distributions, 0),
          deviations_(distributions)
    {
    }

    void add(std::span<const double> round)
    {
        ++count_;
        for (std::size_t d = 0; d < means_.size(); ++d) {
            deviations_[d] = round[d] - means_[d];
            means_[d] += deviations_[d] / static_cast<double>(count_);
        }
        for (std::size_t d = 0; d < means_.size(); ++d) {
            squares_[d] += deviations_[d] * (round[d] - means_[d]);
            products_[d] += deviations_[0] * (round[d] - means_[d]);
        }
    }

    void set_printed_step(std::optional<double> step) { printed_step_ = step; }
    std::int64_t count() const { return count_; }
    bool is_zero(std::size_t d) const { return means_[d] == 0 && squares_[d] == 0; }
    double mean(std::size_t d) const { return means_[d]; }
    double half_width(std::size_t d, double quantile) const
    {
        return quantile * std::sqrt(squares(d, quantile) * scale());
    }

    // The half-width of equal values.
    double half_width_of_equals(double value) const
    {
        return confidence_ == 0 ? 0 : half_width_of_equal(value, count_, confidence_, printed_step_);
    }

    Ratio ratio(std::size_t d, double quantile) const
    {
        if (d == 0) return {};
        const double q = quantile * quantile * scale();
        const double a = means_[0] * means_[0] - q * squares(0, quantile);
        const double b = means_[0] * means_[d] - q * products_[d];
        const double c = means_[d] * means_[d] - q * squares(d, quantile);
        const double value = ratio_of_values(means_[d], means_[0]);
        // The first may be 0, and an energy below: any ratio is possible.
        if (!(a > 0 && means_[0] > 0)) return {value, 0, std::numeric_limits<double>::infinity()};
        const double root = std::sqrt(std::max(0.0, b * b - a * c));
        return {value, std::min(value, std::max(0.0, (b - root) / a)), std::max(value, (b + root) / a)};
    }

  private:
    // Turns a sum of squares into the variance of a mean.
    double scale() const { return 1 / (static_cast<double>(count_ - 1) * static_cast<double>(count_)); }

    // Equal values may have a coarse step: as large as half_width_of_equal() needs it.
    double squares(std::size_t d, double quantile) const
    {
        if (squares_[d] > 0) return squares_[d];
        const double half = half_width_of_equals(means_[d]) / quantile;
        return half * half / scale();
    }

    double confidence_;
    std::optional<double> printed_step_;
    std::int64_t count_ = 0;
    std::vector<double> means_, squares_, products_, deviations_;
};

// The probability below the upper end of the interval at look 1, 2, ...
double probability_at(const StopRule &rule, std::int64_t look)
{
    const double miss = 1 - rule.confidence;
    const auto j = static_cast<double>(look);
    switch (rule.interval) {
    case IntervalKind::two_sided: return 1 - miss / (2 * j * (j + 1));
    case IntervalKind::plain: return 1 - miss / 2;
    case IntervalKind::one_sided: break;
    }
    return rule.confidence;
}

double quantile_at(const StopRule &rule, std::int64_t look, std::int64_t rounds)
{
    return t_quantile(probability_at(rule, look), rounds - 1);
}

class Comparer
{
  public:
    Comparer(const StopRule &rule, std::size_t distributions)
        : rule_(rule),
          moments_(distributions, rule.interval == IntervalKind::two_sided && rule.sees_steps ? rule.confidence : 0),
          order_(distributions)
    {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    Comparison run(const Turn &turn, const ElapsedSeconds &elapsed, const MeanReport &report)
    {
        const double start = elapsed();
        auto next_look = std::max<std::int64_t>(2, rule_.min_repetitions);
        for (;;) {
            if (const auto end = do_round(turn)) {
                if (!look() || *end == CompareEnd::cancelled) out_.end = *end;
                break;
            }
            if (report) report(so_far());
            const bool is_last = moments_.count() >= rule_.max_repetitions;
            const bool time_is_up = elapsed() - start >= rule_.max_seconds;
            const bool may_stop = moments_.count() >= 2 && (is_last || time_is_up);
            if (moments_.count() < next_look && !may_stop) continue;
            next_look = std::max(next_look + 1, next_look + next_look / 2);
            if (look()) break;
            out_.end = is_last ? CompareEnd::max_repetitions : CompareEnd::max_seconds;
            if (may_stop) break;
        }
        finish();
        return std::move(out_);
    }

  private:
    // The end of all, if a limit or the caller stopped the round: those before it are the result.
    std::optional<CompareEnd> do_round(const Turn &turn)
    {
        for (std::size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[generator_() % k]);
        out_.samples.resize(out_.samples.size() + order_.size());
        const auto round = std::span(out_.samples).last(order_.size());
        try {
            for (const auto d : order_) round[d] = turn(d);
        } catch (const Error &error) {
            const bool is_stopped = error.status() == Status::cancelled && rule_.keeps_cancelled;
            if (!(is_stopped || error.status() == Status::limit) || moments_.count() < 2) throw;
            out_.samples.resize(out_.samples.size() - order_.size());
            return is_stopped ? CompareEnd::cancelled : CompareEnd::max_seconds;
        }
        moments_.add(round);
        return std::nullopt;
    }

    // The interval has the quantile of the last look.
    MeanSoFar so_far() const
    {
        const bool is_known = looks_ > 0 && moments_.count() > 1;
        return {moments_.mean(0),
                is_known ? moments_.half_width(0, quantile_) : std::numeric_limits<double>::quiet_NaN(),
                moments_.count(), static_cast<double>(moments_.count()) / static_cast<double>(rule_.max_repetitions)};
    }

    // True if the requested precision is reached, or all ratios are distinguishable.
    bool look()
    {
        if (rule_.printed_step) moments_.set_printed_step(rule_.printed_step(0));
        quantile_ = quantile_at(rule_, ++looks_, moments_.count());
        left_out_ = MedianRanks(probability_at(rule_, looks_)).left_out(moments_.count());
        bool all_distinguishable = order_.size() > 1;
        bool all_settled = order_.size() > 1 || is_first_precise();
        for (std::size_t d = 1; d < order_.size(); ++d) {
            const auto ratio = ratio_of(d);
            const bool is_precise =
                std::isfinite(ratio.high) && ratio.high - ratio.low <= 2 * rule_.precision * ratio.value;
            // More rounds show no more of times of 0.
            const bool is_final = is_precise || (moments_.is_zero(0) && moments_.is_zero(d));
            all_distinguishable = all_distinguishable && ratio.is_distinguishable();
            all_settled = all_settled && (ratio.is_distinguishable() || is_final);
        }
        out_.end = all_distinguishable ? CompareEnd::distinguishable : CompareEnd::precision;
        return all_settled;
    }

    void finish()
    {
        out_.repetitions = moments_.count();
        for (std::size_t d = 0; d < order_.size(); ++d) {
            const double mean = moments_.mean(d), half = moments_.half_width(d, quantile_);
            auto values = samples_of(d);
            const double least = *std::min_element(values.begin(), values.end());
            const auto of_median = interval_of_median(values);
            if (is_of_medians())
                out_.estimates.push_back(
                    {of_median.value, of_median.low, of_median.high, mean, of_median.value, least});
            else
                out_.estimates.push_back({mean, mean - half, mean + half, mean, of_median.value, least});
            out_.ratios.push_back(ratio_of(d));
            if (out_.estimates[d].value < out_.estimates[out_.best].value) out_.best = d;
        }
    }

    bool is_of_medians() const { return rule_.statistic == Statistic::median; }

    bool is_first_precise() const
    {
        if (!is_of_medians()) return moments_.half_width(0, quantile_) <= rule_.precision * moments_.mean(0);
        const auto [value, low, high] = interval_of_median(samples_of(0));
        return std::max(high - value, value - low) <= rule_.precision * value;
    }

    std::vector<double> samples_of(std::size_t d) const
    {
        std::vector<double> values;
        for (auto k = d; k < out_.samples.size(); k += order_.size()) values.push_back(out_.samples[k]);
        return values;
    }

    // Between two order statistics; from 0 to infinity where there are too few.
    Ratio median_of(std::vector<double> values) const
    {
        Ratio out{median(values), 0, std::numeric_limits<double>::infinity()};
        if (left_out_ < 0) return out;
        std::sort(values.begin(), values.end());
        out.low = values[static_cast<std::size_t>(left_out_)];
        out.high = values[values.size() - 1 - static_cast<std::size_t>(left_out_)];
        return out;
    }

    Ratio interval_of_median(std::vector<double> values) const
    {
        auto out = median_of(std::move(values));
        if (out.low != out.high) return out;
        const double half = moments_.half_width_of_equals(out.value);
        return {out.value, out.low - half, out.high + half};
    }

    // The ratio of the means, or the median of the rounds' ratios.
    Ratio ratio_of(std::size_t d) const
    {
        if (d == 0) return {};
        if (!is_of_medians()) return moments_.ratio(d, quantile_);
        const auto first = samples_of(0);
        auto values = samples_of(d);
        const double before = median_of(first).value, after = median_of(values).value;
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = ratio_of_values(values[k], first[k]);
        // A round whose first is 0, or an energy below, may have any ratio.
        auto lows = values, highs = values;
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (first[k] > 0) continue;
            lows[k] = 0;
            highs[k] = std::numeric_limits<double>::infinity();
        }
        Ratio out{median(values), median_of(std::move(lows)).low, median_of(std::move(highs)).high};
        if (out.low != out.high) return out;
        // Equal ratios may be of values with a coarse step.
        const double of_first = moments_.half_width_of_equals(before), of_this = moments_.half_width_of_equals(after);
        out.low = std::min(out.low, std::max(0.0, (after - of_this) / (before + of_first)));
        out.high = before > of_first ? std::max(out.high, (after + of_this) / (before - of_first))
                                     : std::numeric_limits<double>::infinity();
        return out;
    }

    const StopRule &rule_;
    Moments moments_;
    std::vector<std::size_t> order_;
    std::mt19937_64 generator_; // the same orders each time
    std::int64_t looks_ = 0;
    double quantile_ = 0;
    std::int64_t left_out_ = -1; // order statistics beyond the interval of a median, at each end
    Comparison out_;
};

} // namespace

std::string_view compare_end_name(CompareEnd end)
{
    switch (end) {
    case CompareEnd::distinguishable: return "distinguishable";
    case CompareEnd::precision: return "precision";
    case CompareEnd::max_repetitions: return "max_repetitions";
    case CompareEnd::max_seconds: return "max_seconds";
    case CompareEnd::cancelled: return "cancelled";
    }
    return "unknown";
}

Comparison compare(const StopRule &rule, std::size_t distributions, const Turn &turn, const ElapsedSeconds &elapsed,
                   const MeanReport &report)
{
    return Comparer(rule, distributions).run(turn, elapsed, report);
}

Comparison compare(const Team &team, const std::vector<std::vector<Slice>> &slices, const CompareSettings &settings,
                   const Poll &poll)
{
    const auto &rule = settings.rule;
    const bool simultaneous = settings.simultaneous;
    const bool has_one_by_one = !simultaneous && team.application() == nullptr;
    std::vector<std::string> broken(slices.size());
    std::vector<double> busy(slices.size(), 0), makespans = busy;
    const auto start = Clock::now();
    double fraction = 0;
    std::string what = "comparing distributions";
    const Poll of_run([&] {
        const double of_time = rule.max_seconds > 0 ? seconds_since(start) / rule.max_seconds : 0;
        poll.check(std::clamp(of_time, fraction, 1.0), what);
    });
    std::int64_t runs = 0, disturbed = 0;
    std::string who;
    const auto seconds_of_run = [&](std::size_t d, const std::vector<Slice> &together) {
        const auto earlier = thread_ids();
        TeamRun run(team, together);
        for (std::int64_t k = 0; k < settings.warmup; ++k) run.repeat(of_run);
        const BindingWatch watch(team, run);
        const auto counters = settings.counters ? settings.counters(team, run, earlier) : nullptr;
        std::optional<DisturbanceWatch> disturbances;
        if (counters) disturbances.emplace(*counters, rule.precision, longest(run.spans()));
        run.repeat(of_run);
        ++runs;
        if (disturbances && disturbances->after_repetition(longest(run.spans())) + disturbances->finish() > 0) {
            ++disturbed;
            who = disturbances->who();
        }
        const auto found = watch.broken();
        const bool adds = !simultaneous && !(team.application() != nullptr && team.application()->gave_one_time());
        double seconds = 0;
        for (std::size_t a = 0; a < found.size(); ++a) {
            const double of_one = run.spans()[a].seconds();
            seconds = adds ? seconds + of_one : std::max(seconds, of_one);
            busy[d] += of_one;
            if (broken[d].empty() && !found[a].empty())
                broken[d] = text("processor ", in_quotes(team.member(run.active()[a]).name), " ", found[a]);
        }
        return seconds;
    };
    const auto turn = [&](std::size_t d) {
        double seconds = 0;
        if (has_one_by_one) {
            for (std::size_t i = 0; i < team.count(); ++i) {
                if (slices[d][i].rows == 0) continue;
                std::vector<Slice> alone(team.count());
                alone[i] = slices[d][i];
                seconds += seconds_of_run(d, alone);
            }
        } else {
            seconds = seconds_of_run(d, slices[d]);
        }
        makespans[d] += seconds;
        return seconds;
    };
    auto of_team = rule;
    of_team.printed_step = [&](std::size_t) { return team.printed_step(); };
    const auto keep = [&](const MeanSoFar &now) {
        fraction = std::min(now.fraction, 1.0);
        what = text(brief_seconds(now.seconds, now.half_width), " after ", pluralise(now.repetitions, "round"));
    };
    auto comparison = compare(
        of_team, slices.size(), turn, [&] { return seconds_since(start); }, keep);
    comparison.contaminated = disturbed;
    if (3 * disturbed > runs) comparison.busy = text(disturbed, " of ", runs, " runs were disturbed: ", who);
    for (auto &estimate : comparison.estimates) estimate.low = std::max(estimate.low, 0.0); // no time is below 0
    for (std::size_t d = 0; d < slices.size(); ++d)
        comparison.utilisation.push_back(makespans[d] > 0 ? busy[d] / (static_cast<double>(team.count()) * makespans[d])
                                                          : 0);
    comparison.broken = std::move(broken);
    return comparison;
}

} // namespace hpart
