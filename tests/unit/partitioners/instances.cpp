#include "instances.hpp"

#include "core/text.hpp"
#include "models/platform_file.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace instances
{

namespace
{

std::vector<std::int64_t> sizes_of(Random &random, std::int64_t style, std::int64_t count, std::int64_t processor)
{
    std::vector<std::int64_t> sizes;
    const auto multiples = [&](std::int64_t step, double holes) {
        for (std::int64_t j = 1; j <= count; ++j)
            if (std::uniform_real_distribution<>(0, 1)(random) >= holes) sizes.push_back(j * step);
    };
    switch (style) {
    case 0: multiples(1, 0); break;
    case 1: // late start
        for (std::int64_t j = 0, start = between(random, 2, 9); j < count; ++j) sizes.push_back(start + j);
        break;
    case 2: multiples(between(random, 2, 7), 0.3); break;
    case 3: multiples(processor % 2 == 0 ? 7 : 16, 0.1); break;
    case 4: multiples(processor % 2 == 0 ? 1 : 50, 0.1); break;
    case 5: // parity: all odd but perhaps one
        for (std::int64_t j = 0; j < count; ++j) sizes.push_back(2 * j + 1);
        if (between(random, 0, 3) == 0) sizes.push_back(2 * between(random, 1, count));
        break;
    case 6: multiples(1, 0.5); break;
    default: // anywhere
        for (std::int64_t j = 0; j < count; ++j) sizes.push_back(between(random, 1, 4 * count));
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

double cost_of(Random &random, std::int64_t style, std::int64_t size)
{
    const auto x = static_cast<double>(size);
    switch (style) {
    case 0: return static_cast<double>(between(random, 1, 5));
    case 1: return static_cast<double>(between(random, 1, 1000));
    case 2: return 10 * x + static_cast<double>(between(random, 0, 40));
    case 3: return 3 * x;
    case 4: {
        const auto factor = between(random, 0, 2);
        return static_cast<double>(factor * between(random, 0, 1));
    }
    case 5: return 0.1 * x;
    case 6: return 0.1 * static_cast<double>(between(random, 1, 30));
    case 7: {
        const auto exponent = static_cast<int>(between(random, -60, 60));
        return std::ldexp(std::uniform_real_distribution<>(0.5, 1)(random), exponent);
    }
    case 8: return x + 0.001 * static_cast<double>(between(random, 0, 9)) + (size > 0 ? 5 : 0);
    case 9: return 0;
    default: return std::uniform_real_distribution<>(0, 1)(random);
    }
}

constexpr std::int64_t size_styles = 8;
constexpr std::int64_t cost_styles = 11;
constexpr std::int64_t largest_wide_sum = std::int64_t{1} << 62;

// A change of all costs of one kind: a bound or a rounding that forgets offsets or scales fails on these.
struct Look {
    double offset = 0;
    double scale = 1;
    double of(double cost) const { return scale * (cost + offset); }
};

Look any_look(Random &random)
{
    static constexpr double offsets[] = {100, 1000, 1e6, 1e9 + 0.1, 1e15, 0x1p53};
    static constexpr double scales[] = {1e-300, 0x1p-1040, 1e-150, 1.0 / 3, 1e100, 1e258};
    Look look;
    const auto kind = between(random, 0, 8);
    if (kind == 0 || kind == 2) look.offset = offsets[between(random, 0, 5)];
    if (kind == 1 || kind == 2) look.scale = scales[between(random, 0, 5)];

    return look;
}

} // namespace

hpart::Platform any_platform(Random &random, Extent extent)
{
    const auto p = between(random, 1, extent.most_processors);
    hpart::Platform platform(p);
    const auto size_style = between(random, 0, size_styles - 1);
    const auto time_style = between(random, 0, cost_styles - 1);
    const auto energy_style = between(random, 0, cost_styles - 1);
    const bool alike = between(random, 0, 5) == 0;
    const bool mixed = between(random, 0, 3) == 0;
    const bool gaps_in_energy = between(random, 0, 9) == 0;
    const auto time_look = any_look(random);
    const auto energy_look = any_look(random);
    const bool is_wide = extent.wide_sizes && between(random, 0, 3) == 0;
    const auto widening = is_wide ? largest_wide_sum / (p * 51 * extent.most_points) : 1;
    const bool is_ragged = is_wide && between(random, 0, 1) == 0;
    for (std::int64_t i = 0; i < p; ++i) {
        if (alike && i > 0) {
            const auto &first = platform.points(0);
            std::vector<std::int64_t> sizes = first.sizes;
            std::vector<double> seconds = first.seconds;
            platform.set_time_function(i, sizes, seconds);
            std::vector<std::int64_t> energy_sizes;
            std::vector<double> joules;
            for (std::size_t k = 0; k < first.count(); ++k)
                if (!std::isnan(first.joules[k])) {
                    energy_sizes.push_back(first.sizes[k]);
                    joules.push_back(first.joules[k]);
                }
            platform.set_energy_function(i, energy_sizes, joules);
            continue;
        }
        if (between(random, 0, 19) == 0) continue; // can do nothing
        const auto most = between(random, 1, extent.most_points);
        auto sizes = sizes_of(random, mixed ? between(random, 0, size_styles - 1) : size_style, most, i);
        for (auto &size : sizes) size = size * widening + (is_ragged ? between(random, 0, 3) : 0);
        std::vector<double> seconds;
        std::vector<std::int64_t> energy_sizes;
        std::vector<double> joules;
        for (const auto size : sizes) {
            seconds.push_back(time_look.of(cost_of(random, time_style, size)));
            if (gaps_in_energy && between(random, 0, 3) == 0) continue;
            energy_sizes.push_back(size);
            joules.push_back(energy_look.of(cost_of(random, energy_style, size)));
        }
        platform.set_time_function(i, sizes, seconds);
        platform.set_energy_function(i, energy_sizes, joules);
        if (between(random, 0, 9) == 0 && !sizes.empty()) {
            const auto smallest = between(random, 1, sizes.back());
            platform.set_limits(i, {smallest, between(random, smallest, sizes.back() + 2)});
        }
    }
    switch (between(random, 0, 3)) {
    case 0: platform.set_base_power(0); break;
    case 1: platform.set_base_power(static_cast<double>(between(random, 1, 5))); break;
    case 2: platform.set_base_power(0.1 * static_cast<double>(between(random, 1, 50))); break;
    default: platform.set_base_power(std::uniform_real_distribution<>(0, 1)(random));
    }
    return platform;
}

hpart::Platform full_platform(std::int64_t processors, std::int64_t points, const Cost &seconds, const Cost &joules)
{
    hpart::Platform platform(processors);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(points));
    std::iota(sizes.begin(), sizes.end(), 1);
    std::vector<double> costs(sizes.size());
    for (std::int64_t i = 0; i < processors; ++i) {
        const auto all = [&](const Cost &cost) -> const std::vector<double> & {
            std::transform(sizes.begin(), sizes.end(), costs.begin(), [&](auto size) { return cost(i, size); });
            return costs;
        };
        platform.set_time_function(i, sizes, all(seconds));
        if (joules) platform.set_energy_function(i, sizes, all(joules));
    }
    return platform;
}

hpart::Platform measured_platform(const std::string &file)
{
    auto platform = hpart::read_platform(support::data("measured/") + file);
    Random random(1);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto points = platform.points(i);
        std::vector<double> joules;
        for (const auto seconds : points.seconds)
            joules.push_back(seconds * static_cast<double>(10 + 7 * i) *
                             std::uniform_real_distribution<>(0.8, 1.2)(random));
        platform.set_energy_function(i, points.sizes, joules);
    }
    platform.set_base_power(35.5);
    return platform;
}

std::int64_t largest_sum(const hpart::Platform &platform)
{
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i)
        if (platform.points(i).count() > 0) sum += platform.points(i).sizes.back();
    return sum;
}

