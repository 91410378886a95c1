// The cost of a distribution with communication, as the documentation says, written down once more; and random links and settings.
#pragma once

#include "checks.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace communication
{

using hpart::Distribution;
using hpart::Link;
using hpart::Objective;
using hpart::Platform;
using Sizes = std::vector<std::int64_t>;

struct Setting {
    std::string communication = "chain";
    std::string method = "exact";
    double unit_bytes = 0;
    std::int64_t matrix_order = 0;
    std::int64_t matrix_block = 256;
    bool compare = false;
};

inline hpart::PartitionRequest request_of(std::int64_t n, const Setting &setting)
{
    hpart::PartitionRequest request{Objective::time, n, setting.method};
    request.options.set_text("communication", setting.communication);
    request.options.set_double("unit_bytes", setting.unit_bytes);
    request.options.set_int("matrix_order", setting.matrix_order);
    request.options.set_int("matrix_block", setting.matrix_block);
    if (setting.compare) request.options.set_text("compare", "exact");
    return request;
}

inline Distribution solve(const Platform &platform, std::int64_t n, const Setting &setting)
{
    return checks::partition(platform, request_of(n, setting));
}

inline double real(const Distribution &found, const char *key) { return std::get<double>(found.report.get(key)); }

// The documentation's costs, written down once more.
class Costs
{
  public:
    Costs(const Platform &platform, std::int64_t n, Setting setting)
        : platform_(platform), n_(n), setting_(std::move(setting))
    {
    }

    double seconds(const Sizes &x) const
    {
        Sizes active;
        for (std::int64_t i = 0; i < platform_.count(); ++i)
            if (x[static_cast<std::size_t>(i)] > 0) active.push_back(i);
        auto least = in_order(x, active);
        if (setting_.communication == "chain-any")
            while (std::next_permutation(active.begin(), active.end())) least = std::min(least, in_order(x, active));
        return least;
    }

    double in_order(const Sizes &x, const Sizes &order) const
    {
        const bool chain = setting_.communication == "chain" || setting_.communication == "chain-any";
        double longest = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            auto seconds = alone(order[k], x[static_cast<std::size_t>(order[k])]);
            if (chain && k > 0) seconds += exchange(order[k - 1], order[k]);
            if (chain && k + 1 < order.size()) seconds += exchange(order[k], order[k + 1]);
            longest = std::max(longest, seconds);
        }
        return setting_.communication == "summa" ? longest + summa(static_cast<double>(order.size())) : longest;
    }

    double alone(std::int64_t i, std::int64_t size) const
    {
        const auto &points = platform_.points(i);
        const auto &link = platform_.processor(i).host_link;
        auto bytes = setting_.unit_bytes * static_cast<double>(size);
        if (setting_.communication == "none") return points.seconds[points.find(size)];
        if (setting_.communication == "host") bytes = platform_.border_bytes() + bytes;
        const bool moves = setting_.communication == "host" || setting_.unit_bytes > 0;
        const auto own = moves ? message(link, bytes) : 0;
        return points.seconds[points.find(size)] + own;
    }

    double exchange(std::int64_t a, std::int64_t b) const
    {
        const auto bytes = platform_.border_bytes();
        return std::max(message(platform_.link(a, b), bytes), message(platform_.link(b, a), bytes)) +
               (message(platform_.processor(a).host_link, bytes) + message(platform_.processor(b).host_link, bytes));
    }

    double summa(double q) const
    {
        if (q == 0) return 0;
        double latency = 0;
        double byte = 0;
        for (const auto &[ends, link] : platform_.links()) {
            latency = std::max(latency, link.latency_seconds);
            byte = std::max(byte, 1 / link.bytes_per_second);
        }
        const auto order = static_cast<double>(setting_.matrix_order > 0 ? setting_.matrix_order : n_);
        return (std::log2(q) + 2 * (std::sqrt(q) - 1)) * order / static_cast<double>(setting_.matrix_block) * latency +
               4 * (1 - 1 / std::sqrt(q)) * order * order / std::sqrt(q) * (8 * byte);
    }

  private:
    static double message(const Link &link, double bytes)
    {
        return link.latency_seconds + bytes / link.bytes_per_second;
    }

    const Platform &platform_;
    std::int64_t n_;
    Setting setting_;
};

inline std::optional<double> least_by_enumeration(const Platform &platform, std::int64_t n, const Costs &costs)
{
    std::optional<double> least;
    reference::for_each_distribution(platform, n, false, [&](const Sizes &x) {
        least = std::min(least.value_or(std::numeric_limits<double>::infinity()), costs.seconds(x));
    });
    return least;
}

inline Link any_link(instances::Random &random, std::int64_t style)
{
    switch (style) {
    case 0: return {static_cast<double>(instances::between(random, 0, 3)), 1};
    case 1: return {1, static_cast<double>(instances::between(random, 1, 4))};
    case 2: return {std::uniform_real_distribution<>(0, 3)(random), std::uniform_real_distribution<>(0.1, 9)(random)};
    default: return {0, std::numeric_limits<double>::infinity()};
    }
}

inline void set_any_links(instances::Random &random, Platform &platform)
{
    const auto style = instances::between(random, 0, 3);
    const auto host_style = instances::between(random, 0, 3);
    for (std::int64_t a = 0; a < platform.count(); ++a) {
        if (instances::between(random, 0, 1) == 0) platform.set_host_link(a, any_link(random, host_style));
        for (std::int64_t b = 0; b < platform.count(); ++b)
            if (a != b && instances::between(random, 0, 3) > 0) platform.set_link(a, b, any_link(random, style));
    }
    platform.set_border_bytes(static_cast<double>(instances::between(random, 0, 6)));
}

inline Setting any_setting(instances::Random &random, const char *communication)
{
    Setting setting{communication};
    if (instances::between(random, 0, 2) == 0)
        setting.unit_bytes = static_cast<double>(instances::between(random, 1, 3));
    setting.matrix_order = instances::between(random, 0, 20);
    setting.matrix_block = instances::between(random, 1, 9);
    return setting;
}

} // namespace communication
