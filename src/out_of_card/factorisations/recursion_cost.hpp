// The products and host blocks into which the recursion cuts an operation, without doing it.
#pragma once

#include "out_of_card/factorisations/factorisation_step.hpp"

#include <array>
#include <map>

namespace hpart
{

// The rules of the recursion: the blocks that it leaves to the host, and its cuts.
struct RecursionRules {
    std::int64_t host_width = 128; // blocks of so many columns and less
    bool is_on_host = false;       // the products as well, where the matrix is, and no width was asked for

    // At about the middle, after a whole number of host blocks.
    std::int64_t half_of(std::int64_t n) const { return round_up(n / 2, host_width); }
    // Products that are done before a device has begun.
    bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) const;
    // A syrk or a QR factorisation that the host does by one call: it tells no progress meanwhile, a tenth of a second or so.
    bool is_one_call(double flops) const;
};

// Columns of a block of reflectors.
std::int64_t reflectors_at_once(const RecursionRules &rules);

struct RecursionCost {
    std::map<std::array<std::int64_t, 3>, std::int64_t> products; // m, n, k: how many
    double panel_flops = 0;                                       // of factorisations of blocks on the host
    double host_flops = 0;                                        // of what else it does
    double flops = 0;                                             // of all
};

RecursionCost recursion_cost(const FactorisationStep &problem, const RecursionRules &rules);

} // namespace hpart
