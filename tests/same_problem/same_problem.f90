! The worked problem of figure 3.10: 4 processors; 16 takes 1 second, 31 takes 3. Argument: its platform file.
program same_problem
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real64
  use hpart
  implicit none
  type(hpart_platform) :: platform
  character(len=4096) :: path
  integer(int64) :: long(4)
  integer(int32) :: short(4), ierr
  real(real64) :: seconds, again
  integer :: failures
  failures = 0

  call get_command_argument(1, path)
  call hpart_platform_read(path, platform)
  call expect(hpart_platform_processors(platform) == 4, 'four processors')

  call hpart_partition_time(platform, 16_int64, long, seconds)
  call expect(seconds == 1 .and. sum(long) == 16, '16 takes 1 second')
  call hpart_platform_evaluate(platform, long, again)
  call expect(again == 1, 'the distribution of 16 takes that time')

  call hpart_partition_time(platform, 31_int32, short, seconds)
  call expect(seconds == 3 .and. sum(short) == 31, '31 takes 3 seconds')
  call hpart_platform_evaluate(platform, short, again)
  call expect(again == 3, 'the distribution of 31 takes that time')

  call hpart_partition_time(platform, 65_int64, long, seconds, ierr)
  call expect(ierr == HPART_ERR_INFEASIBLE, '65 is more than all can take')
  if (failures > 0) error stop 1

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, '(4a)') 'FAILED: ', what, ' ', hpart_last_error()
  end subroutine

end program
