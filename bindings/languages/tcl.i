// Tcl: lists and dictionaries are arrays and records. A handle is a name, as that of a channel, until its destroy or close. A call returns
// its result, or a list of several.
%begin %{
#include "functions.hpp"
%}
%{
namespace {

thread_local std::map<std::string, Handle> handles; // by name

std::string name_of(const Handle &handle)
{
    thread_local int64_t count = 0;
    thread_local size_t next_cleaning = 64;
    if (handles.size() > next_cleaning) {
        for (auto entry = handles.begin(); entry != handles.end();) entry = entry->second.state->object == nullptr ? handles.erase(entry) : std::next(entry);
        next_cleaning = 2 * handles.size() + 64;
    }
    const std::string name = "hpart::" + handle.state->kind + "#" + std::to_string(++count);
    handles[name] = handle;
    return name;
}

Value read_value(Tcl_Obj *object)
{
    int length = 0;
    const char *text = Tcl_GetStringFromObj(object, &length);
    std::string value(text, static_cast<size_t>(length));
    for (auto zero = value.find("\xC0\x80"); zero != std::string::npos; zero = value.find("\xC0\x80")) value.replace(zero, 2, 1, '\0'); // as Tcl writes it
    const auto found = handles.find(value);
    if (found != handles.end()) return found->second;
    if (value.rfind("hpart::", 0) == 0 && value.find('#') != std::string::npos) refuse(value + " was destroyed");
    return value;
}

std::vector<std::string> split(const std::string &text)
{
    int count = 0;
    const char **words = nullptr;
    if (Tcl_SplitList(nullptr, text.c_str(), &count, &words) != TCL_OK) refuse("the text '" + text.substr(0, 60) + "' is not a list");
    std::vector<std::string> list(words, words + count);
    Tcl_Free(reinterpret_cast<char *>(words));
    return list;
}

Tcl_Obj *write(const Value &value);

struct Written {
    Tcl_Obj *operator()(Nothing) const { return Tcl_NewObj(); }
    Tcl_Obj *operator()(bool value) const { return Tcl_NewBooleanObj(value); }
    Tcl_Obj *operator()(int64_t value) const { return Tcl_NewWideIntObj(value); }
    Tcl_Obj *operator()(double value) const { return Tcl_NewDoubleObj(value); }
    Tcl_Obj *operator()(const std::string &value) const { return Tcl_NewStringObj(value.data(), static_cast<int>(value.size())); }
    template <class T> Tcl_Obj *operator()(const std::vector<T> &list) const
    {
        Tcl_Obj *object = Tcl_NewListObj(0, nullptr);
        for (const T element : list) Tcl_ListObjAppendElement(nullptr, object, (*this)(element));
        return object;
    }
    Tcl_Obj *operator()(const Record &record) const
    {
        Tcl_Obj *object = Tcl_NewDictObj();
        for (const Entry &entry : record) Tcl_DictObjPut(nullptr, object, (*this)(entry.name), write(entry.value));
        return object;
    }
    Tcl_Obj *operator()(const Handle &handle) const { return (*this)(name_of(handle)); }
    Tcl_Obj *operator()(const Function &) const { return Tcl_NewObj(); }
    Tcl_Obj *operator()(const Operand &) const { return Tcl_NewObj(); }
};

Tcl_Obj *write(const Value &value) { return std::visit(Written{}, value); }

int set_result(Tcl_Interp *interp, Outcome *outcome)
{
    if (outcome->has_failed) {
        Tcl_SetErrorCode(interp, "HPART", outcome->status.c_str(), nullptr);
        Tcl_SetObjResult(interp, write(outcome->text));
        return TCL_ERROR;
    }
    Tcl_Obj *result = outcome->results.size() == 1 ? write(outcome->results.front().value) : Tcl_NewListObj(0, nullptr);
    if (outcome->results.size() > 1)
        for (const Entry &entry : outcome->results) Tcl_ListObjAppendElement(nullptr, result, write(entry.value));
    outcome->results.clear();
    Tcl_SetObjResult(interp, result);
    return TCL_OK;
}

} // namespace

const Language hpart_languages::language = {
    .has_typed_text = false,
    .has_nothing = false,
    .read = [](Argument argument) { return read_value(reinterpret_cast<Tcl_Obj *>(argument)); },
    .split = split,
};
%}

%typemap(in) hpart_languages::Argument "$1 = reinterpret_cast<Argument>($input);"
%typemap(out) hpart_languages::Outcome * "if (set_result(interp, $1) != TCL_OK) SWIG_fail;"
