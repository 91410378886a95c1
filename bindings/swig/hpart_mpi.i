// The functions of hpart_mpi.h, for bindings/python/hpart/mpi.py: a module of its own, because only programs of MPI load MPI. Handles are
// those of _hpart. A communicator comes as the integer that Fortran has for it.
%module _hpart_mpi

%{
#define PY_SSIZE_T_CLEAN
#include <hpart_mpi.h>
%}

%include <stdint.i>
%include "python_buffers.i"
HPART_BUFFER(int *, "i", 1)
%import <hpart.h>
%import <hpart/partition.h>
%import <hpart/team.h>
%import <hpart/meter.h>
%import <hpart/operations.h>
%import <hpart/adaptive.h>

%typemap(in) MPI_Comm {
    long number = PyLong_AsLong($input);
    if (number == -1 && PyErr_Occurred()) SWIG_fail;
    $1 = MPI_Comm_f2c((MPI_Fint)number);
}

%define HPART_MPI_MADE(handle, name)
%typemap(in, numinputs=0) handle **name (handle *made = NULL) "$1 = &made;"
%typemap(argout) handle **name {
    PyObject *object = *$1 ? SWIG_NewPointerObj(*$1, $descriptor(handle *), 0) : Py_NewRef(Py_None);
    %append_output(object);
}
%enddef
HPART_MPI_MADE(hpart_report, report)
HPART_MPI_MADE(hpart_front, front)
HPART_MPI_MADE(hpart_platform, all)
HPART_MPI_MADE(hpart_platform, measured)

%include <hpart_mpi.h>
