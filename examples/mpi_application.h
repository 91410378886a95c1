/* The command line and the clock of the MPI applications in this folder. Each of them splits `size` units of work over its ranks:
 *   mpirun -n 3 ./app 100,200,300                      these sizes, one a rank
 *   mpirun -n 3 ./app --size 600                       equal sizes
 *   mpirun -n 3 ./app --size 600 --platform FILE.csv   the fastest sizes by the time functions of the file, one processor a rank
 *   mpirun -n 3 ./app --lines                          distributions from standard input: hpart's --protocol lines
 *   --check              compares the result with one that rank 0 computes alone
 *   --slow RANK=FACTOR   this rank repeats its work: unlike processors on a machine of like cores
 * It prints the seconds of each rank, one a line, as hpart's --time-from stdout reads them.
 *
 * A rank's time is that of its own work and messages. All ranks meet at a barrier before messages, outside of the times: a rank that waits
 * for another one does not work, and its time would hide its speed. */
#ifndef MPI_APPLICATION_H
#define MPI_APPLICATION_H

#include <hpart_mpi.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 256 };
enum kind { NUMBER, FLAG, OF_RANK }; /* "--n 512", "--adaptive", "--slow 1=3" */

/* An option of one application, and its value: the default before application_begin. A list ends with a NULL name. */
struct setting {
    const char *name;
    enum kind kind;
    double value;
};

struct application {
    int rank, ranks;
    int64_t x[MOST_RANKS]; /* the distribution */
    int64_t size, first;   /* its sum, and the part of the ranks before this one */
    int repeats;           /* of this rank's work */
    int is_checked, is_wrong;
    double seconds, started; /* of this rank */
    int reads_lines, is_done;
    const char *platform;
};

/* Ends all ranks, which all call it, with a message. */
static void stop(const struct application *app, const char *subject, const char *message)
{
    if (app->rank == 0) fprintf(stderr, "%s: %s\n", subject, message);
    MPI_Barrier(MPI_COMM_WORLD); /* the message is out before mpirun ends the others */
    MPI_Finalize();
    exit(2);
}

