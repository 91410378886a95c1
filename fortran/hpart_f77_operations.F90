! Devices and their operations for FORTRAN 77: the BLAS's and LAPACK's arguments between the device, an INTEGER*8, and IERR.
! Sizes, leading dimensions, increments and pivots are INTEGER*8. Transforms: DIMS as FORTRAN counts, the first the contiguous one.
module hpart_f77_common
  use, intrinsic :: iso_c_binding, only: c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use hpart_c_operations
  use hpart_c_platform, only: c_options_create, c_options_destroy, c_options_set_int
  use hpart_failures
  use hpart_operands
  implicit none
  public
contains
  pure type(c_ptr) function handle_at(number) result(handle)
    integer(int64), intent(in) :: number
    handle = transfer(number, handle)
  end function
end module

! MEMORY_LIMIT in bytes; below 0: the device's own memory.
subroutine hpart_f77_device_open(spec, memory_limit, device, ierr)
  use hpart_f77_common
  implicit none
  character(len=*), intent(in) :: spec
  integer(int64), intent(in) :: memory_limit
  integer(int64), intent(inout) :: device
  integer(int32), intent(out) :: ierr
  type(c_ptr) :: options, handle
  integer(int32) :: status
  options = c_null_ptr
  handle = c_null_ptr
  status = c_options_create(options)
  if (status == HPART_SUCCESS .and. memory_limit >= 0) &
      status = c_options_set_int(options, c_string('memory_limit'), memory_limit)
  if (status == HPART_SUCCESS) status = c_device_open(c_string(spec), options, handle)
  call c_options_destroy(options)
  if (status == HPART_SUCCESS) device = transfer(handle, device)
  call finish(status, ierr)
end subroutine

subroutine hpart_f77_device_close(device)
  use hpart_f77_common
  implicit none
  integer(int64), intent(inout) :: device
  call c_device_close(handle_at(device))
  device = 0
end subroutine

subroutine hpart_f77_cfft(device, rank, dims, batch, sign, in, out, ierr)
  use hpart_f77_common
  implicit none
  integer(int64), intent(in) :: device, rank, batch
  integer(int64), intent(in) :: dims(rank)
  integer(int32), intent(in) :: sign
  complex(real32), intent(in), target :: in(*)
  complex(real32), intent(inout), target :: out(*)
  integer(int32), intent(out) :: ierr
  call finish(c_cfft(handle_at(device), rank, dims(rank:1:-1), batch, sign, c_loc(in), c_loc(out), c_null_ptr, c_null_ptr), ierr)
end subroutine

subroutine hpart_f77_zfft(device, rank, dims, batch, sign, in, out, ierr)
  use hpart_f77_common
  implicit none
  integer(int64), intent(in) :: device, rank, batch
  integer(int64), intent(in) :: dims(rank)
  integer(int32), intent(in) :: sign
  complex(real64), intent(in), target :: in(*)
  complex(real64), intent(inout), target :: out(*)
  integer(int32), intent(out) :: ierr
  call finish(c_zfft(handle_at(device), rank, dims(rank:1:-1), batch, sign, c_loc(in), c_loc(out), c_null_ptr, c_null_ptr), ierr)
end subroutine

#define VALUE real(real32)
#define GEMM hpart_f77_sgemm
#define C_GEMM c_sgemm
#define GEMV hpart_f77_sgemv
#define C_GEMV c_sgemv
#define SYRK hpart_f77_ssyrk
#define C_SYRK c_ssyrk
#define TRSM hpart_f77_strsm
#define C_TRSM c_strsm
#define GETRF hpart_f77_sgetrf
#define C_GETRF c_sgetrf
#define POTRF hpart_f77_spotrf
#define C_POTRF c_spotrf
#define GEQRF hpart_f77_sgeqrf
#define C_GEQRF c_sgeqrf
#define GESV hpart_f77_sgesv
#define C_GESV c_sgesv
#define POSV hpart_f77_sposv
#define C_POSV c_sposv
#define GELS hpart_f77_sgels
#define C_GELS c_sgels
#include "hpart_f77_operations.inc"
#undef VALUE
#undef GEMM
#undef C_GEMM
#undef GEMV
#undef C_GEMV
#undef SYRK
#undef C_SYRK
#undef TRSM
#undef C_TRSM
#undef GETRF
#undef C_GETRF
#undef POTRF
#undef C_POTRF
#undef GEQRF
#undef C_GEQRF
#undef GESV
#undef C_GESV
#undef POSV
#undef C_POSV
#undef GELS
#undef C_GELS

