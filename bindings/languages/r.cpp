// R: the package's one entry point. Vectors are doubles; results are the value itself, or a named list of several; an error is returned as
// a condition, which the package's R signals. SWIG's R functions would have no optional arguments.
#include "r.hpp"

#include "functions.hpp"

#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>

#include <algorithm>
#include <cstring>

using namespace hpart_languages;

namespace
{

SEXP write(const Value &value);
Value read_value(SEXP object);
SEXP tag() { return Rf_install("hpart_handle"); }

struct RFunction : Callable {
    explicit RFunction(SEXP object) : object(object) { R_PreserveObject(object); }
    ~RFunction() override { R_ReleaseObject(object); }
    Value call(const std::vector<Value> &arguments, Result wanted) override
    {
        const Protected list = Rf_allocVector(VECSXP, static_cast<R_xlen_t>(arguments.size()));
        for (size_t i = 0; i < arguments.size(); ++i)
            SET_VECTOR_ELT(list, static_cast<R_xlen_t>(i), write(arguments[i]));
        const Protected pairs = Rf_coerceVector(list, LISTSXP);
        const Protected expression = Rf_lcons(object, pairs);
        const Protected result = evaluated([&] { return Rf_eval(expression, R_GlobalEnv); });
        return wanted == Result::ignored ? Value() : read_value(result);
    }
    SEXP object;
};

// A matrix row by row, a vector as it is.
template <class List, class Element> List elements(SEXP object, const Element &element)
{
    const R_xlen_t length = Rf_xlength(object);
    const bool is_matrix = Rf_isMatrix(object) && Rf_nrows(object) > 1 && Rf_ncols(object) > 1;
    const R_xlen_t rows = is_matrix ? Rf_nrows(object) : length;
    const R_xlen_t columns = is_matrix ? Rf_ncols(object) : 1;
    List list;
    list.reserve(static_cast<size_t>(length));
    for (R_xlen_t i = 0; i < rows; ++i)
        for (R_xlen_t j = 0; j < columns; ++j) list.push_back(element(i + j * rows));
    return list;
}

template <class List> Value simplified(List list)
{
    if (list.size() == 1) return list.front();
    return list;
}

Value read_list(SEXP object)
{
    const Nesting nesting;
    SEXP names = Rf_getAttrib(object, R_NamesSymbol);
    const R_xlen_t length = Rf_xlength(object);
    Record record;
    Elements list;
    for (R_xlen_t i = 0; i < length; ++i) {
        Value value = read_value(VECTOR_ELT(object, i));
        const bool is_number = std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
        if (names == R_NilValue && i == 0 && is_number)
            refuse("an argument is a list of numbers; it must be a vector, as c(1, 2)");
        if (names == R_NilValue)
            list.add(value);
        else
            record.push_back({utf8_of(STRING_ELT(names, i)), std::move(value)});
    }
    if (names == R_NilValue && length > 0) return std::move(list).value();
    return record;
}

Value read_value(SEXP object)
{
    for (const char *date : {"Date", "POSIXct", "difftime"})
        if (Rf_inherits(object, date))
            refuse(std::string("an argument is of R's class ") + date + "; it must be a vector of numbers");
    switch (TYPEOF(object)) {
    case NILSXP: return Nothing{};
    case LGLSXP:
        for (R_xlen_t i = 0; i < Rf_xlength(object); ++i)
            if (LOGICAL(object)[i] == NA_LOGICAL) refuse("an argument has NA; it must have numbers");
        if (Rf_xlength(object) != 1) refuse("an argument is a logical vector; it must be a vector of numbers");
        return LOGICAL(object)[0] != 0;
    case INTSXP:
        if (Rf_inherits(object, "factor")) refuse("an argument is a factor; it must be a vector of numbers");
        return simplified(elements<Integers>(object, [&](R_xlen_t i) -> int64_t {
            if (INTEGER(object)[i] == NA_INTEGER) refuse("an argument has NA; it must have numbers");
            return INTEGER(object)[i];
        }));
    case REALSXP:
        if (Rf_inherits(object, "integer64")) // of package bit64: the bits of an int64
            return simplified(elements<Integers>(object, [&](R_xlen_t i) {
                int64_t value = 0;
                std::memcpy(&value, REAL(object) + i, sizeof value);
                if (value == INT64_MIN) refuse("an argument has NA; it must have numbers");
                return value;
            }));
        return simplified(elements<Numbers>(object, [&](R_xlen_t i) { return REAL(object)[i]; }));
    case STRSXP: {
        auto texts = elements<Record>(object, [&](R_xlen_t i) -> Entry {
            if (STRING_ELT(object, i) == NA_STRING) refuse("an argument has NA; it must have texts");
            return {"", utf8_of(STRING_ELT(object, i))};
        });
        if (texts.empty()) refuse("an argument is a vector of no texts");
        return texts.size() == 1 ? texts.front().value : texts;
    }
    case VECSXP: return read_list(object);
    case CLOSXP:
    case BUILTINSXP:
    case SPECIALSXP: return Function(std::make_shared<RFunction>(object));
    case EXTPTRSXP:
        if (R_ExternalPtrTag(object) != tag()) break;
        if (R_ExternalPtrAddr(object) == nullptr) refuse("a handle is of another session; make it again");
        return *static_cast<Handle *>(R_ExternalPtrAddr(object));
    default: break;
    }
    refuse(std::string("an argument is of R's type ") + Rf_type2char(TYPEOF(object)) + ", which hpart does not take");
}

Operand held(SEXP object, std::vector<int64_t> dims)
{
    R_PreserveObject(object);
    Operand array;
    array.type = TYPEOF(object) == CPLXSXP ? 'z' : 'd';
    array.dims = std::move(dims);
    array.data = TYPEOF(object) == CPLXSXP ? static_cast<void *>(COMPLEX(object)) : REAL(object);
    array.object = {object, R_ReleaseObject};
    return array;
}

Operand read_array(SEXP object)
{
    if (object == R_NilValue) return {};
    if ((!Rf_isNumeric(object) && !Rf_isLogical(object) && TYPEOF(object) != CPLXSXP) ||
        Rf_inherits(object, "integer64"))
        refuse(std::string("an array is of R's type ") + Rf_type2char(TYPEOF(object)) + "; it must be of numbers");
    const Protected shape = Rf_coerceVector(Rf_getAttrib(object, R_DimSymbol), INTSXP);
    std::vector<int64_t> dims(INTEGER(shape), INTEGER(shape) + Rf_xlength(shape));
    if (dims.empty()) dims.push_back(Rf_xlength(object));
    const Protected numbers =
        TYPEOF(object) == CPLXSXP ? object : evaluated([&] { return Rf_coerceVector(object, REALSXP); });
    return held(numbers, std::move(dims));
}

Operand new_array(char type, const std::vector<int64_t> &dims)
{
    const SEXPTYPE kind = type == 'z' ? CPLXSXP : REALSXP;
    const Protected shape = Rf_allocVector(INTSXP, static_cast<R_xlen_t>(dims.size()));
    std::copy(dims.begin(), dims.end(), INTEGER(shape));
    const Protected object =
        evaluated([&] { return dims.size() > 1 ? Rf_allocArray(kind, shape) : Rf_allocVector(kind, dims.at(0)); });
    const R_xlen_t length = Rf_xlength(object);
    Operand array = held(object, dims);
    if (length > 0)
        std::memset(array.data, 0, static_cast<size_t>(length) * (type == 'z' ? sizeof(Rcomplex) : sizeof(double)));
    return array;
}

void free_handle(SEXP object)
{
    delete static_cast<Handle *>(R_ExternalPtrAddr(object));
    R_ClearExternalPtr(object);
}

struct Written {
    SEXP operator()(Nothing) const { return R_NilValue; }
    SEXP operator()(bool value) const { return Rf_ScalarLogical(value); }
    SEXP operator()(int64_t value) const { return Rf_ScalarReal(static_cast<double>(value)); }
    SEXP operator()(double value) const { return Rf_ScalarReal(value); }
    SEXP operator()(const std::string &value) const { return Rf_ScalarString(text_of(value)); }
    template <class T> SEXP operator()(const std::vector<T> &list) const
    {
        SEXP vector = Rf_allocVector(REALSXP, static_cast<R_xlen_t>(list.size()));
        for (size_t i = 0; i < list.size(); ++i) REAL(vector)[i] = static_cast<double>(list[i]);
        return vector;
    }
    SEXP operator()(const Record &record) const
    {
        const auto length = static_cast<R_xlen_t>(record.size());
        const Protected list = Rf_allocVector(VECSXP, length);
        const Protected names = Rf_allocVector(STRSXP, length);
        for (R_xlen_t i = 0; i < length; ++i) {
            SET_STRING_ELT(names, i, text_of(record[i].name));
            SET_VECTOR_ELT(list, i, write(record[i].value));
        }
        Rf_setAttrib(list, R_NamesSymbol, names);
        return list;
    }
    SEXP operator()(const Handle &handle) const
    {
        const Protected object = R_MakeExternalPtr(new Handle(handle), tag(), R_NilValue);
        R_RegisterCFinalizerEx(object, free_handle, TRUE);
        const Protected classes = Rf_allocVector(STRSXP, 2);
        SET_STRING_ELT(classes, 0, text_of("hpart_" + handle.state->kind));
        SET_STRING_ELT(classes, 1, Rf_mkChar("hpart"));
        Rf_setAttrib(object, R_ClassSymbol, classes);
        return object;
    }
    SEXP operator()(const Function &) const { return R_NilValue; }
    SEXP operator()(const Operand &array) const { return static_cast<SEXP>(array.object.get()); }
};

SEXP write(const Value &value) { return std::visit(Written{}, value); }

// The package's .call signals a failure of the library's; a jump of R's goes on.
SEXP failure(Outcome &outcome)
{
    SEXP token = nullptr;
    try {
        if (outcome.exception) std::rethrow_exception(std::exchange(outcome.exception, nullptr));
    } catch (const Jump &jump) {
        token = jump.token;
    } catch (...) {
    }
    if (token != nullptr) {
        PROTECT(token);
        R_ReleaseObject(token);
        R_ContinueUnwind(token);
    }
    const Protected object = write(Record{{"message", outcome.text}, {"status", outcome.status}});
    Rf_setAttrib(object, R_ClassSymbol, Rf_mkString("hpart_failure"));
    return object;
}

// list: all arguments, NULL for those that are not given. Options may stand before their place.
Outcome *called(const std::string &name, SEXP list)
{
    std::vector<Argument> arguments;
    for (R_xlen_t i = 0; i < Rf_xlength(list); ++i)
        arguments.push_back(reinterpret_cast<Argument>(VECTOR_ELT(list, i)));
    const auto is_given = [](Argument argument) { return reinterpret_cast<SEXP>(argument) != R_NilValue; };
    const auto last = std::find_if(arguments.rbegin(), arguments.rend(), is_given);
    if (last != arguments.rend() && TYPEOF(reinterpret_cast<SEXP>(*last)) == VECSXP &&
        Rf_getAttrib(reinterpret_cast<SEXP>(*last), R_NamesSymbol) != R_NilValue)
        std::swap(*last, arguments.back());
    return std::find_if(routines, std::end(routines), [&](auto &one) { return one.name == name; })
        ->call(arguments.data());
}

} // namespace

