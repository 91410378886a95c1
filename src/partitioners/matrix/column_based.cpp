// Problem: rectangles of given areas a_1..a_p that tile a matrix of N rows and M columns, in columns of full height, with least sum
// of half-perimeters: that sum is what the processors of a matrix multiplication receive in each step.
// Cost: O(p^2) time and O(p) memory; where the arrangement has more columns than the matrix, O(M p^2) and O(M p).
// Source: Beaumont, Boudet, Rastello, Robert, "Matrix Multiplication on Heterogeneous Platforms" (IEEE TPDS, 2001), for the unit square.
// Repaired: nothing; added: oblong matrices, and the limits that leave every rectangle an element.
// Exact: let W be the sum of the areas. A column of k rectangles with area sum A has width M A / W and costs N + k M A / W half-perimeters.
// The whole is C N + (M / W) sum_i a_i k(i), C the number of columns and k(i) the count of i's column. For given counts the second sum
// is least when larger areas stand in columns of smaller counts (rearrangement inequality), so some optimum has the sorted
// areas in contiguous runs, whatever limits there are on C and the counts. The dynamic program tries all runs:
// f(q) = min over r <= N of f(q - r) + N W + r M (S_q - S_(q-r)), S the prefix sums: costs times W, exact for small integers.

#include "partitioners/matrix/column_based.hpp"

#include "core/error.hpp"

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

constexpr double unreached = std::numeric_limits<double>::infinity();

struct Program {
    std::vector<double> prefix; // sums of the sorted areas
    double rows, columns;
    std::size_t most_in_column;

    std::size_t count() const { return prefix.size() - 1; }
    double cost(std::size_t from, std::size_t to) const
    {
        return rows * prefix.back() + static_cast<double>(to - from) * columns * (prefix[to] - prefix[from]);
    }
};

// The least cost[q] of the first q areas in columns, when the last column begins where `before` has its costs; start[q] is where.
void add_column(const Program &program, const std::vector<double> &before, std::vector<double> &cost,
                std::vector<std::size_t> &start)
{
    for (std::size_t q = 1; q <= program.count(); ++q) {
        const auto first = q - std::min(q, program.most_in_column);
        for (auto from = first; from < q; ++from) {
            const auto sum = before[from] + program.cost(from, q);
            if (sum >= cost[q]) continue;
            cost[q] = sum;
            start[q] = from;
        }
    }
}

// The costs before any column: nothing costs nothing.
std::vector<double> no_areas(std::size_t p)
{
    std::vector<double> cost{0};
    cost.resize(p + 1, unreached);
    return cost;
}

// Beyond these the answer would take minutes, or more memory than partitioners use unless they are told.
constexpr double most_steps = 5e10, most_bytes = 1 << 30;

// Fails if a program with so many layers would take too long or too much memory.
void check_work(const Program &program, double layers)
{
    const auto p = static_cast<double>(program.count());
    const auto steps = layers * p * std::min(p, static_cast<double>(program.most_in_column));
    if (steps > most_steps)
        fail(Status::limit, "to arrange ", program.count(), " positive areas takes ", steps, " steps; at most ",
             most_steps, " are done: give fewer processors, or put alike ones together");
    if (layers * p * sizeof(std::size_t) > most_bytes)
        fail(Status::limit, "to arrange ", program.count(), " positive areas in at most ", layers, " columns takes ",
             layers * p * sizeof(std::size_t), " bytes; at most ", most_bytes,
             " are used: give fewer processors or a wider matrix");
}

struct Runs {
    std::vector<std::size_t> ends; // from the last run to the first
    double cost = 0;
};

// Any number of columns: f(q) builds on itself.
Runs best_runs(const Program &program)
{
    const auto p = program.count();
    check_work(program, 1);
    auto cost = no_areas(p);
    std::vector<std::size_t> start(p + 1);
    add_column(program, cost, cost, start);
    Runs runs{{}, cost[p]};
    for (auto q = p; q > 0; q = start[q]) runs.ends.push_back(q);
    return runs;
}

// At most `most` columns: one layer a column.
Runs best_runs_within(const Program &program, std::size_t most)
{
    const auto p = program.count();
    check_work(program, static_cast<double>(most));
    std::vector<std::vector<std::size_t>> starts;
    auto before = no_areas(p);
    Runs best{{}, unreached};
    std::size_t layers = 0;
    for (std::size_t used = 1; used <= most; ++used) {
        std::vector<double> cost(p + 1, unreached);
        add_column(program, before, cost, starts.emplace_back(p + 1));
        if (cost[p] < best.cost) {
            best.cost = cost[p];
            layers = used;
        }
        before = std::move(cost);
    }
    for (auto q = p; q > 0; q = starts[--layers][q]) best.ends.push_back(q);
    return best;
}

} // namespace

ColumnArrangement arrange_in_columns(std::span<const double> areas, std::int64_t rows, std::int64_t columns)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < areas.size(); ++i)
        if (areas[i] > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return areas[a] > areas[b]; });
    Program program{{0},
                    static_cast<double>(rows),
                    static_cast<double>(columns),
                    static_cast<std::size_t>(std::min<std::int64_t>(rows, std::numeric_limits<std::ptrdiff_t>::max()))};
    for (const auto i : order) program.prefix.push_back(program.prefix.back() + areas[i]);

    auto runs = best_runs(program);
    if (static_cast<std::int64_t>(runs.ends.size()) > columns)
        runs = best_runs_within(program, static_cast<std::size_t>(columns));
    ColumnArrangement out;
    out.half_perimeters = runs.cost / program.prefix.back();
    std::size_t from = 0;
    std::reverse(runs.ends.begin(), runs.ends.end());
    for (const auto end : runs.ends) {
        out.columns.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(from),
                                 order.begin() + static_cast<std::ptrdiff_t>(end));
        from = end;
    }
    return out;
}

// The arrangement in whole elements: widths of the columns first, then heights in each column. Each is a resource allocation with
// a separable convex cost, for which adding or taking one unit where that costs least is exact, from any start that lies
// below or above an optimum in every part, as max(1, floor of the exact part) does.

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