#define VALUE real(real64)
#define GEMM hpart_f77_dgemm
#define C_GEMM c_dgemm
#define GEMV hpart_f77_dgemv
#define C_GEMV c_dgemv
#define SYRK hpart_f77_dsyrk
#define C_SYRK c_dsyrk
#define TRSM hpart_f77_dtrsm
#define C_TRSM c_dtrsm
#define GETRF hpart_f77_dgetrf
#define C_GETRF c_dgetrf
#define POTRF hpart_f77_dpotrf
#define C_POTRF c_dpotrf
#define GEQRF hpart_f77_dgeqrf
#define C_GEQRF c_dgeqrf
#define GESV hpart_f77_dgesv
#define C_GESV c_dgesv
#define POSV hpart_f77_dposv
#define C_POSV c_dposv
#define GELS hpart_f77_dgels
#define C_GELS c_dgels
#include "hpart_f77_operations.inc"
#undef VALUE
#undef GEMM
#undef C_GEMM
#undef GEMV
#undef C_GEMV
#undef SYRK
#undef C_SYRK
#undef TRSM
#undef C_TRSM
#undef GETRF
#undef C_GETRF
#undef POTRF
#undef C_POTRF
#undef GEQRF
#undef C_GEQRF
#undef GESV
#undef C_GESV
#undef POSV
#undef C_POSV
#undef GELS
#undef C_GELS

#define VALUE complex(real32)
#define GEMM hpart_f77_cgemm
#define C_GEMM c_cgemm
#define GEMV hpart_f77_cgemv
#define C_GEMV c_cgemv
#define SYRK hpart_f77_csyrk
#define C_SYRK c_csyrk
#define TRSM hpart_f77_ctrsm
#define C_TRSM c_ctrsm
#define GETRF hpart_f77_cgetrf
#define C_GETRF c_cgetrf
#define POTRF hpart_f77_cpotrf
#define C_POTRF c_cpotrf
#define GEQRF hpart_f77_cgeqrf
#define C_GEQRF c_cgeqrf
#define GESV hpart_f77_cgesv
#define C_GESV c_cgesv
#define POSV hpart_f77_cposv
#define C_POSV c_cposv
#define GELS hpart_f77_cgels
#define C_GELS c_cgels
#include "hpart_f77_operations.inc"
#undef VALUE
#undef GEMM
#undef C_GEMM
#undef GEMV
#undef C_GEMV
#undef SYRK
#undef C_SYRK
#undef TRSM
#undef C_TRSM
#undef GETRF
#undef C_GETRF
#undef POTRF
#undef C_POTRF
#undef GEQRF
#undef C_GEQRF
#undef GESV
#undef C_GESV
#undef POSV
#undef C_POSV
#undef GELS
#undef C_GELS

#define VALUE complex(real64)
#define GEMM hpart_f77_zgemm
#define C_GEMM c_zgemm
#define GEMV hpart_f77_zgemv
#define C_GEMV c_zgemv
#define SYRK hpart_f77_zsyrk
#define C_SYRK c_zsyrk
#define TRSM hpart_f77_ztrsm
#define C_TRSM c_ztrsm
#define GETRF hpart_f77_zgetrf
#define C_GETRF c_zgetrf
#define POTRF hpart_f77_zpotrf
#define C_POTRF c_zpotrf
#define GEQRF hpart_f77_zgeqrf
#define C_GEQRF c_zgeqrf
#define GESV hpart_f77_zgesv
#define C_GESV c_zgesv
#define POSV hpart_f77_zposv
#define C_POSV c_zposv
#define GELS hpart_f77_zgels
#define C_GELS c_zgels
#include "hpart_f77_operations.inc"
#undef VALUE
#undef GEMM
#undef C_GEMM
#undef GEMV
#undef C_GEMV
#undef SYRK
#undef C_SYRK
#undef TRSM
#undef C_TRSM
#undef GETRF
#undef C_GETRF
#undef POTRF
#undef C_POTRF
#undef GEQRF
#undef C_GEQRF
#undef GESV
#undef C_GESV
#undef POSV
#undef C_POSV
#undef GELS
#undef C_GELS
