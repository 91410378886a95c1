/* hpart: teams of processors that run here. A part of hpart.h.
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HPART_H
#include "../hpart.h" /* which includes this part */
#endif
#ifndef HPART_TEAM_H
#define HPART_TEAM_H

/* ---- teams: abstract processors that run here ------------------------------ */

/* Runs one problem of `size` >= 1, on hpart's thread for the processor. A non-zero return value stops the call. */
typedef int (*hpart_kernel)(int64_t size, void *user);

HPART_API hpart_status hpart_team_create(hpart_team **team);
/* Adds a processor that runs your own kernel, on a thread bound to the cores ("0-3,8"; NULL: unbound). On success the team owns
 * `user`: hpart_team_destroy calls free_user (may be NULL) once. Names as for hpart_platform_set_name. */
HPART_API hpart_status hpart_team_add(hpart_team *team, const char *name, hpart_kernel kernel, void *user, hpart_free free_user,
                                      const char *cores);
/* Adds a processor that runs a built-in kernel.
 * name: NULL: the processor's text, with '+' for its commas.
 * kernel: "dgemm" (C = A B; size = rows of A and C; dims n, k), "dgemv" (y = A x; size = rows of A and y; dim n), "fft2d" (forward
 *   complex 2D transform of one matrix with n columns, which the processors share; size = rows; dim n), "zfft" (forward complex 2D
 *   transform of size x n points, each processor's own, out of place; size = rows; dim n); in single precision "sgemm", "sgemv", "cfft".
 *   Option `dims`: "n=512,k=512". "n=size,k=size": square problems, each processor's own, whose order is its size; not fft2d.
 * processor: "cpu:0-3" (OpenBLAS or FFTW on these cores), or one device as for hpart_device_open: "opencl:P:D", "opencl:P:D:S",
 *   "cuda:N". "cuda:0@23" binds the device's host threads (driver, transfers) to core 23; no other processor may have that core.
 * The data of a device is on the host: times include the transfers. hpart splits problems larger than the device's memory, or than the
 *   option memory_limit. If the smallest part does not fit, a run fails with HPART_ERR_OUT_OF_MEMORY; the message names a sufficient
 *   memory limit. Host timings are never attributed to the device.
 * With PoCL set POCL_AFFINITY=1 in the environment, or a sub-device may run on another processor's core.
 * HPART_ERR_UNSUPPORTED: the build lacks a library, or the device lacks double precision. HPART_ERR_DEVICE. */
HPART_API hpart_status hpart_team_add_builtin(hpart_team *team, const char *name, const char *kernel, const char *processor,
                                              const hpart_options *options);
/* Adds a processor that runs a program, or a function of a shared library.
 * command: "./app --gpu {size}". Quotes and backslashes group words as in a POSIX shell, but there is no shell and no expansion.
 *   A program name without a slash is searched in PATH. {size} is replaced by the size.
 * command: "lib:PATH:FUNCTION" or "lib:PATH:FUNCTION@CORES": int FUNCTION(int64_t size, void *user) of a shared library. user is
 *   NULL; a non-zero return value is a failure. The library stays loaded.
 * Options: `cores`, and for programs time_from, time_pattern, time_unit, protocol, timeout. time_from=rate: the time is the size by the
 *   rate that the program prints, units a second. protocol=lines: the program starts once. For each line of standard input, a size, it
 *   prints one line, its seconds. It exits at the end of input.
 * The program runs in its own process group. Time-outs, cancelled calls and hpart_team_destroy end the group (SIGTERM, after half a
 *   second SIGKILL). Without protocol=lines standard input is /dev/null. Messages have the last line of standard error.
 * A run fails if the program cannot be started, exits with a status other than 0, is killed by a signal, prints no time, or takes
 *   longer than `timeout`. hpart_team_measure and hpart_team_execute then return HPART_ERR_CALLBACK and name the processor, the
 *   size, the command, the reason and the last line of standard error. hpart_team_profile leaves the point out.
 * HPART_ERR_INVALID_ARGUMENT: also a library or function that cannot be loaded. docs/reference/programs.md */
