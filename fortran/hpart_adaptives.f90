! Self-adaptable applications. Sizes are int32 or int64; processors count from 1.
module hpart_adaptives
  use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart_c_adaptive
  use hpart_checks
  use hpart_failures
  use hpart_handles
  implicit none
  private
  public :: hpart_adaptive_create, hpart_adaptive_processors, hpart_adaptive_set_limits, hpart_adaptive_distribution, &
      hpart_adaptive_update, hpart_adaptive_converged, hpart_adaptive_functions, hpart_adaptive_report

  interface hpart_adaptive_create
    procedure create_32, create_64
  end interface
  interface hpart_adaptive_set_limits
    procedure set_limits_32, set_limits_64
  end interface
  interface hpart_adaptive_distribution
    procedure distribution_32, distribution_64
  end interface
  interface hpart_adaptive_update
    procedure update_given, update_32, update_64
  end interface

contains

  subroutine create_64(processors, size, adaptive, ierr, options)
    integer(int64), intent(in) :: processors, size
    type(hpart_adaptive), intent(inout) :: adaptive
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_adaptive_create(processors, size, handle_of(options), handle)
    call adopt(adaptive, handle)
    call finish(status, ierr)
  end subroutine

  subroutine create_32(processors, size, adaptive, ierr, options)
    integer(int32), intent(in) :: processors, size
    type(hpart_adaptive), intent(inout) :: adaptive
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    call create_64(int(processors, int64), int(size, int64), adaptive, ierr, options)
  end subroutine

  integer(int64) function hpart_adaptive_processors(adaptive) result(number)
    type(hpart_adaptive), intent(in) :: adaptive
    number = c_adaptive_processors(c_handle(adaptive))
  end function

  subroutine set_limits_64(adaptive, processor, smallest, largest, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    integer(int64), intent(in) :: processor, smallest, largest
    integer(int32), intent(out), optional :: ierr
    integer(int32) :: status
    status = check_index(processor, c_adaptive_processors(c_handle(adaptive)), 'processor', 'the application')
    if (status == HPART_SUCCESS) status = c_adaptive_set_limits(c_handle(adaptive), processor - 1, smallest, largest)
    call finish(status, ierr)
  end subroutine

  subroutine set_limits_32(adaptive, processor, smallest, largest, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    integer(int32), intent(in) :: processor, smallest, largest
    integer(int32), intent(out), optional :: ierr
    call set_limits_64(adaptive, int(processor, int64), int(smallest, int64), int(largest, int64), ierr)
  end subroutine

  subroutine distribution_64(adaptive, x, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    integer(int64), intent(inout), contiguous :: x(:)
    integer(int32), intent(out), optional :: ierr
    integer(int32) :: status
    status = check_entries(adaptive, size(x), 'x')
    if (status == HPART_SUCCESS) status = c_adaptive_distribution(c_handle(adaptive), x)
    call finish(status, ierr)
  end subroutine

  subroutine distribution_32(adaptive, x, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    integer(int32), intent(inout), contiguous :: x(:)
    integer(int32), intent(out), optional :: ierr
    integer(int64), allocatable :: wide(:)
    integer(int32) :: status
    allocate (wide(size(x)), source=0_int64)
    call distribution_64(adaptive, wide, status)
    if (status == HPART_SUCCESS) status = check_fits(maxval(wide), int(huge(x), int64), 'x')
    if (status == HPART_SUCCESS) x = int(wide, int32)
    call finish(status, ierr)
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

  subroutine update_64(adaptive, x, seconds, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    integer(int64), intent(in), contiguous :: x(:)
    real(real64), intent(in), contiguous :: seconds(:)
    integer(int32), intent(out), optional :: ierr
    integer(int32) :: status
    status = check_entries(adaptive, size(x), 'x')
    if (status == HPART_SUCCESS) status = check_lengths(size(seconds), size(x), 'seconds', 'x')
    if (status == HPART_SUCCESS) status = c_adaptive_update(c_handle(adaptive), x, seconds)
    call finish(status, ierr)
  end subroutine

  subroutine update_32(adaptive, x, seconds, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    integer(int32), intent(in), contiguous :: x(:)
    real(real64), intent(in), contiguous :: seconds(:)
    integer(int32), intent(out), optional :: ierr
    call update_64(adaptive, int(x, int64), seconds, ierr)
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
