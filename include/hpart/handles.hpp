// Handles, options and reports. A part of hpart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HPART_HANDLES_HPP
#define HPART_HANDLES_HPP

#include "errors.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <variant>
#include <vector>

namespace hpart
{
inline namespace v0_1
{

// ---- views, handles ----

/// Elements of a caller's array, for the duration of a call: a vector, an array, a std::span, a list in braces, anything with
/// contiguous elements.
template <class Value> class view
{
  public:
    view() noexcept = default;
    view(const Value *first, std::size_t length) noexcept : data_(first), size_(length) {}
    view(std::initializer_list<Value> list) noexcept : view(list.begin(), list.size()) {}
    template <class Container, class = std::enable_if_t<
                                   std::is_convertible_v<decltype(std::data(std::declval<const Container &>())), const Value *>>>
    view(const Container &container) : view(std::data(container), std::size(container))
    {
    }

    const Value *data() const noexcept { return data_; }
    int64_t size() const noexcept { return static_cast<int64_t>(size_); }

  private:
    const Value *data_ = nullptr;
    std::size_t size_ = 0;
};

/// The common part of all objects that own a handle of hpart.h. They can be moved, not copied. A moved-from object may be destroyed
/// and assigned to; other calls throw error.
template <class Raw, void (*destroy)(Raw *)> class handle
{
  public:
    using raw_type = Raw;

    handle() noexcept = default;
    /// Takes over `raw`. The destructor keeps `dependency` until it has destroyed `raw`.
    handle(adopt_t, Raw *raw, std::shared_ptr<void> dependency = {})
        : raw_(raw, [kept = std::move(dependency)](Raw *old) { destroy(old); })
    {
    }
    handle(handle &&) noexcept = default;
    handle &operator=(handle &&) noexcept = default;

    /// The handle, for calls of hpart.h; this object still owns it. NULL if there is none.
    Raw *native() noexcept { return raw_.get(); }
    const Raw *native() const noexcept { return raw_.get(); }
    /// Whether there is one.
    explicit operator bool() const noexcept { return raw_ != nullptr; }
    /// Destroys a handle that no object owns; NULL does nothing.
    static void close(Raw *raw) { destroy(raw); }

  protected:
    Raw *raw() { return checked(); }
    const Raw *raw() const { return checked(); }
    const std::shared_ptr<Raw> &share() const { return checked(), raw_; }

    // Functions of hpart.h whose first argument is this handle.
    template <class Function, class... Arguments> void call(Function function, Arguments &&...arguments)
    {
        detail::check(detail::invoke(function, raw(), arguments...));
    }
    template <class Function, class... Arguments> void call(Function function, Arguments &&...arguments) const
    {
        detail::check(detail::invoke(function, raw(), arguments...));
    }
    // The same with a result as last argument: a number, a new handle, a text.
    template <class Value, class Function, class... Arguments> Value value(Function function, Arguments &&...arguments) const
    {
        Value result{};
        call(function, arguments..., &result);
        return result;
    }
    template <class Handle, class Function, class... Arguments> Handle make(Function function, Arguments &&...arguments) const
    {
        return detail::make<Handle>(function, raw(), arguments...);
    }
    template <class Function, class... Arguments> std::string text(Function function, Arguments &&...arguments) const
    {
        return detail::fetch_text(
            [&](char *to, auto... rest) { return function(raw(), detail::argument(arguments)..., to, rest...); });
    }

  private:
    Raw *checked() const
    {
        if (!raw_) detail::fail_argument("the object has no handle of hpart; it must not be moved from or empty");
        return raw_.get();
    }

    std::shared_ptr<Raw> raw_; // shared only with objects that need it open: a team its meters, a pipeline its device
};

// ---- options and reports ----

/// A key and its value: {"deadline", 2.0}.
struct option {
    std::string key;
    std::variant<int64_t, double, std::string> value;

    option(std::string name, std::string text) : key(std::move(name)), value(std::move(text)) {}
    option(std::string name, const char *text) : option(std::move(name), std::string(text)) {}
    template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
    option(std::string name, Number number) : key(std::move(name))
    {
        if constexpr (std::is_integral_v<Number>) {
            if (!detail::fits<int64_t>(number))
                detail::fail_argument("option '" + key + "' is " + std::to_string(number) + "; it must be at most " +
                                      std::to_string(std::numeric_limits<int64_t>::max()));
            value = static_cast<int64_t>(number);
        } else
            value = static_cast<double>(number);
    }
};

/// Options of a call; the keys are in hpart.h. Empty options are all defaults.
class options : public handle<hpart_options, hpart_options_destroy>
{
  public:
    using handle::handle;
    options() noexcept = default;
    /// {{"method", "exact"}, {"deadline", 2.0}}. An unknown key or a wrong value throws error, which lists the valid ones.
    options(std::initializer_list<option> list)
    {
        for (const auto &each : list) set(each);
    }

    /// Sets a key: set({"threads", 2}).
    options &set(const option &each)
    {
        create();
        if (const auto *number = std::get_if<int64_t>(&each.value))
            call(hpart_options_set_int, each.key, *number);
        else if (const auto *real = std::get_if<double>(&each.value))
            call(hpart_options_set_double, each.key, *real);
        else
            call(hpart_options_set_string, each.key, std::get<std::string>(each.value));
        return *this;
    }

    /// Sets the current distribution, for max_moved and adaptive; an empty one removes it.
    options &set_previous(view<int64_t> x)
    {
        create();
        call(hpart_options_set_previous, x.size(), x);
        return *this;
    }

    /// Calls progress(double fraction, const char *step) repeatedly on the thread of the call. fraction: 0 to 1, or -1 if unknown. If it
    /// returns true, the call throws cancelled.
    template <class Progress> options &set_progress(Progress &&progress)
    {
        create();
        auto user = detail::own(std::forward<Progress>(progress), nullptr);
        using type = typename decltype(user)::element_type;
        const hpart_progress trampoline = type::template call<double, const char *>;
        call(hpart_options_set_progress, trampoline, user.get(), type::destroy);
        user.release();
        return *this;
    }

  private:
    void create()
    {
        if (!*this) *this = detail::make<options>(hpart_options_create);
    }
};

/// Further results of a call, by key.
class report : public handle<hpart_report, hpart_report_destroy>
{
  public:
    using handle::handle;
    /// In the order of HPART_REPORT_INT, _DOUBLE, _STRING and _DOUBLES; rows are JSON here.
    using value_type = std::variant<int64_t, double, std::string, std::vector<double>>;

    /// Number of keys.
    int64_t count() const { return hpart_report_count(raw()); }
    bool contains(const std::string &key) const { return type(key) >= 0; }
    /// HPART_REPORT_INT, ...; -1 if there is no such key.
    int32_t type(const std::string &key) const { return hpart_report_type(raw(), detail::c_text(key)); }
    std::vector<std::string> keys() const
    {
        std::vector<std::string> result;
        for (int64_t k = 0; k < count(); ++k) result.emplace_back(hpart_report_key(raw(), k));
        return result;
    }

    /// Value: an integer type or bool, double, std::string (any value as text) or std::vector<double>.
    /// An unknown key, a value of another type, or one that does not fit, throws error. bool: true if it is not 0.
    template <class Value> Value get(const std::string &key) const
    {
        if constexpr (std::is_integral_v<Value>)
            return integer<Value>(key, handle::value<int64_t>(hpart_report_get_int, key));
        else if constexpr (std::is_same_v<Value, double>)
            return handle::value<double>(hpart_report_get_double, key);
        else if constexpr (std::is_same_v<Value, std::string>)
            return text(hpart_report_get_string, key);
        else
            return detail::fetch<std::vector<double>>(
                [&](double *to, auto... rest) { return hpart_report_get_doubles(raw(), detail::c_text(key), to, rest...); });
    }
    /// A list of records: each row is a report.
    std::vector<report> rows(const std::string &key) const
    {
        std::vector<report> result(static_cast<std::size_t>(handle::value<int64_t>(hpart_report_rows, key)));
        for (std::size_t k = 0; k < result.size(); ++k) result[k] = make<report>(hpart_report_row, key, static_cast<int64_t>(k));
        return result;
    }
    /// The whole report as one JSON object.
    std::string json() const { return text(hpart_report_json); }
    /// The value with its own type.
    value_type value(const std::string &key) const
    {
        switch (type(key)) {
        case HPART_REPORT_INT: return get<int64_t>(key);
        case HPART_REPORT_DOUBLE: return get<double>(key);
        case HPART_REPORT_DOUBLES: return get<std::vector<double>>(key);
        default: return get<std::string>(key);
        }
    }

  private:
    template <class Integer> static Integer integer(const std::string &key, int64_t found)
    {
        if (!std::is_same_v<Integer, bool> && !detail::fits<Integer>(found))
            detail::fail_argument("the value of '" + key + "' is " + std::to_string(found) +
                                  ", which the integer type asked for cannot hold; use get<std::int64_t>");
        return static_cast<Integer>(found);
    }
};

namespace detail
{

// The handle that a call writes, until an object owns it: memory may run out between.
template <class Handle> struct written {
    written() = default;
    written(const written &) = delete;
    written &operator=(const written &) = delete;
    ~written() { Handle::close(raw); }
    Handle take() { return Handle(adopt, std::exchange(raw, nullptr)); }

    typename Handle::raw_type *raw = nullptr;
};

// Throws with the report of a call that failed, if it wrote one.
template <class Function, class... Arguments> report make_report(Function function, Arguments &&...arguments)
{
    hpart_report *raw = nullptr;
    const hpart_status status = invoke(function, arguments..., &raw);
    report result(adopt, raw);
    failure_of_this_thread().rethrow(status);
    if (status != HPART_SUCCESS) fail(status, result ? std::make_shared<const report>(std::move(result)) : nullptr);
    return result;
}

} // namespace detail

/// Build and libraries found on this machine: hpart_info.
inline report info() { return detail::make<report>(hpart_info); }

/// Version of the linked library: major, minor, patch.
inline std::array<int32_t, 3> version()
{
    std::array<int32_t, 3> result{};
    hpart_version(&result[0], &result[1], &result[2]);
    return result;
}

} // namespace v0_1
} // namespace hpart

#endif
