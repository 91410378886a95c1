/* Applications that run all processors of a team: commands and functions. */
#include "check.h"

static int runs, freed;

static int unlike(int64_t processors, const int64_t *x, double *seconds, void *user)
{
    int64_t i;
    CHECK(processors == 3 && user == &runs);
    ++runs;
    for (i = 0; i < processors; ++i) {
        CHECK(isnan(seconds[i]));
        seconds[i] = (double)x[i] / (double)(i + 1);
    }
    return x[1] > 90;
}

/* Leaves alone the times that are NaN in `given`, or writes them. */
static double given[3];
static int writes_nan;

static int as_given(int64_t processors, const int64_t *x, double *seconds, void *user)
{
    int64_t i;
    (void)x;
    (void)user;
    for (i = 0; i < processors; ++i)
        if (writes_nan || !isnan(given[i])) seconds[i] = given[i];
    return 0;
}

/* One time is the whole run's if the others are left alone; a NaN that the function writes is a failure. */
static void test_missing_times(void)
{
    const int64_t x[] = {1, 2, 3}, some[] = {0, 2, 3};
    double seconds[3];
    hpart_team *team = new_team();
    CHECK_OK(hpart_team_set_application_function(team, "A,B,C", as_given, NULL, NULL));
    given[0] = given[2] = NAN;
    given[1] = 7;
    CHECK_OK(hpart_team_execute(team, x, NULL, seconds, NULL));
    CHECK(seconds[0] == 7 && seconds[1] == 7 && seconds[2] == 7);
    CHECK_OK(hpart_team_execute(team, some, NULL, seconds, NULL));
    CHECK(seconds[0] == 0 && seconds[1] == 7 && seconds[2] == 7);
    writes_nan = 1;
    CHECK(hpart_team_execute(team, x, NULL, seconds, NULL) == HPART_ERR_CALLBACK);
    CHECK(strstr(hpart_last_error(), "time of processor 'A' is nan s") != NULL);
    CHECK(hpart_team_execute(team, some, NULL, seconds, NULL) == HPART_ERR_CALLBACK);
    CHECK(strstr(hpart_last_error(), "time of processor 'C' is nan s") != NULL);
    given[0] = given[2] = 1;
    CHECK_OK(hpart_team_execute(team, x, NULL, seconds, NULL));
    writes_nan = 0;
    given[0] = NAN;
    CHECK(hpart_team_execute(team, x, NULL, seconds, NULL) == HPART_ERR_CALLBACK);
    CHECK(strstr(hpart_last_error(), "2 of 3 times") != NULL);
    hpart_team_destroy(team);
}

static void count_free(void *user)
{
    CHECK(user == &runs);
    ++freed;
}

static void test_function(void)
{
    const int64_t sizes[] = {10, 20, 30, 60, 100};
    const int64_t half[] = {10, 0, 30};
    double seconds[3], value;
    int64_t x[3];
    hpart_team *team = new_team();
    hpart_platform *platform = NULL;
    CHECK_OK(hpart_team_set_application_function(team, "A,B,C", unlike, &runs, count_free));
    CHECK(hpart_team_processors(team) == 3);
    CHECK_OK(hpart_team_execute(team, half, NULL, seconds, NULL));
    CHECK(seconds[0] == 10 && seconds[1] == 0 && seconds[2] == 10);
    CHECK_OK(hpart_team_profile(team, 5, sizes, NULL, &platform));
    CHECK_OK(hpart_partition_time(platform, 160, NULL, x, &value));
    CHECK(x[0] + x[1] + x[2] == 160 && x[1] <= 60);
    hpart_platform_destroy(platform);
    CHECK_OK(hpart_team_optimize(team, HPART_OBJECTIVE_TIME, 120, 5, sizes, NULL, x, &value, NULL, NULL));
    CHECK(value == 30 && x[0] + x[1] + x[2] == 120);
    CHECK_REFUSED(hpart_team_set_application(team, "A,B", "true {x}", NULL), "3 processors");
    CHECK_REFUSED(hpart_team_set_application_function(team, "A,B", unlike, &runs, count_free), "3 processors");
    CHECK(runs > 10 && freed == 0);
    hpart_team_destroy(team);
    CHECK(freed == 1);
}

static void test_command(void)
{
    const int64_t x[] = {5, 7};
    double seconds[2];
    char kernel[64];
    int64_t needed;
    hpart_team *team = new_team();
    hpart_options *options = options_of("time_from=stdout");
    CHECK_REFUSED(hpart_team_set_application(team, "A, A", "echo {x1} {x2}", options), "'A'");
    CHECK_REFUSED(hpart_team_set_application(team, "A,", "echo {x1} {x2}", options), "name");
    CHECK_REFUSED(hpart_team_set_application(team, "A,B", "echo", options), "{x}");
    CHECK_REFUSED(hpart_team_set_application(team, NULL, "echo {x}", options), "names");
    CHECK_REFUSED(hpart_team_set_application(team, "A,B", NULL, options), "command");
    CHECK_REFUSED(hpart_team_set_application_function(team, "A,B", NULL, NULL, NULL), "function");
    CHECK_OK(hpart_team_set_application(team, "A, B", "echo {x1} {x2}", options));
    CHECK_OK(hpart_team_get_kernel(team, kernel, sizeof kernel, &needed));
    CHECK(strcmp(kernel, "application echo {x1} {x2} (time from stdout)") == 0);
    CHECK_OK(hpart_team_execute(team, x, NULL, seconds, NULL));
    CHECK(seconds[0] == 5 && seconds[1] == 7);
    hpart_options_destroy(options);
    hpart_team_destroy(team);
}

int main(void)
{
    test_function();
    test_missing_times();
    test_command();
    return check_result();
}
