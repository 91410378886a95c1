/* Partitions and fronts over ranks are those of one platform of all their processors: statuses, messages, values and reports, on random
 * instances, in the whole communicator, in another order of its ranks, and in two halves at once. */
#include "ranks.h"

typedef struct {
    hpart_options *flat, *mine; /* mine: rank 0's, or only this rank's previous distribution, or NULL */
} Settings;

static void set_text(Settings *settings, int rank, const char *key, const char *value)
{
    CHECK_OK(hpart_options_set_string(settings->flat, key, value));
    if (rank == 0) CHECK_OK(hpart_options_set_string(settings->mine, key, value));
}

static void set_number(Settings *settings, int rank, const char *key, double value)
{
    char text[40];
    sprintf(text, value == floor(value) ? "%.0f" : "%.17g", value);
    set_text(settings, rank, key, text);
}

static Settings random_settings(const Problem *problem, int rank, int is_front)
{
    static const char *const methods[] = {"exact", "exact", "exact", "exact", "exact",
                                          "exact", "equal", "cpm",   "fpm",   "balanced"};
    static const char *const patterns[] = {"host", "chain", "chain-any"}, *const bounds[] = {"high", "low"};
    Settings settings = {NULL, NULL};
    int64_t previous[MOST_PROCESSORS], i;
    CHECK_OK(hpart_options_create(&settings.flat));
    CHECK_OK(hpart_options_create(&settings.mine));
    if (!is_front) set_text(&settings, rank, "method", methods[random_below(10)]);
    if (!is_front && chance(20)) set_text(&settings, rank, "ties", "fewest");
    if (!is_front && chance(10)) set_text(&settings, rank, "communication", patterns[random_below(3)]);
    if (chance(20)) set_text(&settings, rank, "objective_bound", bounds[random_below(2)]);
    if (chance(50)) return settings;
    if (chance(10)) set_number(&settings, rank, "deadline", 2 + random_value(1));
    if (chance(10)) set_number(&settings, rank, "slowdown", 1 + random_value(1) / 4);
    if (chance(10)) set_number(&settings, rank, "energy_budget", random_value(1) * 8);
    if (chance(10)) set_number(&settings, rank, "max_active", (double)(1 + random_below(problem->processors)));
    if (chance(10)) set_number(&settings, rank, "block", (double)(1 + random_below(3)));
    if (chance(10)) set_text(&settings, rank, "idle_processors", "forbidden");
    if (chance(10)) set_text(&settings, rank, "interpolate", "linear");
    if (is_front && chance(20)) set_number(&settings, rank, "max_points", (double)(2 + random_below(4)));
    if (chance(20)) {
        for (i = 0; i < problem->processors; ++i) previous[i] = random_below(12);
        CHECK_OK(hpart_options_set_previous(settings.flat, problem->processors, previous));
        CHECK_OK(hpart_options_set_previous(settings.mine, problem->mine, previous + problem->first));
        if (chance(50)) set_number(&settings, rank, "max_moved", (double)random_below(20));
    }
    return settings;
}

static void destroy_settings(Settings *settings)
{
    hpart_options_destroy(settings->flat);
    hpart_options_destroy(settings->mine);
}

static void compare_reports(const hpart_report *expected, const hpart_report *found)
{
    CHECK(hpart_report_count(expected) == hpart_report_count(found));
    compare_values(expected, found);
}

static int64_t solved = 0, infeasible = 0, refused = 0;

static void count(hpart_status status)
{
    solved += status == HPART_SUCCESS;
    infeasible += status == HPART_ERR_INFEASIBLE;
    refused += status == HPART_ERR_INVALID_ARGUMENT || status == HPART_ERR_UNSUPPORTED;
}

