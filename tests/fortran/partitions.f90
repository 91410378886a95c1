! Partitions and fronts, with options and reports, and what wrong calls give.
program partitions
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart
  use check
  implicit none
  type(hpart_platform) :: platform

  call make()
  call strided()
  call with_options_and_report()
  call fronts()
  call schedules()
  call wrong_calls()
  call finish_checks()

contains

  ! One processor is fast, the other thrifty.
  subroutine make()
    call hpart_platform_create(2, platform)
    call hpart_platform_set_time_function(platform, 1, [1, 2, 3, 4], [1.0_real64, 2.0_real64, 3.0_real64, 4.0_real64])
    call hpart_platform_set_energy_function(platform, 1, [1, 2, 3, 4], [10.0_real64, 20.0_real64, 30.0_real64, 40.0_real64])
    call hpart_platform_set_time_function(platform, 2, [1, 2, 3, 4], [3.0_real64, 6.0_real64, 9.0_real64, 12.0_real64])
    call hpart_platform_set_energy_function(platform, 2, [1, 2, 3, 4], [1.0_real64, 2.0_real64, 3.0_real64, 4.0_real64])
  end subroutine

  ! Both kinds are in mixed_kinds.f90.
  subroutine strided()
    integer(int64) :: x(4)
    x = -7
    call hpart_partition_time(platform, 4_int64, x(1:3:2))
    call expect(all(x == [3, -7, 1, -7]), 'a section with a stride')
  end subroutine

  subroutine with_options_and_report()
    type(hpart_options) :: options
    type(hpart_report) :: report
    integer(int64) :: x(2)
    integer(int32) :: optimal, ierr
    real(real64) :: seconds
    character(len=:), allocatable :: method
    call hpart_options_create(options)
    call hpart_options_set(options, 'method', 'equal')
    call hpart_partition(platform, HPART_OBJECTIVE_TIME, 4_int64, x, seconds, options=options, report=report)
    call hpart_report_get(report, 'method', method)
    call hpart_report_get(report, 'optimal', optimal)
    call expect(all(x == [2, 2]) .and. seconds == 6 .and. method == 'equal' .and. optimal == 0, 'method equal')
    call hpart_partition_time(platform, 4_int64, x, seconds, ierr, report=report)
    call hpart_report_get(report, 'optimal', optimal)
    call expect(ierr == HPART_SUCCESS .and. optimal == 1, 'a report replaces the one before')
  end subroutine

  subroutine fronts()
    type(hpart_front) :: front
    type(hpart_report) :: report
    integer(int32) :: short(2), ierr
    integer(int64) :: long(2), k
    real(real64) :: seconds, joules
    real(real64), parameter :: times(3) = [2, 3, 6], energies(3) = [20, 11, 2]
    call expect(hpart_front_count(front) == -1, 'no front yet')
    call hpart_front_compute(platform, 2, HPART_ENERGY_DYNAMIC, front)
    call expect(hpart_front_count(front) == 3, 'points of the front')
    do k = 1, hpart_front_count(front)
      call hpart_front_point(front, k, seconds, joules, long)
      call expect(seconds == times(k) .and. joules == energies(k) .and. sum(long) == 2, 'a point')
    end do
    call hpart_front_point(front, 3, seconds, joules, short)
    call expect(all(short == [0, 2]), 'a point over int32')
    call hpart_front_report(front, report)
    call expect(hpart_report_count(report) > 0, 'report of a front')
    call hpart_front_point(front, 4, seconds, joules, short, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'k is 4; the front has them from 1 to 3', hpart_last_error())
    call hpart_front_point(front, 1, seconds, joules, short(1:1), ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'x has 1 elements', hpart_last_error())
    call hpart_front_compute(platform, 2_int64, 7, front, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'energy is 7', hpart_last_error())
    call expect(hpart_front_count(front) == 3, 'a failed compute leaves the front')
  end subroutine

  subroutine schedules()
    type(hpart_platform) :: packages
    type(hpart_schedule) :: schedule, again
    type(hpart_report) :: report
    integer(int32) :: processor, size, repeats, ierr
    integer(int64) :: long_processor, long_size, long_repeats, total, k
    call hpart_platform_create(2, packages)
    call hpart_platform_set_time_function(packages, 1, [2, 4, 8], [2.0_real64, 3.0_real64, 4.0_real64])
    call hpart_platform_set_time_function(packages, 2, [2, 4, 8], [3.0_real64, 4.0_real64, 6.0_real64])
    call hpart_schedule_compute(packages, 16, schedule)
    call expect(hpart_schedule_makespan(schedule) == 6, 'makespan')
    total = 0
    do k = 1, hpart_schedule_tasks(schedule)
      call hpart_schedule_task(schedule, k, long_processor, long_size, long_repeats)
      call expect(long_processor >= 1 .and. long_processor <= 2, 'processors count from 1')
      total = total + long_size*long_repeats
    end do
    call expect(total == 16, 'the packages sum to the size')
    call hpart_schedule_task(schedule, 1, processor, size, repeats)
    call expect(size*repeats > 0, 'a task over int32')
    call hpart_schedule_report(schedule, report)
    call expect(hpart_report_count(report) > 0, 'report of a schedule')
    call hpart_schedule_write(schedule, 'fortran_schedules.csv', 'app')
    call hpart_schedule_read('fortran_schedules.csv', 'app', 16, again, platform=packages)
    call expect(hpart_schedule_makespan(again) == 6, 'a schedule of a table')
    call hpart_schedule_read('fortran_schedules.csv', 'app', 17_int64, again, ierr)
    call expect_status(ierr, HPART_ERR_INFEASIBLE, 'no schedule of size 17', hpart_last_error())
    call hpart_platform_set_name(packages, 2, 'other')
    call hpart_schedule_read('fortran_schedules.csv', 'app', 16, again, ierr, platform=packages)
    call expect_status(ierr, HPART_ERR_INFEASIBLE, "processors[2] is '1', in the platform 'other'", hpart_last_error())
    call hpart_schedule_task(schedule, 0, processor, size, repeats, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'k is 0', hpart_last_error())
  end subroutine

  subroutine wrong_calls()
    type(hpart_platform) :: none
    integer(int32) :: short(2), ierr
    real(real64) :: seconds
    short = 42
    seconds = 42
    call hpart_partition_time(platform, 9, short, seconds, ierr)
    call expect_status(ierr, HPART_ERR_INFEASIBLE, '8', hpart_last_error())
    call hpart_partition_time(platform, 4, short(1:1), seconds, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'x has 1 elements', hpart_last_error())
    call hpart_partition_time(none, 4, short, seconds, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'platform', hpart_last_error())
    call expect(all(short == 42) .and. seconds == 42, 'outputs untouched')
  end subroutine

end program
