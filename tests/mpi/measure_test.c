/* Profiles of all ranks at once, and links between them. */
#include "world.h"
#include <pthread.h>
#include <time.h>

enum { POINTS = 5, MOST_CALLS = 100000 };

static const int64_t sizes[POINTS] = {2, 4, 6, 8, 10};

typedef struct {
    int64_t called[MOST_CALLS]; /* sizes */
    int64_t calls;
    int64_t fail_at;
    int milliseconds;
} Kernel;

static Kernel kernels[2];

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static int overlaps; /* runs of this rank beside another one of it */

static int run(int64_t size, void *user)
{
    Kernel *kernel = user;
    struct timespec pause = {0, 20000};
    const int is_alone = pthread_mutex_trylock(&alone) == 0;
    if (kernel->calls < MOST_CALLS) kernel->called[kernel->calls++] = size;
    if (kernel->milliseconds > 0) pause.tv_nsec = 1000000L * kernel->milliseconds;
    nanosleep(&pause, NULL);
    if (is_alone)
        pthread_mutex_unlock(&alone);
    else
        overlaps = 1;
    return size == kernel->fail_at ? 7 : 0;
}

/* Two processors a rank; none on rank 1 of more than two. */
static hpart_team *team_of_rank(void)
{
    hpart_team *team;
    int i;
    memset(kernels, 0, sizeof kernels);
    if (!has_team(rank)) return NULL;
    team = new_team();
    CHECK_OK(hpart_team_add(team, "CPU", run, &kernels[0], NULL, NULL));
    CHECK_OK(hpart_team_add(team, "GPU", run, &kernels[1], NULL, NULL));
    CHECK_OK(hpart_team_set_kernel(team, "sleep 1"));
    for (i = 0; i < 2; ++i) kernels[i].fail_at = -1;
    return team;
}

static hpart_options *quick_options(void)
{
    return options_of("min_repetitions=3 max_repetitions=3 contaminated=kept");
}

/* This rank's team and options, and rank 0's result, of each test. */
static hpart_team *team;
static hpart_options *options;
static hpart_platform *all;

static void set_up(void)
{
    team = team_of_rank();
    options = quick_options();
}

static void tear_down(void)
{
    hpart_platform_destroy(all);
    hpart_options_destroy(options);
    hpart_team_destroy(team);
    all = NULL;
}

/* The sizes in the order of their first runs. */
static void order_of(const Kernel *kernel, int64_t order[POINTS])
{
    int64_t k, found = 0, i;
    memset(order, 0, POINTS * sizeof *order);
    for (k = 0; k < kernel->calls; ++k) {
        for (i = 0; i < found && order[i] != kernel->called[k]; ++i) {}
        if (i == found && found < POINTS) order[found++] = kernel->called[k];
    }
}

static void check_platform(void)
{
    char name[32], expected[32];
    int64_t found[POINTS], repetitions[POINTS], needed = 0, i, k;
    double seconds[POINTS];
    CHECK(hpart_platform_processors(all) == processors_of_all());
    for (i = 0; i < processors_of_all(); ++i) {
        int owner = (int)(i / 2) + (ranks > 2 && i >= 2);
        sprintf(expected, ranks > 1 ? "%d/%s" : "%.0d%s", ranks > 1 ? owner : 0, i % 2 ? "GPU" : "CPU");
        CHECK_OK(hpart_platform_get_name(all, i, name, sizeof name, NULL));
        CHECK(strcmp(name, expected) == 0);
        CHECK_OK(hpart_platform_get_function(all, i, found, seconds, NULL, POINTS, &needed));
        CHECK_OK(hpart_platform_get_intervals(all, i, NULL, NULL, NULL, NULL, repetitions, POINTS, NULL));
        CHECK(needed == POINTS);
        for (k = 0; k < POINTS; ++k) CHECK(found[k] == sizes[k] && seconds[k] >= 20e-6 && repetitions[k] == 3);
    }
    CHECK_OK(hpart_platform_get_kernel(all, name, sizeof name, NULL));
    CHECK(strcmp(name, "sleep 1") == 0);
}

