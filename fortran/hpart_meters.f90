! Energy meters.
module hpart_meters
  use, intrinsic :: iso_c_binding, only: c_char, c_funloc, c_funptr, c_loc, c_null_funptr, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart_c
  use hpart_callbacks
  use hpart_checks
  use hpart_constants
  use hpart_failures
  use hpart_handles
  implicit none
  private
  public :: hpart_meter_open, hpart_meter_create, hpart_meter_count, hpart_meter_describe, hpart_meter_start, &
      hpart_meter_stop, hpart_meter_base_power, hpart_meter_calibrate, hpart_meter_report

  interface hpart_meter_describe
    procedure describe_32, describe_64
  end interface

contains

  subroutine hpart_meter_open(spec, meter, ierr, options)
    character(len=*), intent(in) :: spec
    type(hpart_meter), intent(inout) :: meter
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_meter_open(c_string(spec), handle_of(options), handle)
    call adopt(meter, handle)
    call finish(status, ierr)
  end subroutine

  ! user goes to every call of read; free_user gets it when the meter is closed.
  subroutine hpart_meter_create(name, read, quantity, interval_seconds, wrap, meter, ierr, user, free_user)
    character(len=*), intent(in) :: name
    procedure(hpart_meter_read) :: read
    integer(int32), intent(in) :: quantity
    real(real64), intent(in) :: interval_seconds, wrap
    type(hpart_meter), intent(inout) :: meter
    integer(int32), intent(out), optional :: ierr
    type(c_ptr), intent(in), optional :: user
    procedure(hpart_free), optional :: free_user
    type(c_ptr) :: handle, given
    type(c_funptr) :: freed
    integer(int32) :: status
    handle = c_null_ptr
    given = c_null_ptr
    freed = c_null_funptr
    if (present(user)) given = user
    if (present(free_user)) freed = c_funloc(free_user)
    status = c_meter_create(c_string(name), c_funloc(read), quantity, interval_seconds, wrap, given, freed, handle)
    call adopt(meter, handle)
    call finish(status, ierr)
  end subroutine

  integer(int64) function hpart_meter_count() result(number)
    number = c_meter_count()
  end function

  ! Kind k from 1 on. works_here is HPART_SUCCESS or why it does not work.
  subroutine describe_64(k, text, works_here, ierr)
    integer(int64), intent(in) :: k
    character(len=:), allocatable, intent(inout) :: text
    integer(int32), intent(inout) :: works_here
    integer(int32), intent(out), optional :: ierr
    character(len=:, kind=c_char), allocatable, target :: buffer
    integer(int64) :: needed
    integer(int32) :: status, works
    status = c_meter_describe(k - 1, c_null_ptr, 0_int64, needed, works)
    if (status == HPART_SUCCESS) then
      allocate(character(len=needed, kind=c_char) :: buffer)
      status = c_meter_describe(k - 1, c_loc(buffer), needed, needed, works)
    end if
    if (status == HPART_SUCCESS) then
      text = buffer(:len(buffer) - 1)
      works_here = works
    end if
    call finish(status, ierr)
  end subroutine

  subroutine describe_32(k, text, works_here, ierr)
    integer(int32), intent(in) :: k
    character(len=:), allocatable, intent(inout) :: text
    integer(int32), intent(inout) :: works_here
    integer(int32), intent(out), optional :: ierr
    call describe_64(int(k, int64), text, works_here, ierr)
  end subroutine

  subroutine hpart_meter_start(meter, ierr)
    type(hpart_meter), intent(in) :: meter
    integer(int32), intent(out), optional :: ierr
    call finish(c_meter_start(c_handle(meter)), ierr)
  end subroutine

  subroutine hpart_meter_stop(meter, joules, seconds, ierr)
    type(hpart_meter), intent(in) :: meter
    real(real64), intent(inout) :: joules, seconds
    integer(int32), intent(out), optional :: ierr
    call finish(c_meter_stop(c_handle(meter), joules, seconds), ierr)
  end subroutine

  subroutine hpart_meter_base_power(meter, seconds, watts, standard_error, ierr)
    type(hpart_meter), intent(in) :: meter
    real(real64), intent(in) :: seconds
    real(real64), intent(inout) :: watts, standard_error
    integer(int32), intent(out), optional :: ierr
    call finish(c_meter_base_power(c_handle(meter), seconds, watts, standard_error), ierr)
  end subroutine

  ! The mean powers of the same windows by the meter and by a reference meter.
  subroutine hpart_meter_calibrate(watts, reference_watts, scale, offset, ierr, report)
    real(real64), intent(in) :: watts(:), reference_watts(:)
    real(real64), intent(inout) :: scale, offset
    integer(int32), intent(out), optional :: ierr
    type(hpart_report), intent(inout), optional :: report
    type(c_ptr), target :: handle
    type(c_ptr) :: to
    integer(int32) :: status
    handle = c_null_ptr
    to = c_null_ptr
    if (present(report)) to = c_loc(handle)
    status = check_lengths(size(reference_watts), size(watts), 'reference_watts', 'watts')
    if (status == HPART_SUCCESS) &
        status = c_meter_calibrate(size(watts, kind=int64), watts, reference_watts, scale, offset, to)
    if (present(report)) call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_meter_report(meter, report, ierr)
    type(hpart_meter), intent(in) :: meter
    type(hpart_report), intent(inout) :: report
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_meter_report(c_handle(meter), handle)
    call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

end module
