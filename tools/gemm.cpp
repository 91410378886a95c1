// hpart gemm: a product of matrices that may be larger than the device, checked and timed.

#include "checks.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "operation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <memory>
#include <vector>

namespace hpart_command
{

namespace
{

struct GemmArguments {
    OperationArguments operation;
    std::string m, n, k, trans = "NN", layout = "row", alpha = "1", beta = "0";
};

struct Product {
    char precision;
    std::int32_t layout, transa, transb;
    std::int64_t m, n, k, lda, ldb, ldc;
    double alpha, beta;
};

std::int32_t transpose_of(char letter, std::string_view whole)
{
    switch (letter) {
    case 'N': return HPART_NO_TRANSPOSE;
    case 'T': return HPART_TRANSPOSE;
    case 'C': return HPART_CONJUGATE_TRANSPOSE;
    default: refuse("--trans is ", in_quotes(whole), "; it must be two of N, T and C, as in NT");
    }
}

double parse_factor(std::string_view argument, std::string_view text)
{
    double value = 0;
    const auto *end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(value))
        refuse(argument, " is ", in_quotes(text), "; it must be a finite real number");
    return value;
}

Product product_of(const GemmArguments &arguments)
{
    Product p{};
    p.precision = "sdcz"[parse_choice("--precision", arguments.operation.precision, {"s", "d", "c", "z"})];
    p.m = parse_positive("--m", arguments.m);
    p.n = parse_positive("--n", arguments.n);
    p.k = parse_positive("--k", arguments.k);
    if (arguments.trans.size() != 2)
        refuse("--trans is ", in_quotes(arguments.trans), "; it must be two of N, T and C, as in NT");
    p.transa = transpose_of(arguments.trans[0], arguments.trans);
    p.transb = transpose_of(arguments.trans[1], arguments.trans);
    const bool by_rows = parse_choice("--layout", arguments.layout, {"row", "col"}) == 0;
    p.layout = by_rows ? HPART_ROW_MAJOR : HPART_COLUMN_MAJOR;
    p.lda = by_rows == (p.transa == HPART_NO_TRANSPOSE) ? p.k : p.m;
    p.ldb = by_rows == (p.transb == HPART_NO_TRANSPOSE) ? p.n : p.k;
    p.ldc = by_rows ? p.n : p.m;
    p.alpha = parse_factor("--alpha", arguments.alpha);
    p.beta = parse_factor("--beta", arguments.beta);
    return p;
}

hpart_status multiply(hpart_device *device, const Product &p, const Numbers &a, const Numbers &b, const Numbers &c,
                      const hpart_options *options, hpart_report **report)
{
    const std::complex<double> alpha = p.alpha, beta = p.beta;
    const std::complex<float> single_alpha(alpha), single_beta(beta);
    const void *const of_a = a.data(), *const of_b = b.data();
    void *const of_c = c.data();
    switch (p.precision) {
    case 's':
        return hpart_sgemm(device, p.layout, p.transa, p.transb, p.m, p.n, p.k, static_cast<float>(p.alpha),
                           static_cast<const float *>(of_a), p.lda, static_cast<const float *>(of_b), p.ldb,
                           static_cast<float>(p.beta), static_cast<float *>(of_c), p.ldc, options, report);
    case 'd':
        return hpart_dgemm(device, p.layout, p.transa, p.transb, p.m, p.n, p.k, p.alpha,
                           static_cast<const double *>(of_a), p.lda, static_cast<const double *>(of_b), p.ldb, p.beta,
                           static_cast<double *>(of_c), p.ldc, options, report);
    case 'c':
        return hpart_cgemm(device, p.layout, p.transa, p.transb, p.m, p.n, p.k, &single_alpha, of_a, p.lda, of_b, p.ldb,
                           &single_beta, of_c, p.ldc, options, report);
    default:
        return hpart_zgemm(device, p.layout, p.transa, p.transb, p.m, p.n, p.k, &alpha, of_a, p.lda, of_b, p.ldb, &beta,
                           of_c, p.ldc, options, report);
    }
}

// Roundings of a sum of k products of either sign grow as the root of k, as the sum does. A C of few numbers may have none of that size.
double error_bound(const Product &p)
{
    constexpr double factor = 64;
    return factor * epsilon_of(p.precision) * std::sqrt(static_cast<double>(p.k));
}

Checked checked(const GemmArguments &arguments, const Product &p, const Numbers &a, const Numbers &b,
                const Numbers &before, const Numbers &c)
{
    const bool by_rows = p.layout == HPART_ROW_MAJOR;
    const auto operand = [&](const Numbers &numbers, char op, std::int64_t rows, std::int64_t columns) {
        return op == 'N' ? Operand{numbers, rows, columns, by_rows, op} : Operand{numbers, columns, rows, by_rows, op};
    };
    return {product_error(operand(a, arguments.trans[0], p.m, p.k), operand(b, arguments.trans[1], p.k, p.n), p.alpha,
                          p.beta, operand(before, 'N', p.m, p.n), operand(c, 'N', p.m, p.n)),
            error_bound(p), "max |(C - R) v| / max |R v|, v random signs"};
}

void run_gemm(const GemmArguments &arguments)
{
    const auto p = product_of(arguments);
    const auto title = text(p.precision, "gemm, m = ", p.m, ", n = ", p.n, ", k = ", p.k, ", ", arguments.trans, ", ",
                            arguments.layout, "-major, on ", arguments.operation.device);
    if (arguments.operation.dry_run) {
        const auto device = open_device(arguments.operation);
        const Numbers none(p.precision, 0);
        return emit_prediction(arguments.operation, title, [&](const hpart_options *options, hpart_report **report) {
            return multiply(device.get(), p, none, none, none, options, report);
        });
    }
    const auto of_a = elements_of("A", {p.m, p.k}), of_b = elements_of("B", {p.k, p.n}),
               of_c = elements_of("C", {p.m, p.n});
    require_memory({{"A", p.precision, of_a},
                    {"B", p.precision, of_b},
                    {"C", p.precision, of_c},
                    {"another C to check with", p.precision, of_c}});
    const auto device = open_device(arguments.operation);
    Numbers a(p.precision, of_a), b(p.precision, of_b), c(p.precision, of_c), before(p.precision, of_c);
    a.fill(1);
    b.fill(2);
    before.fill(3);
    TimedOperation operation;
    operation.before = [&] { c.copy_from(before); };
    operation.run = [&](const hpart_options *options, hpart_report **report) {
        return multiply(device.get(), p, a, b, c, options, report);
    };
    operation.has_in_card_rate = true;
    const auto timing = time_operation(arguments.operation, operation);
    emit_operation(arguments.operation, title, timing, checked(arguments, p, a, b, before, c));
}

} // namespace

