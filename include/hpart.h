/* hpart: optimal distribution of a workload over the unlike processors of a node or cluster.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A platform is p abstract processors (groups of cores, GPUs, other accelerators). Each has a measured, discrete function of
 * execution time, and optionally of dynamic energy, against problem size, of any shape and with any gaps. hpart finds the
 * distribution x of a workload of `size` over them (sum of x = size, x[i] = 0 leaves processor i idle) that takes least time,
 * burns least energy, or all distributions of the Pareto front; it measures such functions and executes distributions.
 *
 * CONVENTIONS, once for every call below
 *   Units      sizes and counts are int64_t, in the user's own unit of work (rows, blocks, ...); times are seconds, energies
 *              joules, powers watts, memory bytes. Indices are 0-based.
 *   Status     every call that can fail returns hpart_status: 0 is success, errors are negative and permanent. hpart_strerror
 *              names a status; hpart_last_error says in one sentence what was wrong in this thread's last failure, and what
 *              would be right. Every call may return HPART_ERR_INVALID_ARGUMENT (a NULL that is not allowed, a negative
 *              count, a value that is not finite), HPART_ERR_OUT_OF_MEMORY and HPART_ERR_INTERNAL (a defect of hpart); the
 *              comment of a call names the others.
 *   Outputs    are written only on success, except after HPART_ERR_LIMIT as told at hpart_partition. NULL is allowed where
 *              the comment says so. A setter that fails changes nothing.
 *   Ownership  arrays belong to the caller, handles to the library. Inputs are copied. ..._destroy(NULL) has no effect.
 *   Lengths    results of variable length take a capacity (in elements; for text in bytes with the final zero) and tell the
 *              length `needed`. When capacity is smaller than needed nothing is copied, `needed` is written, and the status
 *              is HPART_ERR_INVALID_ARGUMENT; capacity 0 with a NULL buffer asks for the length and succeeds.
 *   Getters    that return a plain value give -1, NaN or NULL for a NULL handle or an index out of range.
 *   Threads    different handles may be used in parallel; one handle may be used in parallel through const calls.
 *   Callbacks  return 0 to go on; anything else stops the call with HPART_ERR_CALLBACK (progress: HPART_ERR_CANCELLED). What
 *              a C++ callback throws stops it too: hpart_last_error has the text of its what().
 *   Floating   every call computes in the default floating-point environment and leaves the caller's (traps, rounding, flags)
 *   point      as it found it. A callback runs in the environment of the call that was given it, on whatever thread.
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
    HPART_SUCCESS = 0,
    HPART_ERR_INVALID_ARGUMENT = -1, /* an argument is wrong; hpart_last_error names it */
    HPART_ERR_OUT_OF_MEMORY = -2,
    HPART_ERR_INFEASIBLE = -3,  /* no distribution of this size exists under the constraints given */
    HPART_ERR_UNSUPPORTED = -4, /* this build, machine or method cannot do it */
    HPART_ERR_IO = -5,          /* a file could not be opened, read or written */
    HPART_ERR_FORMAT = -6,      /* a file's content is wrong; hpart_last_error has file, line, column and text */
    HPART_ERR_DEVICE = -7,      /* a device or its driver failed */
    HPART_ERR_PERMISSION = -8,  /* the system refused; hpart_last_error has the remedy */
    HPART_ERR_CALLBACK = -9,    /* a callback returned non-zero or threw */
    HPART_ERR_CANCELLED = -10,  /* the progress callback asked to stop */
    HPART_ERR_LIMIT = -11,      /* the time or memory limit was reached first */
    HPART_ERR_NUMERICAL = -12,  /* sums that would overflow, a singular matrix, or a result that fails its check */
    HPART_ERR_INTERNAL = -99    /* a defect of hpart: please report it with hpart_last_error */
};

/* A static English text for a status, also for values that are none. Never NULL. */
HPART_API const char *hpart_strerror(hpart_status status);

/* This thread's last failure as one sentence; "" when none has happened. A success leaves it as it was. The pointer is the same
 * for the life of the thread; the thread's next failing call writes over the text, which has at most 4095 bytes and a final
 * zero: a longer one is cut between two UTF-8 characters. */
HPART_API const char *hpart_last_error(void);

/* The same text copied into buffer (capacity bytes, final zero included). Where it does not fit, the text stays for another call. */
HPART_API hpart_status hpart_last_error_copy(char *buffer, int64_t capacity, int64_t *needed);

/* The version of the library that is linked (the macros above are the header's). Each pointer may be NULL. */
HPART_API void hpart_version(int32_t *major, int32_t *minor, int32_t *patch);

/* ---- handles and callbacks ------------------------------ */

typedef struct hpart_options hpart_options;
typedef struct hpart_report hpart_report;
typedef struct hpart_platform hpart_platform;
typedef struct hpart_family hpart_family;
typedef struct hpart_front hpart_front;
typedef struct hpart_schedule hpart_schedule;
typedef struct hpart_team hpart_team;
typedef struct hpart_device hpart_device;
typedef struct hpart_pipeline hpart_pipeline;
typedef struct hpart_step hpart_step;
typedef struct hpart_meter hpart_meter;
typedef struct hpart_adaptive hpart_adaptive;

/* Frees a callback's user pointer when the library no longer needs it. */
typedef void (*hpart_free)(void *user);

/* Called now and then during long calls, from the calling thread: fraction done 0..1, or -1 when unknown, and what is being
 * done. Non-zero stops the call with HPART_ERR_CANCELLED. */
typedef int (*hpart_progress)(double fraction, const char *what, void *user);

/* ---- options and reports ------------------------------ */

