/* A failure of one rank is that of all: the same status and text, and no rank waits for another. And the caller's surroundings:
 * files, messages, floating-point environment. */
#include "world.h"

#include <signal.h>
#include <sys/resource.h>

/* MPI's own function, until it is told to fail. */
static int mpi_fails = 0;

int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    if (mpi_fails) return MPI_ERR_OTHER;
    return PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
}

/* The library under which the program seems to run, or NULL: the true one. */
static const char *mpi_library = NULL;

int MPI_Get_library_version(char *version, int *length)
{
    if (!mpi_library) return PMPI_Get_library_version(version, length);
    strcpy(version, mpi_library);
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}

/* The text has the phrase, with the number of the wrong rank before it, and is that of rank 0. */
static void same_failure(hpart_status status, hpart_status expected, int wrong_rank, const char *phrase)
{
    char first[4096] = "", prefix[32] = "";
    int first_status = status;
    if (wrong_rank >= 0 && ranks > 1) sprintf(prefix, "rank %d: ", wrong_rank);
    CHECK(status == expected);
    CHECK(strstr(hpart_last_error(), phrase) != NULL);
    CHECK(strncmp(hpart_last_error(), prefix, strlen(prefix)) == 0);
    strcpy(first, hpart_last_error());
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&first_status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(strcmp(first, hpart_last_error()) == 0 && status == first_status);
}

static hpart_platform *two_processors(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4};
    static const double values[2][4] = {{1, 2, 3, 4}, {2, 3, 5, 9}};
    hpart_platform *platform = new_platform(2);
    int i;
    for (i = 0; i < 2; ++i) {
        CHECK_OK(hpart_platform_set_time_function(platform, i, 4, sizes, values[i]));
        CHECK_OK(hpart_platform_set_energy_function(platform, i, 4, sizes, values[1 - i]));
    }
    return platform;
}

static void arguments(void)
{
    hpart_platform *platform = two_processors();
    hpart_front *front = NULL;
    hpart_report *report = NULL;
    int64_t x[2] = {-7, -7};
    double seconds = -7, joules = -7;
    same_failure(
        hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, rank == last ? NULL : x, &seconds, &joules, &report),
        HPART_ERR_INVALID_ARGUMENT, last, "x is NULL");
    same_failure(hpart_mpi_front_compute(MPI_COMM_WORLD, platform, 4, 0, NULL, rank == last ? NULL : &front),
                 HPART_ERR_INVALID_ARGUMENT, last, "front is NULL");
    if (ranks > 1) {
        same_failure(
            hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4 + (rank == last), NULL, x, &seconds, NULL, &report),
            HPART_ERR_INVALID_ARGUMENT, -1, "size is 4 on one rank and 5 on another");
        same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, rank == last, 4, NULL, x, &seconds, NULL, &report),
                     HPART_ERR_INVALID_ARGUMENT, -1, "objective is 0 on one rank and 1 on another");
        same_failure(hpart_mpi_front_compute(MPI_COMM_WORLD, platform, 4, rank == last, NULL, &front),
                     HPART_ERR_INVALID_ARGUMENT, -1, "energy is 0 on one rank");
        CHECK_OK(hpart_platform_set_border_bytes(platform, rank == last ? 8 : 0));
        same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, x, &seconds, NULL, &report),
                     HPART_ERR_INVALID_ARGUMENT, -1, "border bytes are 0 on one rank and 8 on another");
        CHECK_OK(hpart_platform_set_border_bytes(platform, 0));
    }
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 9, 4, NULL, x, &seconds, NULL, &report),
                 HPART_ERR_INVALID_ARGUMENT, -1, "objective is 9");
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, -1, NULL, x, &seconds, NULL, &report),
                 HPART_ERR_INVALID_ARGUMENT, -1, "size is -1");
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, NULL, 0, 4, NULL, NULL, &seconds, NULL, &report),
                 HPART_ERR_INVALID_ARGUMENT, -1, "no rank has a processor");
    CHECK(x[0] == -7 && x[1] == -7 && seconds == -7 && joules == -7 && report == NULL && front == NULL);
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, x, NULL, NULL, NULL));
    CHECK(x[0] >= 0 && x[1] >= 0);
    hpart_platform_destroy(platform);
}

static void communicators(void)
{
    hpart_platform *platform = two_processors();
    MPI_Comm half, between;
    int64_t x[2];
    CHECK_REFUSED(hpart_mpi_partition(MPI_COMM_NULL, platform, 0, 4, NULL, x, NULL, NULL, NULL), "MPI_COMM_NULL");
    if (ranks > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
        CHECK_REFUSED(hpart_mpi_partition(between, platform, 0, 4, NULL, x, NULL, NULL, NULL), "intercommunicator");
        MPI_Comm_free(&between);
        MPI_Comm_free(&half);
    }
    mpi_fails = 1;
    CHECK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, x, NULL, NULL, NULL) == HPART_ERR_DEVICE);
    CHECK(strstr(hpart_last_error(), "MPI_Gather failed: MPI_ERR_OTHER") != NULL);
    mpi_fails = 0;
