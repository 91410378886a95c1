// Rules, with R the rows left, n all of them, p processors, m the smallest package:
// - fixed: m rows (chunk self-scheduling).
// - guided: ceil(R / p). Polychronopoulos and Kuck, IEEE Trans. Computers C-36 (1987) 1425-1439.
// - factoring: batches of p packages of ceil(R / (2 p)). Hummel, Schonberg and Flynn, Comm. ACM 35 (1992) 90-101.
// - sigmoid: tanh(3 k R / n) n / (2 p) S_i / S_T, with S_i the mean speed of the processor's last three packages and S_T the sum of all.
//   Perez et al., J. Parallel Distrib. Comput. 157 (2021) 30-42, as equation 3.8 of the WDAH thesis has it: (1 - e^-2y) / (1 + e^-2y) is
//   tanh y. The paper takes first speeds from data sheets; here a processor without a package has the mean speed of the others.
// No package but the last is below m. Time O(p + log points) a package.
#include "models/self_scheduling.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace hpart
{

namespace
{

constexpr std::array<std::string_view, 4> self_method_names = {"fixed", "guided", "factoring", "sigmoid"};
constexpr std::size_t speeds_kept = 3;     // the thesis: found experimentally
constexpr double shortest_seconds = 1e-9;  // of a package whose time the clock does not resolve
constexpr std::int64_t fixed_packages = 8; // a processor, unless the option says otherwise

double mean(const std::deque<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

SelfMethod self_method_of(const std::string &name)
{
    const auto *const found = std::find(self_method_names.begin(), self_method_names.end(), name);
    if (found == self_method_names.end())
        fail_argument(
            "method is ", in_quotes(name), "; ",
            did_you_mean(name, self_method_names, "self-scheduling has the methods fixed, guided, factoring, sigmoid"));
    return static_cast<SelfMethod>(found - self_method_names.begin());
}

SelfSchedule SelfSchedule::from(SelfMethod method, std::int64_t size, std::size_t processors, const Options &options)
{
    const auto p = static_cast<std::int64_t>(processors);
    const auto usual = method == SelfMethod::fixed ? ceil_div(ceil_div(size, p), fixed_packages) : 1;
    return {method, size, options.is_set("package") ? options.get_int("package") : std::max<std::int64_t>(1, usual),
            options.get_double("sigmoid_rate")};
}

SelfScheduler::SelfScheduler(const SelfSchedule &schedule, std::size_t processors,
                             std::vector<std::span<const std::int64_t>> sizes)
    : schedule_(schedule), sizes_(std::move(sizes)), rest_(schedule.size), last_(processors), speeds_(processors)
{
}

std::int64_t SelfScheduler::next(std::size_t processor, std::optional<double> seconds)
{
    if (seconds) {
        auto &speeds = speeds_[processor];
        speeds.push_back(static_cast<double>(last_[processor]) / std::max(*seconds, shortest_seconds));
        if (speeds.size() > speeds_kept) speeds.pop_front();
    }
    if (rest_ == 0) return last_[processor] = 0;
    const auto size = allowed(processor, std::clamp(wanted(processor), std::min(schedule_.package, rest_), rest_));
    rest_ -= size;
    return last_[processor] = size;
}

std::int64_t SelfScheduler::wanted(std::size_t processor)
{
    const auto p = static_cast<std::int64_t>(last_.size());
    switch (schedule_.method) {
    case SelfMethod::fixed: break;
    case SelfMethod::guided: return ceil_div(rest_, p);
    case SelfMethod::factoring:
        if (batch_left_ == 0) {
            batch_left_ = p;
            batch_package_ = ceil_div(ceil_div(rest_, 2), p);
        }
        --batch_left_;
        return batch_package_;
    case SelfMethod::sigmoid: {
        const auto n = static_cast<double>(schedule_.size);
        const auto slope = std::tanh(3 * schedule_.rate * static_cast<double>(rest_) / n);
        return static_cast<std::int64_t>(slope * n / (2 * static_cast<double>(p)) * share(processor));
    }
    }
    return schedule_.package;
}

double SelfScheduler::share(std::size_t processor) const
{
    double sum = 0, known = 0;
    for (const auto &speeds : speeds_)
        if (!speeds.empty()) {
            sum += mean(speeds);
            ++known;
        }
    const auto p = static_cast<double>(speeds_.size());
    if (speeds_[processor].empty() || sum == 0) return 1 / p;
    return mean(speeds_[processor]) / (sum * p / known);
}

std::int64_t SelfScheduler::allowed(std::size_t processor, std::int64_t size) const
{
    if (sizes_.empty()) return size;
    const auto &sizes = sizes_[processor];
    const auto above = std::upper_bound(sizes.begin(), sizes.end(), size);
    if (above != sizes.begin()) return *(above - 1);
    return above != sizes.end() && *above <= rest_ ? *above : 0;
}

} // namespace hpart
