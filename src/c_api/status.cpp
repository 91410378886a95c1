#include "c_api/guard.hpp"

#include <array>
#include <cstring>
#include <string_view>

namespace hpart::c_api
{

#define HPART_STATUS_AGREES(name, constant, value, text) static_assert(HPART_##constant == (value));
HPART_STATUS_LIST(HPART_STATUS_AGREES)
#undef HPART_STATUS_AGREES

namespace
{
// Their addresses are the same for the life of the thread.
thread_local std::array<char, last_error_bytes> last_error{};
thread_local std::array<char, last_option_bytes> last_option{};
} // namespace

bool room_for(std::int64_t length, bool has_buffer, std::int64_t capacity, std::int64_t *needed)
{
    if (capacity < 0) fail_argument("capacity is ", capacity, "; it must not be negative");
    if (!has_buffer && capacity > 0) fail_argument("the buffer is NULL, but capacity is ", capacity);
    if (!has_buffer && needed == nullptr) fail_argument("buffer and needed are both NULL; at least one must not be");
    if (needed != nullptr) *needed = length;
    if (!has_buffer) return false;
    if (capacity < length) fail_argument("capacity is ", capacity, "; ", length, " are needed");
    return true;
}

void copy_text(std::string_view text, char *buffer, std::int64_t capacity, std::int64_t *needed)
{
    const auto length = static_cast<std::int64_t>(text.size()) + 1;
    if (!room_for(length, buffer != nullptr, capacity, needed)) return;
    std::memcpy(buffer, text.data(), text.size());
    buffer[text.size()] = '\0';
}

} // namespace hpart::c_api

using namespace hpart;
using namespace hpart::c_api;

extern "C" {

const char *hpart_strerror(hpart_status status) { return status_text(static_cast<Status>(status)); }

const char *hpart_last_error(void) { return last_error.data(); }

const char *hpart_last_error_option(void) { return last_option.data(); }

hpart_status hpart_last_error_copy(char *buffer, int64_t capacity, int64_t *needed)
{
    bool fits = true;
    const auto status = guarded([&] {
        const std::string_view text = last_error.data();
        const auto length = static_cast<std::int64_t>(text.size()) + 1;
        // A failure here would overwrite the text that the caller asks for.
        fits = buffer == nullptr || capacity < 0 || capacity >= length;
        if (fits)
            copy_text(text, buffer, capacity, needed);
        else if (needed != nullptr)
            *needed = length;
    });
    return fits ? status : HPART_ERR_INVALID_ARGUMENT;
}

void hpart_version(int32_t *major, int32_t *minor, int32_t *patch)
{
    if (major != nullptr) *major = HPART_VERSION_MAJOR;
    if (minor != nullptr) *minor = HPART_VERSION_MINOR;
    if (patch != nullptr) *patch = HPART_VERSION_PATCH;
}

} // extern "C"
