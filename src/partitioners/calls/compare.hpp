// Option compare=exact: how far a method's value is from the optimum.
#pragma once

#include "core/options.hpp"
#include "core/report.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hpart
{

inline bool wants_comparison(const Options &options) { return options.get_text("compare") == "exact"; }

// Report keys exact_value and excess, which is value / exact_value - 1.
inline void report_comparison(Report &report, double value, double exact)
{
    report.set("exact_value", exact);
    const auto of_zero = value > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    report.set("excess", exact > 0 ? value / exact - 1 : of_zero);
}

} // namespace hpart
