// Errors, and the exceptions of callables. A part of hpart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HPART_ERRORS_HPP
#define HPART_ERRORS_HPP

#include "../hpart.h"

#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace hpart
{
inline namespace v0_1 // apart from the names inside the library, which a static one shares with its users' programs
{

class report;
class platform;
struct distribution;

/// Tag of the constructors that take over a handle of hpart.h.
struct adopt_t {
};
inline constexpr adopt_t adopt{};

// ---- errors ----

/// A call failed: what() is the sentence of hpart_last_error.
class error : public std::runtime_error
{
  public:
    error(hpart_status status, const std::string &message, std::shared_ptr<const hpart::report> written = {},
          std::string option = {})
        : std::runtime_error(message), status_(status), report_(std::move(written)), option_(std::move(option))
    {
    }

    /// HPART_ERR_...
    hpart_status status() const noexcept { return status_; }
    /// The status in words.
    const char *status_text() const noexcept { return hpart_strerror(status_); }
    /// The report that the call wrote although it failed: at a limit, and for singular matrices (key info). Else NULL.
    const std::shared_ptr<const hpart::report> &report() const noexcept { return report_; }
    /// The key of the option, or the name of the parameter, that what() begins with; see hpart_last_error_option.
    const std::string &option() const noexcept { return option_; }

  private:
    hpart_status status_;
    std::shared_ptr<const hpart::report> report_;
    std::string option_;
};

/// HPART_ERR_INFEASIBLE: no distribution keeps the bounds.
struct infeasible : error {
    using error::error;
};

/// HPART_ERR_CANCELLED: the progress callable returned true.
struct cancelled : error {
    using error::error;
};

/// HPART_ERR_NUMERICAL: a singular matrix, or a result that fails its check.
struct numerical : error {
    using error::error;
};

/// HPART_ERR_LIMIT: the time or memory limit was reached first.
class limit : public error
{
  public:
    using error::error;
    limit(const std::string &message, std::shared_ptr<const hpart::report> written, std::shared_ptr<const distribution> best,
          std::shared_ptr<platform> measured)
        : error(HPART_ERR_LIMIT, message, std::move(written), hpart_last_error_option()), best_(std::move(best)),
          measured_(std::move(measured))
    {
    }

    /// The best distribution that partition found; NULL if it found none.
    const std::shared_ptr<const distribution> &best() const noexcept { return best_; }
    /// The points that team::profile measured; NULL from other calls.
    const std::shared_ptr<platform> &measured() const noexcept { return measured_; }

  private:
    std::shared_ptr<const distribution> best_;
    std::shared_ptr<platform> measured_;
};

namespace detail
{

[[noreturn]] inline void fail(hpart_status status, std::shared_ptr<const report> written = {})
{
    const std::string message = hpart_last_error(), option = hpart_last_error_option();
    switch (status) {
    case HPART_ERR_INFEASIBLE: throw infeasible(status, message, std::move(written), option);
    case HPART_ERR_CANCELLED: throw cancelled(status, message, std::move(written), option);
    case HPART_ERR_NUMERICAL: throw numerical(status, message, std::move(written), option);
    case HPART_ERR_LIMIT: throw limit(status, message, std::move(written), option);
    default: throw error(status, message, std::move(written), option);
    }
}

[[noreturn]] inline void fail_argument(const std::string &message) { throw error(HPART_ERR_INVALID_ARGUMENT, message); }

// True if an integer keeps its value in another integer type.
template <class Target, class Number> constexpr bool fits(Number number) noexcept
{
    const auto converted = static_cast<Target>(number);
    return static_cast<Number>(converted) == number && (converted < Target{}) == (number < Number{});
}

template <class Number> constexpr int nearest_int(Number number) noexcept
{
    if (fits<int>(number)) return static_cast<int>(number);
    return number < Number{} ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max();
}

class failure;
inline failure &failure_of_this_thread();

// Keeps the first exception of callables, which may run on several threads, until their call has returned.
class failure
{
  public:
    // The result of the callable as a status; 1 if it throws.
    template <class Callable> int run(Callable &&callable) noexcept
    {
        try {
            const set_aside outer;
            if constexpr (std::is_void_v<decltype(callable())>) {
                callable();
                return 0;
            } else {
                static_assert(std::is_integral_v<decltype(callable())>, "the callable returns nothing, or 0 to go on");
                return nearest_int(callable());
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!first_) first_ = std::current_exception();
            return 1;
        }
    }

    // A call that went on without the callable's result has another status: its own error counts.
    void rethrow(hpart_status status)
    {
        const std::exception_ptr first = exchange({});
        if (first && (status == HPART_ERR_CALLBACK || status == HPART_ERR_CANCELLED)) std::rethrow_exception(first);
    }

    // Before a call: a call of hpart.h through native() may have left an exception.
    void clear() noexcept { exchange({}); }

  private:
    // Calls of hpart inside a callable neither take nor drop the exception of the call around it.
    class set_aside
    {
      public:
        set_aside() noexcept : kept_(failure_of_this_thread().exchange({})) {}
        ~set_aside() { failure_of_this_thread().exchange(std::move(kept_)); }
        set_aside(const set_aside &) = delete;
        set_aside &operator=(const set_aside &) = delete;

      private:
        std::exception_ptr kept_;
    };

    std::exception_ptr exchange(std::exception_ptr next) noexcept
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        first_.swap(next);
        return next;
    }

    std::mutex mutex_;
    std::exception_ptr first_;
};

// Progress and complexity run on the calling thread: options that several threads share keep their exceptions apart.
inline failure &failure_of_this_thread()
{
    static thread_local failure kept;
    return kept;
}

inline void check(hpart_status status)
{
    failure_of_this_thread().rethrow(status);
    if (status != HPART_SUCCESS) fail(status);
}

// A user pointer of hpart.h that owns a callable. kept: the place for its exceptions; NULL: this thread's.
template <class Callable> struct owned {
    Callable callable;
    std::shared_ptr<failure> kept;

    template <class... Arguments> static int call(Arguments... arguments, void *user)
    {
        auto &own = *static_cast<owned *>(user);
        return (own.kept ? *own.kept : failure_of_this_thread()).run([&] { return own.callable(arguments...); });
    }
    static void destroy(void *user) { delete static_cast<owned *>(user); }
};

template <class Callable> auto own(Callable &&callable, std::shared_ptr<failure> kept)
{
    using type = owned<std::decay_t<Callable>>;
    return std::unique_ptr<type>(new type{std::forward<Callable>(callable), std::move(kept)});
}

// A text or array of unknown length: asks for the length, then for the content.
template <class Container, class Call> Container fetch(Call &&call)
{
    int64_t needed = 0;
    check(call(nullptr, 0, &needed));
    Container result(static_cast<std::size_t>(needed), typename Container::value_type());
    if (needed > 0) check(call(result.data(), needed, &needed));
    return result;
}

template <class Call> std::string fetch_text(Call &&call)
{
    auto text = fetch<std::string>(std::forward<Call>(call));
    text.pop_back(); // the final zero
    return text;
}

// All texts pass here: hpart.h would take one with a null character for a shorter one.
inline const char *c_text(const std::string &text)
{
    const auto end = text.find('\0');
    if (end != std::string::npos)
        fail_argument("a text has " + std::to_string(text.size()) + " characters and a null character after '" +
                      text.substr(0, end) + "'; it must have none");
    return text.c_str();
}

inline const char *text_or_null(const std::string &text) { return text.empty() ? nullptr : c_text(text); }

template <class Value> using native_of = decltype(std::declval<Value &>().native());
template <class Value> using data_of = decltype(std::declval<Value &>().data());
template <template <class> class Member, class Value, class = void> inline constexpr bool has = false;
template <template <class> class Member, class Value> inline constexpr bool has<Member, Value, std::void_t<Member<Value>>> = true;

// As hpart.h takes arguments: handles and arrays by their pointers, choices as numbers, complex scalars by address.
template <class Value> auto argument(Value &value)
{
    if constexpr (has<native_of, Value>)
        return value.native();
    else if constexpr (std::is_same_v<std::remove_const_t<Value>, std::string>)
        return c_text(value);
    else if constexpr (has<data_of, Value>)
        return value.data();
    else if constexpr (std::is_enum_v<Value>)
        return static_cast<int32_t>(value);
    else if constexpr (std::is_class_v<Value>)
        return static_cast<const void *>(&value);
    else
        return value;
}

// Calls a function of hpart.h that may run callables.
template <class Function, class... Arguments> hpart_status invoke(Function function, Arguments &&...arguments)
{
    failure_of_this_thread().clear();
    return function(argument(arguments)...);
}

// Calls of hpart.h return a new handle by their last argument.
template <class Handle, class Function, class... Arguments> Handle make(Function function, Arguments &&...arguments)
{
    typename Handle::raw_type *raw = nullptr;
    check(invoke(function, arguments..., &raw));
    return Handle(adopt, raw);
}

inline void require_length(int64_t length, const char *name, int64_t expected, const char *unit)
{
    if (length != expected)
        fail_argument(std::string(name) + " has " + std::to_string(length) + " elements; it must have one per " + unit + ": " +
                      std::to_string(expected));
}

} // namespace detail

} // namespace v0_1
} // namespace hpart

#endif
