! Types that contain handles, assigned as a whole, and arrays of handles in another order. gfortran 12 may keep a handle then; no compiler may destroy one that a variable
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
  call reordered()
  call of_its_own_elements()
  call turned()
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
    type(solver), allocatable :: all(:), turned(:)
    type(solver) :: one
    call make(one%options)
    allocate (all(2), turned(2))
    all = one
    call use_it(all(2)%options)
    call make(all(1)%options)
    turned = all(2:1:-1)
    all = turned
    call use_it(all(1)%options)
    all(2) = one
    call hpart_options_destroy(one%options)
    call use_it(all(2)%options)
  end subroutine

  ! all = all(2:1:-1) leaves the handles in their places with gfortran 12, and loses them with 14.
  subroutine reordered()
    type :: part
      integer :: number = 0
      type(hpart_platform) :: platform
    end type
    type(part), allocatable :: all(:), turned(:)
    integer :: k
    allocate (all(3), turned(3))
    do k = 1, 3
      all(k)%number = k
      call hpart_platform_create(k, all(k)%platform)
    end do
    turned = all(3:1:-1)
    all = turned
    do k = 1, 3
      call expect(all(k)%number == 4 - k, 'the numbers in the other order')
      call expect(hpart_platform_processors(all(k)%platform) == 4 - k, 'the handles in the other order')
    end do
  end subroutine

  ! gfortran may leave each handle in its place, or lose it; gfortran 16 frees what it finalises before the copies are assigned, as the
  ! standard says. Nothing names a handle that is gone.
  subroutine of_its_own_elements()
    type(solver) :: all(2), three(3)
    integer :: k, held
    do k = 1, 2
      all(k)%steps = k
      call make(all(k)%options)
    end do
    do k = 1, 3
      three(k)%steps = k
      call make(three(k)%options)
    end do
    freed = 0
    all = [all(2), all(1)]
    call expect(all(1)%steps == 2 .and. all(2)%steps == 1, 'the numbers of the other element')
    three = three(3:1:-1)
    three(1:2) = three(2:3)
    ! Five were made, and one handle may stand in two elements of three.
    held = 0
    do k = 1, 2
      call count_held(all(k)%options, held)
    end do
    do k = 1, 3
      call count_held(three(k)%options, held)
    end do
    call expect(freed + held <= 6, 'freed while variables hold them')
  end subroutine

  subroutine count_held(options, held)
    type(hpart_options), intent(in) :: options
    integer, intent(inout) :: held
    integer :: ierr
    call hpart_options_set(options, 'threads', 1, ierr)
    call expect(ierr == HPART_SUCCESS .or. ierr == HPART_ERR_INVALID_ARGUMENT, 'a handle, or none')
    if (ierr == HPART_SUCCESS) held = held + 1
  end subroutine

  ! An array of handles from itself in another order.
  subroutine turned()
    type(hpart_platform) :: p(3)
    integer :: k, counts(3)
    do k = 1, 3
      call hpart_platform_create(k, p(k))
    end do
    p = p(3:1:-1)
    p = p([2, 3, 1])
    p = p(3:1:-1)
    counts = [3, 1, 2]
    do k = 1, 3
      call expect(hpart_platform_processors(p(k)) == counts(k), 'the handles turned')
    end do
  end subroutine

end program
