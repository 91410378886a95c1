// Any options under any limits: what is written after a limit is true, against the answer without limits and the functions themselves.
#include "checks.hpp"
#include "combined_options.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/problem/instance.hpp"
#include "support/fake_clock.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

namespace
{

using hpart::infinity;

using combined::one_in;
using hpart::Objective;
using hpart::Platform;

// A second is a look at the clock.
hpart::Control any_limits(instances::Random &random)
{
    const auto seconds = std::pow(10, std::uniform_real_distribution<>(0, 2)(random));
    const auto bytes = std::pow(10, std::uniform_real_distribution<>(0, 6)(random));
    const bool by_time = one_in(random, 2);
    const bool by_memory = !by_time || one_in(random, 4);
    return {nullptr, by_time ? seconds : infinity,
            by_memory ? static_cast<std::int64_t>(bytes) : std::int64_t{1} << 30};
}

struct Call {
    hpart::PartitionRequest request;
    combined::Wanted wanted;

    bool needs_energies() const
    {
        return request.objective != Objective::time || request.options.is_set("energy_budget");
    }
};

void choose_method(instances::Random &random, Call &call)
{
    static constexpr std::array methods{"equal", "cpm", "fpm", "smooth-fpm", "balanced", "hpopta", "heopta", "htpopta"};
    const auto &wanted = call.wanted;
    const bool plain = !wanted.all_work && wanted.previous.empty() &&
                       wanted.most_active == std::numeric_limits<std::int64_t>::max() &&
                       !call.request.options.is_set("energy_budget");
    if (!plain) return;
    const auto k = instances::between(random, 0, 7);
    if (k >= 5 && k != 5 + static_cast<int>(call.request.objective)) return;
    call.request.method = methods[static_cast<std::size_t>(k)];
}

Call any_call(instances::Random &random, const Platform &platform)
{
    Call call;
    auto &[request, wanted] = call;
    auto &options = request.options;
    request.size = instances::between(random, 0, instances::largest_sum(platform) + 1);
    request.objective = static_cast<Objective>(instances::between(random, 0, 2));
    wanted = combined::any_constraints(random, platform, request.size, options, true);
    if (wanted.fewest) request.ties = hpart::Ties::fewest;
    if (one_in(random, 5)) options.set_text("interpolate", one_in(random, 2) ? "linear" : "akima");
    if (one_in(random, 4)) options.set_text("compare", "exact");
    const auto factor = 1 + 0.25 * static_cast<double>(instances::between(random, 0, 8));
    try {
        auto usual = checks::usual_control();
        const auto fastest = hpart::partition(platform, {Objective::time, request.size}, usual);
        if (request.objective == Objective::time) {
            if (one_in(random, 2) && fastest.joules == fastest.joules)
                options.set_double("energy_budget", factor * fastest.joules);
        } else if (one_in(random, 2)) {
            options.set_double("slowdown", factor);
        } else if (one_in(random, 3)) {
            options.set_double("deadline", factor * fastest.seconds);
        }
    } catch (const hpart::Error &) { // there is none
    }
    if (one_in(random, 3)) choose_method(random, call);
    return call;
}

std::string describe(const Platform &platform, const Call &call)
{
    const auto &[request, wanted] = call;
    auto out = hpart::text("method ", request.method, " objective ", static_cast<int>(request.objective));
    for (const auto *key : {"interpolate", "compare"}) out += hpart::text(' ', key, ' ', request.options.get_text(key));
    for (const auto *key : {"slowdown", "deadline", "energy_budget"})
        if (const auto bound = request.options.find_double(key)) out += hpart::text(' ', key, ' ', *bound);
    return out + '\n' + describe(platform, request.size, wanted);
}

// The point of a size, by the functions; nothing when the call may not use it.
std::optional<reference::Point> point_of(const Platform &platform, std::int64_t i, std::int64_t size, const Call &call)
{
    const auto kind = call.request.options.get_text("interpolate");
    if (size % call.wanted.block != 0) return std::nullopt;
    if (kind == "none") {
        for (const auto &point : reference::usable(platform, i, call.needs_energies()))
            if (point.size == size) return point;
        return std::nullopt;
    }
    const auto &limits = platform.processor(i).limits;
    if (size < limits.smallest || size > limits.largest) return std::nullopt;
    const auto value = [&](const std::vector<double> &values) {
        const auto curve = hpart::curve_of(
            platform.points(i), values, kind == "linear" ? hpart::Interpolation::linear : hpart::Interpolation::akima);
        return curve && curve->covers(size) ? curve->at(size) : std::nan("");
    };
    const auto seconds = value(platform.points(i).seconds);
    const auto joules = value(platform.points(i).joules);
    if (std::isnan(seconds) || (call.needs_energies() && std::isnan(joules))) return std::nullopt;
    return reference::Point{size, seconds, joules};
}

// x keeps the call's bounds, and seconds and joules are those of x.
void check_distribution(const Platform &platform, const Call &call, const hpart::Distribution &found,
                        std::optional<double> deadline)
{
    const auto &options = call.request.options;
    std::int64_t sum = 0;
    std::int64_t moved = 0;
    double seconds = 0;
    support::Expansion energy;
    bool has_energy = true;
    ASSERT_EQ(static_cast<std::int64_t>(found.x.size()), platform.count());
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto size = found.x[static_cast<std::size_t>(i)];
        if (!call.wanted.previous.empty())
            moved += std::max<std::int64_t>(0, size - call.wanted.previous[static_cast<std::size_t>(i)]);
        if (size == 0) continue;
        const auto point = point_of(platform, i, size, call);
        ASSERT_TRUE(point.has_value());
        sum += size;
        seconds = std::max(seconds, point->seconds);
        has_energy = has_energy && !std::isnan(point->joules);
        if (has_energy) energy.add(point->joules);
    }
    const auto active = checks::count_active(found.x);
    EXPECT_EQ(sum, call.request.size);
    EXPECT_EQ(found.seconds, seconds);
    const auto joules = has_energy ? energy.rounded() : std::numeric_limits<double>::quiet_NaN();
    if (call.request.objective == Objective::total_energy) energy.add_product(platform.base_power(), seconds);
    EXPECT_TRUE(has_energy ? found.joules == energy.rounded() : std::isnan(found.joules)) << found.joules;
    EXPECT_LE(active, call.wanted.most_active);
    EXPECT_LE(moved, call.wanted.most_moved);
    if (call.wanted.all_work) {
        EXPECT_EQ(active, platform.count());
    }
    if (deadline) {
        EXPECT_LE(seconds, *deadline);
    }
    EXPECT_FALSE(joules > options.find_double("energy_budget").value_or(infinity));
}

