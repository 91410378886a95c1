! Statuses, the last failure, and what becomes of a failure whose caller did not ask for ierr.
module hpart_failures
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, output_unit
  use hpart_c, only: c_last_error, c_last_error_option, c_strerror
  use hpart_callbacks, only: hpart_text
  use hpart_constants, only: HPART_ERR_INVALID_ARGUMENT, HPART_SUCCESS
  implicit none
  private
  public :: hpart_strerror, hpart_last_error, hpart_last_error_option, finish, refuse, c_string, digits_of

  ! Failures of this module's own checks, which the library's last error does not know; each thread has its own.
  character(len=300), save :: own_message = ''
  logical, save :: own_is_last = .false., own_is_new = .false.
  !$omp threadprivate(own_message, own_is_last, own_is_new)

  interface
    subroutine c_exit(status) bind(c, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface

contains

  function hpart_strerror(status) result(text)
    integer(int32), intent(in) :: status
    character(len=:), allocatable :: text
    text = hpart_text(c_strerror(status))
  end function

  ! This thread's last failure as one sentence; '' when none has happened.
  function hpart_last_error() result(text)
    character(len=:), allocatable :: text
    if (own_is_last) then
      text = trim(own_message)
    else
      text = from_1(hpart_text(c_last_error()))
    end if
  end function

  ! The key of the option, or the name of the parameter, that it begins with; '' if it begins otherwise.
  function hpart_last_error_option() result(text)
    character(len=:), allocatable :: text
    text = ''
    if (.not. own_is_last) text = hpart_text(c_last_error_option())
  end function

  ! A message of the library, which counts from 0 ('sizes[0]'), as Fortran counts. Words in quotes are the caller's.
  pure function from_1(message) result(text)
    character(len=*), intent(in) :: message
    character(len=:), allocatable :: text
    logical :: is_quoted
    character(len=*), parameter :: letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
    integer :: at, length, outside, failed
    integer(int64) :: index
    text = ''
    is_quoted = .false.
    at = 1
    do while (at <= len(message))
      if (message(at:at) == "'") then   ! an apostrophe, as of "the table's", is between letters
        outside = at + merge(1, -1, is_quoted)
        if (outside < 1 .or. outside > len(message)) then
          is_quoted = .not. is_quoted
        else if (verify(message(outside:outside), letters) == 1) then
          is_quoted = .not. is_quoted
        end if
      end if
      text = text//message(at:at)
      if (message(at:at) == '[' .and. .not. is_quoted) then
        length = verify(message(at + 1:), '0123456789') - 1
        if (length > 0 .and. length < 19) then
          if (message(at + length + 1:at + length + 1) == ']') then
            read (message(at + 1:at + length), *, iostat=failed) index
            text = text//digits_of(index + 1)
            at = at + length
          end if
        end if
      end if
      at = at + 1
    end do
  end function

  ! A call that is wrong in a way that only Fortran can tell: the status to finish with.
  function refuse(message) result(status)
    character(len=*), intent(in) :: message
    integer(int32) :: status
    own_message = message
    own_is_new = .true.
    status = HPART_ERR_INVALID_ARGUMENT
  end function

  ! The end of every call: the status goes to the caller; a failure that the caller does not ask for stops the program.
  subroutine finish(status, ierr)
    integer(int32), intent(in) :: status
    integer(int32), intent(out), optional :: ierr
    if (status /= HPART_SUCCESS) own_is_last = own_is_new
    own_is_new = .false.
    if (present(ierr)) then
      ierr = status
    else if (status /= HPART_SUCCESS) then
      write (error_unit, '(2a)') 'hpart: ', hpart_last_error()
      flush (error_unit)
      flush (output_unit)
      call c_exit(1_c_int)   ! error stop would add a backtrace to the one sentence
    end if
  end subroutine

  ! A text for C: without the blanks at its end, with a final zero.
  pure function c_string(text) result(copy)
    character(len=*), intent(in) :: text
    character(len=:, kind=c_char), allocatable :: copy
    copy = trim(text)//c_null_char
  end function

  pure function digits_of(number) result(text)
    integer(int64), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=20) :: buffer
    write (buffer, '(i0)') number
    text = trim(buffer)
  end function

end module
