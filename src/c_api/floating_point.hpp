// The caller's floating-point environment (traps, rounding, flags, flushing of denormal numbers): the library computes in the
// default one, and so do the threads that it starts, as they inherit it; a callback runs in its user's.
#pragma once

#include <cfenv>

namespace hpart::c_api
{

// The default environment for a public call; the caller's again at its end, as it was. Most callers are in the default one but for
// SSE's flags: then its register alone is saved. The whole environment takes longer than a small partition.
class DefaultEnvironment
{
  public:
    DefaultEnvironment() noexcept
    {
        if (is_usual_) {
            set_register(usual_register);
        } else {
            std::fegetenv(&callers_);
            std::fesetenv(FE_DFL_ENV);
        }
        innermost = this;
    }
    DefaultEnvironment(const DefaultEnvironment &) = delete;
    DefaultEnvironment &operator=(const DefaultEnvironment &) = delete;
    ~DefaultEnvironment()
    {
        if (is_usual_) {
            set_register(register_);
            clear_x87();
        } else {
            std::fesetenv(&callers_);
        }
        innermost = outer_;
    }

    // The environment of the caller of the public call that this thread is in.
    static std::fenv_t callers() noexcept
    {
        if (innermost != nullptr && !innermost->is_usual_) return innermost->callers_;
        std::fenv_t here;
        std::fegetenv(&here);
        return here;
    }

  private:
#if defined(__x86_64__)
    static constexpr unsigned usual_register = 0x1F80; // all traps masked, to nearest, no flushing
    static constexpr unsigned usual_control = 0x37F;   // the same of x87, at full precision
    static constexpr unsigned flags = 0x3F;            // of both
    static unsigned get_register() noexcept { return __builtin_ia32_stmxcsr(); }
    static void set_register(unsigned value) noexcept { __builtin_ia32_ldmxcsr(value); }
    static bool has_x87_flags() noexcept
    {
        unsigned short status = 0;
        asm volatile("fnstsw %0" : "=m"(status));
        return (status & flags) != 0;
    }
    static void clear_x87() noexcept
    {
        if (has_x87_flags()) asm volatile("fnclex");
    }
    static bool is_usual(unsigned value) noexcept
    {
        unsigned short control = 0;
        asm volatile("fnstcw %0" : "=m"(control));
        return (value & ~flags) == usual_register && control == usual_control && !has_x87_flags();
    }
#else
    static constexpr unsigned usual_register = 0;
    static unsigned get_register() noexcept { return 0; }
    static void set_register(unsigned /*value*/) noexcept {}
    static void clear_x87() noexcept {}
    static bool is_usual(unsigned /*value*/) noexcept { return false; }
#endif
    static inline thread_local const DefaultEnvironment *innermost = nullptr;

    const DefaultEnvironment *outer_ = innermost; // of a call from a callback
    unsigned register_ = get_register();
    bool is_usual_ = is_usual(register_);
    std::fenv_t callers_{}; // where it is not the usual one
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
