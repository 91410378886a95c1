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

// What an operation is cut into.
struct TileSteps {
    double number = 0, flops = 0; // of each
};

// Fails where there would be so many steps, of so little work each, that their commands alone take minutes, or days.
void refuse_small_tile(const TileSize &tile, const std::function<TileSteps(const TileSize &)> &steps_of);

} // namespace hpart
