// Devices, operations on their arrays, and pipelines. A part of hpart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HPART_DEVICE_HPP
#define HPART_DEVICE_HPP

#include "handles.hpp"

#include <complex>
#include <limits>

namespace hpart
{
inline namespace v0_1
{

// ---- devices ----

/// Descriptions of this machine's accelerators; the first word is the spec.
inline std::vector<std::string> devices()
{
    std::vector<std::string> result;
    for (int64_t k = 0; k < hpart_device_count(); ++k)
        result.push_back(detail::fetch_text([&](auto... to) { return hpart_device_describe(k, to...); }));
    return result;
}

/// An array in pinned memory, for the fastest transfers: new memory, whose elements have no values at first, or the caller's until this
/// object goes. It keeps its device open.
template <class Value> class pinned
{
    static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

  public:
    Value *data() const noexcept { return memory_.get(); }
    /// 0 if moved from.
    std::size_t size() const noexcept { return memory_ ? size_ : 0; }
    Value *begin() const noexcept { return data(); }
    Value *end() const noexcept { return data() + size(); }
    Value &operator[](std::size_t k) const noexcept { return data()[k]; }

  private:
    friend class device;

    struct release {
        std::shared_ptr<hpart_device> from;
        void (*give_back)(hpart_device *, void *);
        void operator()(Value *memory) const { give_back(from.get(), const_cast<void *>(static_cast<const void *>(memory))); }
    };

    pinned(Value *memory, std::size_t length, std::shared_ptr<hpart_device> from, void (*give_back)(hpart_device *, void *))
        : memory_(memory, release{std::move(from), give_back}), size_(length)
    {
    }

    std::unique_ptr<Value[], release> memory_;
    std::size_t size_;
};

/// Properties of your own product: its tile of C, the longest side and leading dimension (0: any), and memory on the device.
struct gemm_traits {
    int64_t row_multiple = 1, column_multiple = 1, largest_side = 0, scratch_bytes = 0;
};

/// A device, or several that share each operation.
class device : public handle<hpart_device, hpart_device_close>
{
  public:
    using handle::handle;
    /// spec: "host", "opencl:0:0", "cuda:0", or a list with commas. Options are defaults of its operations. HPART_ERR_DEVICE,
    /// HPART_ERR_UNSUPPORTED.
    explicit device(const std::string &spec, const options &settings = {})
        : device(detail::make<device>(hpart_device_open, spec, settings))
    {
    }

    /// Pinned memory for `length` elements. HPART_ERR_OUT_OF_MEMORY.
    template <class Value> pinned<Value> alloc_pinned(std::size_t length)
    {
        auto *memory = static_cast<Value *>(hpart_alloc_pinned(raw(), bytes_of<Value>(length)));
        if (memory == nullptr) throw error(HPART_ERR_OUT_OF_MEMORY, hpart_last_error());
        return pinned<Value>(memory, length, share(), hpart_free_pinned);
    }
    /// Pins `length` elements of the caller's until the result goes. HPART_ERR_INVALID_ARGUMENT: some of them are pinned already.
    template <class Value> [[nodiscard]] pinned<Value> pin(Value *memory, std::size_t length)
    {
        call(hpart_pin, const_cast<void *>(static_cast<const void *>(memory)), bytes_of<Value>(length));
        return pinned<Value>(memory, length, share(), hpart_unpin);
    }
    /// The k-th device's "cl_context", "cl_device_id" or "CUcontext", which it keeps owning. HPART_ERR_UNSUPPORTED.
    void *driver_handle(const std::string &what, int64_t k = 0) const { return value<void *>(hpart_device_native, k, what); }

    /// Sets your own product of a type, 's', 'd', 'c' or 'z': enqueue(void *queue, const hpart_product &), which adds it to the
    /// queue, or computes it on the host. HPART_ERR_INVALID_ARGUMENT: it computes another product. HPART_ERR_CALLBACK, with the text of
    /// the exception that it threw.
    template <class Enqueue> void set_gemm(char type, Enqueue enqueue, const gemm_traits &traits = {})
    {
        auto user = std::make_unique<Enqueue>(std::move(enqueue));
        const hpart_gemm_enqueue trampoline = [](void *queue, const hpart_product *product, void *own) {
            (*static_cast<Enqueue *>(own))(queue, *product);
            return 0;
        };
        const hpart_free destroy = [](void *own) { delete static_cast<Enqueue *>(own); };
        call(hpart_device_set_gemm, type, traits.row_multiple, traits.column_multiple, traits.largest_side, traits.scratch_bytes,
             trampoline, user.get(), destroy);
        user.release();
    }
    /// hpart's own product again.
    void unset_gemm(char type)
    {
        call(hpart_device_set_gemm, type, 0, 0, 0, 0, hpart_gemm_enqueue{}, static_cast<void *>(nullptr), hpart_free{});
    }

    /// Calls an operation of hpart.h with this device first, and `settings` and the report last, as all functions below do.
    template <class Function, class... Arguments> report run(Function operation, const options &settings, Arguments &&...arguments)
    {
        return detail::make_report(operation, raw(), arguments..., settings);
    }

  private:
    friend class pipeline;

    // Too long a length stays too long.
    template <class Value> static int64_t bytes_of(std::size_t length)
    {
        const auto most = static_cast<std::size_t>(std::numeric_limits<int64_t>::max()) / sizeof(Value);
        return static_cast<int64_t>((length < most ? length : most) * sizeof(Value));
    }
};

// ---- operations on arrays in host memory, of float, double and their complex types ----

/// Arguments of CBLAS.
enum class layout : int32_t { row_major = HPART_ROW_MAJOR, column_major = HPART_COLUMN_MAJOR };
enum class transpose : int32_t { no = HPART_NO_TRANSPOSE, yes = HPART_TRANSPOSE, conjugate = HPART_CONJUGATE_TRANSPOSE };
enum class triangle : int32_t { upper = HPART_UPPER, lower = HPART_LOWER };
enum class diagonal : int32_t { non_unit = HPART_NON_UNIT, unit = HPART_UNIT };
enum class side : int32_t { left = HPART_LEFT, right = HPART_RIGHT };

namespace detail
{

// The functions of a type.
template <class Value> struct operations;
#define HPART_OPERATIONS_OF(Value, letter, q)                                                                                      \
    template <> struct operations<Value> {                                                                                         \
        static constexpr auto gemm = hpart_##letter##gemm;                                                                         \
        static constexpr auto gemv = hpart_##letter##gemv;                                                                         \
        static constexpr auto syrk = hpart_##letter##syrk;                                                                         \
        static constexpr auto trsm = hpart_##letter##trsm;                                                                         \
        static constexpr auto trmm = hpart_##letter##trmm;                                                                         \
        static constexpr auto symm = hpart_##letter##symm;                                                                         \
        static constexpr auto syr2k = hpart_##letter##syr2k;                                                                       \
        static constexpr auto gemmt = hpart_##letter##gemmt;                                                                       \
        static constexpr auto gemm_strided_batched = hpart_##letter##gemm_strided_batched;                                         \
        static constexpr auto getrf = hpart_##letter##getrf;                                                                       \
        static constexpr auto potrf = hpart_##letter##potrf;                                                                       \
        static constexpr auto geqrf = hpart_##letter##geqrf;                                                                       \
        static constexpr auto getrs = hpart_##letter##getrs;                                                                       \
        static constexpr auto potrs = hpart_##letter##potrs;                                                                       \
        static constexpr auto getri = hpart_##letter##getri;                                                                       \
        static constexpr auto potri = hpart_##letter##potri;                                                                       \
        static constexpr auto ormqr = hpart_##letter##q##mqr;                                                                      \
        static constexpr auto orgqr = hpart_##letter##q##gqr;                                                                      \
        static constexpr auto gesv = hpart_##letter##gesv;                                                                         \
        static constexpr auto posv = hpart_##letter##posv;                                                                         \
        static constexpr auto gels = hpart_##letter##gels;                                                                         \
    };
HPART_OPERATIONS_OF(float, s, or)
HPART_OPERATIONS_OF(double, d, or)
HPART_OPERATIONS_OF(std::complex<float>, c, un)
HPART_OPERATIONS_OF(std::complex<double>, z, un)
#undef HPART_OPERATIONS_OF

// Those of a complex type, by its real one.
template <class Real> struct complex_operations;
#define HPART_COMPLEX_OPERATIONS_OF(Real, real, complex)                                                                           \
    template <> struct complex_operations<Real> {                                                                                  \
        static constexpr auto herk = hpart_##complex##herk;                                                                        \
        static constexpr auto hemm = hpart_##complex##hemm;                                                                        \
        static constexpr auto her2k = hpart_##complex##her2k;                                                                      \
        static constexpr auto fft = hpart_##complex##fft;                                                                          \
        static constexpr auto fft_r2c = hpart_##real##fft_r2c;                                                                     \
        static constexpr auto fft_c2r = hpart_##real##fft_c2r;                                                                     \
    };
HPART_COMPLEX_OPERATIONS_OF(float, s, c)
HPART_COMPLEX_OPERATIONS_OF(double, d, z)
#undef HPART_COMPLEX_OPERATIONS_OF

template <class Value> struct same {
    using type = Value;
};

} // namespace detail

/// A number that converts to the type that the arrays of a call have.
template <class Value> using scalar = typename detail::same<Value>::type;

/// C = alpha op(A) op(B) + beta C. Arguments as in hpart.h; the report of this and all other operations too.
/// HPART_ERR_OUT_OF_MEMORY, HPART_ERR_DEVICE, HPART_ERR_UNSUPPORTED, cancelled; factorisations and solvers: numerical.
template <class Value>
report gemm(device &on, layout order, transpose op_a, transpose op_b, int64_t m, int64_t n, int64_t k, scalar<Value> alpha,
            const Value *a, int64_t lda, const Value *b, int64_t ldb, scalar<Value> beta, Value *c, int64_t ldc,
            const options &settings = {})
{
    return on.run(detail::operations<Value>::gemm, settings, order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// y = alpha op(A) x + beta y.
template <class Value>
report gemv(device &on, layout order, transpose op_a, int64_t m, int64_t n, scalar<Value> alpha, const Value *a, int64_t lda,
            const Value *x, int64_t incx, scalar<Value> beta, Value *y, int64_t incy, const options &settings = {})
{
    return on.run(detail::operations<Value>::gemv, settings, order, op_a, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/// C = alpha op(A) op(A)^T + beta C in a triangle of C.
template <class Value>
report syrk(device &on, layout order, triangle part, transpose op_a, int64_t n, int64_t k, scalar<Value> alpha, const Value *a,
            int64_t lda, scalar<Value> beta, Value *c, int64_t ldc, const options &settings = {})
{
    return on.run(detail::operations<Value>::syrk, settings, order, part, op_a, n, k, alpha, a, lda, beta, c, ldc);
}

/// C = alpha op(A) op(A)^H + beta C in a triangle of C, complex; alpha and beta are real.
template <class Real>
report herk(device &on, layout order, triangle part, transpose op_a, int64_t n, int64_t k, scalar<Real> alpha,
            const std::complex<Real> *a, int64_t lda, scalar<Real> beta, std::complex<Real> *c, int64_t ldc,
            const options &settings = {})
{
    return on.run(detail::complex_operations<Real>::herk, settings, order, part, op_a, n, k, alpha, a, lda, beta, c, ldc);
}

/// B = alpha op(A)^-1 B, or alpha B op(A)^-1, A triangular.
template <class Value>
report trsm(device &on, layout order, side where, triangle part, transpose op_a, diagonal kind, int64_t m, int64_t n,
            scalar<Value> alpha, const Value *a, int64_t lda, Value *b, int64_t ldb, const options &settings = {})
{
    return on.run(detail::operations<Value>::trsm, settings, order, where, part, op_a, kind, m, n, alpha, a, lda, b, ldb);
}

/// B = alpha op(A) B, or alpha B op(A), A triangular.
template <class Value>
report trmm(device &on, layout order, side where, triangle part, transpose op_a, diagonal kind, int64_t m, int64_t n,
            scalar<Value> alpha, const Value *a, int64_t lda, Value *b, int64_t ldb, const options &settings = {})
{
    return on.run(detail::operations<Value>::trmm, settings, order, where, part, op_a, kind, m, n, alpha, a, lda, b, ldb);
}

/// C = alpha A B + beta C, or alpha B A + beta C, A symmetric.
template <class Value>
report symm(device &on, layout order, side where, triangle part, int64_t m, int64_t n, scalar<Value> alpha, const Value *a,
            int64_t lda, const Value *b, int64_t ldb, scalar<Value> beta, Value *c, int64_t ldc, const options &settings = {})
{
    return on.run(detail::operations<Value>::symm, settings, order, where, part, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// The same, A Hermitian.
template <class Real>
report hemm(device &on, layout order, side where, triangle part, int64_t m, int64_t n, scalar<std::complex<Real>> alpha,
            const std::complex<Real> *a, int64_t lda, const std::complex<Real> *b, int64_t ldb, scalar<std::complex<Real>> beta,
            std::complex<Real> *c, int64_t ldc, const options &settings = {})
{
    return on.run(detail::complex_operations<Real>::hemm, settings, order, where, part, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C in a triangle of C.
template <class Value>
report syr2k(device &on, layout order, triangle part, transpose op, int64_t n, int64_t k, scalar<Value> alpha, const Value *a,
             int64_t lda, const Value *b, int64_t ldb, scalar<Value> beta, Value *c, int64_t ldc, const options &settings = {})
{
    return on.run(detail::operations<Value>::syr2k, settings, order, part, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C in a triangle of C; beta is real.
template <class Real>
report her2k(device &on, layout order, triangle part, transpose op, int64_t n, int64_t k, scalar<std::complex<Real>> alpha,
             const std::complex<Real> *a, int64_t lda, const std::complex<Real> *b, int64_t ldb, scalar<Real> beta,
             std::complex<Real> *c, int64_t ldc, const options &settings = {})
{
    return on.run(detail::complex_operations<Real>::her2k, settings, order, part, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// C = alpha op(A) op(B) + beta C in a triangle of C.
template <class Value>
report gemmt(device &on, layout order, triangle part, transpose op_a, transpose op_b, int64_t n, int64_t k, scalar<Value> alpha,
             const Value *a, int64_t lda, const Value *b, int64_t ldb, scalar<Value> beta, Value *c, int64_t ldc,
             const options &settings = {})
{
    return on.run(detail::operations<Value>::gemmt, settings, order, part, op_a, op_b, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// `batch` products of gemm, whose matrices are so many elements apart.
template <class Value>
report gemm_strided_batched(device &on, layout order, transpose op_a, transpose op_b, int64_t m, int64_t n, int64_t k,
                            scalar<Value> alpha, const Value *a, int64_t lda, int64_t stridea, const Value *b, int64_t ldb,
                            int64_t strideb, scalar<Value> beta, Value *c, int64_t ldc, int64_t stridec, int64_t batch,
                            const options &settings = {})
{
    return on.run(detail::operations<Value>::gemm_strided_batched, settings, order, op_a, op_b, m, n, k, alpha, a, lda, stridea, b,
                  ldb, strideb, beta, c, ldc, stridec, batch);
}

/// P A = L U. pivots[min(m, n)] count from 1.
template <class Value>
report getrf(device &on, layout order, int64_t m, int64_t n, Value *a, int64_t lda, int64_t *pivots, const options &settings = {})
{
    return on.run(detail::operations<Value>::getrf, settings, order, m, n, a, lda, pivots);
}

/// A = L L^H or U^H U.
template <class Value>
report potrf(device &on, layout order, triangle part, int64_t n, Value *a, int64_t lda, const options &settings = {})
{
    return on.run(detail::operations<Value>::potrf, settings, order, part, n, a, lda);
}

/// A = Q R. tau[min(m, n)].
template <class Value>
report geqrf(device &on, layout order, int64_t m, int64_t n, Value *a, int64_t lda, Value *tau, const options &settings = {})
{
    return on.run(detail::operations<Value>::geqrf, settings, order, m, n, a, lda, tau);
}

/// Solves op(A) X = B by the factors of getrf.
template <class Value>
report getrs(device &on, layout order, transpose op_a, int64_t n, int64_t nrhs, const Value *a, int64_t lda, const int64_t *pivots,
             Value *b, int64_t ldb, const options &settings = {})
{
    return on.run(detail::operations<Value>::getrs, settings, order, op_a, n, nrhs, a, lda, pivots, b, ldb);
}

/// Solves A X = B by the factor of potrf.
template <class Value>
report potrs(device &on, layout order, triangle part, int64_t n, int64_t nrhs, const Value *a, int64_t lda, Value *b, int64_t ldb,
             const options &settings = {})
{
    return on.run(detail::operations<Value>::potrs, settings, order, part, n, nrhs, a, lda, b, ldb);
}

/// A becomes its inverse, from the factors of getrf.
template <class Value>
report getri(device &on, layout order, int64_t n, Value *a, int64_t lda, const int64_t *pivots, const options &settings = {})
{
    return on.run(detail::operations<Value>::getri, settings, order, n, a, lda, pivots);
}

/// A becomes its inverse, from the factor of potrf in a triangle.
template <class Value>
report potri(device &on, layout order, triangle part, int64_t n, Value *a, int64_t lda, const options &settings = {})
{
    return on.run(detail::operations<Value>::potri, settings, order, part, n, a, lda);
}

/// C = op(Q) C, or C op(Q), Q of the k reflectors of geqrf. Complex types too: LAPACK's unmqr.
template <class Value>
report ormqr(device &on, layout order, side where, transpose op_q, int64_t m, int64_t n, int64_t k, const Value *a, int64_t lda,
             const Value *tau, Value *c, int64_t ldc, const options &settings = {})
{
    return on.run(detail::operations<Value>::ormqr, settings, order, where, op_q, m, n, k, a, lda, tau, c, ldc);
}

/// A becomes the first n columns of Q, from the k reflectors of geqrf. Complex types too: LAPACK's ungqr.
template <class Value>
report orgqr(device &on, layout order, int64_t m, int64_t n, int64_t k, Value *a, int64_t lda, const Value *tau,
             const options &settings = {})
{
    return on.run(detail::operations<Value>::orgqr, settings, order, m, n, k, a, lda, tau);
}

/// Solves A X = B by LU. pivots[n] count from 1.
template <class Value>
report gesv(device &on, layout order, int64_t n, int64_t nrhs, Value *a, int64_t lda, int64_t *pivots, Value *b, int64_t ldb,
            const options &settings = {})
{
    return on.run(detail::operations<Value>::gesv, settings, order, n, nrhs, a, lda, pivots, b, ldb);
}

/// Solves A X = B by Cholesky.
template <class Value>
report posv(device &on, layout order, triangle part, int64_t n, int64_t nrhs, Value *a, int64_t lda, Value *b, int64_t ldb,
            const options &settings = {})
{
    return on.run(detail::operations<Value>::posv, settings, order, part, n, nrhs, a, lda, b, ldb);
}

/// Least squares, or the solution of least norm, by QR or LQ.
template <class Value>
report gels(device &on, layout order, transpose op_a, int64_t m, int64_t n, int64_t nrhs, Value *a, int64_t lda, Value *b,
            int64_t ldb, const options &settings = {})
{
    return on.run(detail::operations<Value>::gels, settings, order, op_a, m, n, nrhs, a, lda, b, ldb);
}

/// Transforms of `batch` arrays of dims points, not normalised. sign: -1 forward, +1 backward.
template <class Real>
report fft(device &on, view<int64_t> dims, int64_t batch, int32_t sign, const std::complex<Real> *in, std::complex<Real> *out,
           const options &settings = {})
{
    return on.run(detail::complex_operations<Real>::fft, settings, dims.size(), dims, batch, sign,
                  reinterpret_cast<const Real *>(in), reinterpret_cast<Real *>(out));
}

/// Forward transform of real numbers to the half spectrum.
template <class Real>
report fft_r2c(device &on, view<int64_t> dims, int64_t batch, const Real *in, std::complex<Real> *out, const options &settings = {})
{
    return on.run(detail::complex_operations<Real>::fft_r2c, settings, dims.size(), dims, batch, in, reinterpret_cast<Real *>(out));
}

/// Backward transform of the half spectrum to real numbers. dims: of the real array.
template <class Real>
report fft_c2r(device &on, view<int64_t> dims, int64_t batch, const std::complex<Real> *in, Real *out, const options &settings = {})
{
    return on.run(detail::complex_operations<Real>::fft_c2r, settings, dims.size(), dims, batch, reinterpret_cast<const Real *>(in),
                  out);
}

// ---- pipelines ----

/// A step, for its kernel's call.
class step
{
  public:
    explicit step(const hpart_step *native) noexcept : native_(native) {}

    int64_t index() const noexcept { return hpart_step_index(native_); }
    /// cl_command_queue or CUstream; NULL on the host.
    void *queue() const noexcept { return hpart_step_queue(native_); }
    /// cl_mem, CUdeviceptr or address of the step's k-th block.
    void *memory(int64_t k) const noexcept { return hpart_step_memory(native_, k); }

  private:
    const hpart_step *native_;
};

/// Your own kernel on data larger than the device's memory. It keeps its device open.
class pipeline : public handle<hpart_pipeline, hpart_pipeline_destroy>
{
  public:
    pipeline() noexcept = default;
    explicit pipeline(device &on)
    {
        hpart_pipeline *created = nullptr;
        detail::check(hpart_pipeline_create(on.raw(), &created));
        handle::operator=(handle(adopt, created, on.share()));
    }

    /// Adds an array with blocks of at most block_bytes; returns its number. slots: buffers on the device; 0: enough.
    int64_t add_array(int64_t block_bytes, int64_t slots = 0)
    {
        int64_t array = 0;
        call(hpart_pipeline_add_array, block_bytes, slots, &array);
        return array;
    }
    /// Adds the step's next block: rows of row_bytes, pitch_bytes apart, in memory that lives until the pipeline has run.
    void read(int64_t array, const void *memory, int64_t rows, int64_t row_bytes, int64_t pitch_bytes)
    {
        call(hpart_pipeline_read, array, memory, rows, row_bytes, pitch_bytes);
    }
    void write(int64_t array, void *memory, int64_t rows, int64_t row_bytes, int64_t pitch_bytes)
    {
        call(hpart_pipeline_write, array, memory, rows, row_bytes, pitch_bytes);
    }
    void update(int64_t array, void *memory, int64_t rows, int64_t row_bytes, int64_t pitch_bytes)
    {
        call(hpart_pipeline_update, array, memory, rows, row_bytes, pitch_bytes);
    }
    /// Ends the step. HPART_ERR_INVALID_ARGUMENT: its blocks overlap.
    void end_step() { call(hpart_pipeline_end_step); }

    /// Calls kernel(const step &) for each step. On the host it computes; else it adds commands to the step's queue.
    /// HPART_ERR_OUT_OF_MEMORY, HPART_ERR_DEVICE, cancelled.
    template <class Kernel> report run(Kernel &&kernel, const options &settings = {})
    {
        struct context {
            std::remove_reference_t<Kernel> *callable;
            detail::failure kept;
        } user{&kernel, {}};
        const hpart_pipeline_kernel trampoline = [](const hpart_step *now, void *pointer) {
            auto &own = *static_cast<context *>(pointer);
            return own.kept.run([&] { return (*own.callable)(step(now)); });
        };
        hpart_report *written = nullptr;
        const hpart_status status = detail::invoke(hpart_pipeline_run, raw(), trampoline, &user, settings, &written);
        report result(adopt, written);
        user.kept.rethrow(status);
        detail::check(status);
        return result;
    }
};

} // namespace v0_1
} // namespace hpart

#endif
