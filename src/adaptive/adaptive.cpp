#include "adaptive/adaptive.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::int64_t largest_sum = std::int64_t{1} << 62;
// Changes of speed that return within so many iterations each are phases after so many returns; they end after so many iterations
// without a deviation.
constexpr std::int64_t longest_phase = 16, returns_of_phases = 3, calm_iterations = 64;
// The weight of a mean that is expected of a new size in phases, in times.
constexpr double expected_count = 8;

} // namespace

AdaptiveSettings AdaptiveSettings::from_options(const Options &options)
{
    return {options.get_double("tolerance"), options.get_double("change_threshold"),
            std::min(options.get_double("move_cost"), longest_seconds),
            static_cast<double>(options.get_int("move_horizon")), options.previous()};
}

Adaptive::Adaptive(std::int64_t processors, std::int64_t size, AdaptiveSettings settings)
    : settings_(std::move(settings)), size_(size)
{
    if (processors < 1) fail_argument("processors is ", processors, "; it must be at least 1");
    check_size(processors, size);
    processors_.resize(static_cast<std::size_t>(processors));
    current_ = settings_.from;
    if (current_.empty()) {
        current_ = level(curves(), bounds(), size_);
        return;
    }
    if (static_cast<std::int64_t>(current_.size()) != processors)
        fail_argument("the previous distribution has ", pluralise(current_.size(), "processor"), "; it must have ",
                      processors);
    std::int64_t rest = size;
    for (const auto x : current_) {
        if (x > rest) fail_argument("the previous distribution sums to more than the size, which is ", size);
        rest -= x;
    }
    if (rest != 0) fail_argument("the previous distribution sums to ", size - rest, "; it must sum to ", size);
}

void Adaptive::check_size(std::int64_t processors, std::int64_t size)
{
    if (size < 0 || size > largest_size)
        fail_argument("size is ", size, "; it must be from 0 to 2^53, which is ", largest_size);
    if (size > 0 && processors > largest_sum / size)
        fail_argument("processors is ", processors, "; with a size of ", size, " it must be at most ",
                      largest_sum / size);
}

void Adaptive::set_limits(std::int64_t processor, std::int64_t smallest, std::int64_t largest)
{
    if (processor < 0 || processor >= processors())
        fail_argument("processor is ", processor, "; it must be from 0 to ", processors() - 1);
    if (smallest < 0) fail_argument("smallest is ", smallest, "; it must not be negative");
    if (largest < smallest)
        fail_argument("largest is ", largest, "; it must be at least smallest, which is ", smallest);
    auto next = *this;
    auto &limited = next.processors_[static_cast<std::size_t>(processor)];
    if (limited.has_stopped) limited = {};
    limited.limits = {smallest, largest};
    limited.largest = largest;
    next.require_feasible();
    next.begin_search();
    if (!next.is_within_bounds(next.current_)) next.move_within_bounds();
    *this = std::move(next);
}

void Adaptive::check_iteration(std::span<const std::int64_t> x, std::span<const double> seconds) const
{
    std::int64_t rest = size_;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] < 0) fail_argument("x[", i, "] is ", x[i], "; it must not be negative");
        if (x[i] > rest) fail_argument("x sums to more than the size, which is ", size_, ", at x[", i, "]");
        rest -= x[i];
        if (x[i] > 0 && !(seconds[i] >= 0))
            fail_argument("seconds[", i, "] is ", seconds[i],
                          "; it must be a time of at least 0, or infinity when the processor has stopped");
    }
    if (rest != 0) fail_argument("x sums to ", size_ - rest, "; it must sum to the size, which is ", size_);
}

void Adaptive::update(std::span<const std::int64_t> x, std::span<const double> seconds)
{
    check_iteration(x, seconds);
    auto next = *this;
    next.take_iteration(x, seconds);
    *this = std::move(next);
}