double real(const hpart::Distribution &found, const char *key) { return std::get<double>(found.report.get(key)); }

std::optional<double> deadline_of(const hpart::Distribution &found)
{
    if (found.report.find("deadline") == nullptr) return std::nullopt;
    return real(found, "deadline");
}

struct LimitCounts {
    int limits = 0;
    int with_distribution = 0;
};

void check_limited(const Platform &platform, const Call &call, const hpart::Distribution &limited,
                   const hpart::Distribution &best, const hpart::Distribution &whole)
{
    const auto objective = call.request.objective;
    EXPECT_LE(real(limited, "lower_bound"), checks::value_of(best, objective));
    EXPECT_EQ(std::get<std::int64_t>(limited.report.get("feasible")), limited.feasible ? 1 : 0);
    const auto deadline = deadline_of(whole);
    if (deadline_of(limited)) {
        EXPECT_EQ(deadline_of(limited), deadline);
    }
    if (limited.feasible) {
        check_distribution(platform, call, limited, deadline);
        EXPECT_GE(checks::value_of(limited, objective), checks::value_of(best, objective));
        EXPECT_EQ(real(limited, "gap"), checks::value_of(limited, objective) - real(limited, "lower_bound"));
    }
    if (limited.limit_reached) { // a bound may be met before it is known that nothing else is as good
        const bool proved = limited.feasible && checks::value_of(limited, objective) <= real(limited, "lower_bound");
        EXPECT_EQ(std::get<std::int64_t>(limited.report.get("optimal")), proved ? 1 : 0);
    } else {
        EXPECT_EQ(checks::value_of(limited, objective), checks::value_of(whole, objective));
        EXPECT_EQ(deadline_of(limited), deadline);
    }
}

void check_under_limits(instances::Random &random, const Platform &platform, const Call &call, LimitCounts &counts)
{
    std::optional<hpart::Distribution> whole;
    hpart::Distribution best;
    auto status = hpart::Status::success;
    try {
        whole = checks::partition(platform, call.request);
        check_distribution(platform, call, *whole, deadline_of(*whole));
        auto exact = call.request;
        exact.method = "exact";
        best = checks::partition(platform, exact);
    } catch (const hpart::Error &error) {
        status = error.status();
        EXPECT_EQ(status, hpart::Status::infeasible) << error.what();
    }
    for (int trial = 0; trial < 4; ++trial) {
        try {
            const support::FakeClock clock(1);
            auto control = any_limits(random);
            const auto limited = hpart::partition(platform, call.request, control);
            if (whole)
                check_limited(platform, call, limited, best, *whole);
            else
                EXPECT_TRUE(limited.limit_reached && !limited.feasible);
            counts.limits += limited.limit_reached ? 1 : 0;
            counts.with_distribution += limited.limit_reached && limited.feasible ? 1 : 0;
        } catch (const hpart::Error &error) {
            // Only where the points themselves are not complete is nothing known.
            const bool makes_points = call.request.options.get_text("interpolate") != "none";
            EXPECT_TRUE(error.status() == status || (makes_points && error.status() == hpart::Status::limit))
                << error.what();
        }
    }
}

TEST(RandomLimits, WhatIsWrittenIsTrue)
{
    auto random = instances::seeded(11);
    const auto count = instances::how_many(0.1);
    LimitCounts counts;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const bool large = one_in(random, 4);
        const auto platform =
            instances::any_platform(random, large ? instances::Extent{8, 30} : instances::Extent{4, 6});
        const auto call = any_call(random, platform);
        SCOPED_TRACE(describe(platform, call));
        check_under_limits(random, platform, call, counts);
    }
    EXPECT_GT(counts.limits, count / 8);
    EXPECT_GT(counts.with_distribution, count / 40);
}

} // namespace
