/* The certified optimum over ranks, of applications that return times from a table, against brute force. */
#include "world.h"

enum { SIZES = 6, MOST_SIZE = 6 * SIZES, MOST_RANKS = 8 };

static const int64_t sizes[SIZES] = {6, 2, 1, 3, 5, 4};

/* Seconds of each processor at sizes 1 to SIZES, the same on every rank; two processors a rank. */
static double times[2 * MOST_RANKS][SIZES + 1];
static int fails_at; /* this rank's first processor */
static int runs;

static uint64_t state = 7;

static double next_time(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(1 + (state >> 33) % 1000) / 1024.0;
}

static void make_times(void)
{
    int i, k;
    for (i = 0; i < 2 * ranks; ++i)
        for (k = 1; k <= SIZES; ++k) times[i][k] = next_time();
}

static int run_table(int64_t processors, const int64_t *x, double *seconds, void *user)
{
    int64_t i;
    (void)user;
    ++runs;
    if (x[0] > 0 && x[0] == fails_at) return 3;
    for (i = 0; i < processors; ++i) seconds[i] = x[i] == 0 ? 0 : times[2 * rank + i][x[i]];
    return 0;
}

static hpart_team *team_of_table(void)
{
    hpart_team *team;
    if (!has_team(rank)) return NULL;
    team = new_team();
    CHECK_OK(hpart_team_set_application_function(team, "CPU,GPU", run_table, NULL, NULL));
    return team;
}

static hpart_options *quick_options(int64_t confirm)
{
    hpart_options *options = options_of("sizes=all warmup=0 min_repetitions=3 max_repetitions=20");
    CHECK_OK(hpart_options_set_int(options, "confirm", confirm));
    return options;
}

/* The least time of a size over all processors, by trying each size of each. A size of infinite time is not used. */
static double least_time(int64_t size)
{
    double least[MOST_SIZE + 1], before[MOST_SIZE + 1];
    int i, n, k;
    for (n = 0; n <= size; ++n) least[n] = n == 0 ? 0 : HUGE_VAL;
    for (i = 0; i < 2 * ranks; ++i) {
        if (!has_team(i / 2)) continue;
        memcpy(before, least, sizeof before);
        for (n = 0; n <= size; ++n)
            for (k = 1; k <= SIZES && k <= n; ++k)
                if (fmax(before[n - k], times[i][k]) < least[n]) least[n] = fmax(before[n - k], times[i][k]);
    }
    return least[size];
}

static double time_of_part(const int64_t x[2])
{
    double mine = 0, whole = 0;
    int i;
    for (i = 0; i < 2; ++i)
        if (x[i] > 0) mine = fmax(mine, times[2 * rank + i][x[i]]);
    MPI_Allreduce(&mine, &whole, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return whole;
}

static void check_optimum(hpart_team *team, int64_t size, int64_t confirm, int64_t points_of_all)
{
    hpart_options *options = quick_options(confirm);
    hpart_platform *measured = NULL;
    hpart_report *report = NULL;
    int64_t x[2] = {0, 0}, sum, found = 0, i, needed, points[SIZES];
    double seconds = -1;
    CHECK_OK(hpart_mpi_optimize(MPI_COMM_WORLD, team, size, SIZES, sizes, options, x, &seconds, &measured, &report));
    sum = x[0] + x[1];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size);
    CHECK(seconds == least_time(size) && seconds == time_of_part(x));
    CHECK(int_of(report, "certified") == 1 && double_of(report, "upper_bound") >= seconds &&
          double_of(report, "upper_bound") <= 1.05 * seconds);
    CHECK((measured != NULL) == (rank == 0));
    for (i = 0; measured != NULL && i < hpart_platform_processors(measured); ++i) {
        CHECK_OK(hpart_platform_get_function(measured, i, points, NULL, NULL, SIZES, &needed));
        found += needed;
    }
    if (rank == 0) CHECK(found == points_of_all);
    hpart_platform_destroy(measured);
    hpart_report_destroy(report);
    hpart_options_destroy(options);
}

static void optimum(void)
{
    hpart_team *team = team_of_table();
    int k;
    for (k = 0; k < 4; ++k) {
        make_times();
        runs = 0;
        check_optimum(team, 3 * processors_of_all(), k % 2, SIZES * processors_of_all());
        if (team != NULL) CHECK(runs > 0);
    }
    hpart_team_destroy(team);
}

/* A size that fails is left out; the report has the reason of its rank. */
static void failing_size(void)
{
    hpart_team *team = team_of_table();
    hpart_options *options = quick_options(0);
    hpart_report *report = NULL;
    char expected[128], failed[256] = "";
    int64_t x[2], needed;
    make_times();
    times[2 * last][4] = HUGE_VAL;
    fails_at = rank == last ? 4 : 0;
    check_optimum(team, 3 * processors_of_all(), 1, SIZES * processors_of_all() - 1);
    CHECK_OK(hpart_mpi_optimize(MPI_COMM_WORLD, team, 7, SIZES, sizes, options, x, NULL, NULL, &report));
    CHECK_OK(hpart_report_get_string(report, "failed", failed, sizeof failed, &needed));
    if (ranks > 1)
        sprintf(expected, "%d/CPU: 1 size, the first 4: the application returned 3", last);
    else
        sprintf(expected, "CPU: 1 size, the first 4: the application returned 3");
    CHECK(strcmp(failed, expected) == 0);
    fails_at = 0;
    hpart_report_destroy(report);
    hpart_options_destroy(options);
    hpart_team_destroy(team);
}

