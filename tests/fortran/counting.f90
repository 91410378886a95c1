! Options whose progress callback has a free_user that counts.
module counting
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32
  use hpart
  use check
  implicit none
  integer :: freed = 0
contains
  recursive subroutine count_free(user) bind(C)
    type(c_ptr), value :: user
    !$omp atomic
    freed = freed + 1
  end subroutine
  recursive function go_on(fraction, what, user) bind(C) result(stop_now)
    real(c_double), value :: fraction
    type(c_ptr), value :: what, user
    integer(c_int) :: stop_now
    stop_now = 0
  end function

  subroutine make(options)
    type(hpart_options), intent(inout) :: options
    call hpart_options_create(options)
    call hpart_options_set_progress(options, go_on, free_user=count_free)
  end subroutine

  subroutine use_it(options)
    type(hpart_options), intent(in) :: options
    integer(int32) :: ierr
    call hpart_options_set(options, 'threads', 1, ierr)
    call expect(ierr == HPART_SUCCESS, 'the handle still stands')
  end subroutine
end module
