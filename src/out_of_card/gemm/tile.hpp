// Tiles that the caller asks for, by the option tile.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace hpart
{

struct TileSize {
    std::int64_t mb = 0, nb = 0, kb = 0;
};

// "MBxNBxKB"
TileSize parse_tile(std::string_view text);

// The steps of an operation.
struct TileSteps {
    double number = 0, flops = 0; // of each
};

// Commands of a step cost some 10 to 200 us, by the device: the most steps that may cost more than they compute take
// seconds, and what counts as work takes longer than its commands on any processor of up to 100 GF/s.
constexpr double most_small_steps = 1e5, worth_a_step = 1 << 20;
bool is_sensible(const TileSteps &steps);

// Fails where there would be so many steps, of so little work each, that their commands alone take minutes, or days.
void refuse_small_tile(const TileSize &tile, const std::function<TileSteps(const TileSize &)> &steps_of);

} // namespace hpart