HPART_API hpart_status hpart_team_add_program(hpart_team *team, const char *name, const char *command,
                                              const hpart_options *options);
/* Adds all processors of one application to an empty team: each run of the team is one run of the command.
 * names: of the processors, "CPU,GPU0,GPU1".
 * command: "mpirun -n 3 ./solver {x}", words as for hpart_team_add_program. {x} becomes the sizes, "20,12,8"; {x:/} has another
 *   separator; {x1} is the first size, {size} the sum. Words NAME=VALUE before the command are its environment.
 * Options time_from, time_pattern, time_unit, protocol, timeout. time_from=stdout: the application prints each processor's seconds;
 *   time_from=rate: units of its size a second. hpart takes lines that begin with the names ("GPU0 0.31"), or else the last line that
 *   has only numbers, or else one line per processor, in order; idle processors may be left out. time_pattern must match once per
 *   processor. protocol=lines: for each line of sizes, with blanks between them, it prints one line of seconds.
 * An application that prints one number (or time_from=wall) gives one time for all processors. hpart_team_measure, hpart_team_execute and
 *   hpart_team_compare take it as the time of each. hpart_team_optimize with HPART_OBJECTIVE_TIME then runs distributions of `size` only
 *   and certifies nothing. hpart_team_profile (unless simultaneous=0) returns HPART_ERR_UNSUPPORTED.
 * An application that prints p times must accept any sizes: hpart_team_profile runs equal sizes, hpart_team_optimize arbitrary ones.
 *   If a run of several sizes fails, both run each size alone and leave out those that fail. If no size or every size fails alone,
 *   hpart_team_optimize returns HPART_ERR_CALLBACK. Other failures as for hpart_team_add_program. docs/reference/programs.md */
HPART_API hpart_status hpart_team_set_application(hpart_team *team, const char *names, const char *command,
                                                  const hpart_options *options);
/* Runs a distribution x[processors], 0 for an idle processor. Writes seconds[processors]: the time of each processor with work, finite
 * and >= 0. If it writes exactly one of several, this is one time for the whole run. A NaN that it writes is a failed run, as is a non-zero
 * return value. HPART_ERR_CALLBACK: hpart_last_error of its thread is the reason. Before the call, seconds has NaN. */
typedef int (*hpart_application)(int64_t processors, const int64_t *x, double *seconds, void *user);
/* The same for a function of yours, which hpart calls on a thread of its own. On success the team owns `user`, as with hpart_team_add. */
HPART_API hpart_status hpart_team_set_application_function(hpart_team *team, const char *names, hpart_application function,
                                                           void *user, hpart_free free_user);
HPART_API int64_t hpart_team_processors(const hpart_team *team);
/* Names the kernel of the processors, with a version: "heat 1.3". One line; "" removes the name.
 * hpart_team_profile writes it to the platform file and continues only files with the same name.
 * Teams of one built-in kernel ("dgemm n=512 k=512") and teams of programs (their commands) have a default. */
HPART_API hpart_status hpart_team_set_kernel(hpart_team *team, const char *kernel);
/* Returns the kernel that hpart_team_profile writes to the platform file; "" if unknown. */
HPART_API hpart_status hpart_team_get_kernel(const hpart_team *team, char *buffer, int64_t capacity, int64_t *needed);
/* Attaches a meter to the whole node (processor -1), or to one processor, which it measures alone; NULL detaches it. A team cannot
 * mix both kinds, and a meter has one place in a team. The meter is borrowed: detach it, or destroy the team, before you close it, and
 * keep no window open while the team measures. */
HPART_API hpart_status hpart_team_set_meter(hpart_team *team, int64_t processor, hpart_meter *meter);

