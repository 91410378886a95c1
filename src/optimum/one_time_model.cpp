// A run takes T = max_i t_i(x_i): no t_i(x_i) is above T, and one of them, unknown which, is T. The model is log t_i(s) = log(a_i + b_i s)
// + a normal error of each size, and beyond a cliff, if there is one, any time from 1.4 times that, or failure.
// Fit: expectation and maximisation. A size's bound is the least T of its runs. Expectation: the probability that a processor was the slowest
// of a run is proportional to its density at T over its distribution function, for the sizes whose bound is T; all other sizes are
// below their bounds. Maximisation: least squares of a and b over the expected times; the deviation, pooled where little is known.
// Time: O(p r) an iteration, r runs.
// Source: Dempster, Laird, Rubin: Maximum likelihood from incomplete data via the EM algorithm, J. R. Stat. Soc. B 39 (1977).
#include "optimum/one_time_model.hpp"

#include "core/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpart::optimum
{

namespace
{

constexpr int iterations = 6;
constexpr double least_deviation = 0.004;
// The deviation that is assumed before any is seen, and as how many sizes it counts.
constexpr double usual_deviation = 0.05, usual_count = 2, pooled_count = 4;
// Sizes far from the reference count less: functions are not straight.
constexpr double nearness = 0.5;
// The start-up time that is assumed, relative to the time of the reference.
constexpr double usual_start = 0.1;
// A cliff: how likely for a size above all good ones, from which factor on, and the density of its logarithm.
constexpr double cliff_chance = 0.05, least_cliff = 0.35, cliff_density = 0.7;

constexpr double enough_measured = 1.5, unseen_chance = 0.05;
// A start of the fit: the others are so much faster than the least rate seen.
constexpr double fast = 0.5;

// Times that differ by less, relatively, are equal; with noise by more.
constexpr double least_width = 0.002, eligible_share = 3;
// The probability that noise explains a run that no size does.
constexpr double noisy_leak = 0.003;
constexpr double least_density = 0.02;
constexpr int message_rounds = 6;

double log_cdf(double z)
{
    if (z > -5) return std::log(0.5 * std::erfc(-z / std::sqrt(2.0)));
    return -0.5 * z * z - std::log(-z * std::sqrt(2 * M_PI)) + std::log1p(-1 / (z * z)); // of the tail
}
// Density over distribution function.
double hazard(double z) { return std::exp(-0.5 * z * z - 0.5 * std::log(2 * M_PI) - log_cdf(z)); }

// Null if the processor never ran the size.
template <typename Processor>
auto known_of(Processor &processor, std::int64_t size) -> decltype(&processor.known.front())
{
    const auto at = std::lower_bound(processor.known.begin(), processor.known.end(), size,
                                     [](const auto &other, auto wanted) { return other.size < wanted; });
    return at == processor.known.end() || at->size != size ? nullptr : &*at;
}

// The logarithm of the mean time; for 0, of the least positive number.
double log_mean(const Tried &one) { return std::log(std::max(one.mean(), std::numeric_limits<double>::min())); }

} // namespace

double Tried::mean() const
{
    if (failed()) return infinity;
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

void OneTimeModel::collect(const std::vector<Tried> &tried)
{
    for (std::size_t i = 0; i < processors_.size(); ++i) {
        auto &known = processors_[i].known;
        known.clear();
        std::vector<std::size_t> runs(tried.size());
        std::iota(runs.begin(), runs.end(), std::size_t{0});
        std::erase_if(runs, [&](auto r) { return tried[r].x[i] == 0; });
        std::sort(runs.begin(), runs.end(), [&](auto a, auto b) {
            return std::pair(tried[a].x[i], tried[a].mean()) < std::pair(tried[b].x[i], tried[b].mean());
        });
        for (const auto r : runs)
            if (known.empty() || known.back().size != tried[r].x[i])
                known.push_back({tried[r].x[i], log_mean(tried[r])});
    }
}

// Each run needs a size that takes its time: one of the sizes whose bound is this time. Belief propagation over these conditions: a
// size that explains several runs of equal times is more likely than as many coincidences.
double OneTimeModel::share_blame(const std::vector<Tried> &tried)
{
    const double width = std::max(least_width, noise_), tolerance = eligible_share * noise_ + 1e-9,
                 leak = noise_ > least_width ? noisy_leak : 1e-13;
    struct Member {
        Known *known;
        double message = 0;
    };
    std::vector<std::vector<Member>> conditions(tried.size());
    for (auto &processor : processors_) {
        for (auto &known : processor.known) {
            const double sd = std::hypot(processor.deviation, noise_);
            const double excess = known.bound - log_expected(processor, known.size);
            const double density = std::isfinite(excess) ? hazard(excess / sd) / sd : 0;
            double beyond = 0;
            if (known.size > processor.largest_good && excess > least_cliff) {
                beyond = cliff_chance * cliff_density;
                if (!std::isfinite(excess))
                    beyond *=
                        static_cast<double>(known.size - processor.largest_good) / static_cast<double>(known.size);
            }
            known.cliff = density + beyond > 0 ? beyond / (density + beyond) : 0;
            known.odds = std::log(std::max(least_density, density + beyond) * width);
        }
    }
    for (std::size_t r = 0; r < tried.size(); ++r) {
        const double time = log_mean(tried[r]);
        for (std::size_t i = 0; i < processors_.size(); ++i)
            if (auto *known = known_of(processors_[i], tried[r].x[i]);
                known != nullptr && (known->bound == time || time - known->bound <= tolerance))
                conditions[r].push_back({known});
    }
    const auto chance = [](double odds) { return 1 / (1 + std::exp(-odds)); };
    for (int round = 0; round < message_rounds; ++round)
        for (auto &members : conditions)
            for (auto &member : members) {
                double none = 1; // of the others
                for (const auto &other : members)
                    if (&other != &member) none *= 1 - chance(other.known->odds - other.message);
                const double message = -std::log1p(-none * (1 - leak));
                member.known->odds += message - member.message;
                member.message = message;
            }
    double likelihood = 0; // Bethe's
    for (const auto &members : conditions) {
        double none = 1 - leak;
        for (const auto &member : members) {
            const double p = chance(member.known->odds - member.message);
            none *= 1 - p;
            likelihood -= std::log(1 - p + p * std::exp(member.message));
        }
        likelihood += std::log1p(-none);
    }
    for (auto &processor : processors_)
        for (auto &known : processor.known) {
            known.blame = chance(known.odds);
            known.cliff *= known.blame;
            likelihood += std::log1p(std::exp(std::min(known.odds, 500.0)));
            if (std::isfinite(known.bound))
                likelihood += log_cdf((known.bound - log_expected(processor, known.size)) /
                                      std::hypot(processor.deviation, noise_));
        }
    return likelihood;
}

void OneTimeModel::refit(Processor &processor, double reference) const
{
    double count = 0, squares = 0;
    double ww = 0, ws = 0, wss = 0, wy = 0, wys = 0; // of 1 = a / y + b s / y
    for (const auto &known : processor.known) {
        const double good = 1 - known.cliff, blame = known.blame - known.cliff;
        if (good <= 0 || !std::isfinite(known.bound)) continue;
        const double mu = log_expected(processor, known.size);
        const double sd = processor.deviation, z = (known.bound - mu) / std::hypot(sd, noise_), h = hazard(z);
        const double below = 1 - known.blame;
        // The expected logarithm of its time.
        const double y = (blame * known.bound + below * (mu - sd * h)) / good;
        const double far = std::log(static_cast<double>(known.size) / reference) / nearness;
        const double weight = good * std::exp(-0.5 * far * far);
        count += weight;
        squares += weight / good * (blame * std::pow(known.bound - mu, 2) + below * sd * sd * std::max(0.0, 1 - z * h));
        const double u = std::exp(-y), v = static_cast<double>(known.size) * u;
        ww += weight * u * u, ws += weight * u * v, wss += weight * v * v, wy += weight * u, wys += weight * v;
    }
    if (count <= 0) return;
    const double typical = usual_start * (processor.start + processor.slope * reference);
    if (typical > 0) ww += processor.deviation * processor.deviation / (typical * typical);
    const double determinant = ww * wss - ws * ws;
    if (determinant > 1e-12 * ww * wss) {
        processor.start = (wy * wss - wys * ws) / determinant;
        processor.slope = (wys * ww - wy * ws) / determinant;
    }
    if (!(processor.slope > 0)) processor.start = 0, processor.slope = wys / wss;
    processor.start = std::max(processor.start, -0.5 * processor.slope * reference);
    const double variance = (squares + pooled_count * pooled_ * pooled_) / (count + pooled_count);
    processor.deviation = std::max(least_deviation, std::sqrt(variance));
    processor.largest_good = 0;
    for (const auto &known : processor.known)
        if (known.bound - log_expected(processor, known.size) < least_cliff) processor.largest_good = known.size;
}

void OneTimeModel::fit(const std::vector<Tried> &tried, double noise)
{
    noise_ = noise;
    collect(tried);
    const auto best =
        std::min_element(tried.begin(), tried.end(), [](const auto &a, const auto &b) { return a.mean() < b.mean(); });
    // Least squares find the nearest maximum: from the least rates seen, and from each processor alone slow.
    std::vector<std::vector<Processor>> starts(1, processors_);
    for (auto &processor : starts[0]) {
        processor.start = 0;
        processor.slope = infinity;
        for (const auto &known : processor.known)
            processor.slope = std::min(processor.slope, std::exp(known.bound) / static_cast<double>(known.size));
        if (!std::isfinite(processor.slope)) processor.slope = 0;
    }
    for (std::size_t i = 0; i < processors_.size() && processors_.size() > 1; ++i) {
        starts.push_back(starts[0]);
        for (std::size_t k = 0; k < processors_.size(); ++k)
            if (k != i) starts.back()[k].slope *= fast;
    }
    double most = -infinity;
    std::vector<Processor> found;
    for (auto &start : starts) {
        processors_ = std::move(start);
        pooled_ = usual_deviation;
        for (auto &processor : processors_) processor.deviation = usual_deviation;
        for (int k = 0; k < iterations; ++k) {
            share_blame(tried);
            double squares = usual_count * usual_deviation * usual_deviation, count = usual_count;
            for (std::size_t i = 0; i < processors_.size(); ++i) {
                auto &processor = processors_[i];
                const auto size = best->x[i] > 0 || processor.known.empty() ? best->x[i] : processor.known.front().size;
                refit(processor, static_cast<double>(std::max<std::int64_t>(1, size)));
                squares += processor.deviation * processor.deviation * static_cast<double>(processor.known.size());
                count += static_cast<double>(processor.known.size());
            }
            pooled_ = std::sqrt(squares / count);
        }
        if (const double likelihood = share_blame(tried); likelihood > most || found.empty())
            most = likelihood, found = processors_;
    }
    processors_ = std::move(found);
}

double OneTimeModel::log_expected(const Processor &processor, std::int64_t size)
{
    const double line = processor.start + processor.slope * static_cast<double>(size);
    return std::log(std::max(line, 0.2 * processor.slope * static_cast<double>(size)));
}

double OneTimeModel::blame(std::size_t processor, std::int64_t size) const
{
    const auto *known = known_of(processors_[processor], size);
    return known == nullptr ? 0 : known->blame;
}

// The probability that no cliff lies below the size: uniform between the largest good size and a size beyond the cliff.
double OneTimeModel::survival(const Processor &processor, std::int64_t size)
{
    if (size <= processor.largest_good) return 1;
    double out = 1;
    for (const auto &known : processor.known) {
        if (known.size <= processor.largest_good || known.cliff == 0) continue;
        const double reached = static_cast<double>(size - processor.largest_good) /
                               static_cast<double>(known.size - processor.largest_good);
        out *= 1 - known.cliff * std::min(1.0, reached);
    }
    return out;
}

// The least probability of any time, while less than two sizes were probably measured: a line has two parameters.
double OneTimeModel::unseen(const Processor &processor)
{
    double measured = 0;
    for (const auto &known : processor.known) measured += known.blame - known.cliff;
    return measured < enough_measured ? unseen_chance : 0;
}

double OneTimeModel::probability(std::size_t i, std::int64_t size, double seconds) const
{
    if (size == 0) return 1;
    const auto &processor = processors_[i];
    const double mu = log_expected(processor, size), sd = processor.deviation, goal = std::log(seconds);
    const double below = log_cdf((goal - mu) / sd);
    const auto *known = known_of(processor, size);
    if (known == nullptr) return survival(processor, size) * std::max(std::exp(below), unseen(processor));
    if (known->bound <= goal) return 1;
    if (!std::isfinite(known->bound)) return survival(processor, size) * (1 - known->blame) * std::exp(below);
    return (1 - known->blame) * std::exp(below - log_cdf((known->bound - mu) / sd));
}

} // namespace hpart::optimum
