! Every call of self-adaptable applications, and their failures.
program adaptive_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use check
  use hpart
  implicit none
  type(hpart_adaptive) :: adaptive, other
  type(hpart_options) :: options
  type(hpart_platform) :: functions
  type(hpart_report) :: report
  integer(int32) :: x(3), ierr
  integer(int64) :: wide(3), moves
  real(real64) :: seconds(3)
  real(real64), parameter :: speeds(3) = [1, 2, 7]
  integer :: k

  call hpart_adaptive_create(3, 1000, adaptive)
  call expect(hpart_adaptive_processors(adaptive) == 3, 'processors')
  do k = 1, 3
    call hpart_adaptive_distribution(adaptive, x)
    call expect(sum(x) == 1000, 'the sum')
    seconds = x/speeds
    if (k == 2) then
      call hpart_adaptive_update(adaptive, seconds)
    else
      call hpart_adaptive_update(adaptive, x, seconds)
    end if
  end do
  call expect(hpart_adaptive_converged(adaptive), 'convergence')
  other = adaptive
  call hpart_adaptive_distribution(other, wide)
  call expect(abs(wide(1) - 100) < 10 .and. wide(3) > 680, 'the distribution')
  call hpart_adaptive_report(other, report)
  call hpart_report_get_int(report, 'moves', moves)
  call expect(moves == 1, 'moves')
  call hpart_adaptive_functions(other, functions)
  call expect(hpart_platform_processors(functions) == 3, 'functions')
  call hpart_adaptive_set_limits(adaptive, 3, 0, 500)
  call hpart_adaptive_distribution(adaptive, wide)
  call expect(wide(3) == 500 .and. .not. hpart_adaptive_converged(adaptive), 'limits')

  ! Another size, and a next run from what this one has learned.
  call hpart_adaptive_set_size(adaptive, 600)
  call hpart_adaptive_distribution(adaptive, wide)
  call expect(wide(3) <= 500 .and. sum(wide) == 600, 'a smaller size')
  call hpart_adaptive_set_size(adaptive, 100000_int64)
  call hpart_adaptive_distribution(adaptive, wide)
  call expect(wide(3) <= 500 .and. sum(wide) == 100000, 'a larger size')
  call hpart_adaptive_start_from(adaptive, functions, ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT .and. index(hpart_last_error(), 'before the first one') > 0, 'a late start')
  call hpart_adaptive_create(3, 1000, other)
  call hpart_adaptive_start_from(other, functions)
  call hpart_adaptive_distribution(other, wide)
  call expect(abs(wide(1) - 100) < 10 .and. wide(3) > 680 .and. sum(wide) == 1000, 'a warm start')

  call hpart_adaptive_set_limits(adaptive, 4_int64, 0_int64, 5_int64, ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'processors count from 1')
  call hpart_adaptive_update(adaptive, seconds(:2), ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT .and. index(hpart_last_error(), 'one a processor') > 0, 'too few times')
  call hpart_adaptive_update(adaptive, x, seconds(:2), ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'fewer times than sizes')
  call hpart_adaptive_distribution(adaptive, x(:2), ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'too few sizes')
  call hpart_options_create(options)
  call hpart_options_set_previous(options, [0, 1000, 0])
  call hpart_adaptive_create(3_int64, 1000_int64, adaptive, options=options)
  call hpart_adaptive_distribution(adaptive, x)
  call expect(x(2) == 1000, 'the first distribution')
  call hpart_adaptive_destroy(adaptive)
  call expect(hpart_adaptive_processors(adaptive) == -1, 'no handle')
  call finish_checks()
end program
