/* hpart: platforms, distributions, Pareto fronts and schedules. A part of hpart.h.
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HPART_H
#include "../hpart.h" /* which includes this part */
#endif
#ifndef HPART_PARTITION_H
#define HPART_PARTITION_H

/* ---- platform: p abstract processors with discrete functions of problem size ------------------------------ */

/* Returns the number of operations of a problem of the given size. hpart calls it only during the call that takes it. */
typedef int (*hpart_complexity)(int64_t size, double *operations, void *user);

/* Creates a platform with empty functions. processors >= 1; their names are "0", "1", ... until set. */
HPART_API hpart_status hpart_platform_create(int64_t processors, hpart_platform **platform);
HPART_API void hpart_platform_destroy(hpart_platform *platform);
HPART_API int64_t hpart_platform_processors(const hpart_platform *platform);

/* Names are unique in a platform, not empty, and valid in a CSV field: no comma, quote or control character, no blank at an end. */
HPART_API hpart_status hpart_platform_set_name(hpart_platform *platform, int64_t processor, const char *name);
HPART_API hpart_status hpart_platform_get_name(const hpart_platform *platform, int64_t processor, char *buffer, int64_t capacity,
                                               int64_t *needed);

/* Replaces a processor's function. sizes: positive and distinct, in any order; values: finite and >= 0. points may be 0: the
 * processor cannot run any size. joules: the dynamic energy of the whole node while this processor runs that size.
 * Objectives with energy, and fronts, use only sizes that have both values. Time O(points log points). */
HPART_API hpart_status hpart_platform_set_time_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                        const int64_t *sizes, const double *seconds);
HPART_API hpart_status hpart_platform_set_energy_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                          const int64_t *sizes, const double *joules);
/* Sets the time function t(x) = C(x) / s(x) from speeds s > 0 in operations per second. complexity NULL: C(x) = x. */
HPART_API hpart_status hpart_platform_set_speed_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                         const int64_t *sizes, const double *speeds, hpart_complexity complexity,
                                                         void *user);
/* Returns a processor's points in increasing size. Each array may be NULL. A missing value is NaN. */
HPART_API hpart_status hpart_platform_get_function(const hpart_platform *platform, int64_t processor, int64_t *sizes,
                                                   double *seconds, double *joules, int64_t capacity, int64_t *needed);

/* Sets the confidence intervals of points of the time or energy function: 0 <= low <= value <= high, in seconds or joules.
 * sizes: distinct, in any order; each must have a value. Other points keep their intervals. repetitions: samples of each point, >= 0
 * (0: unknown), one number for both functions; NULL changes none.
 * A new time function drops all intervals of the processor, a new energy function the intervals of energy. Time O(all points of the
 * processor + points log points). */
HPART_API hpart_status hpart_platform_set_time_interval(hpart_platform *platform, int64_t processor, int64_t points,
                                                        const int64_t *sizes, const double *low, const double *high,
                                                        const int64_t *repetitions);
HPART_API hpart_status hpart_platform_set_energy_interval(hpart_platform *platform, int64_t processor, int64_t points,
                                                          const int64_t *sizes, const double *low, const double *high,
                                                          const int64_t *repetitions);
/* Returns the intervals of a processor's points, in the order of hpart_platform_get_function. Each array may be NULL. An unknown end is
 * NaN, an unknown number of repetitions 0. */
HPART_API hpart_status hpart_platform_get_intervals(const hpart_platform *platform, int64_t processor, double *time_low,
                                                    double *time_high, double *energy_low, double *energy_high,
                                                    int64_t *repetitions, int64_t capacity, int64_t *needed);

/* Restricts the processor to idling and sizes in smallest..largest; 1 <= smallest <= largest. Default: any size of its function. */
HPART_API hpart_status hpart_platform_set_limits(hpart_platform *platform, int64_t processor, int64_t smallest, int64_t largest);
HPART_API hpart_status hpart_platform_get_limits(const hpart_platform *platform, int64_t processor, int64_t *smallest,
                                                 int64_t *largest);

