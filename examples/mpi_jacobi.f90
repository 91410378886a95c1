! The heat equation on a plate by Jacobi's method over MPI, in vertical slices: Fortran stores columns one after another. The unit of
! work is a column: rank r has x(r) columns, and before each iteration it exchanges border columns with its neighbours.
!   mpirun -n 3 ./a.out 100,200,300                      these columns, one size a rank
!   mpirun -n 3 ./a.out --size 600                       equal sizes
!   mpirun -n 3 ./a.out --size 600 --platform FILE.csv   the fastest columns by the time functions of the file
!   --check              compares the result with one that rank 0 computes alone
!   --slow RANK=FACTOR   this rank repeats its work
! It prints the seconds an iteration of each rank, one a line. A rank's time is that of its own work and messages: all ranks meet at a
! barrier before messages, outside of the times.
program jacobi
  use, intrinsic :: iso_fortran_env, only: error_unit
  use hpart
  use mpi_f08
  implicit none
  integer, parameter :: dp = kind(1.0d0), rows = 512, iterations = 100
  real(dp), allocatable :: old(:, :), next(:, :), seconds(:)
  integer, allocatable :: x(:)
  integer :: rank, ranks, first, repeats, k, repeat
  logical :: is_checked
  real(dp) :: started

  call mpi_init()
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, ranks)
  allocate (x(0:ranks - 1), seconds(0:ranks - 1))
  call read_arguments()
  first = sum(x(:rank - 1))
  call new_slice(old, x(rank), first)
  call new_slice(next, x(rank), first)

  seconds = 0
  do k = 1, iterations
    call mpi_barrier(MPI_COMM_WORLD)
    started = mpi_wtime()
    call exchange_borders(old, x(rank))
    do repeat = 1, repeats
      call sweep(old, next)
    end do
    seconds(rank) = seconds(rank) + (mpi_wtime() - started)
    call swap(old, next)
  end do

  call print_times()
  if (is_checked) call check(old)
  call mpi_finalize()

