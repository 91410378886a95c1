// Everything derived from the functions alone: made once, kept in the platform handle, used by every call. The parts are made when
// they are first asked for, by any thread; nothing changes afterwards.
#pragma once

#include "core/containers.hpp"
#include "core/progress.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

// The processors of each function, increasing.
struct Groups {
    std::vector<std::size_t> first;
    std::vector<std::uint32_t> processors;

    std::size_t copies(std::size_t f) const { return first[f + 1] - first[f]; }
    std::span<const std::uint32_t> of(std::size_t f) const { return {processors.data() + first[f], copies(f)}; }
};

// The points of each function that are strictly faster than every larger size, by increasing size and so by increasing time: the
// largest size of a time <= T is always one of them.
struct Records {
    std::vector<std::size_t> first{0};
    AlignedVector<double> seconds;
    AlignedVector<std::int64_t> sizes;
    std::int64_t largest_size = 0; // of one processor
    std::int64_t largest_sum = 0;  // of the largest sizes of all processors, no more than fits
    double fastest = 0;            // the least time at which every processor has a point; infinity when one has none
    double rate = 0; // of all processors together, in the middle of their functions: size a second, roughly

    std::size_t functions() const { return first.size() - 1; }
};

struct Extremes {
    double longest_seconds = 0;
    double joules = 0; // sum over the processors of the most energy each can take; 0 without energies
};

class Prepared
{
  public:
    // control: of the call that owns the points. Its limits end the making of a part if there are too many points for a quick pass.
    explicit Prepared(Instance instance, SimdLevel level = best_simd_level(), Control *control = nullptr)
        : instance_(std::move(instance)), simd_level_(level), control_(instance_.is_quick() ? nullptr : control)
    {
    }

    const Instance &instance() const { return instance_; }
    SimdLevel simd_level() const { return simd_level_; }
    Control *control() const { return control_; } // may be null
    const Groups &groups() const;
    const Records &records() const;
    const Extremes &extremes() const;
    // The common divisor of each function's sizes; 0 where it has none but idling.
    const std::vector<std::int64_t> &units() const;
    const CostFunctions &energies() const;                // where the instance has them
    const PointTimes &point_times() const;                // of the points of energies()
    const std::vector<PointPlace> &slowest_first() const; // all points
    const std::vector<double> &times() const;             // of all points, distinct and increasing

  private:
    Instance instance_;
    SimdLevel simd_level_;
    Control *control_;
    Lazy<Groups> groups_;
    Lazy<Records> records_;
    Lazy<Extremes> extremes_;
    Lazy<CostFunctions> energies_;
    Lazy<PointTimes> point_times_;
    Lazy<std::vector<std::int64_t>> units_;
    Lazy<std::vector<PointPlace>> slowest_first_;
    Lazy<std::vector<double>> times_;
};

// Records among the sizes <= size only.
Records records_within(const Prepared &prepared, std::int64_t size);

struct PlatformAtBound;

// Results that are valid while a platform does not change.
class PreparedPlatform
{
  public:
    // A test may ask for a lower level than the best.
    explicit PreparedPlatform(SimdLevel level = best_simd_level()) : simd_level_(level) {}

    PreparedPlatform(const PreparedPlatform &) = delete;
    PreparedPlatform &operator=(const PreparedPlatform &) = delete;
    ~PreparedPlatform();
    const Prepared &get(const Platform &platform, Needs needs) const;
    // The platform at one end of its intervals; bound is low or high.
    const PlatformAtBound &at_bound(const Platform &platform, Bound bound) const;
    // Call after a change of functions, intervals or limits, when no call uses the prepared data.
    void forget();
    // The same after any other change: base power, links, nodes, names.
    void forget_platforms();

  private:
    SimdLevel simd_level_;
    std::array<Lazy<Prepared>, 3> by_needs_;
    std::array<Lazy<PlatformAtBound>, 2> by_bound_; // low, high
};

struct PlatformAtBound {
    PlatformAtBound(Platform at_bound, SimdLevel level) : platform(std::move(at_bound)), prepared(level) {}
    Platform platform;
    PreparedPlatform prepared;
};

} // namespace hpart
