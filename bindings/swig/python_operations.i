// Operands of the operations: arrays whose rows or columns may be apart (the package tells their leading dimension), complex
// ones as void pointers whose precision is in the function's name, alpha and beta as Python's numbers, pinned memory as its address.
%{
/* As hpart_get_buffer, but whatever the strides. */
static int hpart_get_operand(PyObject *object, Py_buffer *view, const char *format, int writable)
{
    const char *found;
    if (object == Py_None) return 0;
    if (PyObject_GetBuffer(object, view, PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) != 0) return -1;
    found = view->format ? view->format : "B";
    if (*found == '@' || *found == '=' || *found == '<') ++found;
    if (strcmp(found, format) == 0) return 0;
    PyErr_Format(PyExc_TypeError, "the elements are of format %s; they must be of format %s", found, format);
    PyBuffer_Release(view);
    return -1;
}

/* "hpart_cgemm" works on float, "hpart_zgemm" on double. */
static int hpart_is_single(const char *function) { return function[6] == 'c'; }

static int hpart_get_number(PyObject *object, double *two_doubles, float *two_floats)
{
    Py_complex number = PyComplex_AsCComplex(object);
    if (PyErr_Occurred()) return -1;
    two_doubles[0] = number.real;
    two_doubles[1] = number.imag;
    two_floats[0] = (float)number.real;
    two_floats[1] = (float)number.imag;
    return 0;
}
%}

%define HPART_OPERAND(declaration, format, writable)
%typemap(in) declaration (Py_buffer view = {0}) {
    if (hpart_get_operand($input, &view, format, writable) != 0) SWIG_fail;
    $1 = ($1_ltype)view.buf;
}
%typemap(freearg) declaration "if (view$argnum.obj) PyBuffer_Release(&view$argnum);"
%typemap(argout) declaration ""
%enddef
%define HPART_OPERANDS(name)
HPART_OPERAND(const float *name, "f", 0)
HPART_OPERAND(const double *name, "d", 0)
HPART_OPERAND(const void *name, hpart_is_single("$symname") ? "Zf" : "Zd", 0)
HPART_OPERAND(float *name, "f", 1)
HPART_OPERAND(double *name, "d", 1)
HPART_OPERAND(void *name, hpart_is_single("$symname") ? "Zf" : "Zd", 1)
%enddef

// Transforms take contiguous arrays; complex numbers there are two reals, which the package sees to.

%typemap(in) const void *alpha (double two_doubles[2], float two_floats[2]), const void *beta (double two_doubles[2], float two_floats[2]) {
    if (hpart_get_number($input, two_doubles, two_floats) != 0) SWIG_fail;
    $1 = hpart_is_single("$symname") ? (void *)two_floats : (void *)two_doubles;
}
%typemap(argout) const void *alpha, const void *beta ""

%typemap(out) void *hpart_alloc_pinned, void *hpart_step_queue, void *hpart_step_memory "$result = PyLong_FromVoidPtr($1);"
%typemap(in) void *memory, const void *memory {
    $1 = PyLong_AsVoidPtr($input);
    if (PyErr_Occurred()) SWIG_fail;
}
%typemap(argout) const void *memory ""
// A native handle comes back after the status, as an integer.
%typemap(in, numinputs=0) void **handle (void *found = NULL) "$1 = &found;"
%typemap(argout) void **handle { %append_output(PyLong_FromVoidPtr(*$1)); }
