! Checks that go on after a failure and are counted.
module check
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real64
  implicit none
  private
  public :: expect, expect_status, finish_checks
  integer :: failures = 0
contains
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, '(2a)') 'FAILED: ', what
  end subroutine

  ! The status, and words that the message must have.
  subroutine expect_status(found, expected, words, message)
    integer(int32), intent(in) :: found, expected
    character(len=*), intent(in) :: words, message
    if (found == expected .and. index(message, words) > 0) return
    failures = failures + 1
    write (error_unit, '(a,i0,a,i0,4a)') 'FAILED: status ', found, ' for ', expected, ', "', message, '" for ', words
  end subroutine

  subroutine finish_checks()
    if (failures > 0) error stop 1
  end subroutine
end module
