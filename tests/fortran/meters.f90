! Every call of meters: a counter of the program's own, one of the library's kinds, and their failures.
module own_meter
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_ptr
  implicit none
contains
  ! 50 W on a counter that wraps at 100 J; a second passes from one reading to the next.
  recursive function read_counter(user, value, time_seconds) bind(C) result(failed)
    type(c_ptr), value :: user
    real(c_double), intent(out) :: value, time_seconds
    integer(c_int) :: failed
    integer(c_int), pointer :: seconds
    call c_f_pointer(user, seconds)
    seconds = seconds + 1
    time_seconds = seconds
    value = mod(50*seconds, 100)
    failed = 0
    if (seconds > 100) failed = 4
  end function

  ! A node of 58 W whose kernels take a second and burn 3 J a unit of size.
  recursive function burn(size, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    type(c_ptr), value :: user
    integer(c_int) :: failed
    real(c_double), pointer :: node(:)
    call c_f_pointer(user, node, [2])
    node = node + [1.0_c_double, 58 + 3*real(size, c_double)]
    failed = 0
  end function

  recursive function read_node(user, value, time_seconds) bind(C) result(failed)
    type(c_ptr), value :: user
    real(c_double), intent(out) :: value, time_seconds
    integer(c_int) :: failed
    real(c_double), pointer :: node(:)
    call c_f_pointer(user, node, [2])
    time_seconds = node(1)
    value = node(2)
    failed = 0
  end function

  recursive subroutine freed(user) bind(C)
    type(c_ptr), value :: user
    integer(c_int), pointer :: seconds
    call c_f_pointer(user, seconds)
    seconds = -1
  end subroutine
end module

program meters_test
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use check
  use hpart
  use own_meter
  implicit none
  integer(c_int), target :: seconds_read = 0
  type(hpart_meter) :: meter, other
  type(hpart_options) :: options
  type(hpart_report) :: report
  real(real64) :: joules, seconds, watts, error
  character(len=:), allocatable :: text
  integer(int32) :: ierr, works
  integer(int64) :: k
  logical :: has_estimate

  call hpart_meter_create('own', read_counter, HPART_JOULES, 1.0_real64, 100.0_real64, meter, &
      user=c_loc(seconds_read), free_user=freed)
  call hpart_meter_start(meter)
  call hpart_meter_stop(meter, joules, seconds)
  call expect(joules > 0 .and. abs(joules - 50*seconds) < 1e-9_real64, 'energy over a wrap')
  call hpart_meter_report(meter, report)
  call hpart_report_get_string(report, 'method', text)
  call expect(text == 'counter', 'the method of a reading')
  seconds_read = 1000
  call hpart_meter_start(meter, ierr)
  call expect(ierr == HPART_ERR_CALLBACK .and. index(hpart_last_error(), 'returned 4') > 0, 'a meter that cannot be read')
  call hpart_meter_close(meter)
  call expect(seconds_read == -1, 'what the meter owned is freed')

  call hpart_options_create(options)
  call hpart_options_set(options, 'base_power', 7.0_real64)
  call hpart_meter_open('estimate:10', meter, options=options)
  other = meter
  call hpart_meter_start(other)
  call hpart_meter_stop(meter, joules, seconds)
  call expect(joules >= 0 .and. seconds >= 0, 'an estimate')
  call hpart_meter_report(meter, report)
  call hpart_report_get_double(report, 'base_power', watts)
  call expect(watts == 7, 'the base power that was given')
  call hpart_meter_base_power(meter, 0.05_real64, watts, error)
  call expect(watts >= 0 .and. error >= 0, 'a base power')
  call hpart_meter_open('volts', meter, ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT .and. index(hpart_last_error(), 'rapl') > 0, 'a spec that is none')

  has_estimate = .false.
  do k = 1, hpart_meter_count()
    call hpart_meter_describe(k, text, works)
    if (index(text, 'estimate:W ') == 1) has_estimate = works == HPART_SUCCESS
  end do
  call expect(has_estimate, 'an estimate works everywhere')
  call hpart_meter_describe(1, text, works)
  call expect(index(text, 'rapl ') == 1, 'the first kind')
  call hpart_meter_describe(0, text, works, ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'kinds count from 1')
  call teams()
  call finish_checks()

contains

  subroutine teams()
    real(c_double), target :: node(2)
    real(real64), allocatable :: energy(:)
    real(real64) :: times(2), least, mean, largest
    type(hpart_team) :: team
    node = 0
    call hpart_options_create(options)
    call hpart_options_set(options, 'min_repetitions', 2)
    call hpart_options_set(options, 'max_repetitions', 2)
    call hpart_options_set(options, 'base_power', 58.0_real64)
    call hpart_team_create(team)
    call hpart_team_add(team, 'one', burn, user=c_loc(node))
    call hpart_team_add(team, 'two', burn, user=c_loc(node))
    call hpart_meter_create('node', read_node, HPART_JOULES, 1e-6_real64, 0.0_real64, meter, user=c_loc(node))
    call hpart_team_measure(team, [0, 5], times, ierr, options, joules=energy)
    call expect(ierr == HPART_ERR_INVALID_ARGUMENT .and. .not. allocated(energy), 'a team without a meter')
    call hpart_team_set_meter(team, 3, meter, ierr)
    call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'a meter of a processor that is not there')
    call hpart_team_set_meter(team, 0, meter)
    call hpart_team_measure(team, [0, 5], times, options=options, report=report, joules=energy)
    call expect(size(energy) == 1, 'one energy of the node')
    call expect(abs(energy(1) - 15) < 1e-9_real64, 'dynamic energy')
    call hpart_report_get_double(report, 'energy_total', watts)
    call expect(abs(watts - 73) < 1e-9_real64, 'total energy')
    call hpart_energy_additivity(team, reshape([0, 5, 4, 0], [2, 2]), least, mean, largest, options=additivity_options())
    call expect(abs(least) + abs(mean) + abs(largest) < 1e-9_real64, 'energies that add up')
    call hpart_energy_additivity(team, reshape([0, 5, 4], [1, 3]), least, mean, largest, ierr)
    call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'columns that are no distributions')
    call hpart_team_set_meter(team, 0_int64)
    call hpart_team_set_meter(team, 2_int64, meter)
    call hpart_team_measure(team, [5, 0], times, ierr, joules=energy)
    call expect(ierr == HPART_ERR_INVALID_ARGUMENT .and. index(hpart_last_error(), "'one' has no meter") > 0, 'half the meters')
  end subroutine

  function additivity_options() result(options)
    type(hpart_options) :: options
    call hpart_options_create(options)
    call hpart_options_set(options, 'base_power', 58.0_real64)
    call hpart_options_set(options, 'max_repetitions', 2)
  end function
end program
