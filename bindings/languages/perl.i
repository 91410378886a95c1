// Perl: references to arrays and hashes are arrays and records. A call returns a list, in scalar context its first element. A text may be
// a number, as everywhere in Perl.
%begin %{
#include "functions.hpp"
%}
%{
namespace {

void put(pTHX_ SV *place, const Value &value);
Value read_value(pTHX_ SV *value);

// What a function of the user's died with.
struct PerlError : std::exception {
    explicit PerlError(SV *value) : value(value) {}
    SV *value;
};

struct PerlFunction : Callable {
    explicit PerlFunction(SV *code) : code(code) {}
    ~PerlFunction() override
    {
        dTHX;
        SvREFCNT_dec(code);
    }
    Value call(const std::vector<Value> &arguments, Result wanted) override
    {
        dTHX;
        dSP;
        PUSHSTACKi(PERLSI_UNKNOWN); // no loop or label of the caller's is in reach
        ENTER;
        SAVETMPS;
        PUSHMARK(SP);
        for (const Value &argument : arguments) {
            SV *place = sv_newmortal();
            put(aTHX_ place, argument);
            XPUSHs(place);
        }
        PUTBACK;
        call_sv(code, G_SCALAR | G_EVAL);
        SPAGAIN;
        SV *result = POPs;
        SV *error = SvTRUE(ERRSV) ? newSVsv(ERRSV) : nullptr;
        Value value;
        std::exception_ptr failure;
        try {
            if (error == nullptr && wanted == Result::wanted) value = read_value(aTHX_ result);
        } catch (...) {
            failure = std::current_exception();
        }
        PUTBACK;
        FREETMPS;
        LEAVE;
        POPSTACK;
        if (error != nullptr) throw PerlError(error);
        if (failure) std::rethrow_exception(failure);
        return value;
    }
    SV *code;
};

Value read_reference(pTHX_ SV *value)
{
    void *handle = nullptr;
    if (SWIG_IsOK(SWIG_ConvertPtr(value, &handle, SWIGTYPE_p_hpart_languages__Handle, 0)) && handle != nullptr) return *static_cast<Handle *>(handle);
    const Nesting nesting;
    SV *target = SvRV(value);
    if (SvTYPE(target) == SVt_PVAV) {
        auto *array = reinterpret_cast<AV *>(target);
        Elements elements;
        for (SSize_t i = 0; i <= av_len(array); ++i) {
            SV **element = av_fetch(array, i, 0);
            elements.add(element == nullptr ? Value() : read_value(aTHX_ *element));
        }
        return std::move(elements).value();
    }
    if (SvTYPE(target) == SVt_PVHV) {
        auto *hash = reinterpret_cast<HV *>(target);
        Record record;
        hv_iterinit(hash);
        while (HE *entry = hv_iternext(hash)) {
            STRLEN length = 0;
            const char *key = HePV(entry, length);
            record.push_back({std::string(key, length), read_value(aTHX_ HeVAL(entry))});
        }
        return record;
    }
    if (SvTYPE(target) == SVt_PVCV) return Function(std::make_shared<PerlFunction>(newSVsv(value)));
    refuse(std::string("an argument is a reference of Perl's type ") + sv_reftype(target, 1) + ", which hpart does not take");
}

Value read_value(pTHX_ SV *value)
{
    SvGETMAGIC(value);
    if (SvROK(value)) return read_reference(aTHX_ value);
    if (!SvOK(value)) return Nothing{};
    if (SvIOK(value)) {
        if (SvIsUV(value) && SvUVX(value) > static_cast<UV>(INT64_MAX)) refuse("an argument is " + std::to_string(SvUVX(value)) + ", above 2^63 - 1");
        return static_cast<int64_t>(SvIVX(value));
    }
    if (SvNOK(value)) return static_cast<double>(SvNVX(value));
    STRLEN length = 0;
    const char *text = SvPV_nomg(value, length);
    return std::string(text, length);
}

struct Written {
    SV *place;
    PerlInterpreter *my_perl;
    void operator()(Nothing) const { sv_setsv(place, &PL_sv_undef); }
    void operator()(bool value) const { sv_setiv(place, value); }
    void operator()(int64_t value) const { sv_setiv(place, value); }
    void operator()(double value) const { sv_setnv(place, value); }
    void operator()(const std::string &value) const
    {
        sv_setpvn(place, value.data(), value.size());
        if (is_utf8_string(reinterpret_cast<const U8 *>(value.data()), value.size())) SvUTF8_on(place);
    }
    template <class T> void operator()(const std::vector<T> &list) const
    {
        AV *array = newAV();
        for (const T element : list) {
            SV *own = newSV(0);
            Written{own, my_perl}(element);
            av_push(array, own);
        }
        refer(reinterpret_cast<SV *>(array));
    }
    void operator()(const Record &record) const
    {
        HV *hash = newHV();
        for (const Entry &entry : record) {
            SV *own = newSV(0);
            put(aTHX_ own, entry.value);
            (void)hv_store(hash, entry.name.c_str(), static_cast<I32>(entry.name.size()), own, 0);
        }
        refer(reinterpret_cast<SV *>(hash));
    }
    void operator()(const Handle &handle) const
    {
        sv_setsv(place, SWIG_NewPointerObj(new Handle(handle), SWIGTYPE_p_hpart_languages__Handle, SWIG_POINTER_OWN | SWIG_SHADOW));
    }
    void operator()(const Function &) const { sv_setsv(place, &PL_sv_undef); }
    void operator()(const Operand &) const { sv_setsv(place, &PL_sv_undef); }
    void refer(SV *target) const
    {
        SV *reference = newRV_noinc(target);
        sv_setsv(place, reference);
        SvREFCNT_dec(reference);
    }
};

void put(pTHX_ SV *place, const Value &value) { std::visit(Written{place, aTHX}, value); }

// Puts the error into $@.
void set_error(pTHX_ Outcome *outcome)
{
    try {
        if (outcome->exception) std::rethrow_exception(std::exchange(outcome->exception, nullptr));
    } catch (const PerlError &error) {
        sv_setsv(ERRSV, error.value);
        SvREFCNT_dec(error.value);
        return;
    } catch (...) {
    }
    sv_setsv(ERRSV, mess_sv(sv_2mortal(newSVpvf("hpart %s: %s", outcome->status.c_str(), outcome->text.c_str())), 0));
}

} // namespace

const Language hpart_languages::language = {
    .has_typed_text = false,
    .read =
        [](Argument argument) {
            dTHX;
            return read_value(aTHX_ reinterpret_cast<SV *>(argument));
        },
};
%}

// The methods of SWIG's base class belong to the class of handles; the package has functions only.
%perlcode %{
*{"hpart::Handle::$_"} = delete $hpart::{$_} for qw(CLEAR FETCH FIRSTKEY NEXTKEY STORE TIEHASH this);
# A handle belongs to its thread: in others its copy is undefined.
sub hpart::Handle::CLONE_SKIP { 1 }
%}

%typemap(in) hpart_languages::Argument "$1 = reinterpret_cast<Argument>($input);"
%typemap(out) hpart_languages::Outcome * {
    if ($1->has_failed) {
        set_error(aTHX_ $1);
        croak_sv(ERRSV); // SWIG's croak would make a text of it
    }
    SPAGAIN;
    EXTEND(SP, static_cast<SSize_t>($1->results.size()));
    for (const Entry &entry : $1->results) {
        if (argvi > 0 && GIMME_V != G_LIST) break;
        ST(argvi) = sv_newmortal();
        put(aTHX_ ST(argvi), entry.value);
        ++argvi;
    }
    $1->results.clear();
}
