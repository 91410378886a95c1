/* C = A B over MPI by outer products (SUMMA). The unit of work is a row of C: rank r gets the area of x[r] rows, as rows, or with
 * --rectangles as one rectangle, which needs fewer messages. A (rows x k), B (k x n) and C (rows x n) are split alike. In each step all ranks get
 * the columns of A that stand in their rows of C, and the rows of B that stand in their columns, from the ranks that have them.
 * mpicc mpi_matmul.c $(pkg-config --cflags --libs hpart-mpi openblas) -lm && mpirun -n 3 ./a.out --check 100,200,300 */
#include "mpi_application.h"

#include <cblas.h>
#include <math.h>

enum { N, K, STEP, RECTANGLES };
static struct setting settings[] = {
    {"--n", NUMBER, 256}, {"--k", NUMBER, 256}, {"--step", NUMBER, 64}, {"--rectangles", FLAG, 0}, {NULL, FLAG, 0}};

/* Rows [row, row + height) and columns [column, column + width) of a matrix. */
struct rectangle {
    int64_t row, column, height, width;
};

static struct rectangle common_part(struct rectangle a, struct rectangle b)
{
    struct rectangle c = {a.row > b.row ? a.row : b.row, a.column > b.column ? a.column : b.column, 0, 0};
    const int64_t end_a = a.row + a.height, end_b = b.row + b.height;
    const int64_t right_a = a.column + a.width, right_b = b.column + b.width;
    c.height = (end_a < end_b ? end_a : end_b) - c.row;
    c.width = (right_a < right_b ? right_a : right_b) - c.column;
    if (c.height <= 0 || c.width <= 0) c.height = c.width = 0;
    return c;
}

/* Splits a matrix in proportion to x. */
static void tile(const struct application *app, int64_t rows, int64_t columns, struct rectangle *tiles)
{
    int64_t first_rows[MOST_RANKS], first_columns[MOST_RANKS], heights[MOST_RANKS], widths[MOST_RANKS];
    double areas[MOST_RANKS];
    for (int r = 0; r < app->ranks; ++r) {
        const int64_t begin = first_of(app->x, r) * rows / app->size, end = first_of(app->x, r + 1) * rows / app->size;
        tiles[r] = (struct rectangle){begin, 0, end - begin, columns};
        areas[r] = (double)app->x[r];
    }
    if (settings[RECTANGLES].value == 0) return;
    if (hpart_matrix_partition(app->ranks, areas, rows, columns, first_rows, first_columns, heights, widths, NULL))
        stop(app, "--rectangles", hpart_last_error());
    for (int r = 0; r < app->ranks; ++r)
        tiles[r] = (struct rectangle){first_rows[r], first_columns[r], heights[r], widths[r]};
}

