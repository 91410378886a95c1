// The step between the two halves of a long Fourier transform, for CUDA's devices: to[c][k] = from[k][c] z^(k (first + c)), where
// z^e = roots[e % fine] roots[fine + e / fine]. scripts/make-ptx makes cuda_twiddle.ptx of it, and the build takes that file: no
// compiler for these devices is needed. It is C++ for the host's compilers as well, so that its arithmetic can be tested where no
// such device is; they define KERNEL, block_number() and thread_number() first.
//
// A block of 256 threads does a square of 16 x 16 numbers.

#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global))
__attribute__((device)) inline unsigned block_number() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__attribute__((device)) inline unsigned thread_number() { return __nvvm_read_ptx_sreg_tid_x(); }
#define DEVICE __attribute__((device))
#else
#define DEVICE
#endif

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
