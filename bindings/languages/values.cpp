#include "functions.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace hpart_languages
{
namespace
{

std::string shown(double value)
{
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
}

struct Described {
    std::string operator()(Nothing) const { return "nothing"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return shown(value); }
    std::string operator()(const std::string &value) const { return "the text '" + value.substr(0, 60) + "'"; }
    template <class T> std::string operator()(const std::vector<T> &value) const
    {
        return "an array of " + std::to_string(value.size()) + " elements";
    }
    std::string operator()(const Record &value) const { return is_list(value) ? "a list of texts" : "a record"; }
    std::string operator()(const Handle &value) const { return "a handle of kind " + value.state->kind; }
    std::string operator()(const Function &) const { return "a function"; }
    std::string operator()(const Operand &) const { return "an array"; }
};

int64_t exact(double value, const char *name)
{
    if (std::isfinite(value) && value != std::floor(value))
        refuse(std::string(name) + " is " + shown(value) + "; it must be an integer");
    if (!(std::fabs(value) <= LARGEST))
        refuse(std::string(name) + " is " + shown(value) +
               "; a floating-point number must be an integer from -2^53 to 2^53");
    return static_cast<int64_t>(value);
}

// A scalar as an array of one, a text as the list that it is.
Value array_of(const Value &value, const char *name)
{
    Elements elements;
    if (std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value)) {
        elements.add(value);
    } else if (const auto *text = std::get_if<std::string>(&value);
               text != nullptr && !language.has_typed_text && language.split == nullptr &&
               !std::holds_alternative<Nothing>(number_in(*text))) {
        elements.add(value);
    } else if (const auto *found = std::get_if<std::string>(&value); found != nullptr && language.split != nullptr) {
        for (const std::string &element : language.split(*found)) elements.add(std::string(element));
    } else if (const auto *record = std::get_if<Record>(&value); record != nullptr && record->empty()) {
        return Numbers{};
    } else if (std::holds_alternative<Integers>(value) || std::holds_alternative<Numbers>(value)) {
        return value;
    } else {
        wrong(name, value, "an array of numbers");
    }
    return std::move(elements).value();
}

} // namespace

bool is_list(const Record &record)
{
    return !record.empty() && std::all_of(record.begin(), record.end(), [](const Entry &entry) {
        return entry.name.empty() && std::holds_alternative<std::string>(entry.value);
    });
}

void wrong(const char *name, const Value &value, const char *right)
{
    refuse(std::string(name) + " is " + std::visit(Described{}, value) + "; it must be " + right);
}

int64_t integer_of(const Value &value, const char *name)
{
    if (const auto *found = std::get_if<int64_t>(&value)) return *found;
    if (const auto *found = std::get_if<double>(&value)) return exact(*found, name);
    if (const auto *found = std::get_if<Integers>(&value); found != nullptr && found->size() == 1)
        return found->front();
    if (const auto *found = std::get_if<Numbers>(&value); found != nullptr && found->size() == 1)
        return exact(found->front(), name);
    if (const auto *found = std::get_if<std::string>(&value); found != nullptr && !language.has_typed_text)
        if (const Value in_text = number_in(*found); !std::holds_alternative<Nothing>(in_text))
            return integer_of(in_text, name);
    wrong(name, value, "an integer");
}

bool is_absent(const Value &value)
{
    const auto *integers = std::get_if<Integers>(&value);
    const auto *numbers = std::get_if<Numbers>(&value);
    return std::holds_alternative<Nothing>(value) || (integers != nullptr && integers->empty()) ||
           (numbers != nullptr && numbers->empty());
}

Integers integers_of(const Value &value, const char *name)
{
    Value array = array_of(value, name);
    if (auto *found = std::get_if<Integers>(&array)) return std::move(*found);
    Integers result;
    const Numbers &found = std::get<Numbers>(array);
    result.reserve(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
        const double element = found[i];
        if (element == std::floor(element) && std::fabs(element) <= LARGEST)
            result.push_back(static_cast<int64_t>(element));
        else // the name with the place, for the message
            result.push_back(exact(
                element,
                ("element " + std::to_string(i + static_cast<size_t>(language.first_index)) + " of " + name).c_str()));
    }
    return result;
}

