// The library's kernels for CUDA's devices. scripts/make-ptx makes cuda_kernels_ptx.cpp of them, and the build takes that file: no
// compiler for these devices is needed. They are C++ for the host's compilers as well, so that their arithmetic can be tested where no
// such device is; these define KERNEL, block_number() and thread_number() first.

#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global))
__attribute__((device)) inline unsigned block_number() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__attribute__((device)) inline unsigned thread_number() { return __nvvm_read_ptx_sreg_tid_x(); }
#define DEVICE __attribute__((device))
#else
#define DEVICE
#endif

// The step between the two halves of a long Fourier transform: to[c][k] = from[k][c] z^(k (first + c)), where
// z^e = roots[e % fine] roots[fine + e / fine]. A block of 256 threads does a square of 16 x 16 numbers.

template <typename Real> struct alignas(2 * sizeof(Real)) Number {
    Real re, im;
};

template <typename Real> DEVICE inline Number<Real> product(const Number<Real> &a, const Number<Real> &b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <typename Real>
DEVICE inline void twiddle(const Number<Real> *from, Number<Real> *to, const Number<Real> *roots,
                         unsigned long long rows, unsigned long long columns, unsigned long long first,
                         unsigned long long fine)
{
    constexpr unsigned side = 16;
    const auto squares_across = (columns + side - 1) / side;
    const auto k = block_number() / squares_across * side + thread_number() / side;
    const auto c = block_number() % squares_across * side + thread_number() % side;
    if (k >= rows || c >= columns) return;
    const auto exponent = k * (first + c);
    const auto root = product(roots[exponent % fine], roots[fine + exponent / fine]);
    to[c * rows + k] = product(from[k * columns + c], root);
}

KERNEL void twiddle_double(const Number<double> *from, Number<double> *to, const Number<double> *roots,
                         unsigned long long rows, unsigned long long columns, unsigned long long first,
                         unsigned long long fine)
{
    twiddle(from, to, roots, rows, columns, first, fine);
}

KERNEL void twiddle_float(const Number<float> *from, Number<float> *to, const Number<float> *roots,
                        unsigned long long rows, unsigned long long columns, unsigned long long first,
                        unsigned long long fine)
{
    twiddle(from, to, roots, rows, columns, first, fine);
}

// Exchanges of rows: row k with row pivots[k] - 1, for k = 0, 1, ... A thread does all of its column. Elements are moved as integers of
// their size.

struct alignas(16) TwoWords {
    unsigned long long low, high;
};
constexpr unsigned swap_threads = 64;

template <typename Element>
DEVICE inline void swap_rows(Element *top, const unsigned long long *pivots, unsigned long long count,
                             unsigned long long columns, unsigned long long row_stride,
                             unsigned long long column_stride)
{
    const unsigned long long column = block_number() * static_cast<unsigned long long>(swap_threads) + thread_number();
    if (column >= columns) return;
    top += column * column_stride;
    for (unsigned long long k = 0; k < count; ++k) {
        Element *const one = top + k * row_stride, *const other = top + (pivots[k] - 1) * row_stride;
        const Element kept = *one;
        *one = *other;
        *other = kept;
    }
}

KERNEL void swap_rows_4(unsigned *top, const unsigned long long *pivots, unsigned long long count,
                        unsigned long long columns, unsigned long long row_stride, unsigned long long column_stride)
{
    swap_rows(top, pivots, count, columns, row_stride, column_stride);
}

KERNEL void swap_rows_8(unsigned long long *top, const unsigned long long *pivots, unsigned long long count,
                        unsigned long long columns, unsigned long long row_stride, unsigned long long column_stride)
{
    swap_rows(top, pivots, count, columns, row_stride, column_stride);
}

KERNEL void swap_rows_16(TwoWords *top, const unsigned long long *pivots, unsigned long long count,
                         unsigned long long columns, unsigned long long row_stride, unsigned long long column_stride)
{
    swap_rows(top, pivots, count, columns, row_stride, column_stride);
}

// Panels. Numbers are reals; a complex one is two. A block of 256 threads takes a column.

constexpr unsigned panel_threads = 256;

// Sets the flag if one of these numbers is infinite or no number.
template <typename Real>
DEVICE inline void find_not_finite(const Real *a, unsigned long long rows, unsigned long long ld,
                                   unsigned long long *flag)
{
    const Real *const column = a + block_number() * ld;
    for (unsigned long long i = thread_number(); i < rows; i += panel_threads)
        if (!(column[i] - column[i] == 0)) *flag = 1;
}

KERNEL void find_not_finite_double(const double *a, unsigned long long rows, unsigned long long ld,
                                   unsigned long long *flag)
{
    find_not_finite(a, rows, ld, flag);
}

KERNEL void find_not_finite_float(const float *a, unsigned long long rows, unsigned long long ld,
                                  unsigned long long *flag)
{
    find_not_finite(a, rows, ld, flag);
}

// Sets the flag if both parts of an element on the diagonal are below `least`, or one is no number. The diagonal's elements are `step` apart.
template <typename Real>
DEVICE inline void find_unusable(const Real *a, unsigned long long count, unsigned long long step,
                                 unsigned long long parts, Real least, unsigned long long *flag)
{
    const unsigned long long k = block_number() * static_cast<unsigned long long>(panel_threads) + thread_number();
    if (k >= count) return;
    const Real *const element = a + k * step;
    bool is_usable = false;
    for (unsigned long long p = 0; p < parts; ++p) is_usable = is_usable || element[p] >= least || -element[p] >= least;
    for (unsigned long long p = 0; p < parts; ++p) is_usable = is_usable && element[p] == element[p];
    if (!is_usable) *flag = 1;
}

KERNEL void find_unusable_double(const double *a, unsigned long long count, unsigned long long step,
                                 unsigned long long parts, double least, unsigned long long *flag)
{
    find_unusable(a, count, step, parts, least, flag);
}

KERNEL void find_unusable_float(const float *a, unsigned long long count, unsigned long long step,
                                unsigned long long parts, float least, unsigned long long *flag)
{
    find_unusable(a, count, step, parts, least, flag);
}

// Writes ones on a square's diagonal, and zeros above it.
template <typename Real>
DEVICE inline void make_unit_lower(Real *a, unsigned long long row_step, unsigned long long column_step,
                                   unsigned long long parts)
{
    Real *const column = a + block_number() * column_step;
    for (unsigned long long i = thread_number(); i <= block_number(); i += panel_threads)
        for (unsigned long long p = 0; p < parts; ++p)
            column[i * row_step + p] = static_cast<Real>(p == 0 && i == block_number() ? 1 : 0);
}

KERNEL void make_unit_lower_double(double *a, unsigned long long row_step, unsigned long long column_step,
                                   unsigned long long parts)
{
    make_unit_lower(a, row_step, column_step, parts);
}

KERNEL void make_unit_lower_float(float *a, unsigned long long row_step, unsigned long long column_step,
                                  unsigned long long parts)
{
    make_unit_lower(a, row_step, column_step, parts);
}
