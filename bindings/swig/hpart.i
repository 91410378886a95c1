// The functions of hpart.h as they are, for the package around them (bindings/python/hpart). In Python:
//   - a pointer to numbers is None or an object with a contiguous buffer of just that type (a numpy array); nothing is copied;
//   - a char buffer that is written is None or a bytearray;
//   - a handle that is made comes back after the status, None when there is none;
//   - a callback and its user pointer are one object with a method call(...) and an attribute error.
%module _hpart

%{
#define PY_SSIZE_T_CLEAN
#include <hpart.h>
%}

%include <stdint.i>

#ifdef SWIGPYTHON
%include "python_text.i"
%include "python_buffers.i"
%include "python_callbacks.i"
%include "python_operations.i"
#endif

// A status is a plain number here: the package turns it into an exception, after it has taken what HPART_ERR_LIMIT leaves.
%define HPART_MADE(handle, name)
%typemap(in, numinputs=0) handle **name (handle *made = NULL) "$1 = &made;"
%typemap(argout) handle **name {
    PyObject *object = *$1 ? SWIG_NewPointerObj(*$1, $descriptor(handle *), 0) : Py_NewRef(Py_None);
    %append_output(object);
}
%enddef

// Handles that come back, operands, and the calls during which other threads of Python run.
%include "hpart_generated.i"
%include <hpart.h>
%include <hpart/partition.h>
%include <hpart/team.h>
%include <hpart/meter.h>
%include <hpart/operations.h>
%include <hpart/adaptive.h>
