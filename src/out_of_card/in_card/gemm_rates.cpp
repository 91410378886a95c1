#include "out_of_card/in_card/gemm_rates.hpp"

#include "core/progress.hpp"
#include "core/rounding.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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
constexpr int most_tiles = 3, runs_of_a_size = 3;
constexpr double seconds_of_a_kernel = 0.2;
// A tile whose deepest step takes longer than this is large enough to be typical.
constexpr double typical_step_seconds = 5e-3;

double side_of(const GemmTrial &trial)
{
    return std::sqrt(static_cast<double>(trial.largest().m) * static_cast<double>(trial.largest().n));
}

GemmRates::Tile measure_tile(GemmTrial &trial, InCardGemm &kernel, double launch, double seconds_left)
{
    const auto room = trial.largest();
    const auto elements = static_cast<double>(room.m) * static_cast<double>(room.n);
    GemmRates::Tile tile{side_of(trial), {}};
    for (const auto depth : rate_depths) {
        if (depth > room.k && !tile.points.empty()) break;
        const auto k = std::min(depth, room.k);
        const auto seconds = trial.seconds(kernel, {room.m, room.n, k}, runs_of_a_size,
                                           seconds_left / static_cast<double>(std::size(rate_depths)));
        tile.points.push_back({k, std::max(seconds - launch, seconds / 2) / elements});
    }
    return tile;
}

struct Measured {
    double launch_seconds = 0;
    std::vector<GemmRates::Tile> tiles;
    bool is_whole = true; // not cut short by a limit of the device's memory
};

Measured measure(DeviceSession &session, InCardGemm &kernel)
{
    auto begin = Clock::now();
    Measured out;
    InCardGemm *const kernels[] = {&kernel};
    for (std::int64_t side = first_side; side <= last_side; side *= 2) {
        GemmTrial trial(session, kernel.type(),
                        {round_up(side, kernel.row_multiple()), round_up(side, kernel.column_multiple()),
                         *std::rbegin(rate_depths)},
                        kernels);
        out.is_whole = trial.is_whole();
        if (!out.tiles.empty() && side_of(trial) <= out.tiles.back().side) break;
        if (out.tiles.empty() && !session.info().on_host_cores) {
            trial.warm_up(kernel);
            begin = Clock::now();
        }
        if (out.tiles.empty()) out.launch_seconds = trial.launch_seconds(kernel);
        out.tiles.push_back(
            measure_tile(trial, kernel, out.launch_seconds, seconds_of_a_kernel - seconds_since(begin)));
        if (out.tiles.size() > most_tiles) out.tiles.erase(out.tiles.begin() + 1);
        const auto &tile = out.tiles.back();
        if (!out.is_whole || tile.points.back().seconds * tile.side * tile.side > typical_step_seconds ||
            seconds_since(begin) > seconds_of_a_kernel)
            break;
    }
    return out;
}

// For the profile: the launch's seconds, then of each tile its side, how many points, and these.
std::vector<double> as_numbers(const Measured &measured)
{
    std::vector<double> numbers = {measured.launch_seconds};
    for (const auto &tile : measured.tiles) {
        numbers.push_back(tile.side);
        numbers.push_back(static_cast<double>(tile.points.size()));
        for (const auto &point : tile.points) {
            numbers.push_back(static_cast<double>(point.depth));
            numbers.push_back(point.seconds);
        }
    }
    return numbers;
}

// Nothing where the numbers are not as as_numbers makes them: files can be edited.
std::optional<Measured> from_numbers(const std::vector<double> &numbers)
{
    if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return number >= 0 && number < 1e15; }))
        return std::nullopt;
    Measured out;
    std::size_t at = 0;
    const auto left = [&] { return numbers.size() - at; };
    if (left() == 0) return std::nullopt;
    out.launch_seconds = numbers[at++];
    while (left() >= 2) {
        GemmRates::Tile tile{numbers[at], {}};
        const auto points = static_cast<std::size_t>(numbers[at + 1]);
        at += 2;
        if (points < 1 || points > left() / 2) return std::nullopt;
        if (!(tile.side >= 1 && (out.tiles.empty() || tile.side > out.tiles.back().side))) return std::nullopt;
        for (std::size_t point = 0; point < points; ++point, at += 2) {
            const GemmRates::Point next{static_cast<std::int64_t>(numbers[at]), numbers[at + 1]};
            const auto depth_before = tile.points.empty() ? 0 : tile.points.back().depth;
            if (next.depth <= depth_before || !(next.seconds > 0)) return std::nullopt;
            tile.points.push_back(next);
        }
        out.tiles.push_back(std::move(tile));
    }
    if (left() != 0 || out.tiles.empty()) return std::nullopt;
    return out;
}

std::string name_of_rates(const InCardGemm &kernel) { return text("gemm rates ", kernel.id()); }

struct Doubt {
    bool was_told = false;
};

Doubt &doubt_of(DeviceSession &session, const InCardGemm &kernel)
{
    return *session.kept<Doubt>("doubt of " + name_of_rates(kernel), [] { return std::make_shared<Doubt>(); });
}

GemmRates rates_of(Measured measured) { return {measured.launch_seconds, std::move(measured.tiles)}; }

bool is_faster(const Measured &one, const Measured &other)
{
    constexpr std::int64_t side = 1024, depth = 256; // of a usual step
    return rates_of(one).seconds(side, side, depth) < rates_of(other).seconds(side, side, depth);
}

Measured kept_or_measured(DeviceSession &session, InCardGemm &kernel)
{
    const auto name = gemm_profile_name(kernel.name(), kernel.type(), "rates");
    std::optional<Measured> kept;
    if (!kernel.is_in_profile()) return measure(session, kernel);
    if (const auto numbers = session.profile().numbers(name)) kept = from_numbers(*numbers);
    if (kept && !doubt_of(session, kernel).was_told) return *std::move(kept);
    auto measured = measure(session, kernel);
    if (kept && !is_faster(measured, *kept)) return *std::move(kept);
    if (measured.is_whole) session.profile().keep(name, as_numbers(measured));
    return measured;
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

std::shared_ptr<const GemmRates> measured_gemm_rates(DeviceSession &session, InCardGemm &kernel)
{
    return session.kept<const GemmRates>(name_of_rates(kernel), [&] {
        return std::make_shared<const GemmRates>(rates_of(kept_or_measured(session, kernel)));
    });
}

bool doubt_gemm_rates(DeviceSession &session, const InCardGemm &kernel, double promised_seconds, double taken_seconds)
{
    constexpr double far_less = 0.75, too_short = 5e-3; // to tell
    auto &doubt = doubt_of(session, kernel);
    if (doubt.was_told || promised_seconds < too_short || taken_seconds > far_less * promised_seconds) return false;
    doubt.was_told = true;
    session.forget(name_of_rates(kernel));
    return true;
}

} // namespace hpart
