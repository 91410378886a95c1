! FORTRAN 77's procedures, for default integers and, with -DTAIL=_64 -fdefault-integer-8, for integers of 8 bytes.
#define PASTE(name) name
#define F77(name) PASTE(hpart_f77_)PASTE(name)TAIL
subroutine kernel(size, failed)
  integer size, failed
  common /runs/ runs, last
  integer runs, last
  runs = runs + 1
  last = size
end subroutine

subroutine bad_kernel(size, failed)
  integer size, failed
  failed = size
end subroutine

program legacy
  use check
  implicit none
  external kernel, bad_kernel
  common /runs/ runs, last
  integer runs, last
  integer p, o, f, r, t, a, d, again, ierr, k, n, x(2), sizes(4), got(4), reps(4), held(500)
  integer*8 wide, wide_x(2), wide_error, pair
  integer*4 halves(2)
  equivalence (pair, halves)
  double precision cpu(4), gpu(4), low(4), low_energy(4), high_energy(4), seconds, joules, times(2), values(4), other(4)
  character*40 text
  character*3 short
  character*300 message
  data sizes /2, 4, 8, 10/
  data cpu /1d0, 2d0, 5d0, 7d0/, gpu /2d0, 2.1d0, 2.5d0, 6d0/

  ! Literals, the worked problem.
  call F77(platform_create)(2, p, ierr)
  call expect(ierr == 0 .and. p >= 1, 'platform_create')
  call F77(platform_set_time_function)(p, 1, 4, sizes, cpu, ierr)
  call F77(platform_set_time_function)(p, 2, 4, sizes, gpu, ierr)
  call F77(platform_set_name)(p, 2, 'GPU', ierr)
  call F77(partition_time)(p, 12, 0, x, seconds, ierr)
  call expect(ierr == 0 .and. x(1) == 4 .and. x(2) == 8 .and. seconds == 2.5d0, 'partition_time')
  call F77(platform_processors)(p, n, ierr)
  call expect(ierr == 0 .and. n == 2, 'platform_processors')
  call F77(platform_get_name)(p, 2, text, ierr)
  call expect(ierr == 0 .and. text == 'GPU', 'platform_get_name')
  call F77(platform_evaluate)(p, x, seconds, joules, ierr)
  call expect(ierr == 0 .and. seconds == 2.5d0 .and. joules /= joules, 'platform_evaluate: no energies')
  call F77(platform_get_function)(p, 2, got, values, other, 4, n, ierr)
  call expect(ierr == 0 .and. n == 4 .and. all(got == sizes) .and. all(values == gpu), 'platform_get_function')
  call F77(platform_get_function)(p, 2, got, values, other, 0, n, ierr)
  call expect(ierr == 0 .and. n == 4, 'platform_get_function: the number')
  call F77(platform_get_function)(p, 2, got, values, other, 3, n, ierr)
  call refused(ierr, 'capacity')
  call F77(platform_set_energy_function)(p, 1, 4, sizes, cpu, ierr)
  call F77(platform_set_energy_function)(p, 2, 4, sizes, gpu, ierr)
  reps = 5
  low = cpu / 2
  call F77(platform_set_time_interval)(p, 1, 4, sizes, low, cpu, reps, ierr)
  call F77(platform_set_energy_interval)(p, 1, 4, sizes, low, cpu, reps, ierr)
  call expect(ierr == 0, 'platform_set_time_interval and _energy_interval')
  reps = 0
  call F77(platform_get_intervals)(p, 1, values, other, low_energy, high_energy, reps, 4, n, ierr)
  call expect(ierr == 0 .and. n == 4 .and. all(values == low) .and. all(other == cpu) .and. all(reps == 5) .and. &
      all(low_energy == low) .and. all(high_energy == cpu), 'platform_get_intervals')
  call F77(platform_set_base_power)(p, 1d0, ierr)
  call F77(partition_energy)(p, 12, 0, x, joules, ierr)
  call expect(ierr == 0 .and. x(1) == 4 .and. joules == 4.5d0, 'partition_energy')
  call F77(partition_total_energy)(p, 12, 0, x, joules, ierr)
  call expect(ierr == 0 .and. x(1) == 4 .and. joules == 7d0, 'partition_total_energy')
  call F77(platform_write)(p, 'fortran_legacy.csv', ierr)
  call F77(platform_read)('fortran_legacy.csv', again, ierr)
  call expect(ierr == 0 .and. again /= p, 'written and read')
  open (10, file='fortran_legacy.csv')
  close (10, status='delete')
  call F77(platform_set_limits)(again, 2, 1, 4, ierr)
  call F77(partition_time)(again, 12, 0, x, seconds, ierr)
  call expect(ierr == 0 .and. x(1) == 8 .and. x(2) == 4, 'platform_set_limits')

  ! Options and reports.
  call F77(options_create)(o, ierr)
  call F77(options_set_string)(o, 'method', 'equal', ierr)
  call F77(options_set_double)(o, 'time_limit', 10d0, ierr)
  call F77(options_set_int)(o, 'threads', 1, ierr)
  call expect(ierr == 0, 'options')
  call F77(options_set_previous)(o, 2, x, ierr)
  call F77(options_set_previous)(o, 0, x, ierr)
  call expect(ierr == 0, 'options_set_previous')
  call F77(partition)(p, 0, 8, o, x, seconds, joules, r, ierr)
  call expect(ierr == 0 .and. x(1) == 4 .and. seconds == 2.1d0 .and. joules == 4.1d0, 'partition with options')
  call F77(report_get_int)(r, 'active', n, ierr)
  call expect(ierr == 0 .and. n == 2, 'report_get_int')
  call F77(report_get_string)(r, 'method', text, ierr)
  call expect(ierr == 0 .and. text == 'equal', 'report_get_string')
  call F77(report_get_double)(r, 'solve_seconds', seconds, ierr)
  call expect(ierr == 0 .and. seconds >= 0, 'report_get_double')
  call F77(report_get_doubles)(r, 'active', values, 4, n, ierr)
  call expect(ierr == 0 .and. n == 1 .and. values(1) == 2, 'report_get_doubles')
  call F77(report_count)(r, n, ierr)
  call F77(report_key)(r, n, text, ierr)
  call F77(report_type)(r, text, k, ierr)
  call expect(ierr == 0 .and. n > 3 .and. k >= 0, 'report_key and report_type')
  call F77(report_key)(r, n + 1, text, ierr)
  call refused(ierr, 'K is')
  call F77(report_get_string)(r, 'method', short, ierr)
  call refused(ierr, 'TEXT has 3 characters; it must have at least 5')

  ! Fronts.
  call F77(front_compute)(p, 12, 0, 0, f, ierr)
  call F77(front_count)(f, n, ierr)
  call F77(front_point)(f, 1, seconds, joules, x, ierr)
  call expect(ierr == 0 .and. n >= 1 .and. seconds == 2.5d0 .and. x(1) == 4 .and. x(2) == 8, 'a front')
  call F77(front_point)(f, n + 1, seconds, joules, x, ierr)
  call refused(ierr, 'K is')

  ! Teams: the kernel is an external subroutine.
  call F77(team_create)(t, ierr)
  call F77(team_add)(t, 'own', kernel, ' ', ierr)
  call expect(ierr == 0, 'team_add')
  call F77(options_create)(again, ierr)
  call F77(options_set_int)(again, 'max_repetitions', 5, ierr)
  runs = 0
  x(1) = 77
  call F77(team_execute)(t, x, 0, times, r, ierr)
  call expect(ierr == 0 .and. runs >= 1 .and. last == 77 .and. times(1) >= 0, 'team_execute')
  call F77(team_measure)(t, x, again, times, r, ierr)
  call expect(ierr == 0 .and. runs > 3, 'team_measure')
  x(2) = 5
  call F77(team_compare)(t, 2, x, again, times, r, ierr)
  call expect(ierr == 0 .and. all(times >= 0), 'team_compare')
  call F77(report_get_doubles)(r, 'ratios', values, 4, n, ierr)
  call expect(ierr == 0 .and. n == 2 .and. values(1) == 1, 'ratios of team_compare')
  call F77(team_optimize)(t, 0, 4, 2, sizes, again, x, values(1), a, r, ierr)
  call expect(ierr == 0 .and. x(1) == 4, 'team_optimize')
  call F77(team_optimize_front)(t, 4, 0, 2, sizes, again, f, a, r, ierr)
  call refused(ierr, 'has no meter')
  call F77(team_set_kernel)(t, 'own 1.0', ierr)
  call expect(ierr == 0, 'team_set_kernel')
  call F77(team_profile)(t, 2, sizes, again, a, ierr)
  call F77(platform_get_function)(a, 1, got, values, other, 4, n, ierr)
  call expect(ierr == 0 .and. n == 2 .and. got(1) == 2 .and. got(2) == 4, 'team_profile')
  call F77(team_add)(t, 'bad', bad_kernel, ' ', ierr)
  call F77(team_processors)(t, n, ierr)
  call expect(n == 2, 'team_processors')
  x(2) = 1
  call F77(team_execute)(t, x, 0, times, r, ierr)
  call expect(ierr == -9, 'a kernel that fails')

  ! Adaptive applications.
  call F77(adaptive_create)(2, 90, 0, a, ierr)
  do k = 1, 3
    call F77(adaptive_distribution)(a, x, ierr)
    times(1) = x(1)
    times(2) = 2*x(2)
    call F77(adaptive_update)(a, x, times, ierr)
  end do
  call F77(adaptive_converged)(a, n, ierr)
  call expect(ierr == 0 .and. n == 1 .and. abs(x(1) - 60) <= 2 .and. sum(x) == 90, 'an adaptive application')
  call F77(adaptive_set_limits)(a, 1, 0, 20, ierr)
  call F77(adaptive_distribution)(a, x, ierr)
  call F77(adaptive_processors)(a, n, ierr)
  call expect(x(1) <= 20 .and. n == 2, 'adaptive_set_limits')
  call F77(adaptive_start_from)(a, p, ierr)
  call refused(ierr, 'before the first one')
  call F77(adaptive_start_from)(a, a, ierr)
  call refused(ierr, 'PLATFORM is')
  call F77(adaptive_report)(a, r, ierr)
  call F77(adaptive_functions)(a, again, ierr)
  call F77(platform_processors)(again, n, ierr)
  call expect(ierr == 0 .and. n == 2, 'adaptive_functions')

  ! Wrong handles.
  call F77(partition_time)(0, 12, 0, x, seconds, ierr)
  call refused(ierr, 'PLATFORM is 0, not a handle')
  call F77(partition_time)(f, 12, 0, x, seconds, ierr)
  call refused(ierr, ', a handle of the kind FRONT')
  call F77(partition_time)(p, 12, p, x, seconds, ierr)
  call refused(ierr, 'OPTIONS is')
  call F77(partition)(123456, 0, 12, 0, x, seconds, joules, r, ierr)
  call refused(ierr, 'PLATFORM is 123456, not a handle')
  call F77(front_count)(-1, n, ierr)
  call refused(ierr, 'FRONT is -1')
  call F77(options_set_int)(0, 'threads', 1, ierr)
  call refused(ierr, 'options')
  again = p
  call F77(destroy)(p, ierr)
  call expect(ierr == 0 .and. p == 0, 'destroy')
  call F77(destroy)(p, ierr)
  call expect(ierr == 0, 'destroy of 0')
  call F77(partition_time)(again, 12, 0, x, seconds, ierr)
  call refused(ierr, 'never created, or destroyed')
  call F77(destroy)(again, ierr)
  call refused(ierr, 'HANDLE is')
  call F77(platform_create)(3, p, ierr)
  call expect(p /= again, 'a destroyed handle is not given again')
  call F77(platform_set_time_function)(p, 4, 4, sizes, cpu, ierr)
  call refused(ierr, 'PROCESSOR is 4; the platform has them from 1 to 3')
  do k = 1, 500
    call F77(platform_create)(k, held(k), ierr)
  end do
  do k = 1, 500
    call F77(platform_processors)(held(k), n, ierr)
    call expect(ierr == 0 .and. n == k, 'one of many handles')
    call F77(destroy)(held(k), ierr)
  end do

  ! A handle belongs to both kinds. What does not fit INTEGER*4 is an error there.
  wide = p
  wide_x = 0
  call hpart_f77_adaptive_create_64(2_8, 9000000000_8, 0_8, wide, wide_error)
  a = wide
  call hpart_f77_adaptive_distribution_64(wide, wide_x, wide_error)
  call expect(wide_error == 0 .and. sum(wide_x) == 9000000000_8, 'the procedures for integers of 8 bytes')
  call F77(adaptive_distribution)(a, x, ierr)
  if (kind(ierr) == 4) then
    call refused(ierr, 'X would get')
    call expect(sum(x) == 90, 'nothing is cut')
  else
    call expect(ierr == 0 .and. all(x == wide_x), 'the distribution')
  end if

  ! Two INTEGER*4 that are read as one INTEGER*8.
  halves(1) = 2
  halves(2) = 3
  call hpart_f77_platform_create_64(pair, wide, wide_error)
  call refused(int(wide_error, kind(ierr)), 'PROCESSORS is 12884901890; was INTEGER*4 passed?')
  call hpart_f77_platform_processors_64(pair, wide, wide_error)
  call refused(int(wide_error, kind(ierr)), 'PLATFORM is 12884901890; was INTEGER*4 passed?')
  call hpart_f77_destroy_64(pair, wide_error)
  call refused(int(wide_error, kind(ierr)), 'HANDLE is 12884901890; was INTEGER*4 passed?')
  wide = p
  wide_x = 1
  call hpart_f77_platform_set_time_function_64(wide, 1_8, pair, wide_x, cpu, wide_error)
  call refused(int(wide_error, kind(ierr)), 'POINTS is 12884901890; was INTEGER*4 passed?')
  call F77(device_open)('host', 0, d, ierr)
  wide = d
  call hpart_f77_dgetrf_64(wide, pair, pair, cpu, pair, wide_x, wide_error)
  call refused(int(wide_error, kind(ierr)), 'was INTEGER*4 passed?')
  call finish_checks()

contains
#include "legacy_refused.inc"
end program
