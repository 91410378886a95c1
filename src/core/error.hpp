// The library's one exception: a status and a sentence for the user. The C interface turns it into hpart_last_error.
#pragma once

#include "core/text.hpp"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

// The one list of statuses: the public constants, the texts of hpart_strerror and the bindings' error classes follow it.

//      name, value, text
#define HPART_STATUS_LIST(X)                                                                                           \
    X(success, SUCCESS, 0, "success")                                                                                  \
    X(invalid_argument, ERR_INVALID_ARGUMENT, -1, "invalid argument")                                                  \
    X(out_of_memory, ERR_OUT_OF_MEMORY, -2, "out of memory")                                                           \
    X(infeasible, ERR_INFEASIBLE, -3, "no distribution of this size exists")                                           \
    X(unsupported, ERR_UNSUPPORTED, -4, "not supported by this build, machine or method")                              \
    X(io, ERR_IO, -5, "input or output failed")                                                                        \
    X(format, ERR_FORMAT, -6, "the content of a file is wrong")                                                        \
    X(device, ERR_DEVICE, -7, "a device or its driver failed")                                                         \
    X(permission, ERR_PERMISSION, -8, "permission denied")                                                             \
    X(callback, ERR_CALLBACK, -9, "a callback failed")                                                                 \
    X(cancelled, ERR_CANCELLED, -10, "cancelled by the progress callback")                                             \
    X(limit, ERR_LIMIT, -11, "time or memory limit reached")                                                           \
    X(numerical, ERR_NUMERICAL, -12, "numerical failure")                                                              \
    X(internal, ERR_INTERNAL, -99, "internal error, a defect of hpart")

namespace hpart
{

enum class Status : std::int32_t {
#define HPART_STATUS_ENUMERATOR(name, constant, value, text) name = value,
    HPART_STATUS_LIST(HPART_STATUS_ENUMERATOR)
#undef HPART_STATUS_ENUMERATOR
};

// A static text, also for values that are no status.
const char *status_text(Status status) noexcept;

class Error : public std::exception
{
  public:
    Error(Status status, std::string message, std::string option = {})
        : status_(status), message_(std::move(message)), option_(std::move(option))
    {
    }
    Status status() const noexcept { return status_; }
    const char *what() const noexcept override { return message_.c_str(); }
    // The key of the option, or the name of the parameter, that the message begins with; "" if it begins otherwise.
    const char *option() const noexcept { return option_.c_str(); }

  private:
    Status status_;
    std::string message_, option_;
};

// fail(Status::io, "cannot open ", path, ": ", reason)
template <typename... Parts> [[noreturn]] void fail(Status status, const Parts &...parts)
{
    throw Error(status, text(parts...));
}

template <typename... Parts> [[noreturn]] void fail_argument(const Parts &...parts)
{
    throw Error(Status::invalid_argument, text(parts...));
}

// fail_option("timeout", " is ", value, "; it must be above 0"): an option, by its key.
template <typename... Parts> [[noreturn]] void fail_option(Status status, std::string_view key, const Parts &...parts)
{
    throw Error(status, text("option '", key, "'", parts...), std::string(key));
}

template <typename... Parts> [[noreturn]] void fail_option(std::string_view key, const Parts &...parts)
{
    fail_option(Status::invalid_argument, key, parts...);
}

// fail_parameter("spec", " is ", in_quotes(spec), "; ..."): a parameter of the call, by its name in hpart.h.
template <typename... Parts> [[noreturn]] void fail_parameter(std::string_view name, const Parts &...parts)
{
    throw Error(Status::invalid_argument, text(name, parts...), std::string(name));
}

} // namespace hpart
