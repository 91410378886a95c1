// The library's one exception: a status and a sentence for the user. The C interface turns it into hpart_last_error.
#pragma once

#include "core/status.hpp"
#include "core/text.hpp"

#include <exception>
#include <string>
#include <utility>

namespace hpart
{

class Error : public std::exception
{
  public:
    Error(Status status, std::string message) : status_(status), message_(std::move(message)) {}
    Status status() const noexcept { return status_; }
    const char *what() const noexcept override { return message_.c_str(); }

  private:
    Status status_;
    std::string message_;
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

} // namespace hpart
