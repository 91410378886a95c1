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
bool has_digit_at(std::string_view text, std::size_t k);

// The end of "D-03", which is an exponent in Fortran; k if there is none.
std::size_t end_of_exponent(std::string_view line, std::size_t k);

// The number from `begin` on, where a digit or a point is. NaN if it is written in a way that has another meaning elsewhere: 0,53, 0m1.5s,
// 1.5 x 10^2.
struct WrittenNumber {
    double value;
    std::size_t end;
};
WrittenNumber written_number(std::string_view line, std::size_t begin);

// A number that ends at k goes on there: 9.5e-05, 1.25.
bool goes_on(std::string_view line, std::size_t k);

} // namespace hpart
