! Groupings of this machine's cores and of another's.
program groupings_test
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use check
  use hpart
  implicit none
  character(len=:), allocatable :: text
  integer(int64) :: wide
  integer(int32) :: number, ierr

  call hpart_grouping_count(number)
  call hpart_grouping_count(wide)
  call expect(number >= 1 .and. number == wide, 'groupings')
  call hpart_grouping_describe(1, text)
  call expect(index(text, 'node ') == 1, 'the first grouping')
  call hpart_grouping_describe(0, text, ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'groupings count from 1')
  call hpart_grouping_describe(2_int64, text, ierr, topology='package:2 core:2 pu:1')
  call expect(ierr == HPART_ERR_UNSUPPORTED .or. text == 'socket 0-1 2-3', 'another machine')
  call finish_checks()
end program
