// A step of an operation that one device does left-looking, and the widths that it works with.
#pragma once

#include "core/numbers.hpp"
#include "out_of_card/factorisations/factorisations.hpp"

#include <algorithm>
#include <cstdint>

namespace hpart
{

enum class StepKind : std::uint8_t { lu, cholesky, qr, update, solve };

constexpr bool is_factorisation(StepKind method)
{
    return method == StepKind::lu || method == StepKind::cholesky || method == StepKind::qr;
}

struct FactorisationStep {
    StepKind method = StepKind::lu;
    Scalar type = Scalar::d;
    bool row_major = true;
    std::int64_t rows = 0, columns = 0;  // of the matrix that stays on the device by blocks of columns
    std::int64_t depth = 0;              // of all panels together
    bool reads_old = true;               // false: what was there before is not used
    HostMatrix matrix = {}, factor = {}; // the one staying by blocks, and another whose panels stream past
};

inline FactorisationStep factorisation_of(StepKind method, const HostMatrix &a)
{
    return {method, a.type, a.row_major, a.rows, a.columns, std::min(a.rows, a.columns), true, a, {}};
}
// An update of C's lower triangle by a factor of k columns.
inline FactorisationStep update_of(const HostMatrix &c, std::int64_t k, bool reads_old, const HostMatrix &factor)
{
    return {StepKind::update, c.type, c.row_major, c.rows, c.columns, k, reads_old, c, factor};
}
// With a triangle on the left.
inline FactorisationStep solution_of(const HostMatrix &b, const HostMatrix &triangle)
{
    return {StepKind::solve, b.type, b.row_major, b.rows, b.columns, b.rows, true, b, triangle};
}

// Widths of the blocks on the device and of the host's panels.
struct LeftLookingShape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t panel = 0;    // columns of a panel
    std::int64_t resident = 0; // of a block: whole panels
    // Columns of the last panel, at least: when so few are left they are the host's, which factors them at once. At most
    // the panel's where columns on the right are to be updated with it.
    std::int64_t last_panel = 0;
};

} // namespace hpart
