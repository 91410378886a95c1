// Values between hpart and an interpreter. Each language reads its objects into Value and writes Value to its objects; everything else,
// which functions.cpp generated from hpart.h needs, is the same for all: checks of types and ranges, options, handles, reports, errors.
#pragma once

#include <hpart.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hpart_languages
{

// An object of the interpreter, as its own file casts it; null: not given.
using Argument = struct Object *;

struct Failure : std::exception {
    Failure(hpart_status code, std::string message) : status(code), text(std::move(message)) {}
    [[nodiscard]] const char *what() const noexcept override { return text.c_str(); }
    hpart_status status;
    std::string text;
};

[[noreturn]] void refuse(const std::string &text);
// In each function that reads a container: refuses one within many, or within itself.
class Nesting
{
  public:
    Nesting()
    {
        if (++depth <= 20) return;
        --depth;
        refuse("an argument is nested more than 20 levels deep");
    }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    ~Nesting() { --depth; }

  private:
    inline static thread_local int depth = 0;
};
constexpr double LARGEST = 9007199254740992.0; // 2^53: above it, doubles skip integers

class Server;

// A handle of the library, shared by the interpreter's objects that name it, and by running calls.
struct State {
    std::string kind; // "platform"
    std::shared_ptr<void> object;
    std::map<int64_t, std::shared_ptr<void>> meters; // that a team borrows, by processor
    std::set<int64_t> called;    // processors of a team whose kernel is a function of the interpreter
    bool is_called = false;      // a team that calls the interpreter at all
    Server *server = nullptr;    // while the team runs such kernels
    ~State() { object.reset(); } // before the meters
};

// The class that interpreters see. Its destructor drops the object's share.
struct Handle {
    std::shared_ptr<State> state;
};

struct Value;
struct Entry;
using Record = std::vector<Entry>;
bool is_list(const Record &record); // of texts: entries without names

// A function of the interpreter. call runs on the interpreter's thread; what it throws comes back to the interpreter. It returns nothing
// if the result is ignored, whatever that is.
enum class Result : std::uint8_t { wanted, ignored };
struct Callable {
    virtual ~Callable() = default;
    virtual Value call(const std::vector<Value> &arguments, Result result = Result::wanted) = 0;
};

struct Nothing {
};
using Integers = std::vector<int64_t>;
using Numbers = std::vector<double>; // of a matrix, row by row
using Function = std::shared_ptr<Callable>;

// An array of several dimensions, column by column.
struct Operand {
    char type = 'd';              // s, d, c, z as in the names of the BLAS
    std::vector<int64_t> dims;    // two, or one of a vector of R
    void *data = nullptr;         // not changed, unless the array is new
    std::shared_ptr<void> object; // the interpreter's
};

struct Value
    : std::variant<Nothing, bool, int64_t, double, std::string, Integers, Numbers, Record, Handle, Function, Operand> {
    using variant::variant;
};

struct Entry {
    std::string name;
    Value value;
};

// A file of a language defines it, once.
struct Language {
    int64_t first_index = 0;       // of processors, points and tasks
    bool has_doubles_only = false; // results beyond 2^53 are an error
    bool has_typed_text = true;    // false: a text may be a number
    bool has_nothing = true;       // false: an empty text stands for nothing
    Value (*read)(Argument) = nullptr;
    std::vector<std::string> (*split)(const std::string &) = nullptr; // a text that is a list; null: no text is
    // Those of languages that have arrays of several dimensions. A new one has zeros.
    Operand (*read_array)(Argument) = nullptr;
    Operand (*new_array)(char type, const std::vector<int64_t> &dims) = nullptr;
    void (*poll)() = nullptr; // throws if the user has interrupted; null: no need to ask
};
extern const Language language;

// Collects the elements of a list: integers, doubles as soon as one is no integer, or texts.
class Elements
{
  public:
    void add(const Value &element);
    Value value() &&;

  private:
    Integers integers_;
    Numbers numbers_;
    Record texts_;
    bool has_numbers_ = false;
};

// The value of a text that is a number, else Nothing.
Value number_in(const std::string &text);

// Refuses a value: "size is 1.5; it must be an integer".
[[noreturn]] void wrong(const char *name, const Value &value, const char *right);

// Arguments. name is the argument's name in messages.
Value read(Argument argument, const char *name);
Failure named(const Failure &failure, const char *name); // of reading it: its name for "an argument"
double number_of(const Value &value, const char *name);
int64_t integer_of(const Value &value, const char *name);
Integers integers_of(const Value &value, const char *name);
Numbers numbers_of(const Value &value, const char *name);
bool is_absent(const Value &value); // nothing or an empty array
int64_t integer(Argument argument, const char *name);
int32_t small_integer(Argument argument, const char *name);
double number(Argument argument, const char *name);
std::string text(Argument argument, const char *name);
std::string joined(Argument argument, const char *name); // a text, or a list of texts with commas between them
Integers integers(Argument argument, const char *name);
Numbers numbers(Argument argument, const char *name);
Function function(Argument argument, const char *name);
bool is_given(Argument argument, const char *name = "an argument");
// An index that counts as the language does. count: of what it numbers; negative: unknown.
int64_t index(Argument argument, const char *name, int64_t count, int64_t least = 0);
// The common length of arrays.
void same_length(const char *first, size_t length, const char *name, size_t other);
// Rows of a matrix of this many columns.
int64_t rows(size_t length, int64_t columns, const char *name);

template <class T> struct Kind; // in functions.cpp: its name and its destructor
std::shared_ptr<State> state(Argument argument, const char *name, const char *kind, bool may_be_absent = false);
void destroy(Argument argument, const char *name, const char *kind);

// A handle for the length of a call: kept even if the interpreter destroys it meanwhile.
template <class T> class Borrowed
{
  public:
    Borrowed(Argument argument, const char *name, bool may_be_absent = false)
        : state_(hpart_languages::state(argument, name, Kind<T>::name, may_be_absent))
    {
        if (state_) object_ = state_->object;
    }
    [[nodiscard]] T *get() const { return static_cast<T *>(object_.get()); }
    [[nodiscard]] State *state() const { return state_.get(); }
    [[nodiscard]] std::shared_ptr<void> share_of_object() const { return object_; }

  private:
    std::shared_ptr<State> state_;
    std::shared_ptr<void> object_;
};

template <class T> Value made(T *object)
{
    if (object == nullptr) return Nothing{};
    auto state = std::make_shared<State>();
    state->object = std::shared_ptr<void>(object, [](void *old) { Kind<T>::destroy(static_cast<T *>(old)); });
    state->kind = Kind<T>::name;
    return Handle{std::move(state)};
}

// A progress function of the user's, or a look for interrupts.
struct Progress {
    int report(double fraction, const char *what);
    Function function;
    Server *server = nullptr; // that runs the function, if another thread makes the call
    std::exception_ptr failure;
};

// The options of a call: a handle, a record, or nothing. A record may have `previous`, a distribution, and `progress`, a function.
class Options
{
  public:
    explicit Options(Argument argument);
    Options(const Options &) = delete;
    Options &operator=(const Options &) = delete;
    [[nodiscard]] const hpart_options *get() const { return options_; }
    [[nodiscard]] bool has(const char *key, const char *value) const;
    [[nodiscard]] bool has_progress() const { return progress_ != nullptr; }
    void set(const char *key, int64_t value);
    // The call ends when the user interrupts it, or the server that another thread's call asks has failed; not if the options are a handle.
    void watch(Server *server = nullptr);
    void rethrow() const; // the error of the progress function

  private:
    void create();
    void set(const std::string &key, const Value &value);
    Progress *progress();
    std::shared_ptr<void> object_;
    hpart_options *options_ = nullptr;
    bool is_borrowed_ = false;
    std::map<std::string, std::string> given_;
    std::shared_ptr<Progress> progress_;
};

// A message of the library, which counts from 0 ("sizes[0]"), with the indices of the language.
std::string counted_as_here(const char *message);

// The status of a call with the message of the thread that made it.
struct Status {
    Status(hpart_status returned) : value(returned), text(returned < 0 ? counted_as_here(hpart_last_error()) : "") {}
    hpart_status value;
    std::string text;
};

// Throws unless the call succeeded or reached a limit.
void check(const Status &status);
// Ends a call with its results. After HPART_ERR_LIMIT they stay for limit_results.
void finish(const Status &status, Record &results);
// Results.
void add(Record &results, const char *name, Value value);
void add_index(Record &results, const char *name, int64_t value);
Record record_of(const hpart_report *report);
// Indices, as the language counts them.
void add_indices(Record &results, const char *name, Integers values);
void add_report(Record &results, const hpart_report *report);
template <class Call> std::string fetched_text(const Call &call)
{
    int64_t needed = 0;
    check(call(nullptr, 0, &needed));
    std::string text(static_cast<size_t>(needed > 0 ? needed : 1), '\0');
    check(call(text.data(), static_cast<int64_t>(text.size()), &needed));
    text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
    return text;
}

// Generated.
const char *status_name(hpart_status status);
extern const std::set<std::string> index_keys;          // of reports
extern const std::map<std::string, std::string> manual; // the text of help, by the function's name
extern const std::map<std::string, std::string> manual_of_operations;

// "<hpart platform>"
std::string shown(const Handle &handle);

// The end of a call: results, or an error. One a thread; the wrapper takes it before the next call.
struct Outcome {
    bool has_failed = false;
    Record results;
    std::string text;             // of the error
    std::string status;           // "infeasible"
    std::exception_ptr exception; // of the interpreter itself
};
Outcome *outcome();
void fail(const std::exception_ptr &failure) noexcept;

template <class Body> Outcome *call(const Body &body) noexcept
{
    try {
        Record results;
        body(results);
        *outcome() = Outcome{};
        outcome()->results = std::move(results);
    } catch (...) {
        fail(std::current_exception());
    }
    return outcome();
}

} // namespace hpart_languages
