// The last error of libhpart, and of libhpart_mpi too: the functions of hpart.h return its places.
#include "c_api/handles.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstring>

namespace hpart::c_api
{

namespace
{

// Nothing is allocated, since memory may be short. The text may be the place's own, passed through a callback.
void keep(const char *place, std::string_view whole, std::size_t bytes) noexcept
{
    auto *const out = const_cast<char *>(place); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const auto length = utf8_length_within(whole, bytes - 1);
    std::memmove(out, whole.data(), length);
    out[length] = '\0';
    // Control characters of a path or a name would command the terminal.
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    std::replace_if(out, out + length, is_control, '?');
}

} // namespace

hpart_status remember(Status status, const char *message, const char *option) noexcept
{
    keep(hpart_last_error(), message, last_error_bytes);
    keep(hpart_last_error_option(), option, last_option_bytes);
    return static_cast<hpart_status>(status);
}

} // namespace hpart::c_api