/* Measures mean times of the distribution x[processors]. All processors run at once from one barrier, repeatedly, until for every active
 * processor the confidence interval of the mean is within `precision` (Student's t; MeanUsingTtest). docs/background/measurement.md
 * mean_seconds[processors]: the mean, or the option `statistic`; 0 if idle.
 * joules: NULL, or for teams with meters the dynamic joules of a repetition, E_D = E_T - base power x time. One entry with a meter
 *   of the whole node; [processors], 0 if idle, if each processor has its own meter. Joules that are small against their error
 *   may be negative.
 * report may be NULL. Its arrays have one entry per processor, NaN if unknown.
 *
 * Report keys of times:
 *   repetitions
 *   stop_reason                   precision, max_repetitions, max_seconds, cancelled
 *   precision_reached             1: the intervals are as narrow as `precision`
 *   statistic                     the option
 *   mean, median, minimum         arrays
 *   interval                      kind of interval
 *   interval_low, interval_high   arrays: interval of the statistic
 *   median_low, median_high       arrays: interval of the median
 *   contaminated                  number of repetitions that the system disturbed
 *   busy                          the disturbances, if they were more than a third of the repetitions; else empty
 *   outliers                      array: number of outliers
 *   samples, outlier_flags        arrays, repetition by repetition
 *   normality_p, drift (relative), drift_p, serial_correlation (of successive samples), serial_correlation_p   arrays
 *   normality_test                name of the test
 *   binding_kept                  0: a processor's thread left its cores, or another thread of this process used them
 *   binding_warning               these threads, and the remedy
 *   time_doubt                    the first printed time that was longer than its run, without a time_pattern; "" if there was none
 *   one_time                      1: an application gave one time for all of several processors
 *
 * The call measures energy after the times. A window of the meters lasts at least 20 of their intervals; with a recording that has
 *   its own time it is one repetition. Windows follow until the interval of their mean is within `energy_precision`; min_repetitions,
 *   max_repetitions and max_seconds count windows. The base power is the option base_power (a node's meter only), or the meter's; else
 *   the call measures it first, for base_seconds, while nothing runs.
 * Report keys of energy; numbers with the node's meter, else arrays:
 *   energy_interval_low, energy_interval_high, energy_error (standard error): include the base power's error, which more windows do
 *   not reduce; energy_total (E_T of a repetition), base_power, base_power_error, energy_windows, energy_repetitions (in all
 *   windows), energy_samples (window by window), energy_stop_reason, energy_precision_reached, energy_contaminated (windows in which
 *   other processes, disks, the network, paging or fans that changed their speed took energy), energy_busy (these, also while the base
 *   power was measured; else empty), energy_method (counter, integrated, estimated, replayed), energy_meter
 *
 * HPART_ERR_INVALID_ARGUMENT: also active processors that share a core, unless `overlap` is "allowed"; or a missing meter.
 * HPART_ERR_CALLBACK names the processor whose kernel failed. HPART_ERR_UNSUPPORTED: neither GSL nor Boost.Math. A failed meter:
 * its status, HPART_ERR_DEVICE, HPART_ERR_PERMISSION or HPART_ERR_CALLBACK. HPART_ERR_CANCELLED: the outputs are set if two or more
 * repetitions were complete (joules NaN, no keys of energy); else *report is unchanged. */
HPART_API hpart_status hpart_team_measure(hpart_team *team, const int64_t *x, const hpart_options *options, double *mean_seconds,
                                          double *joules, hpart_report **report);
/* Builds all time functions: measures sizes[points] (positive, distinct, any order) in random order, all processors at once with the
 * same size (option simultaneous=0: one by one). docs/background/measurement.md
 * Options: `max_sizes` adds sizes where the functions bend. `samples_file` writes all runs to a file. `checkpoint_file` writes each
 *   point as soon as it is done; a later call with the same or further sizes continues the file. remeasure=imprecise also measures
 *   again the file's points of any size whose intervals are wider than `precision` or `energy_precision`.
 * If the file has other processors, kernel, memory_limit or `simultaneous`, the call fails and does not change it. If the kernel
 *   has no name (hpart_team_set_kernel), or the machine, a program or a device is another one than the file names, the call first
 *   repeats one point of the file: HPART_ERR_INVALID_ARGUMENT if its time differs by more than both intervals and
 *   `resume_tolerance` (0.25, after such a change 0.05).
 * The call ends after `max_total_seconds`. Each point gets a share of the time left, and at least two repetitions; a program that runs
 *   at the end is killed, and its point left out.
 * If a program of hpart_team_add_program fails at a point, the call leaves the point out and continues. The progress callback gets
 *   the reason, the file a comment ("# failed: CPU size 128 ..."), and a later call tries the point again.
 * A device with its own memory gets its measured host link (hpart_platform_set_host_link).
 * A team with meters gets energy functions in the same call. energy=alone measures one processor at a time, in processors x points
 *   runs; energy=simultaneous measures all at once, each with its own meter. The platform gets the base power, the sum of
 *   the processors' meters; all points of a file share one base power. A comment of the file names the source of its energies:
 *   "# energy = estimated by estimate:12, ..."; the call refuses a file of another source. It stores a mean below 0 as 0 if
 *   the error explains it, else HPART_ERR_NUMERICAL: the base power is too high. A single window below 0 is no energy.
 * HPART_ERR_LIMIT: the time did not suffice for all points. *platform has the measured ones; a call with the same
 *   `checkpoint_file` measures the rest. HPART_ERR_CALLBACK: a kernel failed, or no point is left. HPART_ERR_IO, HPART_ERR_FORMAT,
 *   HPART_ERR_CANCELLED, HPART_ERR_UNSUPPORTED: neither GSL nor Boost.Math. */