static void profile(void)
{
    int64_t order[POINTS], first[POINTS];
    if (rank == last) kernels[0].milliseconds = 10; /* the others wait for it, at work */
    CHECK_OK(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all));
    CHECK((all != NULL) == (rank == 0));
    if (rank == 0) check_platform();
    order_of(&kernels[0], order);
    memcpy(first, order, sizeof first);
    MPI_Bcast(first, POINTS, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (team != NULL) CHECK(memcmp(first, order, sizeof first) == 0);
    CHECK(memcmp(first, sizes, sizeof first) != 0);
    if (team != NULL) CHECK(rank == last ? kernels[0].calls >= 4 * POINTS : kernels[0].calls > 5 * POINTS);
}

/* Equal nodes measure different sizes, and all get the points of all; one that is alone measures each. */
static void profile_of_equal_nodes(void)
{
    hpart_team *other = NULL;
    const int is_alone = ranks > 3 && rank == last; /* of its own kind */
    const int64_t kin = ranks == 4 ? 2 : processors_of_all() / 2, place = ranks > 2 && rank > 1 ? rank - 1 : rank;
    int64_t k, i, found[POINTS], needed;
    double seconds[POINTS], first[POINTS];
    CHECK_OK(hpart_options_set_string(options, "order", "given"));
    if (team != NULL && !is_alone) CHECK_OK(hpart_options_set_string(options, "alike", "node"));
    CHECK_OK(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all));
    for (k = 0; team != NULL && k < kernels[0].calls; ++k)
        CHECK(is_alone || (kernels[0].called[k] / 2 - 1) % kin == place);
    if (rank == 0) check_platform();
    for (i = 0; rank == 0 && i < 2 * kin; ++i) {
        CHECK_OK(hpart_platform_get_function(all, i, found, seconds, NULL, POINTS, &needed));
        CHECK_OK(hpart_platform_get_function(all, i % 2, found, first, NULL, POINTS, &needed));
        CHECK(memcmp(first, seconds, sizeof first) == 0);
    }
    hpart_platform_destroy(all);
    all = NULL;
    if (ranks > 1) { /* their processors have other names */
        CHECK_OK(hpart_options_set_string(options, "alike", "node"));
        other = new_team();
        CHECK_OK(hpart_team_add(other, rank == last ? "GPU" : "CPU", run, &kernels[0], NULL, NULL));
        CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, other, POINTS, sizes, options, &all),
                      "option 'alike' is 'node' on ranks 0 and ");
        CHECK(all == NULL);
    }
    hpart_team_destroy(other);
}

/* One rank after another: the others rest, so that each run is a measured one. */
static void profile_in_turns(void)
{
    int64_t order[POINTS];
    if (rank == 0) CHECK_OK(hpart_options_set_int(options, "simultaneous", 0)); /* its options order the measurements */
    overlaps = 0;
    CHECK_OK(hpart_options_set_string(options, "order", "given"));
    CHECK_OK(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, rank == 0 ? &all : NULL));
    if (rank == 0) check_platform();
    if (team != NULL) {
        CHECK(kernels[0].calls == 4 * POINTS && kernels[1].calls == 4 * POINTS); /* with the warm-up */
        order_of(&kernels[0], order);
        CHECK(memcmp(order, sizes, sizeof order) == 0);
        CHECK(overlaps == 0);
    }
}

static int64_t points_of(int64_t processor, int64_t found[POINTS])
{
    int64_t count = 0;
    CHECK_OK(hpart_platform_get_function(all, processor, found, NULL, NULL, POINTS, &count));
    return count;
}

