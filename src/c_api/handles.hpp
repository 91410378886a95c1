// The objects behind the public handles.
#pragma once

#include "core/error.hpp"
#include "core/objectives.hpp"
#include "core/options.hpp"
#include "hpart.h"
#include "models/platform.hpp"
#include "partitioners/calls/partition.hpp"

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

struct hpart_options {
    hpart::Options value;
};

struct hpart_report {
    hpart::Report value;
};

struct hpart_platform {
    hpart::Platform value;
    hpart::PreparedPlatform prepared{}; // of the value as it is: setters forget what they change
};

struct hpart_front {
    hpart::Front value;
};

struct hpart_schedule {
    hpart::Schedule value;
};

namespace hpart::c_api
{

// The options of a call, all defaults for NULL, after the check that every key set belongs to it.
inline Options options_for(const hpart_options *options, Call call)
{
    if (options == nullptr) return {};
    options->value.check_belongs(call);
    return options->value;
}

inline Objective objective_of(std::int32_t objective)
{
    constexpr auto is_of = [](int constant, Objective one) { return constant == static_cast<int>(one); };
    static_assert(is_of(HPART_OBJECTIVE_TIME, Objective::time) && is_of(HPART_OBJECTIVE_ENERGY, Objective::energy) &&
                  is_of(HPART_OBJECTIVE_TOTAL_ENERGY, Objective::total_energy) &&
                  is_of(HPART_OBJECTIVE_SUM_TIME, Objective::sum_time));
    return objective_kind(objective).objective;
}

// Gives the report to the caller if asked; after this nothing may throw.
inline std::unique_ptr<hpart_report> make_report(bool wanted, Report report)
{
    return wanted ? std::make_unique<hpart_report>(hpart_report{std::move(report)}) : nullptr;
}

// The caller's floating-point environment (traps, rounding, flags, flushing of denormal numbers): the library computes in the
// default one, and so do the threads that it starts, as they inherit it; a callback runs in its user's.

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

// The user's count of operations.

// C(size), finite and not negative; the size itself without a callback. Status::callback when it fails or throws.
double operations_of(std::int64_t size, hpart_complexity complexity, void *user);

// hpart_team_profile. With a place for the failure, a profile whose points all failed is no error: it has no points, and the failure of
// the first one.
HPART_PRIVATE hpart_status profile_team(hpart_team *team, std::int64_t points, const std::int64_t *sizes,
                                        const hpart_options *options, hpart_platform **platform,
                                        std::string *failure) noexcept;

// The firewall of the C interface: no exception leaves it, and every failure is this thread's last error.

// With the final zeros; hpart.h states the first.
constexpr std::size_t last_error_bytes = 4096, last_option_bytes = 64;

// Keeps the message for hpart_last_error, and its option for hpart_last_error_option; never throws.
HPART_PRIVATE hpart_status remember(Status status, const char *message, const char *option = "") noexcept;

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

// Calls of the user's functions.
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