/* wanted: bits of the outputs that this rank asks for. */
static void partition(MPI_Comm comm, const Problem *problem, const Settings *settings, int64_t size, int wanted)
{
    int64_t expected_x[MOST_PROCESSORS], x[MOST_PROCESSORS], i;
    double expected_seconds = -1, expected_joules = -1, seconds = -1, joules = -1;
    hpart_report *expected_report = NULL, *report = NULL;
    int32_t objective = (int32_t)random_below(3);
    char message[4096];
    hpart_status expected, status;
    for (i = 0; i < MOST_PROCESSORS; ++i) expected_x[i] = x[i] = -7;
    expected = hpart_partition(problem->flat, objective, size, settings->flat, expected_x, &expected_seconds,
                               &expected_joules, &expected_report);
    strcpy(message, hpart_last_error());
    status =
        hpart_mpi_partition(comm, problem->part, objective, size, settings->mine, problem->mine > 0 ? x : NULL,
                            wanted & 1 ? &seconds : NULL, wanted & 2 ? &joules : NULL, wanted & 4 ? &report : NULL);
    CHECK(status == expected);
    if (expected != HPART_SUCCESS) CHECK(strcmp(message, hpart_last_error()) == 0);
    for (i = 0; i < problem->mine; ++i)
        CHECK(x[i] == (expected == HPART_SUCCESS ? expected_x[problem->first + i] : -7));
    CHECK(x[problem->mine < MOST_PROCESSORS ? problem->mine : 0] == -7 || problem->mine == MOST_PROCESSORS);
    if (wanted & 1) CHECK(same(seconds, expected_seconds));
    if (wanted & 2) CHECK(same(joules, expected_joules));
    if (wanted & 4) {
        CHECK((report == NULL) == (expected_report == NULL));
        if (report != NULL) compare_reports(expected_report, report);
    }
    count(status);
    hpart_report_destroy(expected_report);
    hpart_report_destroy(report);
}

static void front(MPI_Comm comm, const Problem *problem, const Settings *settings, int64_t size)
{
    int64_t expected_x[MOST_PROCESSORS], x[MOST_PROCESSORS], i, k;
    double expected_seconds, expected_joules, seconds, joules;
    hpart_front *expected_front = NULL, *found = NULL;
    hpart_report *expected_report = NULL, *report = NULL;
    int32_t energy = (int32_t)random_below(2);
    char message[4096];
    hpart_status expected = hpart_front_compute(problem->flat, size, energy, settings->flat, &expected_front), status;
    strcpy(message, hpart_last_error());
    status = hpart_mpi_front_compute(comm, problem->part, size, energy, settings->mine, &found);
    CHECK(status == expected);
    count(status);
    if (expected != HPART_SUCCESS) {
        CHECK(found == NULL && strcmp(message, hpart_last_error()) == 0);
        return;
    }
    CHECK(hpart_front_count(found) == hpart_front_count(expected_front));
    CHECK(hpart_front_processors(found) == problem->mine);
    for (k = 0; k < hpart_front_count(expected_front); ++k) {
        CHECK_OK(hpart_front_point(expected_front, k, &expected_seconds, &expected_joules, expected_x));
        CHECK_OK(hpart_front_point(found, k, &seconds, &joules, x));
        CHECK(seconds == expected_seconds && joules == expected_joules);
        for (i = 0; i < problem->mine; ++i) CHECK(x[i] == expected_x[problem->first + i]);
    }
    CHECK_OK(hpart_front_report(expected_front, &expected_report));
    CHECK_OK(hpart_front_report(found, &report));
    compare_reports(expected_report, report);
    hpart_report_destroy(expected_report);
    hpart_report_destroy(report);
    hpart_front_destroy(expected_front);
    hpart_front_destroy(found);
}

/* Ranks of one communicator begin with the same seed. */
static void instances(MPI_Comm comm, uint64_t seed, int64_t number)
{
    int rank, ranks;
    int64_t k;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    random_state = seed;
    for (k = 0; k < number && check_failed == 0; ++k) {
        Problem problem = random_problem(rank, ranks);
        int is_front = chance(30);
        Settings settings = random_settings(&problem, rank, is_front);
        int64_t size = random_below(6 * problem.processors), wanted[MOST_RANKS], r;
        for (r = 0; r < ranks; ++r) wanted[r] = random_below(8);
        if (is_front)
            front(comm, &problem, &settings, size);
        else
            partition(comm, &problem, &settings, size, (int)wanted[rank]);
        destroy_settings(&settings);
        destroy(&problem);
        if (check_failed != 0) {
            fprintf(stderr, "rank %d: instance %" PRId64 " of seed %" PRIu64 " failed\n", rank, k, seed);
            MPI_Abort(comm, 1); /* the ranks no longer agree */
        }
    }
}

int main(int argc, char **argv)
{
    const char *number = getenv("HPART_TEST_INSTANCES");
    int64_t all = number == NULL ? 1000 : strtoll(number, NULL, 10);
    int rank, ranks, provided;
    MPI_Comm reversed, half;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST_RANKS) return 2;
    instances(MPI_COMM_WORLD, 1, all / 2);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    instances(reversed, 2, all / 4);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    instances(half, 3 + (uint64_t)(rank % 2), all / 4 + 10 * (rank % 2)); /* the halves are never in step */
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
    if (rank == 0)
        printf("%" PRId64 " solved, %" PRId64 " infeasible, %" PRId64 " refused\n", solved, infeasible, refused);
    CHECK(solved > all / 3 && infeasible > all / 20 && refused > all / 50);
    MPI_Finalize();
    return check_result();
}
