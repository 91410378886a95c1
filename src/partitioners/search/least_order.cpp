// Problem: rounding makes the sum of the same costs depend on their order. Alike processors may take the same sizes in any order, so
// the least sum from the first processor to the last is a minimum over orders too.
//
// Dynamic program over the numbers of parts of each size that were added: fl(a + b) does not fall as a rises, so the least sum of
// the same numbers is never worse in the end. The two sizes with most copies span a grid, rows by the number of both together, so
// that a row depends on the row before it only; the few other parts multiply the grids.
// Time and memory: the product of (copies + 1) over the sizes. Source: design of hpart.
#include "partitioners/search/least_order.hpp"

#include "partitioners/search/limits.hpp"
#include "partitioners/search/order_by_binades.hpp"
#include "partitioners/search/simd/lower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace hpart
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double cells_a_jump = 170; // filled while order_by_binades crosses one binade's end, as measured

// Indices of the sizes with most copies and second most, the latter -1 where there is one size only.
struct Frequent {
    std::size_t most;
    std::size_t second;
};

constexpr std::size_t no_size = std::numeric_limits<std::size_t>::max();

Frequent frequent_of(const std::vector<CostedParts> &parts)
{
    Frequent found{0, no_size};
    for (std::size_t k = 1; k < parts.size(); ++k) {
        if (parts[k].copies > parts[found.most].copies) {
            found.second = found.most;
            found.most = k;
        } else if (found.second == no_size || parts[k].copies > parts[found.second].copies) {
            found.second = k;
        }
    }
    return found;
}

class Orders
{
  public:
    explicit Orders(const std::vector<CostedParts> &parts) : parts_(parts), frequent_(frequent_of(parts))
    {
        most_ = parts[frequent_.most];
        second_ = frequent_.second == no_size ? CostedParts{0, 0, 0} : parts[frequent_.second];
        width_ = static_cast<std::size_t>(second_.copies) + 2;
        rows_ = static_cast<std::size_t>(most_.copies + second_.copies) + 1;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            strides_.push_back(0);
            if (k == frequent_.most || k == frequent_.second) continue;
            strides_.back() = grids_;
            grids_ *= static_cast<std::size_t>(parts[k].copies) + 1;
        }
    }

    void fill(Control &control)
    {
        Pacer pacer(control, "ordering alike parts");
        sums_.assign(grids_ * rows_ * width_, infinity);
        std::vector<std::int64_t> used(parts_.size(), 0);
        for (std::size_t grid = 0; grid < grids_; ++grid) {
            for (std::size_t row = 0; row < rows_; ++row) fill_row(grid, row, used);
            pacer.spend(static_cast<std::int64_t>(rows_ * width_));
            advance(used);
        }
    }

    double least() const { return at(grids_ - 1, rows_ - 1, static_cast<std::size_t>(second_.copies)); }

    // Numbers of parts that are still to be placed, and where their least sum stands.
    struct Place {
        std::size_t grid;
        std::size_t row;
        std::size_t column;
    };
    Place end() const { return {grids_ - 1, rows_ - 1, static_cast<std::size_t>(second_.copies)}; }
    double sum(const Place &place) const { return at(place.grid, place.row, place.column); }

    // The place before a part of size k was added, if there can be one.
    bool step_back(Place &place, std::size_t k) const
    {
        if (k == frequent_.most) {
            if (place.row <= place.column) return false;
            --place.row;
        } else if (k == frequent_.second) {
            if (place.column == 0) return false;
            --place.row;
            --place.column;
        } else {
            const auto copies = static_cast<std::size_t>(parts_[k].copies);
            if (place.grid / strides_[k] % (copies + 1) == 0) return false;
            place.grid -= strides_[k];
        }
        return sum(place) < infinity;
    }

    const std::vector<CostedParts> &parts() const { return parts_; }

  private:
    // Columns begin at 1: column 0 of the array stays infinite.
    double at(std::size_t grid, std::size_t row, std::size_t column) const
    {
        return sums_[(grid * rows_ + row) * width_ + column + 1];
    }
    double *row_at(std::size_t grid, std::size_t row) { return sums_.data() + (grid * rows_ + row) * width_ + 1; }

    void fill_row(std::size_t grid, std::size_t row, const std::vector<std::int64_t> &used)
    {
        const auto most = static_cast<std::size_t>(most_.copies);
        const auto first = row > most ? row - most : 0;
        const auto last = std::min(row, static_cast<std::size_t>(second_.copies));
        auto *sums = row_at(grid, row);
        if (grid == 0 && row == 0) {
            sums[0] = 0;
            return;
        }
        const auto count = last - first + 1;
        if (row > 0) {
            // If all parts are of the second size, the entry before by the first was never filled and is infinite.
            const auto *before = row_at(grid, row - 1) + first;
            lower_to_sums(level_, sums + first, before, most_.cost, count);
            lower_to_sums(level_, sums + first, before - 1, second_.cost, count);
        }
        for (std::size_t t = 0; t < parts_.size(); ++t)
            if (used[t] > 0)
                lower_to_sums(level_, sums + first, row_at(grid - strides_[t], row) + first, parts_[t].cost, count);
    }

    // To the numbers of the next grid.
    void advance(std::vector<std::int64_t> &used) const
    {
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            if (k == frequent_.most || k == frequent_.second) continue;
            if (++used[k] <= parts_[k].copies) return;
            used[k] = 0;
        }
    }

    const std::vector<CostedParts> &parts_;
    Frequent frequent_;
    SimdLevel level_ = best_simd_level();
    CostedParts most_{};
    CostedParts second_{};
    std::size_t width_ = 0;
    std::size_t rows_ = 0;
    std::size_t grids_ = 1;
    std::vector<std::size_t> strides_;
    std::vector<double> sums_;
};

