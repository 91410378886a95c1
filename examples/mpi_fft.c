/* The 2D Fourier transform of a matrix over MPI: rows, transpose, rows, transpose. The unit of work is a row of n complex numbers: rank r
 * transforms x[r] rows, and then its share of the columns, in proportion to x. Columns are rows of the transposed matrix, for which
 * each rank sends a block to each other one.
 * mpicc mpi_fft.c $(pkg-config --cflags --libs hpart-mpi fftw3) -lm && mpirun -n 3 ./a.out --check 100,200,300 */
#include "mpi_application.h"

#include <complex.h> /* before FFTW's header: its numbers are then C's */
#include <fftw3.h>
#include <math.h>

enum { N };
static struct setting settings[] = {{"--n", NUMBER, 256}, {NULL, FLAG, 0}};

/* Lines of one length in memory, one transform each. */
struct lines {
    int64_t count, length;
    fftw_complex *data;
    fftw_plan plan;
};

static struct lines new_lines(int64_t count, int64_t length)
{
    const int n = (int)length;
    struct lines lines = {count, length, new_array(count * length, sizeof *lines.data), NULL};
    if (count > 0 && length > 0)
        lines.plan = fftw_plan_many_dft(1, &n, (int)count, lines.data, NULL, 1, n, lines.data, NULL, 1, n, FFTW_FORWARD,
                                        FFTW_ESTIMATE);
    return lines;
}

static void destroy(struct lines *lines)
{
    if (lines->plan) fftw_destroy_plan(lines->plan);
    free(lines->data);
}

/* A rank that is slow transforms a copy again and again. */
static void transform(struct application *app, struct lines *lines)
{
    if (!lines->plan) return;
    fftw_complex *copy = new_array(app->repeats > 1 ? lines->count * lines->length : 0, sizeof *copy);
    start_work(app);
    for (int repeat = 1; repeat < app->repeats; ++repeat) {
        memcpy(copy, lines->data, (size_t)(lines->count * lines->length) * sizeof *copy);
        fftw_execute_dft(lines->plan, copy, copy);
    }
    fftw_execute(lines->plan);
    stop_clock(app);
    free(copy);
}

/* Rank r has counts[r] lines of `from`, and gets lengths[r] lines of `to`: to = from^T. Rank r is sent the numbers of its lines, line by
 * line, so that it only copies stretches. */
static void transpose(struct application *app, const struct lines *from, const int64_t *counts, struct lines *to,
                      const int64_t *lengths)
{
    int sent[MOST_RANKS], sent_at[MOST_RANKS], got[MOST_RANKS], got_at[MOST_RANKS];
    fftw_complex *out = new_array(from->count * from->length, sizeof *out), *next = out;
    fftw_complex *in = new_array(to->count * to->length, sizeof *in);
    start_messages(app);
    for (int r = 0; r < app->ranks; ++r) {
        const int64_t first = first_of(lengths, r);
        sent[r] = (int)(from->count * lengths[r]);
        sent_at[r] = (int)(next - out);
        got[r] = (int)(counts[r] * to->count);
        got_at[r] = (int)(first_of(counts, r) * to->count);
        for (int64_t j = first; j < first + lengths[r]; ++j)
            for (int64_t i = 0; i < from->count; ++i) *next++ = from->data[i * from->length + j];
    }
    MPI_Alltoallv(out, sent, sent_at, MPI_C_DOUBLE_COMPLEX, in, got, got_at, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
    for (int r = 0; r < app->ranks; ++r)
        for (int64_t j = 0; j < to->count; ++j)
            memcpy(to->data + j * to->length + first_of(counts, r), in + got_at[r] + j * counts[r],
                   (size_t)counts[r] * sizeof *in);
    stop_clock(app);
    free(out), free(in);
}

static fftw_complex signal_at(int64_t at) { return sin(0.7 * (double)at) + I * cos((double)(at % 97)); }

/* Rank 0 gets the whole transform, and compares it with one by FFTW, relative to the 2-norm. */
static void check(struct application *app, const struct lines *rows)
{
    const int64_t n = rows->length, points = app->rank == 0 ? app->size * n : 0;
    fftw_complex *all = new_array(points, sizeof *all), *alone = new_array(points, sizeof *alone);
    int counts[MOST_RANKS], places[MOST_RANKS];
    double error = 0, whole = 0;
    for (int r = 0; r < app->ranks; ++r) {
        counts[r] = (int)(app->x[r] * n);
        places[r] = (int)(first_of(app->x, r) * n);
    }
    MPI_Gatherv(rows->data, counts[app->rank], MPI_C_DOUBLE_COMPLEX, all, counts, places, MPI_C_DOUBLE_COMPLEX, 0,
                MPI_COMM_WORLD);
    if (points > 0) {
        fftw_plan plan = fftw_plan_dft_2d((int)app->size, (int)n, alone, alone, FFTW_FORWARD, FFTW_ESTIMATE);
        for (int64_t k = 0; k < points; ++k) alone[k] = signal_at(k);
        fftw_execute(plan);
        fftw_destroy_plan(plan);
        for (int64_t k = 0; k < points; ++k) {
            error += pow(cabs(all[k] - alone[k]), 2);
            whole += pow(cabs(alone[k]), 2);
        }
        judge(app, sqrt(error / whole), 1e-14 * log2((double)points + 1));
    }
    free(all), free(alone);
}

static void transform_2d(struct application *app)
{
    const int64_t n = (int64_t)settings[N].value;
    int64_t columns[MOST_RANKS];
    if (app->size == 0) { /* no proportions */
        print_times(app);
        return;
    }
    for (int r = 0; r < app->ranks; ++r) /* of each rank */
        columns[r] = first_of(app->x, r + 1) * n / app->size - first_of(app->x, r) * n / app->size;
    struct lines by_row = new_lines(app->x[app->rank], n), by_column = new_lines(columns[app->rank], app->size);
    for (int64_t k = 0; k < by_row.count * n; ++k) by_row.data[k] = signal_at(app->first * n + k);
    transform(app, &by_row);
    transpose(app, &by_row, app->x, &by_column, columns);
    transform(app, &by_column);
    transpose(app, &by_column, columns, &by_row, app->x);
    print_times(app);
    if (app->is_checked) check(app, &by_row);
    destroy(&by_row);
    destroy(&by_column);
}

int main(int argc, char **argv)
{
    struct application app;
    application_begin(&app, argc, argv, settings);
    while (next_distribution(&app)) transform_2d(&app);
    return application_end(&app);
}
