// Energies, sums of times, fronts and schedules with communication, and nodes that can be switched off: against all distributions.
#include "communication_costs.hpp"
#include "core/error.hpp"
#include "models/platform_file.hpp"
#include "partitioners/problem/communication.hpp"
#include "support/data.hpp"
#include "support/errors.hpp"
#include "support/expansion.hpp"
#include "support/fake_clock.hpp"
#include "support/random.hpp"

#include <array>
#include <gtest/gtest.h>
#include <map>

namespace
{

using namespace communication;
using hpart::Status;
using reference::for_each_distribution;
using support::Expansion;

// The documentation's energies, written down once more.
class Energies
{
  public:
    Energies(const Platform &platform, std::int64_t n, const Setting &setting)
        : platform_(platform), costs_(platform, n, setting), setting_(setting),
          order_(static_cast<double>(setting.matrix_order > 0 ? setting.matrix_order : n))
    {
    }

    double seconds(const Sizes &x) const { return costs_.seconds(x); }

    double joules(const Sizes &x) const { return dynamic(x).rounded(); }

    double total(const Sizes &x) const
    {
        auto sum = dynamic(x);
        sum.add_product(platform_.base_power(), seconds(x));
        for (const auto &node : platform_.nodes()) {
            bool works = false;
            for (auto i = node.first; i <= node.last; ++i) works = works || at(x, i) > 0;
            if (works) sum.add_product(node.watts, seconds(x));
        }
        return sum.rounded();
    }

    double sum_of_times(const Sizes &x) const
    {
        auto sum = of_links(x, true);
        for (std::int64_t i = 0; i < platform_.count(); ++i)
            if (const auto size = at(x, i); size > 0) sum.add(costs_.alone(i, size));
        return sum.rounded();
    }

  private:
    static std::int64_t at(const Sizes &x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; }

    Expansion dynamic(const Sizes &x) const
    {
        auto sum = of_links(x, false);
        for (std::int64_t i = 0; i < platform_.count(); ++i)
            if (const auto size = at(x, i); size > 0) sum.add(joules_alone(i, size));
        return sum;
    }

    double joules_alone(std::int64_t i, std::int64_t size) const
    {
        const auto &points = platform_.points(i);
        const auto own = points.joules[points.find(size)];
        if (setting_.communication == "none") return own;
        auto bytes = setting_.unit_bytes * static_cast<double>(size);
        if (setting_.communication == "host") bytes = platform_.border_bytes() + bytes;
        const bool moves = setting_.communication == "host" || setting_.unit_bytes > 0;
        return moves ? own + platform_.processor(i).host_link.joules_per_byte * bytes : own;
    }

    // Neighbours in the chain, or SUMMA's broadcasts.
    Expansion of_links(const Sizes &x, bool as_seconds) const
    {
        Expansion sum;
        Sizes active;
        for (std::int64_t i = 0; i < platform_.count(); ++i)
            if (at(x, i) > 0) active.push_back(i);
        const auto bytes = platform_.border_bytes();
        for (std::size_t k = 1; k < active.size() && setting_.communication == "chain"; ++k) {
            const auto a = active[k - 1], b = active[k];
            if (as_seconds) {
                sum.add(costs_.exchange(a, b));
                sum.add(costs_.exchange(a, b));
                continue;
            }
            const auto hosts =
                platform_.processor(a).host_link.joules_per_byte + platform_.processor(b).host_link.joules_per_byte;
            sum.add(bytes *
                    ((platform_.link(a, b).joules_per_byte + platform_.link(b, a).joules_per_byte) + 2 * hosts));
        }
        if (setting_.communication != "summa" || active.empty()) return sum;
        const auto q = static_cast<double>(active.size());
        double byte = 0;
        for (const auto &[ends, link] : platform_.links()) byte = std::max(byte, link.joules_per_byte);
        const auto own = 4 * (1 - 1 / std::sqrt(q)) * order_ * order_ / std::sqrt(q) * (8 * byte);
        for (std::size_t k = 0; k < active.size(); ++k) sum.add(as_seconds ? costs_.summa(q) : own);
        return sum;
    }