/* Options are string-keyed; a NULL hpart_options means all defaults. The keys, their types, defaults and the calls that they
 * belong to:
 *
 * --- option keys: name, type, default, calls; meaning ---
 *   method           string  exact          partition, front, schedule
 *                    the algorithm; each call names its own
 *   threads          int     none           partition, device, fft
 *                    method paraleph (1 when it is not set) and the host's part of a transform (all cores); 0: all cores
 *   time_limit       double  none           partition, front, schedule
 *                    seconds; then HPART_ERR_LIMIT
 *   memory_limit     int     none           partition, front, schedule, add_builtin, device, gemm, fft, factor, gemv
 *                    searches: bytes of working memory, 1 GiB when it is not set; then HPART_ERR_LIMIT. Devices: bytes on each card, the card's own memory when it is not set
 *   ties             string  deterministic  partition, schedule
 *                    among equal optima: the same on every machine, or one with fewest active processors (deterministic|fewest)
 *   objective_bound  string  estimate       partition, front, schedule
 *                    values solved over: the functions' own, or the upper or lower ends of their intervals (estimate|high|low)
 *   compare          string  none           partition, schedule
 *                    exact: the report also gives the optimum and how far the method's value is above it (none|exact)
 *   degree           int     2              partition
 *                    method smooth-fpm: degree of the polynomials fitted to the speeds
 *   speed_size       int     none           partition
 *                    method cpm: the size whose speeds it takes; n / p when it is not set
 *   packages         string  all            schedule
 *                    package sizes used: all of a function, or those up to the one of the highest speed (all|rising)
 *   backtrack_limit  int     100            schedule
 *                    method wdah: branches of the search to return from; 0: no limit
 *   deadline         double  none           partition, front
 *                    seconds: least energy, or the front, among distributions that take no longer
 *   slowdown         double  none           partition, front
 *                    the deadline as a multiple of the least time
 *   energy_budget    double  none           partition, front
 *                    joules: least time, or the front, among distributions that need no more
 *   max_active       int     none           partition, front
 *                    processors at work, at most
 *   block            int     1              partition, front, profile
 *                    every size is a multiple of it; profile: those that adaptive adds
 *   idle             string  allowed        partition, front
 *                    whether processors may be left without work (allowed|forbidden)
 *   interpolate      string  none           partition, front, slice
 *                    use sizes between the measured ones too, with values on lines or on Akima's curve; between slices on lines only (none|linear|akima)
 *   max_moved        int     none           partition, front
 *                    work above the previous distribution's, which must be given, at most
 *   points           int     none           front
 *                    of the front, at most: well spread, with both ends
 *   eps              double  none           front
 *                    keep points such that each of the front is within a factor 1 + eps of one, in time and in energy
 *   communication    string  none           partition
 *                    partition by time: what is added to the times, over the platform's links (none|host|chain|chain-any|summa)
 *   unit_bytes       double  0              partition
 *                    with communication: bytes that a unit of size moves over its processor's host link
 *   matrix_order     int     0              partition
 *                    communication=summa: rows of the square matrices; 0: as many as the size
 *   matrix_block     int     256            partition
 *                    communication=summa: rows of a block
 *   statistic        string  mean           measure, profile
 *                    what a point's time is; see docs/measurement.md for the intervals (mean|median|minimum)
 *   contaminated     string  repeated       measure, profile, optimize
 *                    repetitions that the system disturbed: measured again, a third at most, or kept (repeated|kept)
 *   confidence       double  0.95           measure, profile, additivity, compare, optimize
 *                    of the interval of the mean
 *   precision        double  0.025          measure, profile, compare, optimize
 *                    half-width of the interval over the mean, or the ratio, at which to stop; optimize: above the least time, 0.05 when it is not set
 *   ttest            string  two-sided      measure, profile, additivity, compare, optimize
 *                    interval: widened for repeated looks, plain two-sided, or the papers' one-sided quantile (two-sided|plain|one-sided)
 *   min_repetitions  int     10             measure, profile, additivity, compare, optimize
 *                    repetitions before the first look
 *   max_repetitions  int     100000         measure, profile, additivity, compare, optimize
 *                    repetitions at most: of a size; compare: of each distribution
 *   max_seconds      double  120            measure, profile, additivity, compare
 *                    seconds at most: for a size; compare: in all
 *   max_total_seconds double  300            profile, optimize
 *                    seconds for all sizes: each gets a share, and fewer repetitions
 *   warmup           int     1              measure, profile, execute, additivity, compare, optimize
 *                    runs before the first that counts; compare: before each
 *   simultaneous     int     1              profile
 *                    1: all processors at once; 0: one after another
 *   overlap          string  refused        measure, profile, execute, additivity, compare, optimize
 *                    whether processors that run at once may share cores (refused|allowed)
 *   order            string  random         profile
 *                    in which sizes are measured (random|given)
 *   file             string  ""             profile, optimize
 *                    platform file that grows point by point; an interrupted run goes on
 *   samples          string  ""             measure, profile
 *                    CSV file of all samples: written anew, or gone on with where `file` is
 *   adaptive         int     0              profile
 *                    sizes in all, at most: beside the given ones, those between them where functions bend by more than precision
 *   resume_tolerance double  0.25           profile, optimize
 *                    kernels without a name: how far a time of `file` may be off when measured again
 *   jaggedness       double  none           optimize
 *                    how many times as fast as its measured neighbours a size may be; learned when it is not set
 *   sizes            string  auto           optimize
 *                    all: every size is measured, and none assumed (auto|all)
 *   confirm          int     1              optimize
 *                    1: the distribution is run against the usual ones, and the fastest is the answer
 *   check            int     0              execute
 *                    1: compare the result with a reference
 *   dims             string  ""             add_builtin
 *                    fixed dimensions of a built-in kernel, "n=512,k=512"
 *   time_from        string  wall           add_program
 *                    a program's time: its wall time, or the last number that it prints, in seconds (wall|stdout)
 *   time_pattern     string  ""             add_program
 *                    regular expression (ECMAScript) whose first group is the time that a program prints
 *   protocol         string  none           add_program
 *                    lines: the program stays alive, reads a size a line and answers a line of seconds (none|lines)
 *   timeout          double  none           add_program
 *                    seconds that a run of a program may take
 *   cores            string  ""             add_program
 *                    cores that a program may use, "0-3,8"; all when it is not set
 *   profile_file     string  ""             add_builtin, device, gemm, fft, factor, gemv
 *                    where what is measured of a device (rates, links, best kernels) is kept for later processes
 *   plan             string  model          device, gemm, factor, gemv
 *                    tiles of a product: those of least time by the model of the device, or the partitioner of HCLOOC (model|hclooc)
 *   tile             string  ""             device, gemm, factor, gemv
 *                    tiles as asked for, whatever plan says; empty: the plan's (MBxNBxKB)
 *   queues           int     3              device, gemm, fft, factor, pipeline, gemv
 *                    3: transfers in, kernels and transfers out side by side; 1: one after another (1|3)
 *   staging          string  auto           device, gemm, fft, factor, pipeline, gemv
 *                    whether transfers of memory that is not pinned go through pinned buffers (auto|never|always)
 *   zero_copy        string  auto           device, gemm, fft, factor, gemv
 *                    use the host's memory in place where the device shares it; auto: unless a memory limit is set (auto|never|always)
 *   width            int     0              device, factor
 *                    columns of a matrix that the host factors at once; 0: as many as the plan finds best
 *   in_card_rate     int     0              device, gemm, factor, gemv
 *                    1: the report also has in_card_gflops, the rate of the same kernels without transfers: they run once more
 *   place            string  auto           device, fft, gemv
 *                    where a matrix-vector product or a transform is computed; auto: a product on the host, where the matrix is, if it has a BLAS, a transform on the device if it can; device: an error if that cannot (auto|host|device)
 *   fft_plan         string  model          device, fft
 *                    how a transform is cut: the fastest way by the model of the device, or one by name (model|host|in-card|slabs|hybrid)
 *   kernel           string  auto           device, gemm, fft, factor, gemv
 *                    the kernel on the card, by name; auto: the one that measures fastest
 *   interval         double  none           meter
 *                    seconds between new values of the meter, when it does not tell or tells wrongly
 *   base_power       double  none           measure, profile, meter, additivity, optimize
 *                    watts of the idle machine, for dynamic energy; hpart_meter_base_power measures it, and so do measure, profile and additivity when it is not known
 *   base_seconds     double  none           measure, profile, additivity, optimize
 *                    for how long they measure the base power; 2 s, or 20 of the meter's intervals, when it is not set
 *   energy_precision double  0.1            measure, profile, additivity
 *                    half-width of the interval of the dynamic energy over its mean at which to stop
 *   energy           string  alone          profile
 *                    with meters: energy of each processor while the others are idle, or, where each has its own meter, of all at once (alone|simultaneous)
 *   additivity_bound double  10             additivity
 *                    per cent of mean difference above which the report warns
 *   tolerance        double  0.05           adaptive
 *                    a distribution is good enough when it takes at most so much longer than the best, as a ratio
 *   change           double  0.25           adaptive
 *                    a processor has another speed when it is twice in a row off by more than this ratio, and by more than noise
 *   move_cost        double  0              adaptive
 *                    seconds that a unit of size costs when it changes its processor
 *   horizon          int     100            adaptive
 *                    iterations in which a move must pay for what it costs
 * --- end of option keys ---
 *
 * An unknown key, or a value of the wrong type or range, fails when it is set: HPART_ERR_INVALID_ARGUMENT, the message lists
 * what is valid. A key that does not belong to a call, and a method or kernel that it does not know, fail at that call. */
HPART_API hpart_status hpart_options_create(hpart_options **options);
HPART_API void hpart_options_destroy(hpart_options *options);

/* Sets a key from text; numbers are parsed, so that any key can be set this way. */
HPART_API hpart_status hpart_options_set_string(hpart_options *options, const char *key, const char *value);
/* Sets a key of type int or double. */
HPART_API hpart_status hpart_options_set_int(hpart_options *options, const char *key, int64_t value);
/* Sets a key of type double. */
HPART_API hpart_status hpart_options_set_double(hpart_options *options, const char *key, double value);
/* Sets the progress callback of the calls that take these options (NULL: none). The options own `user` from then on:
 * free_user, if not NULL, is called once, when the callback is replaced or the options are destroyed. When the call fails the
 * caller still owns `user`. */
HPART_API hpart_status hpart_options_set_progress(hpart_options *options, hpart_progress progress, void *user,
                                                  hpart_free free_user);

/* Gives the calls partition and front a previous distribution (to hpart_adaptive_create: the one to begin with): size x[i] >= 0 of each of the processors (the platform's, checked at
 * the call), of the same total or another; it is copied, and 0 processors (x may be NULL) forget it. What a distribution moves is the
 * sum of max(0, its size - x[i]). Among equal optima (with energy_budget: of the least time, before their energy), and for each point of a front, the one that moves least is then given; with the
 * option max_moved none may move more than that. Report key of partition: moved. Method exact alone keeps it, for sizes up to
 * 2^53. HPART_ERR_INVALID_ARGUMENT: a negative size or number of processors. */
HPART_API hpart_status hpart_options_set_previous(hpart_options *options, int64_t processors, const int64_t *x);

/* A report is what a call has to say besides its result: keys with an integer, a real, a text or an array of reals. */
HPART_API void hpart_report_destroy(hpart_report *report);
/* Number of keys. */
HPART_API int64_t hpart_report_count(const hpart_report *report);
/* Name of key k, 0 <= k < count, owned by the report; NULL out of range. */
HPART_API const char *hpart_report_key(const hpart_report *report, int64_t k);
/* What a key's value is; -1 for a NULL or when there is no such key. */
enum { HPART_REPORT_INT = 0, HPART_REPORT_DOUBLE = 1, HPART_REPORT_STRING = 2, HPART_REPORT_DOUBLES = 3 };
HPART_API int32_t hpart_report_type(const hpart_report *report, const char *key);
/* The value as text; numbers are formatted so that they read back the same, arrays with blanks between. */
HPART_API hpart_status hpart_report_get_string(const hpart_report *report, const char *key, char *buffer, int64_t capacity,
                                               int64_t *needed);
HPART_API hpart_status hpart_report_get_int(const hpart_report *report, const char *key, int64_t *value);
/* A real, or an integer as a real. */
HPART_API hpart_status hpart_report_get_double(const hpart_report *report, const char *key, double *value);
/* An array of reals (a single number is an array of one). capacity in elements. */
HPART_API hpart_status hpart_report_get_doubles(const hpart_report *report, const char *key, double *values, int64_t capacity,
                                                int64_t *needed);

/* What this library was built with and found on this machine: keys version, compiler, and library.NAME (openblas, fftw,
 * opencl, clblast, vkfft, cuda, cublas, cufft, hwloc, gsl, boost_math) with version, kernel type, place or the reason why one is
 * missing. HPART_CUDA_PATH in the environment lists folders, parted by colons, where CUDA's libraries are looked for first. */
HPART_API hpart_status hpart_info(hpart_report **report);

/* ---- platform: p abstract processors with discrete functions of problem size ------------------------------ */

/* Number of operations of a problem of the given size; called during the setter only. */
typedef int (*hpart_complexity)(int64_t size, double *operations, void *user);

/* processors >= 1. Processors are named "0", "1", ... until they get a name, and have empty functions. */
HPART_API hpart_status hpart_platform_create(int64_t processors, hpart_platform **platform);
HPART_API void hpart_platform_destroy(hpart_platform *platform);
HPART_API int64_t hpart_platform_processors(const hpart_platform *platform);

