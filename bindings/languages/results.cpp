#include "functions.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <new>

namespace hpart_languages
{
namespace
{

thread_local Outcome last_outcome;
thread_local Record left_by_limit;

} // namespace

void check(const Status &status)
{
    if (status.value != HPART_SUCCESS && status.value != HPART_ERR_LIMIT) throw Failure(status.value, status.text);
}

void finish(const Status &status, Record &results)
{
    if (status.value == HPART_ERR_NUMERICAL) {
        left_by_limit = std::move(results);
        throw Failure(status.value, status.text + "; limit_results() returns the results and the report");
    }
    check(status);
    if (status.value == HPART_SUCCESS) return;
    // Untouched outputs are NaN, or no handle; a report alone is no result.
    const bool has_result = std::any_of(results.begin(), results.end(), [](const Entry &entry) {
        const auto *real = std::get_if<double>(&entry.value);
        return (real != nullptr && !std::isnan(*real)) || std::holds_alternative<Handle>(entry.value);
    });
    left_by_limit = has_result ? std::move(results) : Record{};
    throw Failure(HPART_ERR_LIMIT, status.text + (has_result ? "; limit_results() returns the best result until then"
                                                             : "; no result is known"));
}

Outcome *limit_results()
{
    return call([](Record &results) {
        if (left_by_limit.empty()) refuse("no call has reached a limit, or failed numerically, with a result");
        results = std::exchange(left_by_limit, Record{});
    });
}

Outcome *help(Argument name_)
{
    return call([&](Record &results) {
        auto known = manual;
        if (language.new_array != nullptr) known.insert(manual_of_operations.begin(), manual_of_operations.end());
        if (!is_given(name_)) {
            std::string names;
            for (const auto &[name, unused] : known) names += name + "\n";
            add(results, "text", names);
            return;
        }
        const std::string name = text(name_, "name");
        const auto found = known.find(name);
        if (found == known.end()) refuse("name is '" + name + "'; help() lists the functions");
        add(results, "text", found->second);
    });
}

Record record_of(const hpart_report *report)
{
    Record record;
    for (int64_t k = 0; k < hpart_report_count(report); ++k) {
        const char *key = hpart_report_key(report, k);
        const int64_t first = index_keys.count(key) != 0 ? language.first_index : 0;
        switch (hpart_report_type(report, key)) {
        case HPART_REPORT_INT: {
            int64_t value = 0;
            check(hpart_report_get_int(report, key, &value));
            add(record, key, value + first);
            break;
        }
        case HPART_REPORT_DOUBLE: {
            double value = NAN;
            check(hpart_report_get_double(report, key, &value));
            add(record, key, value);
            break;
        }
        case HPART_REPORT_DOUBLES: {
            int64_t length = 0;
            check(hpart_report_get_doubles(report, key, nullptr, 0, &length));
            Numbers values(static_cast<size_t>(length));
            if (length > 0) check(hpart_report_get_doubles(report, key, values.data(), length, &length));
            for (double &value : values) value += static_cast<double>(first);
            add(record, key, std::move(values));
            break;
        }
        default:
            add(record, key, fetched_text([&](char *buffer, int64_t capacity, int64_t *needed) {
                    return hpart_report_get_string(report, key, buffer, capacity, needed);
                }));
        }
    }
    return record;
}

void add_report(Record &results, const hpart_report *report) { add(results, "report", record_of(report)); }

void add(Record &results, const char *name, Value value)
{
    if (language.has_doubles_only) {
        const auto fits = [](int64_t whole) { return whole >= -(INT64_C(1) << 53) && whole <= INT64_C(1) << 53; };
        const auto *whole = std::get_if<int64_t>(&value);
        const auto *list = std::get_if<Integers>(&value);
        if ((whole != nullptr && !fits(*whole)) || (list != nullptr && !std::all_of(list->begin(), list->end(), fits)))
            throw Failure(HPART_ERR_UNSUPPORTED, std::string("the result ") + name +
                                                     " is beyond 2^53, which this language's numbers cannot represent");
    }
    results.push_back({name, std::move(value)});
}

void add_index(Record &results, const char *name, int64_t value) { add(results, name, value + language.first_index); }

std::string shown(const Handle &handle)
{
    return "<hpart " + handle.state->kind + (handle.state->object == nullptr ? ", destroyed>" : ">");
}

void add_indices(Record &results, const char *name, Integers values)
{
    for (int64_t &value : values) value += language.first_index;
    add(results, name, std::move(values));
}

Outcome *outcome() { return &last_outcome; }

std::string counted_as_here(const char *message)
{
    std::string counted;
    bool is_quoted = false; // the user's own words
    const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (const char *at = message; *at != '\0';) {
        // The apostrophe of "the table's" is between letters.
        const char outside = is_quoted ? at[1] : counted.empty() ? ' ' : counted.back();
        if (*at == '\'' && !is_of_word(outside)) is_quoted = !is_quoted;
        counted += *at++;
        int64_t index = 0;
        const char *end = at;
        while (*end >= '0' && *end <= '9') ++end;
        if (is_quoted || counted.back() != '[' || *end != ']') continue;
        if (std::from_chars(at, end, index).ec != std::errc()) continue;
        counted += std::to_string(index + language.first_index);
        at = end;
    }
    return counted;
}

void fail(const std::exception_ptr &failure) noexcept
{
    last_outcome = Outcome{};
    last_outcome.has_failed = true;
    const auto set = [](hpart_status status, const char *text) {
        last_outcome.text = text;
        last_outcome.status = status_name(status);
    };
    try {
        std::rethrow_exception(failure);
    } catch (const Failure &known) {
        set(known.status, known.what());
    } catch (const std::bad_alloc &) {
        set(HPART_ERR_OUT_OF_MEMORY, "the host has too little memory for the call");
    } catch (const std::exception &other) {
        set(HPART_ERR_INTERNAL, other.what());
        last_outcome.exception = failure;
    } catch (...) {
        set(HPART_ERR_INTERNAL, "an error of the interpreter");
        last_outcome.exception = failure;
    }
}

} // namespace hpart_languages
