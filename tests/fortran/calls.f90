! Every call that needs neither a solver nor a team: right answers over both integer kinds, and what bad input gives.
program calls
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_positive_inf, ieee_value
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart
  use check
  implicit none

  call versions_and_texts()
  call platform_of_both_kinds()
  call getters()
  call intervals()
  call links_and_power()
  call files()
  call bad_input()
  call failures_leave_outputs()
  call finish_checks()

contains

  subroutine make(platform)
    type(hpart_platform), intent(inout) :: platform
    call hpart_platform_create(2, platform)
    call hpart_platform_set_name(platform, 1, 'CPU   ')
    call hpart_platform_set_name(platform, 2_int64, 'GPU')
    call hpart_platform_set_time_function(platform, 1, [3, 1, 2], [30.0_real64, 10.0_real64, 20.0_real64])
    call hpart_platform_set_time_function(platform, 2, [1_int64, 2_int64], [0.5_real64, 0.25_real64])
    call hpart_platform_set_energy_function(platform, 2, [1_int64], [7.0_real64])
  end subroutine

  subroutine versions_and_texts()
    integer(int32) :: major, minor, patch
    call hpart_version(major, minor, patch)
    call expect(major >= 0 .and. minor >= 0 .and. patch >= 0, 'version')
    call expect(len(hpart_strerror(HPART_ERR_INFEASIBLE)) > 0, 'strerror of a status')
    call expect(len(hpart_strerror(12345)) > 0, 'strerror of no status')
    call expect(hpart_last_error() == '', 'no failure yet')
    call expect(hpart_device_count() >= 0, 'device count')
  end subroutine

  subroutine platform_of_both_kinds()
    type(hpart_platform) :: platform
    integer(int32) :: short(2)
    integer(int64) :: long(2), sizes(4)
    real(real64) :: seconds, joules, values(2, 2)
    call make(platform)
    call expect(hpart_platform_processors(platform) == 2, 'processors')
    short = [3, 2]
    call hpart_platform_evaluate(platform, short, seconds)
    call expect(seconds == 30.0_real64, 'evaluate over int32')
    long = [0, 1]
    call hpart_platform_evaluate(platform, long, seconds, joules)
    call expect(seconds == 0.5_real64 .and. joules == 7.0_real64, 'evaluate over int64')
    ! Every pair of kinds, and an array that is not contiguous.
    call hpart_platform_set_time_function(platform, 1_int64, [5_int64], [1.0_real64])
    call hpart_platform_set_time_function(platform, 1_int64, [5], [1.0_real64])
    call hpart_platform_set_speed_function(platform, 2, [8, 4, 2, 1], [4.0_real64, 2.0_real64, 1.0_real64, 1.0_real64])
    sizes = [10, 99, 20, 99]
    values = reshape([1.0_real64, -1.0_real64, 2.0_real64, -1.0_real64], [2, 2])
    call hpart_platform_set_time_function(platform, 1, sizes(1:3:2), values(1, :))
    call hpart_platform_evaluate(platform, [20_int64, 0_int64], seconds)
    call expect(seconds == 2.0_real64, 'sections with a stride')
    call hpart_platform_set_limits(platform, 1, 2, 5)
    call hpart_platform_set_limits(platform, 2_int64, 2_int64, 9000000000_int64)
  end subroutine

  subroutine getters()
    type(hpart_platform) :: platform, cluster
    character(len=:), allocatable :: name
    integer(int32), allocatable :: short(:)
    integer(int64), allocatable :: long(:)
    real(real64), allocatable :: seconds(:), joules(:)
    integer(int64) :: smallest, largest
    call make(platform)
    call hpart_platform_get_name(platform, 1, name)
    call expect(name == 'CPU' .and. len(name) == 3, 'name without its blanks')
    call hpart_platform_get_function(platform, 1, short, seconds)
    call expect(all(short == [1, 2, 3]) .and. all(seconds == [10.0_real64, 20.0_real64, 30.0_real64]), 'function over int32')
    call hpart_platform_get_function(platform, 2_int64, long, seconds, joules)
    call expect(all(long == [1, 2]) .and. joules(1) == 7.0_real64 .and. ieee_is_nan(joules(2)), 'function over int64')
    call hpart_platform_set_time_function(platform, 1, short(1:0), seconds(1:0))
    call hpart_platform_get_function(platform, 1, short)
    call expect(size(short) == 0, 'empty function')
    call hpart_platform_set_limits(platform, 2, 3, 4)
    call hpart_platform_get_limits(platform, 2, smallest, largest)
    call expect(smallest == 3 .and. largest == 4, 'limits')
    call hpart_platform_aggregate(platform, HPART_OBJECTIVE_TIME, 1, cluster)
    call expect(hpart_platform_processors(cluster) == 1, 'aggregate')
    call hpart_platform_replicate(platform, 3, cluster)
    call expect(hpart_platform_processors(cluster) == 6, 'replicate')
    call hpart_platform_get_name(cluster, 4_int64, name)
    call expect(name == '1/GPU', 'name in a cluster: '//name)
    call hpart_platform_set_kernel(platform, 'dgemm n=512')
    call hpart_platform_get_kernel(platform, name)
    call expect(name == 'dgemm n=512', 'kernel')
  end subroutine

  subroutine intervals()
    type(hpart_platform) :: platform
    real(real64), allocatable :: low(:), high(:), energy_low(:), energy_high(:)
    integer(int32), allocatable :: short(:)
    integer(int64), allocatable :: long(:)
    integer(int32) :: ierr
    call make(platform)
    call hpart_platform_set_time_interval(platform, 1, [3, 1], [29.0_real64, 9.0_real64], [31.0_real64, 11.0_real64], [7, 5])
    call hpart_platform_set_energy_interval(platform, 2_int64, [1_int64], [6.0_real64], [8.0_real64])
    call hpart_platform_get_intervals(platform, 1, low, high, energy_low, energy_high, short)
    call expect(low(1) == 9.0_real64 .and. ieee_is_nan(low(2)) .and. high(3) == 31.0_real64, 'intervals of time')
    call expect(all(short == [5, 0, 7]), 'repetitions over int32')
    call hpart_platform_get_intervals(platform, 2, low, high, energy_low, energy_high, long)
    call expect(ieee_is_nan(low(1)) .and. energy_low(1) == 6.0_real64 .and. energy_high(1) == 8.0_real64 .and. &
        all(long == 0), 'intervals of energy')
    call hpart_platform_set_time_interval(platform, 1, [1], [9.0_real64, 1.0_real64], [11.0_real64], ierr=ierr)
    call expect(ierr == HPART_ERR_INVALID_ARGUMENT .and. index(hpart_last_error(), 'low') > 0, 'lengths of intervals')
  end subroutine

  subroutine links_and_power()
    type(hpart_platform) :: platform
    real(real64) :: latency, bandwidth, watts, joules
    integer :: first, last
    integer(int32) :: ierr
    call make(platform)
    call hpart_platform_get_base_power(platform, watts)
    call expect(ieee_is_nan(watts), 'base power before it is set')
    call hpart_platform_set_base_power(platform, 58.0_real64)
    call hpart_platform_get_base_power(platform, watts)
    call expect(watts == 58.0_real64, 'base power')
    call hpart_platform_set_link(platform, 1, 2, 1e-5_real64, 1e9_real64)
    call hpart_platform_get_link(platform, 1, 2, latency, bandwidth)
    call expect(latency == 1e-5_real64 .and. bandwidth == 1e9_real64, 'link')
    call hpart_platform_set_link_energy(platform, 1, 2_int64, 0.5_real64)
    call hpart_platform_get_link_energy(platform, 1_int64, 2, joules)
    call expect(joules == 0.5_real64, 'link_energy')
    call hpart_platform_set_node(platform, 2, 2, 5.0_real64)
    call hpart_platform_get_node(platform, 2, first, last, joules)
    call expect(first == 2 .and. last == 2 .and. joules == 5, 'node')
    call hpart_platform_set_node(platform, 2, 2_int64, 0.0_real64)
    call hpart_platform_set_node(platform, 2, 3, 1.0_real64, ierr)
    call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'a node of processors that are not there')
    call hpart_platform_get_link(platform, 2_int64, 1_int64, latency, bandwidth)
    call hpart_platform_set_host_link(platform, 2, 1e-6_real64, ieee_value(latency, ieee_positive_inf))
    call hpart_platform_get_host_link(platform, 2_int64, latency, bandwidth)
    call expect(latency == 1e-6_real64 .and. bandwidth > huge(bandwidth), 'host link')
    call hpart_platform_set_host_link_energy(platform, 1, 4e-10_real64)
    call hpart_platform_get_host_link_energy(platform, 1_int64, joules)
    call expect(joules == 4e-10_real64, 'energy of a host link')
    call hpart_platform_set_border_bytes(platform, 800.0_real64)
    call hpart_platform_get_border_bytes(platform, joules)
    call expect(joules == 800, 'border bytes')
  end subroutine

  subroutine files()
    type(hpart_platform) :: platform, again
    real(real64) :: seconds
    call make(platform)
    call hpart_platform_set_energy_function(platform, 1, [1, 2, 3], [1.0_real64, 2.0_real64, 3.0_real64])
    call hpart_platform_set_energy_function(platform, 2, [1, 2], [1.0_real64, 2.0_real64])
    call hpart_platform_write(platform, 'fortran_calls.csv')
    call hpart_platform_read('fortran_calls.csv', again)
    call hpart_platform_evaluate(again, [2, 1], seconds)
    call expect(seconds == 20.0_real64, 'written and read')
    open (unit=10, file='fortran_calls.csv')
    close (unit=10, status='delete')
  end subroutine

  subroutine bad_input()
    type(hpart_platform) :: platform, none
    type(hpart_options) :: options
    real(real64) :: seconds
    integer(int32) :: ierr, x(2)
    character(len=:), allocatable :: text
    call make(platform)
    call hpart_platform_create(0, none, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'processors', hpart_last_error())
    call expect(hpart_platform_processors(none) == -1, 'a failed create makes nothing')
    call hpart_platform_evaluate(none, [1], seconds, ierr=ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'platform', hpart_last_error())
    call hpart_platform_set_name(platform, 0, 'a', ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'processor is 0; the platform has them from 1 to 2', hpart_last_error())
    call hpart_platform_set_name(platform, 3_int64, 'a', ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'processor is 3', hpart_last_error())
    call hpart_platform_set_time_function(platform, 1, [1, 2], [1.0_real64], ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'seconds has 1 elements', hpart_last_error())
    call hpart_platform_evaluate(platform, [1, 1, 1], seconds, ierr=ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'x has 3 elements', hpart_last_error())
    call hpart_platform_set_link(platform, 1, 3, 0.0_real64, 1.0_real64, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'to is 3', hpart_last_error())
    call hpart_options_set(options, 'method', 'exact', ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'options', hpart_last_error())
    call hpart_options_create(options)
    call hpart_options_set(options, 'threads', 2, ierr)
    call expect(ierr == HPART_SUCCESS, 'an option over int32')
    call hpart_options_set(options, 'threads', 2_int64)
    call hpart_options_set(options, 'time_limit', 1.5_real64)
    call hpart_options_set_int(options, 'memory_limit', 1048576)
    call hpart_options_set_string(options, 'method', 'exact')
    call hpart_options_set_previous(options, [1, -2], ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'x[2] is -2', hpart_last_error())
    call hpart_options_set_previous(options, [1, 2, 3])
    call hpart_partition_time(platform, 0, x, ierr=ierr, options=options)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'the previous distribution has 3 sizes', hpart_last_error())
    call hpart_options_set_previous(options, [integer(int64) ::])
    call hpart_device_describe(0, text, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'device is 0', hpart_last_error())
    call expect(.not. allocated(text), 'a failed describe allocates nothing')
  end subroutine

  subroutine failures_leave_outputs()
    type(hpart_platform) :: platform
    integer(int32) :: ierr
    integer(int32), allocatable :: short(:)
    integer(int64), allocatable :: sizes(:)
    real(real64) :: seconds
    call make(platform)
    sizes = [42_int64]
    seconds = 42
    call hpart_platform_get_function(platform, 9, sizes, ierr=ierr)
    call expect(ierr /= 0 .and. all(sizes == [42]), 'sizes untouched')
    call hpart_platform_evaluate(platform, [7, 7], seconds, ierr=ierr)
    call expect(ierr /= 0 .and. seconds == 42, 'seconds untouched')
    call hpart_platform_read('no/such/file.csv', platform, ierr)
    call expect_status(ierr, HPART_ERR_IO, 'no/such/file.csv', hpart_last_error())
    call expect(hpart_platform_processors(platform) == 2, 'platform untouched')
    ! A size that only a 64-bit integer can hold.
    call hpart_platform_set_time_function(platform, 1, [9000000000_int64], [1.0_real64])
    call hpart_platform_get_function(platform, 1, short, ierr=ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, '9000000000', hpart_last_error())
    call expect(.not. allocated(short), 'sizes that do not fit are not given')
  end subroutine

end program
