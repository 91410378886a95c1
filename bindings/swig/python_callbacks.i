// Python objects that the library calls. object.call(...) runs with the interpreter's lock on whatever thread the library calls
// from. An exception, an interrupt of the keyboard too, is kept in object.error and stops the library's call.
%{
/* Takes the pending exception into object.error. */
static void hpart_keep_error(PyObject *object)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) PyException_SetTraceback(value, traceback);
    if (PyObject_SetAttrString(object, "error", value ? value : Py_None) != 0) PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/* Truth of a call's result, 1 after an exception; takes the reference. */
static int hpart_stops(PyObject *object, PyObject *result)
{
    int stop = result ? PyObject_IsTrue(result) : -1;
    Py_XDECREF(result);
    if (stop < 0) hpart_keep_error(object);
    return stop != 0;
}

static int hpart_call_progress(double fraction, const char *what, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *object = (PyObject *)user;
    PyObject *result = NULL;
    int stop;
    if (PyErr_CheckSignals() == 0) result = PyObject_CallMethod(object, "call", "ds", fraction, what);
    stop = hpart_stops(object, result);
    PyGILState_Release(state);
    return stop;
}

static int hpart_call_kernel(int64_t size, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *object = (PyObject *)user;
    int stop = hpart_stops(object, PyObject_CallMethod(object, "call", "L", (long long)size));
    PyGILState_Release(state);
    return stop;
}

/* call(sizes) returns a sequence of seconds; None leaves one alone. */
static int hpart_call_application(int64_t processors, const int64_t *x, double *seconds, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *object = (PyObject *)user;
    PyObject *sizes = PyList_New((Py_ssize_t)processors), *times = NULL;
    int stop = 0;
    for (int64_t i = 0; sizes && i < processors; ++i) PyList_SET_ITEM(sizes, (Py_ssize_t)i, PyLong_FromLongLong((long long)x[i]));
    if (sizes && !PyErr_Occurred()) times = PyObject_CallMethod(object, "call", "O", sizes);
    for (int64_t i = 0; times && i < processors && !PyErr_Occurred(); ++i) {
        PyObject *time = PySequence_GetItem(times, (Py_ssize_t)i);
        if (time && time != Py_None) seconds[i] = PyFloat_AsDouble(time);
        Py_XDECREF(time);
    }
    if (PyErr_Occurred()) {
        hpart_keep_error(object);
        stop = 1;
    }
    Py_XDECREF(times);
    Py_XDECREF(sizes);
    PyGILState_Release(state);
    return stop;
}

static int hpart_call_step(const hpart_step *step, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *object = (PyObject *)user;
    PyObject *handle = SWIG_NewPointerObj((void *)step, SWIGTYPE_p_hpart_step, 0);
    int stop = hpart_stops(object, handle ? PyObject_CallMethod(object, "call", "O", handle) : NULL);
    Py_XDECREF(handle);
    PyGILState_Release(state);
    return stop;
}

/* call() gives a pair of the value and the time. */
static int hpart_call_meter(void *user, double *value, double *time_seconds)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *object = (PyObject *)user;
    PyObject *result = PyObject_CallMethod(object, "call", NULL);
    int stop = 1;
    if (result && !PyTuple_Check(result))
        PyErr_SetString(PyExc_TypeError, "a meter gives a pair of its value and the time");
    else if (result)
        stop = !PyArg_ParseTuple(result, "dd;a meter gives a pair of its value and the time", value, time_seconds);
    Py_XDECREF(result);
    if (stop) hpart_keep_error(object);
    PyGILState_Release(state);
    return stop;
}

static int hpart_call_complexity(int64_t size, double *operations, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *object = (PyObject *)user;
    PyObject *result = PyObject_CallMethod(object, "call", "L", (long long)size);
    int stop = 1;
    if (result) {
        *operations = PyFloat_AsDouble(result);
        stop = *operations == -1.0 && PyErr_Occurred() != NULL;
        Py_DECREF(result);
    }
    if (stop) hpart_keep_error(object);
    PyGILState_Release(state);
    return stop;
}

static void hpart_free_object(void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    Py_XDECREF((PyObject *)user);
    PyGILState_Release(state);
}
%}

// Kept by the library when the call succeeds.
%define HPART_KEPT_CALLBACK(callback, trampoline)
%typemap(in, numinputs=1) (callback, void *user, hpart_free free_user) {
    $1 = $input == Py_None ? NULL : trampoline;
    $2 = $input == Py_None ? NULL : (void *)$input;
    $3 = $input == Py_None ? NULL : hpart_free_object;
    Py_XINCREF((PyObject *)$2);
}
%typemap(argout) (callback, void *user, hpart_free free_user) {
    if (result != HPART_SUCCESS) Py_XDECREF((PyObject *)$2);
}
%enddef
HPART_KEPT_CALLBACK(hpart_progress progress, hpart_call_progress)
HPART_KEPT_CALLBACK(hpart_kernel kernel, hpart_call_kernel)
HPART_KEPT_CALLBACK(hpart_application function, hpart_call_application)

// Not beside its user pointer in hpart_meter_create: the object is given twice, here and below.
%typemap(in) hpart_meter_read read "$1 = $input == Py_None ? NULL : hpart_call_meter;"
%typemap(in, numinputs=1) (void *user, hpart_free free_user) {
    $1 = (void *)$input;
    $2 = hpart_free_object;
    Py_INCREF($input);
}
%typemap(argout) (void *user, hpart_free free_user) {
    if (result != HPART_SUCCESS) Py_DECREF((PyObject *)$1);
}

%typemap(in, numinputs=1) (hpart_complexity complexity, void *user) {
    $1 = $input == Py_None ? NULL : hpart_call_complexity;
    $2 = $input == Py_None ? NULL : (void *)$input;
}
%typemap(in, numinputs=1) (hpart_pipeline_kernel kernel, void *user) {
    $1 = $input == Py_None ? NULL : hpart_call_step;
    $2 = $input == Py_None ? NULL : (void *)$input;
}
