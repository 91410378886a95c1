! Laplace's equation on a square by Jacobi's method. Two groups of OpenMP threads share the columns: one thread, and all others.
! hpart measures sweeps of both groups at the same time, and divides the columns so that both groups finish together.
module jacobi
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t, c_ptr
  implicit none
  integer, parameter :: dp = kind(1.0d0), n = 640, sweeps = 100

  ! A group of threads, and a grid on which it is measured.
  type :: thread_group
    integer :: threads = 1
    real(dp), allocatable :: old(:, :), new(:, :)
  end type

contains

  ! One sweep over the columns from first to last.
  recursive subroutine sweep(old, new, first, last, threads)
    real(dp), intent(in), contiguous :: old(0:, 0:)
    real(dp), intent(inout), contiguous :: new(0:, 0:)
    integer, intent(in) :: first, last, threads
    integer :: i, j
    !$omp parallel do num_threads(threads) private(i)
    do j = first, last
      do i = 1, n
        new(i, j) = 0.25_dp*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
  end subroutine

  ! The kernel of a group: one sweep over size columns. It is recursive because hpart runs those of both groups at the same time.
  recursive function sweep_columns(size, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    type(c_ptr), value :: user
    integer(c_int) :: failed
    type(thread_group), pointer :: mine
    call c_f_pointer(user, mine)
    call sweep(mine%old, mine%new, 1, int(size), mine%threads)
    failed = 0
  end function

  ! 0 inside and 1 on the left border.
  subroutine start(old, new)
    real(dp), allocatable, intent(out) :: old(:, :), new(:, :)
    allocate (old(0:n + 1, 0:n + 1), source=0.0_dp)
    old(:, 0) = 1
    new = old
  end subroutine

end module

program openmp_solver
  use, intrinsic :: iso_c_binding, only: c_loc
  use hpart
  use jacobi
  use omp_lib, only: omp_get_max_threads, omp_set_max_active_levels
  implicit none
  type(thread_group), target :: groups(2)
  type(hpart_team) :: team
  type(hpart_options) :: options
  type(hpart_platform) :: platform
  real(dp), allocatable :: old(:, :), new(:, :), plain_old(:, :), plain_new(:, :)
  real(dp) :: seconds
  integer :: columns(2), first(2), last(2), g, k

  call omp_set_max_active_levels(2)
  groups(2)%threads = max(1, omp_get_max_threads() - 1)
  call hpart_team_create(team)
  do g = 1, 2
    call start(groups(g)%old, groups(g)%new)
    call hpart_team_add(team, merge('one thread', 'the others', g == 1), sweep_columns, user=c_loc(groups(g)))
  end do

  ! The times of 64, 128, ... 640 columns. All of them fit together, so that the functions need no interpolation.
  call hpart_options_create(options)
  call hpart_options_set(options, 'max_repetitions', 5)
  call hpart_team_profile(team, [(k*n/10, k=1, 10)], platform, options=options)
  call hpart_partition_time(platform, n, columns, seconds)
  last = [columns(1), n]
  first = [1, columns(1) + 1]

  call start(old, new)
  do k = 1, sweeps/2
    !$omp parallel do num_threads(2) schedule(static, 1)
    do g = 1, 2
      call sweep(old, new, first(g), last(g), groups(g)%threads)
    end do
    !$omp parallel do num_threads(2) schedule(static, 1)
    do g = 1, 2
      call sweep(new, old, first(g), last(g), groups(g)%threads)
    end do
  end do

  call start(plain_old, plain_new)
  do k = 1, sweeps/2
    call sweep(plain_old, plain_new, 1, n, 1)
    call sweep(plain_new, plain_old, 1, n, 1)
  end do
  print '(2(a, i0), a, es8.1, a)', 'columns: ', columns(1), ' and ', columns(2), ', ', seconds, ' s a sweep'
  print '(2a)', 'same result as in one thread: ', merge('yes', 'no ', maxval(abs(old - plain_old)) <= 0 .and. old(n/2, 1) > 0)
end program
