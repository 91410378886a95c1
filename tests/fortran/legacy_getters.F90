! FORTRAN 77's procedures that only convert their arguments and that no other test calls, for both kinds of integers.
#define PASTE(name) name
#define F77(name) PASTE(hpart_f77_)PASTE(name)TAIL
subroutine kernel(size, failed)
  integer size, failed
  failed = min(size, 0)
end subroutine

program legacy_getters
  use check
  implicit none
  external kernel
  integer p, q, f, t, r, ierr, n, k, works, x(2), pair(4), sizes(2), low, high
  double precision watts, seconds(2), least, mean, largest, shares(2)
  character*400 text
  character*300 message
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
  call F77(family_create)(f, ierr)
  call F77(family_add)(f, 10, p, ierr)
  call F77(family_count)(f, n, ierr)
  call expect(ierr == 0 .and. n == 1, 'family_count')

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
  call finish_checks()

contains

#include "legacy_refused.inc"
end program
