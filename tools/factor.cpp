// hpart factor: LU, Cholesky or QR of a matrix that may be larger than the device, checked and timed.
#include "checks.hpp"
#include "failure.hpp"
#include "operation.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace hpart_command
{

namespace
{

struct FactorArguments {
    OperationArguments operation;
    std::string kind, n;
};

enum class FactorKind { lu, cholesky, qr };

struct Matrix {
    char precision; // s, d, c or z
    std::int64_t n;
};

// The library's functions of one precision. Functions of complex numbers take them by void.
template <typename Value> struct Routines {
    hpart_status (*getrf)(hpart_device *, int32_t, int64_t, int64_t, Value *, int64_t, int64_t *, const hpart_options *,
                          hpart_report **);
    hpart_status (*potrf)(hpart_device *, int32_t, int32_t, int64_t, Value *, int64_t, const hpart_options *,
                          hpart_report **);
    hpart_status (*geqrf)(hpart_device *, int32_t, int64_t, int64_t, Value *, int64_t, Value *, const hpart_options *,
                          hpart_report **);
};

struct Arrays {
    void *a;
    std::vector<std::int64_t> &pivots;
    void *tau;
};

template <typename Value>
hpart_status factor(const Routines<Value> &routines, hpart_device *device, FactorKind kind, std::int64_t n,
                    const Arrays &arrays, const hpart_options *options, hpart_report **report)
{
    constexpr std::int32_t layout = HPART_COLUMN_MAJOR;
    auto *const a = static_cast<Value *>(arrays.a);
    switch (kind) {
    case FactorKind::lu: return routines.getrf(device, layout, n, n, a, n, arrays.pivots.data(), options, report);
    case FactorKind::cholesky: return routines.potrf(device, layout, HPART_LOWER, n, a, n, options, report);
    case FactorKind::qr: break;
    }
    return routines.geqrf(device, layout, n, n, a, n, static_cast<Value *>(arrays.tau), options, report);
}

hpart_status factor(hpart_device *device, FactorKind kind, const Matrix &m, const Arrays &arrays,
                    const hpart_options *options, hpart_report **report)
{
    const auto with = [&]<typename Value>(const Routines<Value> &routines) {
        return factor(routines, device, kind, m.n, arrays, options, report);
    };
    switch (m.precision) {
    case 's': return with(Routines<float>{hpart_sgetrf, hpart_spotrf, hpart_sgeqrf});
    case 'c': return with(Routines<void>{hpart_cgetrf, hpart_cpotrf, hpart_cgeqrf});
    case 'z': return with(Routines<void>{hpart_zgetrf, hpart_zpotrf, hpart_zgeqrf});
    default: return with(Routines<double>{hpart_dgetrf, hpart_dpotrf, hpart_dgeqrf});
    }
}

// Above the growth of LU's elements on random matrices, the two thirds power of the order (Trefethen and Schreiber 1990).
double error_bound(const Matrix &m)
{
    constexpr double factor = 32;
    return factor * epsilon_of(m.precision) * std::pow(static_cast<double>(m.n), 2.0 / 3);
}

Checked checked(FactorKind kind, const Matrix &m, const Numbers &a, const Numbers &factors,
                const std::vector<std::int64_t> &pivots, const Numbers &tau)
{
    switch (kind) {
    case FactorKind::lu:
        return {lu_residual(m.n, a, factors, pivots), error_bound(m),
                "||P A - L U|| / ||A||, estimated by random vectors"};
    case FactorKind::cholesky:
        return {cholesky_residual(m.n, a, factors), error_bound(m),
                "||A - L L^H|| / ||A||, estimated by random vectors"};
    case FactorKind::qr: break;
    }
    return {qr_residual(m.n, a, factors, tau), error_bound(m), "||A - Q R|| / ||A||, estimated by random vectors"};
}

// Hermitian, with a diagonal larger than the rest of its row.
void make_positive(const Matrix &m, Numbers &a)
{
    const std::int64_t parts = is_complex(m.precision) ? 2 : 1;
    for (std::int64_t j = 0; j < m.n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) {
            const auto to = parts * (j * m.n + i), from = parts * (i * m.n + j);
            a.set_real(to, a.real(from));
            if (parts == 2) a.set_real(to + 1, -a.real(from + 1));
        }
        const auto diagonal = parts * (j * m.n + j);
        a.set_real(diagonal, 2 * static_cast<double>(m.n));
        if (parts == 2) a.set_real(diagonal + 1, 0);
    }
}

const char *name_of(char precision)
{
    switch (precision) {
    case 's': return "float";
    case 'c': return "float complex";
    case 'z': return "double complex";
    default: return "double";
    }
}

void run_factor(const FactorArguments &arguments)
{
    const auto kind = static_cast<FactorKind>(parse_choice("--kind", arguments.kind, {"lu", "cholesky", "qr"}));
    const Matrix m{"sdcz"[parse_choice("--precision", arguments.operation.precision, {"s", "d", "c", "z"})],
                   parse_positive("--n", arguments.n)};
    const auto title =
        text(arguments.kind, " of order ", m.n, ", ", name_of(m.precision), ", on ", arguments.operation.device);
    if (arguments.operation.dry_run) {
        const auto device = open_device(arguments.operation);
        const Numbers none(m.precision, 0);
        std::vector<std::int64_t> no_pivots;
        return emit_prediction(arguments.operation, title, [&](const hpart_options *options, hpart_report **report) {
            return factor(device.get(), kind, m, {none.data(), no_pivots, none.data()}, options, report);
        });
    }
    const auto count = elements_of("the matrix", {m.n, m.n});
    require_memory({{"the matrix", m.precision, count}, {"its factors", m.precision, count}});
    const auto device = open_device(arguments.operation);
    Numbers a(m.precision, count), factors(m.precision, count), tau(m.precision, m.n);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(m.n));
    a.fill(1);
    if (kind == FactorKind::cholesky) make_positive(m, a);
    TimedOperation operation;
    operation.before = [&] { factors.copy_from(a); };
    operation.run = [&](const hpart_options *options, hpart_report **report) {
        return factor(device.get(), kind, m, {factors.data(), pivots, tau.data()}, options, report);
    };
    const auto timing = time_operation(arguments.operation, operation);
    emit_operation(arguments.operation, title, timing, checked(kind, m, a, factors, pivots, tau));
}

} // namespace

void add_factor(CLI::App &app)
{
    auto arguments = std::make_shared<FactorArguments>();
    auto *sub =
        app.add_subcommand("factor", "LU, Cholesky or QR of a matrix larger than the device, checked and timed");
    sub->add_option("--kind", arguments->kind, "the factorisation")->required()->type_name("lu|cholesky|qr");
    sub->add_option("--n", arguments->n, "order of the matrix")->required()->type_name("N");
    add_operation(*sub, arguments->operation, "d|s|c|z");
    sub->footer("Example: hpart factor --device opencl:0:0 --kind lu --n 3000 --memory-limit 48000000");
    sub->callback([arguments] {
        arguments->operation.common.settle();
        run_factor(*arguments);
    });
}

} // namespace hpart_command