// Back from the least sum.
std::vector<std::int64_t> walk_back(const Orders &orders)
{
    const auto &parts = orders.parts();
    std::int64_t count = 0;
    for (const auto &part : parts) count += part.copies;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count));
    auto place = orders.end();
    for (auto position = sizes.size(); position-- > 0;) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
            auto before = place;
            if (!orders.step_back(before, k) || orders.sum(before) + parts[k].cost != orders.sum(place)) continue;
            place = before;
            sizes[position] = parts[k].size;
            break;
        }
    }
    return sizes;
}

double grids_of(const std::vector<CostedParts> &parts)
{
    const auto [most, second] = frequent_of(parts);
    double grids = 1;
    for (std::size_t k = 0; k < parts.size(); ++k)
        if (k != most && k != second) grids *= static_cast<double>(parts[k].copies) + 1;
    return grids;
}

// Bytes of the table of all numbers of parts.
double order_bytes(const std::vector<CostedParts> &parts)
{
    const auto [most, second] = frequent_of(parts);
    const auto columns = second == no_size ? 0.0 : static_cast<double>(parts[second].copies);
    return sizeof(double) * grids_of(parts) * (static_cast<double>(parts[most].copies) + columns + 1) * (columns + 2);
}

// Up to so many bytes the table is quicker than order_by_binades, which takes each line of entries against each.
double quicker_table(const std::vector<CostedParts> &parts)
{
    double copies = 0;
    for (const auto &part : parts) copies += static_cast<double>(part.copies);
    return sizeof(double) * cells_a_jump * copies * grids_of(parts) * grids_of(parts);
}

Ordered order_of(const std::vector<CostedParts> &parts, Control &control)
{
    if (parts.empty()) return {{}, 0, 0};
    if (order_bytes(parts) > std::min(quicker_table(parts), static_cast<double>(control.memory_limit())))
        return order_by_binades(parts, control);
    Orders orders(parts);
    orders.fill(control);
    return {walk_back(orders), orders.least(), static_cast<std::int64_t>(order_bytes(parts) / sizeof(double))};
}

} // namespace

Ordered order_of_least_sum(const std::vector<std::vector<CostedParts>> &collections, Control &control)
{
    Ordered best{{}, infinity};
    std::int64_t states = 0;
    for (const auto &parts : collections) {
        // Parts without cost, such as idling, change no sum and come last.
        std::vector<CostedParts> costly;
        std::vector<CostedParts> free;
        for (const auto &part : parts) (part.cost > 0 ? costly : free).push_back(part);
        auto ordered = order_of(costly, control);
        states += ordered.states;
        if (ordered.cost >= best.cost) continue;
        best = std::move(ordered);
        std::reverse(free.begin(), free.end());
        for (const auto &part : free)
            best.sizes.insert(best.sizes.end(), static_cast<std::size_t>(part.copies), part.size);
    }
    best.states = states;
    return best;
}

} // namespace hpart
