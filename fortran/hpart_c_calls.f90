! hpart.h as it is, for the other modules: partition, front, schedule, team and devices. Arguments that
! may be NULL are plain c_ptr.
module hpart_c_calls
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_partition(platform, objective, size, options, x, seconds, joules, report) &
        bind(C, name='hpart_partition') result(status)
      import
      type(c_ptr), value :: platform, options, report
      integer(c_int32_t), value :: objective
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: x(*)
      real(c_double), intent(inout) :: seconds, joules
      integer(c_int32_t) :: status
    end function

    function c_partition_time(platform, size, options, x, seconds) &
        bind(C, name='hpart_partition_time') result(status)
      import
      type(c_ptr), value :: platform, options
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: x(*)
      real(c_double), intent(inout) :: seconds
      integer(c_int32_t) :: status
    end function

    function c_partition_energy(platform, size, options, x, joules) &
        bind(C, name='hpart_partition_energy') result(status)
      import
      type(c_ptr), value :: platform, options
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: x(*)
      real(c_double), intent(inout) :: joules
      integer(c_int32_t) :: status
    end function

    function c_partition_total_energy(platform, size, options, x, joules) &
        bind(C, name='hpart_partition_total_energy') result(status)
      import
      type(c_ptr), value :: platform, options
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(inout) :: x(*)
      real(c_double), intent(inout) :: joules
      integer(c_int32_t) :: status
    end function

    function c_front_compute(platform, size, energy, options, front) &
        bind(C, name='hpart_front_compute') result(status)
      import
      type(c_ptr), value :: platform, options
      integer(c_int64_t), value :: size
      integer(c_int32_t), value :: energy
      type(c_ptr), intent(inout) :: front
      integer(c_int32_t) :: status
    end function

    function c_front_count(front) bind(C, name='hpart_front_count') result(number)
      import
      type(c_ptr), value :: front
      integer(c_int64_t) :: number
    end function

    function c_front_processors(front) bind(C, name='hpart_front_processors') result(number)
      import
      type(c_ptr), value :: front
      integer(c_int64_t) :: number
    end function

    function c_front_point(front, k, seconds, joules, x) bind(C, name='hpart_front_point') result(status)
      import
      type(c_ptr), value :: front
      integer(c_int64_t), value :: k
      real(c_double), intent(inout) :: seconds, joules
      integer(c_int64_t), intent(inout) :: x(*)
      integer(c_int32_t) :: status
    end function

    function c_front_report(front, report) bind(C, name='hpart_front_report') result(status)
      import
      type(c_ptr), value :: front
      type(c_ptr), intent(inout) :: report
      integer(c_int32_t) :: status
    end function

    subroutine c_front_destroy(front) bind(C, name='hpart_front_destroy')
      import
      type(c_ptr), value :: front
    end subroutine

    function c_schedule_compute(platform, size, options, schedule) &
        bind(C, name='hpart_schedule_compute') result(status)
      import
      type(c_ptr), value :: platform, options
      integer(c_int64_t), value :: size
      type(c_ptr), intent(inout) :: schedule
      integer(c_int32_t) :: status
    end function

    function c_schedule_makespan(schedule) bind(C, name='hpart_schedule_makespan') result(number)
      import
      type(c_ptr), value :: schedule
      real(c_double) :: number
    end function

    function c_schedule_tasks(schedule) bind(C, name='hpart_schedule_tasks') result(number)
      import
      type(c_ptr), value :: schedule
      integer(c_int64_t) :: number
    end function

    function c_schedule_task(schedule, k, processor, size, repeats) &
        bind(C, name='hpart_schedule_task') result(status)
      import
      type(c_ptr), value :: schedule
      integer(c_int64_t), value :: k
      integer(c_int64_t), intent(inout) :: processor, size, repeats
      integer(c_int32_t) :: status
    end function

    function c_schedule_report(schedule, report) bind(C, name='hpart_schedule_report') result(status)
      import
      type(c_ptr), value :: schedule
      type(c_ptr), intent(inout) :: report
      integer(c_int32_t) :: status
    end function

    subroutine c_schedule_destroy(schedule) bind(C, name='hpart_schedule_destroy')
      import
      type(c_ptr), value :: schedule
    end subroutine

    function c_team_create(team) bind(C, name='hpart_team_create') result(status)
      import
      type(c_ptr), intent(inout) :: team
      integer(c_int32_t) :: status
    end function

    function c_team_add(team, name, kernel, user, free_user, cores) bind(C, name='hpart_team_add') result(status)
      import
      type(c_ptr), value :: team, user, cores
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr), value :: kernel, free_user
      integer(c_int32_t) :: status
    end function

    function c_team_add_builtin(team, name, kernel, processor, options) &
        bind(C, name='hpart_team_add_builtin') result(status)
      import
      type(c_ptr), value :: team, name, options
      character(kind=c_char), intent(in) :: kernel(*), processor(*)
      integer(c_int32_t) :: status
    end function

    function c_team_add_program(team, name, command, options) &
        bind(C, name='hpart_team_add_program') result(status)
      import
      type(c_ptr), value :: team, options
      character(kind=c_char), intent(in) :: name(*), command(*)
      integer(c_int32_t) :: status
    end function

    function c_team_get_kernel(team, buffer, capacity, needed) bind(C, name='hpart_team_get_kernel') result(status)
      import
      type(c_ptr), value :: team, buffer
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_team_processors(team) bind(C, name='hpart_team_processors') result(number)
      import
      type(c_ptr), value :: team
      integer(c_int64_t) :: number
    end function

    function c_team_set_kernel(team, kernel) bind(C, name='hpart_team_set_kernel') result(status)
      import
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: kernel(*)
      integer(c_int32_t) :: status
    end function

    function c_team_set_meter(team, processor, meter) bind(C, name='hpart_team_set_meter') result(status)
      import
      type(c_ptr), value :: team, meter
      integer(c_int64_t), value :: processor
      integer(c_int32_t) :: status
    end function

    function c_energy_additivity(team, alone, distributions, x, options, least, mean, largest, report) &
        bind(C, name='hpart_energy_additivity') result(status)
      import
      type(c_ptr), value :: team, alone, options, report
      integer(c_int64_t), value :: distributions
      integer(c_int64_t), intent(in) :: x(*)
      real(c_double), intent(inout) :: least, mean, largest
      integer(c_int32_t) :: status
    end function

    function c_team_compare(team, distributions, x, options, mean_seconds, report) &
        bind(C, name='hpart_team_compare') result(status)
      import
      type(c_ptr), value :: team, options, report
      integer(c_int64_t), value :: distributions
      integer(c_int64_t), intent(in) :: x(*)
      real(c_double), intent(inout) :: mean_seconds(*)
      integer(c_int32_t) :: status
    end function

    function c_team_measure(team, x, options, mean_seconds, joules, report) &
        bind(C, name='hpart_team_measure') result(status)
      import
      type(c_ptr), value :: team, options, joules, report
      integer(c_int64_t), intent(in) :: x(*)
      real(c_double), intent(inout) :: mean_seconds(*)
      integer(c_int32_t) :: status
    end function

    function c_team_profile(team, points, sizes, options, platform) &
        bind(C, name='hpart_team_profile') result(status)
      import
      type(c_ptr), value :: team, options
      integer(c_int64_t), value :: points
      integer(c_int64_t), intent(in) :: sizes(*)
      type(c_ptr), intent(inout) :: platform
      integer(c_int32_t) :: status
    end function

    function c_team_optimize(team, objective, size, points, sizes, options, x, value, measured, report) &
        bind(C, name='hpart_team_optimize') result(status)
      import
      type(c_ptr), value :: team, options, measured, report
      integer(c_int32_t), value :: objective
      integer(c_int64_t), value :: size, points
      integer(c_int64_t), intent(in) :: sizes(*)
      integer(c_int64_t), intent(inout) :: x(*)
      real(c_double), intent(inout) :: value
      integer(c_int32_t) :: status
    end function

    function c_team_optimize_front(team, size, energy, points, sizes, options, front, measured, report) &
        bind(C, name='hpart_team_optimize_front') result(status)
      import
      type(c_ptr), value :: team, options, measured, report
      integer(c_int32_t), value :: energy
      integer(c_int64_t), value :: size, points
      integer(c_int64_t), intent(in) :: sizes(*)
      type(c_ptr), intent(inout) :: front
      integer(c_int32_t) :: status
    end function

    function c_team_execute(team, x, options, seconds, report) bind(C, name='hpart_team_execute') result(status)
      import
      type(c_ptr), value :: team, options, report
      integer(c_int64_t), intent(in) :: x(*)
      real(c_double), intent(inout) :: seconds(*)
      integer(c_int32_t) :: status
    end function

    subroutine c_team_destroy(team) bind(C, name='hpart_team_destroy')
      import
      type(c_ptr), value :: team
    end subroutine

    function c_device_count() bind(C, name='hpart_device_count') result(number)
      import
      integer(c_int64_t) :: number
    end function

    function c_device_describe(k, buffer, capacity, needed) bind(C, name='hpart_device_describe') result(status)
      import
      integer(c_int64_t), value :: k, capacity
      type(c_ptr), value :: buffer
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function
  end interface

end module