/* Sets the static power of the whole platform, finite and >= 0. Total energy is base power x execution time + dynamic energy, and needs
 * the base power (0 is allowed). The getter returns NaN until it is set. */
HPART_API hpart_status hpart_platform_set_base_power(hpart_platform *platform, double watts);
HPART_API hpart_status hpart_platform_get_base_power(const hpart_platform *platform, double *watts);

/* Makes the processors first to last a node that can be switched off: total energy has its watts x execution time in addition, if one
 * of them works. watts: finite and >= 0; 0 removes the node. Nodes do not overlap. docs/background/energy.md has an example.
 * The getter returns the node of a processor, or the processor itself and 0 watts if it has none. Each output may be NULL. */
HPART_API hpart_status hpart_platform_set_node(hpart_platform *platform, int64_t first, int64_t last, double watts);
HPART_API hpart_status hpart_platform_get_node(const hpart_platform *platform, int64_t processor, int64_t *first, int64_t *last,
                                               double *watts);

/* Sets a link: a message of m bytes takes latency + m / bandwidth (Hockney). bandwidth > 0, may be INFINITY.
 * Default: latency 0, bandwidth INFINITY: messages cost nothing. */
HPART_API hpart_status hpart_platform_set_link(hpart_platform *platform, int64_t from, int64_t to, double latency_seconds,
                                               double bytes_per_second);
HPART_API hpart_status hpart_platform_get_link(const hpart_platform *platform, int64_t from, int64_t to, double *latency_seconds,
                                               double *bytes_per_second);
/* Sets an accelerator's link to its host. */
HPART_API hpart_status hpart_platform_set_host_link(hpart_platform *platform, int64_t processor, double latency_seconds,
                                                    double bytes_per_second);
HPART_API hpart_status hpart_platform_get_host_link(const hpart_platform *platform, int64_t processor, double *latency_seconds,
                                                    double *bytes_per_second);
/* Sets the energy of a byte over a link, or over an accelerator's link to its host: finite and >= 0. Default: 0. It counts with option
 * communication (docs/background/communication.md). */
HPART_API hpart_status hpart_platform_set_link_energy(hpart_platform *platform, int64_t from, int64_t to, double joules_per_byte);
HPART_API hpart_status hpart_platform_get_link_energy(const hpart_platform *platform, int64_t from, int64_t to,
                                                      double *joules_per_byte);
HPART_API hpart_status hpart_platform_set_host_link_energy(hpart_platform *platform, int64_t processor, double joules_per_byte);
HPART_API hpart_status hpart_platform_get_host_link_energy(const hpart_platform *platform, int64_t processor,
                                                           double *joules_per_byte);
/* Sets the bytes exchanged between neighbours, finite and >= 0. Default: 0. */
HPART_API hpart_status hpart_platform_set_border_bytes(hpart_platform *platform, double bytes);
HPART_API hpart_status hpart_platform_get_border_bytes(const hpart_platform *platform, double *bytes);

/* Sets the kernel that the functions were measured with, "dgemm n=512 k=512"; "" if unknown. One line. */
HPART_API hpart_status hpart_platform_set_kernel(hpart_platform *platform, const char *kernel);
HPART_API hpart_status hpart_platform_get_kernel(const hpart_platform *platform, char *buffer, int64_t capacity, int64_t *needed);

/* Creates a cluster of `copies` >= 1 nodes like this one. Processors of copy c follow those of copy c - 1 and are named "c/name" if
 * copies > 1. The base power is multiplied by copies. Links and nodes that can be switched off are copied within each copy; links
 * between copies are not set. */
HPART_API hpart_status hpart_platform_replicate(const hpart_platform *node, int64_t copies, hpart_platform **cluster);

/* Reads and writes platform files: CSV, docs/reference/platform-files.md. Writing is atomic: it leaves the old file or the new one.
 * HPART_ERR_IO: the file cannot be opened, read or written. HPART_ERR_FORMAT: its content is wrong; the message has
 * file:line:column and the text. */