/* Names are unique in a platform, not empty, valid in a CSV field: no comma, quote, control character, no blank at an end. */
HPART_API hpart_status hpart_platform_set_name(hpart_platform *platform, int64_t processor, const char *name);
HPART_API hpart_status hpart_platform_get_name(const hpart_platform *platform, int64_t processor, char *buffer, int64_t capacity,
                                               int64_t *needed);

/* Replaces a processor's function. sizes: `points` positive, distinct values in any order; values: finite and >= 0. points may be
 * 0: a processor that can do nothing. Energy is the dynamic energy of the whole node while this processor runs that size.
 * Objectives with energy, and fronts, use the sizes that have both values. Time O(points log points). */
HPART_API hpart_status hpart_platform_set_time_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                        const int64_t *sizes, const double *seconds);
HPART_API hpart_status hpart_platform_set_energy_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                          const int64_t *sizes, const double *joules);
/* The time function t(x) = C(x) / s(x) from speeds s > 0, in operations per second; complexity NULL: C(x) = x. */
HPART_API hpart_status hpart_platform_set_speed_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                         const int64_t *sizes, const double *speeds, hpart_complexity complexity,
                                                         void *user);
/* A processor's points in increasing size. Each array may be NULL; a value that a size does not have is NaN. */
HPART_API hpart_status hpart_platform_get_function(const hpart_platform *platform, int64_t processor, int64_t *sizes,
                                                   double *seconds, double *joules, int64_t capacity, int64_t *needed);

/* Sets the confidence intervals of points of the time or energy function: 0 <= low <= value <= high, in seconds or joules.
 * sizes: distinct sizes, in any order, that have a value; other points keep their intervals. repetitions: samples behind each point,
 * >= 0 (0: unknown); a point has one number for both functions. NULL leaves the numbers as they are.
 * A new time function drops all intervals of the processor, a new energy function those of energy. Time O(all points of the
 * processor + points log points). */
HPART_API hpart_status hpart_platform_set_time_interval(hpart_platform *platform, int64_t processor, int64_t points,
                                                        const int64_t *sizes, const double *low, const double *high,
                                                        const int64_t *repetitions);
HPART_API hpart_status hpart_platform_set_energy_interval(hpart_platform *platform, int64_t processor, int64_t points,
                                                          const int64_t *sizes, const double *low, const double *high,
                                                          const int64_t *repetitions);
/* The intervals of a processor's points, in the order of hpart_platform_get_function. Each array may be NULL. An unknown end is NaN, an
 * unknown number of repetitions 0. */
HPART_API hpart_status hpart_platform_get_intervals(const hpart_platform *platform, int64_t processor, double *time_low,
                                                    double *time_high, double *energy_low, double *energy_high,
                                                    int64_t *repetitions, int64_t capacity, int64_t *needed);

/* The processor is idle or gets a size in smallest..largest; 1 <= smallest <= largest. Until set: any size of its function. */
HPART_API hpart_status hpart_platform_set_limits(hpart_platform *platform, int64_t processor, int64_t smallest, int64_t largest);
HPART_API hpart_status hpart_platform_get_limits(const hpart_platform *platform, int64_t processor, int64_t *smallest,
                                                 int64_t *largest);

/* Static power of the whole node, finite and >= 0. Total energy is base power x execution time + dynamic energy; it cannot be
 * asked for until the base power is set (0 is allowed). The getter gives NaN until then. */
HPART_API hpart_status hpart_platform_set_base_power(hpart_platform *platform, double watts);
HPART_API hpart_status hpart_platform_get_base_power(const hpart_platform *platform, double *watts);

/* A message of m bytes from one processor to another takes latency + m / bandwidth (Hockney). bandwidth > 0, may be INFINITY.
 * A link that was never set costs nothing: latency 0, bandwidth INFINITY. */
HPART_API hpart_status hpart_platform_set_link(hpart_platform *platform, int64_t from, int64_t to, double latency_seconds,
                                               double bytes_per_second);
HPART_API hpart_status hpart_platform_get_link(const hpart_platform *platform, int64_t from, int64_t to, double *latency_seconds,
                                               double *bytes_per_second);
/* An accelerator's link to its host. */
HPART_API hpart_status hpart_platform_set_host_link(hpart_platform *platform, int64_t processor, double latency_seconds,
                                                    double bytes_per_second);
HPART_API hpart_status hpart_platform_get_host_link(const hpart_platform *platform, int64_t processor, double *latency_seconds,
                                                    double *bytes_per_second);
/* Bytes exchanged between neighbours, finite and >= 0; 0 until set. */
HPART_API hpart_status hpart_platform_set_border_bytes(hpart_platform *platform, double bytes);
HPART_API hpart_status hpart_platform_get_border_bytes(const hpart_platform *platform, double *bytes);

/* What the functions were measured with, "dgemm n=512 k=512"; "" when unknown. One line. */
HPART_API hpart_status hpart_platform_set_kernel(hpart_platform *platform, const char *kernel);
HPART_API hpart_status hpart_platform_get_kernel(const hpart_platform *platform, char *buffer, int64_t capacity, int64_t *needed);

/* A cluster of `copies` >= 1 nodes like this one: processors of copy c follow those of copy c - 1 and are named "c/name" when
 * copies > 1; base power x copies; links within each copy. */
HPART_API hpart_status hpart_platform_replicate(const hpart_platform *node, int64_t copies, hpart_platform **cluster);

/* Platform files are CSV (docs/platform-files.md). HPART_ERR_IO when the file cannot be opened, HPART_ERR_FORMAT with
 * file:line:column and the offending text when its content is wrong. Writing is atomic: the old file or the new one. */
HPART_API hpart_status hpart_platform_read(const char *path, hpart_platform **platform);
HPART_API hpart_status hpart_platform_write(const hpart_platform *platform, const char *path);

/* Time (the largest t_i(x_i), without communication) and dynamic energy (the sum of e_i(x_i) from processor 0 on) of
 * x[processors]. Each output may be NULL. HPART_ERR_INVALID_ARGUMENT when an x[i] != 0 is not a size of function i, or has no value that is asked for. */
HPART_API hpart_status hpart_platform_evaluate(const hpart_platform *platform, const int64_t *x, double *seconds, double *joules);

/* What a processor's functions look like: do the conditions hold under which balanced loads are optimal, how jagged are they?
 * complexity is C(x), positive, for the speed s(x) = C(x) / t(x); NULL: C(x) = x. It is called during this call only;
 * HPART_ERR_CALLBACK. The caller destroys the report. Time O(points). Report keys, docs/shapes.md:
 *   points, smallest, largest     sizes that have a time
 *   fpm                           1: the conditions of the functional performance model hold (Lastovetsky and Reddy): the speed
 *                                 never rises (fpm_falling), or it rises, concave, up to size fpm_peak and falls from there
 *                                 (fpm_rising_concave), and a line through the origin cuts it once (fpm_one_cut)
 *   time_convex, energy_convex    1: the slopes between neighbouring sizes never fall, beyond rounding
 *   For each F of time, speed and, where energy_points > 0, energy:
 *   F_falls                       neighbouring sizes of which the larger has the smaller value
 *   F_largest_fall                in per cent of the larger value; F_largest_fall_size: the size after it
 *   F_minima, F_maxima            local ones between the ends; a level stretch is one
 *   F_variation                   largest |f1 - f2| / min(f1, f2) x 100 of a minimum and the maximum next to it (Lastovetsky and
 *                                 Reddy Manumachu 2018), INFINITY at 0; F_variation_size: the second one's size;
 *                                 F_mean_variation: the mean of all
 * Sizes are 0 where there is none. A point of time 0 has no speed and is left out there. */
HPART_API hpart_status hpart_platform_report_shape(const hpart_platform *platform, int64_t processor, hpart_complexity complexity,
                                                   void *user, hpart_report **report);

/* ---- families: functions of two parameters t(x; n), a platform, or slice, for each n measured ------------------------------ */

HPART_API hpart_status hpart_family_create(hpart_family **family);
HPART_API void hpart_family_destroy(hpart_family *family);
/* Adds a copy of the platform as the slice of that parameter, positive and new to the family. All slices have the same
 * processors, by name and order; the rest is each slice's own. */
HPART_API hpart_status hpart_family_add(hpart_family *family, int64_t parameter, const hpart_platform *platform);
/* Number of slices. */
HPART_API int64_t hpart_family_count(const hpart_family *family);
/* The parameters in increasing order. */
HPART_API hpart_status hpart_family_get_parameters(const hpart_family *family, int64_t *parameters, int64_t capacity,
                                                   int64_t *needed);
/* A new platform, the caller's: the slice of that parameter. Where it was not measured the call fails and names the nearest ones;
 * with the option interpolate=linear the sizes that both neighbours have get times and energies between theirs, linear in the
 * parameter, and the rest is the lower neighbour's. Source: the fine-grained model of Al-Hashimi and Basuhail (2021). */
HPART_API hpart_status hpart_family_slice(const hpart_family *family, int64_t parameter, const hpart_options *options,
                                          hpart_platform **platform);
/* Family files are platform files with one column more, `parameter` (docs/families.md); statuses as for platform files. */
HPART_API hpart_status hpart_family_read(const char *path, hpart_family **family);
HPART_API hpart_status hpart_family_write(const hpart_family *family, const char *path);

/* ---- one best distribution ------------------------------ */

enum {
    HPART_OBJECTIVE_TIME = 0,        /* least max t_i(x_i)                        HPOPT  */
    HPART_OBJECTIVE_ENERGY = 1,      /* least sum e_i(x_i): dynamic energy         HEOPT  */
    HPART_OBJECTIVE_TOTAL_ENERGY = 2 /* least base power x time + dynamic energy   HTPOPT */
};

