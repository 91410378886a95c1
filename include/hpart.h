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
 *                    bytes on each device, whose operations take no other value; partition, front, schedule (1Gi): bytes of the search, then HPART_ERR_LIMIT
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
 *                    divisor of every size; in profile of the sizes that option max_sizes adds
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
 *                    communication cost; chain-any: objective time; front: none|host|chain|summa; schedule: none|host (none|host|chain|chain-any|summa)
 *   unit_bytes       double  0              partition, front, schedule, evaluate
 *                    bytes that a unit of size moves over the host link, with communication
 *   matrix_order     int     0              partition, front, evaluate
 *                    rows of the square matrices with communication=summa; 0: the size
 *   matrix_block     int     256            partition, front, evaluate
 *                    rows of a block with communication=summa
 *   statistic        string  mean           measure, profile, compare, optimize
 *                    statistic of the samples that is a point's time; compare: mean|median; optimize (median) (mean|median|minimum)
 *   contaminated     string  repeated       measure, profile, optimize
 *                    disturbed repetitions: repeated (at most a third), or kept (repeated|kept)
 *   confidence       double  0.95           measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    confidence level of the interval of the mean
 *   precision        double  0.025          measure, profile, compare, optimize, run_schedule, self_schedule
 *                    relative half-width at which to stop; optimize (0.05): excess over the least value
 *   ttest            string  two-sided      measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    interval: widened for repeated looks, plain, or the papers' one-sided quantile (two-sided|plain|one-sided)
 *   min_repetitions  int     10             measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    repetitions before the first look at the interval; optimize: repetitions of each in the comparison before the first look
 *   max_repetitions  int     100000         measure, profile, additivity, compare, optimize, run_schedule, self_schedule
 *                    largest number of repetitions of a size; compare: largest number of repetitions of each distribution
 *   repetitions      string  ""             measure, profile
 *                    their limits by size, "1-1000:50-500,1001-:3-10"; min_, max_repetitions elsewhere
 *   max_seconds      double  120            measure, profile, additivity, compare, run_schedule, self_schedule
 *                    time limit of a size in seconds; compare: time limit of the call in seconds
 *   max_total_seconds double  300            profile, optimize
 *                    time limit of all sizes in seconds; each gets a share
 *   warmup           int     1              measure, profile, execute, additivity, compare, optimize, run_schedule, self_schedule
 *                    runs before the first that counts; compare: runs of each before the first that counts
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
 *                    columns of a panel that is factored at once; 0: the plan's choice
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

/* The other functions, in the order of the manual. */
/* clang-format off */
#include "hpart/partition.h"
#include "hpart/team.h"
#include "hpart/meter.h"
#include "hpart/operations.h"
#include "hpart/adaptive.h"
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
