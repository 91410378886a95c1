// Problem: of k alike parts, each one of the same options (size, cost), the least joined cost for a given sum of the sizes: EOPT with
// Join::sum, POPT with Join::max, for any number of processors.
//
// Sizes are counted from the smallest in units of the common divisor; M is the largest. Sort the k parts of a choice, k even,
// y_1 >= y_2 >= ..., and deal the odd places to A and the even places to B: 0 <= sum A - sum B = sum (y_2j-1 - y_2j) <= y_1 - y_k <= M.
// So the best choice of k parts of sum s is made of best choices of k / 2 parts of sums i + j = s with |i - j| <= M, and to know k
// parts on a window of sums takes k / 2 parts on a window wider by M and half as long. For odd k one part is taken off first. Windows
// converge to 2 M, or 3 M after an odd step, whatever k and the sum.
// Going back, each distinct sum of a level is split once, with its multiplicity; the most balanced split that attains the value is
// taken. It repeats the additions of the tables, so one does.
// Time: at most M^2 / 2 for an even step and options x 3 M for an odd one, log2 k levels. Memory: a cost x 3 M a level.
// Source: design of hpart.
#include "partitioners/search/halving.hpp"

#include "core/checked.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/limits.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace hpart
{

namespace
{

struct Plus {
    template <typename Cost> Cost operator()(Cost a, Cost b) const { return a + b; }
};

struct Longer {
    template <typename Cost> Cost operator()(Cost a, Cost b) const { return a < b ? b : a; }
};

// out[k] = min(out[k], row[k] + cost), with no vector instructions.
void lower_to_sums(SimdLevel, Wide *out, const Wide *row, Wide cost, std::size_t count)
{
    for (std::size_t k = 0; k < count; ++k) out[k] = std::min(out[k], row[k] + cost);
}

void lower_to_maxima(SimdLevel, Wide *out, const Wide *row, Wide cost, std::size_t count)
{
    for (std::size_t k = 0; k < count; ++k) out[k] = std::min(out[k], std::max(row[k], cost));
}

std::int64_t half_down(std::int64_t value) { return value >= 0 ? value / 2 : -((1 - value) / 2); }

} // namespace

template <typename Cost>
BasicHalving<Cost>::BasicHalving(std::span<const std::int64_t> sizes, std::span<const Cost> costs, std::int64_t copies,
                                 std::int64_t lowest, std::int64_t highest, Join join, Control &control)
    : smallest_(sizes.front()), copies_(copies), join_(join)
{
    unit_ = std::max<std::int64_t>(common_divisor(0, sizes), 1);
    span_ = (sizes.back() - smallest_) / unit_;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        if (costs[k] < unreached) options_.push_back({(sizes[k] - smallest_) / unit_, costs[k]});

    const auto from_smallest = [&](std::int64_t sum) {
        const auto base = checked_mul(copies, smallest_);
        return base && *base <= sum ? sum - *base : -1;
    };
    const auto most = saturating_mul(copies, span_);
    const auto low = std::max<std::int64_t>(0, from_smallest(lowest) / unit_);
    const auto high = std::min(most, from_smallest(highest) < 0 ? -1 : from_smallest(highest) / unit_);
    if (low > high) return;
    plan_levels(low, high, control.memory_limit());
    fill(control);
}

template <typename Cost> double BasicHalving<Cost>::bytes(std::span<const std::int64_t> sizes, std::int64_t copies)
{
    const auto unit = std::max<std::int64_t>(common_divisor(0, sizes), 1);
    const auto span = static_cast<double>(sizes.back() - sizes.front()) / static_cast<double>(unit);
    double levels = 1;
    for (; copies > 1; copies /= 2) levels += copies % 2 == 0 ? 1 : 2;
    constexpr double widest = 3; // spans
    return levels * (widest * span + 2) * sizeof(Cost);
}

// Levels from all parts down to one, then the other way round.
template <typename Cost>
void BasicHalving<Cost>::plan_levels(std::int64_t low, std::int64_t high, std::int64_t memory_bytes)
{
    double bytes = 0;
    for (auto copies = copies_;;) {
        if (copies == 1) {
            low = 0;
            high = span_;
        }
        const auto width = static_cast<std::size_t>(high - low + 1);
        bytes += static_cast<double>(width) * sizeof(Cost);
        if (bytes > static_cast<double>(memory_bytes)) fail_memory(memory_bytes);
        levels_.push_back({copies, low, std::vector<Cost>(width, unreached)});
        if (copies == 1) break;
        if (copies % 2 == 0) {
            copies /= 2;
            low = half_down(low - span_);
            high = (saturating_add(high, span_) + 1) / 2;
        } else {
            --copies;
            low -= span_;
        }
        low = std::max<std::int64_t>(low, 0);
        high = std::min(high, saturating_mul(copies, span_));
    }
    std::reverse(levels_.begin(), levels_.end());
    for (const auto &option : options_) levels_.front().costs[static_cast<std::size_t>(option.size)] = option.cost;
}

template <typename Cost> void BasicHalving<Cost>::fill(Control &control)
{
    Pacer pacer(control, "joining alike parts");
    const auto level = best_simd_level();
    // Sums of whole that `cost` at `place` makes with the sums first .. last of part.
    const auto add = [&](Level &whole, const Level &part, std::int64_t place, Cost cost, std::int64_t first,
                         std::int64_t last) {
        first = std::max(first, whole.low - place);
        last = std::min({last, part.high(), whole.high() - place});
        if (first > last || cost == unreached) return;
        const auto count = static_cast<std::size_t>(last - first + 1);
        auto *const lowered = whole.costs.data() + (place + first - whole.low);
        const auto *row = part.costs.data() + (first - part.low);
        if (join_ == Join::sum)
            lower_to_sums(level, lowered, row, cost, count);
        else
            lower_to_maxima(level, lowered, row, cost, count);
        pacer.spend(static_cast<std::int64_t>(count) / 4);
    };
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        auto &whole = levels_[l];
        const auto &part = levels_[l - 1];
        if (whole.copies % 2 == 0) {
            for (auto sum = part.low; sum <= part.high(); ++sum) add(whole, part, sum, part.at(sum), sum, sum + span_);
        } else {
            for (const auto &option : options_) add(whole, part, option.size, option.cost, part.low, part.high());
        }
    }
}

