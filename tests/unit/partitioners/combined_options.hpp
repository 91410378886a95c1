// Random options that bound a distribution, and the distributions that keep them, by enumeration.
#pragma once

#include "instances.hpp"

#include "core/options.hpp"
#include "support/expansion.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace combined
{

// The meaning of the options, written down once more.
struct Wanted {
    std::int64_t block = 1;
    bool all_work = false;
    std::int64_t most_active = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> previous;
    std::int64_t most_moved = std::numeric_limits<std::int64_t>::max();
    bool fewest = false;
};

struct Candidate {
    std::vector<std::int64_t> x;
    double seconds = 0;
    double joules = 0;
    support::Expansion energy{}; // that is rounded to joules
    std::int64_t active = 0;
    std::int64_t moved = 0;

    double total(double base_power) const
    {
        auto sum = energy;
        sum.add_product(base_power, seconds);
        return sum.rounded();
    }
};

bool one_in(instances::Random &random, std::int64_t count);

// Sets options other than bounds on time and energy.
Wanted any_constraints(instances::Random &random, const hpart::Platform &platform, std::int64_t n,
                       hpart::Options &options, bool with_ties);

// All distributions that the constraints but those on time and energy allow.
std::vector<Candidate> all_candidates(const hpart::Platform &platform, std::int64_t n, bool with_energy,
                                      const Wanted &wanted);

double least_seconds(const std::vector<Candidate> &all);
double least_joules(const std::vector<Candidate> &all);

// A bound that some keep and some just miss.
double any_bound(instances::Random &random, const std::vector<Candidate> &all, double Candidate::*value);

// True if the message has these words with a number behind them, of four digits at most, that a bound of this least value may be: not
// below it, and by one per cent above at most.
bool names_least(const std::string &message, const std::string &words, double least);

void keep(std::vector<Candidate> &all, double Candidate::*value, double bound);

std::string describe(const hpart::Platform &platform, std::int64_t n, const Wanted &wanted);

} // namespace combined
