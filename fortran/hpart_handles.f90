! The handle types. A variable of one holds a share of a handle of the library; assignment shares it, and the last variable to
! go destroys it. Counting is not synchronised: give each thread its variables before it starts.
!
! Release. When a type that contains a handle is assigned, gfortran 12 finalises temporaries that it never initialised and
! bitwise copies of the old value. So a variable notes its own address when it takes a share, and lets go only while it is still
! at that address: a temporary or a bitwise copy destroys nothing. The price is that such an assignment, and one between
! overlapping sections of an array of handles, may keep a handle until the program ends; plain assignment of handles never does.
module hpart_handles
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_procpointer, c_funloc, c_funptr, c_intptr_t, c_loc, c_null_funptr, &
      c_null_ptr, c_ptr
  use hpart_c, only: c_adaptive_destroy, c_device_close, c_family_destroy, c_front_destroy, c_meter_close, c_options_destroy, &
      c_pipeline_destroy, c_platform_destroy, c_report_destroy, c_schedule_destroy, c_team_destroy
  implicit none
  private
  public :: hpart_options, hpart_report, hpart_platform, hpart_family, hpart_front, hpart_schedule, hpart_team, &
      hpart_device, hpart_pipeline, hpart_meter, hpart_adaptive
  public :: hpart_options_destroy, hpart_report_destroy, hpart_platform_destroy, hpart_family_destroy, hpart_front_destroy, &
      hpart_schedule_destroy, hpart_team_destroy, hpart_device_close, &
      hpart_pipeline_destroy, hpart_meter_close, hpart_adaptive_destroy, adopt, c_handle, handle_of, report_target

  ! A handle of the library and the number of variables that share it.
  type :: counted_handle
    type(c_ptr) :: handle = c_null_ptr
    type(c_funptr) :: destroy = c_null_funptr
    integer :: holders = 0
  end type

  type, abstract :: shared_handle
    private
    type(counted_handle), pointer :: held => null()
    integer(c_intptr_t) :: place = 0
  end type

  type, extends(shared_handle) :: hpart_options
  contains
    procedure, private :: assign_options
    generic :: assignment(=) => assign_options
    final :: finalise_options
  end type

  type, extends(shared_handle) :: hpart_report
  contains
    procedure, private :: assign_report
    generic :: assignment(=) => assign_report
    final :: finalise_report
  end type

  type, extends(shared_handle) :: hpart_platform
  contains
    procedure, private :: assign_platform
    generic :: assignment(=) => assign_platform
    final :: finalise_platform
  end type

  type, extends(shared_handle) :: hpart_family
  contains
    procedure, private :: assign_family
    generic :: assignment(=) => assign_family
    final :: finalise_family
  end type

  type, extends(shared_handle) :: hpart_front
  contains
    procedure, private :: assign_front
    generic :: assignment(=) => assign_front
    final :: finalise_front
  end type

  type, extends(shared_handle) :: hpart_schedule
  contains
    procedure, private :: assign_schedule
    generic :: assignment(=) => assign_schedule
    final :: finalise_schedule
  end type

  type, extends(shared_handle) :: hpart_team
  contains
    procedure, private :: assign_team
    generic :: assignment(=) => assign_team
    final :: finalise_team
  end type

  type, extends(shared_handle) :: hpart_device
  contains
    procedure, private :: assign_device
    generic :: assignment(=) => assign_device
    final :: finalise_device
  end type

  type, extends(shared_handle) :: hpart_pipeline
  contains
    procedure, private :: assign_pipeline
    generic :: assignment(=) => assign_pipeline
    final :: finalise_pipeline
  end type

  type, extends(shared_handle) :: hpart_meter
  contains
    procedure, private :: assign_meter
    generic :: assignment(=) => assign_meter
    final :: finalise_meter
  end type

  type, extends(shared_handle) :: hpart_adaptive
  contains
    procedure, private :: assign_adaptive
    generic :: assignment(=) => assign_adaptive
    final :: finalise_adaptive
  end type

  abstract interface
    subroutine destroyer(handle) bind(C)
      import
      type(c_ptr), value :: handle
    end subroutine
  end interface