contains

  subroutine read_arguments()
    character(len=1000) :: argument, file
    integer :: i, r, at, status, slow_rank, size
    repeats = 1
    is_checked = .false.
    x = -1
    size = -1
    file = ''
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, argument)
      select case (argument)
      case ('--check')
        is_checked = .true.
      case ('--platform')
        i = i + 1
        call get_command_argument(i, file)
      case ('--size')
        i = i + 1
        call get_command_argument(i, argument)
        read (argument, *, iostat=status) size
        if (status /= 0 .or. size < 1) call stop_all('--size: must be 1 or more')
      case ('--slow')
        i = i + 1
        call get_command_argument(i, argument)
        at = index(argument, '=')
        read (argument(:at - 1), *, iostat=status) slow_rank
        if (status == 0 .and. slow_rank == rank) read (argument(at + 1:), *, iostat=status) repeats
        if (at == 0 .or. status /= 0 .or. repeats < 1) call stop_all('--slow: must be RANK=FACTOR, of 1 or more')
      case default
        if (argument(:1) == '-') call stop_all(trim(argument)//': no option of this application')
        read (argument, *, iostat=status) x
        if (status /= 0) call stop_all(trim(argument)//': not one size for each rank')
      end select
      i = i + 1
    end do
    if (file /= '' .and. size > 0) then
      call partition(trim(file), size)
    else if (size > 0) then
      x = [(size / ranks + merge(1, 0, r < mod(size, ranks)), r=0, ranks - 1)]
    end if
    if (any(x < 0)) call stop_all('needs sizes X,Y,... of 0 or more, one a rank, or --size N [--platform FILE.csv]')
  end subroutine

  ! Rank 0 reads the file and partitions; the other ranks need not see the file.
  subroutine partition(file, size)
    character(len=*), intent(in) :: file
    integer, intent(in) :: size
    type(hpart_platform) :: platform
    real(dp) :: predicted
    if (rank == 0) then
      call hpart_platform_read(file, platform)      ! a failure stops with its message
      if (hpart_platform_processors(platform) /= ranks) then
        write (error_unit, '(a)') file//': not one processor for each rank'
        call mpi_abort(MPI_COMM_WORLD, 2)
      end if
      call hpart_partition_time(platform, size, x, predicted)
    end if
    call mpi_bcast(x, ranks, MPI_INTEGER, 0, MPI_COMM_WORLD)
  end subroutine

  ! Rows 0 and rows + 1 are the plate's cold edges, columns 0 and columns + 1 the neighbours' borders, or edges: the left one is hot.
  subroutine new_slice(plate, columns, first)
    real(dp), allocatable, intent(out) :: plate(:, :)
    integer, intent(in) :: columns, first
    allocate (plate(0:rows + 1, 0:columns + 1), source=0.0_dp)
    if (first == 0) plate(1:rows, 0) = 100
  end subroutine

  ! The nearest rank with columns, in steps of +1 or -1.
  integer function neighbour(step)
    integer, intent(in) :: step
    neighbour = rank + step
    do while (neighbour >= 0 .and. neighbour < ranks)
      if (x(neighbour) > 0) return
      neighbour = neighbour + step
    end do
    neighbour = MPI_PROC_NULL
  end function

  subroutine exchange_borders(plate, columns)
    real(dp), intent(inout), asynchronous :: plate(0:, 0:)
    integer, intent(in) :: columns
    integer, parameter :: n = rows + 2
    type(MPI_Request) :: requests(4)
    if (columns == 0) return
    call mpi_irecv(plate(0, 0), n, MPI_DOUBLE_PRECISION, neighbour(-1), 0, MPI_COMM_WORLD, requests(1))
    call mpi_irecv(plate(0, columns + 1), n, MPI_DOUBLE_PRECISION, neighbour(1), 0, MPI_COMM_WORLD, requests(2))
    call mpi_isend(plate(0, 1), n, MPI_DOUBLE_PRECISION, neighbour(-1), 0, MPI_COMM_WORLD, requests(3))
    call mpi_isend(plate(0, columns), n, MPI_DOUBLE_PRECISION, neighbour(1), 0, MPI_COMM_WORLD, requests(4))
    call mpi_waitall(4, requests, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine sweep(old, next)
    real(dp), intent(in) :: old(0:, 0:)
    real(dp), intent(inout) :: next(0:, 0:)
    integer :: i, j
    do j = 1, ubound(old, 2) - 1
      do i = 1, rows
        next(i, j) = 0.25_dp * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
  end subroutine

  subroutine swap(old, next)
    real(dp), allocatable, intent(inout) :: old(:, :), next(:, :)
    real(dp), allocatable :: other(:, :)
    call move_alloc(old, other)
    call move_alloc(next, old)
    call move_alloc(other, next)
  end subroutine

  subroutine print_times()
    real(dp) :: mine
    integer :: r
    mine = merge(seconds(rank) / iterations, 0.0_dp, x(rank) > 0)
    call mpi_gather(mine, 1, MPI_DOUBLE_PRECISION, seconds, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(es15.8)', (seconds(r), r=0, ranks - 1)
  end subroutine

  ! Rank 0 gets all columns, and compares them with those that it computes alone: the same sums, and so the same bits.
  subroutine check(plate)
    real(dp), intent(in) :: plate(0:, 0:)
    real(dp), allocatable :: gathered(:, :), alone(:, :), other(:, :)
    integer :: r, k, columns
    integer, parameter :: n = rows + 2
    logical :: is_right
    columns = merge(sum(x), 0, rank == 0)
    call new_slice(gathered, columns, 1)
    call mpi_gatherv(plate(0, 1), n * x(rank), MPI_DOUBLE_PRECISION, gathered(0, 1), n * x, &
                     [(n * sum(x(:r - 1)), r=0, ranks - 1)], MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    is_right = .true.
    if (rank == 0) then
      call new_slice(alone, columns, 0)
      call new_slice(other, columns, 0)
      do k = 1, iterations
        call sweep(alone, other)
        call swap(alone, other)
      end do
      is_right = maxval(abs(gathered(:, 1:columns) - alone(:, 1:columns))) <= 0
      write (error_unit, '(2a)') 'check: ', merge('right', 'WRONG', is_right)
    end if
    call mpi_bcast(is_right, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
    if (.not. is_right) call stop_all('the result is wrong')
  end subroutine

  subroutine stop_all(message)
    character(len=*), intent(in) :: message
    if (rank == 0) write (error_unit, '(a)') message
    call mpi_barrier(MPI_COMM_WORLD)
    call mpi_finalize()
    stop 2
  end subroutine
end program
