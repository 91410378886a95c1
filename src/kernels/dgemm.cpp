#include "core/error.hpp"
#include "kernels/kinds.hpp"
#include "out_of_card/gemm/gemm.hpp"

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

// A is rows x k, B k x n, C rows x n.
template <typename Real> struct GemmProblem {
    std::int64_t n = 0, k = 0;

    static GemmProblem of(KernelKind::Dims dims) { return {dims[0].value, dims[1].value}; }
    std::string description() const
    {
        const std::array dimensions = {Dimension{"n", n}, Dimension{"k", k}};
        return describe_kernel(sizeof(Real) == sizeof(double) ? "dgemm" : "sgemm", dimensions);
    }
    GemmProblem at(std::int64_t size) const { return {at_size(n, size), at_size(k, size)}; }

    // Each processor has its own B, as processes that work together have.
    struct Data {
        HostBufferOf<Real> a, b, c;
        Data() = default;
        Data(const GemmProblem &problem, std::int64_t rows)
            : a(rows, problem.k), b(problem.k, problem.n), c(rows, problem.n)
        {
        }
        // A and B get the problem's values, C zeros.
        void fill(const GemmProblem &problem, const Slice &slice, std::size_t part, std::size_t parts)
        {
            const auto rows = part_of(slice.rows, part, parts);
            fill_rows(RandomArray::gemm_a, a.data() + rows.first * problem.k, slice.first + rows.first, rows.rows,
                      problem.k);
            std::fill_n(c.data() + rows.first * problem.n, rows.rows * problem.n, Real{0});
            const auto rows_of_b = part_of(problem.k, part, parts);
            fill_rows(RandomArray::gemm_b, b.data() + rows_of_b.first * problem.n, rows_of_b.first, rows_of_b.rows,
                      problem.n);
        }
        const HostBufferOf<Real> &result() const { return c; }
    };

    void on_devices(DeviceGroup &devices, Data &data, std::int64_t rows, const Options &options) const
    {
        GemmCall call;
        call.type = ScalarOf<Real>::type;
        call.m = rows;
        call.n = n;
        call.k = k;
        call.a = data.a.data();
        call.lda = k;
        call.b = data.b.data();
        call.ldb = n;
        call.c = data.c.data();
        call.ldc = n;
        Report report;
        gemm(devices, call, options, report);
    }
    static std::string math_mode(DeviceGroup &devices) { return math_mode_of_products(devices, ScalarOf<Real>::type); }

    Check check(std::span<const SliceResult> slices) const;
    class Share;
};

#ifdef HPART_HAVE_OPENBLAS

// Each core multiplies its own rows by a single-threaded BLAS.
template <typename Real> class GemmProblem<Real>::Share
{
  public:
    static constexpr bool planning_overwrites = false;
    static constexpr int phases = 1;
    Share(const GemmProblem &problem, Data &data, std::int64_t rows, std::size_t worker, std::size_t workers)
        : problem_(problem), part_(part_of(rows, worker, workers)), a_(data.a.data() + part_.first * problem.k),
          b_(data.b.data()), c_(data.c.data() + part_.first * problem.n)
    {
    }
    void run(int) const
    {
        const SingleThreadedBlas alone;
        if (part_.rows > 0) multiply(part_.rows, problem_.n, problem_.k, a_, b_, c_);
    }

  private:
    GemmProblem problem_;
    Slice part_;
    const Real *a_, *b_;
    Real *c_;
};

double error_of(std::span<const SliceResult> slices, const double *reference)
{
    double largest_error = 0, largest = 0;
    for (const auto &[slice, values] : slices)
        for (const double value : values) {
            // A value that is not a number must not pass as no error.
            if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
            largest_error = std::max(largest_error, std::fabs(value - *reference));
            largest = std::max(largest, std::fabs(*reference));
            ++reference;
        }
    return largest_error == 0 ? 0 : largest_error / largest;
}

// max |C - R| / max |R|, where R is the whole product by the BLAS in double precision; the slices are consecutive.
template <typename Real> Check GemmProblem<Real>::check(std::span<const SliceResult> slices) const
{
    if (n == equal_to_size || k == equal_to_size) { // the processors share no matrix B
        Check worst{0, 0};
        for (const auto &slice : slices) worst = worse(worst, at(slice.slice.rows).check({&slice, 1}));
        return worst;
    }
    std::int64_t rows = 0;
    for (const auto &[slice, values] : slices) rows += slice.rows;
    const GemmProblem<double> in_double{n, k};
    GemmProblem<double>::Data whole(in_double, rows);
    whole.fill(in_double, {slices.empty() ? 0 : slices.front().slice.first, rows}, 0, 1);
    round_to<Real>(whole.a);
    round_to<Real>(whole.b);
    multiply(rows, n, k, whole.a.data(), whole.b.data(), whole.c.data());
    // Each of the k products and sums rounds once in either computation.
    const auto tolerance = 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * (static_cast<double>(k) + 1);
    return {error_of(slices, whole.c.data()), tolerance};
}

#else

template <typename Real> Check GemmProblem<Real>::check(std::span<const SliceResult>) const
{
    fail(Status::unsupported, "this build has no OpenBLAS, which a check of gemm compares with");
}