template <typename Cost> std::int64_t BasicHalving<Cost>::units(std::int64_t sum) const
{
    if (levels_.empty()) return -1;
    const auto offset = sum - copies_ * smallest_;
    if (offset < 0 || offset % unit_ != 0) return -1;
    const auto &whole = levels_.back();
    return offset / unit_ < whole.low || offset / unit_ > whole.high() ? -1 : offset / unit_;
}

template <typename Cost> Cost BasicHalving<Cost>::cost(std::int64_t sum) const
{
    const auto at = units(sum);
    return at < 0 ? unreached : levels_.back().at(at);
}

// The smaller sum of an even split, or the part taken off.
template <typename Cost>
template <typename Combine>
AlikeParts BasicHalving<Cost>::split(const Level &whole, const Level &part, std::int64_t sum, Combine combine) const
{
    const auto cost = whole.at(sum);
    if (whole.copies % 2 == 0) {
        auto smaller = sum / 2;
        while (sum - smaller > part.high() || combine(part.at(smaller), part.at(sum - smaller)) != cost) --smaller;
        return {smaller, whole.copies / 2};
    }
    // The option nearest to the mean keeps the sums of a level few.
    std::int64_t best = 0;
    auto nearest = std::numeric_limits<std::int64_t>::max();
    for (const auto &option : options_) {
        const auto rest = sum - option.size;
        if (rest < part.low || rest > part.high() || combine(option.cost, part.at(rest)) != cost) continue;
        const auto distance = std::abs(option.size - sum / whole.copies);
        if (distance >= nearest) continue;
        nearest = distance;
        best = option.size;
    }
    return {best, 1};
}

template <typename Cost>
template <typename Combine>
std::vector<AlikeParts> BasicHalving<Cost>::trace(std::int64_t sum, Combine combine) const
{
    std::map<std::int64_t, std::int64_t> taken; // size -> copies
    std::map<std::int64_t, std::int64_t> sums{{sum, 1}};
    for (auto l = levels_.size() - 1; l > 0; --l) {
        std::map<std::int64_t, std::int64_t> next;
        for (const auto &[whole, times] : sums) {
            const auto first = split(levels_[l], levels_[l - 1], whole, combine);
            (levels_[l].copies % 2 == 0 ? next : taken)[first.size] += times;
            next[whole - first.size] += times;
        }
        sums = std::move(next);
    }
    for (const auto &[size, times] : sums) taken[size] += times;
    std::vector<AlikeParts> parts;
    parts.reserve(taken.size());
    for (const auto &[size, times] : taken) parts.push_back({smallest_ + size * unit_, times});
    std::reverse(parts.begin(), parts.end());
    return parts;
}

template <typename Cost> std::vector<AlikeParts> BasicHalving<Cost>::parts(std::int64_t sum) const
{
    return join_ == Join::sum ? trace(units(sum), Plus{}) : trace(units(sum), Longer{});
}

template class BasicHalving<double>;
template class BasicHalving<Wide>;

} // namespace hpart
