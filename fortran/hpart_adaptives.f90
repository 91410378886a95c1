! Self-adaptable applications: the calls without integers.
module hpart_adaptives
  use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart_c
  use hpart_checks
  use hpart_constants
  use hpart_failures
  use hpart_handles
  implicit none
  private
  public :: hpart_adaptive_processors, hpart_adaptive_update, hpart_adaptive_converged, hpart_adaptive_functions, &
      hpart_adaptive_report, hpart_adaptive_start_from

  interface hpart_adaptive_update
    procedure update_given
  end interface

contains

  integer(int64) function hpart_adaptive_processors(adaptive) result(number)
    type(hpart_adaptive), intent(in) :: adaptive
    number = c_adaptive_processors(c_handle(adaptive))
  end function

  ! Before the first update.
  subroutine hpart_adaptive_start_from(adaptive, platform, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    type(hpart_platform), intent(in) :: platform
    integer(int32), intent(out), optional :: ierr
    call finish(c_adaptive_start_from(c_handle(adaptive), c_handle(platform)), ierr)
  end subroutine

  ! The distribution was run as it was given.
  subroutine update_given(adaptive, seconds, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    real(real64), intent(in), contiguous :: seconds(:)
    integer(int32), intent(out), optional :: ierr
    integer(int64), allocatable :: x(:)
    integer(int32) :: status
    allocate (x(size(seconds)), source=0_int64)
    status = check_entries(adaptive, size(seconds), 'seconds')
    if (status == HPART_SUCCESS) status = c_adaptive_distribution(c_handle(adaptive), x)
    if (status == HPART_SUCCESS) status = c_adaptive_update(c_handle(adaptive), x, seconds)
    call finish(status, ierr)
  end subroutine

  logical function hpart_adaptive_converged(adaptive) result(converged)
    type(hpart_adaptive), intent(in) :: adaptive
    converged = c_adaptive_converged(c_handle(adaptive)) == 1
  end function

  subroutine hpart_adaptive_functions(adaptive, platform, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    type(hpart_platform), intent(inout) :: platform
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_adaptive_functions(c_handle(adaptive), handle)
    call adopt(platform, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_adaptive_report(adaptive, report, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    type(hpart_report), intent(inout) :: report
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_adaptive_report(c_handle(adaptive), handle)
    call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

end module
