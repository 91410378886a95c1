// Numbers as programs print them.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace hpart
{

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool is_digit(char c);
bool is_letter(char c);
bool is_foreign(char c); // a byte of a character beyond ASCII
bool has_digit_at(std::string_view text, std::size_t k);

// The number from `begin` on, where a digit or a point is. NaN if it is written in a way that has another meaning elsewhere: 0,53, 0m1.5s,
// 1.5 x 10^2.
struct WrittenNumber {
    double value;
    std::size_t end;
    double step; // the unit of its last decimal; 1 at most
};
WrittenNumber written_number(std::string_view line, std::size_t begin);

} // namespace hpart