void add_gemm(CLI::App &app)
{
    auto arguments = std::make_shared<GemmArguments>();
    auto *sub = app.add_subcommand("gemm", "a product of matrices larger than the device, checked and timed");
    sub->add_option("--m", arguments->m, "rows of C")->required()->type_name("M");
    sub->add_option("--n", arguments->n, "columns of C")->required()->type_name("N");
    sub->add_option("--k", arguments->k, "columns of A and rows of B")->required()->type_name("K");
    sub->add_option("--trans", arguments->trans, "A and B as they are (N), transposed (T) or conjugated too (C)")
        ->type_name("NN|NT|TN|...")
        ->capture_default_str();
    sub->add_option("--layout", arguments->layout, "order of the matrices")
        ->type_name("row|col")
        ->capture_default_str();
    sub->add_option("--alpha", arguments->alpha, "C = alpha A B + beta C")->type_name("X")->capture_default_str();
    sub->add_option("--beta", arguments->beta, "C = alpha A B + beta C")->type_name("X")->capture_default_str();
    add_operation(*sub, arguments->operation, "d|s|c|z");
    sub->footer("Example: hpart gemm --device opencl:0:0 --m 3000 --n 3000 --k 3000 --memory-limit 48000000");
    sub->callback([arguments] {
        arguments->operation.common.settle();
        run_gemm(*arguments);
    });
}

// hpart fft: a Fourier transform of data that may be larger than the device, checked and timed.