HPART_API hpart_status hpart_team_profile(hpart_team *team, int64_t points, const int64_t *sizes, const hpart_options *options,
                                          hpart_platform **platform);
/* Runs x[processors] once, all at once from one barrier. seconds[processors]: each processor's time, 0 if idle. Teams of one
 * built-in kernel share one problem of sum x rows. Option check=1 compares their result with a reference: report keys checked,
 * max_relative_error, tolerance; HPART_ERR_NUMERICAL if it is wrong, HPART_ERR_UNSUPPORTED for other teams.
 * Report keys of the kernel fft2d: rows_seconds, transpose_seconds, columns_seconds, arrays: the parts of seconds. */
HPART_API hpart_status hpart_team_execute(hpart_team *team, const int64_t *x, const hpart_options *options, double *seconds,
                                          hpart_report **report);
/* Finds the fastest of several distributions, the rows of x[distributions][processors]. docs/background/intervals.md
 * The call runs rounds: each distribution once, in random order. Changes of the machine's speed then affect all alike. A run's time is
 * its slowest processor's time. Before each run the call prepares the kernels anew and runs them `warmup` times. Each distribution
 * has an interval of the ratio of its mean time to the first's. Rounds end when each interval excludes 1 or is as narrow as
 * `precision`, or after max_repetitions rounds or max_seconds. The intervals account for repeated tests (ttest=two-sided, the default).
 * Option statistic=median: medians of the times (in mean_seconds, too), and of the ratios of each round's times, with intervals
 * between order statistics, which single slow runs do not move.
 * Option simultaneous=0: processors run one after another, and their times add up. An application keeps its own order.
 * distributions >= 1; each has some work. mean_seconds[distributions]. report may be NULL.
 * Report keys; arrays have one entry per distribution:
 *   best                          row of the least mean
 *   ratios, ratio_low, ratio_high   arrays: ratio of the mean to the first's, with its interval
 *   distinguishable               array; 1: the interval excludes 1; 0: the two cannot be told apart
 *   statistic                     mean, median
 *   confidence                    level of the intervals
 *   interval                      kind of interval
 *   interval_low, interval_high   arrays: intervals of the statistic
 *   median, minimum               arrays
 *   utilisation                   array: mean busy time of all processors / makespan
 *   samples                       round by round
 *   repetitions                   number of rounds
 *   stop_reason                   distinguishable (all differ from the first), precision, max_repetitions, max_seconds, cancelled
 *   contaminated, busy            runs that the system disturbed; the disturbances, if they were more than a third; else empty
 *   binding_kept, binding_warning, time_doubt
 * Errors as for hpart_team_measure; HPART_ERR_CANCELLED: the outputs are set if two or more rounds were complete. */
HPART_API hpart_status hpart_team_compare(hpart_team *team, int64_t distributions, const int64_t *x, const hpart_options *options,
                                          double *mean_seconds, hpart_report **report);
