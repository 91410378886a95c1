// The relaxation's base takes whole edges of the hulls up to the target and leaves a residual. One class makes it up where it has
// that size: the cheapest such change is taken. Else a few classes are freed, each with its options of least reduced cost, the others
// stay at their base, and the two lists of meet_in_the_middle.cpp look for the target: first many classes with few options, which
// are the cheapest, then fewer with more. A good first choice keeps the first cap, and so the search, small.
#include "partitioners/search/relaxation.hpp"

#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

struct Freedom {
    std::size_t classes;
    std::size_t options;
};
// About as many combinations each: what two short lists hold.
constexpr Freedom freedoms[] = {{18, 4}, {12, 8}, {9, 16}, {6, 64}, {5, 256}};

std::vector<std::int64_t> repair_by_one(const Choices &choices, const Relaxation &relaxation)
{
    const auto &base = relaxation.base();
    auto best_rise = std::numeric_limits<double>::infinity();
    std::vector<std::int64_t> best;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        const auto sizes = choices.sizes_of(i);
        const auto costs = choices.costs_of(i);
        const auto to = find_size(sizes, {}, base[i] + relaxation.residual());
        if (to == sizes.size()) continue;
        const auto rise = costs[to] - costs[find_size(sizes, {}, base[i])];
        if (!best.empty() && !(rise < best_rise)) continue;
        best_rise = rise;
        best = base;
        best[i] = sizes[to];
    }
    return best;
}

// Options of a function of least reduced cost.
struct CheapestOptions {
    std::vector<std::size_t> options; // increasing
    double rise = 0;                  // reduced cost of the dearest less the cheapest's
};

CheapestOptions cheapest_of(const Choices &choices, std::size_t f, std::size_t count, double multiplier)
{
    CheapestOptions out;
    out.options.resize(choices.sizes_of_function(f).size());
    std::iota(out.options.begin(), out.options.end(), choices.first[f]);
    const auto reduced = [&](std::size_t k) {
        return choices.costs[k] - multiplier * static_cast<double>(choices.sizes[k]);
    };
    const auto kept = out.options.begin() + static_cast<std::ptrdiff_t>(std::min(count, out.options.size()));
    std::partial_sort(out.options.begin(), kept, out.options.end(), [&](std::size_t a, std::size_t b) {
        return reduced(a) != reduced(b) ? reduced(a) < reduced(b) : a < b;
    });
    out.options.erase(kept, out.options.end());
    out.rise = reduced(out.options.back()) - reduced(out.options.front());
    std::sort(out.options.begin(), out.options.end());
    return out;
}

// The classes whose options cost least, which are chosen anew; the others stay at the base. Empty if they do not reach the target.
std::vector<std::int64_t> free_a_few(const Choices &choices, const Relaxation &relaxation, Freedom freedom)
{
    std::vector<CheapestOptions> functions;
    for (std::size_t f = 0; f < choices.functions(); ++f)
        functions.push_back(cheapest_of(choices, f, freedom.options, relaxation.multiplier()));
    std::vector<std::size_t> classes;
    for (std::size_t i = 0; i < choices.classes(); ++i)
        if (choices.count(i) > 1) classes.push_back(i);
    const auto last = classes.begin() + static_cast<std::ptrdiff_t>(std::min(freedom.classes, classes.size()));
    std::partial_sort(classes.begin(), last, classes.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(functions[choices.function_of[a]].rise, a) <
               std::pair(functions[choices.function_of[b]].rise, b);
    });
    classes.erase(last, classes.end());
    auto sizes = relaxation.base();
    auto rest = relaxation.residual();
    Choices freed;
    for (const auto i : classes) {
        rest += sizes[i];
        for (const auto k : functions[choices.function_of[i]].options) freed.add(choices.sizes[k]);
        freed.end_class();
    }
    const auto reached = reach_sum_quickly(freed, rest);
    if (!reached) return {};
    for (std::size_t c = 0; c < classes.size(); ++c) sizes[classes[c]] = (*reached)[c];
    return sizes;
}

} // namespace

std::vector<std::int64_t> first_choice(const Choices &choices, const Relaxation &relaxation, const Control &control)
{
    auto repaired = repair_by_one(choices, relaxation);
    for (const auto freedom : freedoms) {
        if (!repaired.empty() || control.time_is_up()) break;
        repaired = free_a_few(choices, relaxation, freedom);
    }
    return repaired;
}

} // namespace hpart