static int has_note(const hpart_report *facts, const char *kind, const char *processor, int64_t size)
{
    char of_row[64], name[64];
    hpart_report *row = NULL;
    int64_t k, count = 0;
    int found = 0;
    CHECK_OK(hpart_report_rows(facts, "notes", &count));
    for (k = 0; k < count; ++k) {
        CHECK_OK(hpart_report_row(facts, "notes", k, &row));
        CHECK_OK(hpart_report_get_string(row, "kind", of_row, sizeof of_row, NULL));
        CHECK_OK(hpart_report_get_string(row, "processor", name, sizeof name, NULL));
        found += strcmp(of_row, kind) == 0 && strcmp(name, processor) == 0 && int_of(row, "size") == size;
        hpart_report_destroy(row);
    }
    return found;
}

/* The facts of all ranks, with the names of their processors in the whole platform. */
static void check_facts(void)
{
    hpart_report *facts = NULL;
    char words[256], name[64], expected[64];
    int i;
    CHECK_OK(hpart_platform_report(all, &facts));
    CHECK_OK(hpart_report_get_string(facts, "measured", words, sizeof words, NULL));
    CHECK(strcmp(words, "all processors at once") == 0);
    CHECK_OK(hpart_report_get_string(facts, "time_doubt", words, sizeof words, NULL));
    CHECK(strstr(words, "'echo 3600' says that it took 3600 s") != NULL);
    for (i = 0; i < ranks; ++i) {
        sprintf(expected, ranks > 1 ? "%d/program" : "program", i);
        if (has_team(i)) CHECK(has_note(facts, "failed", expected, 4) && !has_note(facts, "failed", expected, 6));
    }
    CHECK_OK(hpart_platform_get_name(all, 0, name, sizeof name, NULL));
    CHECK(!has_note(facts, "failed", name, 4));
    hpart_report_destroy(facts);
}

/* A program fails at one size, on all ranks: that point is missing, and the ranks go on to keep each other company. */
static void a_failing_program(void)
{
    static const int64_t others[POINTS - 1] = {2, 6, 8, 10};
    int64_t found[POINTS], i, k, last_calls = 0;
    hpart_options *printed = options_of("time_from=stdout");
    CHECK_OK(hpart_options_set_string(options, "order", "given"));
    if (rank == last) kernels[0].milliseconds = 50;
    if (team != NULL) CHECK_OK(hpart_team_add_program(team, "program", "sh -c \"test {size} != 4\"", NULL));
    if (rank == last) CHECK_OK(hpart_team_add_program(team, "long", "echo 3600", printed));
    hpart_options_destroy(printed);
    CHECK_OK(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all));
    for (i = 0; rank == 0 && i < processors_of_all() / 2 * 3; ++i) {
        k = points_of(i, found);
        CHECK(k == (i % 3 == 2 ? POINTS - 1 : POINTS));
        CHECK(memcmp(found, i % 3 == 2 ? others : sizes, (size_t)k * sizeof *found) == 0);
    }
    if (rank == 0) check_facts();
    for (k = 0; k < kernels[1].calls; ++k) last_calls += kernels[1].called[k] == sizes[POINTS - 1];
    if (team != NULL && ranks > 1 && rank != last) CHECK(last_calls > 4);
}

/* One rank can run no size at all; then no rank can. */
static void no_size_at_all(void)
{
    int64_t found[POINTS], i;
    hpart_team_destroy(team);
    team = new_team();
    CHECK_OK(hpart_team_add_program(team, "program", rank == last ? "false" : "true", NULL));
    if (ranks > 1) {
        CHECK_OK(hpart_mpi_profile(MPI_COMM_WORLD, team, 2, sizes, options, &all));
        for (i = 0; rank == 0 && i < ranks; ++i) CHECK(points_of(i, found) == (i == last ? 0 : 2));
        hpart_platform_destroy(all);
        all = NULL;
    }
    hpart_team_destroy(team);
    team = new_team();
    CHECK_OK(hpart_team_add_program(team, "program", "false", NULL));
    CHECK_FAILS(hpart_mpi_profile(MPI_COMM_WORLD, team, 2, sizes, options, &all), HPART_ERR_CALLBACK,
                "no point could be measured");
    CHECK(all == NULL);
}