namespace
{

struct FftArguments {
    OperationArguments operation;
    std::string dims, batch = "1";
    bool real = false;
};

struct Transform {
    bool is_double, real;
    std::vector<std::int64_t> dims;
    std::int64_t batch;
    std::int64_t points() const // of one array
    {
        std::int64_t count = 1;
        for (const auto dim : dims) count = elements_of("the transform", {count, dim});
        return count;
    }
};

std::vector<std::int64_t> parse_shape(std::string_view text)
{
    const auto parts = split(text, 'x');
    std::vector<std::int64_t> dims;
    for (const auto part : parts)
        if (const auto size = hpart::parse_count(part)) dims.push_back(*size);
    if (dims.size() == parts.size()) {
        for (const auto part : parts) parse_positive("--dims", part);
        return dims;
    }
    std::string joined; // what was probably meant
    for (const char c : text)
        if (c >= '0' && c <= '9')
            joined += c;
        else if (!joined.empty() && joined.back() != 'x')
            joined += 'x';
    while (joined.ends_with('x')) joined.pop_back();
    refuse("--dims is ", in_quotes(text), "; it must be sizes joined by x, as in ",
           joined.empty() ? "256x256" : joined);
}

hpart_status transform(hpart_device *device, const Transform &t, const Numbers &in, const Numbers &out,
                       const hpart_options *options, hpart_report **report)
{
    constexpr std::int32_t forward = -1;
    const auto rank = static_cast<std::int64_t>(t.dims.size());
    const auto *const dims = t.dims.data();
    if (t.is_double) {
        const auto *from = static_cast<const double *>(in.data());
        auto *to = static_cast<double *>(out.data());
        return t.real ? hpart_dfft_r2c(device, rank, dims, t.batch, from, to, options, report)
                      : hpart_zfft(device, rank, dims, t.batch, forward, from, to, options, report);
    }
    const auto *from = static_cast<const float *>(in.data());
    auto *to = static_cast<float *>(out.data());
    return t.real ? hpart_sfft_r2c(device, rank, dims, t.batch, from, to, options, report)
                  : hpart_cfft(device, rank, dims, t.batch, forward, from, to, options, report);
}

// Roundings grow with the number of stages. Lengths with large prime factors have the stages of a longer transform.
double error_bound(const Transform &t)
{
    constexpr double factor = 16;
    return factor * epsilon_of(t.is_double ? 'd' : 's') * (4 + std::log2(static_cast<double>(t.points())));
}

void run_fft(const FftArguments &arguments)
{
    const bool is_double = parse_choice("--precision", arguments.operation.precision, {"s", "d"}) == 1;
    const Transform t{is_double, arguments.real, parse_shape(arguments.dims),
                      parse_positive("--batch", arguments.batch)};
    const auto title = text(t.real ? "real" : "complex", " transform of ", arguments.dims, ", batch ", t.batch, ", ",
                            is_double ? "double" : "float", ", on ", arguments.operation.device);
    auto on_device = arguments.operation; // the host's speed is not the device's
    auto &settings = on_device.common.options;
    if (std::ranges::count(settings, "fft_plan=host") == 0 && !on_device.common.has_option("run_on"))
        settings.insert(settings.begin(), "run_on=device");
    if (arguments.operation.dry_run) {
        const auto device = open_device(arguments.operation);
        const Numbers in('s', 0), out('s', 1); // apart
        return emit_prediction(on_device, title, [&](const hpart_options *options, hpart_report **report) {
            return transform(device.get(), t, in, out, options, report);
        });
    }
    const auto points = elements_of("the transform", {t.points(), t.batch});
    const auto last = t.dims.back();
    const auto numbers = t.real ? points / last * (last / 2 + 1) : points;
    const char complex_type = is_double ? 'z' : 'c', type = t.real ? is_double ? 'd' : 's' : complex_type;
    require_memory({{"the data", type, points}, {"the spectrum", complex_type, numbers}});
    const auto device = open_device(arguments.operation);
    Numbers in(type, points), out(complex_type, numbers);
    in.fill(1);
    TimedOperation operation;
    operation.run = [&](const hpart_options *options, hpart_report **report) {
        return transform(device.get(), t, in, out, options, report);
    };
    const auto timing = time_operation(on_device, operation);
    emit_operation(arguments.operation, title, timing,
                   {transform_error(t.dims, t.batch, in, out), error_bound(t),
                    "||X - R|| / ||X||, estimated from random sums over X that are known from the data"});
}

} // namespace

void add_fft(CLI::App &app)
{
    auto arguments = std::make_shared<FftArguments>();
    auto *sub = app.add_subcommand("fft", "a Fourier transform larger than the device, checked and timed");
    sub->add_option("--dims", arguments->dims, "points, the last dimension is contiguous")
        ->required()
        ->type_name("8192x8192");
    sub->add_option("--batch", arguments->batch, "transforms one after another")->type_name("N")->capture_default_str();
    sub->add_flag("--real", arguments->real, "of real numbers: the half spectrum");
    add_operation(*sub, arguments->operation, "d|s");
    sub->footer("Example: hpart fft --device opencl:0:0 --dims 2048x2048 --memory-limit 16000000");
    sub->callback([arguments] {
        arguments->operation.common.settle();
        run_fft(*arguments);
    });
}

// hpart factor: LU, Cholesky or QR of a matrix that may be larger than the device, checked and timed.

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