void Adaptive::take_iteration(std::span<const std::int64_t> x, std::span<const double> seconds)
{
    ++iteration_;
    if (!std::equal(x.begin(), x.end(), current_.begin(), current_.end())) {
        current_.assign(x.begin(), x.end());
        held_ = 0;
        is_judged_ = false;
    }
    ++held_;
    if (iteration_ == 1) is_cold_ = !knows_functions();
    bool has_stopped = false, has_changed = false;
    double slowest = 0, fastest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        auto &processor = processors_[i];
        processor.has_stopped = std::isinf(seconds[i]);
        if (processor.has_stopped) {
            has_stopped = true;
            continue;
        }
        slowest = std::max(slowest, seconds[i]);
        fastest = std::min(fastest, seconds[i]);
        has_changed |= observe(processor, x[i], std::clamp(seconds[i], least_seconds, longest_seconds));
    }
    imbalance_ = slowest > 0 ? (slowest - fastest) / slowest : 0;
    if (has_stopped) {
        require_feasible();
        begin_search();
        move_within_bounds();
        return;
    }
    if (iteration_ == 2 && is_cold_) forget_cold_start();
    decide(has_changed);
}

bool Adaptive::is_far_above_prediction(const PartialFunction &function, std::int64_t size, double seconds) const
{
    return function.is_known() && std::log(seconds / function.curve(iteration_).seconds(size)) > threshold(1);
}

// Takes a first time at a size.
void Adaptive::fit(ProcessorState &processor, std::int64_t size, double seconds)
{
    auto &function = processor.function;
    if (!function.is_known()) return;
    const double predicted = function.curve(iteration_).seconds(size);
    const double ratio = std::log(seconds / predicted);
    if (processor.was_slower && std::abs(ratio) > threshold(1)) note_change(processor, ratio > 0);
    // No rising function explains both: the known points are of another speed.
    if (function.contradicts(size, seconds, std::exp(threshold(1)))) function.scale(seconds / predicted);
}

void Adaptive::note_change(ProcessorState &processor, bool is_slower)
{
    if (std::exchange(processor.was_slower, is_slower) == !is_slower) returned(processor);
}

bool Adaptive::observe(ProcessorState &processor, std::int64_t size, double seconds)
{
    if (processor.varies) return observe_phases(processor, size, seconds);
    const auto *known = processor.function.find(size);
    const auto suspect = std::exchange(processor.suspect, std::nullopt);
    if (known == nullptr) {
        // A first run of a size may plan, compile and allocate: the second one decides.
        if (processor.starts_slowly || is_far_above_prediction(processor.function, size, seconds))
            processor.suspect = {size, seconds, true, true};
        else
            fit(processor, size, seconds);
        processor.function.add(size, seconds, iteration_);
        return false;
    }
    const double ratio = std::log(seconds / known->seconds);
    const bool was_slow = known->count == 1 && -ratio > threshold(1);
    if (was_slow || (suspect && suspect->is_first && suspect->size == size)) {
        if (was_slow) processor.function.forget_single_times();
        processor.starts_slowly |= was_slow;
        if (processor.starts_slowly) {
            processor.function.remove(size);
            fit(processor, size, seconds);
            processor.function.add(size, seconds, iteration_, 2); // no longer a single time
        } else {
            fit(processor, size, seconds);
            processor.function.add(size, seconds, iteration_);
        }
        return was_slow && converged();
    }
    if (std::abs(ratio) > threshold(known->count)) {
        const bool is_slower = ratio > 0;
        if (!suspect || suspect->size != size || suspect->is_slower != is_slower) {
            processor.suspect = {size, seconds, is_slower, false};
            return suspect && suspect->size == size && returned(processor);
        }
        processor.function.rescale(size, std::sqrt(seconds) * std::sqrt(suspect->seconds), iteration_);
        ++changes_;
        note_change(processor, is_slower);
        return true;
    }
    if (suspect && suspect->size == size && returned(processor)) return true;
    // A first run that took longer is no noise.
    if (known->count > 1 || ratio > 0) noise_.add(ratio, known->count);
    processor.function.add(size, seconds, iteration_);
    return false;
}

// A change of speed is undone. Returns whether such changes are many: the costs come in phases.
bool Adaptive::returned(ProcessorState &processor) const
{
    processor.returns = iteration_ - processor.returned_at <= longest_phase ? processor.returns + 1 : 1;
    processor.returned_at = iteration_;
    processor.varies = processor.returns >= returns_of_phases;
    processor.deviations = processor.calm = 0;
    return processor.varies;
}

