// The points that a problem may use.
#pragma once

#include "core/containers.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "models/platform.hpp"
#include "partitioners/search/choices.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpart
{

// time_as_energy: a point needs a time alone, which is its energy, too.
enum class Needs : std::uint8_t { time, time_and_energy, time_as_energy };

// The usable points of a function, by increasing size. The first is the idle point (0, 0, 0) unless its processors must work; then
// there may be none. The arrays are the platform's, or were made for a call.
struct FunctionPoints {
    std::span<const std::int64_t> sizes;
    std::span<const double> seconds;
    std::span<const double> joules;         // none where only times are needed
    EqualSteps steps{};                     // where they are known
    const PointsSummary *summary = nullptr; // where these are all points of a stored function

    std::size_t count() const { return sizes.size(); }
    bool may_idle() const { return !sizes.empty() && sizes.front() == 0; }
    // The point of that size; count() when there is none.
    std::size_t find(std::int64_t size) const { return find_size(sizes, steps, size); }
};

// A point among the points of all functions.
struct PointPlace {
    std::uint32_t index;
    std::uint32_t function;

    // By function, then by size.
    friend bool operator<(const PointPlace &a, const PointPlace &b)
    {
        const auto key = [](const PointPlace &p) { return std::uint64_t{p.function} << 32U | p.index; };
        return key(a) < key(b);
    }
};

// Usable points of all processors. Processors with equal points have one function: its points are there once, whatever the number
// of processors.
struct Instance {
    std::vector<std::uint32_t> function_of; // of each processor; functions are numbered as they first occur
    std::vector<FunctionPoints> of_function;
    std::vector<std::size_t> first{0}; // points of all functions before each
    bool has_energies = false;
    std::vector<std::shared_ptr<const void>> owners; // of the arrays

    std::size_t processors() const { return function_of.size(); }
    std::size_t functions() const { return of_function.size(); }
    std::size_t points() const { return first.back(); } // of all functions
    const FunctionPoints &of(std::size_t i) const { return of_function[function_of[i]]; }
    // True if a pass over all points takes less than a tenth of a second, even in fresh memory.
    bool is_quick() const { return points() <= 2'000'000; }

    double seconds_at(const PointPlace &place) const { return of_function[place.function].seconds[place.index]; }
    double seconds_of(std::size_t i, std::int64_t size) const { return of(i).seconds[of(i).find(size)]; }
    // The energies of all points, function after function.
    AlignedVector<double> all_joules() const;

    void add_function(const FunctionPoints &function)
    {
        of_function.push_back(function);
        first.push_back(first.back() + function.count());
    }
};

// Points that no platform has.
struct PointArrays {
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
    std::vector<double> joules;

    void add(std::int64_t size, double time, double energy)
    {
        sizes.push_back(size);
        seconds.push_back(time);
        joules.push_back(energy);
    }
};

// Builds an instance processor by processor. Equal functions are found by their hashes, then compared.
class InstanceBuilder
{
  public:
    explicit InstanceBuilder(Needs needs) : needs_(needs) { instance_.has_energies = needs != Needs::time; }

    // Room for so many points of the next processor.
    void reserve(std::size_t points);
    // Adds a point to it, by increasing size. Energies are ignored if only times are needed.
    void add_point(std::int64_t size, double seconds, double joules = 0);
    void end_processor();
    // A processor with the idle point and the first points of a stored function, which have all values needed.
    void add_processor(const std::shared_ptr<const Points> &function, std::size_t points);
    // One more processor with the function of an earlier one.
    void add_processor_like(std::size_t i) { instance_.function_of.push_back(instance_.function_of[i]); }

    Instance take() { return std::move(instance_); }

  private:
    std::uint64_t hash_of(const FunctionPoints &function) const;
    template <typename Owner> void add(const FunctionPoints &function, std::uint64_t hash, Owner &&owner);

    Needs needs_;
    Instance instance_;
    PointArrays next_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> known_; // functions by the hash of their points
};

// For each processor, the first one with the same points and limits.
std::vector<std::size_t> first_alike(const Platform &platform);

// Points within the processors' limits that have the values needed, each processor with the idle point.
Instance usable_points(const Platform &platform, Needs needs);

// The functions of the processors' classes. Processors of one function whose entries of `apart` differ, if it is given, have
// functions of their own.
std::vector<std::uint32_t> functions_apart(const Instance &instance, std::span<const std::int64_t> apart);

// One class a processor: the points of size <= target that keep(function, k) accepts, at the cost cost(function, k, i). k is the
// point of the function, i the first processor that has it.
template <typename Keep, typename Cost>
Choices choices_where(const Instance &instance, std::int64_t target, Keep keep, Cost cost,
                      std::span<const std::int64_t> apart = {})
{
    Choices choices;
    choices.function_of = functions_apart(instance, apart);
    choices.sizes.reserve(instance.points());
    choices.costs.reserve(instance.points());
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        if (choices.function_of[i] < choices.functions()) continue; // an earlier one's
        const auto &function = instance.of(i);
        for (std::size_t k = 0; k < function.count() && function.sizes[k] <= target; ++k)
            if (keep(function, k)) choices.add(function.sizes[k], cost(function, k, i));
        choices.end_function();
    }
    return choices;
}

