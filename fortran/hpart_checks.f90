! Checks before the library's own: indices that count from 1, and array lengths that the library cannot see. Addresses of arguments
! that may be absent.
module hpart_checks
  use, intrinsic :: iso_c_binding, only: c_char, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_constants
  use hpart_failures
  implicit none
  private
  public :: check_index, check_lengths, check_entries, check_fits, length_of, list_place, text_place

contains

  function check_index(index, count, argument, owner) result(status)
    integer(int64), intent(in) :: index, count
    character(len=*), intent(in) :: argument, owner
    integer(int32) :: status
    status = HPART_SUCCESS
    ! A count below 0 means no handle; the library reports that better.
    if (count < 0 .or. (index >= 1 .and. index <= count)) return
    status = refuse(argument//' is '//digits_of(index)//'; '//owner//' has them from 1 to '//digits_of(count))
  end function

  function check_lengths(length, expected, argument, other) result(status)
    integer, intent(in) :: length, expected
    character(len=*), intent(in) :: argument, other
    integer(int32) :: status
    status = HPART_SUCCESS
    if (length == expected) return
    status = refuse(argument//' has '//digits_of(int(length, int64))//' elements; it must have as many as '//other//': '// &
        digits_of(int(expected, int64)))
  end function

  ! An array with one entry a processor. A count below 0 means no handle.
  function check_entries(processors, length, argument) result(status)
    integer(int64), intent(in) :: processors
    integer, intent(in) :: length
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = HPART_SUCCESS
    if (processors < 0 .or. length == processors) return
    status = refuse(argument//' has '//digits_of(int(length, int64))//' elements; it must have one a processor: '// &
        digits_of(processors))
  end function

  ! A value of the library into a variable of a smaller kind, whose greatest value is given.
  function check_fits(value, greatest, argument) result(status)
    integer(int64), intent(in) :: value, greatest
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = HPART_SUCCESS
    if (value >= -greatest .and. value <= greatest) return
    status = refuse(argument//' would get '//digits_of(value)//', which needs an integer(int64)')
  end function

  ! The length of a list that may be absent, which is then as long as it should be.
  pure integer function length_of(list, expected)
    integer(int64), allocatable, intent(in) :: list(:)
    integer, intent(in) :: expected
    length_of = expected
    if (allocated(list)) length_of = size(list)
  end function

  ! The address of a list or a text; null for one that is absent.
  function list_place(list) result(place)
    integer(int64), allocatable, intent(in), target :: list(:)
    type(c_ptr) :: place
    place = c_null_ptr
    if (.not. allocated(list)) return
    if (size(list) > 0) place = c_loc(list)
  end function

  function text_place(text) result(place)
    character(len=:, kind=c_char), allocatable, intent(in), target :: text
    type(c_ptr) :: place
    place = c_null_ptr
    if (allocated(text)) place = c_loc(text)
  end function

end module
