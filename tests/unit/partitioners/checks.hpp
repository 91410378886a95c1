// Checks of the library's answers against a reference.
#pragma once

#include "reference.hpp"

#include "core/error.hpp"
#include "partitioners/calls/partition.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace checks
{

// From plain up to the best of this machine.
inline std::vector<hpart::SimdLevel> available_simd_levels()
{
    std::vector<hpart::SimdLevel> levels;
    for (const auto level : {hpart::SimdLevel::plain, hpart::SimdLevel::avx2, hpart::SimdLevel::avx512})
        if (level <= hpart::best_simd_level()) levels.push_back(level);
    return levels;
}

// All objectives, ties and fronts against the reference's answers; failures name the instance.
void against(const hpart::Platform &platform, std::int64_t n, const reference::Answers &expected);

// The objective's value is the one expected; nothing: infeasible.
void optimum_is(const hpart::Platform &platform, hpart::Objective objective, std::int64_t n,
                std::optional<double> expected);

// Tasks sum to n, in order, of usable packages; makespan and utilisation are theirs.
void is_schedule(const hpart::Platform &platform, std::int64_t n, const hpart::Schedule &found);

// The exact schedule, with either rule for ties, against the reference.
void schedule_is(const hpart::Platform &platform, std::int64_t n);

// Method balanced against the reference.
void balance_is(const hpart::Platform &platform, std::int64_t n);

constexpr double rounding = 1e-12; // of methods that add energies in double

double value_of(const hpart::Distribution &found, hpart::Objective objective);

constexpr auto no_time_limit = std::numeric_limits<double>::infinity();
constexpr auto usual_memory = std::int64_t{1} << 30;
// The limits of a call without options.
hpart::Control usual_control();
// Calls within them.
hpart::Distribution partition(const hpart::Platform &platform, const hpart::PartitionRequest &request);
hpart::Front compute_front(const hpart::Platform &platform, const hpart::FrontRequest &request);
hpart::Schedule compute_schedule(const hpart::Platform &platform, const hpart::ScheduleRequest &request);

// Pairs (time, energy).
std::vector<std::pair<double, double>> front_of(const hpart::Platform &platform, std::int64_t n,
                                                hpart::FrontEnergy energy = hpart::FrontEnergy::dynamic,
                                                const char *method = "exact");

// Solves with all defaults, or throws.
hpart::Distribution solve(const hpart::Platform &platform, hpart::Objective objective, std::int64_t n,
                          hpart::Ties ties = hpart::Ties::deterministic, const char *method = "exact");

// x sums to n, every x_i is a usable size, and seconds and joules are those of x. True when it is so.
bool is_distribution(const hpart::Platform &platform, hpart::Objective objective, std::int64_t n,
                     const hpart::Distribution &found);

// A call's result; nothing where it is infeasible.
template <typename Call> auto unless_infeasible(const Call &call) -> std::optional<decltype(call())>
{
    try {
        return call();
    } catch (const hpart::Error &error) {
        EXPECT_EQ(error.status(), hpart::Status::infeasible) << error.what();
        return std::nullopt;
    }
}

// The method's optimum is that of `exact` within a relative tolerance, and it claims so if it is; or both find that there is none.
void agrees_with_exact(const hpart::Platform &platform, std::int64_t n, hpart::Objective objective, const char *method,
                       hpart::Ties ties, double tolerance);
// All points of the method's front are those of `exact`, or both find that there is none.
void front_agrees_with_exact(const hpart::Platform &platform, std::int64_t n, hpart::FrontEnergy energy,
                             const char *method);

std::int64_t count_active(const std::vector<std::int64_t> &x);

} // namespace checks
