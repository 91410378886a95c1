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
