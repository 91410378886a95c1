#include "combined_options.hpp"

#include "core/text.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string>

namespace combined
{

std::vector<Candidate> all_candidates(const hpart::Platform &platform, std::int64_t n, bool with_energy,
                                      const Wanted &wanted)
{
    reference::Menus points;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        points.emplace_back();
        if (!wanted.all_work) points.back().push_back({0, 0, 0});
        for (const auto &point : reference::usable(platform, i, with_energy))
            if (point.size % wanted.block == 0) points.back().push_back(point);
    }
    std::vector<Candidate> kept;
    reference::for_each_choice(points, n, [&](const auto &chosen) {
        Candidate candidate;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto &[size, seconds, joules] = chosen[i];
            candidate.x.push_back(size);
            candidate.seconds = std::max(candidate.seconds, seconds);
            if (!std::isnan(joules)) candidate.energy.add(joules);
            candidate.active += size > 0 ? 1 : 0;
            if (!wanted.previous.empty()) candidate.moved += std::max<std::int64_t>(0, size - wanted.previous[i]);
        }
        candidate.joules = candidate.energy.rounded();
        if (candidate.active <= wanted.most_active && candidate.moved <= wanted.most_moved)
            kept.push_back(std::move(candidate));
    });
    return kept;
}

bool one_in(instances::Random &random, std::int64_t count) { return instances::between(random, 1, count) == 1; }

Wanted any_constraints(instances::Random &random, const hpart::Platform &platform, std::int64_t n,
                       hpart::Options &options, bool with_ties)
{
    Wanted wanted;
    if (one_in(random, 4)) {
        wanted.block = instances::between(random, 1, 3);
        options.set_int("block", wanted.block);
    }
    if (one_in(random, 4)) {
        wanted.all_work = true;
        options.set_text("idle_processors", "forbidden");
    }
    if (one_in(random, 3)) {
        wanted.most_active = instances::between(random, 1, platform.count() + 1);
        options.set_int("max_active", wanted.most_active);
    }
    constexpr auto largest_with_previous = std::int64_t{1} << 53;
    if (n <= largest_with_previous && one_in(random, 3)) {
        // Small ones, or of the platform's own sizes.
        const bool own = one_in(random, 2);
        std::int64_t largest = 0;
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            const auto &sizes = platform.points(i).sizes;
            const auto count = static_cast<std::int64_t>(sizes.size());
            auto size = one_in(random, 3) ? 0 : instances::between(random, 0, 9);
            if (own && size > 0 && count > 0)
                size = sizes[static_cast<std::size_t>(instances::between(random, 0, count - 1))];
            wanted.previous.push_back(size);
            largest = std::max(largest, size);
        }
        options.set_previous(wanted.previous);
        if (one_in(random, 2)) {
            wanted.most_moved = instances::between(random, 0, 12);
            if (own) wanted.most_moved += instances::between(random, 0, 1) * largest;
            options.set_int("max_moved", wanted.most_moved);
        }
    }
    wanted.fewest = with_ties && one_in(random, 3) && (wanted.previous.empty() || options.is_set("max_moved"));
    if (wanted.fewest) options.set_text("ties", "fewest");
    return wanted;
}

std::string describe(const hpart::Platform &platform, std::int64_t n, const Wanted &wanted)
{
    auto out =
        hpart::text("block ", wanted.block, " all_work ", wanted.all_work ? 1 : 0, " active ", wanted.most_active,
                    " moved ", wanted.most_moved, " fewest ", wanted.fewest ? 1 : 0, " previous");
    for (const auto size : wanted.previous) out += hpart::text(' ', size);
    return out + '\n' + instances::describe(platform, n);
}

bool names_least(const std::string &message, const std::string &words, double least)
{
    const std::regex number(words + "(([0-9.]+)(e[-+]?[0-9]+)?)( [num]?s| J|)");
    std::smatch found;
    if (!std::regex_search(message, found, number)) return false;
    const std::string unit = found[4], digits = found[2];
    // As hpart reads it. stod refuses subnormal numbers.
    const double value = unit.ends_with("s") ? hpart::parse_time(found[1].str() + unit.substr(1)).value_or(-1)
                                             : std::strtod(found[1].str().c_str(), nullptr);
    const auto is_digit = [](char c) { return c >= '1' && c <= '9'; };
    const auto first = std::find_if(digits.begin(), digits.end(), is_digit);
    const auto last = std::find_if(digits.rbegin(), digits.rend(), is_digit).base();
    const auto count = std::count_if(first, std::max(first, last), [](char c) { return c != '.'; });
    return count <= 4 && value >= least && value <= 1.01 * least;
}

double least_seconds(const std::vector<Candidate> &all)
{
    auto least = std::numeric_limits<double>::infinity();
    for (const auto &candidate : all) least = std::min(least, candidate.seconds);
    return least;
}

double least_joules(const std::vector<Candidate> &all)
{
    auto least = std::numeric_limits<double>::infinity();
    for (const auto &candidate : all) least = std::min(least, candidate.joules);
    return least;
}

double any_bound(instances::Random &random, const std::vector<Candidate> &all, double Candidate::*value)
{
    if (all.empty() || one_in(random, 9)) return static_cast<double>(instances::between(random, 0, 3));
    const auto k = static_cast<std::size_t>(instances::between(random, 0, static_cast<std::int64_t>(all.size()) - 1));
    const auto bound = all[k].*value;
    return one_in(random, 3) ? std::max(0.0, std::nextafter(bound, 0)) : bound;
}

void keep(std::vector<Candidate> &all, double Candidate::*value, double bound)
{
    std::erase_if(all, [&](const Candidate &candidate) { return candidate.*value > bound; });
}

} // namespace combined
