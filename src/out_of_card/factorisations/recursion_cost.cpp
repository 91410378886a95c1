#include "out_of_card/factorisations/recursion_cost.hpp"
#include "out_of_card/factorisations/flops.hpp"

namespace hpart
{

namespace
{

double cube(double a, double b, double c) { return a * b * c; }

// The functions of the namespace `recursive`, by sizes alone.
class RecursionCounter
{
  public:
    RecursionCounter(Scalar type, const RecursionRules &rules) : type_(type), rules_(rules) {}
    const RecursionCost &cost() const { return cost_; }

    void update(std::int64_t n, std::int64_t k)
    {
        const auto flops = flops_of({.method = StepKind::update, .type = type_, .rows = n, .depth = k});
        if (n <= rules_.host_width || rules_.is_one_call(flops)) return host(flops);
        const auto first = rules_.half_of(n), rest = n - first;
        product(rest, first, k);
        update(first, k);
        update(rest, k);
    }

    void solve(std::int64_t n, std::int64_t columns)
    {
        if (n == 0 || columns == 0) return;
        if (n <= rules_.host_width)
            return host(flops_of({.method = StepKind::solve, .type = type_, .rows = n, .columns = columns}));
        const auto first = rules_.half_of(n), rest = n - first;
        solve(first, columns);
        product(rest, columns, first);
        solve(rest, columns);
    }

    void cholesky(std::int64_t n)
    {
        if (n <= rules_.host_width) return panel(cholesky_flops({.type = type_, .rows = n}));
        const auto first = rules_.half_of(n), rest = n - first;
        cholesky(first);
        solve(first, rest);
        update(rest, first);
        cholesky(rest);
    }

    void lu(std::int64_t m, std::int64_t n)
    {
        const auto least = std::min(m, n);
        if (least == 0) return;
        if (n <= rules_.host_width) return panel(lu_flops({.type = type_, .rows = m, .columns = n}));
        const auto first = least <= rules_.host_width ? least : rules_.half_of(least), rest = n - first;
        lu(m, first);
        solve(first, rest);
        product(m - first, rest, first);
        lu(m - first, rest);
    }

    void qr(std::int64_t m, std::int64_t n)
    {
        const auto flops = qr_flops({.type = type_, .rows = m, .columns = n});
        if (rules_.is_one_call(flops)) return panel(flops);
        const auto least = std::min(m, n), block = reflectors_at_once(rules_);
        for (std::int64_t j = 0; j < least; j += block) {
            const auto width = std::min(block, least - j);
            reflectors(m - j, width);
            apply(m - j, width, n - j - width);
        }
    }

    void all_reflectors(std::int64_t m, std::int64_t count, std::int64_t columns)
    {
        for (std::int64_t j = 0; j < count; j += rules_.host_width) {
            const auto width = std::min(rules_.host_width, count - j);
            product(width, width, m - j);
            apply(m - j, width, columns);
        }
    }

    void columns_of_q(std::int64_t m, std::int64_t n, std::int64_t count)
    {
        for (std::int64_t j = 0; j < count; j += rules_.host_width) {
            const auto width = std::min(rules_.host_width, count - j);
            product(width, width, m - j);
            apply(m - j, width, n - j);
        }
    }

    void lu_inverse(std::int64_t n)
    {
        invert(n);
        solve_columns(n, n);
    }

    void cholesky_inverse(std::int64_t n)
    {
        invert(n);
        multiply_by_adjoint(n);
    }

    void triangle(std::int64_t n, std::int64_t k)
    {
        if (n <= rules_.host_width) return host(flops_of_product(n, n, k));
        const auto first = rules_.half_of(n), rest = n - first;
        product(rest, first, k);
        triangle(first, k);
        triangle(rest, k);
    }

    void symmetric(std::int64_t n, std::int64_t columns)
    {
        if (n == 0 || columns == 0) return;
        if (n <= rules_.host_width) return host(flops_of_product(n, columns, n));
        const auto first = rules_.half_of(n), rest = n - first;
        symmetric(first, columns);
        product(first, columns, rest);
        symmetric(rest, columns);
        product(rest, columns, first);
    }

    void batch(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) { product(m, n, k, count); }