    const Platform &platform_;
    Costs costs_;
    Setting setting_;
    double order_;
};

constexpr auto unreachable = std::numeric_limits<double>::infinity();

struct LeastValues {
    double joules = unreachable, total = unreachable, sum = unreachable;
    std::map<double, double> front, total_front; // least energy of each time
};

LeastValues least_of_all(const Platform &platform, std::int64_t n, const Energies &energies, double deadline)
{
    LeastValues least;
    for_each_distribution(platform, n, true, [&](const Sizes &x) {
        const auto seconds = energies.seconds(x);
        if (seconds > deadline) return;
        const auto joules = energies.joules(x), total = energies.total(x);
        least.joules = std::min(least.joules, joules);
        least.total = std::min(least.total, total);
        for (auto [front, value] : {std::pair{&least.front, joules}, {&least.total_front, total}}) {
            const auto [place, is_new] = front->emplace(seconds, value);
            if (!is_new) place->second = std::min(place->second, value);
        }
    });
    for (auto *front : {&least.front, &least.total_front}) {
        auto lowest = unreachable;
        std::erase_if(*front, [&](const auto &point) {
            const bool is_dominated = point.second >= lowest;
            lowest = std::min(lowest, point.second);
            return is_dominated;
        });
    }
    for_each_distribution(platform, n, false,
                          [&](const Sizes &x) { least.sum = std::min(least.sum, energies.sum_of_times(x)); });
    return least;
}

hpart::Distribution evaluated(const Platform &platform, const Sizes &x, std::int64_t n, const Setting &setting)
{
    return hpart::evaluate(platform, x, request_of(n, setting).options);
}

template <typename Solve> auto solved(const Solve &solve, bool is_feasible) -> std::optional<decltype(solve())>
{
    auto found = checks::unless_infeasible(solve);
    EXPECT_EQ(found.has_value(), is_feasible);
    return found;
}

void set_any_energies(instances::Random &random, Platform &platform)
{
    const auto style = instances::between(random, 0, 3);
    const auto joules = [&] {
        if (style == 0 || instances::between(random, 0, 3) == 0) return 0.0;
        if (style == 1) return static_cast<double>(instances::between(random, 1, 4));
        return std::uniform_real_distribution<>(0, style == 2 ? 3 : 1e-3)(random);
    };
    for (std::int64_t a = 0; a < platform.count(); ++a) {
        auto host = platform.processor(a).host_link;
        host.joules_per_byte = joules();
        platform.set_host_link(a, host);
        for (std::int64_t b = 0; b < platform.count(); ++b) {
            if (a == b) continue;
            auto link = platform.link(a, b);
            link.joules_per_byte = joules();
            platform.set_link(a, b, link);
        }
    }
}

void set_any_nodes(instances::Random &random, Platform &platform)
{
    for (std::int64_t first = 0; first < platform.count();) {
        const auto last = instances::between(random, first, platform.count() - 1);
        const auto style = instances::between(random, 0, 2);
        const auto watts = style == 0   ? 0.0
                           : style == 1 ? static_cast<double>(instances::between(random, 1, 5))
                                        : std::uniform_real_distribution<>(0, 50)(random);
        platform.set_node({first, last, watts});
        first = last + 1;
    }
}

void optima_are_least(instances::Random &random, const Setting &setting, Platform &platform, std::int64_t n)
{
    const Energies energies(platform, n, setting);
    auto deadline = unreachable;
    if (instances::between(random, 0, 2) == 0) // the time of some distribution, or a little less
        for_each_distribution(platform, n, true, [&](const Sizes &x) {
            if (instances::between(random, 0, 3) > 0) return;
            deadline = energies.seconds(x);
            if (instances::between(random, 0, 3) == 0) deadline = std::nextafter(deadline, 0.0);
        });
    const auto least = least_of_all(platform, n, energies, deadline);
    const auto requested = [&](Objective objective) {
        auto request = request_of(n, setting);
        request.objective = objective;
        if (deadline != unreachable) request.options.set_double("deadline", deadline);
        return request;
    };
    for (const auto objective : {Objective::energy, Objective::total_energy}) {
        const bool total = objective == Objective::total_energy;
        const auto found =
            solved([&] { return checks::partition(platform, requested(objective)); }, least.joules < unreachable);
        if (!found) continue;
        ASSERT_FALSE(found->limit_reached);
        ASSERT_EQ(found->joules, total ? least.total : least.joules);
        ASSERT_EQ(found->seconds, energies.seconds(found->x));
        ASSERT_LE(found->seconds, deadline);
        ASSERT_EQ(found->joules, total ? energies.total(found->x) : energies.joules(found->x));
        ASSERT_EQ(real(*found, "lower_bound"), found->joules);
        const auto again = evaluated(platform, found->x, n, setting);
        ASSERT_EQ(again.seconds, found->seconds);
        ASSERT_EQ(again.joules, energies.joules(found->x));
        ASSERT_EQ(real(again, "total_energy"), energies.total(found->x));
    }
    for (const auto energy : {hpart::FrontEnergy::dynamic, hpart::FrontEnergy::total}) {
        const bool total = energy == hpart::FrontEnergy::total;
        const auto front = solved(
            [&] {
                return checks::compute_front(platform, {n, energy, "exact", requested(Objective::energy).options});
            },
            least.joules < unreachable);
        if (!front) continue;
        std::map<double, double> points;
        for (const auto &point : front->points) {
            points.emplace(point.seconds, point.joules);
            ASSERT_EQ(point.seconds, energies.seconds(point.x));
            ASSERT_EQ(point.joules, total ? energies.total(point.x) : energies.joules(point.x));
        }
        ASSERT_EQ(points, total ? least.total_front : least.front);
    }
    const auto summed = solved(
        [&] {
            auto request = request_of(n, setting);
            request.objective = Objective::sum_time;
            return checks::partition(platform, request);
        },
        least.sum < unreachable);
    if (!summed) return;
    ASSERT_EQ(summed->seconds, least.sum);
    ASSERT_EQ(summed->seconds, energies.sum_of_times(summed->x));
}

void agrees(std::uint64_t stream, const char *communication, double share)
{
    instances::for_each_instance(stream, share, [&](auto &random, auto k) {
        const auto extent = k % 8 == 0 ? instances::Extent{6, 3} : instances::Extent{4, 6};
        auto platform = instances::any_platform(random, extent);
        if (!platform.has_base_power()) platform.set_base_power(3);
        set_any_links(random, platform);
        set_any_energies(random, platform);
        if (instances::between(random, 0, 1) == 0) set_any_nodes(random, platform);
        const auto n = instances::any_size(random, platform, 1000);
        const auto setting = any_setting(random, communication);
        SCOPED_TRACE(std::string(communication) + " " + std::to_string(k) + instances::describe(platform, n));
        optima_are_least(random, setting, platform, n);
    });
}

// The margin of rounding of energies near the smallest double is not 0, with which the search would not end.
TEST(ArrangedEnergy, EndsForTheSmallestEnergies)
{
    auto random = support::seeded(145);
    const auto any = [&](std::int64_t low, std::int64_t high) {
        return static_cast<double>(instances::between(random, low, high));
    };
    for (int k = 0; k < 50; ++k) {
        auto platform = instances::full_platform(
            3, 3, [&](auto, auto) { return any(1, 5); },
            [&](auto, auto) { return std::numeric_limits<double>::denorm_min() * any(0, 4); });
        platform.set_base_power(0);
        set_any_links(random, platform);
        for (const auto *communication : {"chain", "summa"})
            optima_are_least(random, any_setting(random, communication), platform, 5);
    }
}

TEST(ArrangedEnergy, HostAgreesWithEnumeration) { agrees(141, "host", 0.04); }
TEST(ArrangedEnergy, ChainAgreesWithEnumeration) { agrees(142, "chain", 0.1); }
TEST(ArrangedEnergy, SummaAgreesWithEnumeration) { agrees(143, "summa", 0.04); }
TEST(ArrangedEnergy, NodesAgreeWithEnumeration) { agrees(144, "none", 0.06); }

// Time x and energy 3 x + 1 on each processor.
Platform alike_with_energies(std::int64_t processors, std::int64_t points)
{
    auto platform = instances::full_platform(
        processors, points, [](auto, auto x) { return static_cast<double>(x); },
        [](auto, auto x) { return static_cast<double>(3 * x + 1); });
    platform.set_base_power(0);
    return platform;
}

hpart::Distribution by(const Platform &platform, std::int64_t n, Objective objective, const Setting &setting,
                       const std::vector<std::pair<const char *, double>> &reals = {})
{
    auto request = request_of(n, setting);
    request.objective = objective;
    for (const auto &[key, value] : reals) request.options.set_double(key, value);
    return checks::partition(platform, request);
}

TEST(ArrangedEnergy, ByHand)
{
    auto platform = alike_with_energies(2, 9);
    platform.set_border_bytes(10);
    platform.set_link(0, 1, {1, 10, 0.5});
    platform.set_link(1, 0, {0, 5, 0});
    // An exchange takes 2 s and 5 J. 9 on one: 28 J, 9 s. On two: 29 + 5 J, 5 + 2 s.
    EXPECT_EQ(by(platform, 9, Objective::energy, {}).joules, 28);
    const auto fast = by(platform, 9, Objective::energy, {}, {{"deadline", 8.9}});
    EXPECT_EQ(fast.joules, 34);
    EXPECT_EQ(real(fast, "communication_joules"), 5);
    EXPECT_EQ(real(fast, "communication_seconds"), 2);
    EXPECT_EQ(by(platform, 9, Objective::energy, {}, {{"slowdown", 1}}).seconds, 7);
    platform.set_base_power(10); // 28 + 90 or 34 + 70
    EXPECT_EQ(by(platform, 9, Objective::total_energy, {}).joules, 104);
    platform.set_node({1, 1, 1.5}); // 7 s x 1.5 W
    EXPECT_EQ(by(platform, 9, Objective::total_energy, {}).joules, 114.5);
    platform.set_node({1, 1, 3}); // 125: processor 0 alone
    EXPECT_EQ(by(platform, 9, Objective::total_energy, {}).x, (Sizes{9, 0}));
    EXPECT_EQ(by(platform, 9, Objective::time, {}).joules, 34) << "the energy of the least time has the exchange";
}

TEST(ArrangedEnergy, NodesAreSwitchedOffWhole)
{
    auto platform = alike_with_energies(4, 8);
    platform.set_node({0, 1, 20});
    platform.set_node({2, 3, 21});
    // 8 on a node: 26 J, 4 s x 20 W. On both: 28 J, 2 s x 41 W. On one processor: 25 J, 8 s x 20 W.
    const auto found = by(platform, 8, Objective::total_energy, {.communication = "none"});
    EXPECT_EQ(found.joules, 106);
    EXPECT_EQ(found.x[2] + found.x[3], 0);
    platform.set_base_power(2); // 114 or 28 + 86
    EXPECT_EQ(by(platform, 8, Objective::total_energy, {.communication = "none"}).joules, 114);
    platform.set_base_power(3); // 118 or 116
    EXPECT_EQ(by(platform, 8, Objective::total_energy, {.communication = "none"}).x, (Sizes{2, 2, 2, 2}));
}

TEST(ArrangedEnergy, PackagesPayTheirOwnTransfers)
{
    instances::for_each_instance(145, 0.05, [](auto &random, auto) {
        auto platform = instances::any_platform(random, {3, 4});
        set_any_links(random, platform);
        const auto n = instances::any_size(random, platform, 40);
        const auto setting = any_setting(random, "host");
        const Costs costs(platform, n, setting);
        auto with_costs = platform;
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            Sizes sizes;
            std::vector<double> seconds;
            for (const auto &point : reference::usable(platform, i, false)) {
                sizes.push_back(point.size);
                seconds.push_back(costs.alone(i, point.size));
            }
            with_costs.set_time_function(i, sizes, seconds);
        }
        const auto expected = reference::schedule(with_costs, n).makespan;
        const auto found = solved(
            [&] {
                hpart::ScheduleRequest request{n, "exact", hpart::Ties::deterministic, {}};
                request.options.set_text("communication", "host");
                request.options.set_double("unit_bytes", setting.unit_bytes);
                return checks::compute_schedule(platform, request);
            },
            expected.has_value());
        if (!found) return;
        EXPECT_EQ(found->makespan, *expected) << instances::describe(platform, n);
        EXPECT_LE(std::get<double>(found->report.get("compute_seconds")), found->makespan);
    });
}

