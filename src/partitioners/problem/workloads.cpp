#include "partitioners/problem/workloads.hpp"

#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <iterator>

namespace hpart
{

std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control)
{
    Pacer pacer(control, "building the node's function");
    std::vector<std::int64_t> sums{0};
    for (std::size_t i = 0; i < processors; ++i) {
        std::vector<std::int64_t> next;
        for (auto k = instance.begin(i); k < instance.end(i); ++k) {
            std::vector<std::int64_t> shifted;
            for (const auto sum : sums)
                if (instance.sizes[k] <= limit - sum) shifted.push_back(sum + instance.sizes[k]);
            std::vector<std::int64_t> both;
            std::set_union(next.begin(), next.end(), shifted.begin(), shifted.end(), std::back_inserter(both));
            next = std::move(both);
            pacer.spend(static_cast<std::int64_t>(next.size()));
            if (3 * next.size() * sizeof(std::int64_t) > static_cast<std::size_t>(control.memory_limit()))
                fail_memory(control.memory_limit());
        }
        sums = std::move(next);
    }
    if (!sums.empty() && sums.front() == 0) sums.erase(sums.begin()); // all idle
    return sums;
}

} // namespace hpart
