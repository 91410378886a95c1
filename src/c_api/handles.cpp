#include "c_api/handles.hpp"

#include "core/text.hpp"

#ifndef HPART_CORE_ONLY
#include "core/machine.hpp"
#include "host/cores.hpp"
#include "kernels/registry.hpp"
#include "measurement/disturbance.hpp"
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

namespace hpart::c_api
{

double operations_of(std::int64_t size, hpart_complexity complexity, void *user)
{
    auto operations = static_cast<double>(size);
    if (complexity == nullptr) return operations;
    const int stop = Callback()("the complexity callback", [&] { return complexity(size, &operations, user); });
    if (stop != 0) fail(Status::callback, "the complexity callback returned ", stop, " for size ", size);
    if (!std::isfinite(operations) || operations < 0)
        fail_argument("the complexity of size ", size, " is ", operations, "; it must be finite and not negative");
    return operations;
}

} // namespace hpart::c_api

using namespace hpart;
using namespace hpart::c_api;

namespace
{

const Report::Value &value_of(const hpart_report *report, const char *key)
{
    require(report, "report");
    require(key, "key");
    return report->value.get(key);
}

template <typename Wanted> const Wanted &value_as(const Report::Value &value, const char *key, const char *kind)
{
    if (const auto *wanted = std::get_if<Wanted>(&value)) return *wanted;
    fail_argument("the report's key ", in_quotes(key), " is ", in_quotes(Report::format(value)), ", which is not ",
                  kind);
}

} // namespace

extern "C" {

void hpart_report_destroy(hpart_report *report) { delete report; }

int64_t hpart_report_count(const hpart_report *report) { return report == nullptr ? -1 : report->value.count(); }

const char *hpart_report_key(const hpart_report *report, int64_t k)
{
    if (report == nullptr || k < 0 || k >= report->value.count()) return nullptr;
    return report->value.key(k).c_str();
}

int32_t hpart_report_type(const hpart_report *report, const char *key)
{
    if (report == nullptr || key == nullptr) return -1;
    const auto *value = report->value.find(key);
    if (value == nullptr) return -1;
    struct TypeOf {
        std::int32_t operator()(std::int64_t) const { return HPART_REPORT_INT; }
        std::int32_t operator()(double) const { return HPART_REPORT_DOUBLE; }
        std::int32_t operator()(const std::string &) const { return HPART_REPORT_STRING; }
        std::int32_t operator()(const std::vector<double> &) const { return HPART_REPORT_DOUBLES; }
        std::int32_t operator()(const Report::Rows &) const { return HPART_REPORT_TABLE; }
    };
    return std::visit(TypeOf{}, *value);
}

hpart_status hpart_report_get_string(const hpart_report *report, const char *key, char *buffer, int64_t capacity,
                                     int64_t *needed)
{
    return guarded([&] { copy_text(Report::format(value_of(report, key)), buffer, capacity, needed); });
}

hpart_status hpart_report_get_int(const hpart_report *report, const char *key, int64_t *value)
{
    return guarded([&] {
        const auto &found = value_of(report, key);
        require(value, "value");
        *value = value_as<std::int64_t>(found, key, "an integer");
    });
}

hpart_status hpart_report_get_double(const hpart_report *report, const char *key, double *value)
{
    return guarded([&] {
        const auto &found = value_of(report, key);
        require(value, "value");
        if (const auto *integer = std::get_if<std::int64_t>(&found))
            *value = static_cast<double>(*integer);
        else
            *value = value_as<double>(found, key, "a number");
    });
}

hpart_status hpart_report_get_doubles(const hpart_report *report, const char *key, double *values, int64_t capacity,
                                      int64_t *needed)
{
    return guarded([&] {
        const auto &found = value_of(report, key);
        std::vector<double> one;
        if (const auto *number = std::get_if<double>(&found)) one = {*number};
        if (const auto *integer = std::get_if<std::int64_t>(&found)) one = {static_cast<double>(*integer)};
        const auto &all = one.empty() ? value_as<std::vector<double>>(found, key, "an array of numbers") : one;
        if (room_for(static_cast<std::int64_t>(all.size()), values != nullptr, capacity, needed))
            std::copy(all.begin(), all.end(), values);
    });
}

hpart_status hpart_report_rows(const hpart_report *report, const char *key, int64_t *count)
{
    return guarded([&] {
        const auto &rows = value_as<Report::Rows>(value_of(report, key), key, "a list of rows");
        require(count, "count");
        *count = static_cast<std::int64_t>(rows.size());
    });
}

hpart_status hpart_report_row(const hpart_report *report, const char *key, int64_t k, hpart_report **row)
{
    return guarded([&] {
        const auto &rows = value_as<Report::Rows>(value_of(report, key), key, "a list of rows");
        require(row, "row");
        const auto count = static_cast<std::int64_t>(rows.size());
        if (k < 0 || k >= count)
            fail_argument("k is ", k, "; the report's key ", in_quotes(key), " has ", pluralise(count, "row"));
        *row = new hpart_report{rows[static_cast<std::size_t>(k)]};
    });
}

hpart_status hpart_report_json(const hpart_report *report, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        require(report, "report");
        copy_text(report->value.json(), buffer, capacity, needed);
    });
}

} // extern "C"