// Whatever the limits are, a distribution or a bound is given, and both are true.
TEST(ArrangedEnergy, AnyLimitsLeaveTheTruth)
{
    auto random = support::seeded(146);
    const auto count = instances::how_many(0.05);
    std::int64_t at_limit = 0;
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        auto platform = instances::any_platform(random, {4, 6});
        if (!platform.has_base_power()) platform.set_base_power(3);
        set_any_links(random, platform);
        set_any_energies(random, platform);
        set_any_nodes(random, platform);
        const auto n = instances::any_size(random, platform, 1000);
        const auto setting = any_setting(random, k % 3 == 0 ? "none" : k % 3 == 1 ? "chain" : "summa");
        const Energies energies(platform, n, setting);
        const auto least = least_of_all(platform, n, energies, unreachable);
        SCOPED_TRACE(setting.communication + instances::describe(platform, n));
        auto request = request_of(n, setting);
        request.objective = Objective::total_energy;
        const bool by_time = instances::between(random, 0, 1) == 0;
        const support::FakeClock clock(1); // a second is a look at it
        const auto looks = static_cast<double>(std::int64_t{1} << instances::between(random, 0, 8));
        hpart::Control control(nullptr, by_time ? looks : unreachable,
                               by_time ? std::int64_t{1} << 30 : std::int64_t{1} << instances::between(random, 4, 18));
        try {
            const auto found = hpart::partition(platform, request, control);
            if (found.feasible) {
                ASSERT_EQ(found.joules, energies.total(found.x));
                ASSERT_TRUE(found.limit_reached || found.joules == least.total);
            }
            ASSERT_LE(real(found, "lower_bound"), least.total);
            at_limit += found.limit_reached ? 1 : 0;
        } catch (const hpart::Error &error) {
            ASSERT_EQ(error.status(), Status::infeasible) << error.what();
            ASSERT_EQ(least.total, unreachable);
        }
    }
    EXPECT_GT(at_limit, count / 10);
}

