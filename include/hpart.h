/* hpart: optimal distribution of a workload over the heterogeneous processors of a node or cluster.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A platform is p abstract processors (groups of cores, GPUs, other accelerators). Each has a measured, discrete time function of
 * problem size, and optionally a dynamic energy function. The functions may have any shape and any gaps. A distribution x of a
 * workload of `size` has sum x = size; x[i] = 0 leaves processor i idle. hpart finds the distribution of least time or least
 * energy, or the Pareto front of both. It also measures such functions and executes distributions.
 *
 * CONVENTIONS, once for every call below
 *   Units      sizes and counts are int64_t, in the user's own unit of work (rows, blocks, ...); times are seconds, energies
 *              joules, powers watts, memory bytes. Indices are 0-based.
 *   Status     every call that can fail returns hpart_status: 0 is success, errors are negative and permanent. hpart_strerror
 *              names a status. hpart_last_error returns one sentence about this thread's last failure: the wrong value, and a
 *              right one. Every call may return HPART_ERR_INVALID_ARGUMENT (a NULL that is not allowed, a negative
 *              count, a value that is not finite), HPART_ERR_OUT_OF_MEMORY and HPART_ERR_INTERNAL (a defect of hpart); the
 *              comment of a call names the others.
 *   Outputs    are written only on success, with two exceptions: hpart_partition and HPART_ERR_LIMIT; hpart_team_measure,
 *              hpart_team_compare and HPART_ERR_CANCELLED. NULL is allowed only for arguments whose comment allows it. A setter
 *              that fails changes nothing.
 *   Ownership  arrays belong to the caller, handles to the library. Inputs are copied. ..._destroy(NULL) has no effect.
 *   Lengths    calls with results of variable length take a capacity (in elements; for text in bytes with the final zero) and
 *              write the length to `needed`. If capacity < needed, they copy nothing and return
 *              HPART_ERR_INVALID_ARGUMENT. Capacity 0 with a NULL buffer returns the length and succeeds.
 *   Getters    that return a plain value return -1, NaN or NULL for a NULL handle or an index out of range.
 *   Threads    calls on different handles may run in parallel; calls on one handle too if they take it as const.
 *   Callbacks  return 0 to continue; any other value stops the call with HPART_ERR_CALLBACK (progress: HPART_ERR_CANCELLED).
 *              A C++ exception stops it too: hpart_last_error has the text of its what().
 *   Floating   every call computes in the default floating-point environment and restores the caller's (traps, rounding,
 *   point      flags). A callback runs in the environment of the call that received it, on any thread.
 *   hpart never exits, aborts, prints, changes the locale or installs a signal handler.
 */
#ifndef HPART_H
#define HPART_H

#include <stdint.h>

#if defined(HPART_BUILDING) && defined(__GNUC__)
#define HPART_API __attribute__((visibility("default")))
#else
#define HPART_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HPART_VERSION_MAJOR 0
#define HPART_VERSION_MINOR 1
#define HPART_VERSION_PATCH 0

/* ---- status ------------------------------ */

typedef int32_t hpart_status;

enum {
    HPART_SUCCESS = 0,               /* the call did its work */
    HPART_ERR_INVALID_ARGUMENT = -1, /* an argument is wrong; hpart_last_error names it */
    HPART_ERR_OUT_OF_MEMORY = -2,    /* the host or a device has too little memory */
    HPART_ERR_INFEASIBLE = -3,       /* no distribution of this size exists under the constraints given */
    HPART_ERR_UNSUPPORTED = -4,      /* this build, machine or method cannot do it */
    HPART_ERR_IO = -5,               /* a file could not be opened, read or written */
    HPART_ERR_FORMAT = -6,           /* a file's content is wrong; hpart_last_error has file, line, column and text */
    HPART_ERR_DEVICE = -7,           /* a device or its driver failed */
    HPART_ERR_PERMISSION = -8,       /* the system refused; hpart_last_error has the remedy */
    HPART_ERR_CALLBACK = -9,         /* a callback returned non-zero or threw */
    HPART_ERR_CANCELLED = -10,       /* the progress callback asked to stop */
    HPART_ERR_LIMIT = -11,           /* the time or memory limit was reached first */
    HPART_ERR_NUMERICAL = -12,       /* sums that would overflow, a singular matrix, or a result that fails its check */
    HPART_ERR_INTERNAL = -99         /* a defect of hpart: please report it with hpart_last_error */
};

/* Returns a static English text for a status, also for unknown values. Never NULL. */
HPART_API const char *hpart_strerror(hpart_status status);

/* Returns this thread's last failure as one sentence; "" if there was none. A success does not change it. The pointer stays the same
 * for the life of the thread, and the thread's next failure overwrites the text. The text has at most 4095 bytes and a final zero;
 * a longer one is cut between two UTF-8 characters. */
HPART_API const char *hpart_last_error(void);

/* Copies the same text into buffer (capacity bytes, final zero included). If it does not fit, the text remains for another call. */
HPART_API hpart_status hpart_last_error_copy(char *buffer, int64_t capacity, int64_t *needed);

/* Returns the key of the option that hpart_last_error begins with: "timeout" for "option 'timeout' is 0; ...". Also the name of a
 * parameter, if the library knows it; else "". Functions of hpart_mpi.h may put a rank before it. The pointer stays the same, too. */
HPART_API const char *hpart_last_error_option(void);

/* Returns the version of the linked library (the macros above have the header's). Each pointer may be NULL. */
HPART_API void hpart_version(int32_t *major, int32_t *minor, int32_t *patch);

/* ---- handles and callbacks ------------------------------ */

typedef struct hpart_options hpart_options;
typedef struct hpart_report hpart_report;
typedef struct hpart_platform hpart_platform;
typedef struct hpart_front hpart_front;
typedef struct hpart_schedule hpart_schedule;
typedef struct hpart_team hpart_team;
typedef struct hpart_device hpart_device;
typedef struct hpart_pipeline hpart_pipeline;
typedef struct hpart_step hpart_step;
typedef struct hpart_meter hpart_meter;
typedef struct hpart_adaptive hpart_adaptive;

/* Frees a callback's user pointer. The library calls it once, after its last use of the pointer. */
typedef void (*hpart_free)(void *user);

/* Receives the progress of a long call, repeatedly, on the calling thread. fraction: share done, 0 to 1, or -1 if unknown.
 * It need not reach 1, and a product or transform on the host alone may make no call. what: the current step.
 * A non-zero return value stops the call with HPART_ERR_CANCELLED. */
typedef int (*hpart_progress)(double fraction, const char *what, void *user);

/* ---- options and reports ------------------------------ */