/* Runs a schedule: one queue of packages per processor, all queues at once from one barrier. The call repeats it until the interval of the mean
 * makespan is within `precision`. Each processor runs its packages in the schedule's order; their rows follow each other in that order.
 * A processor's time is the sum of its packages' times. Preparing a kernel for a package (memory, data, plans) is not timed, as in
 * hpart_team_measure. The makespan is the largest of these times. docs/background/schedules.md
 * The schedule and the team have equally many processors. makespan: the mean in seconds. report may be NULL.
 * Option check=1 first compares the result of one built-in kernel with a reference, as hpart_team_execute does.
 * Report keys; arrays without a note have one entry per processor:
 *   busy_seconds                  mean busy time
 *   utilisation                   busy time / makespan
 *   rows, packages                of the last repetition
 *   package_processor (from 0), package_first, package_size, package_seconds   of the last repetition, one entry per package, in the
 *                                 order in which the packages were given out
 *   samples, interval, interval_low, interval_high, median, minimum   of the makespan
 *   repetitions, stop_reason, precision_reached   as for hpart_team_measure
 *   checked, max_relative_error, tolerance        as for hpart_team_execute
 *   binding_kept, binding_warning, time_doubt     as for hpart_team_measure
 * HPART_ERR_CALLBACK names the processor that failed and the package's size; the others stop after their package; programs are killed.
 * HPART_ERR_UNSUPPORTED: a team of one application. Others as for hpart_team_measure. */
HPART_API hpart_status hpart_team_run_schedule(hpart_team *team, const hpart_schedule *schedule, const hpart_options *options,
                                               double *makespan, hpart_report **report);
/* Runs `size` by self-scheduling: a processor that has done its package gets the next one until nothing is left. The next package goes to
 * the processor that has been busy for the shortest time.
 * method, with R the rows that are left and p the number of processors:
 *   fixed       packages of the option `package`
 *   guided      R / p (Polychronopoulos and Kuck 1987)
 *   factoring   batches of p packages of R / (2 p) (Hummel, Schonberg and Flynn 1992)
 *   sigmoid     by the speeds of each processor's last three packages, with the option sigmoid_rate (Perez et al. 2021)
 *   The option `package` is the smallest package of the last three.
 * platform: NULL, or functions: a package is then the largest of its processor's sizes that is not above the method's, or the smallest.
 * Result and errors as for hpart_team_run_schedule. HPART_ERR_INFEASIBLE: no processor has a size for the rows that are left. */
HPART_API hpart_status hpart_team_self_schedule(hpart_team *team, const char *method, int64_t size, const hpart_platform *platform,
                                                const hpart_options *options, double *makespan, hpart_report **report);
/* Measures the links between the processors of a team, and sets them in the platform: messages through this machine's memory between
 * threads on the processors' cores. The platform has the team's processors. docs/background/communication.md
 * Latency: the median half of an empty round trip. Bandwidth: a line of least squares through the median half round trips of five sizes
 * from 64 KiB to 4 MiB. Pairs are measured one after another.
 * Option bandwidth=ring: all threads exchange at once: in round k, thread i receives from thread i + k.
 * hpart_team_profile sets the host links of devices. HPART_ERR_UNSUPPORTED: a team of one application. O(p^2) messages. */