const Language hpart_languages::language = {
    .first_index = 1,
    .has_doubles_only = true,
    .read = [](Argument argument) { return read_value(reinterpret_cast<SEXP>(argument)); },
    .read_array = [](Argument argument) { return read_array(reinterpret_cast<SEXP>(argument)); },
    .new_array = new_array,
    .poll =
        [] {
            evaluated([] {
                R_CheckUserInterrupt();
                return R_NilValue;
            });
        },
};

extern "C" {

__attribute__((visibility("default"))) SEXP hpart_call(SEXP name, SEXP list)
{
    Outcome *outcome = called(CHAR(STRING_ELT(name, 0)), list);
    if (outcome->has_failed) return failure(*outcome);
    const Protected result = outcome->results.empty()       ? R_NilValue
                             : outcome->results.size() == 1 ? write(outcome->results.front().value)
                                                            : write(outcome->results);
    outcome->results.clear();
    return result;
}

__attribute__((visibility("default"))) SEXP hpart_shown(SEXP object)
{
    if (TYPEOF(object) != EXTPTRSXP || R_ExternalPtrTag(object) != tag()) return Rf_mkString("<no handle of hpart>");
    const auto *handle = static_cast<const Handle *>(R_ExternalPtrAddr(object));
    return Rf_ScalarString(text_of(handle == nullptr ? "<hpart handle of another session>" : shown(*handle)));
}

__attribute__((visibility("default"))) void R_init_hpart(DllInfo *library)
{
    static const R_CallMethodDef methods[] = {{"hpart_call", reinterpret_cast<DL_FUNC>(hpart_call), 2},
                                              {"hpart_shown", reinterpret_cast<DL_FUNC>(hpart_shown), 1},
                                              {nullptr, nullptr, 0}};
    R_registerRoutines(library, nullptr, methods, nullptr, nullptr);
    R_useDynamicSymbols(library, FALSE);
}
}