/* x[processors] gets the distribution of size, 0 to 2^63 - 2, that minimises the objective; seconds and joules (each may be NULL) its time
 * and its energy (total energy for HPART_OBJECTIVE_TOTAL_ENERGY, else dynamic; NaN where a processor used has no energy value);
 * report may be NULL. Option `method`: exact (default), the baselines equal, cpm, fpm, smooth-fpm, balanced, or a paper's (docs/methods.md).
 *
 * Report keys: method, optimal (1 when proved), feasible, lower_bound and gap (of the objective), active (processors used),
 * solve_seconds, and counts of the work done; with the option compare=exact also exact_value, the optimum of the objective, and
 * excess, value / exact_value - 1 (both absent when a limit is met before the optimum is known);
 * with the option communication (objective time; docs/communication.md) compute_seconds, the largest t_i(x_i), and
 * communication_seconds, what seconds has beyond it, and with chain-any order, the active processors in their chain;
 * time_low and time_high, energy_low and energy_high (of joules): the confidence interval of the prediction, if every point used has
 * one: the largest of the times' ends, the sum of the energies' ends.
 *
 * Option objective_bound: estimate (default) solves over the values of the functions; high over the upper ends of their intervals
 * (the least upper bound, robust); low over the lower ends (optimistic). seconds and joules are then of these ends. A point without an
 * interval keeps its value. docs/intervals.md
 *
 * Options that bound the distribution, together where they make sense: deadline or slowdown (objectives with energy: the least of the
 * distributions that take no longer), energy_budget (objective time: the least time of those whose dynamic energy is within it; of
 * these the least energy), max_active, block, idle, interpolate, previous and max_moved. Report keys deadline and moved. With a method
 * other than exact, HPART_ERR_UNSUPPORTED: energy_budget, max_active, idle=forbidden and previous.
 *
 * HPART_ERR_INVALID_ARGUMENT  also: the platform has no time functions, or no energy functions where the objective needs energies.
 * HPART_ERR_INFEASIBLE  no distribution of this size exists; the message names the nearest feasible sizes, or the least deadline,
 *                       budget, number of processors or move that would do.
 * HPART_ERR_LIMIT       time_limit or memory_limit was reached. When a feasible distribution is known then x, seconds, joules
 *                       and report (feasible = 1, lower_bound, gap) are written, else nothing but report (feasible = 0).
 * HPART_ERR_NUMERICAL   energies whose sum may reach 1e280 joules: they cannot be compared exactly.
 * HPART_ERR_CANCELLED   by the progress callback.
 * Method exact is exact for every input: no tolerance; the energy minimised is the sum in processor order, in double. */
HPART_API hpart_status hpart_partition(const hpart_platform *platform, int32_t objective, int64_t size,
                                       const hpart_options *options, int64_t *x, double *seconds, double *joules,
                                       hpart_report **report);
/* The same for one objective: seconds or joules is the objective's value and may be NULL. */
HPART_API hpart_status hpart_partition_time(const hpart_platform *platform, int64_t size, const hpart_options *options, int64_t *x,
                                            double *seconds);
HPART_API hpart_status hpart_partition_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                              int64_t *x, double *joules);
HPART_API hpart_status hpart_partition_total_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                                    int64_t *x, double *joules);

/* shares[processors] gets x[i] / sum x for any distribution: fractions as METIS takes them (tpwgts), or the areas of
 * hpart_matrix_partition. They are multiples of 2^-53, each at most 2^-53 off, and sum to exactly 1 in any order of addition. The
 * entries of x are >= 0 and sum to something positive. */
HPART_API hpart_status hpart_shares_compute(int64_t processors, const int64_t *x, double *shares);

/* ---- matrices cut into rectangles ------------------------------ */

/* Tiles a matrix of rows x columns elements (or blocks; each up to 2^53) with one rectangle a processor, of areas in proportion to
 * areas[processors] (finite, >= 0, at least one positive; shares or distributions), so that the rectangles' half-perimeters, what a
 * processor receives in a step of a matrix multiplication, sum to little. The rectangles stand in columns of full height; among all
 * such arrangements the one of least sum, for real areas, is found (Beaumont, Boudet, Rastello and Robert 2001). Then widths and heights are
 * rounded with the least squared error; a positive area keeps one element at least, an area of 0 gets the rectangle 0, 0, 0, 0.
 * The four arrays have one entry a processor. report may be NULL; keys columns (of rectangles), half_perimeters (their sum),
 * exact_half_perimeters (before rounding), lower_bound (of any tiling with the exact areas: 2 sum sqrt(area)), ratio
 * (half_perimeters over it), largest_area_error (elements).
 * HPART_ERR_INFEASIBLE: more positive areas than elements. HPART_ERR_LIMIT, at once: so many positive areas that it would take
 * minutes or gigabytes, above some 200000.
 * Time O(processors^2). */
HPART_API hpart_status hpart_matrix_partition(int64_t processors, const double *areas, int64_t rows, int64_t columns,
                                              int64_t *first_rows, int64_t *first_columns, int64_t *heights, int64_t *widths,
                                              hpart_report **report);

/* ---- Pareto fronts ------------------------------ */

enum { HPART_ENERGY_DYNAMIC = 0, HPART_ENERGY_TOTAL = 1 };

/* All Pareto-optimal (time, energy) pairs (HEPOPT; total: HTPOPT), one distribution each, in strictly increasing time and
 * strictly decreasing energy. The options that bound distributions are those of hpart_partition: the front is that of the
 * distributions within deadline and energy_budget (of the front's energy), max_active and so on. eps and points leave points out, in
 * this order; the two ends always stay. Report keys as at hpart_partition; time_low, time_high, energy_low and energy_high have one
 * entry a point, NaN where an end is unknown. HPART_ERR_INFEASIBLE, HPART_ERR_LIMIT (no front is given), HPART_ERR_NUMERICAL as
 * at hpart_partition, HPART_ERR_CANCELLED. */
HPART_API hpart_status hpart_front_compute(const hpart_platform *platform, int64_t size, int32_t energy,
                                           const hpart_options *options, hpart_front **front);
HPART_API int64_t hpart_front_count(const hpart_front *front);
/* Number of entries of a point's x. */
HPART_API int64_t hpart_front_processors(const hpart_front *front);
/* Point k, 0 <= k < count. Each output may be NULL; x has one entry a processor. */
HPART_API hpart_status hpart_front_point(const hpart_front *front, int64_t k, double *seconds, double *joules, int64_t *x);
/* The caller destroys the report. */
HPART_API hpart_status hpart_front_report(const hpart_front *front, hpart_report **report);
HPART_API void hpart_front_destroy(hpart_front *front);

/* ---- several packages a processor ------------------------------ */

/* Each processor runs any number of packages, sizes of its time function, one after another; the packages' sizes sum to size
 * and the largest sum of times over the processors, the makespan, is least. HPART_ERR_INFEASIBLE, HPART_ERR_LIMIT,
 * HPART_ERR_NUMERICAL (package times that may sum to 1e280), HPART_ERR_CANCELLED. Option `method`: exact (default), or the
 * heuristics wdah and wdah-heuristic. Report: as at hpart_partition, and utilisation (of each processor, busy seconds over the
 * makespan). */
HPART_API hpart_status hpart_schedule_compute(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                              hpart_schedule **schedule);
HPART_API double hpart_schedule_makespan(const hpart_schedule *schedule);
/* Number of tasks; a task is a processor, a package size and how many times it runs it. */
HPART_API int64_t hpart_schedule_tasks(const hpart_schedule *schedule);
/* Task k, by processor, then by decreasing size. Each output may be NULL. */
HPART_API hpart_status hpart_schedule_task(const hpart_schedule *schedule, int64_t k, int64_t *processor, int64_t *size,
                                           int64_t *repeats);
HPART_API hpart_status hpart_schedule_report(const hpart_schedule *schedule, hpart_report **report);
HPART_API void hpart_schedule_destroy(hpart_schedule *schedule);

/* ---- teams: abstract processors that run here ------------------------------ */

/* Runs one problem of that size, size >= 1, on the thread that hpart made for the processor. Non-zero stops the call. */
typedef int (*hpart_kernel)(int64_t size, void *user);

HPART_API hpart_status hpart_team_create(hpart_team **team);
/* Adds a processor that runs a kernel of the user's, on a thread bound to the cores ("0-3,8"; NULL: unbound). The team owns
 * user on success: free_user (may be NULL) is called once, by hpart_team_destroy. Names as in hpart_platform_set_name. */
HPART_API hpart_status hpart_team_add(hpart_team *team, const char *name, hpart_kernel kernel, void *user, hpart_free free_user,
                                      const char *cores);
/* Adds a processor that runs a kernel of the library's. kernel: "dgemm" (C = A B; size = rows of A and C; dims n, k), "dgemv"
 * (y = A x; size = rows of A and y; dim n), "zfft" (complex 2D transform of size x n points, forward, out of place; size = rows;
 * dim n). processor: "cpu:0-3" (OpenBLAS or FFTW on these cores), or one device, as hpart_device_open takes it: "opencl:P:D",
 * "opencl:P:D:S", "cuda:N". "cuda:0@23" keeps the host's part of a device, its driver's and transfers' threads, on core 23, which
 * other processors then may not have. On a device the data is on the host, times include the transfers, and problems larger than the device's
 * memory, or than the option memory_limit, go in parts; where not even these fit, a run fails with HPART_ERR_OUT_OF_MEMORY, and the
 * message says what memory would do: a device's function is never the host's. name NULL: the processor's own text, with '+' for its commas. Option
 * `dims`: "n=512,k=512". With PoCL set POCL_AFFINITY=1 in the environment, else a sub-device may run on another processor's core.
 * HPART_ERR_UNSUPPORTED when the build lacks a library or the device double precision, HPART_ERR_DEVICE. */
