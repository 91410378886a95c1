// Additions and multiplications of the operations, by the formulas of LAPACK Working Note 41; complex ones count for four
// real ones.
#pragma once

#include "out_of_card/factorisations/factorisation_step.hpp"

#include <algorithm>

namespace hpart
{

inline double lu_flops(const HostMatrix &a)
{
    const auto m = static_cast<double>(a.rows), n = static_cast<double>(a.columns), least = std::min(m, n);
    return flops_per_product(a.type) * least * (m * n - least * (m + n) / 2 + least * least / 3);
}

inline double cholesky_flops(const HostMatrix &a)
{
    const auto n = static_cast<double>(a.rows);
    return flops_per_product(a.type) * n * n * n / 6;
}

inline double qr_flops(const HostMatrix &a)
{
    const auto tall = static_cast<double>(std::max(a.rows, a.columns)),
               least = static_cast<double>(std::min(a.rows, a.columns));
    return flops_per_product(a.type) * least * least * (tall - least / 3);
}

// Operations of an update of one triangle by a factor of k columns.
inline double update_flops(const HostMatrix &c, std::int64_t k)
{
    const auto n = static_cast<double>(c.rows);
    return flops_per_product(c.type) * n * n * static_cast<double>(k) / 2;
}

// With a triangle of order n.
inline double solve_flops(const HostMatrix &b, std::int64_t n)
{
    return flops_per_product(b.type) * static_cast<double>(n) * static_cast<double>(b.rows) *
           static_cast<double>(b.columns) / 2;
}

// With so many reflectors.
inline double reflection_flops(const HostMatrix &b, std::int64_t reflectors)
{
    const auto count = static_cast<double>(reflectors);
    return flops_per_product(b.type) * count * (2 * static_cast<double>(b.rows) - count / 2) *
           static_cast<double>(b.columns);
}

inline double q_flops(const HostMatrix &a, std::int64_t reflectors)
{
    const auto m = static_cast<double>(a.rows), n = static_cast<double>(a.columns),
               count = static_cast<double>(reflectors);
    return flops_per_product(a.type) * count * (2 * m * n - count * (m + n) + 2 * count * count / 3);
}

inline double flops_of(const FactorisationStep &problem)
{
    const HostMatrix matrix{.type = problem.type, .rows = problem.rows, .columns = problem.columns};
    switch (problem.method) {
    case StepKind::lu: return lu_flops(matrix);
    case StepKind::cholesky: return cholesky_flops(matrix);
    case StepKind::qr: return qr_flops(matrix);
    case StepKind::update: return update_flops(matrix, problem.depth);
    case StepKind::solve: break;
    }
    return solve_flops(matrix, problem.rows);
}

} // namespace hpart
