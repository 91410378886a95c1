#include "reference.hpp"

#include "core/numbers.hpp"
#include "support/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>

namespace reference
{

using hpart::infinity;

namespace
{

using support::Expansion; // of energies and distances

void add_to_front(Front &front, double seconds, double joules)
{
    for (auto it = front.begin(); it != front.end() && it->first <= seconds; ++it)
        if (it->second <= joules) return;
    for (auto it = front.lower_bound(seconds); it != front.end();) it = it->second >= joules ? front.erase(it) : ++it;
    front[seconds] = joules;
}

void choose(const Menus &menus, std::int64_t left, std::vector<Point> &chosen,
            const std::function<void(const std::vector<Point> &)> &visit)
{
    if (chosen.size() == menus.size()) {
        if (left == 0) visit(chosen);
        return;
    }
    for (const auto &point : menus[chosen.size()]) {
        if (point.size > left) continue;
        chosen.push_back(point);
        choose(menus, left - point.size, chosen, visit);
        chosen.pop_back();
    }
}

// Every multiset of packages, from the largest on, each added one by one.
void pack(const std::vector<Point> &packages, std::size_t k, std::size_t total, double seconds,
          std::vector<double> &least)
{
    if (k == packages.size()) {
        least[total] = std::min(least[total], seconds);
        return;
    }
    for (; total < least.size(); total += static_cast<std::size_t>(packages[k].size)) {
        pack(packages, k + 1, total, seconds, least);
        seconds += packages[k].seconds;
    }
}

// Least value, and fewest active at it.
struct Best {
    double value = infinity;
    std::int64_t active = 0;
    bool any = false;
    void see(double candidate, std::int64_t candidate_active)
    {
        if (any && candidate > value) return;
        active = any && candidate == value ? std::min(active, candidate_active) : candidate_active;
        value = candidate;
        any = true;
    }
};

struct Collector {
    Best time, energy, total;
    Front front, total_front;
    double power;
    explicit Collector(double base_power) : power(base_power) {}
    void see(double seconds, const Expansion &sum, std::int64_t active)
    {
        const auto joules = sum.rounded();
        energy.see(joules, active);
        add_to_front(front, seconds, joules);
        if (std::isnan(power)) return;
        auto whole = sum;
        whole.add_product(power, seconds);
        total.see(whole.rounded(), active);
        add_to_front(total_front, seconds, whole.rounded());
    }
    Answers answers() const
    {
        Answers out;
        out.feasible_in_time = time.any;
        out.least_seconds = time.value;
        out.fewest_for_time = time.active;
        out.feasible_in_energy = energy.any;
        out.least_joules = energy.value;
        out.fewest_for_energy = energy.active;
        out.least_total = total.value;
        out.fewest_for_total = total.active;
        out.front = front;
        out.total_front = total_front;
        return out;
    }
};

__extension__ using Wide = __int128; // energies in a common unit: exact

// table[s]: least value of the processors so far that sum to s; `absent` where there is none.
template <typename Value, typename Usable, typename Combine>
std::optional<Value> run(const hpart::Platform &platform, std::int64_t n, bool with_energy, Value absent,
                         Usable is_usable, Combine combine)
{
    std::vector<Value> table(static_cast<std::size_t>(n) + 1, absent);
    table.at(0) = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        auto next = table; // idle
        for (const auto &point : usable(platform, i, with_energy)) {
            if (!is_usable(point)) continue;
            const auto size = static_cast<std::size_t>(point.size);
            for (std::size_t s = size; s < table.size(); ++s)
                if (table[s - size] != absent) next[s] = std::min(next[s], combine(table[s - size], point));
        }
        table.swap(next);
    }
    return table.back() == absent ? std::nullopt : std::optional<Value>(table.back());
}

// The power of two that makes all energies integers.
int scale_of(const hpart::Platform &platform)
{
    int lowest = 1024;
    int highest = -1074;
    for (std::int64_t i = 0; i < platform.count(); ++i)
        for (const auto &point : usable(platform, i, true)) {
            int exponent = 0;
            if (std::frexp(point.joules, &exponent) == 0) continue;
            lowest = std::min(lowest, exponent);
            highest = std::max(highest, exponent);
        }
    if (highest - lowest > 60) throw std::range_error("the energies are too unlike for this program");
    return 53 - lowest;
}

} // namespace