HPART_API hpart_status hpart_team_add_builtin(hpart_team *team, const char *name, const char *kernel, const char *processor,
                                              const hpart_options *options);
/* Adds a processor that runs a program, or a function of a shared library.
 * command: "./app --gpu {size}". Words are grouped by quotes and backslashes as in a POSIX shell; no shell reads them and nothing
 *   is expanded. The program is looked for in PATH unless its name has a slash. {size} is replaced by the size.
 * command: "lib:PATH:FUNCTION" or "lib:PATH:FUNCTION@CORES", of a library with int FUNCTION(int64_t size, void *user); user is
 *   NULL, and a non-zero return value is a failure. The library stays loaded.
 * Options: `cores`, and for programs time_from, time_pattern, protocol, timeout. protocol=lines: the program is started once; it
 *   reads a size a line from standard input, answers a line with the seconds that it took, and ends at the end of input.
 * The program runs in a process group of its own. Time-outs, cancelled calls and hpart_team_destroy end the group (SIGTERM, after
 *   half a second SIGKILL). Standard input is /dev/null without protocol=lines; standard error is read for its last line.
 * A run fails when the program cannot be started, exits with another status than 0, is ended by a signal, prints no time or takes
 *   longer than `timeout`. hpart_team_measure and hpart_team_execute then return HPART_ERR_CALLBACK and name the processor, the
 *   size, the command, the reason and the last line of standard error. hpart_team_profile leaves the point out.
 * HPART_ERR_INVALID_ARGUMENT: also a library or function that cannot be loaded; then nothing is added. docs/programs.md */
HPART_API hpart_status hpart_team_add_program(hpart_team *team, const char *name, const char *command,
                                              const hpart_options *options);
HPART_API int64_t hpart_team_processors(const hpart_team *team);
/* Names what the processors run, with a version: "heat 1.3". One line; "" takes the name away.
 * hpart_team_profile writes it to the platform file and continues only files of the same name.
 * A team of one built-in kernel needs none: the file has "dgemm n=512 k=512". Nor does one of programs: it has their commands. */
HPART_API hpart_status hpart_team_set_kernel(hpart_team *team, const char *kernel);
/* The kernel that hpart_team_profile writes to the platform file; "" when unknown. */
HPART_API hpart_status hpart_team_get_kernel(const hpart_team *team, char *buffer, int64_t capacity, int64_t *needed);
/* Attaches a meter: to the whole node (processor -1), or to one processor, which it measures alone. A team has one kind or the
 * other, a meter one place in a team. NULL takes it away. The meter is borrowed: it stays open, and has no window open, while
 * the team measures; take it away, or destroy the team, before it is closed. HPART_ERR_INVALID_ARGUMENT, and nothing changes. */
HPART_API hpart_status hpart_team_set_meter(hpart_team *team, int64_t processor, hpart_meter *meter);

/* Runs the distribution x[processors], all processors at once from one barrier, again and again until for every active processor
 * the confidence interval of its mean time is within `precision` of the mean (Student's t; MeanUsingTtest). mean_seconds
 * [processors], 0 where idle: the mean, or the option `statistic`. report may be NULL: keys repetitions, statistic, mean,
 * contaminated (repetitions that the system disturbed), busy (empty, or who disturbed more than a third of them),
 * interval (which), interval_low, interval_high (NaN where there is none), median, median_low, median_high (its interval),
 * minimum, outliers (how many),
 * normality_p, drift (relative), drift_p, serial_correlation (of neighbouring samples), serial_correlation_p (arrays, one entry a
 * processor; NaN where samples are too few), normality_test, samples
 * and outlier_flags (repetition by repetition), stop_reason (precision, max_repetitions, max_seconds), precision_reached:
 * binding_kept (0: a processor's thread, or another of this process, ran on cores that were not its own), binding_warning (which, and
 * what to do). Active processors that share a core are HPART_ERR_INVALID_ARGUMENT unless `overlap` is "allowed":
 * docs/measurement.md. HPART_ERR_CALLBACK names the processor whose kernel failed. HPART_ERR_UNSUPPORTED without GSL and Boost.Math.
 * joules: NULL, or, of teams with meters, the dynamic joules of a repetition, E_D = E_T - base power x time: [1] with a meter of
 * the whole node, [processors], 0 where idle, where each has its own; HPART_ERR_INVALID_ARGUMENT where one has none. The base
 * power is the option base_power (a node's meter only), or what the meter knows, or is measured first, while nothing runs, for
 * base_seconds. After the times the distribution runs again: a window of the meters takes as many repetitions as last 20 of
 * their intervals (one, where a recording has its own time), and windows follow until the interval of their mean is within
 * `energy_precision`; min_repetitions, max_repetitions and max_seconds then count windows. Report keys, numbers for the node's
 * meter, else arrays with an entry a processor: energy_interval_low, energy_interval_high (with the base power's error, which
 * windows do not lessen), energy_error (standard error, likewise), energy_total (E_T of a repetition), base_power,
 * base_power_error; and energy_windows, energy_repetitions (in all windows), energy_samples (window by window),
 * energy_stop_reason, energy_precision_reached, energy_method (counter, integrated, estimated, replayed), energy_meter. joules may
 * be negative where the energy is small against its error. A meter that fails: its status, HPART_ERR_DEVICE, HPART_ERR_PERMISSION
 * or HPART_ERR_CALLBACK. */
HPART_API hpart_status hpart_team_measure(hpart_team *team, const int64_t *x, const hpart_options *options, double *mean_seconds,
                                          double *joules, hpart_report **report);
/* Builds all time functions: measures sizes[points] (positive, distinct, any order), all processors simultaneously with the same
 * size (option simultaneous=0: one by one), sizes in random order. With the option `adaptive` sizes between them are added where
 * the functions bend; with `samples` all runs are in a file. With the option `file` each point is written as soon as it is
 * done and a later call with the same arguments goes on where it stopped (or with further sizes: those of the file stay). A file
 * of other processors, another kernel, memory_limit or `simultaneous` is refused and left as it is. Where neither has a kernel's
 * name (hpart_team_set_kernel), one point of the file is measured again first: a time that differs by more than both intervals
 * and `resume_tolerance` is HPART_ERR_INVALID_ARGUMENT. HPART_ERR_IO, HPART_ERR_FORMAT,
 * HPART_ERR_CALLBACK, HPART_ERR_CANCELLED, HPART_ERR_UNSUPPORTED without GSL and Boost.Math.
 * A point at which a program of hpart_team_add_program fails is left out, and the call goes on: the progress callback gets the
 * reason, the file a comment ("# failed: CPU size 128 ..."), and a later call tries the point again. HPART_ERR_CALLBACK when the
 * platform would have no point at all.
 * A device with memory of its own gets its measured host link, as hpart_platform_set_host_link takes it.
 * The call ends after `max_total_seconds`: each point gets a share of the time left, two repetitions at least. HPART_ERR_LIMIT: they did
 * not suffice for all points; *platform is written and has the others, and a call with the same `file` measures the rest.
 * A team with meters (of the node, or of each processor) gets energy functions in the same call, as hpart_team_measure measures
 * energy: of each processor while the others are idle (option energy=alone: processors x points runs), or of all at once
 * (energy=simultaneous: each must have its own meter). The platform gets the base power (the sum, of processors' meters), all
 * of a file's points the file's. A comment of the file says what its energies are: "# energy = estimated by estimate:12, ...";
 * with other meters it is refused. A mean below 0 that its error explains is kept as 0; else HPART_ERR_NUMERICAL: the base
 * power is too high. */
HPART_API hpart_status hpart_team_profile(hpart_team *team, int64_t points, const int64_t *sizes, const hpart_options *options,
                                          hpart_platform **platform);
/* Runs x[processors] once, all at once from one barrier; seconds[processors] gets each one's time, 0 where idle. Teams of one
 * built-in kernel share one problem of sum x rows; option check=1 compares the result with a reference: report keys checked,
 * max_relative_error, tolerance; HPART_ERR_NUMERICAL when it is wrong, HPART_ERR_UNSUPPORTED for other teams. */
HPART_API hpart_status hpart_team_execute(hpart_team *team, const int64_t *x, const hpart_options *options, double *seconds,
                                          hpart_report **report);
/* Which distribution is the fastest? Runs the rows of x[distributions][processors] in rounds: each once a round, in random order, so
 * that a machine that changes its pace changes it for all. A run's time is that of its slowest processor; its kernels are prepared anew
 * and run `warmup` times before. The rounds end when each distribution's 95 % interval (`confidence`) of the ratio to the first, of mean
 * times, leaves out 1, or is as narrow as `precision`, or at max_repetitions rounds or max_seconds. The intervals hold however
 * often the call looks (option ttest=two-sided, the default).
 * distributions >= 1; each gives some processor work. mean_seconds[distributions]. report may be NULL: keys best (the row of the
 * least mean), interval (which), interval_low and interval_high (of the means), ratios (of the means to the first), ratio_low,
 * ratio_high, distinguishable (1: the interval leaves out 1, so that the distributions differ; 0: they cannot be told apart), median,
 * minimum (arrays, one entry a distribution), samples (round by round), repetitions (rounds), stop_reason (distinguishable: all differ
 * from the first; precision; max_repetitions; max_seconds), binding_kept, binding_warning. Errors as at hpart_team_measure.
 * docs/intervals.md */
HPART_API hpart_status hpart_team_compare(hpart_team *team, int64_t distributions, const int64_t *x, const hpart_options *options,
                                          double *mean_seconds, hpart_report **report);
