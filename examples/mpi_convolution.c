/* 2D convolution over MPI: each point of an image becomes a weighted sum of the taps x taps points around it (a finite impulse
 * response filter), in single precision. The unit of work is a row. Each rank has x[r] rows, and needs the rows beside them from the ranks
 * that have these: several ranks, if parts are small.
 * With --adapt the application finds its own distribution: each rank measures its time function, and hpart_mpi_partition finds the fastest
 * sizes over the functions of all ranks.
 * mpicc mpi_convolution.c $(pkg-config --cflags --libs hpart-mpi) -lm && mpirun -n 3 ./a.out --check --slow 0=3 --adapt --size 600 */
#include "mpi_application.h"

#include <math.h>

enum { COLUMNS, TAPS, ADAPT };
static struct setting settings[] = {
    {"--columns", NUMBER, 512}, {"--taps", NUMBER, 9}, {"--adapt", FLAG, 0}, {NULL, FLAG, 0}};

static float pixel(int64_t row, int64_t column) { return (float)((row * 31 + column * 17) % 29) / 29; }
static float weight(int64_t i, int64_t j) { return 1 / (float)(1 + i * i + j * j); } /* of the point i rows below */

/* Rows first, first + 1, ... of the image, which has zeros around it. */
struct band {
    int64_t first, rows;
    float *data;
};

static struct band new_band(int64_t first, int64_t rows)
{
    struct band band = {first, rows, new_array(rows * (int64_t)settings[COLUMNS].value, sizeof *band.data)};
    return band;
}

/* Filters the rows of `out`, for which `in` has as many more on each side as the filter reaches. */
static void filter(const struct band *in, const struct band *out)
{
    const int64_t columns = (int64_t)settings[COLUMNS].value, reach = (int64_t)settings[TAPS].value / 2;
    for (int64_t row = out->first; row < out->first + out->rows; ++row) {
        float *sums = out->data + (row - out->first) * columns;
        memset(sums, 0, (size_t)columns * sizeof *sums);
        for (int64_t i = -reach; i <= reach; ++i)
            for (int64_t j = -reach; j <= reach; ++j) {
                const float *values = in->data + (row + i - in->first) * columns + j;
                const int64_t begin = j < 0 ? -j : 0, end = j > 0 ? columns - j : columns;
                for (int64_t k = begin; k < end; ++k) sums[k] += weight(i, j) * values[k];
            }
    }
}

static int64_t common_rows(int64_t a, int64_t a_end, int64_t b, int64_t b_end)
{
    const int64_t first = a > b ? a : b, end = a_end < b_end ? a_end : b_end;
    return end > first ? end - first : 0;
}

/* Each rank gets its rows and those beside them: rank r sends what it has of them. Rows beside the image stay 0. */
static void exchange(const struct application *app, const struct band *mine, const struct band *wide, MPI_Datatype row)
{
    const int64_t reach = (int64_t)settings[TAPS].value / 2;
    int sent[MOST_RANKS], sent_at[MOST_RANKS], got[MOST_RANKS], got_at[MOST_RANKS];
    for (int r = 0; r < app->ranks; ++r) {
        const int64_t begin = first_of(app->x, r), end = begin + app->x[r]; /* of rank r */
        const int64_t its_begin = begin - (end > begin ? reach : 0), its_end = end + (end > begin ? reach : 0);
        sent[r] = (int)common_rows(mine->first, mine->first + mine->rows, its_begin, its_end);
        sent_at[r] = (int)(its_begin > mine->first ? its_begin - mine->first : 0);
        got[r] = (int)common_rows(begin, end, wide->first, wide->first + wide->rows);
        got_at[r] = (int)(begin > wide->first ? begin - wide->first : 0);
        if (sent[r] == 0) sent_at[r] = 0;
        if (got[r] == 0) got_at[r] = 0;
    }
    MPI_Alltoallv(mine->data, sent, sent_at, row, wide->data, got, got_at, row, MPI_COMM_WORLD);
}

