// Independent answers to compare with: brute force over all distributions and a textbook dynamic program.
// They share no code with the library's partitioners.
#pragma once

#include "models/platform.hpp"
#include "partitioners/calls/partition.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace reference
{

using hpart::Platform;

struct Value {
    double seconds;
    double joules;
};

// Pareto front as time -> energy.
using Front = std::map<double, double>;

struct Answers {
    bool feasible_in_time = false; // over points with a time
    double least_seconds = 0;
    bool feasible_in_energy = false; // over points with both values
    double least_joules = 0;
    double least_total = 0;
    std::int64_t fewest_for_time = 0; // active processors
    std::int64_t fewest_for_energy = 0;
    std::int64_t fewest_for_total = 0;
    Front front;
    Front total_front;
};

// Usable: within limits, with a time, and with an energy if asked.
struct Point {
    std::int64_t size;
    double seconds;
    double joules;
};
std::vector<Point> usable(const Platform &platform, std::int64_t processor, bool with_energy);

// All usable points of each processor, idle first.
using Menus = std::vector<std::vector<Point>>;
Menus menus(const Platform &platform, bool with_energy);

// Calls visit with each choice of one point a processor that sums to n, or with its sizes.
void for_each_choice(const Menus &menus, std::int64_t n, const std::function<void(const std::vector<Point> &)> &visit);
void for_each_distribution(const Platform &platform, std::int64_t n, bool with_energy,
                           const std::function<void(const std::vector<std::int64_t> &)> &visit);

// By enumeration of all distributions of n. Energies are exact sums, rounded once. base_power may be NaN: no total.
Answers brute_force(const Platform &platform, std::int64_t n);

// The most distributions that there are to enumerate.
double count_combinations(const Platform &platform);

// By the dynamic program over (processor, assigned) with every Pareto pair (time, energy): small n only.
Answers dynamic_program(const Platform &platform, std::int64_t n);

// Least time and least energy only, with sums in a map: any sizes, moderately many.
struct Optima {
    std::optional<double> seconds;
    std::optional<double> joules;
};
Optima plain_dynamic_program(const Platform &platform, std::int64_t n);

// The textbook's dynamic program on dense tables, for large instances: the least energy of the distributions of n whose time is at most
// `longest`, and the least time; nothing when there is none.
std::optional<double> dense_least_energy(const Platform &platform, std::int64_t n,
                                         double longest = std::numeric_limits<double>::infinity());
std::optional<double> dense_least_time(const Platform &platform, std::int64_t n);

// Least makespan where every processor runs packages one after another, its time being the sum from the largest package down to the
// smallest; nothing when n cannot be made. fewest: processors used at that makespan.
struct ScheduleAnswer {
    std::optional<double> makespan;
    std::int64_t fewest = 0;
};
ScheduleAnswer schedule(const Platform &platform, std::int64_t n);

// Balanced, by enumeration: most active processors, then least spread of their times, then least longest time.
struct Balance {
    bool feasible = false;
    std::int64_t active = 0;
    double spread = 0;
    double longest = 0;
};
Balance balance(const Platform &platform, std::int64_t n);

// Least sum of |x_i - share_i|, by enumeration; negative when n cannot be made.
double least_distance(const Platform &platform, std::int64_t n, const std::vector<double> &shares);

// The platform that has these functions.
Platform platform_of(const std::vector<std::vector<Point>> &functions);

} // namespace reference
