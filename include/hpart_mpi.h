/* hpart_mpi: hpart over the ranks of an MPI communicator.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each rank knows its own processors. The functions below find distributions over the processors of all ranks, and measure them.
 * This is a library of its own, libhpart_mpi, over libhpart of the same version; libhpart needs no MPI. docs/reference/mpi.md
 *
 * CONVENTIONS are those of hpart.h, and these:
 *   Collective  every rank of comm calls, with the same objective, size and energy. The processors of all ranks form one platform in
 *               rank order. If comm has more than one rank, processor NAME of rank r is named "r/NAME", as in
 *               hpart_platform_replicate. A rank may have no processors: its platform or team is NULL.
 *   Errors      every rank returns the same status, and hpart_last_error the same text. If an argument of one rank is wrong, or it
 *               has too little memory, the text begins with "rank r: ". HPART_ERR_DEVICE: MPI failed; the text is MPI's. Every
 *               call may return it. Only a wrong comm, or MPI that is not initialised, fails on that rank alone.
 *               HPART_ERR_UNSUPPORTED: libhpart has another version.
 *   Options     those of rank 0 count, its progress callback too; the others' are ignored, except the previous distribution,
 *               options of hpart_mpi_profile, and `overlap`.
 *   MPI         comm is an intracommunicator; the calls duplicate it: their messages never mix with yours. Calls on one communicator
 *               must not run at once. Any level of thread support suffices; hpart_mpi_profile and hpart_mpi_optimize need
 *               MPI_THREAD_FUNNELED. If a
 *               process dies, MPI's rules apply: usually mpirun ends the others. */
#ifndef HPART_MPI_H
#define HPART_MPI_H

#include <hpart.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the distribution of `size` over the processors of all ranks that minimises the objective, as hpart_partition does over one
 * platform of all of them: the results are the same.
 * mine: this rank's processors; NULL: none. Their functions, intervals, limits, host links and links among them count. Links between
 * ranks are not set. The base power is the sum of the ranks'; a rank that has set none adds nothing. If ranks share a node, one of
 * them sets its base power. The border bytes must be the same on all ranks with processors.
 * x: this rank's part, one entry per processor; may be NULL without processors.
 * seconds, joules: of the whole distribution, on every rank. report: of the whole, on every rank. Each may be NULL on some ranks.
 * hpart_options_set_previous: each rank with processors sets the previous distribution of its own ones, or no rank does.
 * HPART_ERR_LIMIT: outputs as for hpart_partition, on every rank. HPART_ERR_INFEASIBLE, HPART_ERR_NUMERICAL, HPART_ERR_CANCELLED.
 * HPART_ERR_INVALID_ARGUMENT: also no rank has a processor, or size or objective differs between ranks.
 * method=paraleph: all ranks compute, each p / ranks columns of the table with `threads` threads. memory_limit is each rank's. The report
 * also has solve_compute_seconds and solve_communication_seconds, one entry per rank; waiting for a neighbour is communication.
 * Rank 0 gathers the platform, in time O(all points), and computes by any other method; the others wait. */
HPART_API hpart_status hpart_mpi_partition(MPI_Comm comm, const hpart_platform *mine, int32_t objective, int64_t size,
                                           const hpart_options *options, int64_t *x, double *seconds, double *joules,
                                           hpart_report **report);

/* Computes the Pareto front over the processors of all ranks, as hpart_front_compute does over one platform of all of them.
 * front: times, energies and report are those of the whole, on every rank. The distributions have this rank's part alone: x of
 * hpart_front_point has one entry per processor of mine, hpart_front_processors is 0 on a rank without processors.
 * mine, options and errors as for hpart_mpi_partition; HPART_ERR_LIMIT returns no front. */
HPART_API hpart_status hpart_mpi_front_compute(MPI_Comm comm, const hpart_platform *mine, int64_t size, int32_t energy,
                                               const hpart_options *options, hpart_front **front);

/* Builds the time functions of all ranks' processors: hpart_team_profile on every rank, one size after another, on all ranks at once.
 * mine: this rank's processors; NULL: none. points, sizes: the same on all ranks.
 * all: on rank 0 the platform of all processors, in rank order; NULL elsewhere, where `all` may be NULL itself.
 * All ranks begin a size together. A rank that has measured it runs it again, unmeasured, until all others have: shared memory and
 * networks stay loaded. Kernels may therefore run more often than they are measured. If such a run fails, the rank rests until the next
 * size. A point that a program could not run is left out, as in hpart_team_profile.
 * Options are each rank's own (confidence, overlap ...), except those that order the measurements, of rank 0: `order`;
 * `max_total_seconds`, of which each size gets an equal share of what is left; simultaneous=0, one rank after another. The
 * progress callback of a rank gets the fraction of a size. The call refuses checkpoint_file, samples_file and max_sizes;
 * hpart_platform_write on rank 0 keeps the result.
 * Option `alike`: ranks that give the same name are equal nodes, with equal processor names. They divide the sizes among them, so that
 * g ranks measure a function in 1/g of the time, and each gets the points of all.
 * A team with meters gets energy functions. A meter must not see the processors of other ranks: one rank per node, or a meter for
 * each processor. The base power is the sum of the ranks'; each rank's is the mean over the sizes.
 * A kernel's name stays if all ranks have the same. Kernels run on hpart's threads and must not call MPI.
 * HPART_ERR_LIMIT: the time did not suffice for all points; *all has the others. HPART_ERR_CALLBACK, HPART_ERR_CANCELLED and others as
 * for hpart_team_profile, from one rank to all; no rank waits for one that failed. */
