#include "partitioners/methods/papers/tree.hpp"

#include "core/numbers.hpp"

#include <algorithm>

namespace hpart
{

Tree::Tree(const Instance &instance, std::size_t processors, TreeKey key, LevelOrder order)
    : instance_(instance), order_(order)
{
    // Functions are numbered as they first occur: the first processors have the first functions.
    std::size_t functions = 0;
    for (std::size_t i = 0; i < processors; ++i)
        functions = std::max(functions, std::size_t{instance.function_of[i]} + 1);
    for (std::size_t f = 0; f < functions; ++f) {
        const auto &[sizes, seconds, joules, steps, summary] = instance.of_function[f];
        for (std::size_t k = 0; k < sizes.size(); ++k)
            by_size_.push_back({sizes[k], key == TreeKey::seconds ? seconds[k] : joules[k], seconds[k]});
        first_.push_back(by_size_.size());
    }
    points_ = by_size_;
    for (std::size_t f = 0; f < functions; ++f)
        std::stable_sort(points_.begin() + static_cast<std::ptrdiff_t>(first_[f]),
                         points_.begin() + static_cast<std::ptrdiff_t>(first_[f + 1]),
                         [](const TreePoint &a, const TreePoint &b) { return a.key < b.key; });
    function_of_.assign(instance.function_of.begin(),
                        instance.function_of.begin() + static_cast<std::ptrdiff_t>(processors));
    if (order == LevelOrder::last_processor_at_root) std::reverse(function_of_.begin(), function_of_.end());
}

const TreePoint *Tree::find(std::size_t level, std::int64_t size) const
{
    const auto f = function_of_[level];
    const auto k = instance_.of_function[f].find(size);
    return k == instance_.of_function[f].count() ? nullptr : by_size_.data() + first_[f] + k;
}

SizeThresholds::SizeThresholds(const Tree &tree) : tree_(tree), levels_(tree.levels())
{
    for (std::size_t f = 0; f < tree.functions(); ++f) {
        std::int64_t largest = 0;
        auto &so_far = largest_so_far_.emplace_back();
        for (const auto &point : tree.points_of_function(f)) so_far.push_back(largest = std::max(largest, point.size));
        usable_.push_back(so_far.size());
    }
    lower_to(infinity);
}

void SizeThresholds::lower_to(double bound)
{
    bound_ = bound;
    for (std::size_t f = 0; f < tree_.functions(); ++f) {
        const auto points = tree_.points_of_function(f);
        while (usable_[f] > 0 && points[usable_[f] - 1].key >= bound) --usable_[f];
    }
    std::int64_t largest = 0;
    for (auto level = tree_.levels(); level-- > 0;) {
        const auto f = tree_.function_of(level);
        if (usable_[f] > 0) largest = saturating_add(largest, largest_so_far_[f][usable_[f] - 1]);
        const auto *const begin = tree_.points(level).data();
        levels_[level] = {begin, begin + usable_[f], largest};
    }
}

} // namespace hpart
