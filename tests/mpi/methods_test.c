/* Methods that compute on every rank: PARALEPH's table gives the distribution and report of one process, bit by bit; nodes as processors,
 * distributed over and then within each node, give the least time and energy over all processors. */
#include "ranks.h"

enum { MOST_COPIES = 24 };

/* Identical processors, some on each rank. */
typedef struct {
    int64_t copies, mine, first, largest, unit;
    hpart_platform *flat, *part; /* part: NULL without processors */
} Alike;

/* A link within rank 0, which has all processors: both platforms can have it. */
static void set_links(Alike *alike)
{
    const double latency = random_value(1) / 16, bandwidth = 1 + random_value(1);
    if (alike->copies < 2) return;
    CHECK_OK(hpart_platform_set_link(alike->flat, 0, 1, latency, bandwidth));
    if (alike->part != NULL) CHECK_OK(hpart_platform_set_link(alike->part, 0, 1, latency, bandwidth));
}

/* is_large: enough cells for strips and threads. one_owner: rank 0 has all, with links. */
static Alike random_alike(int rank, int ranks, int is_large, int one_owner)
{
    Alike alike = {0, 0, 0, 0, 0, NULL, NULL};
    int64_t sizes[MOST_POINTS], points = 1 + random_below(MOST_POINTS), gap = is_large ? 120 : 1 + random_below(4);
    int64_t ends[MOST_RANKS + 1] = {0}, r, k;
    double seconds[MOST_POINTS], joules[MOST_POINTS];
    int is_coarse = chance(50);
    hpart_platform *node = new_platform(1);
    alike.copies = 1 + random_below(is_large ? MOST_COPIES : 9);
    alike.unit = 1 + random_below(3);
    for (k = 0; k < points; ++k) {
        alike.largest += 1 + random_below(gap);
        sizes[k] = alike.largest * alike.unit;
        seconds[k] = random_value(is_coarse);
        joules[k] = random_value(is_coarse) / (chance(30) ? 3 : 1);
    }
    alike.largest *= alike.unit;
    for (r = 1; r < ranks; ++r) ends[r] = ends[r - 1] + random_below(alike.copies - ends[r - 1] + 1);
    for (r = 1; one_owner && r < ranks; ++r) ends[r] = alike.copies;
    ends[ranks] = alike.copies;
    alike.first = ends[rank];
    alike.mine = ends[rank + 1] - ends[rank];
    CHECK_OK(hpart_platform_set_time_function(node, 0, points, sizes, seconds));
    CHECK_OK(hpart_platform_set_energy_function(node, 0, points, sizes, joules));
    CHECK_OK(hpart_platform_replicate(node, alike.copies, &alike.flat));
    if (alike.mine > 0) CHECK_OK(hpart_platform_replicate(node, alike.mine, &alike.part));
    hpart_platform_destroy(node);
    return alike;
}

static hpart_options *paraleph_options(int is_summa, int is_large)
{
    hpart_options *options = options_of("method=paraleph");
    CHECK_OK(hpart_options_set_int(options, "threads", is_large ? 1 + random_below(3) : 1));
    if (chance(10) && !is_summa) CHECK_OK(hpart_options_set_string(options, "ties", "fewest"));
    if (!is_summa) return options;
    CHECK_OK(hpart_options_set_string(options, "communication", "summa"));
    CHECK_OK(hpart_options_set_int(options, "matrix_order", 1 + random_below(6)));
    CHECK_OK(hpart_options_set_int(options, "matrix_block", 1 + random_below(3)));
    return options;
}

static int64_t solved = 0, infeasible = 0, limited = 0, over_ranks = 0, fewer_by_summa = 0;

static void compare_reports(const hpart_report *expected, const hpart_report *found, int ranks)
{
    double seconds[MOST_RANKS];
    int64_t needed = 0;
    const int64_t shared = compare_values(expected, found);
    if (hpart_report_count(found) == hpart_report_count(expected)) return; /* solved on rank 0 alone */
    CHECK(hpart_report_count(found) == hpart_report_count(expected) + 2 && shared > 5);
    CHECK_OK(hpart_report_get_doubles(found, "solve_compute_seconds", seconds, MOST_RANKS, &needed));
    CHECK(needed == ranks && seconds[0] >= 0);
    CHECK_OK(hpart_report_get_doubles(found, "solve_communication_seconds", seconds, MOST_RANKS, &needed));
    CHECK(needed == ranks && seconds[ranks - 1] >= 0);
    ++over_ranks;
}

