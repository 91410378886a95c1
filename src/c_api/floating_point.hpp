// The caller's floating-point environment (traps, rounding, flags, flushing of denormal numbers): the library computes in the
// default one, and so do the threads that it starts, as they inherit it; a callback runs in its user's.
#pragma once

#include <cfenv>

namespace hpart::c_api
{

// The default environment for a public call; the caller's again at its end, as it was.
class DefaultEnvironment
{
  public:
    DefaultEnvironment() noexcept
    {
        std::fegetenv(&callers_);
        std::fesetenv(FE_DFL_ENV);
        callers_of_this_thread = &callers_;
    }
    DefaultEnvironment(const DefaultEnvironment &) = delete;
    DefaultEnvironment &operator=(const DefaultEnvironment &) = delete;
    ~DefaultEnvironment()
    {
        std::fesetenv(&callers_);
        callers_of_this_thread = outer_;
    }

    // That of the public call that this thread is in.
    static std::fenv_t callers() noexcept
    {
        if (callers_of_this_thread != nullptr) return *callers_of_this_thread;
        std::fenv_t here;
        std::fegetenv(&here);
        return here;
    }

  private:
    static inline thread_local const std::fenv_t *callers_of_this_thread = nullptr;

    const std::fenv_t *outer_ = callers_of_this_thread; // of a call from a callback
    std::fenv_t callers_{};
};

// The environment of a callback's user, for as long as it lives.
class UsersEnvironment
{
  public:
    explicit UsersEnvironment(const std::fenv_t &users) noexcept
    {
        std::fegetenv(&ours_);
        std::fesetenv(&users);
    }
    UsersEnvironment(const UsersEnvironment &) = delete;
    UsersEnvironment &operator=(const UsersEnvironment &) = delete;
    ~UsersEnvironment() { std::fesetenv(&ours_); }

  private:
    std::fenv_t ours_{};
};

} // namespace hpart::c_api
