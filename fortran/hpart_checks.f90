! Checks before the library's own: indices that count from 1, and array lengths that the library cannot see.
module hpart_checks
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_c, only: c_adaptive_processors, c_front_processors, c_platform_processors, c_team_processors
  use hpart_constants
  use hpart_failures
  use hpart_handles, only: c_handle, hpart_adaptive, hpart_front, hpart_platform, hpart_team
  implicit none
  private
  public :: check_index, check_processor, check_lengths, check_entries, check_fits

  interface check_entries
    procedure check_platform_entries, check_team_entries, check_front_entries, check_adaptive_entries
  end interface

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

  function check_processor(platform, processor, argument) result(status)
    type(hpart_platform), intent(in) :: platform
    integer(int64), intent(in) :: processor
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = check_index(processor, c_platform_processors(c_handle(platform)), argument, 'the platform')
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

  function check_platform_entries(platform, length, argument) result(status)
    type(hpart_platform), intent(in) :: platform
    integer, intent(in) :: length
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = check_processors(c_platform_processors(c_handle(platform)), length, argument)
  end function

  function check_team_entries(team, length, argument) result(status)
    type(hpart_team), intent(in) :: team
    integer, intent(in) :: length
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = check_processors(c_team_processors(c_handle(team)), length, argument)
  end function

  function check_front_entries(front, length, argument) result(status)
    type(hpart_front), intent(in) :: front
    integer, intent(in) :: length
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = check_processors(c_front_processors(c_handle(front)), length, argument)
  end function

  function check_adaptive_entries(adaptive, length, argument) result(status)
    type(hpart_adaptive), intent(in) :: adaptive
    integer, intent(in) :: length
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = check_processors(c_adaptive_processors(c_handle(adaptive)), length, argument)
  end function

  function check_processors(processors, length, argument) result(status)
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

end module
