! The common part of the types of handles. A variable of one holds a share of a handle of the library; assignment shares it, and the
! last variable to go destroys it. Counting is not synchronised: give each thread its variables before it starts.
!
! Release. When a type that contains a handle is assigned, gfortran 12 finalises temporaries that it never initialised and
! bitwise copies of the old value. So a variable notes its own address when it takes a share, and lets go only while it is still
! at that address: a temporary or a bitwise copy destroys nothing. The price is that such an assignment, and one between
! overlapping sections of an array of handles, may keep a handle until the program ends; plain assignment of handles never does.
module hpart_shared
  use, intrinsic :: iso_c_binding, only: c_f_procpointer, c_funptr, c_intptr_t, c_loc, c_null_funptr, c_null_ptr, c_ptr
  implicit none
  private
  public :: shared_handle, c_handle, handle_of, let_go, report_target, share, take

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

  pure function handle_of(variable) result(handle)
    class(shared_handle), intent(in), optional :: variable
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(variable)) handle = c_handle(variable)
  end function

  ! The address for a report's handle; null unless the caller wants one.
  function report_target(handle, wanted) result(address)
    type(c_ptr), intent(in), target :: handle
    logical, intent(in) :: wanted
    type(c_ptr) :: address
    address = c_null_ptr
    if (wanted) address = c_loc(handle)
  end function

  ! The variable becomes the only holder of a new handle; what it held before, it lets go.
  subroutine take(variable, handle, destroy)
    class(shared_handle), intent(inout) :: variable
    type(c_ptr), intent(in) :: handle
    type(c_funptr), intent(in) :: destroy
    call let_go(variable)
    allocate(variable%held)
    variable%held%handle = handle
    variable%held%destroy = destroy
    variable%held%holders = 1
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

  function place_of(variable) result(place)
    class(shared_handle), intent(in), target :: variable
    integer(c_intptr_t) :: place
    place = transfer(c_loc(variable%place), place)
  end function

end module
