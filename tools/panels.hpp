// Curves over the size, in panels one below the other.
#pragma once

#include "core/numbers.hpp"
#include "gnuplot.hpp"
#include "library.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hpart_command
{

struct Curve {
    std::string name;
    std::size_t style = 0; // as line_style numbers them: alike in all panels
    std::vector<double> sizes, values;
    std::vector<Interval> intervals; // of the values; where not known, the band has a gap
    double marked = hpart::unknown;  // a size whose point has a ring

    bool has_band() const
    {
        return std::any_of(intervals.begin(), intervals.end(), [](const Interval &i) { return i.is_known(); });
    }
};

// One quantity of all processors.
struct Panel {
    std::string label; // with unit
    std::vector<Curve> curves;
};

// One legend, above the first panel. The axes end with the points: bands may be cut.
void draw_panels(Plot &plot, const std::string &title, const std::string &x_label, const std::vector<Panel> &panels);

} // namespace hpart_command
