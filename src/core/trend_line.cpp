// The fit is by least squares, on polynomials orthogonal over the function's own sizes: no ill-conditioned equations at any degree.
// Source: G. E. Forsythe, Generation and use of orthogonal polynomials for data-fitting, J. SIAM 5 (1957) 74-88. Time O(m degree).
#include "core/trend_line.hpp"

#include <algorithm>
#include <numeric>

namespace hpart
{

// Squared norms at degree 20 are about 1e-12 a point; of a polynomial that is 0 but for rounding, 1e-32.
constexpr double noise = 1e-20;

std::vector<double> trend_line(const std::vector<double> &x, std::vector<double> y, std::int64_t degree)
{
    const auto count = x.size();
    std::vector<double> fitted(count, 0);
    if (count == 0) return fitted;
    // On [-1, 1], where no power is large.
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    const auto middle = *least + (*most - *least) / 2;
    const auto half = std::max(*most - middle, 1.0);
    std::vector<double> u(count);
    for (std::size_t k = 0; k < count; ++k) u[k] = (x[k] - middle) / half;

    std::vector<double> before(count, 0);
    std::vector<double> now(count, 1);
    double norm_before = 1;
    const auto highest = std::min(static_cast<std::size_t>(degree), count - 1);
    for (std::size_t d = 0;; ++d) {
        const auto norm = std::inner_product(now.begin(), now.end(), now.begin(), 0.0);
        if (norm < noise * static_cast<double>(count)) return fitted; // fewer distinct sizes than that, as doubles
        // `y` is the rest to fit: less rounding than with the values themselves.
        const auto weight = std::inner_product(y.begin(), y.end(), now.begin(), 0.0) / norm;
        double mean = 0;
        for (std::size_t k = 0; k < count; ++k) {
            fitted[k] += weight * now[k];
            y[k] -= weight * now[k];
            mean += u[k] * now[k] * now[k] / norm;
        }
        if (d == highest) return fitted;
        for (std::size_t k = 0; k < count; ++k) {
            const auto next = (u[k] - mean) * now[k] - (d == 0 ? 0 : norm / norm_before) * before[k];
            before[k] = now[k];
            now[k] = next;
        }
        norm_before = norm;
    }
}

} // namespace hpart
