! An MPI program outside hpart's tree: each rank has one processor, rank 1 the faster one.
program consumer
  use mpi_f08
  use hpart
  use hpart_mpi
  implicit none
  type(hpart_platform) :: mine
  integer(8) :: x(1)
  double precision :: seconds
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call hpart_platform_create(1, mine)
  if (rank == 0) call hpart_platform_set_time_function(mine, 1, [1, 2, 3], [1d0, 2d0, 3d0])
  if (rank == 1) call hpart_platform_set_time_function(mine, 1, [1, 2, 3], [0.5d0, 0.75d0, 4d0])
  call hpart_mpi_partition(MPI_COMM_WORLD, mine, HPART_OBJECTIVE_TIME, 3, x, seconds)
  if (x(1) /= 1 + rank .or. seconds /= 1d0) error stop 1
  call hpart_mpi_partition(MPI_COMM_WORLD%MPI_VAL, mine, HPART_OBJECTIVE_TIME, 3, x, seconds)
  if (x(1) /= 1 + rank .or. seconds /= 1d0) error stop 2
  call MPI_Finalize()
end program
