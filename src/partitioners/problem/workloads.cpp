#include "partitioners/problem/workloads.hpp"

#include "partitioners/search/limits.hpp"
#include "partitioners/search/sum_set.hpp"

#include <span>

namespace hpart
{

std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control)
{
    Pacer pacer(control, "building the node's function");
    SumSet sums(limit, SumSet::Begin::as_list, control.memory_limit());
    sums.add_zero();
    for (std::size_t i = 0; i < processors; ++i) {
        const std::span sizes(instance.sizes.data() + instance.begin(i), instance.end(i) - instance.begin(i));
        sums = sums.plus_one_of(sizes, 1, pacer);
    }
    std::vector<std::int64_t> workloads;
    sums.for_each(1, limit, [&](std::int64_t sum) { workloads.push_back(sum); }); // 0: all idle
    return workloads;
}

} // namespace hpart
