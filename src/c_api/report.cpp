#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "core/text.hpp"

#include <algorithm>

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