static void paraleph(MPI_Comm comm, int rank, int ranks)
{
    const int is_large = chance(1), is_summa = chance(25);
    Alike alike = random_alike(rank, ranks, is_large, is_summa);
    int64_t size = alike.unit * random_below(alike.copies * alike.largest / alike.unit + 3) + chance(5), k;
    int64_t expected_x[MOST_COPIES] = {0}, x[MOST_COPIES] = {0}, active = 0;
    double expected_seconds = -1, expected_joules = -1, seconds = -1, joules = -1;
    hpart_report *expected_report = NULL, *report = NULL;
    hpart_options *options = paraleph_options(is_summa, is_large);
    int32_t objective = is_summa ? HPART_OBJECTIVE_TIME : (int32_t)random_below(2);
    hpart_status expected, status;
    char message[4096];
    const int is_limited =
        chance(10); /* the ranks' tables take other memory than one process's: lists in their place */
    if (is_limited) CHECK_OK(hpart_options_set_int(options, "memory_limit", 100 + random_below(4000)));
    if (is_summa) set_links(&alike);
    if (is_summa && rank > 0) CHECK(alike.mine == 0);
    expected = hpart_partition(alike.flat, objective, size, options, expected_x, &expected_seconds, &expected_joules,
                               &expected_report);
    strcpy(message, hpart_last_error());
    status = hpart_mpi_partition(comm, alike.part, objective, size, rank == 0 ? options : NULL, x, &seconds, &joules,
                                 &report);
    CHECK(status == expected || (is_limited && (status == HPART_ERR_LIMIT || expected == HPART_ERR_LIMIT)));
    if (status == expected) {
        if (expected != HPART_SUCCESS) CHECK(strcmp(message, hpart_last_error()) == 0);
        CHECK(seconds == expected_seconds && same(joules, expected_joules));
        for (k = 0; k < alike.mine; ++k) CHECK(x[k] == expected_x[alike.first + k]);
        CHECK((report == NULL) == (expected_report == NULL));
        if (report != NULL && !is_limited) compare_reports(expected_report, report, ranks);
    }
    for (k = 0; k < alike.copies; ++k) active += expected_x[k] > 0;
    solved += status == HPART_SUCCESS;
    infeasible += status == HPART_ERR_INFEASIBLE;
    limited += status == HPART_ERR_LIMIT;
    fewer_by_summa += is_summa && status == HPART_SUCCESS && active < alike.copies && active > 1;
    hpart_options_destroy(options);
    hpart_report_destroy(expected_report);
    hpart_report_destroy(report);
    hpart_platform_destroy(alike.flat);
    hpart_platform_destroy(alike.part);
}

static int64_t distributed = 0;

/* The processors of a rank are a node. */
static void two_levels(MPI_Comm comm, int rank, int ranks)
{
    Problem problem = random_problem(rank, ranks);
    int64_t size = 1 + random_below(4 * problem.processors), flat_x[MOST_PROCESSORS], x[MOST_PROCESSORS], share = 0,
            total = 0, k;
    int32_t objective = (int32_t)random_below(2);
    double value = -1, node_value = 0, seconds = -1, joules = -1;
    hpart_platform *node = NULL;
    hpart_status expected, status = HPART_ERR_INVALID_ARGUMENT;
    expected =
        hpart_partition(problem.flat, objective, size, NULL, flat_x, objective == HPART_OBJECTIVE_TIME ? &value : NULL,
                        objective == HPART_OBJECTIVE_ENERGY ? &value : NULL, NULL);
    if (problem.mine > 0) status = hpart_platform_aggregate(problem.part, objective, size, NULL, &node);
    CHECK(status == HPART_SUCCESS || (status == HPART_ERR_INVALID_ARGUMENT && node == NULL)); /* no functions */
    status = hpart_mpi_partition(comm, node, objective, size, NULL, &share, &seconds, &joules, NULL);
    CHECK(expected == status || (expected == HPART_ERR_INFEASIBLE && status == HPART_ERR_INVALID_ARGUMENT));
    if (expected == HPART_SUCCESS) {
        CHECK((objective == HPART_OBJECTIVE_TIME ? seconds : joules) == value);
        if (share > 0) {
            CHECK_OK(hpart_partition(problem.part, objective, share, NULL, x, &seconds, &joules, NULL));
            node_value = objective == HPART_OBJECTIVE_TIME ? seconds : joules;
            for (k = 0; k < problem.mine; ++k) total += x[k];
            CHECK(total == share);
        }
        MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT64_T, MPI_SUM, comm);
        MPI_Allreduce(MPI_IN_PLACE, &node_value, 1, MPI_DOUBLE, objective == HPART_OBJECTIVE_TIME ? MPI_MAX : MPI_SUM,
                      comm);
        CHECK(share == size && node_value == value);
        ++distributed;
    }
    hpart_platform_destroy(node);
    destroy(&problem);
}

