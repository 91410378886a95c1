! Handles of FORTRAN 77, and what the procedures of both integer kinds share.
module hpart_f77_handles
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use hpart_c
  use hpart_callbacks
  use hpart_checks
  use hpart_constants
  use hpart_failures
  use hpart_operands
  implicit none
  public

  integer(int32), parameter :: of_options = 1, of_report = 2, of_platform = 3, of_front = 4, of_team = 5, of_adaptive = 6, &
      of_device = 7, of_schedule = 8, of_meter = 9
  character(len=8), parameter, private :: names(9) = [character(len=8) :: &
      'OPTIONS', 'REPORT', 'PLATFORM', 'FRONT', 'TEAM', 'ADAPTIVE', 'DEVICE', 'SCHEDULE', 'METER']
  real(real64), parameter :: quiet_nan = transfer(9221120237041090560_int64, 0.0_real64)
  character(len=*), parameter, private :: short_integer = '; was INTEGER*4 passed? The _64 procedures take INTEGER*8'

  interface
    function add_handle(kind, object) bind(C, name='hpart_f77_table_add') result(number)
      import
      integer(c_int32_t), value :: kind
      type(c_ptr), value :: object
      integer(c_int32_t) :: number
    end function

    function find_handle(number, remove, object) bind(C, name='hpart_f77_table_find') result(kind)
      import
      integer(c_int32_t), value :: number, remove
      type(c_ptr), intent(out) :: object
      integer(c_int32_t) :: kind
    end function
  end interface

contains

  ! The object of a handle. No options are the handle 0.
  function look_up(number, kind, object) result(status)
    integer(int64), intent(in) :: number
    integer(int32), intent(in) :: kind
    type(c_ptr), intent(out) :: object
    integer(int32) :: status
    integer(int32) :: found
    object = c_null_ptr
    status = HPART_SUCCESS
    if (kind == of_options .and. number == 0) return
    status = check_count(number, trim(names(kind)))
    if (status /= HPART_SUCCESS) return
    found = find_handle(int(number, int32), 0_int32, object)
    if (found == kind) return
    object = c_null_ptr
    if (found == 0) then
      status = refuse(trim(names(kind))//' is '//digits_of(number)//', not a handle: never created, or destroyed')
    else
      status = refuse(trim(names(kind))//' is '//digits_of(number)//', a handle of the kind '//trim(names(found)))
    end if
  end function

  ! Counts, indices and handles of INTEGER*8 are small; two INTEGER*4 read as one are not.
  function check_count(number, argument) result(status)
    integer(int64), intent(in) :: number
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = HPART_SUCCESS
    if (number > huge(1_int32) .or. number < -huge(1_int32)) &
        status = refuse(argument//' is '//digits_of(number)//short_integer)
  end function

  ! A matrix of more than 2^44 numbers is in no memory.
  function check_extent(ld, columns, argument) result(status)
    integer(int64), intent(in) :: ld, columns
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = HPART_SUCCESS
    if (abs(real(ld, real64)*real(columns, real64)) > 2.0_real64**44) &
        status = refuse(argument//' has '//digits_of(columns)//' columns of '//digits_of(ld)//short_integer)
  end function

  ! Destroys an object and its handle; 0 is allowed.
  function destroy(number) result(status)
    integer(int64), intent(in) :: number
    integer(int32) :: status, kind
    type(c_ptr) :: object
    status = check_count(number, 'HANDLE')
    if (status /= HPART_SUCCESS .or. number == 0) return
    kind = find_handle(int(number, int32), 1_int32, object)
    if (kind == 0) status = refuse('HANDLE is '//digits_of(number)//', not a handle: never created, or destroyed')
    call destroy_object(kind, object)
  end function

  subroutine destroy_object(kind, object)
    integer(int32), intent(in) :: kind
    type(c_ptr), intent(in) :: object
    select case (kind)
    case (of_options); call c_options_destroy(object)
    case (of_report); call c_report_destroy(object)
    case (of_platform); call c_platform_destroy(object)
    case (of_front); call c_front_destroy(object)
    case (of_team); call c_team_destroy(object)
    case (of_adaptive); call c_adaptive_destroy(object)
    case (of_device); call c_device_close(object)
    case (of_schedule); call c_schedule_destroy(object)
    case (of_meter); call c_meter_close(object)
    end select
  end subroutine

  ! A text of the library into a variable of fixed length: all of it or an error.
  function give_text(found, text, argument) result(status)
    character(len=*), intent(in) :: found, argument
    character(len=*), intent(inout) :: text
    integer(int32) :: status
    status = HPART_SUCCESS
    if (len(found) > len(text)) then
      status = refuse(argument//' has '//digits_of(len(text, kind=int64))//' characters; it must have at least '// &
          digits_of(len(found, kind=int64)))
    else
      text = found
    end if
  end function

end module

! This thread's last failure, cut at the length of the text.
subroutine hpart_f77_last_error(text)
  use hpart_failures, only: hpart_last_error
  implicit none
  character(len=*), intent(out) :: text
  text = hpart_last_error()
end subroutine
