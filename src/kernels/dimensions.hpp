// The fixed dimensions of a built-in kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// A dimension that is the size of the problem: "n=size".
constexpr std::int64_t equal_to_size = -1;

struct Dimension {
    std::string name;
    std::int64_t value;
};

// value, or the size where the dimension is equal to it.
inline std::int64_t at_size(std::int64_t value, std::int64_t size) { return value == equal_to_size ? size : value; }

// From "n=512,k=size": each of `names` exactly once, in any order, positive; the result is in the order of names.
std::vector<Dimension> parse_dimensions(std::string_view dims, std::span<const std::string_view> names,
                                        std::string_view kernel);

// "dgemm n=512 k=512", "dgemm n=size k=size"
std::string describe_kernel(std::string_view kernel, std::span<const Dimension> dimensions);

} // namespace hpart
