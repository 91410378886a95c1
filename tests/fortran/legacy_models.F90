! FORTRAN 77's schedules, links, slices, rectangles, groupings, meters and getters, for both kinds of integers.
#define PASTE(name) name
#define F77(name) PASTE(hpart_f77_)PASTE(name)TAIL
subroutine kernel(size, failed)
  integer size, failed
  failed = min(size, 0)
end subroutine

program legacy_models
  use check
  implicit none
  external kernel
  integer p, q, s, r, m, t, again, ierr, k, n, processor, size, repeats, total, first, last, sizes(4), rows(2), &
      columns(2), &
      heights(2), widths(2)
  double precision cpu(4), gpu(4), seconds, latency, rate, areas(2), joules
  character*200 text
  character*300 message
  data sizes /2, 4, 8, 10/
  data cpu /1d0, 2d0, 5d0, 7d0/, gpu /2d0, 2.1d0, 2.5d0, 6d0/, areas /0.25d0, 0.75d0/

  call F77(platform_create)(2, p, ierr)
  call F77(platform_set_time_function)(p, 1, 4, sizes, cpu, ierr)
  call F77(platform_set_time_function)(p, 2, 4, sizes, gpu, ierr)

  call F77(schedule_compute)(p, 100, 0, s, ierr)
  call expect(ierr == 0, 'schedule_compute')
  call F77(schedule_makespan)(s, seconds, ierr)
  call F77(schedule_tasks)(s, n, ierr)
  call expect(ierr == 0 .and. n >= 1 .and. seconds > 0, 'schedule_makespan and _tasks')
  total = 0
  do k = 1, n
    call F77(schedule_task)(s, k, processor, size, repeats, ierr)
    call expect(ierr == 0 .and. processor >= 1 .and. processor <= 2 .and. any(sizes == size), 'schedule_task')
    total = total + size*repeats
  end do
  call expect(total == 100, 'the tasks sum to the size')
  call F77(schedule_task)(s, n + 1, processor, size, repeats, ierr)
  call refused(ierr, 'the schedule')
  call F77(schedule_task)(p, 1, processor, size, repeats, ierr)
  call refused(ierr, ', a handle of the kind PLATFORM')
  call F77(schedule_write)(s, 'legacy_schedules.csv', 'app', ierr)
  call expect(ierr == 0, 'schedule_write')
  call F77(schedule_read)('legacy_schedules.csv', 'app', 100, p, q, ierr)
  call expect(ierr == 0, 'schedule_read')
  call F77(schedule_makespan)(q, joules, ierr)
  call expect(ierr == 0 .and. joules == seconds, 'the schedule read is the one written')
  call F77(destroy)(q, ierr)
  call F77(schedule_read)('legacy_schedules.csv', 'app', 101, 0, q, ierr)
  call hpart_f77_last_error(message)
  call expect(ierr == -3 .and. index(message, 'no schedule of size 101') > 0, 'a schedule that the table lacks')
  call F77(team_create)(t, ierr)
  call F77(team_add)(t, 'a', kernel, ' ', ierr)
  call F77(team_add)(t, 'b', kernel, ' ', ierr)
  call F77(options_create)(again, ierr)
  call F77(options_set_int)(again, 'max_repetitions', 10, ierr)
  call F77(team_run_schedule)(t, s, again, seconds, r, ierr)
  call expect(ierr == 0 .and. seconds >= 0, 'team_run_schedule')
  call F77(team_self_schedule)(t, 'guided', 100, 0, again, seconds, r, ierr)
  call expect(ierr == 0 .and. seconds >= 0, 'team_self_schedule')
  call F77(destroy)(t, ierr)
  call F77(destroy)(again, ierr)
  call F77(destroy)(s, ierr)
  call expect(ierr == 0 .and. s == 0, 'a schedule is destroyed')

  call F77(platform_set_link)(p, 1, 2, 1d-6, 1d9, ierr)
  call F77(platform_get_link)(p, 1, 2, latency, rate, ierr)
  call expect(ierr == 0 .and. latency == 1d-6 .and. rate == 1d9, 'platform_set_link')
  call F77(platform_set_link)(p, 1, 3, 1d-6, 1d9, ierr)
  call refused(ierr, 'TO is 3; the platform has them from 1 to 2')
  call F77(platform_set_host_link)(p, 2, 2d-6, 2d9, ierr)
  call F77(platform_get_host_link)(p, 2, latency, rate, ierr)
  call expect(ierr == 0 .and. latency == 2d-6 .and. rate == 2d9, 'platform_set_host_link')
  call F77(platform_set_link_energy)(p, 1, 2, 5d-10, ierr)
  call F77(platform_get_link_energy)(p, 1, 2, rate, ierr)
  call expect(ierr == 0 .and. rate == 5d-10, 'platform_set_link_energy')
  call F77(platform_set_host_link_energy)(p, 2, 4d-10, ierr)
  call F77(platform_get_host_link_energy)(p, 2, rate, ierr)
  call expect(ierr == 0 .and. rate == 4d-10, 'platform_set_host_link_energy')
  call F77(platform_set_node)(p, 1, 2, 3d1, ierr)
  call F77(platform_get_node)(p, 2, first, last, rate, ierr)
  call expect(ierr == 0 .and. first == 1 .and. last == 2 .and. rate == 3d1, 'platform_set_node')
  call F77(platform_set_node)(p, 1, 2, 0d0, ierr)

  open (10, file='fortran_legacy_family.csv')
  write (10, '(a)') 'parameter,processor,size,time', '100,CPU,1,1', '200,CPU,1,2', '200,GPU,1,2'
  close (10)
  call F77(platform_read_slice)('fortran_legacy_family.csv', 200, 0, q, ierr)
  call F77(platform_processors)(q, n, ierr)
  call expect(ierr == 0 .and. n == 2, 'platform_read_slice')
  open (10, file='fortran_legacy_family.csv')
  close (10, status='delete')

  call F77(matrix_partition)(2, areas, 40, 20, rows, columns, heights, widths, r, ierr)
  call expect(ierr == 0 .and. heights(1)*widths(1) == 200 .and. heights(2)*widths(2) == 600 .and. all(rows >= 1) .and. &
      all(columns >= 1) .and. all(rows + heights <= 41) .and. all(columns + widths <= 21), 'matrix_partition')
  call F77(destroy)(r, ierr)

  call F77(grouping_count)(' ', n, ierr)
  if (ierr == 0) then
    call F77(grouping_describe)(' ', n, text, ierr)
    call expect(ierr == 0 .and. n >= 1 .and. len_trim(text) > 4, 'grouping_describe')
    call F77(grouping_describe)(' ', n + 8, text, ierr)
    call refused(ierr, 'K is')
  else
    call expect(ierr == -7, 'grouping_count')
  end if

  call F77(meter_open)('estimate:10', 0, m, ierr)
  call F77(meter_start)(m, ierr)
  call F77(meter_stop)(m, joules, seconds, ierr)
  call expect(ierr == 0 .and. joules >= 0 .and. seconds >= 0, 'meter_open, _start and _stop')
  call F77(team_create)(t, ierr)
  call F77(team_add)(t, 'one', kernel, ' ', ierr)
  call F77(team_set_meter)(t, 0, m, ierr)
  call expect(ierr == 0, 'team_set_meter: the node')
  call F77(team_set_meter)(t, 2, m, ierr)
  call expect(ierr == -1, 'team_set_meter: no such processor')
  call F77(team_set_meter)(t, 0, p, ierr)
  call refused(ierr, 'METER is')
  call F77(team_set_meter)(t, 0, 0, ierr)
  call expect(ierr == 0, 'team_set_meter: none')
  call F77(destroy)(t, ierr)
  call F77(destroy)(m, ierr)
  call expect(ierr == 0, 'a meter is closed')
  call F77(meter_start)(m, ierr)
  call refused(ierr, 'METER is 0, not a handle')
  call getters()
  call finish_checks()

