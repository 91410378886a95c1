/* hpart: self-adaptable applications. A part of hpart.h.
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HPART_H
#include "../hpart.h" /* which includes this part */
#endif
#ifndef HPART_ADAPTIVE_H
#define HPART_ADAPTIVE_H

/* ---- self-adaptable applications ------------------------------
 *
 * For iterative applications on processors of unknown speed. In each iteration the application gets its distribution from
 * hpart_adaptive_distribution, moves its data if the distribution has changed, and passes each processor's own time to
 * hpart_adaptive_update.
 *
 * hpart builds each processor's time function from these times, at the sizes that have run (Clarke, Lastovetsky, Rychkov, "Dynamic
 * load balancing of parallel computational iterative routines on highly heterogeneous HPC platforms", Parallel Processing Letters
 * 21(2), 2011). It proposes the distribution that moves least among those within half the tolerance of the least time, and only if the
 * gain exceeds the tolerance and the noise. Moves without a gain end the search. If single sizes are faster or slower than their
 * neighbours, hpart tries other sizes while that pays within option move_horizon; exact partitions over the sizes' likely times choose
 * them. If a processor's time deviates twice in a row from its earlier ones at the same size, its speed has changed: hpart
 * scales its function and begins a new search. docs/background/adaptive.md has the rules and results. Every distribution sums to the size and
 * keeps the limits. An update takes about O(p log p) for p processors, and bounded work, about 50 ms, and 64 MiB for exact partitions: it
 * tries no other sizes if these find nothing within that. Equal times give equal distributions.
 *
 * examples/adaptive_solver.c solves the heat equation on threads that change their speed. */

/* Creates the state of one application. Its first distribution has equal parts, unless hpart_options_set_previous has set one.
 * size: of the problem, 0 to 2^53. Options: tolerance, change_threshold, move_cost, move_horizon. */
HPART_API hpart_status hpart_adaptive_create(int64_t processors, int64_t size, const hpart_options *options,
                                             hpart_adaptive **adaptive);
HPART_API void hpart_adaptive_destroy(hpart_adaptive *adaptive);
/* Returns the number of processors; -1 for NULL. */
HPART_API int64_t hpart_adaptive_processors(const hpart_adaptive *adaptive);

/* Sets limits 0 <= smallest <= x[processor] <= largest, at any time between iterations. Default: 0 and the size. A stopped processor
 * starts again. HPART_ERR_INFEASIBLE: no distribution keeps all limits. */
HPART_API hpart_status hpart_adaptive_set_limits(hpart_adaptive *adaptive, int64_t processor, int64_t smallest, int64_t largest);

/* Changes the size of the problem between two iterations, as an adaptive mesh does: 0 to 2^53.
 * hpart keeps the functions and the limits. It assumes that each part has grown or shrunk in proportion, moves from there if that gains
 * more than the tolerance, and begins a new search. x of hpart_adaptive_update then sums to the new size.
 * HPART_ERR_INFEASIBLE: the limits exclude the size. */
HPART_API hpart_status hpart_adaptive_set_size(hpart_adaptive *adaptive, int64_t size);

/* Starts from the time functions of a platform, before the first update: measured ones (hpart_team_profile, a platform file), or
 * functions of hpart_adaptive_functions in an earlier run. A processor without points stays unknown. The platform's largest sizes become
 * limits. The first distribution is the exact optimum over the points. If their sizes leave gaps, and interpolated times promise a
 * gain above the option change_threshold, it is the optimum over these. A second call replaces the functions of the first.
 * HPART_ERR_INVALID_ARGUMENT: another number of processors, no time function, or an update was made already.
 * HPART_ERR_INFEASIBLE: the limits exclude the size. */
HPART_API hpart_status hpart_adaptive_start_from(hpart_adaptive *adaptive, const hpart_platform *platform);

/* Returns the distribution of the next iteration in x[processors]. */
HPART_API hpart_status hpart_adaptive_distribution(const hpart_adaptive *adaptive, int64_t *x);

/* Reports an iteration. x[processors]: its distribution, which sums to the size; NULL: the one of hpart_adaptive_distribution.
 * seconds[processors]: each processor's own time >= 0, without waiting for others; ignored if x[i] is 0. Infinity: the processor has
 * stopped, and gets no work until its limits are set again.
 * HPART_ERR_INFEASIBLE: the remaining processors cannot take the size. */
HPART_API hpart_status hpart_adaptive_update(hpart_adaptive *adaptive, const int64_t *x, const double *seconds);

/* Returns 1 if no known distribution is better by more than the tolerance, else 0; -1 for NULL. After a change of a processor's speed
 * it returns 0. */
HPART_API int32_t hpart_adaptive_converged(const hpart_adaptive *adaptive);

/* Returns the known functions as a platform, which the caller destroys: the sizes that have run and their mean seconds. With the option
 * interpolate, hpart_partition_time finds distributions of other sizes over it. */
HPART_API hpart_status hpart_adaptive_functions(const hpart_adaptive *adaptive, hpart_platform **platform);

/* Reports the state of the search. Keys:
 *   iterations
 *   state              searching, converged, or settled (on the best distribution that has run: the functions' prediction failed)
 *   converged          1: converged or settled
 *   imbalance          (slowest - fastest) / slowest of the last iteration
 *   excess             time of the current distribution / time of the best one by the functions, minus 1
 *   noise              relative standard deviation of times at the same size
 *   changes            changes of speed detected
 *   moves              changes of the distribution
 *   moved              units of size that changed their processor */
HPART_API hpart_status hpart_adaptive_report(const hpart_adaptive *adaptive, hpart_report **report);

#endif
