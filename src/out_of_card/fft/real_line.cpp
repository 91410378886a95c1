#include "out_of_card/fft/host_pass.hpp"

#include "out_of_card/in_card/fft.hpp"

#include <complex>
#include <cstring>

namespace hpart
{

namespace
{

// Complex numbers multiplied as written: the standard's product looks for infinities.
template <typename Real> std::complex<Real> product(const std::complex<Real> &a, const std::complex<Real> &b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(sign 2 pi i k / n)
class Roots
{
  public:
    Roots(std::int64_t n, int sign)
        : fine_(fine_twiddle_roots(n)), values_(static_cast<std::size_t>(count_twiddle_roots(n)))
    {
        const auto bytes = twiddle_roots(n, sign, true);
        std::memcpy(values_.data(), bytes.data(), bytes.size());
    }
    std::complex<double> operator()(std::int64_t k) const
    {
        return product(values_[static_cast<std::size_t>(k % fine_)],
                       values_[static_cast<std::size_t>(fine_ + k / fine_)]);
    }

  private:
    std::int64_t fine_;
    std::vector<std::complex<double>> values_;
};

template <typename Real> void unfold(OwnThreads &team, std::int64_t n, std::complex<Real> *z)
{
    const auto m = n / 2;
    const Roots root(n, -1);
    const auto first = z[0];
    z[0] = first.real() + first.imag();
    z[m] = first.real() - first.imag();
    team.share(m / 2, [&](std::int64_t begin, std::int64_t some) {
        for (auto k = begin + 1; k <= begin + some; ++k) {
            const std::complex<double> a = z[k], b = std::conj(std::complex<double>(z[m - k]));
            const auto even = 0.5 * (a + b), odd = 0.5 * (a - b);
            const auto turned = product(std::complex<double>(odd.imag(), -odd.real()), root(k)); // -i odd
            z[k] = std::complex<Real>(even + turned);
            z[m - k] = std::complex<Real>(std::conj(even - turned));
        }
    });
}

template <typename Real> void fold(OwnThreads &team, std::int64_t n, const std::complex<Real> *x, std::complex<Real> *z)
{
    const auto m = n / 2;
    const Roots root(n, 1);
    z[0] = {x[0].real() + x[m].real(), x[0].real() - x[m].real()};
    team.share(m / 2, [&](std::int64_t begin, std::int64_t some) {
        for (auto k = begin + 1; k <= begin + some; ++k) {
            const std::complex<double> a = x[k], b = std::conj(std::complex<double>(x[m - k]));
            const auto even = a + b, odd = product(a - b, root(k));
            z[k] = std::complex<Real>(std::complex<double>(even.real() - odd.imag(), even.imag() + odd.real()));
            z[m - k] = std::complex<Real>(std::complex<double>(even.real() + odd.imag(), odd.real() - even.imag()));
        }
    });
}

} // namespace

void unfold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, void *spectrum)
{
    if (is_double)
        unfold(team, n, static_cast<std::complex<double> *>(spectrum));
    else
        unfold(team, n, static_cast<std::complex<float> *>(spectrum));
}

void fold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, const void *spectrum, void *folded)
{
    if (is_double)
        fold(team, n, static_cast<const std::complex<double> *>(spectrum), static_cast<std::complex<double> *>(folded));
    else
        fold(team, n, static_cast<const std::complex<float> *>(spectrum), static_cast<std::complex<float> *>(folded));
}

} // namespace hpart
