! Ways to group cores into abstract processors. Groupings count from 1.
module hpart_groupings
  use, intrinsic :: iso_c_binding, only: c_char, c_loc, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_c
  use hpart_constants
  use hpart_failures
  implicit none
  private
  public :: hpart_grouping_count, hpart_grouping_describe

  interface hpart_grouping_count
    procedure count_32, count_64
  end interface
  interface hpart_grouping_describe
    procedure describe_32, describe_64
  end interface

contains

  subroutine count_64(number, ierr, topology)
    integer(int64), intent(inout) :: number
    integer(int32), intent(out), optional :: ierr
    character(len=*), intent(in), optional :: topology
    character(len=:, kind=c_char), allocatable, target :: name
    type(c_ptr) :: given
    given = c_null_ptr
    if (present(topology)) then
      name = topology//c_null_char
      given = c_loc(name)
    end if
    call finish(c_grouping_count(given, number), ierr)
  end subroutine

  subroutine count_32(number, ierr, topology)
    integer(int32), intent(inout) :: number
    integer(int32), intent(out), optional :: ierr
    character(len=*), intent(in), optional :: topology
    integer(int64) :: wide
    integer(int32) :: status
    call count_64(wide, status, topology)
    if (status == HPART_SUCCESS) number = int(wide, int32)
    call finish(status, ierr)
  end subroutine

  ! "socket 0-3 4-7"
  subroutine describe_64(k, text, ierr, topology)
    integer(int64), intent(in) :: k
    character(len=:), allocatable, intent(inout) :: text
    integer(int32), intent(out), optional :: ierr
    character(len=*), intent(in), optional :: topology
    character(len=:, kind=c_char), allocatable, target :: name, buffer
    type(c_ptr) :: given
    integer(int64) :: needed
    integer(int32) :: status
    given = c_null_ptr
    if (present(topology)) then
      name = topology//c_null_char
      given = c_loc(name)
    end if
    status = c_grouping_describe(given, k - 1, c_null_ptr, 0_int64, needed)
    if (status == HPART_SUCCESS) then
      allocate (character(len=needed, kind=c_char) :: buffer)
      status = c_grouping_describe(given, k - 1, c_loc(buffer), needed, needed)
    end if
    if (status == HPART_SUCCESS) text = buffer(:len(buffer) - 1)
    call finish(status, ierr)
  end subroutine

  subroutine describe_32(k, text, ierr, topology)
    integer(int32), intent(in) :: k
    character(len=:), allocatable, intent(inout) :: text
    integer(int32), intent(out), optional :: ierr
    character(len=*), intent(in), optional :: topology
    call describe_64(int(k, int64), text, ierr, topology)
  end subroutine

end module