double number_of(const Value &value, const char *name)
{
    if (const auto *found = std::get_if<double>(&value)) return *found;
    if (const auto *found = std::get_if<int64_t>(&value)) return static_cast<double>(*found);
    if (const auto *found = std::get_if<Integers>(&value); found != nullptr && found->size() == 1)
        return static_cast<double>(found->front());
    if (const auto *found = std::get_if<Numbers>(&value); found != nullptr && found->size() == 1) return found->front();
    if (const auto *found = std::get_if<std::string>(&value); found != nullptr && !language.has_typed_text)
        if (const Value in_text = number_in(*found); !std::holds_alternative<Nothing>(in_text))
            return number_of(in_text, name);
    wrong(name, value, "a number");
}

void refuse(const std::string &text) { throw Failure(HPART_ERR_INVALID_ARGUMENT, text); }

Value number_in(const std::string &text)
{
    const char *first = text.data();
    const char *last = first + text.size();
    while (first != last && (*first == ' ' || *first == '\n' || *first == '\t')) ++first;
    while (last != first && (last[-1] == ' ' || last[-1] == '\n' || last[-1] == '\t')) --last;
    if (first != last && *first == '+') ++first;
    int64_t whole = 0;
    if (const auto read = std::from_chars(first, last, whole); read.ec == std::errc() && read.ptr == last) return whole;
    double real = 0;
    if (const auto read = std::from_chars(first, last, real);
        read.ec == std::errc() && read.ptr == last && first != last)
        return real;
    return Nothing{};
}

void Elements::add(const Value &element)
{
    if (const auto *list = std::get_if<Integers>(&element)) {
        for (const int64_t inner : *list) add(inner);
    } else if (const auto *reals = std::get_if<Numbers>(&element)) {
        for (const double inner : *reals) add(inner);
    } else if (const auto *nested = std::get_if<std::string>(&element); nested != nullptr && !language.has_typed_text) {
        const Value in_text = number_in(*nested);
        if (!std::holds_alternative<Nothing>(in_text)) return add(in_text);
        const std::vector<std::string> parts = language.split ? language.split(*nested) : std::vector<std::string>();
        if (parts.size() < 2) wrong("an element of an array", element, "a number");
        for (const std::string &part : parts) add(std::string(part));
    } else if (const auto *word = std::get_if<std::string>(&element); word != nullptr && language.has_typed_text) {
        texts_.push_back({"", *word});
    } else if (const auto *whole = std::get_if<int64_t>(&element); whole != nullptr && !has_numbers_) {
        integers_.push_back(*whole);
    } else {
        if (!has_numbers_) {
            for (const int64_t old : integers_) numbers_.push_back(static_cast<double>(old));
            has_numbers_ = true;
        }
        numbers_.push_back(number_of(element, "an element of an array"));
    }
}

Value Elements::value() &&
{
    if (!texts_.empty() && (has_numbers_ || !integers_.empty()))
        wrong("an element of an array", texts_.front().value, "a number as the others");
    if (!texts_.empty()) return std::move(texts_);
    if (has_numbers_) return std::move(numbers_);
    return std::move(integers_);
}

Failure named(const Failure &failure, const char *name)
{
    for (const std::string unnamed : {"an argument ", "an array "})
        if (failure.text.rfind(unnamed, 0) == 0)
            return {failure.status, name + (" " + failure.text.substr(unnamed.size()))};
    return failure;
}

Value read_as_is(Argument argument, const char *name)
{
    try {
        return argument == nullptr ? Value() : language.read(argument);
    } catch (const Failure &failure) {
        throw named(failure, name);
    }
}

Value read(Argument argument, const char *name)
{
    Value value = read_as_is(argument, name);
    const auto *found = std::get_if<std::string>(&value);
    return found != nullptr && found->empty() && !language.has_nothing ? Value() : value;
}

bool is_given(Argument argument, const char *name) { return !is_absent(read(argument, name)); }
int64_t integer(Argument argument, const char *name) { return integer_of(read(argument, name), name); }
double number(Argument argument, const char *name) { return number_of(read(argument, name), name); }