#ifdef OPEN_MPI
    mpi_library = "MPICH Version:      4.1\nMPICH ABI:          15:0:3";
#else
    mpi_library = "Open MPI v4.1.4, package: Debian OpenMPI";
#endif
    CHECK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, x, NULL, NULL, NULL) == HPART_ERR_UNSUPPORTED);
    CHECK(strstr(hpart_last_error(), "and this program runs under '") != NULL);
    CHECK(strstr(hpart_last_error(), "build hpart with the MPI of the program") != NULL);
    mpi_library = NULL;
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, x, NULL, NULL, NULL));
    hpart_platform_destroy(platform);
}

static void options(void)
{
    static const int64_t previous[] = {1, 1, 1};
    hpart_platform *platform = two_processors();
    hpart_options *set = options_of("dims=n=3");
    int64_t x[2] = {-7, -7};
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, rank == 0 ? set : NULL, x, NULL, NULL, NULL),
                 HPART_ERR_INVALID_ARGUMENT, -1, "dims");
    CHECK(x[0] == -7);
    if (ranks > 1) /* those of other ranks are ignored */
        CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, rank == 0 ? NULL : set, x, NULL, NULL, NULL));
    hpart_options_destroy(set);
    CHECK_OK(hpart_options_create(&set));
    CHECK_OK(hpart_options_set_previous(set, rank == last ? 3 : 2, previous));
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, set, x, NULL, NULL, NULL),
                 HPART_ERR_INVALID_ARGUMENT, last, "previous distribution has 3 entries; this rank has 2");
    CHECK_OK(hpart_options_set_previous(set, rank == last && ranks > 1 ? 0 : 2, previous));
    if (ranks > 1)
        same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, set, x, NULL, NULL, NULL),
                     HPART_ERR_INVALID_ARGUMENT, last, "set it on every rank");
    hpart_options_destroy(set);
    hpart_platform_destroy(platform);
}

/* A platform file may have one end of an interval: the answer is that of the file. */
static void one_sided_intervals(void)
{
    static const char *const bounds[] = {"estimate", "high", "low"};
    char path[64];
    FILE *file;
    hpart_platform *platform = NULL;
    hpart_options *set = new_options();
    int64_t expected_x[2], x[2];
    double expected = -1, seconds = -1;
    int k;
    sprintf(path, "mpi_errors_%d_of_%d.csv", rank, ranks);
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (file == NULL) return;
    fputs("processor,size,time,time_low,time_high\nA,1,1,,5\nA,2,2,,9\nB,1,3,,3.5\nB,2,4,1,\n", file);
    fclose(file);
    CHECK_OK(hpart_platform_read(path, &platform));
    remove(path);
    for (k = 0; k < 3; ++k) {
        CHECK_OK(hpart_options_set_string(set, "objective_bound", bounds[k]));
        CHECK_OK(hpart_partition_time(platform, 2, set, expected_x, &expected));
        CHECK_OK(hpart_mpi_partition(MPI_COMM_SELF, platform, 0, 2, set, x, &seconds, NULL, NULL));
        CHECK(seconds == expected && x[0] == expected_x[0] && x[1] == expected_x[1]);
    }
    hpart_options_destroy(set);
    hpart_platform_destroy(platform);
}

