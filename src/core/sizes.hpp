// Sizes joined by x, as in "12x30x5".
#pragma once

#include "core/text.hpp"

#include <vector>

namespace hpart
{

// Nothing when a part is no whole number above 0.
inline std::optional<std::vector<std::int64_t>> parse_sizes(std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (;;) {
        const auto end = text.find('x');
        const auto size = parse_int(text.substr(0, end));
        if (!size || *size < 1) return std::nullopt;
        sizes.push_back(*size);
        if (end == std::string_view::npos) return sizes;
        text.remove_prefix(end + 1);
    }
}

} // namespace hpart
