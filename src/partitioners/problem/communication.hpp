// Seconds and joules that processors spend on communication: option `communication` (docs/background/communication.md).
#pragma once

#include "core/options.hpp"
#include "models/platform.hpp"
#include "partitioners/problem/instance.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace hpart
{

enum class Pattern : std::uint8_t {
    none,
    host,      // each processor's own transfers over its host link
    chain,     // besides, an exchange with the nearest active processors before and after, in the platform's order
    any_chain, // the same in whatever order of the active processors is best
    summa      // besides, one cost for all that depends on how many are active
};

// The meaning of the energies of points and links.
enum class Charge : std::uint8_t { joules, seconds };

class Communication
{
  public:
    // Fails when the options and the platform do not fit together.
    Communication(const Platform &platform, const Options &options, std::int64_t size, Charge charge = Charge::joules);
    // Before anything of an exchange is asked for.
    void prepare_exchanges(const Platform &platform, std::int64_t memory_bytes);

    Pattern pattern() const { return pattern_; }
    // True if a processor's cost depends on the others.
    bool couples() const { return pattern_ != Pattern::none && pattern_ != Pattern::host; }

    bool has_own_costs() const { return !own_.empty(); }
    // The points with their own costs added to the times and energies.
    Instance with_own_costs(const Instance &instance) const;

    // Seconds that each of two neighbours spends on their exchange.
    double exchange(std::size_t a, std::size_t b) const
    {
        return exchanges_.empty() ? 0 : exchanges_[a * processors_ + b];
    }
    // No processor spends more on exchanges and on what all spend.
    double most_seconds() const;
    // Seconds that everybody spends when so many are active.
    double collective(std::size_t active) const { return collective_.empty() ? 0 : collective_[active]; }
    // The energies of both.
    double exchange_energy(std::size_t a, std::size_t b) const
    {
        return exchange_energies_.empty() ? 0 : exchange_energies_[a * processors_ + b];
    }
    ExactSum collective_energy(std::size_t active) const;
    // A point's energy with the own cost of the processor.
    double with_own_energy(std::size_t i, std::int64_t size, double energy) const;

    // The longest time of x, exchanges included; the instance has the own costs.
    double seconds_of(const Instance &instance, const std::vector<std::int64_t> &x) const;
    // The energy of all links but the own ones, in that order of the active processors.
    ExactSum energy_of(const std::vector<std::size_t> &order) const;
    // The active processors in the order in which they exchange.
    std::vector<std::size_t> order_of(const Instance &instance, const std::vector<std::int64_t> &x) const;

    // Orders of more processors than this are too many to compare.
    static constexpr std::size_t most_in_any_order = 12;

  private:
    // The traffic of an active processor over its host link.
    struct OwnCost {
        Link link;
        double border_bytes = 0;
        double unit_bytes = 0;
        double bytes(std::int64_t size) const { return border_bytes + unit_bytes * static_cast<double>(size); }
        double seconds(std::int64_t size) const;
        double joules(std::int64_t size) const { return link.joules_per_byte * bytes(size); }
    };
    double own_energy(std::size_t i, std::int64_t size) const;

    void set_own_costs(const Platform &platform, double unit_bytes);
    void set_collective(const Platform &platform, double order, double block);

    Pattern pattern_;
    Charge charge_;
    std::size_t processors_;
    std::vector<OwnCost> own_;
    std::vector<double> exchanges_;
    std::vector<double> exchange_energies_; // empty: none takes any
    std::vector<double> collective_;
    std::vector<double> collective_energies_; // of one processor
    // The best order is asked for again and again: of the active processors with these times.
    struct Order {
        std::vector<std::size_t> active;
        std::vector<double> seconds;
        std::vector<std::size_t> order;
    };
    mutable Order last_;
};

// A processor's time with the exchanges before and after it: added in this order everywhere.
inline double load(double seconds, double before, double after) { return (seconds + before) + after; }

// The order of the processors with the least longest load, where each has the time given and exchanges with those before and after it.
// At most Communication::most_in_any_order of them.
std::vector<std::size_t> best_order(const std::vector<double> &seconds,
                                    const std::function<double(std::size_t, std::size_t)> &exchange);

} // namespace hpart