  private:
    void invert(std::int64_t n)
    {
        if (n <= rules_.host_width) return host(flops_of_product(n, n, n) / 6);
        const auto first = rules_.half_of(n), rest = n - first;
        invert(first);
        solve(first, rest);
        solve(rest, first);
        invert(rest);
    }

    void multiply_by_adjoint(std::int64_t n)
    {
        if (n <= rules_.host_width) return host(flops_of_product(n, n, n) / 6);
        const auto first = rules_.half_of(n), rest = n - first;
        multiply_by_adjoint(first);
        update(first, rest);
        solve(rest, first);
        multiply_by_adjoint(rest);
    }

    void solve_columns(std::int64_t n, std::int64_t width)
    {
        if (width <= rules_.host_width) return solve(width, n);
        const auto first = rules_.half_of(width), rest = width - first;
        solve_columns(n, rest);
        product(n, first, rest);
        solve(first, n);
    }

    double flops_of_product(std::int64_t m, std::int64_t n, std::int64_t k) const
    {
        return flops_per_product(type_) * cube(static_cast<double>(m), static_cast<double>(n), static_cast<double>(k));
    }

    void host(double flops)
    {
        cost_.host_flops += flops;
        cost_.flops += flops;
    }
    void panel(double flops)
    {
        cost_.panel_flops += flops;
        cost_.flops += flops;
    }
    void product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count = 1)
    {
        if (m == 0 || n == 0 || count == 0) return;
        const auto flops = static_cast<double>(count) * flops_of_product(m, n, k);
        if (rules_.is_small(m, n, k)) return host(flops);
        cost_.products[{m, n, k}] += count;
        cost_.flops += flops;
    }

    void reflectors(std::int64_t m, std::int64_t n)
    {
        if (n <= rules_.host_width) return panel(flops_of_product(m, n, n));
        const auto first = rules_.half_of(n), rest = n - first;
        reflectors(m, first);
        apply(m, first, rest);
        reflectors(m - first, rest);
        product(first, rest, m - first);
        product(first, rest, first);
        product(first, rest, rest);
    }
    void apply(std::int64_t m, std::int64_t width, std::int64_t columns)
    {
        product(width, columns, m);
        product(width, columns, width);
        product(m, columns, width);
    }

    Scalar type_;
    const RecursionRules &rules_;
    RecursionCost cost_;
};

} // namespace

bool RecursionRules::is_small(std::int64_t m, std::int64_t n, std::int64_t k) const
{
    const auto width = static_cast<double>(host_width);
    return cube(static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)) < cube(width, width, width) / 8;
}

bool RecursionRules::is_one_call(double flops) const
{
    constexpr double most = 2e10;
    return is_on_host && flops <= most;
}

std::int64_t reflectors_at_once(const RecursionRules &rules)
{
    constexpr std::int64_t host_blocks = 4; // so many that large products dominate, so few that T costs little
    return host_blocks * rules.host_width;
}

RecursionCost recursion_cost(const FactorisationStep &problem, const RecursionRules &rules)
{
    RecursionCounter counter(problem.type, rules);
    switch (problem.method) {
    case StepKind::lu: counter.lu(problem.rows, problem.columns); break;
    case StepKind::cholesky: counter.cholesky(problem.rows); break;
    case StepKind::qr: counter.qr(problem.rows, problem.columns); break;
    case StepKind::update: counter.update(problem.rows, problem.depth); break;
    case StepKind::solve: counter.solve(problem.rows, problem.columns); break;
    case StepKind::triangle: counter.triangle(problem.rows, problem.depth); break;
    case StepKind::symmetric: counter.symmetric(problem.rows, problem.columns); break;
    case StepKind::multiples: counter.solve(problem.rows, problem.columns); break;
    case StepKind::batch: counter.batch(problem.rows, problem.columns, problem.depth, problem.count); break;
    case StepKind::q: counter.columns_of_q(problem.rows, problem.columns, problem.depth); break;
    case StepKind::lu_inverse: counter.lu_inverse(problem.rows); break;
    case StepKind::cholesky_inverse: counter.cholesky_inverse(problem.rows); break;
    case StepKind::reflectors: counter.all_reflectors(problem.rows, problem.depth, problem.columns); break;
    }
    return counter.cost();
}

} // namespace hpart
