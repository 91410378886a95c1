! Platforms, families, fronts, schedules and teams: the calls with neither an index nor sizes.
module hpart_plain
  use hpart_common
  implicit none
  private
  public :: hpart_platform_processors, hpart_platform_read, hpart_platform_write, hpart_platform_get_kernel, &
      hpart_platform_set_kernel, hpart_platform_get_base_power, hpart_platform_set_base_power, hpart_platform_get_border_bytes, &
      hpart_platform_set_border_bytes
  public :: hpart_family_create, hpart_family_count, hpart_family_read, hpart_family_write
  public :: hpart_front_count, hpart_front_processors, hpart_front_report, hpart_schedule_makespan, hpart_schedule_tasks, &
      hpart_schedule_report, hpart_schedule_write, hpart_team_run_schedule
  public :: hpart_team_create, hpart_team_add, hpart_team_add_builtin, hpart_team_add_program, &
      hpart_team_set_application, hpart_team_set_application_function, &
      hpart_team_processors, hpart_team_get_kernel, hpart_team_set_kernel

contains

  integer(int64) function hpart_platform_processors(platform) result(processors)
    type(hpart_platform), intent(in) :: platform
    processors = c_platform_processors(c_handle(platform))
  end function

  subroutine hpart_platform_read(path, platform, ierr)
    character(len=*), intent(in) :: path
    type(hpart_platform), intent(inout) :: platform
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_platform_read(c_string(path), handle)
    call adopt(platform, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_platform_write(platform, path, ierr)
    type(hpart_platform), intent(in) :: platform
    character(len=*), intent(in) :: path
    integer(int32), intent(out), optional :: ierr
    call finish(c_platform_write(c_handle(platform), c_string(path)), ierr)
  end subroutine

  subroutine hpart_platform_set_kernel(platform, kernel, ierr)
    type(hpart_platform), intent(in) :: platform
    character(len=*), intent(in) :: kernel
    integer(int32), intent(out), optional :: ierr
    call finish(c_platform_set_kernel(c_handle(platform), c_string(kernel)), ierr)
  end subroutine

  subroutine hpart_platform_get_kernel(platform, kernel, ierr)
    type(hpart_platform), intent(in) :: platform
    character(len=:), allocatable, intent(inout) :: kernel
    integer(int32), intent(out), optional :: ierr
    character(len=:, kind=c_char), allocatable, target :: buffer
    integer(int64) :: needed
    integer(int32) :: status
    needed = 0
    status = c_platform_get_kernel(c_handle(platform), c_null_ptr, 0_int64, needed)
    if (status == HPART_SUCCESS) then
      allocate (character(len=needed) :: buffer)
      status = c_platform_get_kernel(c_handle(platform), c_loc(buffer), needed, needed)
      if (status == HPART_SUCCESS) kernel = buffer(:needed - 1)
    end if
    call finish(status, ierr)
  end subroutine

  subroutine hpart_platform_set_base_power(platform, watts, ierr)
    type(hpart_platform), intent(in) :: platform
    real(real64), intent(in) :: watts
    integer(int32), intent(out), optional :: ierr
    call finish(c_platform_set_base_power(c_handle(platform), watts), ierr)
  end subroutine

  subroutine hpart_platform_get_base_power(platform, watts, ierr)
    type(hpart_platform), intent(in) :: platform
    real(real64), intent(inout) :: watts
    integer(int32), intent(out), optional :: ierr
    call finish(c_platform_get_base_power(c_handle(platform), watts), ierr)
  end subroutine

  subroutine hpart_platform_set_border_bytes(platform, bytes, ierr)
    type(hpart_platform), intent(in) :: platform
    real(real64), intent(in) :: bytes
    integer(int32), intent(out), optional :: ierr
    call finish(c_platform_set_border_bytes(c_handle(platform), bytes), ierr)
  end subroutine

  subroutine hpart_platform_get_border_bytes(platform, bytes, ierr)
    type(hpart_platform), intent(in) :: platform
    real(real64), intent(inout) :: bytes
    integer(int32), intent(out), optional :: ierr
    call finish(c_platform_get_border_bytes(c_handle(platform), bytes), ierr)
  end subroutine

  subroutine hpart_family_create(family, ierr)
    type(hpart_family), intent(inout) :: family
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_family_create(handle)
    call adopt(family, handle)
    call finish(status, ierr)
  end subroutine

  integer(int64) function hpart_family_count(family) result(count)
    type(hpart_family), intent(in) :: family
    count = c_family_count(c_handle(family))
  end function

  subroutine hpart_family_read(path, family, ierr)
    character(len=*), intent(in) :: path
    type(hpart_family), intent(inout) :: family
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_family_read(c_string(path), handle)
    call adopt(family, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_family_write(family, path, ierr)
    type(hpart_family), intent(in) :: family
    character(len=*), intent(in) :: path
    integer(int32), intent(out), optional :: ierr
    call finish(c_family_write(c_handle(family), c_string(path)), ierr)
  end subroutine

  integer(int64) function hpart_front_count(front) result(count)
    type(hpart_front), intent(in) :: front
    count = c_front_count(c_handle(front))
  end function

  ! Number of entries of a point's x.
  integer(int64) function hpart_front_processors(front) result(processors)
    type(hpart_front), intent(in) :: front
    processors = c_front_processors(c_handle(front))
  end function

  subroutine hpart_front_report(front, report, ierr)
    type(hpart_front), intent(in) :: front
    type(hpart_report), intent(inout) :: report
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_front_report(c_handle(front), handle)
    call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

  real(real64) function hpart_schedule_makespan(schedule) result(seconds)
    type(hpart_schedule), intent(in) :: schedule
    seconds = c_schedule_makespan(c_handle(schedule))
  end function

  integer(int64) function hpart_schedule_tasks(schedule) result(count)
    type(hpart_schedule), intent(in) :: schedule
    count = c_schedule_tasks(c_handle(schedule))
  end function

  ! Adds it to a table, or replaces the one of the same application and size.
  subroutine hpart_schedule_write(schedule, path, application, ierr)
    type(hpart_schedule), intent(in) :: schedule
    character(len=*), intent(in) :: path, application
    integer(int32), intent(out), optional :: ierr
    call finish(c_schedule_write(c_handle(schedule), c_string(path), c_string(application)), ierr)
  end subroutine

  subroutine hpart_team_run_schedule(team, schedule, makespan, ierr, options, report)
    type(hpart_team), intent(in) :: team
    type(hpart_schedule), intent(in) :: schedule
    real(real64), intent(inout) :: makespan
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    type(hpart_report), intent(inout), optional :: report
    type(c_ptr), target :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_team_run_schedule(c_handle(team), c_handle(schedule), handle_of(options), makespan, &
        report_target(handle, present(report)))
    if (present(report)) call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_schedule_report(schedule, report, ierr)
    type(hpart_schedule), intent(in) :: schedule
    type(hpart_report), intent(inout) :: report
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_schedule_report(c_handle(schedule), handle)
    call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_team_create(team, ierr)
    type(hpart_team), intent(inout) :: team
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_team_create(handle)
    call adopt(team, handle)
    call finish(status, ierr)
  end subroutine

  ! user goes to every call of kernel; free_user gets it when the team is destroyed. Without cores the thread is not bound.
  subroutine hpart_team_add(team, name, kernel, ierr, user, free_user, cores)
    type(hpart_team), intent(in) :: team
    character(len=*), intent(in) :: name
    procedure(hpart_kernel) :: kernel
    integer(int32), intent(out), optional :: ierr
    type(c_ptr), intent(in), optional :: user
    procedure(hpart_free), optional :: free_user
    character(len=*), intent(in), optional :: cores
    character(len=:, kind=c_char), allocatable, target :: cores_text
    type(c_ptr) :: given, bound
    type(c_funptr) :: freed
    given = c_null_ptr
    bound = c_null_ptr
    freed = c_null_funptr
    if (present(user)) given = user
    if (present(free_user)) freed = c_funloc(free_user)
    if (present(cores)) then
      cores_text = c_string(cores)
      bound = c_loc(cores_text)
    end if
    call finish(c_team_add(c_handle(team), c_string(name), c_funloc(kernel), given, freed, bound), ierr)
  end subroutine

  ! A blank name: the processor's own text.
  subroutine hpart_team_add_builtin(team, name, kernel, processor, ierr, options)
    type(hpart_team), intent(in) :: team
    character(len=*), intent(in) :: name, kernel, processor
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    character(len=:, kind=c_char), allocatable, target :: name_text
    type(c_ptr) :: named
    name_text = c_string(name)
    named = c_null_ptr
    if (len_trim(name) > 0) named = c_loc(name_text)
    call finish(c_team_add_builtin(c_handle(team), named, c_string(kernel), c_string(processor), handle_of(options)), ierr)
  end subroutine

  subroutine hpart_team_add_program(team, name, command, ierr, options)
    type(hpart_team), intent(in) :: team
    character(len=*), intent(in) :: name, command
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    call finish(c_team_add_program(c_handle(team), c_string(name), c_string(command), handle_of(options)), ierr)
  end subroutine

  subroutine hpart_team_set_application(team, names, command, ierr, options)
    type(hpart_team), intent(in) :: team
    character(len=*), intent(in) :: names, command
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    call finish(c_team_set_application(c_handle(team), c_string(names), c_string(command), handle_of(options)), ierr)
  end subroutine

  ! user goes to every call of function; free_user gets it when the team is destroyed.
  subroutine hpart_team_set_application_function(team, names, function, ierr, user, free_user)
    type(hpart_team), intent(in) :: team
    character(len=*), intent(in) :: names
    procedure(hpart_application) :: function
    integer(int32), intent(out), optional :: ierr
    type(c_ptr), intent(in), optional :: user
    procedure(hpart_free), optional :: free_user
    type(c_ptr) :: given
    type(c_funptr) :: freed
    given = c_null_ptr
    freed = c_null_funptr
    if (present(user)) given = user
    if (present(free_user)) freed = c_funloc(free_user)
    call finish(c_team_set_application_function(c_handle(team), c_string(names), c_funloc(function), given, freed), ierr)
  end subroutine

  integer(int64) function hpart_team_processors(team) result(processors)
    type(hpart_team), intent(in) :: team
    processors = c_team_processors(c_handle(team))
  end function

  subroutine hpart_team_set_kernel(team, kernel, ierr)
    type(hpart_team), intent(in) :: team
    character(len=*), intent(in) :: kernel
    integer(int32), intent(out), optional :: ierr
    call finish(c_team_set_kernel(c_handle(team), c_string(kernel)), ierr)
  end subroutine

  subroutine hpart_team_get_kernel(team, kernel, ierr)
    type(hpart_team), intent(in) :: team
    character(len=:), allocatable, intent(inout) :: kernel
    integer(int32), intent(out), optional :: ierr
    character(len=:, kind=c_char), allocatable, target :: buffer
    integer(int64) :: needed
    integer(int32) :: status
    needed = 0
    status = c_team_get_kernel(c_handle(team), c_null_ptr, 0_int64, needed)
    if (status == HPART_SUCCESS) then
      allocate (character(len=needed) :: buffer)
      status = c_team_get_kernel(c_handle(team), c_loc(buffer), needed, needed)
      if (status == HPART_SUCCESS) kernel = buffer(:needed - 1)
    end if
    call finish(status, ierr)
  end subroutine

end module