HPART_API hpart_status hpart_platform_read(const char *path, hpart_platform **platform);
HPART_API hpart_status hpart_platform_write(const hpart_platform *platform, const char *path);
/* Reads a family file, functions of two parameters t(x; n): a platform file with one more column, `parameter`
 * (docs/background/functions.md). Returns the platform of one parameter, a slice, which the caller destroys.
 * If that parameter was not measured, the call fails, and the message names the nearest ones. With interpolate=linear, sizes that
 * both neighbours have get times and energies that are linear in the parameter. Links, limits and powers are the lower neighbour's; the
 * slice has no facts of a measurement (hpart_platform_report).
 * Statuses as for platform files.
 * Source: the fine-grained model of Al-Hashimi and Basuhail (2021). */
HPART_API hpart_status hpart_platform_read_slice(const char *path, int64_t parameter, const hpart_options *options,
                                                 hpart_platform **platform);

/* Returns the time (the largest t_i(x_i), without communication) and dynamic energy (the exact sum of e_i(x_i), rounded once) of
 * x[processors]. Each output may be NULL.
 * HPART_ERR_INVALID_ARGUMENT: an x[i] != 0 is not a size of function i, or lacks a requested value. */
HPART_API hpart_status hpart_platform_evaluate(const hpart_platform *platform, const int64_t *x, double *seconds, double *joules);
/* The same with the options communication, unit_bytes, matrix_order (0: sum x) and matrix_block: the values that hpart_partition returns
 * for x. seconds, joules and report may be NULL. The caller destroys the report. Its keys:
 *   compute_seconds, communication_seconds, communication_joules, order     as of hpart_partition
 *   total_energy                  if the base power is set: joules + (base power + watts of the working nodes) x seconds */
HPART_API hpart_status hpart_platform_evaluate_with(const hpart_platform *platform, const int64_t *x, const hpart_options *options,
                                                    double *seconds, double *joules, hpart_report **report);

/* Reports the shape of a processor's functions: if balanced loads are optimal for them, and how jagged they are.
 * complexity: C(x) > 0 of the speed s(x) = C(x) / t(x); NULL: C(x) = x. The caller destroys the report.
 * HPART_ERR_CALLBACK: complexity failed. Time O(points). Report keys, docs/background/functions.md:
 *   points, smallest, largest     sizes that have a time
 *   fpm                           1: the conditions of the functional performance model hold (Lastovetsky and Reddy): the speed
 *                                 never rises (fpm_falling), or it rises, concave, up to size fpm_peak and falls from there
 *                                 (fpm_rising_concave), and a line through the origin cuts it once (fpm_one_cut)
 *   time_convex, energy_convex    1: the slopes between neighbouring sizes never fall, beyond rounding
 *   For each F of time, speed and, if energy_points > 0, energy:
 *   F_falls                       number of falls between neighbouring sizes
 *   F_largest_fall                largest fall in per cent of the larger value; F_largest_fall_size: the size after it
 *   F_minima, F_maxima            number of local ones between the ends; a level stretch is one
 *   F_variation                   largest difference of a local minimum and a neighbouring maximum, in per cent of the smaller (Lastovetsky
 *                                 and Reddy Manumachu 2018), INFINITY at 0; F_variation_size: the larger of the two sizes;
 *                                 F_mean_variation: the mean of all
 * A size is 0 if there is none. A point of time 0 has no speed. */
HPART_API hpart_status hpart_platform_report_shape(const hpart_platform *platform, int64_t processor, hpart_complexity complexity,
                                                   void *user, hpart_report **report);

/* Reports how a platform was measured, and what its points lack: the facts that hpart_team_profile and hpart_team_optimize keep, in their
 * files too (docs/reference/platform-files.md). Keys, each only where it is known:
 *   measured, statistic     "all processors at once" or "one after another"; statistic of the times, the mean unless stated
 *   machines, energies      rows (text): the machines, the sources of the energies
 *   base_power_error        standard error of the base power in watts
 *   sizes_of_search         1: hpart_team_optimize measured the sizes, and only those that its search needed
 *   time_doubt              why a time that a program printed may be none
 *   memory_limits           rows: device, bytes
 *   chosen                  rows, the distributions that searches chose: objective, size, distribution (exact below 2^53), value (s or J),
 *                           measured (1; 0: predicted), precision (only if certified)
 *   runs                    rows, runs of an application of one time: distribution, seconds or failure
 *   notes                   rows, facts of points: kind, processor, size, text. Kinds: failed, unfinished (the budget ended first),
 *                           precision not reached, binding not kept, busy, energy busy, outliers, drift, serial correlation. Rows of
 *                           'precision not reached' have relative_half_width (if known), samples (repetitions, or windows of a
 *                           meter), energy (1: of the energy) and by_budget (1: the budget ended the measurement). */
