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
%define HPART_MADE(handle)
%typemap(in, numinputs=0) hpart_##handle **handle (hpart_##handle *made = NULL) "$1 = &made;"
%typemap(argout) hpart_##handle **handle {
    PyObject *object = *$1 ? SWIG_NewPointerObj(*$1, $descriptor(hpart_##handle *), 0) : Py_NewRef(Py_None);
    $result = SWIG_Python_AppendOutput($result, object);
}
%enddef
HPART_MADE(options)
HPART_MADE(report)
HPART_MADE(platform)
HPART_MADE(family)
HPART_MADE(front)
HPART_MADE(schedule)
HPART_MADE(team)
HPART_MADE(device)
HPART_MADE(pipeline)
HPART_MADE(meter)
HPART_MADE(adaptive)
%typemap(in, numinputs=0) hpart_platform **cluster (hpart_platform *made = NULL) "$1 = &made;"
%typemap(argout) hpart_platform **cluster = hpart_platform **platform;

%typemap(in, numinputs=0) hpart_platform **measured (hpart_platform *made = NULL) "$1 = &made;"
%typemap(argout) hpart_platform **measured = hpart_platform **platform;

// Other threads of Python run during these.
%nothread;
%thread hpart_adaptive_update;
%thread hpart_alloc_pinned;
%thread hpart_cfft;
%thread hpart_cgels;
%thread hpart_cgemm;
%thread hpart_cgemv;
%thread hpart_cgeqrf;
%thread hpart_cgesv;
%thread hpart_cgetrf;
%thread hpart_cherk;
%thread hpart_cposv;
%thread hpart_cpotrf;
%thread hpart_csyrk;
%thread hpart_ctrsm;
%thread hpart_device_close;
%thread hpart_device_count;
%thread hpart_device_describe;
%thread hpart_device_open;
%thread hpart_dfft_c2r;
%thread hpart_dfft_r2c;
%thread hpart_dgels;
%thread hpart_dgemm;
%thread hpart_dgemv;
%thread hpart_dgeqrf;
%thread hpart_dgesv;
%thread hpart_dgetrf;
%thread hpart_dposv;
%thread hpart_dpotrf;
%thread hpart_dsyrk;
%thread hpart_dtrsm;
%thread hpart_energy_additivity;
%thread hpart_family_read;
%thread hpart_family_slice;
%thread hpart_family_write;
%thread hpart_free_pinned;
%thread hpart_front_compute;
%thread hpart_grouping_count;
%thread hpart_grouping_describe;
%thread hpart_info;
%thread hpart_matrix_partition;
%thread hpart_meter_base_power;
%thread hpart_meter_close;
%thread hpart_meter_describe;
%thread hpart_meter_open;
%thread hpart_meter_report;
%thread hpart_meter_start;
%thread hpart_meter_stop;
%thread hpart_partition;
%thread hpart_partition_energy;
%thread hpart_partition_time;
%thread hpart_partition_total_energy;
%thread hpart_pipeline_run;
%thread hpart_platform_read;
%thread hpart_platform_set_energy_function;
%thread hpart_platform_set_energy_interval;
%thread hpart_platform_set_speed_function;
%thread hpart_platform_set_time_function;
%thread hpart_platform_set_time_interval;
%thread hpart_platform_write;
%thread hpart_schedule_compute;
%thread hpart_sfft_c2r;
%thread hpart_sfft_r2c;
%thread hpart_sgels;
%thread hpart_sgemm;
%thread hpart_sgemv;
%thread hpart_sgeqrf;
%thread hpart_sgesv;
%thread hpart_sgetrf;
%thread hpart_sposv;
%thread hpart_spotrf;
%thread hpart_ssyrk;
%thread hpart_strsm;
%thread hpart_team_add_builtin;
%thread hpart_team_compare;
%thread hpart_team_destroy;
%thread hpart_team_execute;
%thread hpart_team_measure;
%thread hpart_team_optimize;
%thread hpart_team_optimize_front;
%thread hpart_team_profile;
%thread hpart_zfft;
%thread hpart_zgels;
%thread hpart_zgemm;
%thread hpart_zgemv;
%thread hpart_zgeqrf;
%thread hpart_zgesv;
%thread hpart_zgetrf;
%thread hpart_zherk;
%thread hpart_zposv;
%thread hpart_zpotrf;
%thread hpart_zsyrk;
%thread hpart_ztrsm;

%include <hpart.h>