namespace
{

// The user's callback and the pointer it owns.
struct UserProgress {
    Callback call{};
    hpart_progress callback;
    void *user;
    hpart_free free_user;

    UserProgress(hpart_progress c, void *u, hpart_free f) : callback(c), user(u), free_user(f) {}
    UserProgress(const UserProgress &) = delete;
    UserProgress &operator=(const UserProgress &) = delete;
    ~UserProgress() { free_quietly(free_user, user); }

    int operator()(double fraction, const char *what) const
    {
        return call("the progress callback", [&] { return callback(fraction, what, user); });
    }
};

} // namespace

extern "C" {

hpart_status hpart_options_create(hpart_options **options)
{
    return guarded([&] {
        require(options, "options");
        *options = new hpart_options{};
    });
}

void hpart_options_destroy(hpart_options *options) { delete options; }

hpart_status hpart_options_set_string(hpart_options *options, const char *key, const char *value)
{
    return guarded([&] {
        require(options, "options");
        require(key, "key");
        require(value, "value");
        options->value.set_text(key, value);
    });
}

hpart_status hpart_options_set_int(hpart_options *options, const char *key, int64_t value)
{
    return guarded([&] {
        require(options, "options");
        require(key, "key");
        options->value.set_int(key, value);
    });
}

hpart_status hpart_options_set_double(hpart_options *options, const char *key, double value)
{
    return guarded([&] {
        require(options, "options");
        require(key, "key");
        options->value.set_double(key, value);
    });
}

hpart_status hpart_options_set_previous(hpart_options *options, int64_t processors, const int64_t *x)
{
    return guarded([&] {
        require(options, "options");
        const auto sizes = array(x, processors, "x");
        options->value.set_previous({sizes.begin(), sizes.end()});
    });
}

hpart_status hpart_options_set_progress(hpart_options *options, hpart_progress progress, void *user,
                                        hpart_free free_user)
{
    return guarded([&] {
        require(options, "options");
        if (progress == nullptr) {
            options->value.set_progress(nullptr);
            free_quietly(free_user, user);
            return;
        }
        // On failure the caller still owns user: free_user is armed only when nothing can fail any more.
        auto owner = std::make_shared<UserProgress>(progress, user, nullptr);
        auto callback = std::make_shared<const ProgressCallback>(
            [owner](double fraction, const char *what) { return (*owner)(fraction, what); });
        owner->free_user = free_user;
        options->value.set_progress(std::move(callback));
    });
}

} // extern "C"