HPART_API hpart_status hpart_platform_report(const hpart_platform *platform, hpart_report **report);

/* ---- one best distribution ------------------------------ */

enum {
    HPART_OBJECTIVE_TIME = 0,         /* least max t_i(x_i)                        HPOPT  */
    HPART_OBJECTIVE_ENERGY = 1,       /* least sum e_i(x_i): dynamic energy         HEOPT  */
    HPART_OBJECTIVE_TOTAL_ENERGY = 2, /* least base power x time + dynamic energy   HTPOPT */
    HPART_OBJECTIVE_SUM_TIME = 3      /* least sum t_i(x_i): processors run one after another, as stages of one request */
};

/* Finds the distribution of `size`, 0 to 2^63 - 2, that minimises the objective.
 * x[processors]: the distribution. seconds, joules: its time (the sum for HPART_OBJECTIVE_SUM_TIME, else the largest) and energy (total
 * energy for HPART_OBJECTIVE_TOTAL_ENERGY, else dynamic; NaN if an active processor has no energy value). seconds, joules and report may
 * be NULL.
 *
 * Option `method`: exact (default), the baselines equal, cpm, fpm, smooth-fpm, balanced, or a paper's (docs/reference/methods.md).
 * Method exact is exact for every input, without a tolerance: the energy minimised is the exact sum, rounded once.
 *
 * Options that bound the distribution, alone or together (docs/background/constraints.md): deadline or slowdown (not with objective time),
 * energy_budget (objective time; of equally fast distributions the one with the fewest processors, if ties=fewest, then of least
 * energy), max_active, block, idle_processors, interpolate, max_moved with hpart_options_set_previous. energy_budget, max_active,
 * idle_processors=forbidden and a previous distribution need method exact, else HPART_ERR_UNSUPPORTED.
 *
 * Option objective_bound (docs/background/intervals.md): estimate (default) optimises the functions' values, high the upper ends of their
 * intervals (robust), low the lower ends (optimistic). seconds and joules then follow from these ends. A point without an
 * interval keeps its value.
 *
 * Report keys:
 *   method, feasible, optimal     optimal: 1 if proved; 0 where a search measured only some sizes (sizes_of_search of the platform)
 *   lower_bound, gap              of the objective; not where a search measured only some sizes
 *   active                        number of active processors
 *   utilisation                   array: busy seconds of each processor / seconds; the mean is the platform's utilisation
 *   solve_seconds, and counts of the work done
 *   time_low, time_high           confidence interval of the predicted time, if points are used and each has one: the maximum of the ends, or their sum
 *   energy_low, energy_high       the same for joules: the sums of the ends
 *   deadline, moved               with these bounds
 *   exact_value, excess           with compare=exact: the optimum, and value / exact_value - 1; absent if a limit was reached first
 *   compute_seconds               with communication (docs/background/communication.md): the largest t_i(x_i)
 *   communication_seconds         with communication: the rest of seconds
 *   communication_joules          with communication, but for objective sum-time: the energy of the links, part of joules
 *   order                         with communication=chain-any: the active processors in their chain
 *
 * HPART_ERR_INVALID_ARGUMENT  also: the platform lacks time functions, or energy functions that the objective needs.
 * HPART_ERR_INFEASIBLE  no such distribution exists; the message names the nearest feasible sizes, or the least deadline, budget,
 *                       number of processors or move that would suffice. If only several bounds together are at fault, it names
 *                       them all. The nearest sizes keep the bounds, too.
 * HPART_ERR_LIMIT       time_limit or memory_limit was reached. If a feasible distribution is known, the call writes x, seconds,
 *                       joules and report (feasible = 1, lower_bound, gap); else only report (feasible = 0). The first call on a
 *                       platform checks the limit after it has read all points: about 0.1 s a million points.
 * HPART_ERR_NUMERICAL   the sum of energies, or of times, may reach 1e280: such sums cannot be compared exactly.
 * HPART_ERR_CANCELLED   the progress callback stopped the call. */
