// The registry of methods: one line each.
#pragma once

#include "partitioners/problem/problem.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Which objectives (or energies of a front) a method can serve.
constexpr auto serves(Objective objective) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(objective)); }
constexpr std::uint8_t serves_time = serves(Objective::time), serves_energy = serves(Objective::energy),
                       serves_total_energy = serves(Objective::total_energy), serves_all = [] {
                           std::uint8_t all = 0;
                           for (const auto &kind : objective_kinds) all |= serves(kind.solved_as);
                           return all;
                       }();

struct PartitionMethod {
    std::string_view name;
    std::uint8_t serves;
    Solution (*solve)(const PartitionProblem &, Control &);
};

// Computes the dynamic front; the total front is filtered from it. Where arranges() is true: the front asked for.
struct FrontMethod {
    std::string_view name;
    std::uint8_t serves; // energy, total energy
    std::vector<FrontPoint> (*solve)(const PartitionProblem &, Control &);
};

struct ScheduleMethod {
    std::string_view name;
    PackageSchedule (*solve)(const ScheduleProblem &, Control &);
};

// Each fails, listing the valid names, if the call has no method of that name for the objective.
const PartitionMethod &find_partition_method(const std::string &name, Objective objective);
const FrontMethod &find_front_method(const std::string &name, FrontEnergy energy);
const ScheduleMethod &find_schedule_method(const std::string &name);

} // namespace hpart