int32_t small_integer(Argument argument, const char *name)
{
    const int64_t value = integer(argument, name);
    if (value != static_cast<int32_t>(value)) wrong(name, value, "an integer of 32 bits");
    return static_cast<int32_t>(value);
}

std::string text(Argument argument, const char *name)
{
    Value value = read_as_is(argument, name);
    if (auto *found = std::get_if<std::string>(&value)) {
        if (found->find('\0') != std::string::npos)
            refuse(std::string(name) + " has a character of code 0; it must be a text without it");
        return std::move(*found);
    }
    if (!language.has_typed_text && !std::holds_alternative<Nothing>(value)) {
        if (const auto *whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
        if (const auto *real = std::get_if<double>(&value)) return shown(*real);
    }
    wrong(name, value, "a text");
}

std::string joined(Argument argument, const char *name)
{
    const Value value = read(argument, name);
    const auto *list = std::get_if<Record>(&value);
    if (list == nullptr || !is_list(*list)) return text(argument, name);
    std::string names;
    for (const Entry &entry : *list) {
        const auto &word = std::get<std::string>(entry.value);
        if (word.find_first_of({",\0", 2}) != std::string::npos)
            wrong(("an element of " + std::string(name)).c_str(), entry.value, "a name without a comma");
        names += (&entry == &list->front() ? "" : ",") + word;
    }
    return names;
}

Integers integers(Argument argument, const char *name)
{
    if (argument == nullptr) wrong(name, Nothing{}, "an array of integers");
    return integers_of(read_as_is(argument, name), name);
}

Numbers numbers_of(const Value &value, const char *name)
{
    Value array = array_of(value, name);
    if (auto *found = std::get_if<Numbers>(&array)) return std::move(*found);
    const Integers &found = std::get<Integers>(array);
    return {found.begin(), found.end()};
}

Numbers numbers(Argument argument, const char *name)
{
    if (argument == nullptr) wrong(name, Nothing{}, "an array of numbers");
    return numbers_of(read_as_is(argument, name), name);
}

Function function(Argument argument, const char *name)
{
    const Value value = read(argument, name);
    if (const auto *found = std::get_if<Function>(&value)) return *found;
    wrong(name, value, "a function");
}

int64_t index(Argument argument, const char *name, int64_t count, int64_t least)
{
    const int64_t value = integer(argument, name);
    const int64_t first = language.first_index;
    const bool is_above = count >= 0 && value >= count + first;
    if (value >= least + first && !is_above) return value - first;
    const std::string begin = std::string(name) + " is " + std::to_string(value) + "; it must be ";
    if (count < 0) refuse(begin + std::to_string(least + first) + " or more");
    if (count == 0) refuse(begin + "absent: there is none");
    refuse(begin + std::to_string(least + first) + " to " + std::to_string(count - 1 + first));
}

void same_length(const char *first, size_t length, const char *name, size_t other)
{
    if (length != other)
        refuse(std::string(name) + " has " + std::to_string(other) + " elements and " + first + " has " +
               std::to_string(length) + "; they must have equally many");
}

int64_t rows(size_t length, int64_t columns, const char *name)
{
    if (columns <= 0 || length % static_cast<size_t>(columns) != 0)
        refuse(std::string(name) + " has " + std::to_string(length) + " elements; it must have rows of " +
               std::to_string(columns));
    return static_cast<int64_t>(length) / columns;
}

std::shared_ptr<State> state(Argument argument, const char *name, const char *kind, bool may_be_absent)
{
    const Value value = read(argument, name);
    if (may_be_absent && is_absent(value)) return nullptr;
    const auto *found = std::get_if<Handle>(&value);
    if (found == nullptr || found->state->kind != kind) wrong(name, value, (std::string("a ") + kind).c_str());
    if (found->state->object == nullptr) refuse(std::string(name) + " was destroyed");
    if (found->state->server != nullptr) refuse(std::string(name) + " is running; wait for the end of its call");
    return found->state;
}

void destroy(Argument argument, const char *name, const char *kind)
{
    const Value value = read(argument, name);
    const auto *found = std::get_if<Handle>(&value);
    if (is_absent(value) || (found != nullptr && found->state->object == nullptr)) return;
    state(argument, name, kind)->object.reset();
}

} // namespace hpart_languages
