/* An MPI program outside hpart's tree: each rank has one processor, rank 1 the faster one. */
#include <hpart_mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    const int64_t sizes[] = {1, 2, 3};
    const double seconds[2][3] = {{1.0, 2.0, 3.0}, {0.5, 0.75, 4.0}};
    hpart_platform *mine = NULL;
    hpart_status status;
    int64_t x = -1;
    double time = 0.0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    status = hpart_platform_create(1, &mine);
    if (!status) status = hpart_platform_set_time_function(mine, 0, 3, sizes, seconds[rank % 2]);
    if (!status)
        status = hpart_mpi_partition(MPI_COMM_WORLD, mine, HPART_OBJECTIVE_TIME, 3, NULL, &x, &time, NULL, NULL);
    if (status) fprintf(stderr, "%s\n", hpart_last_error());
    hpart_platform_destroy(mine);
    MPI_Finalize();
    return !status && x == 1 + rank && time == 1.0 ? 0 : 1;
}