namespace hpart::c_api
{

#define HPART_STATUS_AGREES(name, constant, value, text) static_assert(HPART_##constant == (value));
HPART_STATUS_LIST(HPART_STATUS_AGREES)
#undef HPART_STATUS_AGREES

namespace
{
// Their addresses are the same for the life of the thread.
thread_local std::array<char, last_error_bytes> last_error{};
thread_local std::array<char, last_option_bytes> last_option{};

// Nothing is allocated, since memory may be short. The text may be the place's own, passed through a callback.
template <std::size_t bytes> void keep(std::array<char, bytes> &place, std::string_view whole) noexcept
{
    auto *const out = place.data();
    const auto length = utf8_length_within(whole, bytes - 1);
    std::memmove(out, whole.data(), length);
    out[length] = '\0';
    // Control characters of a path or a name would command the terminal.
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    std::replace_if(out, out + length, is_control, '?');
}
} // namespace

hpart_status remember(Status status, const char *message, const char *option) noexcept
{
    keep(last_error, message);
    keep(last_option, option);
    return static_cast<hpart_status>(status);
}

bool room_for(std::int64_t length, bool has_buffer, std::int64_t capacity, std::int64_t *needed)
{
    if (capacity < 0) fail_argument("capacity is ", capacity, "; it must not be negative");
    if (!has_buffer && capacity > 0) fail_argument("the buffer is NULL, but capacity is ", capacity);
    if (!has_buffer && needed == nullptr) fail_argument("buffer and needed are both NULL; at least one must not be");
    if (needed != nullptr) *needed = length;
    if (!has_buffer) return false;
    if (capacity < length) fail_argument("capacity is ", capacity, "; ", length, " are needed");
    return true;
}

void copy_text(std::string_view text, char *buffer, std::int64_t capacity, std::int64_t *needed)
{
    const auto length = static_cast<std::int64_t>(text.size()) + 1;
    if (!room_for(length, buffer != nullptr, capacity, needed)) return;
    std::memcpy(buffer, text.data(), text.size());
    buffer[text.size()] = '\0';
}

} // namespace hpart::c_api

using namespace hpart;
using namespace hpart::c_api;

extern "C" {

const char *hpart_strerror(hpart_status status) { return status_text(static_cast<Status>(status)); }

const char *hpart_last_error(void) { return last_error.data(); }

const char *hpart_last_error_option(void) { return last_option.data(); }

hpart_status hpart_last_error_copy(char *buffer, int64_t capacity, int64_t *needed)
{
    bool fits = true;
    const auto status = guarded([&] {
        const std::string_view text = last_error.data();
        const auto length = static_cast<std::int64_t>(text.size()) + 1;
        // A failure here would overwrite the text that the caller asks for.
        fits = buffer == nullptr || capacity < 0 || capacity >= length;
        if (fits)
            copy_text(text, buffer, capacity, needed);
        else if (needed != nullptr)
            *needed = length;
    });
    return fits ? status : HPART_ERR_INVALID_ARGUMENT;
}

void hpart_version(int32_t *major, int32_t *minor, int32_t *patch)
{
    if (major != nullptr) *major = HPART_VERSION_MAJOR;
    if (minor != nullptr) *minor = HPART_VERSION_MINOR;
    if (patch != nullptr) *patch = HPART_VERSION_PATCH;
}

} // extern "C"

namespace
{

std::string compiler()
{
#ifdef __clang__
    return __VERSION__; // begins with its name
#else
    return text("GCC ", __VERSION__);
#endif
}

Report make_info()
{
    Report info;
    info.set("version", text(HPART_VERSION_MAJOR, ".", HPART_VERSION_MINOR, ".", HPART_VERSION_PATCH));
    info.set("compiler", compiler());
#ifndef HPART_CORE_ONLY
    info.set("cores", static_cast<std::int64_t>(usable_cores().size()));
    if (const auto quota = cpu_quota(proc_root()); quota.cores > 0) info.set("cpu_quota", quota.cores);
    for (auto &[name, about] : list_libraries()) info.set(text("library.", name), std::move(about));
#endif
    return info;
}

} // namespace

extern "C" {

hpart_status hpart_info(hpart_report **report)
{
    return guarded([&] {
        require(report, "report");
        *report = new hpart_report{make_info()};
    });
}

} // extern "C"