/* Finds the distribution of `size` of least time, or least dynamic energy, from few measurements, with a certificate: x is within
 * `precision` (0.05) of the least value with `confidence`. sizes[points]: those that processors may get, positive, distinct, in any
 * order. The search measures sizes until the least value by the upper ends of the intervals is within `precision` of the least by the
 * lower ends: times of all processors at once, energies of each processor while the others are idle. A size that was not measured
 * counts as at most `jaggedness` times as fast, or frugal, as its measured neighbours suggest: learned, or as the option says; option
 * sizes=all measures each. Then x runs against the distributions of equal, cpm, fpm and balanced, and for energy that of the least time;
 * one that is better beyond doubt is the answer (option confirm=0: no such runs). objective: HPART_OBJECTIVE_TIME, or
 * HPART_OBJECTIVE_ENERGY of a team with a meter for the node or for each processor; HPART_OBJECTIVE_TOTAL_ENERGY is
 * HPART_ERR_UNSUPPORTED.
 * x[processors]. value: its seconds or joules, the mean of those runs, or else the median; NULL ok. measured: NULL, or gets all that
 * was measured, with intervals. With the option `file` each round is written as soon as it is done, and a later call, of any size, goes
 * on from it; a file of other processors, another kernel or another statistic is refused. report may be NULL: keys certified (1: within
 * precision), lower_bound (no distribution takes less), upper_bound (the certified one takes no more), precision, confidence, jaggedness
 * (what is assumed; 1: nothing), time_low, time_high or energy_low, energy_high (of value), measured_points, repetitions, contaminated,
 * busy (as at hpart_team_measure), measuring_seconds (over the rounds, the longest that a processor measured; of energies, all),
 * stop_reason (certified, max_total_seconds, max_repetitions), baselines (names with commas, first "optimal", the certified one),
 * baseline_distributions [baselines][processors], baseline_seconds or baseline_joules, ratios, ratio_low, ratio_high (to the first;
 * empty without runs), winner. Not certified is no error. HPART_ERR_INFEASIBLE: no sizes sum to `size`. HPART_ERR_LIMIT:
 * max_total_seconds ended before a whole distribution was measured. Others as at hpart_team_profile. Cost: docs/optimum.md. */
HPART_API hpart_status hpart_team_optimize(hpart_team *team, int32_t objective, int64_t size, int64_t points, const int64_t *sizes,
                                           const hpart_options *options, int64_t *x, double *value, hpart_platform **measured,
                                           hpart_report **report);
/* Do energies of processors alone add up? Compares, for each of `distributions` x[distributions][processors], the dynamic energy
 * of all processors together (parallel) with the sum of each alone (combined): 100 |parallel - combined| / combined. With one
 * meter of the whole node, which the team must have, energy functions rest on this. alone: the platform whose functions are
 * added up, or NULL: each processor is measured alone with each of its sizes. least, mean and largest, in per cent, and report
 * may be NULL. Report keys: parallel, combined, parallel_error, combined_error (standard errors, joules; 0 for a platform's
 * functions), differences (with their signs), difference_errors (standard errors), least_difference, mean_difference,
 * largest_difference, additivity_bound, additive (1: the mean is within it), warning (a sentence when it is not, else empty),
 * energy_method, energy_meter. HPART_ERR_NUMERICAL when a combined energy is not above 0; other statuses as hpart_team_measure.
 * Source: Khaleghzadeh, Fahad, Shahid, Reddy Manumachu and Lastovetsky (2021), who saw means of 3.8 to 12.4 %. */
HPART_API hpart_status hpart_energy_additivity(hpart_team *team, const hpart_platform *alone, int64_t distributions,
                                               const int64_t *x, const hpart_options *options, double *least, double *mean,
                                               double *largest, hpart_report **report);
HPART_API void hpart_team_destroy(hpart_team *team);

/* How this machine's cores can form abstract processors: from all in one group to one a core. topology: NULL, the cores of this
 * machine that this process may use; or another machine in hwloc's synthetic form, "package:2 l3:2 core:4 pu:1". Groupings that
 * are the same stand there once, the coarsest first. *count is 1 at least. HPART_ERR_UNSUPPORTED: another machine without hwloc. */
HPART_API hpart_status hpart_grouping_count(const char *topology, int64_t *count);
/* Grouping k, 0 <= k < count, as "NAME CORES CORES ...": node, socket, numa, l3, l2, core or thread, and the cores of each group as
 * hpart_team_add and "cpu:CORES" take them: "socket 0-7 8-15". Which is best for a kernel is measured: docs/grouping.md, hpart group. */
HPART_API hpart_status hpart_grouping_describe(const char *topology, int64_t k, char *buffer, int64_t capacity, int64_t *needed);

/* ---- energy meters ------------------------------
 *
 * A meter reads energy counters, which wrap, or power, which is integrated over time, and gives the joules of a window from
 * hpart_meter_start to hpart_meter_stop. Kinds, as hpart_meter_open takes them:
 *   rapl              Intel's and AMD's counters through powercap: packages and their memory
 *   perf              the same through perf_event
 *   nvml:N            NVIDIA's device N
 *   hwmon:PATH        a sensor of the kernel's: "hwmon2/power1_input" or its path
 *   wattsup:TTY       a Watts up? PRO between machine and wall, at a serial port
 *   command:PROGRAM   any program that prints watts, a number a line
 *   replay:FILE       a recording instead of a sensor
 *   estimate:W        no sensor: processor seconds of this process and its children times W watts a core
 * A counter is read often enough that no wrap is missed; whenever the energy cannot be known (a counter of unknown range went
 * back, readings came too late, a counter stands still, a meter is gone) the call fails with HPART_ERR_DEVICE. A window shorter
 * than the report's minimum_window, 20 intervals of the meter, is measured all the same, and the report's short_window is 1.
 * HPART_SYSFS_ROOT in the environment (default /sys) is where the kernel's files are looked for. docs/energy.md says more. */

enum {
    HPART_JOULES = 0, /* a counter */
    HPART_WATTS = 1   /* power */
};

/* Reads a meter of the user's: its value in joules or watts, and the time on the meter's own clock, which never goes back. Called
 * from the thread that starts or stops the meter and, between the two, from one of hpart's; never from two at once. It must not
 * call hpart_meter_... of its own meter, which waits for it. Non-zero: it cannot be read; the window, or the base
 * power that is being measured, fails with HPART_ERR_CALLBACK, the latter at once. */
typedef int (*hpart_meter_read)(void *user, double *value, double *time_seconds);

/* Options: interval, base_power; their progress callback is asked while a meter that sends by itself is waited for and, as long as
 * the options live, while its base power is measured: HPART_ERR_CANCELLED. HPART_ERR_INVALID_ARGUMENT lists the kinds,
 * HPART_ERR_PERMISSION has the remedy, HPART_ERR_UNSUPPORTED: this machine has no such thing; HPART_ERR_IO and HPART_ERR_FORMAT
 * of a recording, HPART_ERR_DEVICE. */
HPART_API hpart_status hpart_meter_open(const char *spec, const hpart_options *options, hpart_meter **meter);
/* A meter of the user's. quantity: HPART_JOULES or HPART_WATTS; interval_seconds: between new values, at least 1e-6: power is read
 * that often; wrap: joules at which the counter begins again at 0, 0: never. On success the meter owns user: free_user (may be NULL) is
 * called once, by hpart_meter_close. */
HPART_API hpart_status hpart_meter_create(const char *name, hpart_meter_read read, int32_t quantity, double interval_seconds,
                                          double wrap, void *user, hpart_free free_user, hpart_meter **meter);
/* Kinds of meters. */
HPART_API int64_t hpart_meter_count(void);
/* Kind k as "FORM TEXT": how it is written ("nvml:N"), a blank, and what there is of it here, or why it does not work and the
 * remedy. works_here (may be NULL): HPART_SUCCESS, HPART_ERR_PERMISSION, HPART_ERR_UNSUPPORTED or another status. */
HPART_API hpart_status hpart_meter_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed, hpart_status *works_here);
/* Opens a window; HPART_ERR_INVALID_ARGUMENT when one is open. */
HPART_API hpart_status hpart_meter_start(hpart_meter *meter);
/* Closes it, also when this fails. The joules of all of the meter's channels, and the seconds by its clock; each may be NULL.
 * HPART_ERR_DEVICE, HPART_ERR_PERMISSION, HPART_ERR_CALLBACK when the meter failed since the start; HPART_ERR_NUMERICAL: the energy
 * is beyond a double. */
HPART_API hpart_status hpart_meter_stop(hpart_meter *meter, double *joules, double *seconds);
/* The mean power of the next `seconds`, in which the machine must do nothing else, and its standard error by batch means; each
 * may be NULL. At least minimum_window. The meter keeps them for its report. HPART_ERR_CANCELLED: see hpart_meter_open. */
HPART_API hpart_status hpart_meter_base_power(hpart_meter *meter, double seconds, double *watts, double *standard_error);
/* Keys: meter, method (counter, integrated, estimated, replayed), interval, minimum_window, channels; failure: what the meter has failed
 * with since its start, as soon as that is known; with a base power: base_power, base_power_error; of the last window: joules, seconds, watts, channel_joules (array), readings, missed (values of a power meter
 * that did not come), short_window, and with a base power dynamic_joules = joules - base_power * seconds, dynamic_joules_error. */
HPART_API hpart_status hpart_meter_report(const hpart_meter *meter, hpart_report **report);
HPART_API void hpart_meter_close(hpart_meter *meter);

/* ---- devices ------------------------------ */

