#include "core/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/zfft.hpp"

#ifdef HPART_HAVE_FFTW
#include "host/fftw_plan.hpp"
#include "kernels/pseudo_random.hpp"
#endif

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace hpart
{

#ifdef HPART_HAVE_FFTW

namespace
{

// Output points that are summed by the definition, a slice.
constexpr std::uint64_t summed_points = 3;

FftwPlan plan_whole(FftData<double> &data, std::int64_t rows, std::int64_t n)
{
    const std::lock_guard lock(fftw_planner_mutex());
    FftwPlan plan(fftw_plan_dft_2d(fftw_integer(rows, "the number of rows"), fftw_integer(n, "n"),
                                   reinterpret_cast<fftw_complex *>(data.in.data()),
                                   reinterpret_cast<fftw_complex *>(data.out.data()), FFTW_FORWARD, FFTW_ESTIMATE));
    if (!plan) fail(Status::unsupported, "FFTW has no plan for a transform of ", rows, " x ", n, " points");
    return plan;
}

// ||values - reference|| / ||reference||; infinite where a value is not finite.
double relative_error(std::span<const double> values, std::span<const double> reference)
{
    double error = 0, whole = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(values[k])) return std::numeric_limits<double>::infinity();
        error += (values[k] - reference[k]) * (values[k] - reference[k]);
        whole += reference[k] * reference[k];
    }
    return error == 0 ? 0 : std::sqrt(error / whole);
}

// exp(-2 pi i p / length) for p in [0, length)
std::vector<std::complex<double>> roots(std::int64_t length)
{
    std::vector<std::complex<double>> out;
    for (std::int64_t p = 0; p < length; ++p)
        out.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(p) / static_cast<double>(length)));
    return out;
}

// Point (u, v) of the transform by its definition.
std::complex<double> summed_point(const FftData<double> &data, std::int64_t rows, std::int64_t n, std::int64_t u,
                                  std::int64_t v)
{
    const auto along_rows = roots(n), along_columns = roots(rows);
    std::complex<double> sum = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        std::complex<double> row_sum = 0;
        std::int64_t p = 0; // v * c modulo n
        const double *row = data.in.data() + 2 * n * r;
        for (std::int64_t c = 0; c < n; ++c) {
            row_sum += std::complex<double>(row[2 * c], row[2 * c + 1]) * along_rows[static_cast<std::size_t>(p)];
            p = p + v < n ? p + v : p + v - n;
        }
        const auto q = static_cast<std::size_t>(u * r % rows);
        sum += row_sum * along_columns[q];
    }
    return sum;
}

// Against the definition, relative to the size of a typical point: a single point may be small by chance.
double summed_error(const FftData<double> &data, std::int64_t rows, std::int64_t n, std::span<const double> values,
                    double typical)
{
    double largest = 0;
    for (std::uint64_t k = 0; k < summed_points; ++k) {
        const auto u = static_cast<std::int64_t>(pseudo_random_bits(RandomArray::check_points, 2 * k) %
                                                 static_cast<std::uint64_t>(rows));
        const auto v = static_cast<std::int64_t>(pseudo_random_bits(RandomArray::check_points, 2 * k + 1) %
                                                 static_cast<std::uint64_t>(n));
        const auto at = static_cast<std::size_t>(2 * (u * n + v));
        const std::complex<double> got(values[at], values[at + 1]);
        largest = std::max(largest, std::abs(got - summed_point(data, rows, n, u, v)) / typical);
    }
    return largest;
}

template <typename Real> double slice_error(std::int64_t n, const Slice &slice, std::span<const double> values)
{
    const FftDims<double> dims{n};
    FftData<double> data(dims, slice.rows);
    data.fill(dims, slice, 0, 1);
    round_to<Real>(data.in);
    const auto plan = plan_whole(data, slice.rows, dims.n);
    fftw_execute(plan.get());
    const auto reference = data.out.values();
    double squares = 0;
    for (const double number : reference) squares += number * number;
    const double typical = std::sqrt(squares / (static_cast<double>(reference.size()) / 2));
    return std::max(relative_error(values, reference), summed_error(data, slice.rows, dims.n, values, typical));
}

} // namespace

template <typename Real> Check check_fft(const FftDims<Real> &dims, std::span<const SliceResult> slices)
{
    Check out{0, 0};
    for (const auto &[slice, values] : slices) {
        const auto n = dims.at(slice.rows).n;
        const double points = static_cast<double>(slice.rows) * static_cast<double>(n);
        // The definition's sum rounds like the square root of its length, the fast transforms like its logarithm.
        const double tolerance = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                                 (1 + std::log2(points) + std::sqrt(points) / 64);
        out = worse(out, {slice_error<Real>(n, slice, values), tolerance});
    }
    return out;
}

#else

template <typename Real> Check check_fft(const FftDims<Real> &, std::span<const SliceResult>)
{
    fail(Status::unsupported, "this build has no FFTW, which a check of zfft compares with");
}

#endif

template Check check_fft(const FftDims<float> &dims, std::span<const SliceResult> slices);
template Check check_fft(const FftDims<double> &dims, std::span<const SliceResult> slices);

} // namespace hpart