/* Options are string-keyed. A NULL hpart_options means all defaults. The keys, their types, defaults and calls
 * (gemm: all products but gemv, and trsm; factor: factorisations and solvers):
 *
 * --- option keys: name, type, default, calls; meaning ---
 *   method           string  exact          partition, front, schedule
 *                    algorithm; each call lists its own
 *   threads          int     none           partition, device, fft
 *                    threads: paraleph (1 unless set), host part of an FFT (all unless set); 0: all
 *   time_limit       double  none           partition, front, schedule
 *                    seconds until HPART_ERR_LIMIT
 *   memory_limit     int     none           partition, front, schedule, add_builtin, device, gemm, fft, factor, gemv
 *                    bytes on each device, whose operations take no other value; partition, front, schedule (1 GiB): bytes of the search, then HPART_ERR_LIMIT
 *   ties             string  deterministic  partition, schedule
 *                    choice among equal optima: the same everywhere, or fewest active processors (deterministic|fewest)
 *   objective_bound  string  estimate       partition, front, schedule
 *                    values to optimise: the functions' own, or an end of their intervals (estimate|high|low)
 *   compare          string  none           partition, schedule
 *                    exact: reports the optimum and the method's excess over it (none|exact)
 *   degree           int     2              partition
 *                    degree of the polynomials that method smooth-fpm fits to the speeds
 *   speed_size       int     none           partition
 *                    size whose speeds method cpm uses; n / p unless set
 *   packages         string  all            schedule
 *                    package sizes: all of a function, or those up to the size of highest speed (all|rising)
 *   backtrack_limit  int     100            schedule
 *                    largest number of branches that method wdah returns from; 0: no limit
 *   package          int     none           schedule, self_schedule
 *                    size of method fixed (n / 8 p unless set); smallest package of the other dynamic ones (1)
 *   sigmoid_rate     double  1              schedule, self_schedule
 *                    rate k of method sigmoid: larger packages, and fewer, if it is larger
 *   deadline         double  none           partition, front
 *                    longest time in seconds, with fronts and objectives other than time
 *   slowdown         double  none           partition, front
 *                    deadline as a multiple of the least time
 *   energy_budget    double  none           partition, front
 *                    largest energy in joules, with objective time and fronts
 *   max_active       int     none           partition, front
 *                    largest number of active processors
 *   block            int     1              partition, front, profile
 *                    divisor of every size; profile: of the sizes that option max_sizes adds
 *   idle_processors  string  allowed        partition, front
 *                    idle processors (allowed|forbidden)
 *   interpolate      string  none           partition, front, slice
 *                    sizes between measured ones, on lines or on Akima's curve; slices: lines only (none|linear|akima)
 *   max_moved        int     none           partition, front
 *                    largest work moved from the previous distribution, which must be set
 *   max_points       int     none           front
 *                    largest number of points of the front: well spread, with both ends
 *   eps              double  none           front
 *                    thins the front: a kept point is within a factor 1 + eps of each, in both values
 *   communication    string  none           partition, front, schedule, evaluate
 *                    communication cost; schedules: host, chain-any: objective time (none|host|chain|chain-any|summa)
 *   unit_bytes       double  0              partition, front, schedule, evaluate
 *                    bytes that a unit of size moves over the host link, with communication
 *   matrix_order     int     0              partition, front, evaluate
 *                    rows of the square matrices with communication=summa; 0: the size
 *   matrix_block     int     256            partition, front, evaluate
 *                    rows of a block with communication=summa
 *   statistic        string  mean           measure, profile, compare, optimize
 *                    statistic of the samples that is a point's time; compare (mean): mean or median of the samples; optimize (median): median of the samples (mean|median|minimum)
 *   contaminated     string  repeated       measure, profile, optimize
 *                    disturbed repetitions: repeated (at most a third), or kept (repeated|kept)
 *   confidence       double  0.95           measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    confidence level of the interval of the mean
 *   precision        double  0.025          measure, profile, compare, optimize, run_schedule, self_schedule
 *                    relative half-width at which to stop; optimize (0.05): excess over the least value
 *   ttest            string  two-sided      measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    interval: widened for repeated looks, plain, or the papers' one-sided quantile (two-sided|plain|one-sided)
 *   min_repetitions  int     10             measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    repetitions before the first look at the interval; optimize (10): repetitions of each in the comparison before the first look
 *   max_repetitions  int     100000         measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    largest number of repetitions of a size; compare (100000): largest number of repetitions of each distribution
 *   repetitions      string  ""             measure, profile
 *                    their limits by size, "1-1000:50-500,1001-:3-10"; min_, max_repetitions elsewhere
 *   max_seconds      double  120            measure, profile, additivity, compare, run_schedule, self_schedule
 *                    time limit of a size in seconds; compare (120): time limit of the call in seconds
 *   max_total_seconds double  300            profile, optimize
 *                    time limit of all sizes in seconds; each gets a share
 *   warmup           int     1              measure, profile, execute, additivity, compare, optimize, run_schedule, self_schedule
 *                    runs before the first that counts; compare (1): runs of each before the first that counts
 *   simultaneous     int     1              profile, compare
 *                    1: all processors at once; 0: one after another, in compare with the sum of their times
 *   overlap          string  refused        measure, profile, execute, additivity, compare, optimize, run_schedule, self_schedule
 *                    cores shared by processors that run at once (refused|allowed)
 *   alike            string  ""             mpi_profile
 *                    name of a kind of node: ranks of one kind share the sizes
 *   order            string  random         profile
 *                    order in which sizes are measured (random|given)
 *   checkpoint_file  string  ""             profile, optimize
 *                    platform file, written point by point; a later call continues it
 *   samples_file     string  ""             measure, profile
 *                    CSV file of all samples; new, or continued with checkpoint_file
 *   remeasure        string  none           profile
 *                    imprecise: measures again the file's points whose precision was not reached (none|imprecise)
 *   max_sizes        int     0              profile
 *                    largest number of sizes: adds some where functions bend by more than precision
 *   resume_tolerance double  none           profile, optimize
 *                    relative difference of a repeated point of the file; 0.25 or 0.05 unless set
 *   jaggedness       double  none           optimize
 *                    largest speed-up of a size over a line through its neighbours; learned unless set
 *   sizes            string  auto           optimize
 *                    all: measures every size and assumes none (auto|all)
 *   confirm          int     1              optimize
 *                    1: runs the distribution against the usual ones and returns the best
 *   shares           string  ""             optimize
 *                    shares of a distribution to compare with, as "20:12:8"
 *   max_runs         int     none           optimize
 *                    runs of an application of one time in the search; 15 a processor unless set
 *   check            int     0              execute, run_schedule, self_schedule
 *                    1: compares the result with a reference
 *   dims             string  ""             add_builtin
 *                    fixed dimensions of a built-in kernel, "n=512,k=512"
 *   time_from        string  wall           add_program, set_application
 *                    source of a program's time: wall time, printed time or rate, or its processor time (wall|stdout|rate|cpu)
 *   time_pattern     string  ""             add_program, set_application
 *                    regular expression (ECMAScript) whose first group is the printed time
 *   time_unit        string  s              add_program, set_application
 *                    unit of printed times that have none (ns|us|ms|s|min|h)
 *   protocol         string  none           add_program, set_application
 *                    lines: the program keeps running; it reads one size per line and prints its seconds (none|lines)
 *   timeout          double  none           add_program, set_application
 *                    time limit of a program's run in seconds
 *   cores            string  ""             add_program
 *                    cores that a program may use, "0-3,8"; all unless set
 *   plan             string  model          device, gemm, factor, gemv
 *                    tiles of a product: by the model of the device, or by HCLOOC's partitioner (model|hclooc)
 *   tile             string  ""             device, gemm, factor, gemv
 *                    tile sizes; empty: the plan's (MBxNBxKB)
 *   queues           int     3              device, gemm, fft, factor, pipeline, gemv
 *                    3: overlaps transfers in, kernels and transfers out; 1: one after another (1|3)
 *   staging          string  auto           device, gemm, fft, factor, pipeline, gemv
 *                    transfer of unpinned memory through pinned buffers (auto|never|always)
 *   zero_copy        string  auto           device, gemm, fft, factor, gemv
 *                    use of shared host memory in place; auto: unless memory_limit is set (auto|never|always)
 *   panel_width      int     0              device, factor
 *                    columns of a panel that the host factors at once; 0: the plan's choice
 *   in_card_rate     int     0              device, gemm, factor, gemv
 *                    1: gemm, out of card on one device, reports in_card_gflops: runs its kernels once more, without transfers
 *   dry_run          int     0              gemm, fft, factor, gemv
 *                    1: plans and predicts, and computes nothing; the arrays may be NULL
 *   trace_file       string  ""             gemm, fft, factor, pipeline, gemv
 *                    new file, or an older trace, that gets the times of all commands, for Perfetto and hpart plot
 *   run_on           string  auto           device, fft, gemv
 *                    place of gemv and FFT; auto: gemv on the host, FFT on the device if possible (auto|host|device)
 *   fft_plan         string  model          device, fft
 *                    plan of a transform: the fastest by the model of the device, or one by name (model|host|in-card|slabs)
 *   kernel           string  auto           device, gemm, fft, factor, gemv
 *                    kernel of each device; auto: yours or the usual; products: user, source:FILE, binary:FILE; FFT: fftw, vkfft, cufft
 *   interval         double  none           meter
 *                    seconds between new values of the meter, if it reports none or a wrong one
 *   lines            int     1              meter
 *                    lines that a program of command: prints at a time, one for each sensor: they are added up
 *   meter_scale      double  1              meter
 *                    factor of the power that the meter reads
 *   meter_offset     double  0              meter
 *                    watts added to the meter's power after meter_scale
 *   base_power       double  none           measure, profile, meter, additivity, optimize
 *                    power of the idle machine in watts; unless set, the meter's or measured
 *   base_seconds     double  none           measure, profile, additivity, optimize
 *                    seconds for measuring the base power; 2, or 20 of the meter's intervals, unless set
 *   energy_precision double  0.1            measure, profile, additivity
 *                    relative half-width of the interval of the dynamic energy at which to stop
 *   energy           string  alone          profile
 *                    energy of each processor while the others are idle, or of all at once (alone|simultaneous)
 *   additivity_bound double  10             additivity
 *                    mean difference in per cent above which the report warns
 *   tolerance        double  0.05           adaptive
 *                    relative excess over the best time that is good enough
 *   change_threshold double  0.25           adaptive
 *                    relative deviation, twice in a row, that counts as a change of speed
 *   move_cost        double  0              adaptive
 *                    seconds for moving a unit of size to another processor
 *   bandwidth        string  ping-pong      links
 *                    bandwidth of a link: one pair at a time, or all ranks at once around rings (ping-pong|ring)
 *   move_horizon     int     100            adaptive
 *                    iterations within which a move must pay
 * --- end of option keys ---
 *
 * Setting an unknown key, or a value of the wrong type or range, returns HPART_ERR_INVALID_ARGUMENT; the message lists the valid
 * ones. A key that a call does not take, or an unknown method or kernel, fails at that call. */