std::int64_t any_size(Random &random, const hpart::Platform &platform, std::int64_t most)
{
    const auto largest = largest_sum(platform);
    const bool is_wide = largest > largest_wide_sum / 1000;
    if (between(random, 0, 1) == 0) return between(random, 0, std::min(is_wide ? largest_wide_sum : most, largest + 3));
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &sizes = platform.points(i).sizes;
        if (sizes.empty() || between(random, 0, 2) == 0) continue;
        const auto size =
            sizes[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(sizes.size()) - 1))];
        if (is_wide || sum + size <= most) sum += size;
    }
    return sum;
}

std::string describe(const hpart::Platform &platform, std::int64_t n)
{
    auto out = hpart::text("n=", n, " base power=", platform.base_power(), "\n");
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &limits = platform.processor(i).limits;
        const auto &points = platform.points(i);
        out += hpart::text(i, " [", limits.smallest, ",", limits.largest, "]: ");
        for (std::size_t k = 0; k < points.count(); ++k)
            out += hpart::text("(", points.sizes[k], ",", points.seconds[k], ",", points.joules[k], ")");
        out += '\n';
    }
    return out;
}

hpart::Platform with_whole_energies(const hpart::Platform &platform)
{
    auto out = platform;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> joules;
        const auto &points = platform.points(i);
        for (std::size_t k = 0; k < points.count(); ++k) {
            if (std::isnan(points.joules[k])) continue;
            sizes.push_back(points.sizes[k]);
            joules.push_back(std::fmod(std::ceil(points.joules[k]), 1 << 20));
        }
        out.set_energy_function(i, sizes, joules);
    }
    return out;
}

hpart::Platform hard_platform(std::uint64_t seed, std::int64_t p, std::int64_t m, int bits)
{
    Random random(seed);
    hpart::Platform platform(p);
    for (std::int64_t i = 0; i < p; ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> costs;
        for (std::int64_t k = 1; k <= m; ++k) {
            sizes.push_back((k << bits) + between(random, 0, std::int64_t{1} << (bits - 1)));
            costs.push_back(static_cast<double>(sizes.back()) * std::uniform_real_distribution<>(1, 1.2)(random));
        }
        set_functions(platform, i, sizes, costs, costs);
    }
    platform.set_base_power(1);
    return platform;
}

std::int64_t hard_size(const hpart::Platform &platform)
{
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) n += platform.points(i).sizes[static_cast<std::size_t>(i % 7)];
    return n;
}

} // namespace instances