contains

  ! Procedures that only convert their arguments and that no other test calls.
  subroutine getters()
    integer p, q, f, t, r, ierr, n, k, works, x(2), pair(4), sizes(2), low, high
    double precision watts, seconds(2), least, mean, largest, shares(2)
    character*400 text
    data sizes /1, 2/, seconds /1d0, 2d0/

    call F77(platform_create)(2, p, ierr)
    call F77(platform_set_time_function)(p, 1, 2, sizes, seconds, ierr)
    call F77(platform_set_base_power)(p, 7d0, ierr)
    call F77(platform_get_base_power)(p, watts, ierr)
    call expect(ierr == 0 .and. watts == 7, 'platform_get_base_power')
    call F77(platform_set_border_bytes)(p, 8d0, ierr)
    call F77(platform_get_border_bytes)(p, watts, ierr)
    call expect(ierr == 0 .and. watts == 8, 'platform_get_border_bytes')
    call F77(platform_set_kernel)(p, 'sweep 2', ierr)
    call F77(platform_get_kernel)(p, text, ierr)
    call expect(ierr == 0 .and. text == 'sweep 2', 'platform_get_kernel')
    call F77(platform_set_limits)(p, 2, 3, 4, ierr)
    call F77(platform_get_limits)(p, 2, low, high, ierr)
    call expect(ierr == 0 .and. low == 3 .and. high == 4, 'platform_get_limits')
    low = -1
    call F77(platform_get_limits)(p, 1, low, high, ierr)   ! none: the largest fits INTEGER*8 alone
    call expect((ierr == 0 .and. low >= 0 .and. kind(n) == 8) .or. (ierr == -1 .and. low == -1), 'both limits or neither')
    call F77(platform_get_limits)(p, 3, low, high, ierr)
    call refused(ierr, 'PROCESSOR is 3; the platform has them from 1 to 2')

    call F77(platform_replicate)(p, 3, q, ierr)
    call F77(platform_processors)(q, n, ierr)
    call expect(ierr == 0 .and. n == 6, 'platform_replicate')
    call F77(platform_replicate)(p, 0, q, ierr)
    call refused(ierr, 'copies is 0')

    x = [1, 3]
    call F77(shares_compute)(2, x, shares, ierr)
    call expect(ierr == 0 .and. shares(1) == 0.25d0 .and. shares(2) == 0.75d0, 'shares_compute')
    call F77(platform_set_limits)(p, 2, 1, 2, ierr)
    call F77(platform_set_time_function)(p, 2, 2, sizes, seconds, ierr)
    call F77(platform_set_energy_function)(p, 1, 2, sizes, seconds, ierr)
    call F77(platform_set_energy_function)(p, 2, 2, sizes, seconds, ierr)
    call F77(front_compute)(p, 2, 0, 0, f, ierr)
    call expect(ierr == 0, 'front_compute')
    call F77(front_processors)(f, n, ierr)
    call expect(ierr == 0 .and. n == 2, 'front_processors')

    call F77(meter_count)(n, ierr)
    call expect(ierr == 0 .and. n >= 1, 'meter_count')
    do k = 1, n
      works = 1
      call F77(meter_describe)(k, text, works, ierr)
      call expect(ierr == 0 .and. text /= ' ' .and. works <= 0, 'meter_describe')
    end do
    call F77(meter_describe)(n + 1, text, works, ierr)
    call expect(ierr == -1, 'meter_describe of no kind')
    call F77(device_count)(n, ierr)
    call expect(ierr == 0 .and. n >= 0, 'device_count')
    call F77(device_describe)(n + 1, text, ierr)
    call refused(ierr, 'this machine')
    if (n > 0) call F77(device_describe)(n, text, ierr)
    if (n > 0) call expect(ierr == 0 .and. text /= ' ', 'device_describe')

    call F77(team_create)(t, ierr)
    call F77(team_add)(t, 'a', kernel, ' ', ierr)
    call F77(team_add)(t, 'b', kernel, ' ', ierr)
    call F77(team_set_kernel)(t, 'nothing', ierr)
    call F77(team_get_kernel)(t, text, ierr)
    call expect(ierr == 0 .and. text == 'nothing', 'team_get_kernel')
    pair = [1, 1, 2, 2]
    call F77(energy_additivity)(t, 0, 2, pair, 0, least, mean, largest, r, ierr)
    call expect(ierr /= 0, 'energies without a meter')
    call F77(team_get_kernel)(p, text, ierr)
    call refused(ierr, ', a handle of the kind PLATFORM')
  end subroutine

#include "legacy_refused.inc"
end program