HPART_API hpart_status hpart_partition(const hpart_platform *platform, int32_t objective, int64_t size,
                                       const hpart_options *options, int64_t *x, double *seconds, double *joules,
                                       hpart_report **report);
/* The same for one objective. seconds or joules: its value; may be NULL. */
HPART_API hpart_status hpart_partition_time(const hpart_platform *platform, int64_t size, const hpart_options *options, int64_t *x,
                                            double *seconds);
HPART_API hpart_status hpart_partition_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                              int64_t *x, double *joules);
HPART_API hpart_status hpart_partition_total_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                                    int64_t *x, double *joules);

/* Creates a platform of one processor that stands for all of `node`. Its time and energy at a workload belong to the distribution that
 * hpart_partition finds with these options (docs/reference/methods.md#nodes-as-processors). The caller destroys it.
 * The functions have a point for every feasible workload up to `size`.
 * objective: HPART_OBJECTIVE_TIME or HPART_OBJECTIVE_ENERGY. Partition over the nodes by the same objective, then within each
 * node by its share: the time is exactly the least over all processors. Energies are rounded once a node.
 * The base power, border bytes and kernel are the node's.
 * HPART_ERR_LIMIT: returns no platform. Errors but HPART_ERR_INFEASIBLE as for hpart_partition.
 * Time: one call of hpart_partition a workload. Source: the node's function of HiPOPTA (Khaleghzadeh 2019, 3.6.4). */
HPART_API hpart_status hpart_platform_aggregate(const hpart_platform *node, int32_t objective, int64_t size,
                                                const hpart_options *options, hpart_platform **whole);

/* Computes shares[i] = x[i] / sum x of a distribution: METIS's tpwgts, or the areas of hpart_matrix_partition. x[i] >= 0, with a
 * positive sum. Shares are multiples of 2^-53, within 2^-53 of the exact ones, and sum to exactly 1 in any order. */
HPART_API hpart_status hpart_shares_compute(int64_t processors, const int64_t *x, double *shares);

/* ---- matrices cut into rectangles ------------------------------ */

/* Tiles a matrix with one rectangle per processor, in proportion to areas[processors]. The sum of half-perimeters is small: the data
 * that processors receive in a step of a matrix multiplication.
 * areas: finite, >= 0, at least one positive; shares or a distribution. rows, columns: in elements or blocks, each up to 2^53.
 * The four arrays have one entry per processor. An area of 0 gets the rectangle 0, 0, 0, 0, a positive one at least one element.
 * report may be NULL. Keys: columns (of rectangles), half_perimeters (their sum), exact_half_perimeters (before rounding),
 * lower_bound (of any tiling with the exact areas: 2 sum sqrt(area)), ratio (half_perimeters / lower_bound), largest_area_error
 * (elements).
 * HPART_ERR_INFEASIBLE: more positive areas than elements. HPART_ERR_LIMIT, at once: above some 200000 positive areas, for which the
 * call would take minutes or gigabytes.
 * Method: columns of full height; the least sum among all such tilings with real areas (Beaumont, Boudet, Rastello and Robert
 * 2001); then rounding with the least squared error. Time O(processors^2). */
HPART_API hpart_status hpart_matrix_partition(int64_t processors, const double *areas, int64_t rows, int64_t columns,
                                              int64_t *first_rows, int64_t *first_columns, int64_t *heights, int64_t *widths,
                                              hpart_report **report);

/* ---- Pareto fronts ------------------------------ */

enum { HPART_ENERGY_DYNAMIC = 0, HPART_ENERGY_TOTAL = 1 };

