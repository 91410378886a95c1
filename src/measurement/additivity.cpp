// Source: Khaleghzadeh, Fahad, Shahid, Reddy Manumachu and Lastovetsky, "Bi-objective optimization of data-parallel applications
// on heterogeneous HPC platforms for performance and energy through workload distribution" (2021): the fine-grained energy
// decomposition with one meter and its check, the percentage difference of parallel to combined.
#include "measurement/additivity.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace hpart
{

namespace
{

// A sum of energies measured with one base power, so that its errors add up and the scatters add in squares.
struct SumOfEnergies {
    double joules = 0;
    double variance = 0; // of the scatters
    double seconds = 0;  // that base power was subtracted for

    void add(const EnergyEstimate &estimate)
    {
        joules += estimate.joules;
        variance += estimate.scatter * estimate.scatter;
        seconds += estimate.seconds;
    }
};

double error_of(double variance, double base_power_error, double seconds)
{
    return std::hypot(std::sqrt(variance), base_power_error * seconds);
}

class AdditivityRun
{
  public:
    AdditivityRun(const Team &team, const Platform *alone, const EnergySettings &settings,
                  std::span<const BasePower> bases, const std::function<void()> &before)
        : team_(team), alone_(alone), settings_(settings), bases_(bases), before_(before)
    {
    }

    void add(std::size_t k, std::span<const std::int64_t> x, Additivity &out)
    {
        SumOfEnergies combined, parallel;
        if (alone_ != nullptr)
            combined.joules = alone_->evaluate(x).joules();
        else
            for (std::size_t i = 0; i < x.size(); ++i)
                if (x[i] > 0) combined.add(of_processor(i, x[i]));
        if (!(combined.joules > 0))
            fail(Status::numerical, "distribution[", k, "]: the processors alone take ", combined.joules,
                 " J of dynamic energy in all, with which nothing can be compared");
        parallel.add(measure_energy(team_, team_.slices(x), settings_, bases_, before_).estimates.front());

        const double base_error = bases_.front().standard_error;
        out.parallel.push_back(parallel.joules);
        out.parallel_error.push_back(error_of(parallel.variance, base_error, parallel.seconds));
        out.combined.push_back(combined.joules);
        out.combined_error.push_back(error_of(combined.variance, base_error, combined.seconds));
        const double per_cent = 100 / combined.joules;
        out.differences.push_back((parallel.joules - combined.joules) * per_cent);
        out.difference_errors.push_back(per_cent * error_of(parallel.variance + combined.variance, base_error,
                                                            parallel.seconds - combined.seconds));
    }

  private:
    const EnergyEstimate &of_processor(std::size_t i, std::int64_t size)
    {
        const auto found = known_.find({i, size});
        if (found != known_.end()) return found->second;
        std::vector<Slice> slices(team_.count());
        slices[i] = {0, size};
        const auto measured = measure_energy(team_, std::move(slices), settings_, bases_, before_);
        return known_.emplace(std::pair{i, size}, measured.estimates.front()).first->second;
    }

    const Team &team_;
    const Platform *alone_;
    const EnergySettings &settings_;
    std::span<const BasePower> bases_;
    const std::function<void()> &before_;
    std::map<std::pair<std::size_t, std::int64_t>, EnergyEstimate> known_;
};

void check_distribution(const Team &team, const Platform *alone, std::size_t k, std::span<const std::int64_t> x)
{
    team.slices(x);
    if (std::all_of(x.begin(), x.end(), [](std::int64_t size) { return size == 0; }))
        fail_argument("distribution[", k, "] of x has no work; at least one of its sizes must be above 0");
    if (alone != nullptr && std::isnan(alone->evaluate(x).joules()))
        fail_argument("distribution[", k, "] of x has a size that has no energy in the platform");
}

} // namespace

Additivity additivity(const Team &team, const Platform *alone,
                      std::span<const std::span<const std::int64_t>> distributions, const EnergySettings &settings,
                      std::span<const BasePower> bases, const std::function<void()> &before_repetition)
{
    // Told before anything is measured.
    for (std::size_t k = 0; k < distributions.size(); ++k) check_distribution(team, alone, k, distributions[k]);
    AdditivityRun comparison(team, alone, settings, bases, before_repetition);
    Additivity out;
    for (std::size_t k = 0; k < distributions.size(); ++k) comparison.add(k, distributions[k], out);
    return out;
}

} // namespace hpart
