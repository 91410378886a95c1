! A progress callback whose free_user counts.
module counting
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_ptr
  implicit none
  integer :: freed = 0
contains
  recursive subroutine count_free(user) bind(C)
    type(c_ptr), value :: user
    freed = freed + 1
  end subroutine
  recursive function go_on(fraction, what, user) bind(C) result(stop_now)
    real(c_double), value :: fraction
    type(c_ptr), value :: what, user
    integer(c_int) :: stop_now
    stop_now = 0
  end function
end module
