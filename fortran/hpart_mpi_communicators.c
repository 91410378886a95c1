/* hpart_mpi.h for Fortran, whose communicators are integers. */
#include <hpart_mpi.h>

/* Number of ranks; -1 if there is no such communicator now, which the call itself then reports. */
int64_t hpart_mpi_fortran_ranks(MPI_Fint comm)
{
    int initialized = 0, finalized = 0, ranks = -1;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized || MPI_Comm_f2c(comm) == MPI_COMM_NULL) return -1;
    MPI_Comm_size(MPI_Comm_f2c(comm), &ranks);
    return ranks;
}

hpart_status hpart_mpi_fortran_partition(MPI_Fint comm, const hpart_platform *mine, int32_t objective, int64_t size,
                                         const hpart_options *options, int64_t *x, double *seconds, double *joules,
                                         hpart_report **report)
{
    return hpart_mpi_partition(MPI_Comm_f2c(comm), mine, objective, size, options, x, seconds, joules, report);
}

hpart_status hpart_mpi_fortran_front(MPI_Fint comm, const hpart_platform *mine, int64_t size, int32_t energy,
                                     const hpart_options *options, hpart_front **front)
{
    return hpart_mpi_front_compute(MPI_Comm_f2c(comm), mine, size, energy, options, front);
}

hpart_status hpart_mpi_fortran_profile(MPI_Fint comm, hpart_team *mine, int64_t points, const int64_t *sizes,
                                       const hpart_options *options, hpart_platform **all)
{
    return hpart_mpi_profile(MPI_Comm_f2c(comm), mine, points, sizes, options, all);
}

hpart_status hpart_mpi_fortran_links(MPI_Fint comm, const hpart_options *options, hpart_platform *all)
{
    return hpart_mpi_measure_links(MPI_Comm_f2c(comm), options, all);
}

hpart_status hpart_mpi_fortran_redistribution(MPI_Fint comm, int32_t order, int64_t old_rows, int64_t new_rows,
                                              int *send_counts, int *send_displacements, int *receive_counts,
                                              int *receive_displacements)
{
    return hpart_mpi_redistribution_compute(MPI_Comm_f2c(comm), order, old_rows, new_rows, send_counts,
                                            send_displacements, receive_counts, receive_displacements);
}

hpart_status hpart_mpi_fortran_optimize(MPI_Fint comm, hpart_team *mine, int64_t size, int64_t points,
                                        const int64_t *sizes, const hpart_options *options, int64_t *x, double *seconds,
                                        hpart_platform **measured, hpart_report **report)
{
    return hpart_mpi_optimize(MPI_Comm_f2c(comm), mine, size, points, sizes, options, x, seconds, measured, report);
}
