! The problem of all languages, in Fortran: rank r has one processor, of one of two kinds (worked_test.cpp). Communicators of mpi_f08, or
! with -DINTEGERS those of module mpi and FORTRAN 77's procedures.
module worked_calls
  use, intrinsic :: iso_c_binding
  use hpart
  implicit none
  integer(8), parameter :: sizes(4) = [2_8, 4_8, 8_8, 10_8]
  real(8) :: times(4)
  real(8), parameter :: digits_of_clock = 1 + 1d-9 ! rounded times would certify nothing

contains

  recursive function kernel(size, user) bind(C) result(answer)
    integer(c_int64_t), value :: size
    type(c_ptr), value :: user
    integer(c_int) :: answer
    answer = 0
    if (size < 0 .or. c_associated(user)) answer = 1
  end function

  recursive function run(processors, x, seconds, user) bind(C) result(answer)
    integer(c_int64_t), value :: processors
    integer(c_int64_t), intent(in) :: x(processors)
    real(c_double), intent(inout) :: seconds(processors)
    type(c_ptr), value :: user
    integer(c_int) :: answer
    answer = 0
    if (processors /= 1 .or. c_associated(user)) answer = 1
    seconds(1) = times(findloc(sizes, x(1), 1)) * digits_of_clock
  end function

  subroutine check(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    if (condition) return
    print '(a,i0,2a)', 'worked.F90:', line, ': ', hpart_last_error()
    error stop 1
  end subroutine
end module

program worked
#ifdef INTEGERS
  use mpi
#else
  use mpi_f08
#endif
  use worked_calls
  use hpart_mpi
  implicit none
#ifdef INTEGERS
  integer :: comm
#else
  type(MPI_Comm) :: comm
#endif
  type(hpart_platform) :: mine, all, none
  type(hpart_front) :: front
  type(hpart_team) :: team, application
  type(hpart_options) :: options
  type(hpart_report) :: report
  integer :: rank, ranks, provided, ierr, r, size
  integer(8) :: part(1), x(1), certified
  integer(4) :: short(1), too_long(2)
  integer, allocatable :: counts(:), places(:), receives(:), receive_places(:)
  real(8) :: least, energy, seconds, joules, latency, bandwidth

  comm = MPI_COMM_WORLD
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Comm_size(comm, ranks, ierr)
  size = 0
  energy = 0
  do r = 0, ranks - 1
    size = size + merge(8, 4, ranks == 1 .or. mod(r, 2) == 1)
    energy = energy + merge(8, merge(16, 4, mod(r, 2) == 1), ranks == 1)
  end do
  part = merge(8, 4, ranks == 1 .or. mod(rank, 2) == 1)
  least = merge(5.0d0, 2.5d0, ranks == 1)
  times = merge([1.0d0, 2.0d0, 5.0d0, 7.0d0], [2.0d0, 2.1d0, 2.5d0, 6.0d0], mod(rank, 2) == 0)
  call hpart_platform_create(1, mine)
  call hpart_platform_set_time_function(mine, 1, sizes, times)
  call hpart_platform_set_energy_function(mine, 1, sizes, real(sizes, 8)*merge(1, 2, mod(rank, 2) == 0))

  call hpart_mpi_partition(comm, mine, HPART_OBJECTIVE_TIME, size, x, seconds, joules, report=report)
  call check(x(1) == part(1) .and. seconds == least .and. joules == energy, __LINE__)
  call hpart_mpi_partition(comm, mine, HPART_OBJECTIVE_TIME, int(size, 8), short)
  call check(short(1) == part(1), __LINE__)
  call hpart_mpi_front_compute(comm, mine, size, HPART_ENERGY_DYNAMIC, front)
  call hpart_front_point(front, 1, seconds, joules, x)
  call check(x(1) == part(1) .and. seconds == least .and. joules == energy, __LINE__)
  ! An array of the wrong length on one rank is an error of all.
  if (rank == ranks - 1) then
    call hpart_mpi_partition(comm, mine, HPART_OBJECTIVE_TIME, size, too_long, ierr=ierr)
    call check(index(hpart_last_error(), 'x has 2 elements') > 0, __LINE__)
  else
    call hpart_mpi_partition(comm, mine, HPART_OBJECTIVE_TIME, size, x, ierr=ierr)
  end if
  call check(ierr == HPART_ERR_INVALID_ARGUMENT, __LINE__)

  allocate (counts(ranks), places(ranks), receives(ranks), receive_places(ranks))
  call hpart_mpi_redistribution_compute(comm, HPART_MPI_IN_ORDER, merge(size, 0, rank == 0), int(part(1)), counts, places, &
      receives, receive_places)
  call check(receives(1) == part(1) .and. places(ranks) + counts(ranks) == merge(size, 0, rank == 0), __LINE__)

  call hpart_team_create(team)
  call hpart_team_add(team, 'P', kernel)
  call hpart_options_create(options)
  call hpart_options_set(options, 'min_repetitions', 3)
  call hpart_options_set(options, 'max_repetitions', 3)
  call hpart_options_set(options, 'alike', 'node')
  call hpart_mpi_profile(comm, team, [2, 4], all, options=options)
  call hpart_mpi_measure_links(comm, all)
  call check(hpart_platform_processors(all) == merge(ranks, -1, rank == 0), __LINE__)
  if (rank == 0 .and. ranks > 1) then
    call hpart_platform_get_link(all, 1, 2, latency, bandwidth)
    call check(latency > 0, __LINE__)
  end if

  call hpart_team_create(application)
  call hpart_team_set_application_function(application, 'P', run)
  call hpart_options_create(options)
  call hpart_options_set(options, 'sizes', 'all')
  call hpart_options_set(options, 'confirm', 0)
  call hpart_mpi_optimize(comm, application, int(size, 8), sizes, x, seconds, options=options, measured=none, report=report)
  call hpart_report_get(report, 'certified', certified)
  call check(x(1) == part(1) .and. seconds == least * digits_of_clock .and. certified == 1, __LINE__)
  call check(hpart_platform_processors(none) == merge(ranks, -1, rank == 0), __LINE__)
#ifdef INTEGERS
  call legacy()
#endif
  call MPI_Finalize(ierr)

#ifdef INTEGERS
contains

  subroutine legacy()
    external legacy_kernel
    integer :: p, t, o, f, r, a, i, one(1)
    character(len=80) :: text
    call hpart_f77_platform_create(1, p, ierr)
    call hpart_f77_platform_set_time_function(p, 1, 4, int(sizes), times, ierr)
    call hpart_f77_platform_set_energy_function(p, 1, 4, int(sizes), real(sizes, 8)*merge(1, 2, mod(rank, 2) == 0), ierr)
    call hpart_f77_mpi_partition(comm, p, 0, size, 0, one, seconds, joules, r, ierr)
    call check(ierr == 0 .and. one(1) == part(1) .and. seconds == least .and. joules == energy, __LINE__)
    call hpart_f77_mpi_front_compute(comm, p, size, 0, 0, f, ierr)
    call hpart_f77_front_point(f, 1, seconds, joules, one, ierr)
    call check(ierr == 0 .and. one(1) == part(1) .and. seconds == least, __LINE__)
    ! A wrong handle of one rank is an error of all.
    call hpart_f77_mpi_partition(comm, merge(77, p, rank == ranks - 1), 0, size, 0, one, seconds, joules, r, ierr)
    call hpart_f77_last_error(text)
    call check(ierr == -1 .and. (rank < ranks - 1 .or. index(text, 'PLATFORM is 77, not a handle') > 0), __LINE__)
    i = merge(size, 0, rank == 0)
    call hpart_f77_mpi_redistribution_compute(comm, 0, i, int(part(1)), counts, places, receives, receive_places, ierr)
    call check(ierr == 0 .and. receives(1) == part(1) .and. counts(ranks) + places(ranks) == i, __LINE__)
    call hpart_f77_team_create(t, ierr)
    call hpart_f77_team_add(t, 'P', legacy_kernel, ' ', ierr)
    call hpart_f77_options_create(o, ierr)
    call hpart_f77_options_set_int(o, 'min_repetitions', 3, ierr)
    call hpart_f77_options_set_int(o, 'max_repetitions', 3, ierr)
    call hpart_f77_mpi_profile(comm, t, 2, int(sizes), o, a, ierr)
    call check(ierr == 0 .and. (a /= 0 .eqv. rank == 0), __LINE__)
    call hpart_f77_mpi_measure_links(comm, 0, a, ierr)
    call check(ierr == 0, __LINE__)
    call hpart_f77_options_set_int(o, 'confirm', 0, ierr)
    call hpart_f77_mpi_optimize(comm, t, 2*ranks, 1, int(sizes), o, one, seconds, f, r, ierr)
    call check(ierr == 0 .and. one(1) == 2 .and. r /= 0, __LINE__)
  end subroutine
#endif
end program

subroutine legacy_kernel(size, failed)
  integer :: size, failed
  if (size < 0) failed = 1
end subroutine