HPART_API hpart_status hpart_team_measure_links(hpart_team *team, const hpart_options *options, hpart_platform *platform);
/* Finds the distribution of `size` of least time, sum of times, dynamic energy or total energy, from few measurements. Certifies that x is
 * within `precision` (0.05) of the least value with `confidence`. docs/background/optimum.md has the method and its cost.
 * objective: HPART_OBJECTIVE_TIME; HPART_OBJECTIVE_SUM_TIME, for processors that run one after another: each is measured while the
 *   others are idle, those of an application as it runs them; or HPART_OBJECTIVE_ENERGY, HPART_OBJECTIVE_TOTAL_ENERGY, for a team with a
 *   meter of the node or of each processor. Total energy is base power x time + dynamic energy; the base power as for hpart_team_profile.
 * sizes[points]: sizes that processors may get, positive, distinct, in any order. Those that no distribution can have are not measured.
 * x[processors]: the distribution. value: its seconds or joules (mean of the confirming runs, else the median); may be NULL.
 * measured: NULL, or returns all measured points with intervals.
 *
 * The search measures sizes until the least value by the upper ends of the intervals is within `precision` of the least value by the
 * lower ends. It measures times of all processors at once, energies of each while the others are idle. An unmeasured size counts as
 * at most `jaggedness` times better than its measured neighbours suggest. The search learns this factor unless the option sets it;
 * sizes=all measures every size.
 * Then x runs against the distributions of equal, cpm, fpm and balanced, and for energy also against the distribution of least time.
 * The search measures their sizes first. `among_measured` marks the baselines for which time ran out. They use only measured sizes, so
 * they may look slower than they are. A significantly better baseline becomes the result. confirm=0 skips these runs.
 * Option `checkpoint_file` writes each round as soon as it is done; a later call, of any size, continues the file. The call refuses a
 * file of other processors, another kernel or another statistic.
 * Option `shares`, "20:12:8": the possible distribution nearest to these shares joins the baselines as "shares". A file's earlier result
 * for this size joins them as "earlier".
 *
 * An application of one time (hpart_team_set_application): the result is the best of the distributions run, and nothing is certified. The
 * search runs distributions of `size` until no other is likely to gain, or `max_runs` times; 15 times a processor unless set. Then x runs
 * against equal and `shares`. A distribution that fails (out of memory) is left out. `checkpoint_file` and *measured have no functions,
 * since none is known; their facts have the runs. A later call of a team with a kernel name uses the runs of the file instead of
 * new ones.
 *
 * Report keys; report may be NULL:
 *   one_time                      1: an application of one time; the report then lacks lower_bound, upper_bound, jaggedness
 *   runs, distributions, failed_runs   of it: runs of the search, different distributions in them, failures
 *   note                          one_time: what the result means and what would certify it; else what prevents a certificate:
 *                                 processors of two speeds, coarse times, runs that refute the bound; or ""
 *   certified                     1: x is within precision. Not certified is no error
 *   lower_bound, upper_bound      no distribution takes less; the certified one takes no more
 *   precision, confidence, jaggedness (1: no assumption)
 *   time_low, time_high           interval of value; energy_low, energy_high for energy
 *   measured_points, known_points  points measured in all; points known from option `checkpoint_file`
 *   repetitions, contaminated, busy, time_doubt (as for hpart_team_measure; time_doubt also of a file that the call continues)
 *   failed                        sizes that could not run, by processor; "" if there are none
 *   unfinished                    sizes that ran when max_total_seconds ended, without a time: "GPU size 6400 after 9.1 s"; ""
 *   measuring_seconds             for each round the slowest processor's, added up (energy: all processors')
 *   stop_reason                   certified, refuted (by the runs), max_total_seconds, max_repetitions, exhausted (more repetitions
 *                                 would narrow no interval, as of coarse times); of one time: settled, max_runs
 *   baselines                     rows: method, distribution (exact below 2^53), among_measured (1: its sizes could not all be measured; it
 *                                 took measured ones), same_split (rows: other methods of this distribution); if they ran, seconds or
 *                                 joules, and ratio to the first row with ratio_low, ratio_high. The first row is the search's method:
 *                                 "optimal" if certified, else "chosen", or "search" if another one took less when they ran and is the
 *                                 result; of one time "best"
 *   median                        of the winner's runs, as value is their mean; NaN without runs
 *   winner                        the baseline that is the result: without a certificate also a baseline faster by more than `precision`
 *   race_failure                  why the comparison failed; "" if it did not
 * HPART_ERR_INFEASIBLE: no sizes sum to `size`. HPART_ERR_LIMIT: max_total_seconds ended before a whole distribution was measured,
 * or an exact solution between two measurements takes more than 10 s or 1 GiB. HPART_ERR_CALLBACK: a processor failed at every size tried,
 * or an application with every distribution. HPART_ERR_UNSUPPORTED: an application of one time, and another objective. Others as
 * for hpart_team_profile. */
HPART_API hpart_status hpart_team_optimize(hpart_team *team, int32_t objective, int64_t size, int64_t points, const int64_t *sizes,
                                           const hpart_options *options, int64_t *x, double *value, hpart_platform **measured,
                                           hpart_report **report);
