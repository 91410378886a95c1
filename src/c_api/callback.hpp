// Calls of the user's functions.
#pragma once

#include "c_api/handles.hpp"
#include "core/error.hpp"

#include <cfenv>
#include <exception>

namespace hpart::c_api
{

// Made in the public call that gets the function; the function may run later and on another thread.
class Callback
{
  public:
    // Returns the function's result. Throws Status::callback with the exception's text if the function throws; the message begins with `name`.
    template <typename Function> int operator()(const char *name, const Function &function) const
    {
        try {
            const UsersEnvironment environment(users_);
            return function();
        } catch (const std::exception &error) {
            fail(Status::callback, name, " threw an exception: ", in_quotes(error.what()));
        } catch (...) {
            fail(Status::callback, name, " threw an exception of unknown type");
        }
    }

  private:
    std::fenv_t users_ = DefaultEnvironment::callers();
};

} // namespace hpart::c_api