HPART_API hpart_status hpart_options_create(hpart_options **options);
HPART_API void hpart_options_destroy(hpart_options *options);

/* Sets a key of any type from text. Integers may have a suffix (4k, 4Ki, 4kB, 4MiB), times a unit (5ms, 90s, 2min, 1h). */
HPART_API hpart_status hpart_options_set_string(hpart_options *options, const char *key, const char *value);
/* Sets a key of type int or double. */
HPART_API hpart_status hpart_options_set_int(hpart_options *options, const char *key, int64_t value);
/* Sets a key of type double. */
HPART_API hpart_status hpart_options_set_double(hpart_options *options, const char *key, double value);
/* Sets the progress callback of the calls that take these options (NULL: none). The options then own `user`: they call free_user
 * (may be NULL) once, when the callback is replaced or the options are destroyed. If this call fails, the caller still owns
 * `user`. */
HPART_API hpart_status hpart_options_set_progress(hpart_options *options, hpart_progress progress, void *user,
                                                  hpart_free free_user);

/* Sets the current distribution: partition and front then prefer distributions that move less work, and hpart_adaptive_create
 * begins with it. x[processors]: sizes >= 0, with any total. processors: the platform's count; 0 removes the distribution
 * (x may be NULL).
 * A distribution moves the sum of max(0, its size - x[i]). Among equal optima, and for each point of a front, the call returns the
 * distribution that moves least; with energy_budget, it minimises time first, then the work moved, then energy. Option max_moved
 * limits the work moved. Report key of partition: moved. Method exact only, sizes up to 2^53.
 * HPART_ERR_INVALID_ARGUMENT: a negative size or number of processors. */
HPART_API hpart_status hpart_options_set_previous(hpart_options *options, int64_t processors, const int64_t *x);

/* A report has further results of a call: keys with an integer, a real, a text, an array of reals, or a list of rows. */
HPART_API void hpart_report_destroy(hpart_report *report);
/* Returns the number of keys. */
HPART_API int64_t hpart_report_count(const hpart_report *report);
/* Returns the name of key k, 0 <= k < count, owned by the report; NULL out of range. */
HPART_API const char *hpart_report_key(const hpart_report *report, int64_t k);
/* Types of values. hpart_report_type returns -1 for a NULL or an unknown key. */
enum { HPART_REPORT_INT = 0, HPART_REPORT_DOUBLE = 1, HPART_REPORT_STRING = 2, HPART_REPORT_DOUBLES = 3, HPART_REPORT_TABLE = 4 };
HPART_API int32_t hpart_report_type(const hpart_report *report, const char *key);
/* Returns the value as text. Numbers read back exactly; blanks separate the elements of an array; rows are JSON. */
HPART_API hpart_status hpart_report_get_string(const hpart_report *report, const char *key, char *buffer, int64_t capacity,
                                               int64_t *needed);