HPART_API hpart_status hpart_mpi_profile(MPI_Comm comm, hpart_team *mine, int64_t points, const int64_t *sizes,
                                         const hpart_options *options, hpart_platform **all);

/* Measures the links between ranks and sets them, in both directions, between all processors of different ranks.
 * all: on rank 0 the platform of all ranks; ignored elsewhere. Its names say the rank of each processor, "r/NAME", as those of
 * hpart_mpi_profile do; else it has one processor per rank. Links among processors of one rank stay.
 * Latency: the median half of an empty round trip. Bandwidth: a line of least squares through the median half round trips of five sizes
 * from 64 KiB to 4 MiB. Pairs of ranks are measured one after another, while the other ranks sleep.
 * Option bandwidth=ring: each rank sends to the rank k further while it receives from the rank k back, all ranks at once, for each k. A
 * bandwidth is then that of a loaded network, and the two directions may differ.
 * HPART_ERR_INVALID_ARGUMENT: also the ranks of the processors are unknown. HPART_ERR_UNSUPPORTED: more than 1024 ranks. */
HPART_API hpart_status hpart_mpi_measure_links(MPI_Comm comm, const hpart_options *options, hpart_platform *all);

enum {
    HPART_MPI_IN_ORDER = 0, /* rows keep their order over the ranks */
    HPART_MPI_FEWEST = 1    /* fewest rows move; their order over the ranks changes */
};

/* Computes which rows go from which rank to which when the distribution changes, as MPI_Alltoallv takes them: counts and displacements
 * in rows, for a datatype of one row. A rank's old rows are contiguous in one array, and its new ones in another.
 * order: HPART_MPI_IN_ORDER: each rank has a block of the rows of all, the blocks stand in rank order before and after.
 * HPART_MPI_FEWEST: each rank keeps as many rows as it can, the first of its array, and sends or receives the rest behind them. The
 * ranks receive sum max(0, new_rows - old_rows) rows in all, the least possible: `moved` of hpart_partition with one processor a rank.
 * old_rows, new_rows: of this rank, 0 to 2^31 - 1, with equal sums over the ranks.
 * The four arrays have one entry per rank, as MPI's int. A rank's entry of itself counts the rows that stay.
 * HPART_ERR_INVALID_ARGUMENT: also the sums, or order, differ. Time O(ranks). */
HPART_API hpart_status hpart_mpi_redistribution_compute(MPI_Comm comm, int32_t order, int64_t old_rows, int64_t new_rows,
                                                        int *send_counts, int *send_displacements, int *receive_counts,
                                                        int *receive_displacements);

/* Finds the distribution of `size` over the processors of all ranks that takes the least time, from few measurements, with the certificate
 * of hpart_team_optimize.
 * mine: this rank's processors; NULL: none. size, points, sizes: the same on all ranks.
 * x: this rank's part, one entry per processor; may be NULL without processors.
 * seconds, report: of the whole distribution, on every rank, as for hpart_team_optimize; each may be NULL. The report's distributions have
 * an entry for each processor of all ranks. contaminated is 0: nobody watches the nodes for disturbances.
 * measured: on rank 0 all measured points; NULL elsewhere, where `measured` may be NULL itself.
 * Rank 0 searches. For each repetition all ranks run their parts of a distribution at once, between two barriers. The limit of time and the
 * progress callback are looked at between repetitions. Energies are not measured.
 * options: those of rank 0, as for hpart_team_optimize; `overlap` is each rank's own and concerns its own processors.
 * HPART_ERR_CALLBACK: also a processor failed at every size tried, or a kernel's exception. HPART_ERR_INFEASIBLE, HPART_ERR_LIMIT,
 * HPART_ERR_CANCELLED and others as for hpart_team_optimize; no rank waits for one that failed. */
HPART_API hpart_status hpart_mpi_optimize(MPI_Comm comm, hpart_team *mine, int64_t size, int64_t points, const int64_t *sizes,
                                          const hpart_options *options, int64_t *x, double *seconds, hpart_platform **measured,
                                          hpart_report **report);

#ifdef __cplusplus
}
#endif

#endif
