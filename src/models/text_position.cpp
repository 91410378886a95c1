#include "models/text_position.hpp"

#include <cmath>

namespace hpart
{

double parse_quantity(std::string_view field, const TextPosition &position, std::string_view name, Sign sign,
                      bool may_be_infinite)
{
    const auto value = parse_double(field);
    if (!value) position.fail(name, " is ", in_quotes(field), "; it must be a number that fits a double");
    if (std::isnan(*value) || (std::isinf(*value) && !may_be_infinite))
        position.fail(name, " is ", in_quotes(field), "; it must be finite");
    if (sign == Sign::positive ? !(*value > 0) : *value < 0)
        position.fail(name, " is ", in_quotes(field), "; it must ",
                      sign == Sign::positive ? "be positive" : "not be negative");
    return *value;
}

std::int64_t parse_size(std::string_view field, const TextPosition &position, std::string_view name)
{
    auto value = parse_int(field);
    // R writes 1e+05, and pandas 1024.0; above 2^53 a double is no count.
    if (const auto real = value ? std::nullopt : parse_double(field))
        if (std::abs(*real) < 0x1p53 && *real == std::trunc(*real)) value = static_cast<std::int64_t>(*real);
    if (!value) position.fail(name, " is ", in_quotes(field), "; it must be an integer from 1 to 9223372036854775807");
    if (*value <= 0) position.fail(name, " is ", in_quotes(field), "; it must be positive");
    return *value;
}

} // namespace hpart