#endif

} // namespace

template <typename Real> KernelKind gemm_kind()
{
    KernelKind kind{nullptr, make_on_devices<GemmProblem<Real>>};
#ifdef HPART_HAVE_OPENBLAS
    kind.on_cores = make_on_cores<GemmProblem<Real>>;
#endif
    return kind;
}

template KernelKind gemm_kind<float>();
template KernelKind gemm_kind<double>();

namespace
{

// A is rows x n.
template <typename Real> struct GemvProblem {
    std::int64_t n = 0;

    static GemvProblem of(KernelKind::Dims dims) { return {dims[0].value}; }
    std::string description() const
    {
        const std::array dimensions = {Dimension{"n", n}};
        return describe_kernel(sizeof(Real) == sizeof(double) ? "dgemv" : "sgemv", dimensions);
    }
    GemvProblem at(std::int64_t size) const { return {at_size(n, size)}; }

    // Each processor has its own x.
    struct Data {
        HostBufferOf<Real> a, x, y;
        Data() = default;
        Data(const GemvProblem &problem, std::int64_t rows) : a(rows, problem.n), x(1, problem.n), y(rows, 1) {}
        // A and x get the problem's values, y zeros.
        void fill(const GemvProblem &problem, const Slice &slice, std::size_t part, std::size_t parts)
        {
            const auto rows = part_of(slice.rows, part, parts), columns = part_of(problem.n, part, parts);
            fill_rows(RandomArray::gemv_a, a.data() + rows.first * problem.n, slice.first + rows.first, rows.rows,
                      problem.n);
            std::fill_n(y.data() + rows.first, rows.rows, Real{0});
            fill_rows(RandomArray::gemv_x, x.data() + columns.first, columns.first, columns.rows, 1);
        }
        const HostBufferOf<Real> &result() const { return y; }
    };

    void on_devices(DeviceGroup &devices, Data &data, std::int64_t rows, const Options &options) const
    {
        GemvCall call;
        call.type = ScalarOf<Real>::type;
        call.m = rows;
        call.n = n;
        call.a = data.a.data();
        call.lda = n;
        call.x = data.x.data();
        call.y = data.y.data();
        Report report;
        gemv(devices, call, options, report);
    }
    static std::string math_mode(DeviceGroup &devices) { return math_mode_of_products(devices, ScalarOf<Real>::type); }

    // max |y - r| / max |r|, where r is summed in extended precision; the slices are consecutive.
    Check check(std::span<const SliceResult> slices) const
    {
        double largest_error = 0, largest = 0;
        std::int64_t longest = 0;
        for (const auto &[slice, values] : slices) {
            const auto problem = at(slice.rows);
            longest = std::max(longest, problem.n);
            Data data(problem, slice.rows);
            data.fill(problem, slice, 0, 1);
            for (std::int64_t i = 0; i < slice.rows; ++i) {
                long double sum = 0;
                const Real *row = data.a.data() + i * problem.n;
                for (std::int64_t j = 0; j < problem.n; ++j) sum += static_cast<long double>(row[j]) * data.x.data()[j];
                const auto expected = static_cast<double>(sum);
                const double error = std::abs(values[static_cast<std::size_t>(i)] - expected);
                largest_error =
                    std::isfinite(error) ? std::max(largest_error, error) : std::numeric_limits<double>::infinity();
                largest = std::max(largest, std::abs(expected));
            }
        }
        // Each of the n products and sums rounds once.
        const double tolerance =
            8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * (static_cast<double>(longest) + 1);
        return {largest_error == 0 ? 0 : largest_error / largest, tolerance};
    }

    class Share;
};

#ifdef HPART_HAVE_OPENBLAS

// Each core does its own rows by a single-threaded BLAS.
template <typename Real> class GemvProblem<Real>::Share
{
  public:
    static constexpr bool planning_overwrites = false;
    static constexpr int phases = 1;
    Share(const GemvProblem &problem, Data &data, std::int64_t all_rows, std::size_t worker, std::size_t workers)
        : Share(problem, data, part_of(all_rows, worker, workers))
    {
    }
    void run(int) const
    {
        const SingleThreadedBlas alone;
        if (rows_ > 0)
            Cblas<Real>::gemv(CblasRowMajor, CblasNoTrans, rows_, columns_, 1, a_, columns_, x_, 1, 0, y_, 1);
    }

  private:
    Share(const GemvProblem &problem, Data &data, const Slice &part)
        : rows_(blas_integer(part.rows, "the number of rows")), columns_(blas_integer(problem.n, "n")),
          a_(data.a.data() + part.first * problem.n), x_(data.x.data()), y_(data.y.data() + part.first)
    {
    }
    blasint rows_, columns_;
    const Real *a_, *x_;
    Real *y_;
};

#endif

} // namespace

template <typename Real> KernelKind gemv_kind()
{
    KernelKind kind{nullptr, make_on_devices<GemvProblem<Real>>};
#ifdef HPART_HAVE_OPENBLAS
    kind.on_cores = make_on_cores<GemvProblem<Real>>;
#endif
    return kind;
}

template KernelKind gemv_kind<float>();
template KernelKind gemv_kind<double>();

} // namespace hpart
