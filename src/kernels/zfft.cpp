#include "core/numbers.hpp"
#include "kernels/kinds.hpp"
#include "out_of_card/fft/fft.hpp"

#ifdef HPART_HAVE_FFTW
#include "host/fftw_plan.hpp"
#include "host/host_fft.hpp"
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace hpart
{

namespace
{

// Rows have n points. The transform is out of place, so that each run has the same work.
template <typename Real> struct RowsTransform {
    std::int64_t n = 0;

    static RowsTransform of(KernelKind::Dims dims) { return {dims[0].value}; }
    std::string description() const
    {
        const std::array dimensions = {Dimension{"n", n}};
        return describe_kernel(sizeof(Real) == sizeof(double) ? "zfft" : "cfft", dimensions);
    }
    RowsTransform at(std::int64_t size) const { return {at_size(n, size)}; }

    struct Data {
        HostBufferOf<Real> in, out;
        Data() = default;
        Data(const RowsTransform &problem, std::int64_t rows)
            : in(rows, saturating_mul(2, problem.n)), out(rows, saturating_mul(2, problem.n))
        {
        }
        // The signal, and zeros for the result.
        void fill(const RowsTransform &problem, const Slice &slice, std::size_t part, std::size_t parts)
        {
            const auto rows = part_of(slice.rows, part, parts);
            const auto columns = 2 * problem.n;
            fill_rows(RandomArray::fft_signal, in.data() + rows.first * columns, slice.first + rows.first, rows.rows,
                      columns);
            std::fill_n(out.data() + rows.first * columns, rows.rows * columns, Real{0});
        }
        const HostBufferOf<Real> &result() const { return out; }
    };

    void on_devices(DeviceGroup &devices, Data &data, std::int64_t rows, const Options &options) const
    {
        FftCall call;
        call.is_double = std::is_same_v<Real, double>;
        call.dims = {rows, n};
        call.in = data.in.data();
        call.out = data.out.data();
        call.is_repeated = true;
        Report report;
        fft(devices, call, options, report);
    }
    static std::string math_mode(const DeviceGroup &) { return ""; }

    Check check(std::span<const SliceResult> slices) const { return check_fft<Real>(n, slices); }
    class Share;
};

#ifdef HPART_HAVE_FFTW

// A worker transforms its rows, and then its columns.
template <typename Real> class RowsTransform<Real>::Share
{
  public:
    static constexpr bool planning_overwrites = true;
    static constexpr int phases = 2;
    Share(const RowsTransform &problem, Data &data, std::int64_t rows, std::size_t worker, std::size_t workers)
        : Share(problem, data, rows, part_of(rows, worker, workers), part_of(problem.n, worker, workers))
    {
    }
    void run(int phase) const { (phase == 0 ? rows_ : columns_).run(); }

  private:
    Share(const RowsTransform &problem, Data &data, std::int64_t all_rows, const Slice &rows, const Slice &columns)
        : rows_({rows.rows, problem.n, 1, problem.n}, data.in.data() + 2 * rows.first * problem.n,
                data.out.data() + 2 * rows.first * problem.n),
          columns_({columns.rows, all_rows, problem.n, 1}, data.out.data() + 2 * columns.first,
                   data.out.data() + 2 * columns.first)
    {
    }
    FftwLines<Real> rows_, columns_;
};

// Output points that are summed by the definition, a slice.
constexpr std::uint64_t summed_points = 3;

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
std::complex<double> summed_point(const RowsTransform<double>::Data &data, std::int64_t rows, std::int64_t n,
                                  std::int64_t u, std::int64_t v)
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
double summed_error(const RowsTransform<double>::Data &data, std::int64_t rows, std::int64_t n,
                    std::span<const double> values, double typical)
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
    const RowsTransform<double> problem{n};
    RowsTransform<double>::Data data(problem, slice.rows);
    data.fill(problem, slice, 0, 1);
    round_to<Real>(data.in);
    HostFftShape shape;
    shape.dimensions = {{slice.rows, n, n}, {n, 1, 1}};
    HostFft(shape).run(data.in.data(), data.out.data());
    const auto reference = data.out.values();
    double squares = 0;
    for (const double number : reference) squares += number * number;
    const double typical = std::sqrt(squares / (static_cast<double>(reference.size()) / 2));
    return std::max(relative_error(values, reference), summed_error(data, slice.rows, n, values, typical));
}

#endif

} // namespace

#ifdef HPART_HAVE_FFTW

template <typename Real> Check check_fft(std::int64_t n, std::span<const SliceResult> slices)
{
    Check out{0, 0};
    for (const auto &[slice, values] : slices) {
        const auto length = at_size(n, slice.rows);
        const double points = static_cast<double>(slice.rows) * static_cast<double>(length);
        // The definition's sum rounds like the square root of its length, the fast transforms like its logarithm.
        const double tolerance = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                                 (1 + std::log2(points) + std::sqrt(points) / 64);
        out = worse(out, {slice_error<Real>(length, slice, values), tolerance});
    }
    return out;
}

#else

template <typename Real> Check check_fft(std::int64_t, std::span<const SliceResult>)
{
    fail(Status::unsupported, "this build has no FFTW, which a check of zfft compares with");
}

#endif

template Check check_fft<float>(std::int64_t n, std::span<const SliceResult> slices);
template Check check_fft<double>(std::int64_t n, std::span<const SliceResult> slices);

template <typename Real> KernelKind fft_kind()
{
    KernelKind kind{nullptr, make_on_devices<RowsTransform<Real>>};
#ifdef HPART_HAVE_FFTW
    kind.on_cores = make_on_cores<RowsTransform<Real>>;
#endif
    return kind;
}

template KernelKind fft_kind<float>();
template KernelKind fft_kind<double>();

} // namespace hpart
