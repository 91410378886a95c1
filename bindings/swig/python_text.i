// Texts that are not UTF-8, as names in files and paths may be, come from C with surrogates for their bytes, and go back the same.
%typemap(in) const char * (PyObject *bytes = NULL) {
    if ($input == Py_None) {
        $1 = NULL;
    } else {
        bytes = PyUnicode_AsEncodedString($input, "utf-8", "surrogateescape");
        if (bytes == NULL) SWIG_fail;
        $1 = PyBytes_AsString(bytes);
    }
}
%typemap(freearg) const char * "Py_XDECREF(bytes$argnum);"