HPART_API hpart_status hpart_report_get_int(const hpart_report *report, const char *key, int64_t *value);
/* A real, or an integer as a real. */
HPART_API hpart_status hpart_report_get_double(const hpart_report *report, const char *key, double *value);
/* An array of reals (a single number is an array of one). capacity in elements. */
HPART_API hpart_status hpart_report_get_doubles(const hpart_report *report, const char *key, double *values, int64_t capacity,
                                                int64_t *needed);
/* Rows: a list of records. Each row is a report. hpart_report_row copies row k, 0 <= k < count; the caller destroys the copy. */
HPART_API hpart_status hpart_report_rows(const hpart_report *report, const char *key, int64_t *count);
HPART_API hpart_status hpart_report_row(const hpart_report *report, const char *key, int64_t k, hpart_report **row);
/* Returns the report as one JSON object in the order of its keys. A number that is not finite is null; bytes that are not UTF-8 are
 * question marks. */
HPART_API hpart_status hpart_report_json(const hpart_report *report, char *buffer, int64_t capacity, int64_t *needed);

/* Reports the build and the libraries found on this machine. Keys: version, compiler, cores (number of usable cores), cpu_quota (only if
 * a control group limits processor time: seconds of it a second), and library.NAME (openblas, lapack, fftw, opencl, clblast, vkfft, cuda, cublas,
 * cufft, hwloc, gsl, boost_math) with its version, kernel type, place, or the reason why it is missing. OpenCL's drivers are described
 * once a device was listed or opened: hpart_info does not open them.
 * The environment variable HPART_CUDA_PATH lists folders, separated by colons, to search first for CUDA's libraries. */
HPART_API hpart_status hpart_info(hpart_report **report);

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
 *   the error explains it, else HPART_ERR_NUMERICAL: the base power is too high.
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
 * Option `shares`, "20:12:8": the possible distribution nearest to these shares joins the baselines as "shares".
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
 *   stop_reason                   certified, refuted (by the runs), max_total_seconds, max_repetitions; of one time: settled, max_runs
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

/* ---- energy meters ------------------------------
 *
 * A meter measures the joules of a window from hpart_meter_start to hpart_meter_stop. It reads energy counters, which wrap, or power,
 * which it integrates over time. docs/background/energy.md. Kinds of hpart_meter_open:
 *   rapl              Intel's and AMD's counters through powercap: packages and their memory
 *   perf              the same through perf_event
 *   nvml:N            NVIDIA's device N in the order of the bus; nvml:cuda:N: the device of cuda:N
 *   hwmon:PATH        a sensor of the kernel's: "hwmon2/power1_input", its path, or "amdgpu/PPT": driver and label
 *   wattsup:TTY       a Watts up? PRO between machine and wall, at a serial port
 *   command:PROGRAM   any program that prints watts, a number per line
 *   replay:FILE       a recording instead of a sensor
 *   estimate:W        no sensor: processor seconds of this process and its children times W watts per core
 * Several joined by +, as "rapl+nvml:0": their sum.
 * hpart reads counters often enough to detect every wrap. If the energy is unknown (a counter of unknown range decreased, readings
 * came too late, a counter stands still, a meter is gone), the call fails with HPART_ERR_DEVICE. The report's short_window is 1 if the
 * window was shorter than minimum_window, 20 intervals of the meter.
 * The environment variable HPART_MACHINE_ROOT (default /) sets the folder whose proc and sys are read. */

enum {
    HPART_JOULES = 0, /* a counter */
    HPART_WATTS = 1   /* power */
};

/* Reads your own meter: its value in joules or watts, and the time of its own clock, which never decreases. hpart calls it from the
 * thread that starts or stops the meter and, between the two, from a thread of its own; never from two at once. It must not call
 * hpart_meter_... of its own meter. A non-zero return value fails the window with HPART_ERR_CALLBACK at its end, a measurement of base
 * power at once. */
typedef int (*hpart_meter_read)(void *user, double *value, double *time_seconds);

/* Opens a meter. Options: interval, lines, base_power, meter_scale, meter_offset. The last two correct its power, scale x watts + offset,
 * in windows (HPART_ERR_NUMERICAL if an energy is below 0 then) and measured base powers; base_power is in corrected watts. The options'
 * progress callback can cancel (HPART_ERR_CANCELLED) the wait for a meter that sends by itself and, until the options are destroyed,
 * the measurement of base power. Waits up to 1 s until the other threads of this process sleep, so that no window has
 * threads of a library that has just started.
 * HPART_ERR_INVALID_ARGUMENT lists the kinds, HPART_ERR_PERMISSION has the remedy, HPART_ERR_UNSUPPORTED: this machine has no such
 * meter. HPART_ERR_IO and HPART_ERR_FORMAT: a recording. HPART_ERR_DEVICE. */
HPART_API hpart_status hpart_meter_open(const char *spec, const hpart_options *options, hpart_meter **meter);
/* Creates your own meter. quantity: HPART_JOULES or HPART_WATTS. interval_seconds: between new values, at least 1e-6; hpart reads power
 * that often, a counter soon after the start and then at least once a second. wrap: joules at which the counter restarts at 0; 0: never.
 * On success the meter owns `user`: hpart_meter_close calls free_user (may be NULL) once. */
HPART_API hpart_status hpart_meter_create(const char *name, hpart_meter_read read, int32_t quantity, double interval_seconds,
                                          double wrap, void *user, hpart_free free_user, hpart_meter **meter);
/* Returns the number of kinds of meters. */
HPART_API int64_t hpart_meter_count(void);
/* Describes kind k as "FORM TEXT": its spec ("nvml:N"), a blank, and the meters of this machine, or the reason why none works and the
 * remedy. works_here (may be NULL): HPART_SUCCESS, HPART_ERR_PERMISSION, HPART_ERR_UNSUPPORTED or another status. */
HPART_API hpart_status hpart_meter_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed, hpart_status *works_here);
/* Opens a window. HPART_ERR_INVALID_ARGUMENT: one is open already. */
HPART_API hpart_status hpart_meter_start(hpart_meter *meter);
/* Closes the window, also after an error. joules: of all of the meter's channels; seconds: by its clock; each may be NULL.
 * HPART_ERR_DEVICE, HPART_ERR_PERMISSION, HPART_ERR_CALLBACK: the meter failed since the start. HPART_ERR_NUMERICAL: the energy
 * exceeds a double. */
HPART_API hpart_status hpart_meter_stop(hpart_meter *meter, double *joules, double *seconds);
/* Measures the mean power of the next `seconds` (at least minimum_window) and its standard error by batch means; each may be NULL. The
 * machine must be idle; the call waits for rest as hpart_meter_open does. The meter keeps the result for its report.
 * HPART_ERR_CANCELLED: see hpart_meter_open. */
