/* Random platforms over the ranks of a communicator: every rank makes the same flat platform, and its own part. */
#ifndef RANKS_H
#define RANKS_H

#include "check.h"

#include <hpart_mpi.h>
#include <inttypes.h>

enum { MOST_PROCESSORS = 8, MOST_POINTS = 8, MOST_RANKS = 16 };

/* The same numbers on every rank and machine. */
static uint64_t random_state = 1;

static int64_t random_below(int64_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((random_state >> 33) % (uint64_t)bound);
}

static int chance(int in_hundred) { return random_below(100) < in_hundred; }

/* Few different values, so that optima tie, or many. */
static double random_value(int is_coarse)
{
    return is_coarse ? (double)(1 + random_below(6)) : (double)(1 + random_below(1000000)) / 1048576.0;
}

typedef struct {
    int64_t processors, mine, first; /* mine: this rank's, from `first` of the flat platform */
    hpart_platform *flat, *part;     /* part: NULL without processors */
    int owner[MOST_PROCESSORS];
} Problem;

/* Calls of a setter on the flat platform and, if this rank owns the processor, on its part. The arguments are evaluated twice. */
#define SET_BOTH(problem, i, setter, ...)                                                                              \
    do {                                                                                                               \
        CHECK_OK(setter((problem)->flat, (i), __VA_ARGS__));                                                           \
        if ((i) >= (problem)->first && (i) < (problem)->first + (problem)->mine)                                       \
            CHECK_OK(setter((problem)->part, (i) - (problem)->first, __VA_ARGS__));                                    \
    } while (0)

static void set_intervals(Problem *problem, int64_t i, int64_t points, const int64_t *sizes, const double *values,
                          int is_energy)
{
    double low[MOST_POINTS], high[MOST_POINTS];
    int64_t repetitions[MOST_POINTS], k;
    for (k = 0; k < points; ++k) {
        low[k] = values[k] * (1 - (double)random_below(100) / 200);
        high[k] = values[k] * (1 + (double)random_below(100) / 100);
        repetitions[k] = random_below(50);
    }
    if (is_energy)
        SET_BOTH(problem, i, hpart_platform_set_energy_interval, points, sizes, low, high, repetitions);
    else
        SET_BOTH(problem, i, hpart_platform_set_time_interval, points, sizes, low, high, repetitions);
}

static void set_function(Problem *problem, int64_t i, int is_energy, int is_coarse, int has_intervals)
{
    int64_t sizes[MOST_POINTS], points = chance(10) ? 0 : 3 + random_below(MOST_POINTS - 2), k;
    double values[MOST_POINTS];
    int64_t size = 0;
    for (k = 0; k < points; ++k) {
        size += 1 + random_below(2);
        sizes[k] = size;
        values[k] = random_value(is_coarse);
    }
    if (is_energy)
        SET_BOTH(problem, i, hpart_platform_set_energy_function, points, sizes, values);
    else
        SET_BOTH(problem, i, hpart_platform_set_time_function, points, sizes, values);
    if (has_intervals && points > 0) set_intervals(problem, i, points, sizes, values, is_energy);
}

static void set_processor(Problem *problem, int64_t i, int ranks, int is_coarse, int has_intervals)
{
    char name[64], flat_name[80];
    const int64_t smallest = 1 + random_below(3), largest = smallest + random_below(15);
    const double latency = random_value(1) / 64, bandwidth = random_value(1) * 8;
    sprintf(name, "P%d", (int)(i - (i >= 2 ? 2 : 0))); /* the same name may be on several ranks */
    if (problem->owner[i] == (i >= 2 ? problem->owner[i - 2] : -1)) sprintf(name, "Q%d", (int)i);
    if (ranks > 1)
        sprintf(flat_name, "%d/%s", problem->owner[i], name);
    else
        strcpy(flat_name, name);
    CHECK_OK(hpart_platform_set_name(problem->flat, i, flat_name));
    if (i >= problem->first && i < problem->first + problem->mine)
        CHECK_OK(hpart_platform_set_name(problem->part, i - problem->first, name));
    set_function(problem, i, 0, is_coarse, has_intervals);
    if (chance(90)) set_function(problem, i, 1, is_coarse, has_intervals);
    if (chance(20)) SET_BOTH(problem, i, hpart_platform_set_limits, smallest, largest);
    if (chance(30)) SET_BOTH(problem, i, hpart_platform_set_host_link, latency, bandwidth);
    if (chance(30)) SET_BOTH(problem, i, hpart_platform_set_host_link_energy, latency);
}

