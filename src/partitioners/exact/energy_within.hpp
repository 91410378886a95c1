// Least dynamic energy under a bound on the time: the step from one Pareto point to the next.
#pragma once

#include "core/progress.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/problem/solution.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/relaxed_sum.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hpart
{

// The energies of the points that are fast enough.
class EnergiesWithin
{
  public:
    explicit EnergiesWithin(const Prepared &prepared) : prepared_(prepared), instance_(prepared.instance()) {}

    // The functions of the points of time <= longest, until the next call. A bound below the last one costs the points between
    // them; a bound above it costs a pass over all points.
    const CostFunctions &within(double longest);
    // The multiplier that the next sums will have, nearly.
    void expect(double multiplier);

  private:
    void begin_anew(double longest);
    void remove_between(double longest);
    std::vector<CostPoints> points() const;

    const Prepared &prepared_;
    const Instance &instance_;
    AlignedVector<double> joules_;           // of all points; infinite where too slow
    std::optional<CostFunctions> functions_; // once a bound has left something out
    double tilt_ = 0;
    double longest_ = std::numeric_limits<double>::infinity();
    std::vector<PointPlace> going_;        // points that become too slow
    std::vector<std::size_t> of_function_; // points of one function that go
};

// The bounds on the time to come.
enum class TimeBounds : std::uint8_t {
    some,   // any: the prepared functions serve
    falling // each a little below the one before it, as along a front: functions of their own follow them
};

class EnergyWithin
{
  public:
    EnergyWithin(const Prepared &prepared, std::int64_t size, const Rules &rules, Control &control,
                 TimeBounds bounds = TimeBounds::some)
        : prepared_(prepared), instance_(prepared.instance()), energies_(prepared), size_(size), rules_(rules),
          control_(control), bounds_(bounds)
    {
    }

    // A distribution of least energy within the rules' uses, of time <= longest and energy <= cap; nothing if there is none.
    // Throws Status::limit; `incumbent` then has a distribution if one is known.
    std::optional<FrontPoint> least_energy(double longest, double cap = std::numeric_limits<double>::infinity(),
                                           const RelaxedSum *relaxed = nullptr);
    // The relaxation over the points of a time <= longest, at a multiplier.
    RelaxedSum relaxed(double longest, double multiplier) const;
    // One of an energy within the limit, of least use of the resource that the rules prefer.
    std::optional<FrontPoint> preferred(double longest, const CostLimit &limit);

    // That of the relaxation that was solved last, or one to begin with.
    double multiplier() const { return multiplier_.value_or(prepared_.energies().tilt()); }
    const std::vector<std::int64_t> &incumbent() const { return incumbent_; }
    double incumbent_bound() const { return incumbent_bound_; } // no distribution has less energy
    // True if every other distribution than the one found last costs more, but for exchanges among identical processors: proved.
    bool is_only() const { return is_only_; }

  private:
    Choices choices_of(double longest) const;
    SumOverFunctions sum_within(double longest);
    std::optional<LeastSum> least_of_alike(double longest) const;
    std::optional<FrontPoint> given(LeastSum least);

    const Prepared &prepared_;
    const Instance &instance_;
    EnergiesWithin energies_;
    std::int64_t size_;
    const Rules &rules_;
    Control &control_;
    TimeBounds bounds_;
    double expected_gap_ = 0;
    std::optional<double> multiplier_;
    std::vector<std::int64_t> incumbent_;
    double incumbent_bound_ = 0;
    bool is_only_ = false;
};

} // namespace hpart