HPART_API hpart_status hpart_meter_base_power(hpart_meter *meter, double seconds, double *watts, double *standard_error);
/* Reports on a meter. Keys: meter, method (counter, integrated, estimated, replayed), interval, minimum_window, channels (rows: name),
 * meter_scale, meter_offset; failure: the error since its start, as soon as it is known.
 * With a base power: base_power, base_power_error.
 * Last window: joules, seconds, watts, channel_joules (array, in the order of channels), readings, missed (values of a power meter
 * that did not come), short_window, busy (other processes, and activity of disks, the network, paging and fans, in the window and while
 * the base power was measured; empty if there was none); with a base power also dynamic_joules = joules - base_power * seconds,
 * dynamic_joules_error. */
HPART_API hpart_status hpart_meter_report(const hpart_meter *meter, hpart_report **report);
HPART_API void hpart_meter_close(hpart_meter *meter);

/* ---- devices ------------------------------ */

/* Returns the number of accelerators on this machine; 0 if there are none, or no drivers. */
HPART_API int64_t hpart_device_count(void);
/* Describes device k: "opencl:0:0 NAME, N compute units, B bytes, ...". The first word is its spec. */
HPART_API hpart_status hpart_device_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed);

/* Opens a device, or several that share each operation.
 * spec: "host" (the cores of this machine), "opencl:P:D" (device D of platform P), "opencl:P:D:S" (only its S-th compute unit), "cuda:N",
 * or a list of different ones with commas, "opencl:0:0,host". Two OpenCL devices of a list must not be the same cores.
 * Option memory_limit belongs to the device; the others are defaults of its operations. A device runs one operation at a time: calls
 * from other threads wait, and a callback of an operation cannot start another one on the device. An accelerator does not work in a fork
 * of a process that opened one. Do not fork while an operation of host runs, or both processes may wait for ever; posix_spawn is safe.
 * With OpenMP's OpenBLAS, operations of host may wait for ever in a fork of a process that has used OpenBLAS on several threads.
 * Close devices before the program calls fftw_cleanup: an open device keeps plans of FFTW.
 * hpart_device_close destroys the device and its remaining pinned memory.
 * HPART_ERR_DEVICE: no such device, or it fails. HPART_ERR_UNSUPPORTED: this build or machine has no such kind of device. */
HPART_API hpart_status hpart_device_open(const char *spec, const hpart_options *options, hpart_device **device);
HPART_API void hpart_device_close(hpart_device *device);

/* Allocates and frees host memory for the device's fastest transfers: arrays in it need no staging. bytes >= 0. Returns NULL on failure
 * and sets hpart_last_error. The memory is valid until hpart_free_pinned or hpart_device_close. hpart_free_pinned(NULL) has no
 * effect; it ignores pointers that are not this device's and sets hpart_last_error. If an OpenCL driver cannot pin so much at once, the
 * memory is plain. */
HPART_API void *hpart_alloc_pinned(hpart_device *device, int64_t bytes);
HPART_API void hpart_free_pinned(hpart_device *device, void *memory);

/* Returns the native handle of a device, for building kernels. what: "cl_context" or "cl_device_id" (OpenCL), "CUcontext" (CUDA).
 * k: number in a list of devices, from 0. The device keeps owning the handle. HPART_ERR_UNSUPPORTED: that kind of device has none. */
HPART_API hpart_status hpart_device_native(const hpart_device *device, int64_t k, const char *what, void **handle);

/* A product of row-major matrices on a device, C = alpha op(A) op(B) + beta C. op(A) is m x k, op(B) k x n, C m x n; all positive. If
 * beta is 0, C may hold anything and must not be read. Later versions may add members at the end. */
typedef struct hpart_product {
    int32_t type;           /* 's', 'd', 'c' or 'z' */
    int32_t device;         /* number in a list of devices, from 0 */
    int32_t transa, transb; /* HPART_NO_TRANSPOSE, HPART_TRANSPOSE or HPART_CONJUGATE_TRANSPOSE */
    int64_t m, n, k;
    const void *alpha, *beta;             /* numbers of the type on the host, valid during the call */
    void *a, *b, *c;                      /* cl_mem (OpenCL), CUdeviceptr (CUDA), or address (host) */
    int64_t offset_a, offset_b, offset_c; /* elements before the first one */
    int64_t lda, ldb, ldc;                /* elements from row to row */
    void *scratch;                        /* scratch_bytes on the device; NULL if they are 0 */
} hpart_product;

/* Adds a product to the queue, a cl_command_queue or CUstream, without waiting for it. On the host queue is NULL, and the function
 * computes the product. hpart calls it on any thread, for several devices of a list at once. A non-zero return value ends the
 * operation with HPART_ERR_CALLBACK. */
typedef int (*hpart_gemm_enqueue)(void *queue, const hpart_product *product, void *user);

/* Sets your own product of one type on a device, or on each of a list: gemm, the other products and the factorisations use it from now
 * on (option kernel: auto or user). enqueue NULL: hpart's own again. hpart compares it with the host on small products first.
 * type: 's', 'd', 'c' or 'z'. row_multiple, column_multiple: 1 to 65536, the rows and columns of C that it computes at full rate.
 * largest_side: of m, n, k and the leading dimensions, at least 1024; 0: any. scratch_bytes >= 0: on the device, counted in its memory.
 * On success the device owns `user`: it calls free_user (may be NULL) when it is closed, or has another product of the type.
 * HPART_ERR_INVALID_ARGUMENT: also a function that computes another product; the message has the element. HPART_ERR_OUT_OF_MEMORY:
 * scratch_bytes. HPART_ERR_CALLBACK. HPART_ERR_UNSUPPORTED: the device lacks the type. After an error the device has the product that it
 * had. */
HPART_API hpart_status hpart_device_set_gemm(hpart_device *device, int32_t type, int64_t row_multiple, int64_t column_multiple,
                                             int64_t largest_side, int64_t scratch_bytes, hpart_gemm_enqueue enqueue, void *user,
                                             hpart_free free_user);

