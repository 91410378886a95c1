// Exact test whether a target is a sum of one size of each class, with the sizes.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// One size of each class, their sum the target; nothing when there is none. The same input gives the same sizes.
// Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control);

// Units of work (limits.hpp) of a quick search, beside or after the call's own limits: some ten milliseconds on every machine.
constexpr std::int64_t brief_work = 10 << 20;

// The same within that work. Nothing proves nothing.
std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target);

// The nearest sum on one side of a target.
struct SumBeside {
    std::optional<std::int64_t> sum{};
    bool is_none = false; // proved: there is none on that side

    bool is_known() const { return is_none || sum; }
};

struct NearestSums {
    SumBeside below{};
    SumBeside above{};
};

// Valid sizes of classes that all offer 0. Unknown, if memory or a second of work does not suffice.
NearestSums nearest_sums(const Choices &choices, std::int64_t target, Control &control);

} // namespace hpart
