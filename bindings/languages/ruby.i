// Ruby: module Hpart. Arrays and hashes are arrays and records; a call returns its result, or an array of several. Errors are Hpart::Error,
// with the name of the status.
%begin %{
#include "functions.hpp"
%}
%{
namespace {

VALUE write(const Value &value);
Value read_value(VALUE value);
VALUE error_class = Qnil;
VALUE raised = Qnil; // by a function of the user's; kept from the collector
int jump = 0;        // the state of a throw or a return from it, for rb_jump_tag

struct RubyError : std::exception {};

// Runs body; an exception of Ruby's becomes RubyError.
template <class Body> VALUE guarded(Body &&body)
{
    int state = 0;
    const VALUE result = rb_protect([](VALUE data) -> VALUE { return (*reinterpret_cast<Body *>(data))(); }, reinterpret_cast<VALUE>(&body), &state);
    if (state == 0) return result;
    // After a throw the error information is an inner object of Ruby's, which has no class.
    const VALUE error = rb_errinfo();
    if (!RB_TYPE_P(error, T_IMEMO) && rb_obj_is_kind_of(error, rb_eException)) {
        raised = error;
        rb_set_errinfo(Qnil);
    } else {
        jump = state; // its error information stays for rb_jump_tag
    }
    throw RubyError();
}

struct RubyFunction : Callable {
    explicit RubyFunction(VALUE object) : object(object) { rb_gc_register_address(&this->object); }
    ~RubyFunction() override { rb_gc_unregister_address(&object); }
    Value call(const std::vector<Value> &arguments, Result result) override
    {
        const VALUE list = write_list(arguments);
        const VALUE returned = guarded([&] { return rb_funcallv(object, rb_intern("call"), static_cast<int>(RARRAY_LEN(list)), RARRAY_CONST_PTR(list)); });
        return result == Result::ignored ? Value() : read_value(returned);
    }
    static VALUE write_list(const std::vector<Value> &values)
    {
        const VALUE list = rb_ary_new();
        for (const Value &value : values) rb_ary_push(list, write(value));
        return list;
    }
    VALUE object;
};

Value read_integer(VALUE value)
{
    int64_t integer = 0;
    const int sign = rb_integer_pack(value, &integer, 1, sizeof integer, 0, INTEGER_PACK_2COMP | INTEGER_PACK_NATIVE_BYTE_ORDER);
    if (sign == 2 || sign == -2 || (sign > 0 && integer < 0) || (sign < 0 && integer >= 0)) refuse("an argument is an integer beyond 64 bits");
    return integer;
}

std::string text_of(VALUE value)
{
    const VALUE text = RB_SYMBOL_P(value) ? rb_sym2str(value) : value;
    return std::string(RSTRING_PTR(text), static_cast<size_t>(RSTRING_LEN(text)));
}

Value read_value(VALUE value)
{
    if (RB_NIL_P(value)) return Nothing{};
    if (value == Qtrue || value == Qfalse) return value == Qtrue;
    if (RB_INTEGER_TYPE_P(value)) return read_integer(value);
    if (RB_FLOAT_TYPE_P(value)) return RFLOAT_VALUE(value);
    if (RB_SYMBOL_P(value) || RB_TYPE_P(value, T_STRING)) return text_of(value);
    if (RB_TYPE_P(value, T_ARRAY)) {
        const Nesting nesting;
        Elements elements;
        for (long i = 0; i < RARRAY_LEN(value); ++i) elements.add(read_value(rb_ary_entry(value, i)));
        return std::move(elements).value();
    }
    if (RB_TYPE_P(value, T_HASH)) {
        const Nesting nesting;
        const VALUE pairs = guarded([&] { return rb_funcall(value, rb_intern("to_a"), 0); });
        Record record;
        for (long i = 0; i < RARRAY_LEN(pairs); ++i) {
            const VALUE key = rb_ary_entry(rb_ary_entry(pairs, i), 0);
            if (!RB_SYMBOL_P(key) && !RB_TYPE_P(key, T_STRING)) refuse("a hash has a key that is neither a symbol nor a text");
            record.push_back({text_of(key), read_value(rb_ary_entry(rb_ary_entry(pairs, i), 1))});
        }
        return record;
    }
    void *handle = nullptr;
    if (SWIG_IsOK(SWIG_ConvertPtr(value, &handle, SWIGTYPE_p_hpart_languages__Handle, 0)) && handle != nullptr) return *static_cast<Handle *>(handle);
    if (RTEST(guarded([&] { return rb_respond_to(value, rb_intern("call")) ? Qtrue : Qfalse; }))) return Function(std::make_shared<RubyFunction>(value));
    refuse(std::string("an argument is of Ruby's class ") + rb_obj_classname(value) + ", which hpart does not take");
}

struct Written {
    VALUE operator()(Nothing) const { return Qnil; }
    VALUE operator()(bool value) const { return value ? Qtrue : Qfalse; }
    VALUE operator()(int64_t value) const { return LL2NUM(value); }
    VALUE operator()(double value) const { return DBL2NUM(value); }
    VALUE operator()(const std::string &value) const { return rb_utf8_str_new(value.data(), static_cast<long>(value.size())); }
    template <class T> VALUE operator()(const std::vector<T> &list) const
    {
        const VALUE array = rb_ary_new_capa(static_cast<long>(list.size()));
        for (const T element : list) rb_ary_push(array, (*this)(element));
        return array;
    }
    VALUE operator()(const Record &record) const
    {
        const VALUE hash = rb_hash_new();
        for (const Entry &entry : record) rb_hash_aset(hash, ID2SYM(rb_intern(entry.name.c_str())), write(entry.value));
        return hash;
    }
    VALUE operator()(const Handle &handle) const
    {
        return SWIG_NewPointerObj(new Handle(handle), SWIGTYPE_p_hpart_languages__Handle, SWIG_POINTER_OWN);
    }
    VALUE operator()(const Function &) const { return Qnil; }
    VALUE operator()(const Operand &) const { return Qnil; }
};

VALUE write(const Value &value) { return std::visit(Written{}, value); }

// The exception of a failed call; the caller raises it when no object of C++ is left.
VALUE exception_of(Outcome *outcome)
{
    try {
        if (outcome->exception) std::rethrow_exception(std::exchange(outcome->exception, nullptr));
    } catch (const RubyError &) {
        return std::exchange(raised, Qnil);
    } catch (...) {
    }
    const VALUE error = rb_exc_new_str(error_class, write(outcome->text));
    rb_ivar_set(error, rb_intern("@status"), write(outcome->status));
    return error;
}

VALUE result_of(Outcome *outcome)
{
    VALUE result = Qnil;
    if (outcome->results.size() == 1) result = write(outcome->results.front().value);
    if (outcome->results.size() > 1) {
        result = rb_ary_new();
        for (const Entry &entry : outcome->results) rb_ary_push(result, write(entry.value));
    }
    outcome->results.clear();
    return result;
}

} // namespace

const Language hpart_languages::language = {
    .read = [](Argument argument) { return read_value(*reinterpret_cast<VALUE *>(argument)); },
    .poll =
        [] {
            guarded([] {
                rb_thread_check_ints();
                return Qnil;
            });
        },
};
%}

%init %{
    rb_gc_register_address(&raised);
    error_class = rb_define_class_under(mHpart, "Error", rb_eStandardError);
    rb_define_attr(error_class, "status", 1, 0);
%}

%typemap(in) hpart_languages::Argument "$1 = reinterpret_cast<Argument>(&$input);"
%typemap(out) hpart_languages::Outcome * {
    const VALUE error = $1->has_failed ? exception_of($1) : Qnil;
    if (jump != 0) rb_jump_tag(std::exchange(jump, 0));
    if (error != Qnil) rb_exc_raise(error);
    $result = result_of($1);
}
