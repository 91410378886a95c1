/* The heat equation on a plate, by Jacobi's method on threads that know nothing of their speeds. Each thread has consecutive rows;
 * after each iteration its own time goes to hpart, and where that pays the rows are cut anew. To play other load on its core, a
 * thread may have to do its rows several times: the loads change in mid-run, and one thread stops. */
#include <hpart.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 600, COLUMNS = 512, THREADS = 4, ITERATIONS = 90, PHASE = 30 };

/* Number of times that each thread does its rows, by phase; 0: it has stopped. */
static const int load[ITERATIONS / PHASE][THREADS] = {{10, 10, 20, 40}, {40, 10, 20, 10}, {40, 10, 0, 10}};

struct share {
    const double *old;
    double *next;
    int64_t first, rows;
    int repeats;
    double seconds;
};

/* The thread's own time: on a machine of fewer cores than threads, waiting for a core is not work. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *do_rows(void *argument)
{
    struct share *share = argument;
    const double start = now();
    for (int repeat = 0; repeat < share->repeats; ++repeat)
        for (int64_t i = share->first; i < share->first + share->rows; ++i) {
            const double *row = share->old + i * COLUMNS;
            double *out = share->next + i * COLUMNS;
            if (i == 0 || i == ROWS - 1) continue; /* the plate's edge keeps its heat */
            for (int j = 1; j < COLUMNS - 1; ++j)
                out[j] = 0.25 * (row[j - 1] + row[j + 1] + row[j - COLUMNS] + row[j + COLUMNS]);
        }
    share->seconds = share->repeats > 0 ? now() - start : INFINITY;
    return NULL;
}

static int iterate(const double *old, double *next, const int64_t *x, const int *repeats, double *seconds)
{
    pthread_t threads[THREADS];
    struct share shares[THREADS];
    int64_t first = 0;
    int started = 0;
    for (; started < THREADS; ++started) {
        shares[started] = (struct share){old, next, first, x[started], repeats[started], 0};
        first += x[started];
        if (pthread_create(&threads[started], NULL, do_rows, &shares[started])) break;
    }
    for (int i = 0; i < started; ++i) {
        pthread_join(threads[i], NULL);
        seconds[i] = shares[i].seconds;
    }
    return started == THREADS;
}

/* The reference: the same iterations in one thread. */
static void solve_alone(double *old, double *next, int iterations)
{
    for (int k = 0; k < iterations; ++k) {
        struct share all = {old, next, 0, ROWS, 1, 0};
        double *other = old;
        do_rows(&all);
        old = next;
        next = other;
    }
}

static double *new_plate(void)
{
    double *plate = calloc((size_t)ROWS * COLUMNS, sizeof *plate);
    if (plate)
        for (int j = 0; j < COLUMNS; ++j) plate[j] = 100; /* one hot edge */
    return plate;
}

static hpart_status solve(hpart_adaptive *adaptive, double *old, double *next, int *done)
{
    hpart_status status = HPART_SUCCESS;
    *done = 0;
    for (int k = 0; k < ITERATIONS && !status; ++k) {
        int64_t x[THREADS];
        double seconds[THREADS], imbalance = 0;
        hpart_report *report = NULL;
        status = hpart_adaptive_distribution(adaptive, x);
        if (status || !iterate(old, next, x, load[k / PHASE], seconds)) break;
        status = hpart_adaptive_update(adaptive, x, seconds);
        if (!status) status = hpart_adaptive_report(adaptive, &report);
        if (!status) status = hpart_report_get_double(report, "imbalance", &imbalance);
        hpart_report_destroy(report);
        printf("%2d: rows %3" PRId64 " %3" PRId64 " %3" PRId64 " %3" PRId64 "  imbalance %3.0f %%  %s\n", k, x[0], x[1],
               x[2], x[3], 100 * imbalance, hpart_adaptive_converged(adaptive) == 1 ? "converged" : "");
        int lost = 0; /* a thread that stopped has not done its rows: the iteration is repeated by the others */
        for (int i = 0; i < THREADS; ++i) lost |= x[i] > 0 && isinf(seconds[i]);
        if (lost) continue;
        double *other = old;
        old = next;
        next = other;
        ++*done;
    }
    return status;
}

int main(void)
{
    hpart_adaptive *adaptive = NULL;
    double *plates[4] = {new_plate(), new_plate(), new_plate(), new_plate()};
    int done = 0, same = 0;
    if (!plates[0] || !plates[1] || !plates[2] || !plates[3]) return 1;

    hpart_status status = hpart_adaptive_create(THREADS, ROWS, NULL, &adaptive);
    if (!status) status = solve(adaptive, plates[0], plates[1], &done);
    if (status) fprintf(stderr, "%s\n", hpart_last_error());
    if (!status) {
        solve_alone(plates[2], plates[3], done);
        same = !memcmp(plates[done % 2], plates[2 + done % 2], sizeof(double) * ROWS * COLUMNS);
        printf("%d iterations; same result as in one thread: %s\n", done, same ? "yes" : "no");
    }

    hpart_adaptive_destroy(adaptive);
    for (int k = 0; k < 4; ++k) free(plates[k]);
    return same ? 0 : 1;
}
