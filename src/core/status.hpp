// The one list of statuses: the public constants, the texts of hpart_strerror and the bindings' error classes follow it.
#pragma once

#include <cstdint>

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

} // namespace hpart
