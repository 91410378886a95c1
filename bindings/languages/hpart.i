// The functions of hpart.h for Lua, Perl, Tcl, Ruby and Guile, in a module hpart, without the prefix hpart_. SWIG registers the functions of
// functions.hpp, which take and return any object of the language. The language's file has two typemaps: an object becomes an
// Argument, and the end of a call its results or the language's error.
%module hpart

%{
#include "functions.hpp"

using namespace hpart_languages;
%}

%feature("compactdefaultargs");
%nodefaultctor;
namespace hpart_languages {
typedef struct Object *Argument;
struct Outcome;
struct Handle {
    ~Handle();
};
}

#if defined(SWIGLUA)
%include "lua.i"
#elif defined(SWIGPERL)
%include "perl.i"
#elif defined(SWIGTCL)
%include "tcl.i"
#elif defined(SWIGRUBY)
%include "ruby.i"
#elif defined(SWIGGUILE)
%include "guile.i"
#endif

%include "functions.hpp"
