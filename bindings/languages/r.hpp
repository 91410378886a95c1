// R's objects in C++: kept from the collector, their texts, and R's jumps as exceptions.
#pragma once

#include "values.hpp"

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <Rinternals.h>

#include <csetjmp>

namespace hpart_languages
{

// Kept from the collector until the end of the block.
struct Protected {
    Protected(SEXP object) : object(PROTECT(object)) {}
    Protected(const Protected &) = delete;
    Protected &operator=(const Protected &) = delete;
    ~Protected() { UNPROTECT(1); }
    operator SEXP() const { return object; }
    SEXP object;
};

inline std::string utf8_of(SEXP text)
{
    if (Rf_getCharCE(text) == CE_BYTES) refuse("a text has the encoding \"bytes\"; it must have characters");
    return Rf_translateCharUTF8(text);
}

inline SEXP text_of(const std::string &text)
{
    return Rf_mkCharLenCE(text.data(), static_cast<int>(text.size()), CE_UTF8);
}

// A jump of R's on its way out through the library's call: an error, an interrupt, a restart. hpart_call goes on with it.
struct Jump : std::exception {
    explicit Jump(SEXP token) : token(token) {}
    SEXP token;
};

// The value of a body that may jump.
template <class Body> SEXP evaluated(Body body)
{
    SEXP token = R_MakeUnwindCont();
    R_PreserveObject(token);
    std::jmp_buf place;
    if (setjmp(place) != 0) throw Jump(token);
    const auto call = [](void *own) { return (*static_cast<Body *>(own))(); };
    const auto leave = [](void *to, Rboolean jumps) {
        if (jumps) std::longjmp(*static_cast<std::jmp_buf *>(to), 1);
    };
    SEXP result = R_UnwindProtect(call, &body, leave, &place, token);
    R_ReleaseObject(token);
    return result;
}

} // namespace hpart_languages
