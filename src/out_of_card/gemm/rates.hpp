// What a plan's time is predicted from.
#pragma once

#include "out_of_card/gemm/plan.hpp"

#include <functional>

namespace hpart
{

// Between host and card.
struct LinkRates {
    double in_bytes_per_second = 1e10, out_bytes_per_second = 1e10;
    double both_bytes_per_second = 1e10; // in total, both ways at once
    double copy_seconds = 5e-6;          // of each copy, besides its bytes

    // Both ways at once is no faster than one: they take turns.
    bool is_half_duplex() const
    {
        constexpr double margin = 1.15; // below it the gain is that of a measurement's noise
        return both_bytes_per_second <
               margin * (in_bytes_per_second > out_bytes_per_second ? in_bytes_per_second : out_bytes_per_second);
    }
};

struct CardModel {
    CardSpace space;
    std::int64_t row_multiple = 1, column_multiple = 1; // of tiles at the full rate
    std::int64_t compute_units = 1;
    bool copies_take_units = false; // kernels and copies share the compute units
    LinkRates link;
    int lookahead = 2;
    // Of one product: rows x columns of C, depth.
    std::function<double(std::int64_t, std::int64_t, std::int64_t)> kernel_seconds;
    // What the kernel takes of the card's memory for it.
    std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)> hidden_bytes;
};

} // namespace hpart
