// Arrays by the buffer protocol: the caller's own memory, checked for type, layout and permission.
%{
/* Formats that are a native number of these bytes; numpy's int64 is "l", ctypes' and memoryview's may be "q". */
static int hpart_has_format(const Py_buffer *view, const char *letters, Py_ssize_t bytes)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    return view->itemsize == bytes && format[0] != '\0' && strchr(letters, format[0]) != NULL && format[1] == '\0';
}

/* Fills view, or sets an exception and returns -1. view->obj stays NULL for None. */
static int hpart_get_buffer(PyObject *object, Py_buffer *view, const char *letters, Py_ssize_t bytes, int writable)
{
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (object == Py_None) return 0;
    if (PyObject_GetBuffer(object, view, flags) != 0) return -1;
    if (hpart_has_format(view, letters, bytes)) return 0;
    PyErr_Format(PyExc_TypeError, "the elements are of format %s and %zd bytes; they must be of format %s and %zd bytes",
                 view->format ? view->format : "B", view->itemsize, letters, bytes);
    PyBuffer_Release(view);
    return -1;
}
%}

%define HPART_BUFFER(type, letters, writable)
%typemap(in) type (Py_buffer view = {0}) {
    if (hpart_get_buffer($input, &view, letters, sizeof(*$1), writable) != 0) SWIG_fail;
    $1 = ($1_ltype)view.buf;
}
%typemap(freearg) type "if (view$argnum.obj) PyBuffer_Release(&view$argnum);"
%typemap(argout) type ""
%enddef
HPART_BUFFER(const int64_t *, "lq", 0)
HPART_BUFFER(int64_t *, "lq", 1)
HPART_BUFFER(int32_t *, "il", 1)
HPART_BUFFER(const double *, "d", 0)
HPART_BUFFER(double *, "d", 1)
HPART_BUFFER(const float *, "f", 0)
HPART_BUFFER(float *, "f", 1)
HPART_BUFFER(char *buffer, "Bbc", 1)
