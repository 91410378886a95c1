// The fixed dimensions of a built-in kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct Dimension {
    std::string name;
    std::int64_t value;
};

// From "n=512,k=512": each of `names` exactly once, in any order, positive; the result is in the order of names.
std::vector<Dimension> parse_dimensions(std::string_view dims, std::span<const std::string_view> names,
                                        std::string_view kernel);

// "dgemm n=512 k=512"
std::string describe_kernel(std::string_view kernel, std::span<const Dimension> dimensions);

} // namespace hpart
