// The last error is libhpart's, for this library too: hpart_last_error returns it.
#include "c_api/guard.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace hpart::c_api
{

// The text has a place that never changes in each thread, of 4096 bytes: hpart.h says so.
hpart_status remember(Status status, const char *message) noexcept
{
    auto *const place = const_cast<char *>(hpart_last_error()); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const std::string_view whole = message;
    const auto length = utf8_length_within(whole, 4095);
    std::memmove(place, whole.data(), length);
    place[length] = '\0';
    // Control characters of a name would command the terminal.
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    std::replace_if(place, place + length, is_control, '?');
    return static_cast<hpart_status>(status);
}

} // namespace hpart::c_api