/* Computes all Pareto-optimal (time, energy) pairs (HEPOPT; total: HTPOPT), one distribution each, in strictly increasing time and
 * strictly decreasing energy.
 * The options that bound distributions are as for hpart_partition; energy_budget bounds the front's energy. eps thins the front, then
 * max_points; both ends always stay.
 * Report keys as for hpart_partition; time_low, time_high, energy_low and energy_high have one entry per point, NaN if unknown.
 * HPART_ERR_INFEASIBLE, HPART_ERR_LIMIT (returns no front), HPART_ERR_NUMERICAL, HPART_ERR_CANCELLED as for hpart_partition. */
HPART_API hpart_status hpart_front_compute(const hpart_platform *platform, int64_t size, int32_t energy,
                                           const hpart_options *options, hpart_front **front);
HPART_API int64_t hpart_front_count(const hpart_front *front);
/* Returns the number of entries of a point's x. */
HPART_API int64_t hpart_front_processors(const hpart_front *front);
/* Returns point k, 0 <= k < count. Each output may be NULL; x has one entry per processor. */
HPART_API hpart_status hpart_front_point(const hpart_front *front, int64_t k, double *seconds, double *joules, int64_t *x);
/* The caller destroys the report. */
HPART_API hpart_status hpart_front_report(const hpart_front *front, hpart_report **report);
HPART_API void hpart_front_destroy(hpart_front *front);

/* ---- several packages a processor ------------------------------ */

/* Finds a schedule of least makespan. Each processor runs any number of packages one after another. Packages are sizes of its time
 * function, and all sizes sum to `size`. The makespan is the largest sum of times of a processor.
 * Option `method`: exact (default), the heuristics wdah and wdah-heuristic, or a simulation of self-scheduling on the functions:
 *   fixed, guided, factoring, sigmoid (hpart_team_self_schedule, docs/background/schedules.md).
 * Report keys as for hpart_partition; utilisation is busy seconds / makespan of each processor.
 * HPART_ERR_INFEASIBLE, HPART_ERR_LIMIT, HPART_ERR_NUMERICAL (package times may sum to 1e280), HPART_ERR_CANCELLED. */
HPART_API hpart_status hpart_schedule_compute(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                              hpart_schedule **schedule);
HPART_API double hpart_schedule_makespan(const hpart_schedule *schedule);
/* Returns the number of tasks. A task is a processor, a package size, and its number of repeats. */
HPART_API int64_t hpart_schedule_tasks(const hpart_schedule *schedule);
/* Returns task k, by processor, then by decreasing size. Each output may be NULL. */
HPART_API hpart_status hpart_schedule_task(const hpart_schedule *schedule, int64_t k, int64_t *processor, int64_t *size,
                                           int64_t *repeats);
HPART_API hpart_status hpart_schedule_report(const hpart_schedule *schedule, hpart_report **report);
/* Adds the schedule to the table of schedules in the file `path`, which the call makes or replaces atomically. A table has one schedule for
 * each application and size; an older one is replaced. application: one line that is not empty, "dgemm n=512 k=512".
 * Format: docs/background/schedules.md. HPART_ERR_IO, HPART_ERR_FORMAT: the file is no table of schedules. Time O(entries of the table). */
HPART_API hpart_status hpart_schedule_write(const hpart_schedule *schedule, const char *path, const char *application);
/* Reads the application's schedule of `size` from a table.
 * platform: NULL, or functions that the entry must fit: the same processors, sizes of their functions, and the makespan that their
 *   times give. The report then has utilisation. Other report keys: method ("table"), optimal (when it was written), feasible, active,
 *   solve_seconds.
 * HPART_ERR_INFEASIBLE: the table has no such schedule, or it does not fit the platform. HPART_ERR_IO, HPART_ERR_FORMAT. */
HPART_API hpart_status hpart_schedule_read(const char *path, const char *application, int64_t size, const hpart_platform *platform,
                                           hpart_schedule **schedule);
HPART_API void hpart_schedule_destroy(hpart_schedule *schedule);

#endif
