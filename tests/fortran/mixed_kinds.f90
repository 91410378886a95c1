! Integers of both kinds in one call, as a literal beside an int64 array: every call that takes several integers. Compiled also
! with a default integer of 8 bytes.
program mixed_kinds
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use check
  use hpart
  implicit none
  integer(int64), parameter :: large = 9000000000_int64
  integer(int64) :: long(2), n, smallest, largest, rows(2), columns(2), heights(2), widths(2)
  integer(int32) :: short(2), ierr, short_rows(2), short_columns(2), short_heights(2), short_widths(2)
  real(real64) :: seconds, joules, bandwidth
  type(hpart_platform) :: platform
  type(hpart_front) :: front
  type(hpart_schedule) :: schedule
  type(hpart_adaptive) :: adaptive

  call hpart_platform_create(2, platform)
  call hpart_platform_set_time_function(platform, 1, [1_int64, 2_int64], [1.0_real64, 4.0_real64])
  call hpart_platform_set_time_function(platform, 2_int64, [1_int32, 2_int32], [3.0_real64, 5.0_real64])
  call hpart_platform_set_energy_function(platform, 1, [1_int64, 2_int64], [1.0_real64, 1.5_real64])
  call hpart_platform_set_energy_function(platform, 2_int64, [1_int32, 2_int32], [3.0_real64, 9.0_real64])
  call hpart_platform_set_base_power(platform, 1.0_real64)

  call hpart_partition_time(platform, 2, long, seconds)
  call expect(all(long == [1, 1]) .and. seconds == 3, 'partition_time: a literal, int64')
  n = 3
  call hpart_partition_time(platform, n, short, seconds)
  call expect(all(short == [2, 1]) .and. seconds == 4, 'partition_time: int64, int32')
  call hpart_partition_energy(platform, 2, long, joules)
  call expect(all(long == [2, 0]) .and. joules == 1.5_real64, 'partition_energy: a literal, int64')
  call hpart_partition_energy(platform, n, short, joules)
  call expect(all(short == [2, 1]) .and. joules == 4.5_real64, 'partition_energy: int64, int32')
  call hpart_partition_total_energy(platform, 2, long, joules)
  call expect(all(long == [2, 0]) .and. joules == 5.5_real64, 'partition_total_energy: a literal, int64')
  call hpart_partition_total_energy(platform, n, short, joules)
  call expect(all(short == [2, 1]) .and. joules == 8.5_real64, 'partition_total_energy: int64, int32')
  call hpart_partition(platform, HPART_OBJECTIVE_TIME, 3, long, seconds, joules)
  call expect(all(long == [2, 1]) .and. seconds == 4 .and. joules == 4.5_real64, 'partition: a literal, int64')
  call hpart_partition(platform, HPART_OBJECTIVE_ENERGY, n, short)
  call expect(all(short == [2, 1]), 'partition: int64, int32')

  call hpart_front_compute(platform, n, HPART_ENERGY_DYNAMIC, front)
  call hpart_front_point(front, 1, seconds, joules, long)
  call hpart_front_point(front, 1_int64, seconds, joules, short)
  call expect(sum(long) == 3 .and. all(long == short), 'front_point')
  call hpart_schedule_compute(platform, 3, schedule)
  call hpart_schedule_task(schedule, 1, rows(1), rows(2), n)
  call hpart_schedule_task(schedule, 1_int64, short(1), short(2), ierr)
  call expect(rows(1) == short(1) .and. rows(2) == short(2), 'schedule_task')

  call hpart_platform_set_limits(platform, 1, 2, large)
  call hpart_platform_get_limits(platform, 1, smallest, largest)
  call expect(smallest == 2 .and. largest == large, 'set_limits: literals, int64')
  call hpart_platform_set_limits(platform, 2_int64, 3_int32, 4_int64)
  call hpart_platform_set_limits(platform, 1_int32, 1_int64, 7_int32)
  call hpart_platform_get_limits(platform, 1, smallest, largest)
  call expect(smallest == 1 .and. largest == 7, 'set_limits: int64 between int32')
  call hpart_platform_set_link(platform, 1, 2_int64, 1e-5_real64, 1e9_real64)
  call hpart_platform_get_link(platform, 1_int64, 2, seconds, bandwidth)
  call expect(seconds == 1e-5_real64 .and. bandwidth == 1e9_real64, 'set_link, get_link')

  call hpart_matrix_partition([0.5_real64, 0.5_real64], 6, 4, rows, columns, heights, widths)
  call hpart_matrix_partition([0.5_real64, 0.5_real64], 6_int64, 4_int64, short_rows, short_columns, short_heights, short_widths)
  call expect(sum(heights*widths) == 24 .and. all(heights == short_heights) .and. all(widths == short_widths), 'matrix_partition')

  call hpart_adaptive_create(2, large, adaptive)
  call hpart_adaptive_distribution(adaptive, long)
  call expect(sum(long) == large, 'adaptive_create: a literal, int64')
  call hpart_adaptive_set_limits(adaptive, 1, 1, large/3)
  call hpart_adaptive_set_limits(adaptive, 2_int64, 0_int32, large)
  call hpart_adaptive_distribution(adaptive, long)
  call expect(long(1) <= large/3, 'adaptive_set_limits: literals, int64')

  ! A value that a smaller kind cannot hold is an error and leaves the outputs.
  short = 7
  seconds = 7
  call hpart_adaptive_distribution(adaptive, short, ierr)
  call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'needs an integer(int64)', hpart_last_error())
  call hpart_platform_create(2, platform)
  call hpart_platform_set_time_function(platform, 1, [large], [1.0_real64])
  call hpart_partition_time(platform, large, short, seconds, ierr)
  call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'x would get 9000000000, which needs an integer(int64)', hpart_last_error())
  call hpart_matrix_partition([1.0_real64], large, large, short_rows(:1), short_columns(:1), short(:1), short(2:), ierr)
  call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, '9000000000', hpart_last_error())
  call expect(all(short == 7) .and. seconds == 7, 'outputs untouched')
  call finish_checks()
end program
