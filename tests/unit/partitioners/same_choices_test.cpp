// Among equal optima the choice stays the same from version to version: hashes of the distributions of 2,000 instances, a family of calls
// each. A change of a hash is a change of answers that users may compare: decide it, then store the new one. With
// HPART_TEST_CHOICES=FILE the distributions are appended to FILE, so that those of two versions can be compared.
#include "checks.hpp"
#include "combined_options.hpp"
#include "core/containers.hpp"
#include "instances.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

namespace
{

using hpart::Objective;
using hpart::PartitionRequest;
using hpart::Platform;
using instances::Random;

using Preparation = std::function<void(Random &, const Platform &, PartitionRequest &)>;

struct Family {
    const char *name;
    std::uint64_t hash;
    Preparation prepare;
    bool is_front = false;
    bool has_links = false;
};
std::ostream &operator<<(std::ostream &out, const Family &family) { return out << family.name; }

Preparation plain(Objective objective, hpart::Ties ties = hpart::Ties::deterministic)
{
    return [=](auto &, auto &, auto &request) { request.objective = objective, request.ties = ties; };
}

Preparation bounded(Objective objective)
{
    return [=](auto &random, auto &platform, auto &request) {
        request.objective = objective;
        if (combined::any_constraints(random, platform, request.size, request.options, true).fewest)
            request.ties = hpart::Ties::fewest;
        if (objective == Objective::time && combined::one_in(random, 3))
            request.options.set_double("energy_budget", static_cast<double>(instances::between(random, 1, 2000)));
    };
}

Preparation slowed(Objective objective, hpart::Ties ties)
{
    return [=](auto &random, auto &, auto &request) {
        request.objective = objective, request.ties = ties;
        request.options.set_double("slowdown", 1 + 0.25 * static_cast<double>(instances::between(random, 0, 8)));
    };
}

Preparation by_method(const char *method)
{
    return [=](auto &, auto &, auto &request) { request.method = method; };
}

Preparation over_links(Objective objective)
{
    return [=](auto &random, auto &, auto &request) {
        request.objective = objective;
        request.options.set_text("communication", combined::one_in(random, 2) ? "chain" : "summa");
        request.options.set_double("unit_bytes", 1e9);
    };
}

// Every third platform has larger functions, every fifth each function on three processors.
Platform any_platform(Random &random, std::int64_t k, bool has_links)
{
    const auto larger = k % 3 == 0 ? instances::Extent{16, 60} : instances::Extent{6, 12, true};
    auto platform = instances::any_platform(random, has_links ? instances::Extent{4, 8} : larger);
    for (std::int64_t i = 1; has_links && i < platform.count(); ++i)
        platform.set_link(i - 1, i, {static_cast<double>(instances::between(random, 1, 9)), 1e9, 1e-9});
    return k % 5 == 0 && !has_links ? platform.replicate(3) : platform;
}

std::vector<std::vector<std::int64_t>> choices_of(const Platform &platform, const PartitionRequest &request,
                                                  bool is_front)
{
    std::vector<std::vector<std::int64_t>> choices;
    if (!is_front) {
        const auto found = checks::unless_infeasible([&] { return checks::partition(platform, request); });
        if (found) choices.push_back(found->x);
        return choices;
    }
    const hpart::FrontRequest front_request{request.size, hpart::FrontEnergy::dynamic, "exact", request.options};
    const auto front = checks::unless_infeasible([&] { return checks::compute_front(platform, front_request); });
    if (front)
        for (const auto &point : front->points) choices.push_back(point.x);
    return choices;
}

class SameChoices : public testing::TestWithParam<Family>
{
};

TEST_P(SameChoices, AsInTheVersionBefore)
{
    const auto &family = GetParam();
    const auto *path = std::getenv("HPART_TEST_CHOICES");
    std::ofstream file;
    if (path != nullptr) file.open(path, std::ios::app);
    Random random(2026);
    std::uint64_t hash = 0;
    for (std::int64_t k = 0; k < 100; ++k) {
        const auto platform = any_platform(random, k, family.has_links);
        PartitionRequest request;
        request.size = instances::any_size(random, platform, 2000);
        family.prepare(random, platform, request);
        const auto choices = choices_of(platform, request, family.is_front);
        if (file.is_open()) file << '\n' << family.name << ' ' << k;
        for (const auto &x : choices) {
            hash = hpart::add_to_hash<std::int64_t>(hash, x);
            for (const auto size : x)
                if (file.is_open()) file << ' ' << size;
        }
        hash = hpart::add_to_hash<std::int64_t>(hash, std::array{static_cast<std::int64_t>(choices.size())});
    }
    EXPECT_EQ(hash, family.hash) << "0x" << std::hex << hash;
}

INSTANTIATE_TEST_SUITE_P(
    Families, SameChoices,
    testing::Values(
        Family{"Time", 0xe77c17c3cb36c4daU, plain(Objective::time)},
        Family{"TimeFewest", 0xaa82a20b35208063U, plain(Objective::time, hpart::Ties::fewest)},
        Family{"Energy", 0x163e27a46bc442b2U, plain(Objective::energy)},
        Family{"EnergyFewest", 0x51a6834e792f017fU, plain(Objective::energy, hpart::Ties::fewest)},
        Family{"TotalEnergy", 0xfc9a097ed1819818U, plain(Objective::total_energy)},
        Family{"TotalEnergyFewest", 0x079c9491219840ebU, plain(Objective::total_energy, hpart::Ties::fewest)},
        Family{"SumTime", 0xe49a6e17c23a27bfU, plain(Objective::sum_time)},
        Family{"SumTimeFewest", 0x113727a56d00b162U, plain(Objective::sum_time, hpart::Ties::fewest)},
        Family{"BoundedTime", 0x7b47b02f8a292ba4U, bounded(Objective::time)},
        Family{"BoundedEnergy", 0xba19456fbe2e6124U, bounded(Objective::energy)},
        Family{"BoundedTotalEnergy", 0xf85b56566c4860acU, bounded(Objective::total_energy)},
        Family{"SlowedEnergy", 0xc90a3442053e7cafU, slowed(Objective::energy, hpart::Ties::deterministic)},
        Family{"SlowedEnergyFewest", 0xd4692df013730ffdU, slowed(Objective::energy, hpart::Ties::fewest)},
        Family{"SlowedSumTime", 0x7981498bd13336feU, slowed(Objective::sum_time, hpart::Ties::fewest)},
        Family{"Front", 0x88c9734a3173adbfU, plain(Objective::energy), true},
        Family{"SlowedFront", 0x2a3505991b293a5cU, slowed(Objective::energy, hpart::Ties::deterministic), true},
        Family{"Equal", 0x5ecfbf088fe9b9c0U, by_method("equal")}, Family{"Fpm", 0x1ef44819a24cb396U, by_method("fpm")},
        Family{"TimeOverLinks", 0x3b29c43e98a88284U, over_links(Objective::time), false, true},
        Family{"EnergyOverLinks", 0xe6e6d1bb3b1a17fcU, over_links(Objective::energy), false, true}),
    [](const auto &family) { return std::string(family.param.name); });

} // namespace
