#include "out_of_card/gemm/gemm.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/gemm/plan.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <optional>

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#include "host/thread_group.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"
#endif

namespace hpart
{

#ifdef HPART_HAVE_OPENBLAS

namespace
{

// Operations between two looks at the progress callback: a tenth of a second or so.
constexpr double operations_at_once = 2e10;
constexpr std::int64_t fewest_rows_at_once = 192;

DeviceGemm whole(const GemmCall &call)
{
    DeviceGemm what;
    what.m = call.m;
    what.n = call.n;
    what.k = call.k;
    what.transpose_a = call.transpose_a;
    what.transpose_b = call.transpose_b;
    what.alpha = call.alpha;
    what.beta = call.beta;
    what.a.ld = call.lda;
    what.b.ld = call.ldb;
    what.c.ld = call.ldc;
    return what;
}

void multiply_rows(const GemmCall &call, std::int64_t first, std::int64_t count)
{
    auto what = whole(call);
    what.m = count;
    const auto s = bytes_of(call.type);
    const auto a_step = call.transpose_a == Transpose::none ? call.lda : 1;
    multiply_by_cblas(call.type, what,
                      {static_cast<const char *>(call.a) + first * a_step * s, call.b,
                       static_cast<char *>(call.c) + first * call.ldc * s});
}

std::int64_t rows_at_once(const GemmCall &call, int threads)
{
    const auto of_a_row = flops_per_product(call.type) * static_cast<double>(call.n) * static_cast<double>(call.k);
    const auto rows = std::max(static_cast<double>(fewest_rows_at_once * threads), operations_at_once / of_a_row);
    return rows < static_cast<double>(call.m) ? static_cast<std::int64_t>(rows) : call.m;
}

blasint increment(std::int64_t value, const char *name)
{
    const auto magnitude = blas_integer(std::abs(value), name);
    return value < 0 ? -magnitude : magnitude;
}

} // namespace

bool has_host_blas() { return true; }

void check_host_sizes(const GemmCall &row_major) { check_cblas_sizes(whole(row_major)); }

void gemm_on_host(const GemmCall &row_major, int threads, Control &control)
{
    check_host_sizes(row_major);
    std::optional<ThreadGroup> group;
    if (threads > 1) group.emplace(std::vector<CoreList>(static_cast<std::size_t>(threads)));
    const auto parts = std::max(threads, 1);
    const auto at_once = rows_at_once(row_major, parts);
    for (std::int64_t row = 0; row < row_major.m; row += at_once) {
        const auto rows = std::min(at_once, row_major.m - row);
        const auto part = ceil_div(rows, parts);
        const auto multiply_part = [&](std::size_t member) {
            std::optional<SingleThreadedBlas> alone;
            if (threads > 0) alone.emplace();
            const auto first = std::min(rows, static_cast<std::int64_t>(member) * part);
            if (const auto count = std::min(part, rows - first); count > 0)
                multiply_rows(row_major, row + first, count);
        };
        if (group)
            group->run(multiply_part);
        else
            multiply_part(0);
        control.report_progress(static_cast<double>(row + rows) / static_cast<double>(row_major.m), "gemm");
    }
}

void check_host_sizes(const GemvCall &call)
{
    blas_integer(call.m, "m");
    blas_integer(call.n, "n");
    blas_integer(call.lda, "lda");
    increment(call.incx, "incx");
    increment(call.incy, "incy");
}

void gemv_on_host(const GemvCall &call)
{
    const auto layout = call.row_major ? CblasRowMajor : CblasColMajor;
    const auto ta = cblas_transpose(call.transpose_a);
    const auto m = blas_integer(call.m, "m"), n = blas_integer(call.n, "n"), lda = blas_integer(call.lda, "lda"),
               incx = increment(call.incx, "incx"), incy = increment(call.incy, "incy");
    with_type(call.type, [&]<typename Value>() {
        const auto alpha = coefficient_as<Value>(call.alpha), beta = coefficient_as<Value>(call.beta);
        Cblas<Value>::gemv(layout, ta, m, n, by_address(alpha), static_cast<const Value *>(call.a), lda,
                           static_cast<const Value *>(call.x), incx, by_address(beta), static_cast<Value *>(call.y),
                           incy);
    });
}

#else

namespace
{

[[noreturn]] void fail_without_blas()
{
    fail(Status::unsupported, "this build has no BLAS, with which products are computed on the host");
}

} // namespace

bool has_host_blas() { return false; }
void gemm_on_host(const GemmCall &, int, Control &) { fail_without_blas(); }
void gemv_on_host(const GemvCall &) { fail_without_blas(); }
void check_host_sizes(const GemmCall &) { fail_without_blas(); }
void check_host_sizes(const GemvCall &) { fail_without_blas(); }

#endif

// y = alpha op(A) x + beta y on a device is a product of one row: y' = alpha x' op(A)' + beta y', so that A streams past x,
// which stays, in blocks as A lies on the host. For op = conjugate transpose both sides are conjugated.

namespace
{

template <typename Value> Value conjugated(Value value)
{
    if constexpr (is_complex_type<Value>) value = std::conj(value);
    return value;
}

// A vector as the BLAS has it: with a negative increment its first element is the last in memory.
template <typename Value> Value *first_element(Value *data, std::int64_t count, std::int64_t increment)
{
    return increment < 0 ? data - (count - 1) * increment : data;
}

template <typename Value>
std::vector<Value> packed(const void *data, std::int64_t count, std::int64_t increment, bool conjugate)
{
    const auto *const from = first_element(static_cast<const Value *>(data), count, increment);
    std::vector<Value> result(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto value = from[i * increment];
        result[static_cast<std::size_t>(i)] = conjugate ? conjugated(value) : value;
    }
    return result;
}

template <typename Value>
Account gemv_of(DeviceSession &session, const GemvCall &call, const GemmSettings &settings, Control &control)
{
    const bool transposed = call.transpose_a != Transpose::none, conjugate = call.transpose_a == Transpose::conjugate;
    const auto outer = transposed ? call.n : call.m, inner = transposed ? call.m : call.n;
    GemmCall product;
    product.type = call.type;
    product.m = 1;
    product.n = outer;
    product.k = inner;
    product.alpha = conjugate ? std::conj(call.alpha) : call.alpha;
    product.beta = conjugate ? std::conj(call.beta) : call.beta;
    // op(A)' is A's transpose where op is none; a column-major A is its transpose in rows.
    product.transpose_b = transposed == call.row_major ? Transpose::none : Transpose::transpose;
    Account account;
    account.flops = operations_of(shape_of(product));
    if (settings.dry_run) {
        product.lda = inner, product.ldb = call.lda, product.ldc = outer;
        gemm_on_device(session, product, settings, control, account);
        return account;
    }
    check_fits(session, shape_of(product), settings); // before long vectors are copied
    const auto x = packed<Value>(call.x, inner, call.incx, conjugate);
    auto y = call.beta == Coefficient(0) ? std::vector<Value>(static_cast<std::size_t>(outer))
                                         : packed<Value>(call.y, outer, call.incy, conjugate);
    product.a = x.data();
    product.lda = inner;
    product.b = call.a;
    product.ldb = call.lda;
    product.c = y.data();
    product.ldc = outer;
    gemm_on_device(session, product, settings, control, account);
    auto *const to = first_element(static_cast<Value *>(call.y), outer, call.incy);
    for (std::int64_t i = 0; i < outer; ++i) {
        const auto value = y[static_cast<std::size_t>(i)];
        to[i * call.incy] = conjugate ? conjugated(value) : value;
    }
    return account;
}

// OpenBLAS's complex products by columns of A read an increment beyond the last element of x. If x is a column of a matrix, that is
// a row beyond the matrix.
template <typename Value> void gemv_within_x(GemvCall call)
{
    auto x = packed<Value>(call.x, call.transpose_a == Transpose::none ? call.n : call.m, call.incx, false);
    x.emplace_back();
    call.x = x.data();
    call.incx = 1;
    gemv_on_host(call);
}

void gemv_on_host_safely(GemvCall call)
{
    check_host_sizes(call);      // before y is changed
    if (!is_finite(call.beta)) { // some BLAS take NaN for 0
        const auto outer = call.transpose_a == Transpose::none ? call.m : call.n;
        scale_rows(call.type, call.beta, call.y, outer, 1, std::abs(call.incy));
        call.beta = 1;
    }
    const bool by_columns = (call.transpose_a == Transpose::none) != call.row_major;
    if (!by_columns || !is_complex(call.type)) return gemv_on_host(call);
    with_type(call.type, [&]<typename Value>() { gemv_within_x<Value>(call); });
}

} // namespace

Account gemv(DeviceGroup &devices, const GemvCall &call, const Options &options)
{
    Account account{.kernel = host_gemm_kernel, .flops = 0};
    const auto begin = Clock::now();
    const auto settings = GemmSettings::from(options);
    const auto done_on_host = [&] {
        account.seconds = settings.dry_run ? 0 : seconds_since(begin);
        return account;
    };
    if (settings.dry_run ? needs_no_operands(call) : done_without_operands(call)) return done_on_host();
    const bool transposed = call.transpose_a != Transpose::none;
    const GemmShape shape{
        .type = call.type, .m = 1, .n = transposed ? call.n : call.m, .k = transposed ? call.m : call.n};
    account.flops = operations_of(shape);
    // A is on the host and each of its elements is used once: to bring it to a device takes longer than to use it here.
    const auto place = options.get_text("run_on");
    if (devices.sessions.empty() || place == "host" || (place == "auto" && has_host_blas())) {
        if (!settings.dry_run) gemv_on_host_safely(call);
        return done_on_host();
    }
    if (devices.sessions.size() > 1)
        fail(Status::unsupported, "run_on is device, but there are ", devices.sessions.size(),
             " devices; a matrix-vector product takes one");
    check_tile(devices, settings, shape);
    auto control = Control::from(options);
    auto &session = *devices.sessions.front();
    const std::lock_guard lock(session.in_use());
    return with_type(call.type, [&]<typename Value>() { return gemv_of<Value>(session, call, settings, control); });
}

} // namespace hpart