/* Number of accelerator devices that hpart sees on this machine; 0 when there is none, or no driver of any. */
HPART_API int64_t hpart_device_count(void);
/* "opencl:0:0 NAME, N compute units, B bytes, ...": the first word is the device's spec. */
HPART_API hpart_status hpart_device_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed);

/* Opens a device, or several that do each operation together. spec: "host" (the cores of this machine), "opencl:P:D" (device D
 * of platform P), "opencl:P:D:S" (its S-th compute unit alone), "cuda:N", or a list of different ones with commas,
 * "opencl:0:0,host". The options memory_limit (bytes on each card that operations may take) and profile_file are the device's
 * own; the others are defaults of its operations. A device is used by one operation at a time: calls from several threads wait
 * for each other. hpart_device_close destroys it and the pinned memory that is left.
 * HPART_ERR_DEVICE: no such device, or it fails; HPART_ERR_UNSUPPORTED: this build or machine has no such kind of device. */
HPART_API hpart_status hpart_device_open(const char *spec, const hpart_options *options, hpart_device **device);
HPART_API void hpart_device_close(hpart_device *device);

/* Host memory that the device's transfers read and write fastest: arrays in it need no staging. NULL on failure, of which
 * hpart_last_error tells; bytes >= 0. It is the caller's until hpart_free_pinned or hpart_device_close. hpart_free_pinned of
 * NULL has no effect; what is no memory of this device's is left alone, and hpart_last_error tells. */
HPART_API void *hpart_alloc_pinned(hpart_device *device, int64_t bytes);
HPART_API void hpart_free_pinned(hpart_device *device, void *memory);

/* The native handle of a device, to build kernels for it: what is "cl_context" or "cl_device_id" (OpenCL), "CUcontext" (CUDA).
 * k: which of a list, from 0. HPART_ERR_UNSUPPORTED: that kind of device has none. It stays the device's own. */
HPART_API hpart_status hpart_device_native(const hpart_device *device, int64_t k, const char *what, void **handle);

/* ---- operations whose data is on the host and may be larger than the device's memory ------------------------------
 *
 * Data moves to the device and back in tiles, hidden behind the kernels; docs/out-of-card.md. The calls and their arguments are
 * those of CBLAS, LAPACKE and FFTW: the letters s and d are float and double, c and z their complex types, whose numbers are
 * two reals, real part first, whose arrays are void pointers, and whose alpha and beta are pointers to one number.
 *
 *   layout         HPART_ROW_MAJOR, HPART_COLUMN_MAJOR
 *   trans          HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE (for real types the transpose)
 *   uplo           HPART_UPPER, HPART_LOWER: nothing of the other triangle is read or changed
 *   diag           HPART_NON_UNIT; HPART_UNIT: ones, which are not read
 *   side           HPART_LEFT, HPART_RIGHT
 *   m, n, k, ...   >= 0; where one is 0 there is no data, and a pointer to it may be NULL
 *   lda, ldb, ldc  distance of rows (row-major) or columns (column-major) in elements: at least their length, and at least 1
 *
 * What is written shares no element with what is read, and the device's memory, not that of the arrays, is all that is limited.
 * options and report may be NULL. report gets a new report, the caller's to destroy, on success and with HPART_ERR_NUMERICAL.
 *
 * Report keys, of all operations; where several devices share one, sums are over them:
 *   method             where it was done: host, zero-copy (a device in the host's memory), out-of-card, devices (several), pipeline
 *   plan               how: of products model, hclooc, tile; of transforms in-card, slabs, hybrid; of factorisations recursive,
 *                      left-looking; shares (several devices); else the method's name
 *   tiles              the pieces in which it was cut, for people; empty where it was not
 *   seconds            of the operation itself
 *   setup_seconds      of what was done once for this device and shape: it was measured, kernels compiled, plans made
 *   gflops             its rate; operations on complex numbers count as those on real ones. Not of pipelines
 *   bytes_to_device, bytes_from_device   moved each way
 *   staged_bytes       of those, what went through pinned buffers of the library's
 *   kernel_seconds, transfer_seconds     in which a kernel, a transfer was running
 *   overlap            the part of transfer_seconds, 0 to 1, that was hidden behind kernels
 *   retries            times that a device had less memory than it said, and smaller tiles were taken
 * of some:
 *   kernel             products, transforms: what computed; empty where nothing had to
 *   bytes_planned      products, transforms that went by a plan, pipelines: both ways together, before the start
 *   lower_bound_bytes  the same, factorisations, solvers: both ways, below which no plan in this memory can go; of plan
 *                      recursive the sum over its products
 *   predicted_seconds  products, transforms that went by a plan: by the model of the device
 *   bound_by           products that went by a plan: what of that was the longest
 *   card_bytes         the same, pipelines: taken of the card's memory
 *   in_card_gflops     products with the option in_card_rate
 *   on_host            transforms: what the host did of it, and why
 *   width              factorisations, solvers: columns of a panel
 *   resident_width, last_width   those of plan left-looking: columns that stay on the card; of the last panel
 *   panel_seconds      factorisations, solvers: of the host's panels
 *   info               the same: LAPACK's
 *   efficiency         pipelines: the larger of kernel_seconds and transfer_seconds over seconds
 *   devices, device_shares, device_seconds   several devices: who, of the whole how much, in what time
 *
 * Statuses besides HPART_ERR_INVALID_ARGUMENT, after which nothing was changed:
 *   HPART_ERR_OUT_OF_MEMORY  not even the smallest tiles fit in the device's memory, or the host's is full; nothing was changed
 *   HPART_ERR_DEVICE         the device failed, or the host's memory was full in the middle; what the call writes may be changed
 *                            in part
 *   HPART_ERR_CANCELLED      by the progress callback of the options; likewise
 *   HPART_ERR_UNSUPPORTED    this build lacks a library (the message names it), or a size is above what it takes
 *   HPART_ERR_NUMERICAL      factorisations and solvers: a singular or indefinite matrix, told by the report's key info
 * In all cases everything else is released, and the device can be used again. */

/* The values of CBLAS. */
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

/* C = alpha op(A) op(B) + beta C: op(A) is m x k, op(B) k x n, C m x n. Where beta is 0 C is not read, where alpha is 0 A and B are
 * not. Options: plan, tile, kernel, ... as in the table. 2 m n k operations; bytes and tiles: docs/out-of-card.md. Sources: BLAS
 * (Dongarra et al. 1990); HCLOOC (Khaleghzadeh et al. 2018), whose partitioner is plan=hclooc. */
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
/* y = alpha op(A) x + beta y, A is m x n. incx and incy are not 0; a negative one counts from the array's end, as in the BLAS. */
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
/* C = alpha op(A) op(A)^T + beta C, of the triangle uplo of the n x n matrix C; op(A) is n x k. For complex types
 * trans is no transpose or the plain one. */
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
/* C = alpha op(A) op(A)^H + beta C with real alpha and beta, C Hermitian; trans is no transpose or the
 * conjugate one. The diagonal comes out real. */
HPART_API hpart_status hpart_cherk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   float alpha, const void *a, int64_t lda, float beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zherk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   double alpha, const void *a, int64_t lda, double beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
/* B = alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right); B is m x n, A triangular of order m or n. There is no test for
 * singularity, as in the BLAS. */
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
/* P A = L U with partial pivoting, of an m x n matrix, in LAPACK's storage: row k was exchanged with row pivots[k], counted
 * from 1 (also with row-major layout); min(m, n) pivots. HPART_ERR_NUMERICAL: U is exactly singular, info the first zero of its
 * diagonal, counted from 1; the factors are complete. 2/3 n^3 operations. Source: LAPACK's getrf. */
HPART_API hpart_status hpart_sgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
/* A = L L^H (lower) or U^H U (upper), A Hermitian positive definite of order n. HPART_ERR_NUMERICAL: the leading minor of order
 * info is not positive; the factor of those before it is written. n^3/3 operations. */
HPART_API hpart_status hpart_spotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, float *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, double *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
/* A = Q R in LAPACK's storage: R in the upper triangle, below it the reflectors whose factors are tau[min(m, n)]. */
HPART_API hpart_status hpart_sgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda, float *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda, double *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                                    const hpart_options *options, hpart_report **report);
/* Solves A X = B, A of order n, B of n x nrhs: B becomes X, A its factors of hpart_?getrf. HPART_ERR_NUMERICAL: A is singular;
 * B is not changed. */
HPART_API hpart_status hpart_sgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, float *a, int64_t lda,
                                   int64_t *pivots, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, double *a, int64_t lda,
                                   int64_t *pivots, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                                   int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                                   int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* The same for a Hermitian positive definite A with its factor of hpart_?potrf. */
HPART_API hpart_status hpart_sposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, float *a,
                                   int64_t lda, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, double *a,
                                   int64_t lda, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* Least squares, or where op(A) has more columns than rows the solution of least norm, of op(A) X = B with A of m x n and full
 * rank, by QR or LQ; for complex types trans is no transpose or the conjugate one. B has max(m, n) rows: the right-hand sides on
 * top, then the solutions there; below them, as in LAPACK, numbers whose squares sum to the residual's. A becomes its factors.
 * HPART_ERR_NUMERICAL: A is not of full rank. */
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
/* The discrete Fourier transform in `rank` dimensions of dims[rank] points (the last one is contiguous), of `batch` arrays one
 * after another: out[k] = sum in[j] exp(sign 2 pi i jk/n), not normalised, as FFTW. sign -1: forward, +1: backward; backward after
 * forward gives the input times its number of points. cfft: float, zfft: double; numbers are two reals, real part first. in == out is
 * allowed, any other overlap is not. Any length; the report's key kernel says what computed it. 5 n log2 n operations. */
