// The arrangement in whole elements: widths of the columns first, then heights in each column. Each is a resource allocation with
// a separable convex cost, for which adding or taking one unit where that costs least is exact, from any start that lies
// below or above an optimum in every part, as max(1, floor of the exact part) does.
#include "core/error.hpp"
#include "partitioners/matrix/column_based.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace hpart
{

namespace
{

// Beyond it a double does not count one by one.
constexpr std::int64_t largest_side = std::int64_t{1} << 53;

void check_side(std::int64_t side, const char *name)
{
    if (side < 1 || side > largest_side) fail_argument(name, " is ", side, "; it must be from 1 to ", largest_side);
}

void check_areas(std::span<const double> areas)
{
    for (std::size_t i = 0; i < areas.size(); ++i)
        if (!std::isfinite(areas[i]) || areas[i] < 0)
            fail_argument("areas[", i, "] is ", areas[i], "; it must be finite and not negative");
    if (std::none_of(areas.begin(), areas.end(), [](double area) { return area > 0; }))
        fail_argument("the areas sum to 0; at least one must be positive");
}

// Relative areas of at most 2, so that no cost of theirs overflows: times a power of two, which changes no digit. A positive one
// stays positive.
std::vector<double> scaled(std::span<const double> areas)
{
    const auto largest = *std::max_element(areas.begin(), areas.end());
    std::vector<double> out;
    out.reserve(areas.size());
    for (const auto area : areas)
        out.push_back(area > 0 ? std::max(std::ldexp(area, -std::ilogb(largest)), std::numeric_limits<double>::min())
                               : 0);
    return out;
}

std::vector<double> weights_of(const std::vector<std::size_t> &column, std::span<const double> areas)
{
    std::vector<double> weights;
    weights.reserve(column.size());
    for (const auto i : column) weights.push_back(areas[i]);
    return weights;
}

} // namespace

std::vector<std::int64_t> share_integers(std::span<const double> weights, std::int64_t whole)
{
    const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> exact;
    std::vector<std::int64_t> parts;
    auto rest = whole;
    for (const auto weight : weights) {
        exact.push_back(weight / sum * static_cast<double>(whole));
        parts.push_back(std::max(std::int64_t{1}, static_cast<std::int64_t>(exact.back())));
        rest -= parts.back();
    }
    const std::int64_t step = rest > 0 ? 1 : -1;
    // The growth of the squared error by one step. Ties: the first part.
    const auto growth = [&](std::size_t k) {
        return static_cast<double>(step) * (static_cast<double>(parts[k]) - exact[k]);
    };
    using Candidate = std::pair<double, std::size_t>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    const auto offer = [&](std::size_t k) {
        if (step > 0 || parts[k] > 1) candidates.emplace(growth(k), k);
    };
    for (std::size_t k = 0; k < parts.size(); ++k) offer(k);
    for (; rest != 0; rest -= step) {
        const auto k = candidates.top().second;
        candidates.pop();
        parts[k] += step;
        offer(k);
    }
    return parts;
}

MatrixPartition partition_matrix(std::span<const double> areas, std::int64_t rows, std::int64_t columns)
{
    check_side(rows, "rows");
    check_side(columns, "columns");
    check_areas(areas);
    const auto relative = scaled(areas);
    const auto sum = std::accumulate(relative.begin(), relative.end(), 0.0);
    const auto positive = std::count_if(relative.begin(), relative.end(), [](double area) { return area > 0; });
    const auto elements = static_cast<double>(rows) * static_cast<double>(columns);
    if (static_cast<double>(positive) > elements)
        fail(Status::infeasible, "there are ", positive, " positive areas; a matrix of ", rows, " x ", columns,
             " elements has not as many to give");

    MatrixPartition out;
    out.arrangement = arrange_in_columns(relative, rows, columns);
    std::vector<double> width_weights;
    for (const auto &column : out.arrangement.columns) {
        const auto weights = weights_of(column, relative);
        width_weights.push_back(std::accumulate(weights.begin(), weights.end(), 0.0));
    }
    const auto widths = share_integers(width_weights, columns);
    out.rectangles.resize(areas.size());
    std::int64_t first_column = 0;
    for (std::size_t c = 0; c < widths.size(); ++c) {
        const auto &column = out.arrangement.columns[c];
        const auto heights = share_integers(weights_of(column, relative), rows);
        std::int64_t first_row = 0;
        for (std::size_t k = 0; k < column.size(); ++k) {
            out.rectangles[column[k]] = {first_row, first_column, heights[k], widths[c]};
            first_row += heights[k];
        }
        first_column += widths[c];
    }
    for (std::size_t i = 0; i < areas.size(); ++i) {
        const auto &rectangle = out.rectangles[i];
        const auto exact = relative[i] / sum * elements;
        const auto area = static_cast<double>(rectangle.height) * static_cast<double>(rectangle.width);
        out.half_perimeters += static_cast<double>(rectangle.height) + static_cast<double>(rectangle.width);
        out.lower_bound += 2 * std::sqrt(exact);
        out.largest_area_error = std::max(out.largest_area_error, std::abs(area - exact));
    }
    return out;
}

} // namespace hpart
