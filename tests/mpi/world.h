/* The ranks of MPI_COMM_WORLD. A team has two processors a rank; rank 1 of more than two has none. */
#ifndef WORLD_H
#define WORLD_H

#include "check.h"

#include <hpart_mpi.h>

static int rank, ranks, last;

static inline int has_team(int r) { return ranks <= 2 || r != 1; }
static inline int64_t processors_of_all(void) { return 2 * (ranks > 2 ? ranks - 1 : ranks); }

static void start_world(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
}

#endif
