// Option compare=exact: how far a method's value is from the optimum.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/report.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hpart
{

inline bool wants_comparison(const Options &options) { return options.get_text("compare") == "exact"; }

// The exact solver's result, or nothing if it meets a limit. The method's own answer remains valid.
template <typename Solve> auto within_limits(const Solve &solve) -> std::optional<decltype(solve())>
{
    try {
        return solve();
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    return std::nullopt;
}

// Report keys exact_value and excess, which is value / exact_value - 1.
inline void report_comparison(Report &report, double value, double exact)
{
    report.set("exact_value", exact);
    const auto of_zero = value > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    report.set("excess", exact > 0 ? value / exact - 1 : of_zero);
}

} // namespace hpart