/* ---- operations on host data, which may be larger than the device's memory ------------------------------
 *
 * Data moves to the device and back in tiles, overlapped with the kernels (docs/background/out-of-card.md). Calls and arguments follow CBLAS,
 * LAPACK and FFTW. Types: s float, d double, c and z complex float and double. Complex numbers are two reals, real part first;
 * their arrays are void pointers, and their alpha and beta point to one number.
 *
 *   layout         HPART_ROW_MAJOR, HPART_COLUMN_MAJOR
 *   trans          HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE (for real types the transpose)
 *   uplo           HPART_UPPER, HPART_LOWER: the other triangle is neither read nor changed
 *   diag           HPART_NON_UNIT; HPART_UNIT: the diagonal is 1 and not read
 *   side           HPART_LEFT, HPART_RIGHT
 *   m, n, k, ...   >= 0; an array without elements may be NULL
 *   lda, ldb, ldc  leading dimension: distance of rows (row-major) or columns (column-major) in elements, >= their length and >= 1
 *
 * Option dry_run=1 plans the operation as a run would, and computes nothing: the report has the predictions, seconds and bytes
 * transferred are 0, and the arrays may be NULL. NULL counts as memory that is not pinned; FFT: as in place if both are NULL.
 *
 * Outputs must not overlap inputs. Only device memory is limited. options and report may be NULL. On success and with
 * HPART_ERR_NUMERICAL the call returns a new report, which the caller destroys.
 *
 * Report keys, of all operations; with several devices, sums over the devices:
 *   method             place of the operation: host, zero-copy (a device in the host's memory), out-of-card, devices (several), pipeline
 *   plan               products: model, hclooc, tile; transforms: in-card, slabs; factorisations: recursive, left-looking;
 *                      several devices: shares; else the method
 *   tiles              tile sizes, human-readable; empty if nothing was split
 *   seconds            of the operation itself
 *   setup_seconds      of work done once for this device and shape: measuring, compiling kernels, planning
 *   gflops             rate; complex operations count as their real ones. Not of pipelines
 *   bytes_to_device, bytes_from_device   bytes transferred
 *   staged_bytes       the part of them that went through the library's pinned buffers
 *   kernel_seconds, transfer_seconds     time with a kernel, with a transfer running; 0 if the driver has no times
 *   overlap            the part of transfer_seconds, 0 to 1, that kernels hid
 *   memory_retries     retries with smaller tiles, since a device had less memory than it reported
 * of some:
 *   kernel             products, transforms, factorisations with a part on a device: name of the kernel; empty if none ran
 *   bytes_planned      products, transforms with a plan, pipelines: planned bytes, both ways
 *   lower_bound_bytes  the same, factorisations and solvers out of card: least bytes, both ways, of any plan in this memory; plan
 *                      recursive: the sum over its products
 *   predicted_seconds  products, transforms with a plan: prediction of the model of the device; with dry_run all
 *                      operations with a part on a device
 *   bound_by           products with a plan on one device: the resource that limits the predicted time
 *   device_bytes       products with a plan, pipelines: device memory used
 *   least_memory       with dry_run, one device with its own memory or a limit: the smallest memory_limit, within 2 per cent, with
 *                      which there is a plan; of transforms by VkFFT and cuFFT an estimate
 *   advised_memory     the same, if the present limit leaves room to measure the device: about the smallest memory_limit with which
 *                      predicted_seconds is within 1.2 of its value with the device's whole memory
 *   in_card_gflops     gemm out of card on one device, with the option in_card_rate
 *   on_host            transforms: the part done on the host, and the reason
 *   panel_width        factorisations, solvers: columns of a panel
 *   resident_width, last_width   plan left-looking: columns that stay on the device; columns of the last panel
 *   panel_seconds      factorisations, solvers: of the host's panels
 *   info               the same: LAPACK's info
 *   devices, device_shares, device_seconds   several devices, but not gemv: their specs (gemm: also their parts of C), shares of the
 *                      work, and times
 *
 * Statuses besides HPART_ERR_INVALID_ARGUMENT, which changes nothing:
 *   HPART_ERR_OUT_OF_MEMORY  the smallest tiles do not fit in the device's memory, or host memory is full; nothing was changed
 *   HPART_ERR_DEVICE         the device failed, or host memory ran out during the operation; outputs may be partly changed
 *   HPART_ERR_CANCELLED      the progress callback stopped the call; outputs may be partly changed
 *   HPART_ERR_UNSUPPORTED    this build lacks a library (the message names it), or a size is too large for it
 *   HPART_ERR_NUMERICAL      factorisations and solvers: a singular or indefinite matrix; report key info
 * After an error all other resources are free, and the device can be used again, unless the message says that the process can
 * no longer use it: after a fault in a kernel, CUDA refuses all later calls of the process. */

/* CBLAS's values. */
enum {
    HPART_ROW_MAJOR = 101,
    HPART_COLUMN_MAJOR = 102,
    HPART_NO_TRANSPOSE = 111,
    HPART_TRANSPOSE = 112,
    HPART_CONJUGATE_TRANSPOSE = 113,
    HPART_UPPER = 121,
    HPART_LOWER = 122,
    HPART_NON_UNIT = 131,
    HPART_UNIT = 132,
    HPART_LEFT = 141,
    HPART_RIGHT = 142
};

/* C = alpha op(A) op(B) + beta C: op(A) is m x k, op(B) k x n, C m x n. If beta is 0, C is not read; if alpha is 0, A and B are not.
 * 2 m n k operations; transfers and tiles: docs/background/out-of-card.md. Sources: BLAS (Dongarra et al. 1990); plan=hclooc: HCLOOC
 * (Khaleghzadeh et al. 2018). */
HPART_API hpart_status hpart_sgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                                   float *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta,
                                   double *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                   const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                   const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* y = alpha op(A) x + beta y, A is m x n; beta y if op(A) has no columns. incx and incy != 0; a negative one counts from the array's end, as in the BLAS. */
HPART_API hpart_status hpart_sgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, float alpha,
                                   const float *a, int64_t lda, const float *x, int64_t incx, float beta, float *y, int64_t incy,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, double alpha,
                                   const double *a, int64_t lda, const double *x, int64_t incx, double beta, double *y,
                                   int64_t incy, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, const void *alpha,
                                   const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, const void *alpha,
                                   const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(A)^T + beta C in the triangle uplo of the n x n matrix C; op(A) is n x k. Complex types: trans is
 * HPART_NO_TRANSPOSE or HPART_TRANSPOSE. */
HPART_API hpart_status hpart_ssyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   float alpha, const float *a, int64_t lda, float beta, float *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dsyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   double alpha, const double *a, int64_t lda, double beta, double *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_csyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   const void *alpha, const void *a, int64_t lda, const void *beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zsyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   const void *alpha, const void *a, int64_t lda, const void *beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(A)^H + beta C with real alpha and beta, C Hermitian; trans is HPART_NO_TRANSPOSE or HPART_CONJUGATE_TRANSPOSE.
 * The diagonal becomes real, unless alpha or k is 0 and beta is 1, which leave C as it is. */
HPART_API hpart_status hpart_cherk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   float alpha, const void *a, int64_t lda, float beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zherk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   double alpha, const void *a, int64_t lda, double beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
/* B = alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right); B is m x n, A triangular of order m or n. As in the BLAS,
 * there is no test for singularity. */
HPART_API hpart_status hpart_strsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, float alpha, const float *a, int64_t lda, float *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dtrsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, double alpha, const double *a, int64_t lda, double *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ctrsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ztrsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha A B + beta C (left) or alpha B A + beta C (right); B and C are m x n, A is symmetric of order m or n: its triangle uplo is read.
 * If beta is 0, C is not read; if alpha is 0, A and B are not. 2 m n times the order of A operations. */