/* Links within ranks, and values of the whole. */
static void set_common(Problem *problem, int ranks)
{
    double border = chance(30) ? random_value(1) : 0, sum = NAN, watts;
    int64_t i, j;
    int r, rank_has_processors;
    for (i = 0; i < problem->processors; ++i)
        for (j = 0; j < problem->processors; ++j) {
            double latency = random_value(1) / 32, bandwidth = random_value(1) * 4;
            if (i == j || problem->owner[i] != problem->owner[j] || !chance(40)) continue;
            CHECK_OK(hpart_platform_set_link(problem->flat, i, j, latency, bandwidth));
            CHECK_OK(hpart_platform_set_link_energy(problem->flat, i, j, latency * bandwidth));
            if (i < problem->first || i >= problem->first + problem->mine) continue;
            CHECK_OK(
                hpart_platform_set_link(problem->part, i - problem->first, j - problem->first, latency, bandwidth));
            CHECK_OK(hpart_platform_set_link_energy(problem->part, i - problem->first, j - problem->first,
                                                    latency * bandwidth));
        }
    CHECK_OK(hpart_platform_set_border_bytes(problem->flat, border));
    if (problem->part != NULL) CHECK_OK(hpart_platform_set_border_bytes(problem->part, border));
    for (r = 0; r < ranks; ++r) {
        rank_has_processors = 0;
        for (i = 0; i < problem->processors; ++i) rank_has_processors |= problem->owner[i] == r;
        watts = random_value(0);
        if (!chance(60) || !rank_has_processors) continue;
        sum = isnan(sum) ? watts : sum + watts;
        if (problem->mine > 0 && problem->owner[problem->first] == r)
            CHECK_OK(hpart_platform_set_base_power(problem->part, watts));
    }
    if (!isnan(sum)) CHECK_OK(hpart_platform_set_base_power(problem->flat, sum));
}

/* Every rank draws the same numbers. */
static Problem random_problem(int rank, int ranks)
{
    Problem problem = {0, 0, 0, NULL, NULL, {0}};
    int is_coarse = chance(50), has_intervals = chance(30);
    int64_t i;
    problem.processors = 1 + random_below(MOST_PROCESSORS);
    for (i = 0; i < problem.processors; ++i) problem.owner[i] = (int)random_below(ranks);
    for (i = 1; i < problem.processors; ++i) { /* in rank order */
        int64_t k = i;
        for (; k > 0 && problem.owner[k - 1] > problem.owner[k]; --k) {
            int swapped = problem.owner[k];
            problem.owner[k] = problem.owner[k - 1];
            problem.owner[k - 1] = swapped;
        }
    }
    for (i = 0; i < problem.processors; ++i) {
        problem.first += problem.owner[i] < rank;
        problem.mine += problem.owner[i] == rank;
    }
    CHECK_OK(hpart_platform_create(problem.processors, &problem.flat));
    if (problem.mine > 0) CHECK_OK(hpart_platform_create(problem.mine, &problem.part));
    for (i = 0; i < problem.processors; ++i) set_processor(&problem, i, ranks, is_coarse, has_intervals);
    set_common(&problem, ranks);
    return problem;
}

static void destroy(Problem *problem)
{
    hpart_platform_destroy(problem->flat);
    hpart_platform_destroy(problem->part);
}

/* The values of the keys of `expected`, but for times. Returns the number of keys. */
static int64_t compare_values(const hpart_report *expected, const hpart_report *found)
{
    char first[4096], second[4096];
    int64_t k, compared = 0;
    for (k = 0; k < hpart_report_count(expected); ++k) {
        const char *key = hpart_report_key(expected, k);
        CHECK(hpart_report_type(expected, key) == hpart_report_type(found, key));
        if (strncmp(key, "solve_", 6) == 0) continue;
        CHECK_OK(hpart_report_get_string(expected, key, first, sizeof first, NULL));
        CHECK_OK(hpart_report_get_string(found, key, second, sizeof second, NULL));
        CHECK(strcmp(first, second) == 0);
        ++compared;
    }
    return compared;
}

/* Equal bit by bit, but for NaN. */
static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

#endif
