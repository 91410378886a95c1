// Guile: module (hpart). Lists and vectors are arrays, association lists are records, #f is an absent argument. A call returns one value or
// several. Errors have the key hpart-error; their last element is a list of the status's name.
%begin %{
#include "functions.hpp"
%}
%{
namespace {

SCM write(const Value &value);
Value read_value(SCM value);

// What a function of the user's threw.
struct GuileError : std::exception {
    GuileError(SCM key, SCM arguments) : thrown(scm_gc_protect_object(scm_cons(key, arguments))) {}
    SCM thrown;
};

struct GuileFunction : Callable {
    explicit GuileFunction(SCM procedure) : procedure(scm_gc_protect_object(procedure)) {}
    ~GuileFunction() override { scm_gc_unprotect_object(procedure); }
    Value call(const std::vector<Value> &arguments, Result result) override
    {
        SCM list = SCM_EOL;
        for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument) list = scm_cons(write(*argument), list);
        struct Call {
            SCM procedure, list, key, thrown, result;
            bool is_throwing;
        } call = {procedure, list, SCM_BOOL_F, SCM_BOOL_F, SCM_UNSPECIFIED, false};
        // The barrier refuses continuations that would enter or leave frames of C++: those of the procedure later, those of its caller now.
        scm_c_with_continuation_barrier(
            [](void *data) -> void * {
                const auto body = [](void *own) {
                    scm_dynwind_begin(static_cast<scm_t_dynwind_flags>(0));
                    // The barrier does not see a jump to a prompt: it becomes an error while the handler below is still in reach.
                    scm_dynwind_unwind_handler([](void *left) { if (!static_cast<Call *>(left)->is_throwing) scm_misc_error(nullptr, "a function that hpart called must not abort to a prompt of its caller", SCM_EOL); }, own, static_cast<scm_t_wind_flags>(0));
                    const SCM returned = scm_apply_0(static_cast<Call *>(own)->procedure, static_cast<Call *>(own)->list);
                    scm_dynwind_end();
                    return returned;
                };
                const auto before_unwinding = [](void *own, SCM, SCM) {
                    static_cast<Call *>(own)->is_throwing = true;
                    return SCM_UNSPECIFIED;
                };
                const auto handler = [](void *own, SCM key, SCM thrown) {
                    static_cast<Call *>(own)->key = key;
                    static_cast<Call *>(own)->thrown = thrown;
                    return SCM_UNSPECIFIED;
                };
                static_cast<Call *>(data)->result = scm_c_catch(SCM_BOOL_T, body, data, handler, data, before_unwinding, data);
                return nullptr;
            },
            &call);
        if (scm_is_true(call.key)) throw GuileError(call.key, call.thrown);
        return result == Result::ignored ? Value() : read_value(call.result);
    }
    SCM procedure;
};

std::string text_of(SCM value)
{
    size_t length = 0;
    char *bytes = scm_to_stringn(scm_is_symbol(value) ? scm_symbol_to_string(value) : value, &length, "UTF-8", SCM_FAILED_CONVERSION_QUESTION_MARK);
    std::string text(bytes, length);
    free(bytes);
    return text;
}

bool is_text(SCM value) { return scm_is_string(value) || scm_is_symbol(value); }

Value read_list(SCM list)
{
    const Nesting nesting;
    Record record;
    Elements elements;
    for (; scm_is_pair(list); list = scm_cdr(list)) {
        const SCM element = scm_car(list);
        if (scm_is_pair(element) && is_text(scm_car(element)))
            record.push_back({text_of(scm_car(element)), read_value(scm_cdr(element))});
        else if (record.empty())
            elements.add(read_value(element));
        else
            refuse("an association list has an element that is no pair of a key and a value");
    }
    if (!record.empty()) return record;
    return std::move(elements).value();
}

Value read_value(SCM value)
{
    if (value == SCM_UNSPECIFIED || SCM_UNBNDP(value)) return Nothing{};
    if (scm_is_bool(value)) return static_cast<bool>(scm_is_true(value));
    if (scm_is_exact_integer(value)) {
        if (!scm_is_signed_integer(value, INT64_MIN, INT64_MAX)) refuse("an argument is an integer beyond 64 bits");
        return static_cast<int64_t>(scm_to_int64(value));
    }
    if (scm_is_real(value)) return scm_to_double(value);
    if (is_text(value)) return text_of(value);
    if (scm_is_null(value) || (scm_is_pair(value) && scm_ilength(value) >= 0)) return read_list(value);
    if (scm_is_vector(value)) return read_list(scm_vector_to_list(value));
    if (scm_is_typed_array(value, scm_from_utf8_symbol("f64")) || scm_is_typed_array(value, scm_from_utf8_symbol("s64")))
        return read_list(scm_array_to_list(value));
    void *handle = nullptr;
    if (SWIG_IsOK(SWIG_ConvertPtr(value, &handle, SWIGTYPE_p_hpart_languages__Handle, 0)) && handle != nullptr) return *static_cast<Handle *>(handle);
    if (scm_is_true(scm_procedure_p(value))) return Function(std::make_shared<GuileFunction>(value));
    refuse("an argument is of a type that hpart does not take");
}

struct Written {
    SCM operator()(Nothing) const { return SCM_BOOL_F; }
    SCM operator()(bool value) const { return scm_from_bool(value); }
    SCM operator()(int64_t value) const { return scm_from_int64(value); }
    SCM operator()(double value) const { return scm_from_double(value); }
    SCM operator()(const std::string &value) const { return scm_from_stringn(value.data(), value.size(), "UTF-8", SCM_FAILED_CONVERSION_QUESTION_MARK); }
    template <class T> SCM operator()(const std::vector<T> &list) const
    {
        SCM result = SCM_EOL;
        for (auto element = list.rbegin(); element != list.rend(); ++element) result = scm_cons((*this)(*element), result);
        return result;
    }
    SCM operator()(const Record &record) const
    {
        SCM result = SCM_EOL;
        for (auto entry = record.rbegin(); entry != record.rend(); ++entry)
            result = scm_acons(scm_from_utf8_symbol(entry->name.c_str()), write(entry->value), result);
        return result;
    }
    SCM operator()(const Handle &handle) const { return SWIG_NewPointerObj(new Handle(handle), SWIGTYPE_p_hpart_languages__Handle, 1); }
    SCM operator()(const Function &) const { return SCM_BOOL_F; }
    SCM operator()(const Operand &) const { return SCM_BOOL_F; }
};

SCM write(const Value &value) { return std::visit(Written{}, value); }

// The key and the arguments of the error of a failed call; the caller throws them when no object of C++ is left.
SCM error_of(Outcome *outcome)
{
    try {
        if (outcome->exception) std::rethrow_exception(std::exchange(outcome->exception, nullptr));
    } catch (const GuileError &error) {
        return scm_gc_unprotect_object(error.thrown);
    } catch (...) {
    }
    return scm_list_5(scm_from_utf8_symbol("hpart-error"), SCM_BOOL_F, scm_from_utf8_string("~A"), scm_list_1(write(outcome->text)),
                      scm_list_1(scm_from_utf8_symbol(outcome->status.c_str())));
}

SCM result_of(Outcome *outcome)
{
    if (outcome->results.empty()) return SCM_UNSPECIFIED;
    SCM list = SCM_EOL;
    for (auto entry = outcome->results.rbegin(); entry != outcome->results.rend(); ++entry) list = scm_cons(write(entry->value), list);
    outcome->results.clear();
    return scm_is_null(scm_cdr(list)) ? scm_car(list) : scm_values(list);
}

} // namespace

const Language hpart_languages::language = {
    .read =
        [](Argument argument) {
            const SCM value = *reinterpret_cast<SCM *>(argument);
            return scm_is_false(value) ? Value() : read_value(value);
        },
};
%}

%typemap(in) hpart_languages::Argument "$1 = reinterpret_cast<Argument>(&$input);"
%typemap(out) hpart_languages::Outcome * {
    if ($1->has_failed) {
        const SCM error = error_of($1);
        scm_throw(scm_car(error), scm_cdr(error));
    }
    $result = result_of($1);
}
