// The shape that every problem here takes: choose one option of each class so that the sizes sum to a target.
#pragma once

#include "core/error.hpp"
#include "core/progress.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

// Status::limit stops a search at the caller's limits; the objectives turn it into bound and incumbent.

enum class Outcome : std::uint8_t {
    found,
    none, // proved: there is no choice
    limit // time or memory was up first; the best known is given, if any
};

// The result of `solve`, or nothing if it meets a limit.
template <typename Solve> auto within_limits(const Solve &solve) -> std::optional<decltype(solve())>
{
    try {
        return solve();
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    return std::nullopt;
}

// `solve` returns whether it found something.
template <typename Solve> Outcome outcome_of(const Solve &solve)
{
    return within_limits([&] { return solve() ? Outcome::found : Outcome::none; }).value_or(Outcome::limit);
}

inline void check_time(const Control &control)
{
    if (control.time_is_up()) fail(Status::limit, "the time limit was reached before the optimum was proved");
}

[[noreturn]] inline void fail_memory(std::int64_t limit_bytes)
{
    fail(Status::limit, "the search needs more working memory than memory_limit, which is ", limit_bytes, " bytes");
}

// Looks at the clock and the callback once in so many units of work.
class Pacer
{
  public:
    Pacer(Control &control, const char *what) : Pacer(&control, what) {}
    // Without a control it never ends.
    Pacer(Control *control, const char *what) : control_(control), what_(what) {}

    void spend(std::int64_t work)
    {
        spent_ += work;
        if (spent_ < next_) return;
        next_ = interval;
        const auto spent = std::exchange(spent_, 0);
        if (control_ == nullptr) return;
        control_->count_work(spent);
        check_time(*control_);
        control_->report_progress(-1, what_);
    }

  private:
    static constexpr std::int64_t interval = 1 << 20; // about a millisecond
    Control *control_;
    const char *what_;
    std::int64_t spent_ = 0;
    std::int64_t next_ = 0; // the first call looks
};

// A comparison that counts as work, so that a long sort or merge ends at the limits.
template <typename Less> auto paced(Pacer &pacer, Less less)
{
    return [&pacer, less](const auto &a, const auto &b) {
        pacer.spend(1);
        return less(a, b);
    };
}

// Options of all functions, one array a quantity, function after function; sizes increase within a function. Classes that are copies of
// each other have one function: its options are there once, whatever the number of classes.
struct Choices {
    std::vector<std::size_t> first{0};      // options of function f: first[f] .. first[f + 1] - 1
    std::vector<std::uint32_t> function_of; // of each class; functions are numbered as they first occur
    std::vector<std::int64_t> sizes;        // >= 0
    std::vector<double> costs;              // finite and >= 0

    std::size_t functions() const { return first.size() - 1; }
    std::size_t classes() const { return function_of.size(); }
    std::size_t begin(std::size_t i) const { return first[function_of[i]]; }
    std::size_t count(std::size_t i) const { return sizes_of(i).size(); }
    std::span<const std::int64_t> sizes_of(std::size_t i) const { return sizes_of_function(function_of[i]); }
    std::span<const double> costs_of(std::size_t i) const { return costs_of_function(function_of[i]); }
    std::span<const std::int64_t> sizes_of_function(std::size_t f) const
    {
        return {sizes.data() + first[f], first[f + 1] - first[f]};
    }
    std::span<const double> costs_of_function(std::size_t f) const
    {
        return {costs.data() + first[f], first[f + 1] - first[f]};
    }
    // The number of classes of each function.
    std::vector<std::int64_t> copies() const
    {
        std::vector<std::int64_t> copies(functions());
        for (const auto f : function_of) ++copies[f];
        return copies;
    }

    void add(std::int64_t size, double cost = 0)
    {
        sizes.push_back(size);
        costs.push_back(cost);
    }
    void end_function() { first.push_back(sizes.size()); }
    // One class with a function of its own.
    void end_class()
    {
        function_of.push_back(static_cast<std::uint32_t>(functions()));
        end_function();
    }
};

// The common divisor of one so far and of the distances of sizes from a first one; 0 if all are 0.
inline std::int64_t common_divisor(std::int64_t so_far, std::span<const std::int64_t> sizes, std::int64_t first)
{
    for (const auto size : sizes) {
        if (so_far == 1) break;
        so_far = std::gcd(so_far, size - first);
    }
    return so_far;
}

// Increasing sizes that begin with 0 and then have equal distances: size k > 0 is `before_first` + k x step. step 0: others.
struct EqualSteps {
    std::int64_t step = 0;
    std::int64_t before_first = 0;

    std::int64_t size(std::size_t k) const
    {
        return k > 0 ? before_first + step + static_cast<std::int64_t>(k - 1) * step : 0; // no part of it overflows
    }
};

// The index of a size among increasing ones; their number when it is not there.
inline std::size_t find_size(std::span<const std::int64_t> sizes, const EqualSteps &steps, std::int64_t size)
{
    if (steps.step == 0) {
        const auto found = std::lower_bound(sizes.begin(), sizes.end(), size);
        return found != sizes.end() && *found == size ? static_cast<std::size_t>(found - sizes.begin()) : sizes.size();
    }
    if (size == 0) return 0;
    if (size <= steps.before_first) return sizes.size();
    // Unsigned, since it may be above the largest integer.
    const auto distance = static_cast<std::uint64_t>(size) - static_cast<std::uint64_t>(steps.before_first);
    const auto step = static_cast<std::uint64_t>(steps.step);
    if (step == 1) return std::min(distance, sizes.size());
    return distance % step == 0 ? std::min(distance / step, sizes.size()) : sizes.size();
}

// A sum problem in its least form: sizes of each class from 0, in units of the common divisor.
struct ReducedChoices {
    Choices choices;                   // the same options in the same order
    std::vector<std::int64_t> origins; // of each function
    std::int64_t unit = 1;
    std::int64_t target = 0;
    std::int64_t room = 0; // the largest sum, no more than fits

    std::vector<std::int64_t> restore(std::vector<std::int64_t> sizes) const;
};

// Nothing when sums or the common divisor forbid the target.
std::optional<ReducedChoices> reduce(const Choices &choices, std::int64_t target);

// Index of the option of that size, which class i has.
std::size_t option_of_size(const Choices &choices, std::size_t i, std::int64_t size);

// The sum of the costs, rounded once.
double cost_of(const Choices &choices, const std::vector<std::int64_t> &sizes);

} // namespace hpart
