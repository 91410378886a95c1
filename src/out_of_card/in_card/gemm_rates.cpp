#include "out_of_card/in_card/gemm_rates.hpp"

#include "core/progress.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Of a line through two neighbours; beyond the ends the line of the last two goes on, not below a share of the end's value.
double per_element(const std::vector<GemmRates::Point> &points, double depth)
{
    if (points.size() == 1) return points[0].seconds * depth / static_cast<double>(points[0].depth);
    const auto above = std::find_if(points.begin() + 1, points.end() - 1, [&](const GemmRates::Point &point) {
        return static_cast<double>(point.depth) >= depth;
    });
    const auto &low = *(above - 1), &high = *above;
    const auto slope = (high.seconds - low.seconds) / static_cast<double>(high.depth - low.depth);
    const auto value = low.seconds + slope * (depth - static_cast<double>(low.depth));
    const auto proportional = low.seconds * depth / static_cast<double>(low.depth); // through the origin
    return depth < static_cast<double>(low.depth) ? std::max(value, proportional) : std::max(value, low.seconds);
}

double rounded_up(std::int64_t value, std::int64_t multiple)
{
    return static_cast<double>((value + multiple - 1) / multiple * multiple);
}

constexpr std::int64_t depths[] = {32, 64, 128, 256, 512};
constexpr std::int64_t smallest_side = 256, largest_side = 8192;
constexpr int most_tiles = 3, most_runs = 3;
constexpr double budget_seconds = 0.2;
// A tile whose deepest step takes longer than this is large enough to be typical.
constexpr double typical_step_seconds = 5e-3;

GemmRates measure(Card &card, InCardGemm &kernel)
{
    const auto begin = Clock::now();
    std::vector<GemmRates::Tile> tiles;
    double launch = 0;
    for (std::int64_t side = smallest_side; side <= largest_side; side *= 2) {
        GemmTrial trial(card, kernel.type(),
                        {static_cast<std::int64_t>(rounded_up(side, kernel.row_multiple())),
                         static_cast<std::int64_t>(rounded_up(side, kernel.column_multiple())), *std::rbegin(depths)});
        const auto room = trial.largest();
        const auto elements = static_cast<double>(room.m) * static_cast<double>(room.n);
        if (tiles.empty()) launch = trial.launch_seconds(kernel);
        if (!tiles.empty() && std::sqrt(elements) <= tiles.back().side) break;
        GemmRates::Tile tile{std::sqrt(elements), {}};
        double longest = 0;
        for (const auto depth : depths) {
            if (depth > room.k && !tile.points.empty()) break;
            const auto k = std::min(depth, room.k);
            longest = trial.seconds(kernel, {room.m, room.n, k}, most_runs,
                                    (budget_seconds - seconds_since(begin)) / static_cast<double>(std::size(depths)));
            tile.points.push_back({k, std::max(longest - launch, longest / 2) / elements});
        }
        tiles.push_back(std::move(tile));
        if (tiles.size() > most_tiles) tiles.erase(tiles.begin() + 1);
        if (longest > typical_step_seconds || seconds_since(begin) > budget_seconds) break;
    }
    return {kernel.type(), launch, std::move(tiles)};
}

} // namespace

GemmRates::GemmRates(Scalar type, double launch_seconds, std::vector<Tile> tiles)
    : type_(type), launch_seconds_(launch_seconds), tiles_(std::move(tiles))
{
}

double GemmRates::seconds(std::int64_t rows, std::int64_t columns, std::int64_t depth) const
{
    const auto elements = static_cast<double>(rows) * static_cast<double>(columns), side = std::sqrt(elements);
    const auto at = static_cast<double>(depth);
    const auto above =
        std::find_if(tiles_.begin(), tiles_.end() - 1, [&](const Tile &tile) { return tile.side >= side; });
    double each = per_element(above->points, at);
    if (above != tiles_.begin() && above->side > side) {
        const auto &below = *(above - 1);
        const auto share = (side - below.side) / (above->side - below.side);
        each = (1 - share) * per_element(below.points, at) + share * each;
    }
    return launch_seconds_ + elements * each;
}

double GemmRates::flops_per_second(std::int64_t rows, std::int64_t columns, std::int64_t depth) const
{
    return flops_per_product(type_) * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(depth) / seconds(rows, columns, depth);
}

std::shared_ptr<const GemmRates> measured_gemm_rates(Card &card, InCardGemm &kernel)
{
    return card.kept<const GemmRates>(text("gemm rates ", kernel.name(), " ", static_cast<int>(kernel.type())),
                                      [&] { return std::make_shared<const GemmRates>(measure(card, kernel)); });
}

} // namespace hpart
