// The firewall of the C interface: no exception leaves it, and every failure is this thread's last error.
#pragma once

#include "c_api/floating_point.hpp"
#include "core/error.hpp"
#include "hpart.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace hpart::c_api
{

// With the final zeros; hpart.h states the first.
constexpr std::size_t last_error_bytes = 4096, last_option_bytes = 64;

// Keeps the message for hpart_last_error, and its option for hpart_last_error_option; never throws.
hpart_status remember(Status status, const char *message, const char *option = "") noexcept;

// Runs body, and turns its exceptions into a status, which keep(status, message, option) returns.
template <typename Body, typename Keep> hpart_status status_of(Body &&body, const Keep &keep) noexcept
{
    try {
        body();
        return HPART_SUCCESS;
    } catch (const Error &error) {
        return keep(error.status(), error.what(), error.option());
    } catch (const std::bad_alloc &) {
        return keep(Status::out_of_memory, "out of memory", "");
    } catch (const std::length_error &) {
        return keep(Status::out_of_memory, "out of memory: an array would be larger than any can be", "");
    } catch (const std::system_error &error) {
        const bool is_thread = error.code() == std::errc::resource_unavailable_try_again;
        return keep(is_thread ? Status::out_of_memory : Status::internal, error.what(), "");
    } catch (const std::exception &error) {
        return keep(Status::internal, error.what(), "");
    } catch (...) {
        return keep(Status::internal, "an exception of unknown type", "");
    }
}

// A call of hpart.h, argument checks included.
template <typename Body> hpart_status guarded(Body &&body) noexcept
{
    const DefaultEnvironment environment;
    return status_of(body, remember);
}

// Exceptions of a user's free function have no receiver.
inline void free_quietly(hpart_free free_user, void *user) noexcept
{
    if (free_user == nullptr) return;
    try {
        free_user(user);
    } catch (...) { // NOLINT(bugprone-empty-catch)
    }
}

template <typename Pointer> void require(const Pointer *pointer, const char *name)
{
    if (pointer == nullptr) fail_parameter(name, " is NULL; it must not be");
}

// The caller's array: NULL only if it is empty.
template <typename Value> std::span<const Value> array(const Value *values, std::int64_t count, const char *name)
{
    if (count < 0) fail_argument("the number of ", name, " is ", count, "; it must not be negative");
    if (count > 0) require(values, name);
    // A length that no array of this process can have is a mistake, not memory to read.
    if (static_cast<std::uint64_t>(count) > PTRDIFF_MAX / sizeof(Value))
        fail_argument("the number of ", name, " is ", count, "; no array is that long");
    return {values, static_cast<std::size_t>(count)};
}

// True when there is something to copy: capacity 0 and no buffer only asks. Writes needed, also when it then fails.
bool room_for(std::int64_t length, bool has_buffer, std::int64_t capacity, std::int64_t *needed);

void copy_text(std::string_view text, char *buffer, std::int64_t capacity, std::int64_t *needed);

} // namespace hpart::c_api