/* Rank 0 filters the whole image again, by the definition, in double precision. */
static void check(struct application *app, const struct band *result, MPI_Datatype row)
{
    const int64_t columns = (int64_t)settings[COLUMNS].value, reach = (int64_t)settings[TAPS].value / 2;
    float *all = new_array(app->rank == 0 ? app->size * columns : 0, sizeof *all);
    int counts[MOST_RANKS], places[MOST_RANKS];
    double error = 0, weights = 0;
    for (int r = 0; r < app->ranks; ++r) {
        counts[r] = (int)app->x[r];
        places[r] = (int)first_of(app->x, r);
    }
    MPI_Gatherv(result->data, counts[app->rank], row, all, counts, places, row, 0, MPI_COMM_WORLD);
    for (int64_t y = 0; app->rank == 0 && y < app->size; ++y)
        for (int64_t x = 0; x < columns; ++x) {
            double sum = 0;
            weights = 0;
            for (int64_t i = -reach; i <= reach; ++i)
                for (int64_t j = -reach; j <= reach; ++j) {
                    const int is_inside = y + i >= 0 && y + i < app->size && x + j >= 0 && x + j < columns;
                    sum += is_inside ? (double)weight(i, j) * (double)pixel(y + i, x + j) : 0;
                    weights += (double)weight(i, j);
                }
            error = fmax(error, fabs((double)all[y * columns + x] - sum));
        }
    if (app->rank == 0) judge(app, error, 1e-6 * weights * settings[TAPS].value);
    free(all);
}

static void convolve(struct application *app, const struct band *mine, const struct band *wide, struct band *result,
                     MPI_Datatype row)
{
    start_messages(app);
    exchange(app, mine, wide, row);
    stop_clock(app);
    start_work(app);
    for (int repeat = 0; repeat < app->repeats; ++repeat) filter(wide, result);
    stop_clock(app);
}

/* The distribution that is the fastest by functions of eight points, which all ranks measure at once. */
static void adapt(struct application *app)
{
    enum { POINTS = 8, RUNS = 5 };
    const int64_t reach = (int64_t)settings[TAPS].value / 2, step = (app->size + POINTS - 1) / POINTS;
    int64_t sizes[POINTS];
    double seconds[POINTS];
    hpart_platform *mine = NULL;
    hpart_options *options = NULL;
    for (int k = 0; k < POINTS; ++k) {
        sizes[k] = (k + 1) * step;
        struct band wide = new_band(-reach, sizes[k] + 2 * reach), result = new_band(0, sizes[k]);
        for (int run = 0; run < RUNS; ++run) { /* the fastest counts, from one barrier */
            app->seconds = 0;
            start_messages(app);
            for (int repeat = 0; repeat < app->repeats; ++repeat) filter(&wide, &result);
            stop_clock(app);
            if (run == 0 || app->seconds < seconds[k]) seconds[k] = app->seconds;
        }
        free(wide.data), free(result.data);
    }
    hpart_status status = hpart_platform_create(1, &mine);
    if (!status) status = hpart_platform_set_time_function(mine, 0, POINTS, sizes, seconds);
    if (!status) status = hpart_options_create(&options);
    if (!status) status = hpart_options_set_string(options, "interpolate", "linear"); /* sizes between the points */
    if (status) MPI_Abort(MPI_COMM_WORLD, 1); /* the others wait in hpart_mpi_partition */
    status = hpart_mpi_partition(MPI_COMM_WORLD, mine, HPART_OBJECTIVE_TIME, app->size, options, &app->first, NULL,
                                 NULL, NULL);
    if (status) stop(app, "--adapt", hpart_last_error());
    MPI_Allgather(&app->first, 1, MPI_INT64_T, app->x, 1, MPI_INT64_T, MPI_COMM_WORLD);
    app->first = first_of(app->x, app->rank);
    app->seconds = 0;
    for (int r = 0; app->rank == 0 && r < app->ranks; ++r)
        fprintf(stderr, "%s%" PRId64 "%s", r == 0 ? "adapted: " : ",", app->x[r], r + 1 < app->ranks ? "" : "\n");
    hpart_options_destroy(options);
    hpart_platform_destroy(mine);
}

static void run(struct application *app)
{
    const int64_t columns = (int64_t)settings[COLUMNS].value, reach = (int64_t)settings[TAPS].value / 2;
    MPI_Datatype row;
    if (settings[ADAPT].value != 0) adapt(app);
    const int64_t rows = app->x[app->rank], margin = rows > 0 ? reach : 0;
    struct band mine = new_band(app->first, rows), result = new_band(app->first, rows);
    struct band wide = new_band(app->first - margin, rows + 2 * margin);
    MPI_Type_contiguous((int)columns, MPI_FLOAT, &row);
    MPI_Type_commit(&row);
    for (int64_t k = 0; k < rows * columns; ++k) mine.data[k] = pixel(app->first + k / columns, k % columns);
    convolve(app, &mine, &wide, &result, row);
    print_times(app);
    if (app->is_checked) check(app, &result, row);
    MPI_Type_free(&row);
    free(mine.data), free(wide.data), free(result.data);
}

int main(int argc, char **argv)
{
    struct application app;
    application_begin(&app, argc, argv, settings);
    while (next_distribution(&app)) run(&app);
    return application_end(&app);
}
