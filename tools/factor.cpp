// hpart factor: LU, Cholesky or QR of a matrix that may be larger than the device, checked and timed.
#include "failure.hpp"
#include "operation.hpp"

#include <algorithm>
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

// C = op(A) B or A op(B), by the host.
void multiply(hpart_device *host, const Matrix &m, std::int32_t transa, std::int32_t transb, const Numbers &a,
              const Numbers &b, const Numbers &c)
{
    const auto n = m.n;
    check(m.precision == 'd' ? hpart_dgemm(host, HPART_COLUMN_MAJOR, transa, transb, n, n, n, 1, doubles(a), n,
                                           doubles(b), n, 0, doubles(c), n, nullptr, nullptr)
                             : hpart_sgemm(host, HPART_COLUMN_MAJOR, transa, transb, n, n, n, 1, floats(a), n,
                                           floats(b), n, 0, floats(c), n, nullptr, nullptr));
}

// The part of the matrix on one side of its diagonal; the diagonal as it is, or ones.
Numbers triangle(const Matrix &m, const Numbers &a, bool lower, bool ones)
{
    Numbers out(m.precision, a.count());
    for (std::int64_t j = 0; j < m.n; ++j)
        for (std::int64_t i = 0; i < m.n; ++i) {
            const double inside = (lower ? i > j : i < j) ? a.real(j * m.n + i) : 0;
            out.set_real(j * m.n + i, i != j ? inside : ones ? 1 : a.real(j * m.n + i));
        }
    return out;
}

void exchange_rows(const Matrix &m, Numbers &a, const std::vector<std::int64_t> &pivots)
{
    for (std::int64_t j = 0; j < m.n; ++j)
        for (std::int64_t k = 0; k < m.n; ++k) {
            const auto other = pivots[static_cast<std::size_t>(k)] - 1;
            const double value = a.real(j * m.n + k);
            a.set_real(j * m.n + k, a.real(j * m.n + other));
            a.set_real(j * m.n + other, value);
        }
}

// ||P A - L U|| / ||A||, ||A - L L'|| / ||A|| or ||A' A - R' R|| / ||A' A||.
double residual(Kind kind, const Matrix &m, Numbers &a, const Numbers &factors, const std::vector<std::int64_t> &pivots)
{
    const auto host = open_host();
    Numbers product(m.precision, a.count());
    if (kind == Kind::lu) {
        multiply(host.get(), m, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, triangle(m, factors, true, true),
                 triangle(m, factors, false, false), product);
        exchange_rows(m, a, pivots);
        return relative_distance(product, a);
    }
    const auto half = triangle(m, factors, kind == Kind::cholesky, false);
    if (kind == Kind::cholesky) {
        multiply(host.get(), m, HPART_NO_TRANSPOSE, HPART_TRANSPOSE, half, half, product);
        return relative_distance(product, a);
    }
    multiply(host.get(), m, HPART_TRANSPOSE, HPART_NO_TRANSPOSE, half, half, product);
    Numbers squared(m.precision, a.count());
    multiply(host.get(), m, HPART_TRANSPOSE, HPART_NO_TRANSPOSE, a, a, squared);
    return relative_distance(product, squared);
}

// Symmetric, with a diagonal larger than the rest of its row.
void make_positive(const Matrix &m, Numbers &a)
{
    for (std::int64_t j = 0; j < m.n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) a.set_real(j * m.n + i, a.real(i * m.n + j));
        a.set_real(j * m.n + j, static_cast<double>(m.n) + 1);
    }
}

double operations_of(Kind kind, std::int64_t n)
{
    const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    if (kind == Kind::lu) return cube * 2 / 3;
    return kind == Kind::cholesky ? cube / 3 : cube * 4 / 3;
}

void run(const Arguments &arguments)
{
    const auto kind = static_cast<Kind>(parse_choice("--kind", arguments.kind, {"lu", "cholesky", "qr"}));
    const Matrix m{"sd"[parse_choice("--precision", arguments.operation.precision, {"s", "d"})],
                   parse_positive("--n", arguments.n)};
    const auto device = open_device(arguments.operation);
    const auto count = elements_of("the matrix", {m.n, m.n});
    Numbers a(m.precision, count), factors(m.precision, count), tau(m.precision, m.n);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(m.n));
    a.fill(1);
    if (kind == Kind::cholesky) make_positive(m, a);
    TimedOperation operation;
    operation.before = [&] { factors.copy_from(a); };
    operation.run = [&](const hpart_options *options, hpart_report **report) {
        return factor(device.get(), kind, m, factors, pivots, tau, options, report);
    };
    operation.operations = operations_of(kind, m.n);
    operation.has_in_card_rate = true;
    const auto timing = time_operation(arguments.operation, operation);
    static constexpr const char *residuals[] = {"||P A - L U|| / ||A||", "||A - L L'|| / ||A||",
                                                "||A' A - R' R|| / ||A' A||"};
    emit_operation(arguments.operation,
                   text(arguments.kind, " of order ", m.n, ", ", m.precision == 'd' ? "double" : "float", ", on ",
                        arguments.operation.device),
                   timing, operation.operations, residual(kind, m, a, factors, pivots),
                   residuals[static_cast<std::size_t>(kind)]);
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