// The choices of points of time <= seconds, at their energies or without costs.
enum class ChoiceCost : std::uint8_t { none, joules };
inline Choices choices_within(const Instance &instance, std::int64_t target, double seconds,
                              std::span<const std::int64_t> apart = {}, ChoiceCost cost = ChoiceCost::none)
{
    return choices_where(
        instance, target, [&](const FunctionPoints &function, std::size_t k) { return function.seconds[k] <= seconds; },
        [&](const FunctionPoints &function, std::size_t k, std::size_t) {
            return cost == ChoiceCost::none ? 0.0 : function.joules[k];
        },
        apart);
}

// The number of increasing times below that one.
std::size_t count_below(const std::vector<double> &times, double seconds);

// The sums, from 1 to `limit`, of one size of each of the first processors, increasing. Throws Status::limit.
std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control);

// Values of a discrete function between its measured points.

enum class Interpolation : std::uint8_t { none, linear, akima };

// A curve through measured points (sizes increasing, at least one): the value of every size from the first to the last, never negative,
// and exactly the measured value of a measured size. Sizes are subtracted as integers: from 2^53 on their doubles may be equal.
class Curve
{
  public:
    Curve(std::vector<std::int64_t> sizes, std::vector<double> values, Interpolation kind);

    bool covers(std::int64_t size) const { return sizes_.front() <= size && size <= sizes_.back(); }
    double at(std::int64_t size) const;

  private:
    double width(std::size_t i) const { return static_cast<double>(sizes_[i + 1] - sizes_[i]); }
    std::vector<double> extended_chords() const;
    std::vector<double> akima_slopes() const;

    std::vector<std::int64_t> sizes_;
    std::vector<double> values_;
    std::vector<double> slopes_; // akima: at each size
};

// The curve of the values that are there (not NaN); nothing measured: no curve.
std::optional<Curve> curve_of(const Points &points, std::span<const double> values, Interpolation kind);

// The processor's energy of a size, on its curve if any; NaN where there is none.
double joules_at(const Points &points, std::int64_t size, Interpolation kind);

// The points of a call that does not use the platform's own as they are.

struct PointRules {
    std::int64_t block = 1; // sizes are multiples of it
    bool all_work = false;  // nobody may be idle
    Interpolation interpolation = Interpolation::none;

    bool is_empty() const { return block == 1 && !all_work && interpolation == Interpolation::none; }
};

// Status::limit: interpolated points do not fit the memory limit. The message says what would help.
class TooManyPoints : public Error
{
  public:
    explicit TooManyPoints(std::string message) : Error(Status::limit, std::move(message), "interpolate") {}
};

// The platform's own points, `usable`, that follow the rules; with interpolation those between them too, up to the size. Throws
// TooManyPoints, and Status::limit when the time is up.
Instance points_by(const PointRules &rules, const Platform &platform, const Instance &usable, Needs needs,
                   std::int64_t size, std::int64_t memory_limit, Control &control);

// True if, as a look at the ends of the functions shows, interpolated points have a distribution of the size; false proves nothing.
bool surely_allow(const PointRules &rules, const Platform &platform, Needs needs, std::int64_t size);

// Those of time <= seconds.
Instance points_within(const Instance &usable, double seconds);

} // namespace hpart