/* Finds the Pareto front of time and energy of `size` from few measurements. Certifies with `confidence` that for each point of the
 * true front a point of *front has at most (1 + `precision`) times its time and energy. docs/background/optimum.md
 * energy: HPART_ENERGY_DYNAMIC or HPART_ENERGY_TOTAL; the team needs a meter of the node or of each processor.
 * sizes[points], options, measured: as for hpart_team_optimize. The call does not run the distributions and refuses `confirm`.
 * front: its seconds and joules are the upper ends of the intervals: no point takes more. hpart_front_report returns the same report.
 *
 * The lower front, over the lower ends of the intervals, bounds all distributions. A point of it is covered if a point of *front is
 * within `precision`. The search measures the distributions of the points that are not covered.
 *
 * Report keys; report may be NULL:
 *   certified                     1: *front is within precision. Not certified is no error
 *   covered                       share of the lower front's points that *front covers
 *   points                        number of points of *front
 *   precision, confidence, jaggedness (1: no assumption)
 *   seconds, time_low, time_high  arrays with an entry per point: median and interval of its time
 *   joules, energy_low, energy_high  the same of its energy
 *   lower_seconds, lower_joules   arrays: the lower front
 *   measured_points, known_points, repetitions, contaminated, busy, time_doubt, failed, unfinished, measuring_seconds, stop_reason: as for hpart_team_optimize
 * HPART_ERR_INVALID_ARGUMENT: also a team without meters. Others as for hpart_team_optimize. */
HPART_API hpart_status hpart_team_optimize_front(hpart_team *team, int64_t size, int32_t energy, int64_t points,
                                                 const int64_t *sizes, const hpart_options *options, hpart_front **front,
                                                 hpart_platform **measured, hpart_report **report);
/* Tests if energies of processors that run alone add up, as energy functions from one meter of the whole node assume. For each row of
 * x[distributions][processors] it compares the dynamic energy of all processors together (parallel) with the sum of each alone
 * (combined): 100 |parallel - combined| / combined. The team must have a meter of the whole node.
 * alone: the platform whose functions are added, or NULL: the call measures each processor alone at each of its sizes.
 * least, mean, largest: the differences in per cent; these and report may be NULL.
 * Report keys: parallel, combined, parallel_error, combined_error (standard errors, joules; 0 for a platform's functions),
 * differences (signed), difference_errors (standard errors), least_difference, mean_difference, largest_difference,
 * additivity_bound, additive (1: the mean is within the bound), warning (a sentence if it is not, else empty), energy_method,
 * energy_meter.
 * HPART_ERR_NUMERICAL: a combined energy is not above 0. Others as for hpart_team_measure.
 * Source: Khaleghzadeh, Fahad, Shahid, Reddy Manumachu and Lastovetsky (2021), who measured means of 3.8 to 12.4 %. */
HPART_API hpart_status hpart_energy_additivity(hpart_team *team, const hpart_platform *alone, int64_t distributions,
                                               const int64_t *x, const hpart_options *options, double *least, double *mean,
                                               double *largest, hpart_report **report);
HPART_API void hpart_team_destroy(hpart_team *team);

/* Counts the ways to group this machine's cores into processors, from one group to one core each: distinct ones, coarsest first.
 * topology: NULL, the cores that this process may use; or another machine in hwloc's synthetic form, "package:2 l3:2 core:4 pu:1".
 * *count is at least 1. HPART_ERR_UNSUPPORTED: another machine without hwloc. */
HPART_API hpart_status hpart_grouping_count(const char *topology, int64_t *count);
/* Describes grouping k, 0 <= k < count, as "NAME CORES CORES ...": NAME is node, socket, numa, kind, l3, l2, core or thread; CORES are as for
 * hpart_team_add and "cpu:CORES": "socket 0-7 8-15". From k = count on: other names of the same groups, until
 * HPART_ERR_INVALID_ARGUMENT. To find the best one for a kernel, measure: docs/background/cores.md, hpart group. */
HPART_API hpart_status hpart_grouping_describe(const char *topology, int64_t k, char *buffer, int64_t capacity, int64_t *needed);

#endif
