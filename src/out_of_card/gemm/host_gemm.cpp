#include "out_of_card/gemm/host_gemm.hpp"
#include "core/error.hpp"
#include "out_of_card/gemm/plan.hpp"

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#include "host/thread_group.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"
#endif

#include <algorithm>
#include <cstdlib>
#include <optional>

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

} // namespace hpart
