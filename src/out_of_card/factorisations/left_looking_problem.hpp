// What a left-looking method does, and the widths that it does it with.
#pragma once

#include "core/rounding.hpp"
#include "out_of_card/scalar.hpp"

#include <algorithm>
#include <cstdint>

namespace hpart
{

enum class LeftLookingMethod : std::uint8_t { lu, cholesky, qr, update, solve };

constexpr bool is_factorisation(LeftLookingMethod method)
{
    return method != LeftLookingMethod::update && method != LeftLookingMethod::solve;
}

struct LeftLookingProblem {
    LeftLookingMethod method = LeftLookingMethod::lu;
    Scalar type = Scalar::d;
    std::int64_t rows = 0, columns = 0; // of what stays on the card by blocks of columns
    std::int64_t depth = 0;             // of all panels together
    bool reads_old = true;              // false: what was there before is not used
};

// Widths of what is on the card, and of the host's panels.
struct LeftLookingShape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t panel = 0;    // columns of a panel
    std::int64_t resident = 0; // of a block: whole panels
    // Columns of the last panel, at least: when so few are left they are the host's, which factors them at once. At most
    // the panel's where columns on the right are to be updated with it.
    std::int64_t last_panel = 0;
};

} // namespace hpart
