! Procedures without integers that do more than convert their arguments.
module hpart_special
  use hpart_common
  implicit none
  private
  public :: hpart_version, hpart_options_set_progress, hpart_free_pinned, hpart_unpin, hpart_step_index, hpart_step_queue, &
      hpart_adaptive_update, hpart_adaptive_converged

  interface hpart_adaptive_update
    procedure update_given
  end interface

contains

  subroutine hpart_version(major, minor, patch)
    integer(int32), intent(out) :: major, minor, patch
    call c_version(major, minor, patch)
  end subroutine

  ! Without progress: none from now on. user goes to every call of progress, and to free_user in the end.
  subroutine hpart_options_set_progress(options, progress, ierr, user, free_user)
    type(hpart_options), intent(in) :: options
    procedure(hpart_progress), optional :: progress
    integer(int32), intent(out), optional :: ierr
    type(c_ptr), intent(in), optional :: user
    procedure(hpart_free), optional :: free_user
    type(c_funptr) :: called, freed
    type(c_ptr) :: given
    called = c_null_funptr
    freed = c_null_funptr
    given = c_null_ptr
    if (present(progress)) called = c_funloc(progress)
    if (present(free_user)) freed = c_funloc(free_user)
    if (present(user)) given = user
    call finish(c_options_set_progress(c_handle(options), called, given, freed), ierr)
  end subroutine

  subroutine hpart_free_pinned(device, memory)
    type(hpart_device), intent(in) :: device
    type(c_ptr), intent(in) :: memory
    call c_free_pinned(c_handle(device), memory)
  end subroutine

  subroutine hpart_unpin(device, memory)
    type(hpart_device), intent(in) :: device
    type(c_ptr), intent(in) :: memory
    call c_unpin(c_handle(device), memory)
  end subroutine

  ! From 1.
  integer(int64) function hpart_step_index(step) result(index)
    type(c_ptr), intent(in) :: step
    index = c_step_index(step) + 1
  end function

  type(c_ptr) function hpart_step_queue(step) result(queue)
    type(c_ptr), intent(in) :: step
    queue = c_step_queue(step)
  end function

  ! The distribution was run as it was given.
  subroutine update_given(adaptive, seconds, ierr)
    type(hpart_adaptive), intent(in) :: adaptive
    real(real64), intent(in), contiguous :: seconds(:)
    integer(int32), intent(out), optional :: ierr
    integer(int64), allocatable :: x(:)
    integer(int32) :: status
    allocate (x(size(seconds)), source=0_int64)
    status = check_entries(c_adaptive_processors(c_handle(adaptive)), size(seconds), 'seconds')
    if (status == HPART_SUCCESS) status = c_adaptive_distribution(c_handle(adaptive), x)
    if (status == HPART_SUCCESS) status = c_adaptive_update(c_handle(adaptive), x, seconds)
    call finish(status, ierr)
  end subroutine

  logical function hpart_adaptive_converged(adaptive) result(converged)
    type(hpart_adaptive), intent(in) :: adaptive
    converged = c_adaptive_converged(c_handle(adaptive)) == 1
  end function

end module