/* A program on each rank prints its time; the last rank's prints `text_of_last`. */
static void check_printed(const char *text_of_last, int64_t certified, const char *doubt)
{
    hpart_team *team = new_team();
    hpart_options *options = quick_options(0), *printed = options_of("time_from=stdout");
    hpart_platform *measured = NULL;
    hpart_report *report = NULL, *facts = NULL;
    char command[64], found[256] = "";
    int64_t x[1];
    sprintf(command, "echo %s", rank == last ? text_of_last : "0.000100");
    CHECK_OK(hpart_team_add_program(team, "program", command, printed));
    CHECK_OK(hpart_mpi_optimize(MPI_COMM_WORLD, team, ranks, SIZES, sizes, options, x, NULL, &measured, &report));
    CHECK(int_of(report, "certified") == certified);
    CHECK_OK(hpart_report_get_string(report, "time_doubt", found, sizeof found, NULL));
    CHECK(strncmp(found, doubt, strlen(doubt)) == 0 && (*found == '\0') == (*doubt == '\0'));
    if (rank == 0) {
        CHECK_OK(hpart_platform_report(measured, &facts));
        if (*doubt != '\0') CHECK_OK(hpart_report_get_string(facts, "time_doubt", found, sizeof found, NULL));
    }
    hpart_report_destroy(facts);
    hpart_report_destroy(report);
    hpart_platform_destroy(measured);
    hpart_options_destroy(printed);
    hpart_options_destroy(options);
    hpart_team_destroy(team);
}

/* The decimals that a program of some rank printed are known, and times that cannot be right. */
static void printed_times(void)
{
    check_printed("0.000100", 1, "");
    check_printed("0.0001", 0, "");
    check_printed("3600.000", 1, "'echo 3600.000' says that it took 3600 s");
}

static int fail_kernel(int64_t size, void *user) { return size == 5 && user != NULL ? 7 : 0; }

/* A kernel that fails ends the search, on all ranks; a progress callback too. */
static void endings(void)
{
    hpart_team *team = new_team(), *table = team_of_table();
    hpart_options *options = quick_options(0);
    int64_t x[1] = {-5}, y[2] = {-5, -5};
    double seconds = -5;
    char expected[64];
    CHECK_OK(hpart_team_add(team, "CPU", fail_kernel, rank == last ? &last : NULL, NULL, NULL));
    sprintf(expected, ranks > 1 ? "rank %d: processor 'CPU', size 5: the kernel returned 7" : "size 5: the kernel",
            last);
    /* One processor can have the whole size alone. */
    CHECK_FAILS(
        hpart_mpi_optimize(MPI_COMM_WORLD, team, ranks > 1 ? 6 : 5, SIZES, sizes, options, x, &seconds, NULL, NULL),
        HPART_ERR_CALLBACK, expected);
    CHECK(x[0] == -5 && seconds == -5);
    if (rank == 0) CHECK_OK(hpart_options_set_progress(options, stop_at_once, NULL, NULL));
    CHECK_FAILS(hpart_mpi_optimize(MPI_COMM_WORLD, table, 3, SIZES, sizes, options, y, &seconds, NULL, NULL),
                HPART_ERR_CANCELLED, "progress");
    CHECK(y[0] == -5 && seconds == -5);
    hpart_options_destroy(options);
    hpart_team_destroy(table);
    hpart_team_destroy(team);
}

static void refusals(void)
{
    hpart_team *team = team_of_table();
    hpart_options *options = new_options();
    int64_t x[2], other[1] = {0};
    CHECK_REFUSED(hpart_mpi_optimize(MPI_COMM_WORLD, NULL, 3, SIZES, sizes, NULL, NULL, NULL, NULL, NULL),
                  "no rank has a team; at least one must have one");
    CHECK_REFUSED(hpart_mpi_optimize(MPI_COMM_WORLD, team, 3, 0, sizes, NULL, x, NULL, NULL, NULL), "points is 0");
    CHECK_REFUSED(hpart_mpi_optimize(MPI_COMM_WORLD, team, -3, SIZES, sizes, NULL, x, NULL, NULL, NULL), "size is -3");
    if (has_team(last))
        CHECK_REFUSED(
            hpart_mpi_optimize(MPI_COMM_WORLD, team, 3, SIZES, sizes, NULL, rank == last ? NULL : x, NULL, NULL, NULL),
            "x is NULL");
    if (ranks > 1) {
        CHECK_REFUSED(
            hpart_mpi_optimize(MPI_COMM_WORLD, team, 3 + (rank == last), SIZES, sizes, NULL, x, NULL, NULL, NULL),
            "size is 3 on one rank and 4 on another");
        other[0] = rank == last ? 2 : 3;
        CHECK_REFUSED(hpart_mpi_optimize(MPI_COMM_WORLD, team, 3, 1, other, NULL, x, NULL, NULL, NULL),
                      "the sizes differ from those of rank 0");
    }
    if (rank == 0) CHECK_OK(hpart_options_set_string(options, "method", "exact"));
    CHECK_REFUSED(hpart_mpi_optimize(MPI_COMM_WORLD, team, 3, SIZES, sizes, options, x, NULL, NULL, NULL),
                  "option 'method'");
    CHECK(strcmp(hpart_last_error_option(), "method") == 0); /* on all ranks */
    other[0] = 5;
    CHECK_FAILS(hpart_mpi_optimize(MPI_COMM_WORLD, team, 3, 1, other, NULL, x, NULL, NULL, NULL), HPART_ERR_INFEASIBLE,
                "");
    hpart_options_destroy(options);
    hpart_team_destroy(team);
}

int main(int argc, char **argv)
{
    start_world(&argc, &argv);
    optimum();
    failing_size();
    printed_times();
    endings();
    refusals();
    MPI_Finalize();
    return check_result();
}
