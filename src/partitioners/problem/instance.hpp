// The points that a problem may use.
#pragma once

#include "core/aligned.hpp"
#include "core/doubles.hpp"
#include "core/progress.hpp"
#include "models/platform.hpp"
#include "partitioners/search/choices.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpart
{

// An array whose resize() leaves new values unset: they are written next.
template <typename Value> struct UnsetAllocator : CacheLineAllocator<Value> {
    template <typename Other> struct rebind {
        using other = UnsetAllocator<Other>;
    };
    template <typename Made> void construct(Made *place) { ::new (static_cast<void *>(place)) Made; }
    template <typename Made, typename... From> void construct(Made *place, From &&...from)
    {
        ::new (static_cast<void *>(place)) Made(std::forward<From>(from)...);
    }
};
template <typename Value> using PointVector = std::vector<Value, UnsetAllocator<Value>>;

// time_as_energy: a point needs a time alone, which is its energy, too.
enum class Needs : std::uint8_t { time, time_and_energy, time_as_energy };

// Usable points of all processors. Processors with equal points have one function: its points are there once, whatever the number
// of processors. One array a quantity, function after function, by increasing size. The first point of a function is the idle
// point (0, 0, 0) unless its processors must work; then it may have no point at all.
struct Instance {
    std::vector<std::uint32_t> function_of; // of each processor; functions are numbered as they first occur
    std::vector<std::size_t> function_first{0};
    std::vector<std::int64_t>
        steps; // of a function whose sizes but the idle one are equally far apart, that distance; else 0
    PointVector<std::int64_t> sizes;
    PointVector<double> seconds;
    PointVector<double> joules; // none where only times are needed

    std::size_t processors() const { return function_of.size(); }
    std::size_t functions() const { return function_first.size() - 1; }
    std::size_t function_begin(std::size_t f) const { return function_first[f]; }
    std::size_t function_end(std::size_t f) const { return function_first[f + 1]; }
    // The points of processor i: begin(i) .. end(i) - 1.
    std::size_t begin(std::size_t i) const { return function_first[function_of[i]]; }
    std::size_t end(std::size_t i) const { return function_first[function_of[i] + std::size_t{1}]; }
    bool has_energies() const { return joules.size() == sizes.size(); }
    // True if a pass over all points takes less than a tenth of a second, even in fresh memory.
    bool is_quick() const { return sizes.size() <= 2'000'000; }

    // The point of function f of that size; function_end(f) when there is none.
    std::size_t find_in_function(std::size_t f, std::int64_t size) const;
    std::size_t find(std::size_t i, std::int64_t size) const { return find_in_function(function_of[i], size); }
};

// Builds an instance processor by processor. Equal functions are found by a hash of a few of their points, then of all, then compared.
class InstanceBuilder
{
  public:
    explicit InstanceBuilder(Needs needs) : needs_(needs) {}

    void reserve(std::size_t processors, std::size_t points);

    // Adds a point to the processor that is being built, by increasing size. Energies are ignored if only times are needed.
    void add_point(std::int64_t size, double seconds, double joules = 0);
    void add_points(std::span<const std::int64_t> sizes, std::span<const double> seconds,
                    std::span<const double> joules);
    void end_processor();
    // One more processor with the function of an earlier one.
    void add_processor_like(std::size_t i) { instance_.function_of.push_back(instance_.function_of[i]); }

    Instance take() { return std::move(instance_); }

  private:
    struct Known {
        std::uint32_t function = 0;
        std::optional<std::uint64_t> hash; // of all points, once it was needed
    };

    std::uint64_t hash_of_samples(std::size_t first, std::size_t count) const;
    std::uint64_t hash_of_all(std::size_t first, std::size_t count) const;
    std::optional<std::uint32_t> find_equal_to_last(std::uint64_t samples);
    bool is_last_equal_to(std::size_t f) const;
    std::int64_t step_of_last() const;

    Needs needs_;
    Instance instance_;
    std::unordered_map<std::uint64_t, std::vector<Known>> known_; // by the hash of samples
};

// For each processor, the first one with the same points and limits.
std::vector<std::size_t> first_alike(const Platform &platform);

// Points within the processors' limits that have the values needed, each processor with the idle point.
Instance usable_points(const Platform &platform, Needs needs);

// The functions of the processors' classes. Processors of one function whose entries of `apart` differ, if it is given, have
// functions of their own.
std::vector<std::uint32_t> functions_apart(const Instance &instance, std::span<const std::int64_t> apart);

// One class a processor: the points of size <= target that keep(k) accepts, at the cost cost(k, i). k is the point's index, i the first
// processor of the class's function.
template <typename Keep, typename Cost>
Choices choices_where(const Instance &instance, std::int64_t target, Keep keep, Cost cost,
                      std::span<const std::int64_t> apart = {})
{
    Choices choices;
    choices.function_of = functions_apart(instance, apart);
    choices.sizes.reserve(instance.sizes.size());
    choices.costs.reserve(instance.sizes.size());
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        if (choices.function_of[i] < choices.functions()) continue; // an earlier one's
        for (auto k = instance.begin(i); k < instance.end(i) && instance.sizes[k] <= target; ++k)
            if (keep(k)) choices.add(instance.sizes[k], cost(k, i));
        choices.end_function();
    }
    return choices;
}

// Those of time <= seconds, without costs.
inline Choices choices_within(const Instance &instance, std::int64_t target, double seconds,
                              std::span<const std::int64_t> apart = {})
{
    return choices_where(
        instance, target, [&](std::size_t k) { return instance.seconds[k] <= seconds; },
        [](std::size_t, std::size_t) { return 0.0; }, apart);
}

// The distinct times between two, increasing.
std::vector<double> distinct_times(const Instance &instance, double above, double below = infinity);

// The sums, from 1 to `limit`, of one size of each of the first processors, increasing. Throws Status::limit.
std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control);

} // namespace hpart
