/* The heat equation on a plate by Jacobi's method over MPI, in vertical slices. The unit of work is a column of the plate: rank r has x[r]
 * columns, and before each iteration it exchanges border columns with its neighbours. Times are seconds an iteration.
 *   --compute               without the messages: time functions for the option communication of hpart_partition
 *   --adaptive              the ranks find their distribution while they solve, and move columns when it changes
 *   --host-copy RANK=S      this rank plays an accelerator: each exchange takes S seconds more, for copies between device and host
 *   --compare --platform FILE --size N   partitions with and without communication, and runs both: figures 5 and 6 of Al-Hashimi and
 *                           Basuhail (2021)
 * mpicc mpi_jacobi.c $(pkg-config --cflags --libs hpart-mpi) -lm && mpirun -n 3 ./a.out --check --slow 0=3 --adaptive --size 600 */
#include "mpi_application.h"

#include <math.h>

enum { ROWS, ITERATIONS, COMPUTE, ADAPTIVE, HOST_COPY, COMPARE };
enum { PERIOD = 10 /* iterations between two distributions */, RUNS = 5 /* of each in --compare */ };
static struct setting settings[] = {{"--rows", NUMBER, 512}, {"--iterations", NUMBER, 100}, {"--compute", FLAG, 0},
                                    {"--adaptive", FLAG, 0}, {"--host-copy", OF_RANK, 0},   {"--compare", FLAG, 0},
                                    {NULL, FLAG, 0}};

/* Columns of rows + 2 points, whose first and last are the plate's cold edges; one more column on each side: the neighbour's border or
 * an edge of the plate. */
struct slice {
    int64_t columns;
    double *old, *next;
};

static int64_t height(void) { return (int64_t)settings[ROWS].value + 2; }
static double *column(double *plate, int64_t k) { return plate + k * height(); } /* 1 is the first one */

static struct slice new_slice(int64_t columns)
{
    const int64_t points = (columns + 2) * height();
    struct slice slice = {columns, new_array(points, sizeof(double)), new_array(points, sizeof(double))};
    return slice;
}

/* The plate's left edge is hot. */
static void heat(struct slice *slice, int64_t first)
{
    for (int64_t i = 1; first == 0 && i + 1 < height(); ++i) slice->old[i] = slice->next[i] = 100;
}

static void sweep(const struct slice *slice)
{
    for (int64_t k = 1; k <= slice->columns; ++k) {
        const double *here = column(slice->old, k), *left = here - height(), *right = here + height();
        double *out = column(slice->next, k);
        for (int64_t i = 1; i + 1 < height(); ++i) out[i] = 0.25 * (here[i - 1] + here[i + 1] + left[i] + right[i]);
    }
}

static void swap(struct slice *slice)
{
    double *old = slice->old;
    slice->old = slice->next;
    slice->next = old;
}

/* The nearest rank with columns, in steps of +1 or -1. */
static int neighbour(const struct application *app, int step)
{
    for (int r = app->rank + step; r >= 0 && r < app->ranks; r += step)
        if (app->x[r] > 0) return r;
    return MPI_PROC_NULL;
}

static void wait_seconds(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) continue;
}