std::vector<Point> usable(const Platform &platform, std::int64_t processor, bool with_energy)
{
    std::vector<Point> out;
    const auto &entry = platform.processor(processor);
    for (std::size_t k = 0; k < entry.points().count(); ++k) {
        const Point point{entry.points().sizes[k], entry.points().seconds[k], entry.points().joules[k]};
        const bool within = point.size >= entry.limits.smallest && point.size <= entry.limits.largest;
        if (within && !std::isnan(point.seconds) && !(with_energy && std::isnan(point.joules))) out.push_back(point);
    }
    return out;
}

double count_combinations(const Platform &platform)
{
    double product = 1;
    for (std::int64_t i = 0; i < platform.count(); ++i) product *= 1 + static_cast<double>(platform.points(i).count());
    return product;
}

Menus menus(const Platform &platform, bool with_energy)
{
    Menus all;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        std::vector<Point> menu{{0, 0, 0}};
        for (const auto &point : usable(platform, i, with_energy)) menu.push_back(point);
        all.push_back(menu);
    }
    return all;
}

void for_each_choice(const Menus &menus, std::int64_t n, const std::function<void(const std::vector<Point> &)> &visit)
{
    std::vector<Point> chosen;
    choose(menus, n, chosen, visit);
}

void for_each_distribution(const Platform &platform, std::int64_t n, bool with_energy,
                           const std::function<void(const std::vector<std::int64_t> &)> &visit)
{
    for_each_choice(menus(platform, with_energy), n, [&](const auto &chosen) {
        std::vector<std::int64_t> x;
        for (const auto &point : chosen) x.push_back(point.size);
        visit(x);
    });
}

Answers brute_force(const Platform &platform, std::int64_t n)
{
    Collector collector(platform.base_power());
    for (const bool with_energy : {false, true})
        for_each_choice(menus(platform, with_energy), n, [&](const auto &chosen) {
            double seconds = 0;
            Expansion energy;
            std::int64_t active = 0;
            for (const auto &point : chosen) {
                seconds = std::max(seconds, point.seconds);
                if (with_energy) energy.add(point.joules);
                active += point.size > 0 ? 1 : 0;
            }
            if (with_energy)
                collector.see(seconds, energy, active);
            else
                collector.time.see(seconds, active);
        });
    return collector.answers();
}

Answers dynamic_program(const Platform &platform, std::int64_t n)
{
    // (time, energy, active) not dominated in all three, of each assigned size.
    struct Label {
        double seconds;
        Expansion energy;
        std::int64_t active;
    };
    const auto run = [&](bool with_energy) {
        const auto not_worse = [](const Label &x, const Label &y) {
            return x.seconds <= y.seconds && x.active <= y.active && x.energy <= y.energy;
        };
        using Layer = std::map<std::int64_t, std::vector<Label>>;
        Layer layer{{0, {{0, {}, 0}}}};
        for (const auto &menu : menus(platform, with_energy)) {
            Layer next;
            for (const auto &[assigned, labels_before] : layer)
                for (const auto &label : labels_before)
                    for (const auto &point : menu) {
                        if (point.size > n - assigned) continue;
                        const Label fresh{std::max(label.seconds, point.seconds),
                                          with_energy ? label.energy + point.joules : Expansion(),
                                          label.active + (point.size > 0 ? 1 : 0)};
                        auto &labels = next[assigned + point.size];
                        if (std::any_of(labels.begin(), labels.end(), [&](auto &l) { return not_worse(l, fresh); }))
                            continue;
                        labels.erase(
                            std::remove_if(labels.begin(), labels.end(), [&](auto &l) { return not_worse(fresh, l); }),
                            labels.end());
                        labels.push_back(fresh);
                    }
            layer = std::move(next);
        }
        return layer[n];
    };
    Collector collector(platform.base_power());
    for (const auto &label : run(false)) collector.time.see(label.seconds, label.active);
    for (const auto &label : run(true)) collector.see(label.seconds, label.energy, label.active);
    return collector.answers();
}