/* The part of a matrix that is stored with `whole`, as an MPI type. */
static MPI_Datatype type_of(struct rectangle part, struct rectangle whole)
{
    MPI_Datatype type;
    MPI_Type_vector((int)part.height, (int)part.width, (int)whole.width, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static int64_t place(struct rectangle part, struct rectangle whole)
{
    return (part.row - whole.row) * whole.width + part.column - whole.column;
}

/* Each rank r gets wanted[r] of a matrix whose tiles the ranks have. */
static void fetch(const struct application *app, const struct rectangle *tiles, double *mine,
                  const struct rectangle *wanted, double *received)
{
    MPI_Request requests[2 * MOST_RANKS];
    int count = 0;
    for (int r = 0; r < app->ranks; ++r) {
        const struct rectangle in = common_part(tiles[r], wanted[app->rank]);
        const struct rectangle out = common_part(tiles[app->rank], wanted[r]);
        if (in.height > 0) {
            MPI_Datatype type = type_of(in, wanted[app->rank]);
            MPI_Irecv(received + place(in, wanted[app->rank]), 1, type, r, 0, MPI_COMM_WORLD, &requests[count++]);
            MPI_Type_free(&type);
        }
        if (out.height > 0) {
            MPI_Datatype type = type_of(out, tiles[app->rank]);
            MPI_Isend(mine + place(out, tiles[app->rank]), 1, type, r, 0, MPI_COMM_WORLD, &requests[count++]);
            MPI_Type_free(&type);
        }
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* The same on every rank; small integers, whose products and sums are exact. */
static double element(int matrix, int64_t i, int64_t j) { return (double)((i * 7 + j * 13 + matrix * 5) % 11 - 5); }

static double *new_tile(int matrix, struct rectangle tile)
{
    double *values = new_array(tile.height * tile.width, sizeof *values);
    for (int64_t i = 0; i < tile.height; ++i)
        for (int64_t j = 0; j < tile.width; ++j)
            values[i * tile.width + j] = element(matrix, tile.row + i, tile.column + j);
    return values;
}

/* Rank 0 gets all of C, and compares it with the sums by definition. */
static void check(struct application *app, const struct rectangle *tiles, double *c, int64_t n, int64_t k)
{
    struct rectangle wanted[MOST_RANKS] = {{0, 0, app->size, n}}; /* the others want nothing */
    double *all = new_array(app->rank == 0 ? app->size * n : 0, sizeof *all), error = 0;
    fetch(app, tiles, c, wanted, all);
    for (int64_t i = 0; app->rank == 0 && i < app->size; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l) sum += element(0, i, l) * element(1, l, j);
            error = fmax(error, fabs(all[i * n + j] - sum));
        }
    if (app->rank == 0) judge(app, error, 0);
    free(all);
}

static void multiply(struct application *app)
{
    const int64_t n = (int64_t)settings[N].value, k = (int64_t)settings[K].value, step = (int64_t)settings[STEP].value;
    struct rectangle a_tiles[MOST_RANKS], b_tiles[MOST_RANKS], c_tiles[MOST_RANKS];
    struct rectangle a_wanted[MOST_RANKS], b_wanted[MOST_RANKS];
    if (app->size == 0) { /* no proportions */
        print_times(app);
        return;
    }
    tile(app, app->size, k, a_tiles);
    tile(app, k, n, b_tiles);
    tile(app, app->size, n, c_tiles);
    const struct rectangle mine = c_tiles[app->rank];
    double *a = new_tile(0, a_tiles[app->rank]), *b = new_tile(1, b_tiles[app->rank]);
    double *c = new_array(mine.height * mine.width, sizeof *c);
    double *waste = new_array(app->repeats > 1 ? mine.height * mine.width : 0, sizeof *c);
    double *a_panel = new_array(mine.height * step, sizeof *a), *b_panel = new_array(step * mine.width, sizeof *b);
    for (int64_t first = 0; first < k; first += step) {
        const int64_t depth = first + step < k ? step : k - first;
        for (int r = 0; r < app->ranks; ++r) {
            a_wanted[r] = (struct rectangle){c_tiles[r].row, first, c_tiles[r].height, depth};
            b_wanted[r] = (struct rectangle){first, c_tiles[r].column, depth, c_tiles[r].width};
            if (c_tiles[r].height == 0 || c_tiles[r].width == 0) a_wanted[r].height = b_wanted[r].height = 0;
        }
        start_messages(app);
        fetch(app, a_tiles, a, a_wanted, a_panel);
        fetch(app, b_tiles, b, b_wanted, b_panel);
        stop_clock(app);
        if (mine.height == 0 || mine.width == 0) continue;
        start_work(app);
        for (int repeat = 0; repeat < app->repeats; ++repeat) /* all but one for nothing */
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)mine.height, (int)mine.width, (int)depth, 1,
                        a_panel, (int)depth, b_panel, (int)mine.width, 1, repeat == 0 ? c : waste, (int)mine.width);
        stop_clock(app);
    }
    print_times(app);
    if (app->is_checked) check(app, c_tiles, c, n, k);
    free(a), free(b), free(c), free(waste), free(a_panel), free(b_panel);
}

int main(int argc, char **argv)
{
    struct application app;
    application_begin(&app, argc, argv, settings);
    while (next_distribution(&app)) multiply(&app);
    return application_end(&app);
}