// Phases are noise: their mean counts, also for sizes that were not run.
bool Adaptive::observe_phases(ProcessorState &processor, std::int64_t size, double seconds)
{
    const auto *known = processor.function.find(size);
    const double expected = known ? known->seconds : processor.function.curve(iteration_).seconds(size);
    const double ratio = std::log(seconds / expected);
    processor.suspect.reset();
    if (std::abs(ratio) > std::log1p(settings_.change)) {
        const bool continues = ratio > 0 ? processor.deviations >= 0 : processor.deviations <= 0;
        processor.deviations = (continues ? processor.deviations : 0) + (ratio > 0 ? 1 : -1);
        processor.calm = 0;
    } else {
        processor.deviations = 0;
        ++processor.calm;
    }
    if (processor.calm >= calm_iterations) processor.varies = false;
    if (known == nullptr) processor.function.add(size, expected, iteration_, expected_count);
    if (std::abs(processor.deviations) > longest_phase) { // no phase lasts so long
        processor.varies = false;
        processor.function.rescale(size, seconds, iteration_);
        ++changes_;
        return true;
    }
    noise_.add(ratio, known ? known->count : 1);
    processor.function.add(size, seconds, iteration_);
    return false;
}

std::vector<MonotoneCurve> Adaptive::curves() const
{
    // An unknown processor is taken for one like the others.
    double speeds = 0;
    std::int64_t known = 0;
    std::vector<MonotoneCurve> all;
    for (const auto &processor : processors_) {
        if (!processor.function.is_known()) continue;
        all.push_back(processor.function.curve(iteration_));
        speeds += all.back().speed();
        ++known;
    }
    if (known == processors()) return all;
    const auto like_others = MonotoneCurve::of_speed(known > 0 ? speeds / static_cast<double>(known) : 1);
    for (std::size_t i = 0; i < processors_.size(); ++i)
        if (!processors_[i].function.is_known()) all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), like_others);
    return all;
}

std::vector<SizeBounds> Adaptive::bounds() const
{
    std::vector<SizeBounds> all;
    for (const auto &processor : processors_)
        all.push_back(processor.has_stopped ? SizeBounds{0, 0}
                                            : SizeBounds{processor.limits.smallest, std::min(processor.most(), size_)});
    return all;
}

void Adaptive::require_feasible() const
{
    std::int64_t room = 0, needed = 0;
    for (const auto &[smallest, largest] : bounds()) {
        room += largest;
        needed = smallest > size_ - needed ? size_ + 1 : needed + smallest;
        if (needed > size_)
            fail(Status::infeasible, "the processors' smallest sizes sum to more than the size, which is ", size_);
    }
    if (room < size_)
        fail(Status::infeasible, "the processors that work can take ", room, " of the size, which is ", size_);
}

double Adaptive::current_seconds() const
{
    double seconds = 0;
    for (std::size_t i = 0; i < processors_.size(); ++i)
        if (current_[i] > 0) seconds = std::max(seconds, processors_[i].function.find(current_[i])->seconds);
    return seconds;
}

double Adaptive::threshold(double count) const
{
    return std::max(Noise::scaled(std::log1p(settings_.change), count), noise_.of_one(count));
}

Platform Adaptive::functions() const
{
    Platform platform(processors());
    for (std::int64_t i = 0; i < processors(); ++i) {
        const auto &processor = processors_[static_cast<std::size_t>(i)];
        if (processor.has_stopped || processor.most() == 0) continue;
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        for (const auto &observation : processor.function.observations()) {
            sizes.push_back(observation.size);
            seconds.push_back(observation.seconds);
        }
        platform.set_time_function(i, sizes, seconds);
        platform.set_limits(i, {std::max<std::int64_t>(1, processor.limits.smallest), processor.most()});
    }
    return platform;
}

std::string_view Adaptive::name_of(State state)
{
    switch (state) {
    case State::searching: return "searching";
    case State::converged: return "converged";
    case State::settled: return "settled";
    }
    return "unknown";
}

Report Adaptive::report() const
{
    Report report;
    report.set("iterations", iteration_);
    report.set("state", std::string(name_of(state_)));
    report.set("converged", std::int64_t{converged() ? 1 : 0});
    report.set("imbalance", imbalance_);
    report.set("excess", excess_);
    report.set("noise", noise_.deviation());
    report.set("changes", changes_);
    report.set("moves", moves_);
    report.set("moved", moved_);
    return report;
}

} // namespace hpart
