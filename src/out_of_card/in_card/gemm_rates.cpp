#include "out_of_card/in_card/gemm_rates.hpp"

#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Time of an element of the result, on a line between neighbouring depths. Beyond the deepest, time grows in proportion to depth: the slope
// between two measurements is mostly their noise.
double per_element(const std::vector<GemmRates::Point> &points, double depth)
{
    if (points.size() == 1) return points[0].seconds * depth / static_cast<double>(points[0].depth);
    const auto above = std::find_if(points.begin() + 1, points.end() - 1, [&](const GemmRates::Point &point) {
        return static_cast<double>(point.depth) >= depth;
    });
    const auto &low = *(above - 1), &high = *above;
    const auto slope = (high.seconds - low.seconds) / static_cast<double>(high.depth - low.depth);
    if (depth < static_cast<double>(low.depth)) {
        const auto value = low.seconds + slope * (depth - static_cast<double>(low.depth));
        return std::max(value, low.seconds * depth / static_cast<double>(low.depth));
    }
    if (depth > static_cast<double>(high.depth)) return high.seconds * depth / static_cast<double>(high.depth);
    return low.seconds + slope * (depth - static_cast<double>(low.depth));
}

constexpr std::int64_t rate_depths[] = {32, 64, 128, 256, 512};
constexpr std::int64_t first_side = 256, last_side = 8192;
constexpr int runs_of_a_size = 3;
constexpr double seconds_of_a_tile = 0.05;
// A tile whose deepest step takes so long is large enough to be typical.
constexpr double typical_step_seconds = 5e-3;

double side_of(const GemmTrial &trial)
{
    return std::sqrt(static_cast<double>(trial.largest().m) * static_cast<double>(trial.largest().n));
}

GemmRates::Tile measure_tile(GemmTrial &trial, double launch)
{
    const auto room = trial.largest();
    const auto elements = static_cast<double>(room.m) * static_cast<double>(room.n);
    GemmRates::Tile tile{side_of(trial), {}};
    for (const auto depth : rate_depths) {
        if (depth > room.k && !tile.points.empty()) break;
        const auto k = std::min(depth, room.k);
        const auto seconds = trial.seconds({room.m, room.n, k}, runs_of_a_size,
                                           seconds_of_a_tile / static_cast<double>(std::size(rate_depths)));
        tile.points.push_back({k, std::max(seconds - launch, seconds / 2) / elements});
    }
    return tile;
}

GemmTrial trial_of(DeviceSession &session, InCardGemm &kernel, std::int64_t side)
{
    return {
        session,
        kernel,
        {round_up(side, kernel.row_multiple()), round_up(side, kernel.column_multiple()), *std::rbegin(rate_depths)}};
}

// The side of a typical tile, where a step's time grows with the tile's elements.
std::int64_t typical_side(const GemmRates::Tile &small)
{
    const auto step = small.points.back().seconds * small.side * small.side;
    auto side = first_side;
    for (double seconds = step; seconds < typical_step_seconds && side < last_side; seconds *= 4) side *= 2;
    return side;
}

// A small tile, a typical one, and one between them.
GemmRates measure(DeviceSession &session, InCardGemm &kernel)
{
    double launch = 0;
    std::vector<GemmRates::Tile> tiles;
    bool is_whole = true;
    const auto add = [&](std::int64_t side) {
        auto trial = trial_of(session, kernel, side);
        is_whole = trial.is_whole();
        if (!tiles.empty() && side_of(trial) <= tiles.back().side) return;
        if (tiles.empty() && !session.info().on_host_cores) trial.warm_up();
        if (tiles.empty()) launch = trial.launch_seconds();
        tiles.push_back(measure_tile(trial, launch));
    };
    add(first_side);
    const auto typical = typical_side(tiles.front());
    for (const auto side : {typical / 2, typical})
        if (is_whole) add(side);
    return {launch, std::move(tiles)};
}

} // namespace

GemmRates::GemmRates(double launch_seconds, std::vector<Tile> tiles)
    : launch_seconds_(launch_seconds), tiles_(std::move(tiles))
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

std::string name_of_gemm_rates(std::string_view kernel, Scalar type)
{
    return text("rates of gemm ", kernel, ' ', static_cast<int>(type));
}

std::shared_ptr<const GemmRates> measured_gemm_rates(DeviceSession &session, InCardGemm &kernel)
{
    return session.kept_rate<const GemmRates>(name_of_gemm_rates(kernel.name(), kernel.type()), [&] {
        return std::make_shared<const GemmRates>(measure(session, kernel));
    });
}

} // namespace hpart