HPART_API hpart_status hpart_cfft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,
                                  const float *in, float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zfft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,
                                  const double *in, double *out, const hpart_options *options, hpart_report **report);
/* Forward of real numbers: out has dims[rank-1]/2 + 1 complex numbers in the last dimension, the others follow by symmetry.
 * In place (in == out) a row of real numbers takes as much room as one of the spectrum, as in FFTW. */
HPART_API hpart_status hpart_sfft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const float *in,
                                      float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dfft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const double *in,
                                      double *out, const hpart_options *options, hpart_report **report);
/* Backward to real numbers, from that half of the spectrum; dims are those of the real array. in is not changed unless it is out. */
HPART_API hpart_status hpart_sfft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const float *in,
                                      float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dfft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const double *in,
                                      double *out, const hpart_options *options, hpart_report **report);

/* ---- pipeline: a kernel of your own on data that is larger than the card ------------------------------
 *
 * You write a list of steps. Each uses blocks (rows of bytes at equal distances) of host arrays: it reads, writes or updates
 * them. When the list runs, hpart keeps blocks on the card in a ring of buffers for each array, brings each block in before the
 * first step that needs it and back after the last one that writes it, and runs transfers beside kernels; your kernel is called
 * once a step with the blocks' memory on the card. The result is as if the steps ran one after another on the host's memory.
 * Which blocks stay is decided for the whole list before it runs: where a buffer must be given up, it is that of the block whose
 * next use is farthest (Belady 1966), and a block that is used again meanwhile is not moved.
 *
 * examples/own_kernel.c multiplies matrices with an OpenCL kernel of its own. */

/* device: one device, borrowed; it must stay open until the pipeline is destroyed. */
HPART_API hpart_status hpart_pipeline_create(hpart_device *device, hpart_pipeline **pipeline);
HPART_API void hpart_pipeline_destroy(hpart_pipeline *pipeline);

/* A host array of which blocks of at most block_bytes are used. slots: buffers on the card for them; 0: as many as the fullest
 * step needs, and more as far as the card's memory goes. *array gets the array's number, from 0. */
HPART_API hpart_status hpart_pipeline_add_array(hpart_pipeline *pipeline, int64_t block_bytes, int64_t slots, int64_t *array);

/* The next block that the step uses: `rows` rows of row_bytes, pitch_bytes apart on the host, without gaps on the card. read: the
 * kernel reads it only; write: it writes all of it and reads nothing; update: it reads and writes. The memory must stay until the
 * pipeline has run; a block is the same as another when address, rows, row_bytes and pitch_bytes are. Blocks of one step that
 * overlap may only be read: HPART_ERR_INVALID_ARGUMENT from hpart_pipeline_end_step, which ends a step; the steps run in the order
 * in which they were ended. After that failure the step still stands as it is, and the pipeline is best destroyed. */
HPART_API hpart_status hpart_pipeline_read(hpart_pipeline *pipeline, int64_t array, const void *memory, int64_t rows,
                                           int64_t row_bytes, int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_write(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows, int64_t row_bytes,
                                            int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_update(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows, int64_t row_bytes,
                                             int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_end_step(hpart_pipeline *pipeline);

/* What the kernel is told of its step: valid during the call. hpart_step_memory: of the step's k-th block, in the order in which
 * they were given: a cl_mem (OpenCL), CUdeviceptr (CUDA), or address (host). hpart_step_queue: the cl_command_queue or CUstream to
 * which the kernel adds its commands, without waiting for them; NULL on the host, where the kernel does the work itself, on a thread
 * of hpart's. */
HPART_API int64_t hpart_step_index(const hpart_step *step);
HPART_API void *hpart_step_queue(const hpart_step *step);
HPART_API void *hpart_step_memory(const hpart_step *step, int64_t k);

/* Non-zero stops the pipeline with HPART_ERR_CALLBACK. */
typedef int (*hpart_pipeline_kernel)(const hpart_step *step, void *user);

/* Runs the list; it may be run again. Options: queues, staging, the progress callback. Report: as at the operations above;
 * lower_bound_bytes is each block that is read first once in, and each written one once out.
 * HPART_ERR_OUT_OF_MEMORY: the buffers do not fit on the card; HPART_ERR_DEVICE: a command failed; HPART_ERR_CALLBACK;
 * HPART_ERR_CANCELLED, within two steps. After a failure the blocks that steps write are undefined on the host. */
HPART_API hpart_status hpart_pipeline_run(hpart_pipeline *pipeline, hpart_pipeline_kernel kernel, void *user,
                                          const hpart_options *options, hpart_report **report);

/* ---- self-adaptable applications ------------------------------
 *
 * An iterative application that knows nothing of its processors: it runs an iteration with hpart_adaptive_distribution, gives
 * each processor's own time to hpart_adaptive_update, moves its data to the next distribution when that is another one, and so
 * on. hpart builds each processor's time function from these times, at the sizes that are run (Clarke, Lastovetsky, Rychkov,
 * "Dynamic load balancing of parallel computational iterative routines on highly heterogeneous HPC platforms", Parallel
 * Processing Letters 21(2), 2011), and gives the distribution of least time by these functions, or rather, of those that take at
 * most half the tolerance longer, the one that moves least. It moves only where that gains more than the tolerance, and more than
 * noise explains; moves that gain nothing end the search. Where each size is faster or slower by itself, exact partitions over
 * what the sizes may take choose trials, as long as these pay over the option horizon. A processor whose time is twice in a row far from its earlier ones at
 * the same size has another speed: its function is scaled, and a new search begins. docs/adaptive.md has the rules and what they
 * reach. Every distribution sums to the size and keeps the limits. An update is O(p log p) for p processors, roughly.
 *
 * examples/adaptive_solver.c solves the heat equation on threads that change their speed. */

/* size: of the problem, 0 to 2^53. The first distribution is in equal parts, or that of hpart_options_set_previous. Options:
 * tolerance, change, move_cost, horizon. */
HPART_API hpart_status hpart_adaptive_create(int64_t processors, int64_t size, const hpart_options *options,
                                             hpart_adaptive **adaptive);
HPART_API void hpart_adaptive_destroy(hpart_adaptive *adaptive);
/* -1 for NULL. */
HPART_API int64_t hpart_adaptive_processors(const hpart_adaptive *adaptive);

/* From now on 0 <= smallest <= x[processor] <= largest (before: 0 and the size), at any time between iterations. A processor that
 * had stopped begins anew. HPART_ERR_INFEASIBLE: no distribution keeps all limits; nothing is changed. */
HPART_API hpart_status hpart_adaptive_set_limits(hpart_adaptive *adaptive, int64_t processor, int64_t smallest, int64_t largest);

/* Changes the size of the problem between two iterations, as an adaptive mesh does: 0 to 2^53.
 * hpart keeps the functions and the limits. It takes each part to have grown or shrunk in proportion, and moves from there where that
 * gains more than the tolerance. The search begins anew. x of hpart_adaptive_update has the new size from now on.
 * HPART_ERR_INFEASIBLE: the limits exclude the size; nothing is changed. */
HPART_API hpart_status hpart_adaptive_set_size(hpart_adaptive *adaptive, int64_t size);

/* Starts from the time functions of a platform, before the first update: measured ones (hpart_team_profile, a platform file), or
 * those of hpart_adaptive_functions in an earlier run. A processor without points is unknown, as at the start. The platform's
 * largest sizes become limits. The first distribution is the exact optimum over the points; where their sizes leave gaps, and times
 * between them promise less by more than the option change, it is the best by these. A second call replaces the functions of the first.
 * HPART_ERR_INVALID_ARGUMENT: another number of processors, no time function, or an iteration was run already.
 * HPART_ERR_INFEASIBLE: the limits exclude the size. Nothing is changed after an error. */
HPART_API hpart_status hpart_adaptive_start_from(hpart_adaptive *adaptive, const hpart_platform *platform);

/* The distribution of the next iteration: x[processors]. */
HPART_API hpart_status hpart_adaptive_distribution(const hpart_adaptive *adaptive, int64_t *x);

/* An iteration that was run: x[processors], of the size in sum (NULL: as hpart_adaptive_distribution gave it), and each
 * processor's own seconds >= 0, without the time it waited for others; infinity: it has stopped, and gets nothing until its limits
 * are set again. seconds[i] has no meaning where x[i] is 0. HPART_ERR_INFEASIBLE: the processors that still work cannot take the
 * size; nothing is changed. */
HPART_API hpart_status hpart_adaptive_update(hpart_adaptive *adaptive, const int64_t *x, const double *seconds);

/* 1 when no distribution is known to be better by more than the tolerance, 0 before; it begins again at 0 when a processor changes
 * its speed. -1 for NULL. */
HPART_API int32_t hpart_adaptive_converged(const hpart_adaptive *adaptive);

/* The functions as they are known: the sizes that were run and their mean seconds; the caller owns the platform. With the option
 * interpolate hpart_partition_time finds distributions of other sizes over it. */
HPART_API hpart_status hpart_adaptive_functions(const hpart_adaptive *adaptive, hpart_platform **platform);

/* Keys: iterations; state (searching, converged, or settled: on the best that was run, since what the functions promised was not
 * kept), converged; imbalance = (slowest - fastest) / slowest of the last iteration; excess: how much longer the current
 * distribution takes than the best by the functions, as a ratio; noise: relative standard deviation of times at the same size;
 * changes of speed seen; moves: distributions that were changed; moved: units of size that changed their processor. */
HPART_API hpart_status hpart_adaptive_report(const hpart_adaptive *adaptive, hpart_report **report);

#ifdef __cplusplus
}
#endif

#endif