Optima plain_dynamic_program(const Platform &platform, std::int64_t n)
{
    const auto run = [&](bool with_energy) -> std::optional<double> {
        std::map<std::int64_t, Expansion> layer{{0, {}}};
        for (const auto &menu : menus(platform, with_energy)) {
            std::map<std::int64_t, Expansion> next;
            for (const auto &[assigned, value] : layer)
                for (const auto &point : menu) {
                    if (point.size > n - assigned) continue;
                    const auto fresh = with_energy ? value + point.joules : std::max(value, Expansion(point.seconds));
                    const auto [place, inserted] = next.try_emplace(assigned + point.size, fresh);
                    if (!inserted) place->second = std::min(place->second, fresh);
                }
            layer = std::move(next);
        }
        const auto found = layer.find(n);
        return found == layer.end() ? std::nullopt : std::optional<double>(found->second.rounded());
    };
    return {run(false), run(true)};
}

Balance balance(const Platform &platform, std::int64_t n)
{
    Balance best;
    for_each_choice(menus(platform, false), n, [&](const auto &chosen) {
        Balance candidate{true, 0, 0, 0};
        double shortest = infinity;
        for (const auto &point : chosen) {
            if (point.size == 0) continue;
            ++candidate.active;
            shortest = std::min(shortest, point.seconds);
            candidate.longest = std::max(candidate.longest, point.seconds);
        }
        candidate.spread = candidate.active == 0 ? 0 : candidate.longest - shortest;
        const auto key = [](const Balance &b) { return std::make_tuple(-b.active, b.spread, b.longest); };
        if (!best.feasible || key(candidate) < key(best)) best = candidate;
    });
    return best;
}

double least_distance(const Platform &platform, std::int64_t n, const std::vector<double> &shares)
{
    double best = -1;
    for_each_distribution(platform, n, false, [&](const auto &x) {
        Expansion distance;
        for (std::size_t i = 0; i < x.size(); ++i) distance.add(std::abs(static_cast<double>(x[i]) - shares[i]));
        if (best < 0 || distance.rounded() < best) best = distance.rounded();
    });
    return best;
}

ScheduleAnswer schedule(const Platform &platform, std::int64_t n)
{
    // totals[i][v]: least time of processor i for exactly v, by enumeration of all multisets of packages.
    std::vector<std::vector<double>> totals;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        auto packages = usable(platform, i, false);
        std::sort(packages.begin(), packages.end(), [](auto &a, auto &b) { return a.size > b.size; });
        totals.emplace_back(static_cast<std::size_t>(n) + 1, infinity);
        pack(packages, 0, 0, 0, totals.back());
    }
    // (time, active) not dominated, of each total.
    const auto last = static_cast<std::size_t>(n);
    std::map<std::size_t, Front> layer{{0, {{0, 0}}}};
    for (const auto &of_processor : totals) {
        std::map<std::size_t, Front> next;
        for (const auto &[a, front] : layer)
            for (const auto &[seconds, active] : front)
                for (std::size_t v = 0; a + v <= last; ++v)
                    if (of_processor[v] < infinity)
                        add_to_front(next[a + v], std::max(seconds, of_processor[v]), active + (v > 0 ? 1 : 0));
        layer = std::move(next);
    }
    const auto &front = layer[last];
    if (front.empty()) return {};
    return {front.begin()->first, static_cast<std::int64_t>(front.begin()->second)};
}

Platform platform_of(const std::vector<std::vector<Point>> &functions)
{
    Platform platform(static_cast<std::int64_t>(functions.size()));
    for (std::size_t i = 0; i < functions.size(); ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        std::vector<double> joules;
        for (const auto &point : functions[i]) {
            sizes.push_back(point.size);
            seconds.push_back(point.seconds);
            joules.push_back(point.joules);
        }
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, seconds);
        platform.set_energy_function(static_cast<std::int64_t>(i), sizes, joules);
    }
    return platform;
}

std::optional<double> dense_least_energy(const hpart::Platform &platform, std::int64_t n, double longest)
{
    const auto scale = scale_of(platform);
    const auto least = run(
        platform, n, true, Wide{1} << 126, [&](const Point &point) { return point.seconds <= longest; },
        [&](Wide value, const Point &point) { return value + static_cast<Wide>(std::ldexp(point.joules, scale)); });
    if (!least) return std::nullopt;
    return std::ldexp(static_cast<double>(*least), -scale);
}

std::optional<double> dense_least_time(const hpart::Platform &platform, std::int64_t n)
{
    return run(
        platform, n, false, std::numeric_limits<double>::infinity(), [](const Point &) { return true; },
        [](double value, const Point &point) { return std::max(value, point.seconds); });
}

} // namespace reference