static int read_meter(void *user, double *value, double *time_seconds)
{
    struct timespec now;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *time_seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    *value = 100; /* watts */
    return 0;
}

static void energies(void)
{
    hpart_meter *meter = NULL;
    double joules[2], seconds[2], watts = 0;
    int64_t needed = 0, i;
    CHECK_OK(hpart_meter_create("constant", read_meter, HPART_WATTS, 1e-5, 0, NULL, NULL, &meter));
    if (team != NULL) CHECK_OK(hpart_team_set_meter(team, -1, meter));
    CHECK_OK(hpart_options_set_double(options, "base_power", 40));
    CHECK_OK(hpart_mpi_profile(MPI_COMM_WORLD, team, 2, sizes, options, &all));
    if (rank == 0) {
        CHECK_OK(hpart_platform_get_base_power(all, &watts));
        CHECK(watts == 40 * (double)(processors_of_all() / 2));
        for (i = 0; i < processors_of_all(); ++i) {
            CHECK_OK(hpart_platform_get_function(all, i, NULL, seconds, joules, 2, &needed));
            CHECK(needed == 2 && joules[0] > 0 && joules[1] > 0);
        }
    }
    if (team != NULL) CHECK_OK(hpart_team_set_meter(team, -1, NULL));
    hpart_meter_close(meter);
}

static void refused(void)
{
    static const int64_t others[POINTS] = {2, 4, 6, 8, 11}, twice[3] = {2, 4, 2}, negative[2] = {2, -3};
    char prefix[32] = "";
    if (ranks > 1) sprintf(prefix, "rank %d: ", last);
    if (rank == last) kernels[1].fail_at = 6;
    CHECK_FAILS(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all), HPART_ERR_CALLBACK,
                "returned 7");
    CHECK(strncmp(hpart_last_error(), prefix, strlen(prefix)) == 0);
    kernels[1].fail_at = -1;
    if (rank == last) CHECK_OK(hpart_options_set_progress(options, stop_at_once, NULL, NULL));
    CHECK_FAILS(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all), HPART_ERR_CANCELLED, prefix);
    CHECK_OK(hpart_options_set_progress(options, NULL, NULL, NULL));
    if (ranks > 1) {
        CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, rank == last ? others : sizes, options, &all),
                      "sizes differ from those of rank 0");
        CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS - (rank == last), sizes, options, &all),
                      "sizes differ from those of rank 0");
    }
    CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, rank == last ? 0 : POINTS, sizes, options, &all),
                  "points is 0");
    CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, 3, twice, options, &all),
                  "sizes[2] is 2, which stands in sizes already");
    CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, 2, negative, options, &all), "sizes[1] is -3");
    CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, NULL, POINTS, sizes, options, &all), "no rank has a team");
    CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, NULL), "all is NULL");
    CHECK_OK(hpart_options_set_string(options, "max_sizes", "7"));
    CHECK_REFUSED(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all), "'max_sizes' does not belong");
    CHECK(all == NULL);
    hpart_options_destroy(options);
    options = quick_options();
    CHECK_OK(
        hpart_options_set_double(options, "max_total_seconds", 1e-9)); /* for the first size, and it ends the others */
    CHECK_FAILS(hpart_mpi_profile(MPI_COMM_WORLD, team, POINTS, sizes, options, &all), HPART_ERR_LIMIT,
                "1e-09 s, did not suffice");
    CHECK((all != NULL) == (rank == 0));
}