static void *new_array(int64_t count, size_t bytes)
{
    void *array = calloc((size_t)(count > 0 ? count : 1), bytes);
    if (!array) {
        fprintf(stderr, "no memory for %" PRId64 " elements\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return array;
}

static void set_sizes(struct application *app, const char *text, const char *separators)
{
    const char *rest = text;
    for (int r = 0; r < app->ranks; ++r) {
        char *end;
        app->x[r] = strtoll(rest, &end, 10);
        if (end == rest || app->x[r] < 0) stop(app, text, "not one size of 0 or more for each rank");
        rest = end + strspn(end, separators);
    }
    if (*rest != '\0' && *rest != '\n') stop(app, text, "more sizes than ranks");
}

static void set_equal(struct application *app, int64_t size)
{
    for (int r = 0; r < app->ranks; ++r) app->x[r] = size / app->ranks + (r < size % app->ranks);
}

/* Rank 0 reads the file and partitions; the other ranks need not see the file. */
static void set_fastest(struct application *app, int64_t size)
{
    if (app->rank == 0) {
        hpart_platform *platform = NULL;
        hpart_status status = hpart_platform_read(app->platform, &platform);
        const int is_one_a_rank = status || hpart_platform_processors(platform) == app->ranks;
        if (!status && is_one_a_rank) status = hpart_partition_time(platform, size, NULL, app->x, NULL);
        if (status || !is_one_a_rank) {
            fprintf(stderr, "%s: %s\n", app->platform, status ? hpart_last_error() : "not one processor for each rank");
            MPI_Abort(MPI_COMM_WORLD, 2); /* the other ranks wait for the sizes */
        }
        hpart_platform_destroy(platform);
    }
    MPI_Bcast(app->x, app->ranks, MPI_INT64_T, 0, MPI_COMM_WORLD);
}

static void set_option(struct application *app, struct setting *settings, const char *name, const char *value)
{
    struct setting *found = settings;
    while (found->name && strcmp(found->name, name) != 0) ++found;
    if (!found->name) stop(app, name, "no option of this application");
    if (found->kind == FLAG) {
        found->value = 1;
    } else if (found->kind == NUMBER) {
        found->value = atof(value);
        if (!(found->value >= 1)) stop(app, name, "must be 1 or more");
    } else {
        const char *equals = strchr(value, '=');
        if (!equals || atoi(value) < 0 || atoi(value) >= app->ranks || !(atof(equals + 1) >= 0))
            stop(app, name, "must be RANK=VALUE, of 0 or more");
        if (atoi(value) == app->rank) found->value = atof(equals + 1);
    }
}

static void application_begin(struct application *app, int argc, char **argv, struct setting *settings)
{
    struct setting common[] = {{"--size", NUMBER, 0}, {"--slow", OF_RANK, 1}, {NULL, FLAG, 0}};
    const char *sizes = NULL;
    memset(app, 0, sizeof *app);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &app->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &app->ranks);
    if (app->ranks > MOST_RANKS) stop(app, argv[0], "too many ranks");
    for (int k = 1; k < argc; ++k) {
        const struct setting *flag = settings;
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        while (flag->name && strcmp(flag->name, argv[k]) != 0) ++flag;
        if (argv[k][0] != '-')
            sizes = argv[k];
        else if (!strcmp(argv[k], "--check"))
            app->is_checked = 1;
        else if (!strcmp(argv[k], "--lines"))
            app->reads_lines = 1;
        else if (!strcmp(argv[k], "--platform"))
            app->platform = argv[++k];
        else if (!strcmp(argv[k], "--size") || !strcmp(argv[k], "--slow"))
            set_option(app, common, argv[k++], value);
        else
            set_option(app, settings, argv[k], value), k += flag->name && flag->kind != FLAG;
    }
    app->repeats = common[1].value < 1 ? 1 : (int)common[1].value;
    if (sizes)
        set_sizes(app, sizes, ",");
    else if (app->platform)
        set_fastest(app, (int64_t)common[0].value);
    else if (common[0].value > 0)
        set_equal(app, (int64_t)common[0].value);
    else if (!app->reads_lines)
        stop(app, argv[0], "needs sizes X,Y,..., --size N [--platform FILE.csv] or --lines");
}

/* The work before rank r. */
static int64_t first_of(const int64_t *x, int r)
{
    int64_t first = 0;
    for (int k = 0; k < r; ++k) first += x[k];
    return first;
}

/* True if there is a distribution to run. */
static int next_distribution(struct application *app)
{
    char line[4096] = "";
    if (app->is_done) return 0;
    if (app->reads_lines) {
        if (app->rank == 0 && !fgets(line, sizeof line, stdin)) line[0] = '\0';
        MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (line[0] == '\0') return 0;
        set_sizes(app, line, " ");
    }
    app->is_done = !app->reads_lines;
    app->size = first_of(app->x, app->ranks);
    app->first = first_of(app->x, app->rank);
    app->seconds = 0;
    return 1;
}

static void start_work(struct application *app) { app->started = MPI_Wtime(); }
/* Messages wait for the slowest rank, outside of the times. */
static void start_messages(struct application *app)
{
    MPI_Barrier(MPI_COMM_WORLD);
    app->started = MPI_Wtime();
}
static void stop_clock(struct application *app) { app->seconds += MPI_Wtime() - app->started; }

/* Rank 0 prints what hpart reads. */
static void print_times(const struct application *app)
{
    double seconds[MOST_RANKS];
    MPI_Gather(&app->seconds, 1, MPI_DOUBLE, seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (app->rank != 0) return;
    for (int r = 0; r < app->ranks; ++r)
        printf("%.9g%c", app->x[r] > 0 ? seconds[r] : 0.0, app->reads_lines && r + 1 < app->ranks ? ' ' : '\n');
    fflush(stdout);
}

/* On rank 0, whose result is compared. Written so that a NaN is wrong. */
static void judge(struct application *app, double error, double tolerance)
{
    const int is_right = error <= tolerance;
    fprintf(stderr, "check: largest error %.2g, tolerance %.2g: %s\n", error, tolerance, is_right ? "right" : "WRONG");
    app->is_wrong |= !is_right;
}

static int application_end(struct application *app)
{
    MPI_Bcast(&app->is_wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return app->is_wrong;
}

#endif
