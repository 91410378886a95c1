#include "partitioners/problem/rules.hpp"

namespace hpart
{

Use Rules::use_of(const std::vector<std::int64_t> &x) const
{
    Use sum{0, 0};
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto use = use_of_size(x[i], i, previous);
        for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += use[r];
    }
    return sum;
}

} // namespace hpart