static void check_links(const int *owners, int is_ring)
{
    double latency, bandwidth, back_latency, back_bandwidth;
    int64_t i, j;
    for (i = 0; i < hpart_platform_processors(all); ++i)
        for (j = 0; j < hpart_platform_processors(all); ++j) {
            if (i == j) continue;
            CHECK_OK(hpart_platform_get_link(all, i, j, &latency, &bandwidth));
            CHECK_OK(hpart_platform_get_link(all, j, i, &back_latency, &back_bandwidth));
            CHECK(latency == back_latency && (is_ring || bandwidth == back_bandwidth));
            if (owners[i] == owners[j])
                CHECK(latency == 0.5 && bandwidth == 7);
            else /* of one machine */
                CHECK(latency > 1e-9 && latency < 0.4 && bandwidth > 1e6 && bandwidth < 1e13);
        }
}

/* The library's calls come here: the communicator seems to have so many ranks. 0: as many as it has. */
static int pretended_ranks = 0;
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    const int status = PMPI_Comm_size(comm, size);
    if (pretended_ranks > 0) *size = pretended_ranks;
    return status;
}

static void too_many_ranks(void)
{
    if (rank == 0) CHECK_OK(hpart_platform_create(ranks, &all));
    pretended_ranks = 1025;
    CHECK_FAILS(hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, all), HPART_ERR_UNSUPPORTED,
                "the communicator has 1025 ranks; the links of at most 1024");
    pretended_ranks = 0;
    CHECK_OK(hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, all));
}

static void links(void)
{
    hpart_options *ways = new_options();
    int owners[64], i, j;
    char name[32];
    if (rank == 0) CHECK_OK(hpart_platform_create(ranks + 2, &all));
    if (rank == 0 && ranks > 1) /* without names nobody knows the owners */
        CHECK_REFUSED(hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, all), "names must be \"r/NAME\"");
    else if (ranks > 1)
        CHECK_REFUSED(hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, NULL), "names must be \"r/NAME\"");
    for (i = 0; i < ranks + 2; ++i) {
        owners[i] = i < 2 ? 0 : i - 2; /* rank 0 has three */
        sprintf(name, "%d/p%d", owners[i], i);
        if (rank == 0) CHECK_OK(hpart_platform_set_name(all, i, name));
    }
    for (i = 0; i < ranks + 2 && rank == 0; ++i)
        for (j = 0; j < ranks + 2; ++j)
            if (i != j) CHECK_OK(hpart_platform_set_link(all, i, j, 0.5, 7));
    CHECK_OK(hpart_mpi_measure_links(MPI_COMM_WORLD, ways, all));
    if (rank == 0) check_links(owners, 0);
    hpart_platform_destroy(all);
    all = NULL;

    for (i = 0; i < ranks; ++i) owners[i] = i;
    if (rank == 0) CHECK_OK(hpart_platform_create(ranks, &all));
    CHECK_OK(hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, all));
    if (rank == 0) check_links(owners, 0);
    CHECK_OK(hpart_options_set_string(ways, "bandwidth", "ring"));
    if (ranks > 1) /* on one rank alone */
        CHECK_REFUSED(hpart_mpi_measure_links(MPI_COMM_WORLD, rank == last ? ways : NULL, all), "'bandwidth'");
    CHECK_OK(hpart_mpi_measure_links(MPI_COMM_WORLD, ways, all));
    if (rank == 0) check_links(owners, 1);
    CHECK_REFUSED(hpart_mpi_measure_links(MPI_COMM_WORLD, NULL, NULL), "all is NULL");
    CHECK_OK(hpart_options_set_string(ways, "ties", "fewest"));
    CHECK_REFUSED(hpart_mpi_measure_links(MPI_COMM_WORLD, rank == last ? ways : NULL, all), "does not belong");
    hpart_options_destroy(ways);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {
        profile, profile_of_equal_nodes, profile_in_turns, a_failing_program, no_size_at_all, energies, refused,
        links,   too_many_ranks};
    start_world(&argc, &argv);
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
        set_up();
        tests[k]();
        tear_down();
    }
    MPI_Finalize();
    return check_result();
}
