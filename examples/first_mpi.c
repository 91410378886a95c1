/* Each rank has one processor whose time is known at four sizes: which rank gets how much of 12 units, so that the work is done first?
 * mpicc first_mpi.c $(pkg-config --cflags --libs hpart-mpi) && mpirun -n 2 ./a.out */
#include <hpart_mpi.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const int64_t sizes[] = {2, 4, 8, 10};
    const double seconds_of[2][4] = {{1.0, 2.0, 5.0, 7.0}, {2.0, 2.1, 2.5, 6.0}};
    hpart_platform *mine = NULL;
    int64_t x = 0;
    double seconds = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    hpart_status status = hpart_platform_create(1, &mine);
    if (!status) status = hpart_platform_set_time_function(mine, 0, 4, sizes, seconds_of[rank % 2]);
    if (status) MPI_Abort(MPI_COMM_WORLD, 1); /* the others wait in hpart_mpi_partition */
    status = hpart_mpi_partition(MPI_COMM_WORLD, mine, HPART_OBJECTIVE_TIME, 12, NULL, &x, &seconds, NULL, NULL);
    if (!status)
        printf("rank %d: %" PRId64 " of 12, %g s\n", rank, x, seconds); /* rank 0: 4, rank 1: 8, 2.5 s */
    else if (rank == 0)
        fprintf(stderr, "%s\n", hpart_last_error());
    hpart_platform_destroy(mine);
    MPI_Finalize();
    return status ? 1 : 0;
}