HPART_API hpart_status hpart_ssymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                                   int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dsymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta, double *c,
                                   int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_csymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zsymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* The same with a Hermitian A; the imaginary parts of its diagonal are not read. */
HPART_API hpart_status hpart_chemm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zhemm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* B = alpha op(A) B (left) or alpha B op(A) (right); B is m x n, A triangular of order m or n. */
HPART_API hpart_status hpart_strmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, float alpha, const float *a, int64_t lda, float *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dtrmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, double alpha, const double *a, int64_t lda, double *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ctrmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ztrmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C in the triangle uplo of the n x n matrix C; op(A) and op(B) are n x k. Complex
 * types: trans is HPART_NO_TRANSPOSE or HPART_TRANSPOSE. 2 n^2 k operations. */
HPART_API hpart_status hpart_ssyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                                    int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dsyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta,
                                    double *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_csyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                    void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zsyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                    void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C with real beta, C Hermitian; trans is HPART_NO_TRANSPOSE or
 * HPART_CONJUGATE_TRANSPOSE. The diagonal becomes real, unless alpha or k is 0 and beta is 1, which leave C as it is. */
HPART_API hpart_status hpart_cher2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, float beta, void *c,
                                    int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zher2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c,
                                    int64_t ldc, const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(B) + beta C in the triangle uplo of the n x n matrix C; op(A) is n x k, op(B) k x n. n^2 k operations. */
HPART_API hpart_status hpart_sgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                                    float *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, double alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                                    double beta, double *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* The product of hpart_?gemm `batch` times, one after another: the matrices of each operand are stridea, strideb and stridec elements apart.
 * stridea and strideb >= 0, where 0 takes the same matrix each time; stridec is at least the span of one
 * result, from its first element to its last, if batch > 1. */
HPART_API hpart_status hpart_sgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, float alpha, const float *a, int64_t lda, int64_t stridea,
                                                   const float *b, int64_t ldb, int64_t strideb, float beta, float *c, int64_t ldc,
                                                   int64_t stridec, int64_t batch, const hpart_options *options,
                                                   hpart_report **report);
HPART_API hpart_status hpart_dgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
                                                   int64_t stridea, const double *b, int64_t ldb, int64_t strideb, double beta,
                                                   double *c, int64_t ldc, int64_t stridec, int64_t batch,
                                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda,
                                                   int64_t stridea, const void *b, int64_t ldb, int64_t strideb, const void *beta,
                                                   void *c, int64_t ldc, int64_t stridec, int64_t batch,
                                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda,
                                                   int64_t stridea, const void *b, int64_t ldb, int64_t strideb, const void *beta,
                                                   void *c, int64_t ldc, int64_t stridec, int64_t batch,
                                                   const hpart_options *options, hpart_report **report);
/* P A = L U with partial pivoting, of an m x n matrix, in LAPACK's storage. pivots[min(m, n)]: row k was exchanged with row pivots[k],
 * counted from 1 (also with row-major layout).
 * HPART_ERR_NUMERICAL: info is the first zero (the factors are complete), subnormal or NaN of U's diagonal, counted from 1.
 * 2/3 n^3 operations. Source: LAPACK's getrf. */
HPART_API hpart_status hpart_sgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
/* A = L L^H (lower) or U^H U (upper), A Hermitian positive definite of order n. HPART_ERR_NUMERICAL: the leading minor of order
 * info is not positive; the factor of the ones before it is written. n^3/3 operations. */
HPART_API hpart_status hpart_spotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, float *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, double *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
/* A = Q R in LAPACK's storage: R in the upper triangle, the reflectors below it, their factors in tau[min(m, n)]. */
HPART_API hpart_status hpart_sgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda, float *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda, double *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                                    const hpart_options *options, hpart_report **report);
/* Solves op(A) X = B by the factors of hpart_?getrf in a and pivots[n]; A of order n, B of n x nrhs. B becomes X.
 * HPART_ERR_NUMERICAL: A is singular; B is not changed. 2 n^2 nrhs operations. Source: LAPACK's getrs. */
HPART_API hpart_status hpart_sgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const float *a,
                                    int64_t lda, const int64_t *pivots, float *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
HPART_API hpart_status hpart_dgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const double *a,
                                    int64_t lda, const int64_t *pivots, double *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
HPART_API hpart_status hpart_cgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, const int64_t *pivots, void *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
HPART_API hpart_status hpart_zgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, const int64_t *pivots, void *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
/* Solves A X = B by the factor of hpart_?potrf in the triangle of a. HPART_ERR_NUMERICAL: the factor has a zero, a
 * subnormal number or NaN on its diagonal; B is not changed. */
HPART_API hpart_status hpart_spotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const float *a,
                                    int64_t lda, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const double *a,
                                    int64_t lda, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* A becomes its inverse, from the factors of hpart_?getrf in a and pivots[n]. HPART_ERR_NUMERICAL: A is singular, and is not changed.
 * 4/3 n^3 operations; n^2/2 numbers of host memory. Source: LAPACK's getri. */
