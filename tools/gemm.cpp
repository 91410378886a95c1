// hpart gemm: a product of matrices that may be larger than the device, checked and timed.
#include "checks.hpp"
#include "failure.hpp"
#include "operation.hpp"

#include <charconv>
#include <cmath>
#include <complex>
#include <memory>

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

} // namespace hpart_command
