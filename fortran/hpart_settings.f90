! Options, reports, information: the calls that have no index and no sizes.
module hpart_settings
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funloc, c_funptr, c_loc, c_null_funptr, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart_c
  use hpart_callbacks, only: hpart_free, hpart_progress
  use hpart_constants
  use hpart_failures
  use hpart_handles
  implicit none
  private
  public :: hpart_version, hpart_info, hpart_device_count
  public :: hpart_options_create, hpart_options_set_string, hpart_options_set_int, hpart_options_set_double, &
      hpart_options_set_progress, hpart_options_set
  public :: hpart_report_count, hpart_report_type, hpart_report_get_string, hpart_report_get_double, &
      hpart_report_get_doubles, hpart_report_get

  interface hpart_options_set_int
    procedure set_int_32, set_int_64
  end interface

  ! A key of any type by its value.
  interface hpart_options_set
    procedure hpart_options_set_string, set_int_32, set_int_64, hpart_options_set_double
  end interface

  ! A value by the type of the variable that takes it; integers are in hpart_sized.
  interface hpart_report_get
    procedure hpart_report_get_string, hpart_report_get_double, hpart_report_get_doubles
  end interface

contains

  subroutine hpart_version(major, minor, patch)
    integer(int32), intent(out) :: major, minor, patch
    call c_version(major, minor, patch)
  end subroutine

  ! The libraries that hpart was built with and found on this machine.
  subroutine hpart_info(report, ierr)
    type(hpart_report), intent(inout) :: report
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_info(handle)
    call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

  integer(int64) function hpart_device_count() result(count)
    count = c_device_count()
  end function

  subroutine hpart_options_create(options, ierr)
    type(hpart_options), intent(inout) :: options
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_options_create(handle)
    call adopt(options, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_options_set_string(options, key, value, ierr)
    type(hpart_options), intent(in) :: options
    character(len=*), intent(in) :: key, value
    integer(int32), intent(out), optional :: ierr
    call finish(c_options_set_string(c_handle(options), c_string(key), c_string(value)), ierr)
  end subroutine

  subroutine set_int_64(options, key, value, ierr)
    type(hpart_options), intent(in) :: options
    character(len=*), intent(in) :: key
    integer(int64), intent(in) :: value
    integer(int32), intent(out), optional :: ierr
    call finish(c_options_set_int(c_handle(options), c_string(key), value), ierr)
  end subroutine

  subroutine set_int_32(options, key, value, ierr)
    type(hpart_options), intent(in) :: options
    character(len=*), intent(in) :: key
    integer(int32), intent(in) :: value
    integer(int32), intent(out), optional :: ierr
    call set_int_64(options, key, int(value, int64), ierr)
  end subroutine

  subroutine hpart_options_set_double(options, key, value, ierr)
    type(hpart_options), intent(in) :: options
    character(len=*), intent(in) :: key
    real(real64), intent(in) :: value
    integer(int32), intent(out), optional :: ierr
    call finish(c_options_set_double(c_handle(options), c_string(key), value), ierr)
  end subroutine

  ! Without progress: none from now on. user goes to every call of progress, and to free_user in the end.
  subroutine hpart_options_set_progress(options, progress, ierr, user, free_user)
    type(hpart_options), intent(in) :: options
    procedure(hpart_progress), optional :: progress
    integer(int32), intent(out), optional :: ierr
    type(c_ptr), intent(in), optional :: user
    procedure(hpart_free), optional :: free_user
    type(c_funptr) :: called, freed
    type(c_ptr) :: given
    called = c_null_funptr
    freed = c_null_funptr
    given = c_null_ptr
    if (present(progress)) called = c_funloc(progress)
    if (present(free_user)) freed = c_funloc(free_user)
    if (present(user)) given = user
    call finish(c_options_set_progress(c_handle(options), called, given, freed), ierr)
  end subroutine

  integer(int64) function hpart_report_count(report) result(count)
    type(hpart_report), intent(in) :: report
    count = c_report_count(c_handle(report))
  end function

  ! HPART_REPORT_INT, ...; -1 when there is no such key.
  integer(int32) function hpart_report_type(report, key) result(kind)
    type(hpart_report), intent(in) :: report
    character(len=*), intent(in) :: key
    kind = c_report_type(c_handle(report), c_string(key))
  end function

  subroutine hpart_report_get_string(report, key, value, ierr)
    type(hpart_report), intent(in) :: report
    character(len=*), intent(in) :: key
    character(len=:), allocatable, intent(inout) :: value
    integer(int32), intent(out), optional :: ierr
    character(len=:, kind=c_char), allocatable, target :: buffer
    integer(int64) :: needed
    integer(int32) :: status
    needed = 0
    status = c_report_get_string(c_handle(report), c_string(key), c_null_ptr, 0_int64, needed)
    if (status == HPART_SUCCESS) then
      allocate (character(len=needed) :: buffer)
      status = c_report_get_string(c_handle(report), c_string(key), c_loc(buffer), needed, needed)
      if (status == HPART_SUCCESS) value = buffer(:needed - 1)
    end if
    call finish(status, ierr)
  end subroutine

  subroutine hpart_report_get_double(report, key, value, ierr)
    type(hpart_report), intent(in) :: report
    character(len=*), intent(in) :: key
    real(real64), intent(inout) :: value
    integer(int32), intent(out), optional :: ierr
    call finish(c_report_get_double(c_handle(report), c_string(key), value), ierr)
  end subroutine

  subroutine hpart_report_get_doubles(report, key, values, ierr)
    type(hpart_report), intent(in) :: report
    character(len=*), intent(in) :: key
    real(real64), allocatable, intent(inout) :: values(:)
    integer(int32), intent(out), optional :: ierr
    real(real64), allocatable, target :: buffer(:)
    integer(int64) :: needed
    integer(int32) :: status
    needed = 0
    status = c_report_get_doubles(c_handle(report), c_string(key), c_null_ptr, 0_int64, needed)
    if (status == HPART_SUCCESS) then
      allocate (buffer(max(needed, 1_int64)))
      status = c_report_get_doubles(c_handle(report), c_string(key), c_loc(buffer), needed, needed)
      if (status == HPART_SUCCESS) values = buffer(:needed)
    end if
    call finish(status, ierr)
  end subroutine

end module