/* Every rank ends at the limits of rank 0. */
static void limits(int rank, int ranks)
{
    int64_t copies = ranks + 3, sizes[400], *x = malloc((size_t)copies * sizeof *x), k;
    double seconds[400];
    hpart_platform *node = new_platform(1), *all = NULL;
    hpart_options *options = options_of("method=paraleph time_limit=0");
    for (k = 0; k < 400; ++k) {
        sizes[k] = k + 1;
        seconds[k] = random_value(0) + (double)k;
    }
    CHECK_OK(hpart_platform_set_time_function(node, 0, 400, sizes, seconds));
    CHECK_OK(hpart_platform_replicate(node, copies, &all));
    CHECK(hpart_mpi_partition(MPI_COMM_WORLD, rank == 0 ? all : NULL, HPART_OBJECTIVE_TIME, 300 * copies, options, x,
                              NULL, NULL, NULL) == HPART_ERR_LIMIT);
    CHECK_OK(hpart_options_set_double(options, "time_limit", 1000));
    CHECK_OK(hpart_options_set_progress(options, stop_at_once, NULL, NULL));
    CHECK(hpart_mpi_partition(MPI_COMM_WORLD, rank == 0 ? all : NULL, HPART_OBJECTIVE_TIME, 300 * copies, options, x,
                              NULL, NULL, NULL) == HPART_ERR_CANCELLED);
    CHECK_OK(hpart_options_set_progress(options, NULL, NULL, NULL));
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, rank == 0 ? all : NULL, HPART_OBJECTIVE_TIME, 300 * copies, options, x,
                                 NULL, NULL, NULL));
    hpart_options_destroy(options);
    hpart_platform_destroy(node);
    hpart_platform_destroy(all);
    free(x);
}

int main(int argc, char **argv)
{
    const char *number = getenv("HPART_TEST_INSTANCES");
    int64_t all = number == NULL ? 400 : strtoll(number, NULL, 10), k;
    int rank, ranks, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST_RANKS) return 2;
    for (k = 0; k < all && check_failed == 0; ++k) paraleph(MPI_COMM_WORLD, rank, ranks);
    for (k = 0; k < all / 2 && check_failed == 0; ++k) two_levels(MPI_COMM_WORLD, rank, ranks);
    if (check_failed != 0) {
        fprintf(stderr, "rank %d: instance %" PRId64 " failed\n", rank, k - 1);
        MPI_Abort(MPI_COMM_WORLD, 1); /* the ranks no longer agree */
    }
    limits(rank, ranks);
    if (rank == 0)
        printf("%" PRId64 " solved, %" PRId64 " infeasible, %" PRId64 " at a limit, %" PRId64 " over ranks, %" PRId64
               " fewer by summa; %" PRId64 " at two levels\n",
               solved, infeasible, limited, over_ranks, fewer_by_summa, distributed);
    CHECK(solved > all / 2 && infeasible > all / 50 && limited > 0 && over_ranks > all / 3 && distributed > all / 6);
    CHECK(fewer_by_summa > all / 100);
    MPI_Finalize();
    return check_result();
}