// A set of losses knows nothing beyond its highest one: sanitizers see a read of it.
TEST(ArrangedEnergy, FrontOfHugeSizesInAChain)
{
    constexpr std::int64_t n = 890'247;
    const auto platform = hpart::read_platform(support::data("chain-total-front.csv"));
    const Setting setting{.communication = "chain"};
    const auto expected = least_of_all(platform, n, Energies(platform, n, setting), unreachable).total_front;
    ASSERT_FALSE(expected.empty());
    auto options = request_of(n, setting).options;
    options.set_int("memory_limit", 1 << 24);
    for (int call = 0; call < 3; ++call) {
        std::map<double, double> points;
        for (const auto &point :
             checks::compute_front(platform, {n, hpart::FrontEnergy::total, "exact", options}).points)
            points.emplace(point.seconds, point.joules);
        ASSERT_EQ(points, expected);
    }
}

TEST(ArrangedEnergy, SaysWhatItCannotDo)
{
    auto platform = alike_with_energies(3, 4);
    platform.set_node({0, 1, 5});
    const auto refused = [&](const char *words, const auto &change, Objective objective = Objective::total_energy) {
        auto request = request_of(5, {});
        request.objective = objective;
        request.options.set_text("communication", "none");
        change(request);
        EXPECT_NE(support::message_of([&] { checks::partition(platform, request); }).find(words), std::string::npos)
            << words;
    };
    refused("total energy with nodes that can be switched off only", [](auto &r) { r.ties = hpart::Ties::fewest; });
    refused("nodes that can be switched off does not keep max_active",
            [](auto &r) { r.options.set_int("max_active", 2); });
    refused("method 'equal' does not keep a deadline with communication 'chain'", [](auto &r) {
        r.method = "equal";
        r.options.set_text("communication", "chain");
        r.options.set_double("deadline", 3);
    });
    platform.set_link(0, 1, {});
    refused("takes at most 1.5 s, the deadline; the least time is 2 s", [](auto &r) {
        r.options.set_text("communication", "summa");
        r.options.set_int("matrix_order", 1);
        r.options.set_int("matrix_block", 1);
        r.options.set_double("deadline", 1.5);
    });
    hpart::FrontRequest front{5, hpart::FrontEnergy::total, "hepopta", {}};
    front.method = "htpopta";
    EXPECT_NE(support::message_of([&] {
                  checks::compute_front(platform, front);
              }).find("method 'htpopta' has no front with total energy with nodes"),
              std::string::npos);
    hpart::ScheduleRequest schedule{5, "exact", hpart::Ties::deterministic, {}};
    schedule.options.set_text("communication", "chain");
    EXPECT_EQ(support::message_of([&] { checks::compute_schedule(platform, schedule); }),
              "option 'communication' is 'chain'; in schedule it must be one of none|host");
}

} // namespace