HPART_API hpart_status hpart_sgetri(hpart_device *device, int32_t layout, int64_t n, float *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgetri(hpart_device *device, int32_t layout, int64_t n, double *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgetri(hpart_device *device, int32_t layout, int64_t n, void *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgetri(hpart_device *device, int32_t layout, int64_t n, void *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
/* A becomes its inverse, from the factor of hpart_?potrf in the triangle of a; the other triangle is not used. HPART_ERR_NUMERICAL: the
 * factor has a zero, a subnormal number or NaN on its diagonal; A is not changed. 2/3 n^3 operations. */
HPART_API hpart_status hpart_spotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, float *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, double *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
/* C = op(Q) C (left) or C op(Q) (right), C of m x n; Q is the product of the k reflectors of hpart_?geqrf in the columns of a and in
 * tau[k]. A has m rows (left) or n (right), k is at most as many. trans: HPART_NO_TRANSPOSE, or HPART_TRANSPOSE (real types) or
 * HPART_CONJUGATE_TRANSPOSE. 4 m n k operations at most. Source: LAPACK's ormqr and unmqr. */
HPART_API hpart_status hpart_sormqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const float *a, int64_t lda, const float *tau, float *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dormqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const double *a, int64_t lda, const double *tau, double *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cunmqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const void *a, int64_t lda, const void *tau, void *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zunmqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const void *a, int64_t lda, const void *tau, void *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
/* A, m x n, becomes the first n columns of Q, from the k reflectors of hpart_?geqrf in its first columns and in tau[k]; m >= n >= k.
 * Source: LAPACK's orgqr and ungqr. */
HPART_API hpart_status hpart_sorgqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, float *a, int64_t lda,
                                    const float *tau, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dorgqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, double *a, int64_t lda,
                                    const double *tau, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cungqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, void *a, int64_t lda,
                                    const void *tau, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zungqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, void *a, int64_t lda,
                                    const void *tau, const hpart_options *options, hpart_report **report);
/* Solves A X = B, A of order n, B of n x nrhs. B becomes X, A its factors of hpart_?getrf. HPART_ERR_NUMERICAL: A is singular; B is not
 * changed. */
HPART_API hpart_status hpart_sgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, float *a, int64_t lda,
                                   int64_t *pivots, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, double *a, int64_t lda,
                                   int64_t *pivots, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                                   int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                                   int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* The same for a Hermitian positive definite A. A becomes its factor of hpart_?potrf. */
HPART_API hpart_status hpart_sposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, float *a,
                                   int64_t lda, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, double *a,
                                   int64_t lda, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* Solves op(A) X = B, A m x n of full rank, by QR or LQ: least squares, or the solution of least norm if op(A) has more columns than
 * rows. Complex types: trans is HPART_NO_TRANSPOSE or HPART_CONJUGATE_TRANSPOSE.
 * B has max(m, n) rows: the right-hand sides on top become the solutions; below them, as in LAPACK, numbers whose squares sum to the
 * residual's. A becomes its factors. HPART_ERR_NUMERICAL: A is not of full rank. */
HPART_API hpart_status hpart_sgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                                   float *a, int64_t lda, float *b, int64_t ldb, const hpart_options *options,
                                   hpart_report **report);
HPART_API hpart_status hpart_dgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                                   double *a, int64_t lda, double *b, int64_t ldb, const hpart_options *options,
                                   hpart_report **report);
HPART_API hpart_status hpart_cgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* Computes discrete Fourier transforms of `batch` consecutive arrays of dims[rank] points of any length, the last dimension contiguous:
 * out[k] = sum in[j] exp(sign 2 pi i jk/n), not normalised, as FFTW. sign: -1 forward, +1 backward; backward after forward returns the
 * input times its number of points. cfft: float, zfft: double. in == out is allowed, any other overlap is not. 5 n log2 n operations.
 * dims >= 1; batch >= 0, and a batch of 0 does nothing. */
HPART_API hpart_status hpart_cfft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,
                                  const float *in, float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zfft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,
                                  const double *in, double *out, const hpart_options *options, hpart_report **report);
/* Forward transform of real numbers. out has dims[rank-1]/2 + 1 complex numbers in the last dimension; the others follow by symmetry.
 * In place (in == out) a row of reals is padded to the size of a row of the spectrum, as in FFTW. */
HPART_API hpart_status hpart_sfft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const float *in,
                                      float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dfft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const double *in,
                                      double *out, const hpart_options *options, hpart_report **report);
/* Backward transform from that half of the spectrum to real numbers. dims: of the real array. in is not changed unless in == out. */
HPART_API hpart_status hpart_sfft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const float *in,
                                      float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dfft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const double *in,
                                      double *out, const hpart_options *options, hpart_report **report);

/* ---- pipeline: your own kernel on data larger than the device's memory ------------------------------
 *
 * You write a list of steps. Each step reads, writes or updates blocks of host arrays; a block is rows of bytes at equal distances.
 * When the list runs, hpart keeps blocks on the device in a ring of buffers per array. It brings each block in before the first step
 * that needs it, and back after the last one that writes it. Transfers overlap with kernels. Your kernel is called once per step
 * with the blocks' memory on the device. The result is as if the steps ran one after another on the host's memory.
 * hpart plans the whole list before it runs. If it must evict a block, it takes the one whose next use is farthest (Belady 1966). It
 * does not move a block that is used again before then.
 *
 * examples/own_kernel.c multiplies matrices with an OpenCL kernel of its own. */

/* device: one device, which must stay open until the pipeline is destroyed. */
HPART_API hpart_status hpart_pipeline_create(hpart_device *device, hpart_pipeline **pipeline);
HPART_API void hpart_pipeline_destroy(hpart_pipeline *pipeline);

/* Adds a host array with blocks of at most block_bytes. slots: its buffers on the device; 0: as many as the fullest step needs, and more
 * if memory suffices. *array: the array's number, from 0. A run returns HPART_ERR_INVALID_ARGUMENT if a step uses more blocks of it than
 * slots. */
HPART_API hpart_status hpart_pipeline_add_array(hpart_pipeline *pipeline, int64_t block_bytes, int64_t slots, int64_t *array);

/* Adds the step's next block: `rows` rows of row_bytes, pitch_bytes apart on the host, contiguous on the device. read: the kernel only
 * reads it; write: it writes all of it and reads nothing; update: it reads and writes. hpart_pipeline_end_step ends the step; steps run
 * in that order, and none after a kernel that failed. A step has at least one block. It may read a block more than once.
 * The memory must stay valid until the pipeline has run. Blocks are the same if address, rows, row_bytes and pitch_bytes are.
 * HPART_ERR_INVALID_ARGUMENT, from hpart_pipeline_end_step: blocks of the step overlap and are not all read. The step remains
 * unended; destroy the pipeline. */
HPART_API hpart_status hpart_pipeline_read(hpart_pipeline *pipeline, int64_t array, const void *memory, int64_t rows,
                                           int64_t row_bytes, int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_write(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows, int64_t row_bytes,
                                            int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_update(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows, int64_t row_bytes,
                                             int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_end_step(hpart_pipeline *pipeline);

/* Describe a step to its kernel; valid during the kernel's call.
 * hpart_step_memory: memory of the step's k-th block, in the order of adding: a cl_mem (OpenCL), CUdeviceptr (CUDA), or address (host).
 * hpart_step_queue: the cl_command_queue or CUstream to which the kernel adds its commands, without waiting for them. NULL on the
 * host: there the kernel does the work itself, on a thread of hpart's. */
HPART_API int64_t hpart_step_index(const hpart_step *step);
HPART_API void *hpart_step_queue(const hpart_step *step);
HPART_API void *hpart_step_memory(const hpart_step *step, int64_t k);

/* A non-zero return value stops the pipeline with HPART_ERR_CALLBACK. */
typedef int (*hpart_pipeline_kernel)(const hpart_step *step, void *user);

/* Runs the list; it may run again. Options: queues, staging, trace_file, the progress callback. Report: as for the operations above;
 * lower_bound_bytes counts one transfer in for each block that is read first, and one out for each written block.
 * HPART_ERR_OUT_OF_MEMORY: the buffers do not fit in the device's memory. HPART_ERR_DEVICE: a command failed. HPART_ERR_CALLBACK.
 * HPART_ERR_CANCELLED, within two steps. After an error the blocks that steps write are undefined on the host. */
HPART_API hpart_status hpart_pipeline_run(hpart_pipeline *pipeline, hpart_pipeline_kernel kernel, void *user,
                                          const hpart_options *options, hpart_report **report);

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

#ifdef __cplusplus
}
#endif

#endif
