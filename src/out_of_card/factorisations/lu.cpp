// A = P L U with partial pivoting, by columns: the left half, then the right one (Toledo, SIAM J. Matrix Anal. 18, 1997).
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

template <typename Value>
std::int64_t factor_lu(FactorisationContext &products, const Part<Value> &a, std::span<std::int64_t> pivots)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return 0;
    const auto &rules = products.rules();
    if (n <= rules.host_width)
        return products.factor_on_host<Value>({StepKind::lu, m, n}, [&] { return on_host::factor_lu(a, pivots); });
    const auto first = least <= rules.host_width ? least : rules.half_of(least), rest = n - first;
    const bool is_counted = products.is_counting(); // then there may be no pivots
    const auto pivots1 = is_counted ? pivots : pivots.subspan(0, static_cast<std::size_t>(first)),
               pivots2 = is_counted ? pivots : pivots.subspan(static_cast<std::size_t>(first));
    const auto upper = a.block(0, first, first, rest), below = a.block(first, first, m - first, rest),
               left = a.block(first, 0, m - first, first);
    auto info = recursive::factor_lu(products, a.block(0, 0, m, first), pivots1);
    products.change([&] { swap_rows(a.block(0, first, m, rest), std::span<const std::int64_t>(pivots1)); });
    solve_triangle(products, {.unit_diagonal = true}, a.block(0, 0, first, first), upper);
    products.multiply(Value(-1), {left}, {upper}, Value(1), below);
    const auto info2 = recursive::factor_lu(products, below, pivots2);
    if (info == 0 && info2 > 0) info = first + info2;
    products.change([&] {
        swap_rows(left, std::span<const std::int64_t>(pivots2));
        for (auto &pivot : pivots2) pivot += first;
    });
    return info;
}

#define HPART_LU(Value)                                                                                                \
    template std::int64_t factor_lu(FactorisationContext &, const Part<Value> &, std::span<std::int64_t>);
HPART_FOR_ALL_TYPES(HPART_LU)
#undef HPART_LU

} // namespace hpart::recursive
