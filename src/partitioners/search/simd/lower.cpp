// One loop, compiled for each level. Values are only added and compared, one rounding each: equal results on every level.
#include "partitioners/search/simd/kernels.hpp"

namespace hpart
{

namespace
{

struct Sum {
    static double join(double a, double b) { return a + b; }
};
struct Longest {
    static double join(double a, double b) { return a < b ? b : a; }
};

// A fixed number of values a round, so that the compiler takes vectors at any level of optimisation.
constexpr std::size_t round = 32;

template <typename Rule>
[[gnu::always_inline]] inline void lower(double *__restrict out, const double *__restrict row, double cost,
                                         std::size_t count)
{
    std::size_t k = 0;
    for (; k + round <= count; k += round) {
        for (std::size_t j = 0; j < round; ++j) {
            const auto joined = Rule::join(row[k + j], cost);
            out[k + j] = joined < out[k + j] ? joined : out[k + j];
        }
    }
    for (; k < count; ++k) {
        const auto joined = Rule::join(row[k], cost);
        out[k] = joined < out[k] ? joined : out[k];
    }
}

template <typename Rule> void lower_plain(double *out, const double *row, double cost, std::size_t count)
{
    lower<Rule>(out, row, cost, count);
}

#if defined(__x86_64__)
template <typename Rule> HPART_AVX2 void lower_avx2(double *out, const double *row, double cost, std::size_t count)
{
    lower<Rule>(out, row, cost, count);
}

template <typename Rule> HPART_AVX512 void lower_avx512(double *out, const double *row, double cost, std::size_t count)
{
    lower<Rule>(out, row, cost, count);
}
#endif

template <typename Rule>
void lower_at([[maybe_unused]] SimdLevel level, double *out, const double *row, double cost, std::size_t count)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return lower_avx512<Rule>(out, row, cost, count);
    if (level == SimdLevel::avx2) return lower_avx2<Rule>(out, row, cost, count);
#endif
    lower_plain<Rule>(out, row, cost, count);
}

} // namespace

void lower_to_sums(SimdLevel level, double *out, const double *row, double cost, std::size_t count)
{
    lower_at<Sum>(level, out, row, cost, count);
}

void lower_to_maxima(SimdLevel level, double *out, const double *row, double cost, std::size_t count)
{
    lower_at<Longest>(level, out, row, cost, count);
}

} // namespace hpart