contains

  ! The handle for the library; null for a variable that holds none.
  pure function c_handle(variable) result(handle)
    class(shared_handle), intent(in) :: variable
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (associated(variable%held)) handle = variable%held%handle
  end function

  pure function handle_of(options) result(handle)
    type(hpart_options), intent(in), optional :: options
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(options)) handle = c_handle(options)
  end function

  ! The address for a report's handle; null unless the caller wants one.
  function report_target(handle, wanted) result(address)
    type(c_ptr), intent(in), target :: handle
    logical, intent(in) :: wanted
    type(c_ptr) :: address
    address = c_null_ptr
    if (wanted) address = c_loc(handle)
  end function

  ! The variable becomes the only holder of a new handle; what it held before, it lets go. A null handle changes nothing.
  subroutine adopt(variable, handle)
    class(shared_handle), intent(inout) :: variable
    type(c_ptr), intent(in) :: handle
    if (.not. c_associated(handle)) return
    call let_go(variable)
    allocate(variable%held)
    variable%held%handle = handle
    variable%held%holders = 1
    select type (variable)
    type is (hpart_options); variable%held%destroy = c_funloc(c_options_destroy)
    type is (hpart_report); variable%held%destroy = c_funloc(c_report_destroy)
    type is (hpart_platform); variable%held%destroy = c_funloc(c_platform_destroy)
    type is (hpart_family); variable%held%destroy = c_funloc(c_family_destroy)
    type is (hpart_front); variable%held%destroy = c_funloc(c_front_destroy)
    type is (hpart_schedule); variable%held%destroy = c_funloc(c_schedule_destroy)
    type is (hpart_team); variable%held%destroy = c_funloc(c_team_destroy)
    type is (hpart_device); variable%held%destroy = c_funloc(c_device_close)
    type is (hpart_pipeline); variable%held%destroy = c_funloc(c_pipeline_destroy)
    type is (hpart_meter); variable%held%destroy = c_funloc(c_meter_close)
    type is (hpart_adaptive); variable%held%destroy = c_funloc(c_adaptive_destroy)
    end select
    variable%place = place_of(variable)
  end subroutine

  impure elemental subroutine let_go(variable)
    class(shared_handle), intent(inout) :: variable
    procedure(destroyer), pointer :: destroy
    if (variable%place == place_of(variable)) then
      variable%held%holders = variable%held%holders - 1
      if (variable%held%holders == 0) then
        call c_f_procpointer(variable%held%destroy, destroy)
        call destroy(variable%held%handle)
        deallocate(variable%held)
      end if
    end if
    variable%place = 0
    nullify(variable%held)
  end subroutine

  impure elemental subroutine share(left, right)
    class(shared_handle), intent(inout) :: left
    class(shared_handle), intent(in) :: right
    type(counted_handle), pointer :: held
    held => right%held
    if (associated(held)) held%holders = held%holders + 1
    call let_go(left)
    if (.not. associated(held)) return
    left%held => held
    left%place = place_of(left)
  end subroutine

  pure function place_of(variable) result(place)
    class(shared_handle), intent(in), target :: variable
    integer(c_intptr_t) :: place
    place = transfer(c_loc(variable%place), place)
  end function

  impure elemental subroutine assign_options(left, right)
    class(hpart_options), intent(inout) :: left
    type(hpart_options), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_report(left, right)
    class(hpart_report), intent(inout) :: left
    type(hpart_report), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_platform(left, right)
    class(hpart_platform), intent(inout) :: left
    type(hpart_platform), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_family(left, right)
    class(hpart_family), intent(inout) :: left
    type(hpart_family), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_front(left, right)
    class(hpart_front), intent(inout) :: left
    type(hpart_front), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_schedule(left, right)
    class(hpart_schedule), intent(inout) :: left
    type(hpart_schedule), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_team(left, right)
    class(hpart_team), intent(inout) :: left
    type(hpart_team), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_device(left, right)
    class(hpart_device), intent(inout) :: left
    type(hpart_device), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_pipeline(left, right)
    class(hpart_pipeline), intent(inout) :: left
    type(hpart_pipeline), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_meter(left, right)
    class(hpart_meter), intent(inout) :: left
    type(hpart_meter), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine assign_adaptive(left, right)
    class(hpart_adaptive), intent(inout) :: left
    type(hpart_adaptive), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine finalise_options(variable)
    type(hpart_options), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_report(variable)
    type(hpart_report), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_platform(variable)
    type(hpart_platform), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_family(variable)
    type(hpart_family), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_front(variable)
    type(hpart_front), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_schedule(variable)
    type(hpart_schedule), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_team(variable)
    type(hpart_team), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_device(variable)
    type(hpart_device), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_pipeline(variable)
    type(hpart_pipeline), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_meter(variable)
    type(hpart_meter), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  impure elemental subroutine finalise_adaptive(variable)
    type(hpart_adaptive), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  ! Lets go of a variable's share before the variable itself goes. No effect on one that holds none.
  subroutine hpart_options_destroy(options)
    type(hpart_options), intent(inout) :: options
    call let_go(options)
  end subroutine

  subroutine hpart_report_destroy(report)
    type(hpart_report), intent(inout) :: report
    call let_go(report)
  end subroutine

  subroutine hpart_platform_destroy(platform)
    type(hpart_platform), intent(inout) :: platform
    call let_go(platform)
  end subroutine

  subroutine hpart_family_destroy(family)
    type(hpart_family), intent(inout) :: family
    call let_go(family)
  end subroutine

  subroutine hpart_front_destroy(front)
    type(hpart_front), intent(inout) :: front
    call let_go(front)
  end subroutine

  subroutine hpart_schedule_destroy(schedule)
    type(hpart_schedule), intent(inout) :: schedule
    call let_go(schedule)
  end subroutine

  subroutine hpart_team_destroy(team)
    type(hpart_team), intent(inout) :: team
    call let_go(team)
  end subroutine

  subroutine hpart_device_close(device)
    type(hpart_device), intent(inout) :: device
    call let_go(device)
  end subroutine

  subroutine hpart_pipeline_destroy(pipeline)
    type(hpart_pipeline), intent(inout) :: pipeline
    call let_go(pipeline)
  end subroutine

  subroutine hpart_meter_close(meter)
    type(hpart_meter), intent(inout) :: meter
    call let_go(meter)
  end subroutine

  subroutine hpart_adaptive_destroy(adaptive)
    type(hpart_adaptive), intent(inout) :: adaptive
    call let_go(adaptive)
  end subroutine

end module