static void exchange_borders(const struct application *app, const struct slice *slice)
{
    const int n = (int)height(), left = neighbour(app, -1), right = neighbour(app, 1);
    const int neighbours = (left != MPI_PROC_NULL) + (right != MPI_PROC_NULL);
    MPI_Request requests[4];
    if (slice->columns == 0) return;
    wait_seconds(settings[HOST_COPY].value * neighbours);
    MPI_Irecv(column(slice->old, 0), n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(column(slice->old, slice->columns + 1), n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(column(slice->old, 1), n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(column(slice->old, slice->columns), n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void iterate(struct application *app, struct slice *slice)
{
    const double before = app->seconds;
    start_messages(app);
    exchange_borders(app, slice);
    stop_clock(app);
    if (settings[COMPUTE].value != 0) app->seconds = before;
    start_work(app);
    for (int repeat = 0; repeat < app->repeats; ++repeat) sweep(slice);
    stop_clock(app);
    swap(slice);
}

/* Each rank passes the same times to a search of its own: all get the same distribution. True if it is another one than before. */
static int adapt(struct application *app, hpart_adaptive *adaptive)
{
    double seconds[MOST_RANKS];
    int64_t before[MOST_RANKS];
    memcpy(before, app->x, sizeof before);
    MPI_Allgather(&app->seconds, 1, MPI_DOUBLE, seconds, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    if (hpart_adaptive_update(adaptive, app->x, seconds) || hpart_adaptive_distribution(adaptive, app->x))
        stop(app, "--adaptive", hpart_last_error());
    app->first = first_of(app->x, app->rank);
    app->seconds = 0;
    return memcmp(before, app->x, sizeof before) != 0;
}

/* Columns keep their order over the ranks. */
static void move_columns(const struct application *app, struct slice *slice, int64_t iteration)
{
    int sent[MOST_RANKS], sent_at[MOST_RANKS], got[MOST_RANKS], got_at[MOST_RANKS];
    struct slice moved = new_slice(app->x[app->rank]);
    MPI_Datatype type;
    MPI_Type_contiguous((int)height(), MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    if (hpart_mpi_redistribution_compute(MPI_COMM_WORLD, HPART_MPI_IN_ORDER, slice->columns, moved.columns, sent,
                                         sent_at, got, got_at))
        stop(app, "--adaptive", hpart_last_error());
    MPI_Alltoallv(column(slice->old, 1), sent, sent_at, type, column(moved.old, 1), got, got_at, type, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    free(slice->old), free(slice->next);
    *slice = moved;
    heat(slice, app->first);
    if (app->rank != 0) return;
    fprintf(stderr, "iteration %" PRId64 ": columns", iteration);
    for (int r = 0; r < app->ranks; ++r) fprintf(stderr, " %" PRId64, app->x[r]);
    fprintf(stderr, "\n");
}

/* Rank 0 gets all columns, and compares them with those that it computes alone: the same sums, and so the same bits. */
static void check(struct application *app, struct slice *slice, int64_t iterations)
{
    const int64_t mine = app->rank == 0 ? app->size : 0;
    struct slice all = new_slice(mine), alone = new_slice(mine);
    int counts[MOST_RANKS], places[MOST_RANKS];
    double error = 0;
    for (int r = 0; r < app->ranks; ++r) {
        counts[r] = (int)(app->x[r] * height());
        places[r] = (int)(first_of(app->x, r) * height());
    }
    MPI_Gatherv(column(slice->old, 1), counts[app->rank], MPI_DOUBLE, column(all.old, 1), counts, places, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    if (app->rank == 0) {
        heat(&alone, 0);
        for (int64_t k = 0; k < iterations; ++k, swap(&alone)) sweep(&alone);
        for (int64_t at = height(); at < (app->size + 1) * height(); ++at)
            error = fmax(error, fabs(all.old[at] - alone.old[at]));
        judge(app, error, 0);
    }
    free(all.old), free(all.next), free(alone.old), free(alone.next);
}

/* The times are those of an iteration: of all, or with --adaptive of the last ones. */
static void solve(struct application *app)
{
    const int64_t iterations = (int64_t)settings[ITERATIONS].value;
    const int is_adaptive = settings[ADAPTIVE].value != 0;
    struct slice slice = new_slice(app->x[app->rank]);
    hpart_adaptive *adaptive = NULL;
    int64_t in_period = 0;
    heat(&slice, app->first);
    if (is_adaptive && hpart_adaptive_create(app->ranks, app->size, NULL, &adaptive))
        stop(app, "--adaptive", hpart_last_error());
    app->seconds = 0;
    for (int64_t k = 0; k < iterations; ++k, ++in_period) {
        if (is_adaptive && in_period == PERIOD) {
            if (adapt(app, adaptive)) move_columns(app, &slice, k);
            in_period = 0;
        }
        iterate(app, &slice);
    }
    app->seconds /= (double)in_period;
    if (app->is_checked) check(app, &slice, iterations);
    hpart_adaptive_destroy(adaptive);
    free(slice.old), free(slice.next);
}

/* Rank 0 has the functions of computing; all measure the links between them. */
static hpart_platform *platform_with_links(struct application *app)
{
    double host_copies[MOST_RANKS];
    const double no_bytes_counted = 1e300; /* bytes a second: the copies have a latency alone */
    hpart_platform *platform = NULL;
    hpart_status status = HPART_SUCCESS;
    MPI_Gather(&settings[HOST_COPY].value, 1, MPI_DOUBLE, host_copies, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (app->rank == 0) {
        status = hpart_platform_read(app->platform, &platform);
        if (!status) status = hpart_platform_set_border_bytes(platform, (double)height() * sizeof(double));
        for (int r = 0; !status && r < app->ranks; ++r)
            if (host_copies[r] > 0)
                status = hpart_platform_set_host_link(platform, r, host_copies[r], no_bytes_counted);
        if (status) MPI_Abort(MPI_COMM_WORLD, 1); /* the others wait in hpart_mpi_measure_links */
    }
    status = hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, platform);
    if (status) stop(app, app->platform, hpart_last_error());
    return platform;
}

/* Both partitions, predicted with the communication of each, and measured. */
static void compare(struct application *app)
{
    const char *patterns[] = {"none", "chain"};
    hpart_platform *platform = platform_with_links(app);
    hpart_options *options = NULL;
    if (hpart_options_create(&options)) stop(app, "--compare", hpart_last_error());
    for (int k = 0; k < 2; ++k) {
        double predicted = 0, measured = 0;
        hpart_options_set_string(options, "communication", patterns[k]);
        if (app->rank == 0 &&
            hpart_partition(platform, HPART_OBJECTIVE_TIME, app->size, options, app->x, &predicted, NULL, NULL)) {
            fprintf(stderr, "%s\n", hpart_last_error());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Bcast(app->x, app->ranks, MPI_INT64_T, 0, MPI_COMM_WORLD);
        app->first = first_of(app->x, app->rank);
        for (int run = 0; run < RUNS; ++run) { /* the fastest counts: others shared the machine */
            double slowest = 0;
            solve(app);
            MPI_Reduce(&app->seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            measured = run == 0 ? slowest : fmin(measured, slowest);
        }
        if (app->rank != 0) continue;
        printf("communication=%s: columns", patterns[k]);
        for (int r = 0; r < app->ranks; ++r) printf(" %" PRId64, app->x[r]);
        printf("; predicted %.3g ms, measured %.3g ms an iteration\n", 1e3 * predicted, 1e3 * measured);
    }
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

int main(int argc, char **argv)
{
    struct application app;
    application_begin(&app, argc, argv, settings);
    if (settings[COMPARE].value != 0 && !app.platform) stop(&app, "--compare", "needs --platform FILE.csv --size N");
    while (next_distribution(&app)) {
        if (settings[COMPARE].value != 0) {
            compare(&app);
        } else {
            solve(&app);
            print_times(&app);
        }
    }
    return application_end(&app);
}
