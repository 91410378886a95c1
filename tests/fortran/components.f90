! Types that contain handles, assigned as a whole. gfortran 12 may keep a handle then; no compiler may destroy one that a variable
! still holds, or destroy one twice.
program components
  use, intrinsic :: iso_fortran_env, only: real64
  use hpart
  use check
  use counting
  implicit none

  type :: solver
    integer :: steps = 3
    type(hpart_options) :: options
    real(real64), allocatable :: field(:)
  end type

  call copied()
  call expect(freed <= 2, 'freed more often than made: copied')
  freed = 0
  call again_and_again()
  call expect(freed <= 1, 'freed more often than made: in a loop')
  freed = 0
  call in_a_container()
  call expect(freed <= 2, 'freed more often than made: in a container')
  call finish_checks()

contains

  subroutine copied()
    type(solver) :: a, b
    call make(a%options)
    a%field = [1.0_real64, 2.0_real64]
    b = a
    call use_it(b%options)
    call make(a%options)
    call expect(freed == 0, 'the copy holds the first one')
    call use_it(b%options)
    a = b
    call use_it(a%options)
  end subroutine

  subroutine again_and_again()
    type(solver) :: a, b
    integer :: k
    call make(a%options)
    do k = 1, 10
      b = a
      a = b
    end do
    call use_it(a%options)
  end subroutine

  subroutine in_a_container()
    type(solver), allocatable :: all(:)
    type(solver) :: one
    call make(one%options)
    allocate (all(2))
    all = one
    call use_it(all(2)%options)
    call make(all(1)%options)
    all = all(2:1:-1)
    call use_it(all(1)%options)
    all(2) = one
    call hpart_options_destroy(one%options)
    call use_it(all(2)%options)
  end subroutine

end program
