#include "out_of_card/gemm/tile.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

std::int64_t whole(double number)
{
    constexpr double most = 0x1p62;
    return static_cast<std::int64_t>(std::min(number, most));
}

} // namespace

bool is_sensible(const TileSteps &steps) { return steps.number <= most_small_steps || steps.flops >= worth_a_step; }

TileSize parse_tile(std::string_view text)
{
    const auto sizes = parse_sizes(text);
    if (!sizes || sizes->size() != 3)
        fail_argument("tile is ", in_quotes(text), "; it must be MBxNBxKB, three positive sizes such as 1504x1008x96");
    return {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
}

void refuse_small_tile(const TileSize &tile, const std::function<TileSteps(const TileSize &)> &steps_of)
{
    const auto steps = steps_of(tile);
    if (is_sensible(steps)) return;
    std::int64_t side = 1;
    while (!is_sensible(steps_of({side, side, side}))) side *= 2;
    fail_argument("tile is ", tile.mb, "x", tile.nb, "x", tile.kb, ", which makes ", whole(steps.number), " steps of ",
                  whole(steps.flops), " operations each, far less work than their commands; it must be larger, as ",
                  side, "x", side, "x", side);
}

} // namespace hpart
