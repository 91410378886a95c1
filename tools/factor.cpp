// hpart factor: LU, Cholesky or QR of a matrix that may be larger than the device, checked and timed.
#include "checks.hpp"
#include "failure.hpp"
#include "operation.hpp"

#include <memory>
#include <vector>

namespace hpart_command
{

namespace
{

struct Arguments {
    OperationArguments operation;
    std::string kind, n;
};

enum class Kind { lu, cholesky, qr };

struct Matrix {
    char precision; // s or d
    std::int64_t n;
};

double *doubles(const Numbers &numbers) { return static_cast<double *>(numbers.data()); }
float *floats(const Numbers &numbers) { return static_cast<float *>(numbers.data()); }

hpart_status factor(hpart_device *device, Kind kind, const Matrix &m, const Numbers &a,
                    std::vector<std::int64_t> &pivots, const Numbers &tau, const hpart_options *options,
                    hpart_report **report)
{
    constexpr std::int32_t layout = HPART_COLUMN_MAJOR;
    const bool is_double = m.precision == 'd';
    switch (kind) {
    case Kind::lu:
        return is_double ? hpart_dgetrf(device, layout, m.n, m.n, doubles(a), m.n, pivots.data(), options, report)
                         : hpart_sgetrf(device, layout, m.n, m.n, floats(a), m.n, pivots.data(), options, report);
    case Kind::cholesky:
        return is_double ? hpart_dpotrf(device, layout, HPART_LOWER, m.n, doubles(a), m.n, options, report)
                         : hpart_spotrf(device, layout, HPART_LOWER, m.n, floats(a), m.n, options, report);
    case Kind::qr: break;
    }
    return is_double ? hpart_dgeqrf(device, layout, m.n, m.n, doubles(a), m.n, doubles(tau), options, report)
                     : hpart_sgeqrf(device, layout, m.n, m.n, floats(a), m.n, floats(tau), options, report);
}

Checked checked(Kind kind, const Matrix &m, const Numbers &a, const Numbers &factors,
                const std::vector<std::int64_t> &pivots, const Numbers &tau)
{
    switch (kind) {
    case Kind::lu: return {lu_residual(m.n, a, factors, pivots), "||P A - L U|| / ||A||, estimated by random vectors"};
    case Kind::cholesky:
        return {cholesky_residual(m.n, a, factors), "||A - L L'|| / ||A||, estimated by random vectors"};
    case Kind::qr: break;
    }
    return {qr_residual(m.n, a, factors, tau), "||A - Q R|| / ||A||, estimated by random vectors"};
}

// Symmetric, with a diagonal larger than the rest of its row.
void make_positive(const Matrix &m, Numbers &a)
{
    for (std::int64_t j = 0; j < m.n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) a.set_real(j * m.n + i, a.real(i * m.n + j));
        a.set_real(j * m.n + j, static_cast<double>(m.n) + 1);
    }
}

void run(const Arguments &arguments)
{
    const auto kind = static_cast<Kind>(parse_choice("--kind", arguments.kind, {"lu", "cholesky", "qr"}));
    const Matrix m{"sd"[parse_choice("--precision", arguments.operation.precision, {"s", "d"})],
                   parse_positive("--n", arguments.n)};
    const auto count = elements_of("the matrix", {m.n, m.n});
    require_memory({{"the matrix", m.precision, count}, {"its factors", m.precision, count}});
    const auto device = open_device(arguments.operation);
    Numbers a(m.precision, count), factors(m.precision, count), tau(m.precision, m.n);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(m.n));
    a.fill(1);
    if (kind == Kind::cholesky) make_positive(m, a);
    TimedOperation operation;
    operation.before = [&] { factors.copy_from(a); };
    operation.run = [&](const hpart_options *options, hpart_report **report) {
        return factor(device.get(), kind, m, factors, pivots, tau, options, report);
    };
    operation.has_in_card_rate = true;
    const auto timing = time_operation(arguments.operation, operation);
    emit_operation(arguments.operation,
                   text(arguments.kind, " of order ", m.n, ", ", m.precision == 'd' ? "double" : "float", ", on ",
                        arguments.operation.device),
                   timing, checked(kind, m, a, factors, pivots, tau));
}

} // namespace

void add_factor(CLI::App &app)
{
    auto arguments = std::make_shared<Arguments>();
    auto *sub =
        app.add_subcommand("factor", "LU, Cholesky or QR of a matrix larger than the device, checked and timed");
    sub->add_option("--kind", arguments->kind, "the factorisation")->required()->type_name("lu|cholesky|qr");
    sub->add_option("--n", arguments->n, "order of the matrix")->required()->type_name("N");
    add_operation(*sub, arguments->operation, "d|s");
    sub->footer("Example: hpart factor --device opencl:0:0 --kind lu --n 3000 --memory-limit 48000000");
    sub->callback([arguments] {
        arguments->operation.common.settle();
        run(*arguments);
    });
}

} // namespace hpart_command
