! The common part of the types of handles. A variable of one holds a share of a handle of the library; assignment shares it, and the
! last variable to go destroys it. Counting is not synchronised: give each thread its variables before it starts.
!
! Release. When a type that contains a handle is assigned, gfortran 12 finalises temporaries that it never initialised and
! bitwise copies of the old value. So a variable notes its own address when it takes a share, and lets go only while it is still
! at that address: a temporary or a bitwise copy destroys nothing. The price is that such an assignment, and one between
! overlapping sections of an array of handles, may keep a handle until the program ends; plain assignment of handles never does.
!
! Assignment of an array reads bitwise copies of its own elements, as in p = [p(2), p(1)]: a handle that assignment leaves without a
! holder may get one with the next element. So it waits, on a list of its thread, until the thread takes or lets go of a handle.
! gfortran 16 finalises the elements first where they are components, as the standard says: the copies then name a handle that is gone.
! So the record of a handle is kept for the next one, and counts its handles: a variable of an earlier one holds none.
module hpart_shared
  use, intrinsic :: iso_c_binding, only: c_f_procpointer, c_funptr, c_int64_t, c_intptr_t, c_loc, c_null_funptr, c_null_ptr, c_ptr
  implicit none
  private
  public :: shared_handle, c_handle, handle_of, let_go, report_target, share, take

  ! A handle of the library and the number of variables that share it.
  type :: counted_handle
    type(c_ptr) :: handle = c_null_ptr
    type(c_funptr) :: destroy = c_null_funptr
    integer :: holders = 0
    integer(c_int64_t) :: number = 0 ! of its handles so far
    type(counted_handle), pointer :: next => null()
  end type

  ! Handles that assignment left without a holder, and records without a handle.
  type(counted_handle), pointer, save :: waiting => null(), unused => null()
  !$omp threadprivate(waiting, unused)

  type, abstract :: shared_handle
    private
    type(counted_handle), pointer :: held => null()
    integer(c_int64_t) :: number = 0
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
    if (holds(variable)) handle = variable%held%handle
  end function

  pure function holds(variable)
    class(shared_handle), intent(in) :: variable
    logical :: holds
    holds = associated(variable%held)
    if (holds) holds = variable%held%number == variable%number
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
    if (associated(unused)) then
      variable%held => unused
      unused => unused%next
    else
      allocate(variable%held)
    end if
    variable%number = variable%held%number
    variable%held%handle = handle
    variable%held%destroy = destroy
    variable%held%holders = 1
    variable%place = place_of(variable)
  end subroutine

  impure elemental subroutine let_go(variable)
    class(shared_handle), intent(inout) :: variable
    logical :: was_holder
    call drop(variable, was_holder)
    ! A temporary may be finalised in the midst of an assignment.
    if (was_holder) call destroy_waiting()
  end subroutine

  impure elemental subroutine share(left, right)
    class(shared_handle), intent(inout) :: left
    class(shared_handle), intent(in) :: right
    type(counted_handle), pointer :: held
    logical :: was_holder
    nullify(held)
    if (holds(right)) held => right%held
    if (associated(held)) then
      if (held%holders == 0) call stop_waiting(held)
      held%holders = held%holders + 1
    end if
    call drop(left, was_holder)
    if (.not. associated(held)) return
    left%held => held
    left%number = held%number
    left%place = place_of(left)
  end subroutine

  subroutine drop(variable, was_holder)
    class(shared_handle), intent(inout) :: variable
    logical, intent(out) :: was_holder
    was_holder = variable%place == place_of(variable)
    if (was_holder) was_holder = holds(variable)
    if (was_holder) then
      variable%held%holders = variable%held%holders - 1
      if (variable%held%holders == 0) then
        variable%held%next => waiting
        waiting => variable%held
      end if
    end if
    variable%place = 0
    nullify(variable%held)
  end subroutine

  subroutine stop_waiting(counted)
    type(counted_handle), pointer, intent(in) :: counted
    type(counted_handle), pointer :: before
    if (associated(waiting, counted)) then
      waiting => counted%next
      return
    end if
    before => waiting
    do while (associated(before))
      if (associated(before%next, counted)) then
        before%next => counted%next
        return
      end if
      before => before%next
    end do
  end subroutine

  ! Recursive: to destroy a handle may call a procedure of the program.
  recursive subroutine destroy_waiting()
    type(counted_handle), pointer :: counted
    procedure(destroyer), pointer :: destroy
    do while (associated(waiting))
      counted => waiting
      waiting => counted%next
      call c_f_procpointer(counted%destroy, destroy)
      counted%number = counted%number + 1
      call destroy(counted%handle)
      counted%next => unused
      unused => counted
    end do
  end subroutine

  function place_of(variable) result(place)
    class(shared_handle), intent(in), target :: variable
    integer(c_intptr_t) :: place
    place = transfer(c_loc(variable%place), place)
  end function

end module
