// The ratio of two means, of pairs (y, z) from the same round: Fieller's interval, all R for which the mean of y - R z may be 0 by
// Student's t. It is exact for normal noise, and what a round's runs have in common cancels out.
// Repeated looks: stopping as soon as a plain 95 % interval leaves out 1 would find a difference where there is none far too often.
// Look j has the share 1 / (j (j + 1)) of the whole 5 %: they sum to 1, so that in 95 % no look is wrong. The numbers of rounds
// between looks grow, which keeps the looks few.
// Source: E. C. Fieller, Some problems in interval estimation, J. R. Stat. Soc. B 16 (1954) 175-185.
#include "measurement/compare.hpp"

#include "core/error.hpp"
#include "measurement/application.hpp"
#include "measurement/binding.hpp"
#include "measurement/distributions.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace hpart
{

namespace
{

// Means, and sums of squares and products of the deviations from them, of a growing number of rounds.
class Moments
{
  public:
    explicit Moments(std::size_t distributions)
        : means_(distributions, 0), squares_(distributions, 0), products_(distributions, 0), deviations_(distributions)
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

    std::int64_t count() const { return count_; }
    double mean(std::size_t d) const { return means_[d]; }
    double half_width(std::size_t d, double quantile) const { return quantile * std::sqrt(squares_[d] * scale()); }

    Ratio ratio(std::size_t d, double quantile) const
    {
        if (d == 0) return {};
        if (means_[0] == 0 && means_[d] == 0 && squares_[0] == 0 && squares_[d] == 0) return {}; // all took no time
        const double q = quantile * quantile * scale();
        const double a = means_[0] * means_[0] - q * squares_[0];
        const double b = means_[0] * means_[d] - q * products_[d];
        const double c = means_[d] * means_[d] - q * squares_[d];
        const double value = means_[d] / means_[0];
        // The first may be 0, and an energy below: any ratio is possible.
        if (!(a > 0 && means_[0] > 0)) return {value, 0, std::numeric_limits<double>::infinity()};
        const double root = std::sqrt(std::max(0.0, b * b - a * c));
        return {value, std::min(value, std::max(0.0, (b - root) / a)), std::max(value, (b + root) / a)};
    }

  private:
    // Turns a sum of squares into the variance of a mean.
    double scale() const { return 1 / (static_cast<double>(count_ - 1) * static_cast<double>(count_)); }

    std::int64_t count_ = 0;
    std::vector<double> means_, squares_, products_, deviations_;
};

// The quantile of the interval at look 1, 2, ...
double quantile_at(const StopRule &rule, std::int64_t look, std::int64_t rounds)
{
    const double miss = 1 - rule.confidence;
    const auto j = static_cast<double>(look);
    switch (rule.interval) {
    case IntervalKind::two_sided: return t_quantile(1 - miss / (2 * j * (j + 1)), rounds - 1);
    case IntervalKind::plain: return t_quantile(1 - miss / 2, rounds - 1);
    case IntervalKind::one_sided: break;
    }
    return t_quantile(rule.confidence, rounds - 1);
}

class Comparer
{
  public:
    Comparer(const StopRule &rule, std::size_t distributions)
        : rule_(rule), moments_(distributions), order_(distributions)
    {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    Comparison run(const Turn &turn, const ElapsedSeconds &elapsed)
    {
        const double start = elapsed();
        auto next_look = std::max<std::int64_t>(2, rule_.min_repetitions);
        for (;;) {
            if (!do_round(turn)) {
                if (!look()) out_.end = CompareEnd::max_seconds;
                break;
            }
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
    // False if a limit ended the round: those before it are the result.
    bool do_round(const Turn &turn)
    {
        for (std::size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[generator_() % k]);
        out_.samples.resize(out_.samples.size() + order_.size());
        const auto round = std::span(out_.samples).last(order_.size());
        try {
            for (const auto d : order_) round[d] = turn(d);
        } catch (const Error &error) {
            if (error.status() != Status::limit || moments_.count() < 2) throw;
            out_.samples.resize(out_.samples.size() - order_.size());
            return false;
        }
        moments_.add(round);
        return true;
    }

    // True if the requested precision is reached, or all ratios are distinguishable.
    bool look()
    {
        quantile_ = quantile_at(rule_, ++looks_, moments_.count());
        bool all_distinguishable = order_.size() > 1;
        bool all_settled = moments_.half_width(0, quantile_) <= rule_.precision * moments_.mean(0) || order_.size() > 1;
        for (std::size_t d = 1; d < order_.size(); ++d) {
            const auto ratio = moments_.ratio(d, quantile_);
            const bool is_precise =
                std::isfinite(ratio.high) && ratio.high - ratio.low <= 2 * rule_.precision * ratio.value;
            all_distinguishable = all_distinguishable && ratio.is_distinguishable();
            all_settled = all_settled && (ratio.is_distinguishable() || is_precise);
        }
        out_.end = all_distinguishable ? CompareEnd::distinguishable : CompareEnd::precision;
        return all_settled;
    }

    void finish()
    {
        out_.repetitions = moments_.count();
        for (std::size_t d = 0; d < order_.size(); ++d) {
            const double mean = moments_.mean(d), half = moments_.half_width(d, quantile_);
            std::vector<double> values;
            for (auto k = d; k < out_.samples.size(); k += order_.size()) values.push_back(out_.samples[k]);
            const double least = *std::min_element(values.begin(), values.end());
            out_.estimates.push_back({mean, mean - half, mean + half, mean, median(values), least});
            out_.ratios.push_back(moments_.ratio(d, quantile_));
            if (mean < out_.estimates[out_.best].mean) out_.best = d;
        }
    }

    const StopRule &rule_;
    Moments moments_;
    std::vector<std::size_t> order_;
    std::mt19937_64 generator_; // the same orders each time
    std::int64_t looks_ = 0;
    double quantile_ = 0;
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
    }
    return "unknown";
}

Comparison compare(const StopRule &rule, std::size_t distributions, const Turn &turn, const ElapsedSeconds &elapsed)
{
    return Comparer(rule, distributions).run(turn, elapsed);
}

Comparison compare(const Team &team, const std::vector<std::vector<Slice>> &slices, const StopRule &rule,
                   std::int64_t warmup, bool simultaneous, const std::function<void()> &before_turn)
{
    const bool has_one_by_one = !simultaneous && team.application() == nullptr;
    std::vector<std::string> broken(slices.size());
    std::vector<double> busy(slices.size(), 0), makespans = busy;
    const auto seconds_of_run = [&](std::size_t d, const std::vector<Slice> &together) {
        before_turn();
        TeamRun run(team, together);
        for (std::int64_t k = 0; k < warmup; ++k) run.repeat(before_turn);
        const BindingWatch watch(team, run);
        run.repeat(before_turn);
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
    const auto start = Clock::now();
    auto comparison = compare(rule, slices.size(), turn, [&] { return seconds_since(start); });
    for (auto &estimate : comparison.estimates) estimate.low = std::max(estimate.low, 0.0); // no time is below 0
    for (std::size_t d = 0; d < slices.size(); ++d)
        comparison.utilisation.push_back(makespans[d] > 0 ? busy[d] / (static_cast<double>(team.count()) * makespans[d])
                                                          : 0);
    comparison.broken = std::move(broken);
    return comparison;
}

} // namespace hpart