/* Processors of every rank that make searches long, by odd or by small sizes. */
static hpart_platform *hard(int points, int has_odd_sizes, int64_t *size)
{
    enum { processors = 24, most_points = 700 };
    static int64_t sizes[most_points];
    static double values[most_points];
    hpart_platform *platform = new_platform(processors);
    uint64_t state = 12345 + (uint64_t)rank;
    int64_t i, k;
    *size = 0;
    for (i = 0; i < processors; ++i) {
        for (k = 0; k < points; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sizes[k] = has_odd_sizes ? (k + 1) * ((int64_t)1 << 40) + (int64_t)(state >> 30) : k + 1;
            values[k] = (double)(state >> 40);
        }
        *size += sizes[points / 2];
        CHECK_OK(hpart_platform_set_time_function(platform, i, points, sizes, values));
        CHECK_OK(hpart_platform_set_energy_function(platform, i, points, sizes, values));
    }
    MPI_Allreduce(MPI_IN_PLACE, size, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return platform;
}

static void limits(void)
{
    int64_t size = 0, sum = 0, x[24], i;
    hpart_platform *platform = hard(700, 0, &size);
    hpart_options *set = options_of("memory_limit=1000");
    hpart_report *report = NULL;
    hpart_front *front = NULL;
    int calls = 0;
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 1, size, set, x, NULL, NULL, &report), HPART_ERR_LIMIT,
                 -1, "the distribution given is feasible");
    for (i = 0; i < 24; ++i) sum += x[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(int_of(report, "feasible") == 1 && sum == size);
    hpart_report_destroy(report);
    hpart_platform_destroy(platform);

    platform = hard(50, 1, &size);
    for (i = 0; i < 24; ++i) x[i] = -7;
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 1, size, set, x, NULL, NULL, &report), HPART_ERR_LIMIT,
                 -1, "before a distribution was found");
    CHECK(int_of(report, "feasible") == 0 && x[0] == -7 && x[23] == -7);
    hpart_report_destroy(report);
    same_failure(hpart_mpi_front_compute(MPI_COMM_WORLD, platform, size, 0, set, &front), HPART_ERR_LIMIT, -1,
                 "memory_limit");
    CHECK_OK(hpart_options_set_int(set, "memory_limit", (int64_t)4 << 30));
    CHECK_OK(hpart_options_set_progress(set, stop_at_once, &calls, NULL));
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 1, size, set, x, NULL, NULL, NULL), HPART_ERR_CANCELLED,
                 -1, "progress");
    CHECK(calls == (rank == 0) && front == NULL && x[0] == -7);
    hpart_options_destroy(set);
    hpart_platform_destroy(platform);
}

#ifndef HPART_TEST_SANITIZED
/* One rank cannot hold a copy of its platform. A sanitizer's own memory would not fit. */
static void memory(void)
{
    enum { points = 1 << 20 };
    int64_t *sizes = malloc(points * sizeof *sizes), k, x;
    double *seconds = malloc(points * sizeof *seconds);
    hpart_platform *platform = new_platform(1);
    struct rlimit before, tight;
    long pages = 0;
    FILE *file;
    for (k = 0; k < points; ++k) {
        sizes[k] = k + 1;
        seconds[k] = (double)k;
    }
    CHECK_OK(hpart_platform_set_time_function(platform, 0, rank == last ? points : 2, sizes, seconds));
    file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
    if (file != NULL) fclose(file);
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur = (rlim_t)pages * 4096 + (16 << 20);
    if (rank == last) setrlimit(RLIMIT_AS, &tight);
    same_failure(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 2, NULL, &x, NULL, NULL, NULL),
                 HPART_ERR_OUT_OF_MEMORY, last, "out of memory");
    setrlimit(RLIMIT_AS, &before);
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 2, NULL, &x, NULL, NULL, NULL));
    hpart_platform_destroy(platform);
    free(sizes);
    free(seconds);
}
#endif

/* A receive of the caller's that waits for any message gets none of hpart's. */
static void own_messages(void)
{
    hpart_platform *platform = two_processors();
    MPI_Request request;
    MPI_Status status;
    int got = -1, next = (rank + 1) % ranks;
    int64_t x[2];
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 0, 4, NULL, x, NULL, NULL, NULL));
    CHECK(got == -1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next, 42, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    CHECK(got == (rank + ranks - 1) % ranks && status.MPI_TAG == 42);
    hpart_platform_destroy(platform);
}

/* The caller keeps its floating-point environment; the result is that of the default one. */
static void floating_point(void)
{
    int64_t size = 0, x[24];
    hpart_platform *platform = hard(50, 0, &size);
    double default_joules = 0, joules = 0;
    CHECK_OK(hpart_platform_set_base_power(platform, 0.1 + rank));
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 2, size, NULL, x, NULL, &default_joules, NULL));
    fesetround(FE_UPWARD);
    CHECK_OK(hpart_mpi_partition(MPI_COMM_WORLD, platform, 2, size, NULL, x, NULL, &joules, NULL));
    CHECK(fegetround() == FE_UPWARD && joules == default_joules);
    fesetround(FE_TONEAREST);
    hpart_platform_destroy(platform);
}

int main(int argc, char **argv)
{
    int64_t x;
    CHECK_REFUSED(hpart_mpi_partition(MPI_COMM_WORLD, NULL, 0, 4, NULL, &x, NULL, NULL, NULL),
                  "MPI is not initialised");
    start_world(&argc, &argv);
    if (argc > 1 && rank == last) raise(SIGKILL); /* the others must not wait for ever */
    arguments();
    communicators();
    options();
    one_sided_intervals();
    limits();
#ifndef HPART_TEST_SANITIZED
    memory();
#endif
    own_messages();
    floating_point();
    MPI_Finalize();
    CHECK_REFUSED(hpart_mpi_partition(MPI_COMM_WORLD, NULL, 0, 4, NULL, &x, NULL, NULL, NULL), "MPI is finalised");
    return check_result();
}
