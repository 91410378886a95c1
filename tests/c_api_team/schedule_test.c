/* Schedules that run, self-scheduling and tables of schedules, as a C99 program sees them. */
#include "check.h"

enum { untouched = 12345 };

static int count_rows(int64_t size, void *user)
{
    *(int64_t *)user += size;
    return size == 77;
}

/* The worked example of the WDAH thesis: makespan 6 at 16. */
static hpart_platform *two_processors(void)
{
    const int64_t sizes[] = {2, 4, 8};
    const double first[] = {2, 3, 4}, second[] = {3, 4, 6};
    hpart_platform *platform = new_platform(2);
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 3, sizes, first));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 3, sizes, second));
    return platform;
}

static hpart_options *once(void) { return options_of("min_repetitions=2 max_repetitions=2 warmup=0 overlap=allowed"); }

static void test_kernels(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = once();
    hpart_schedule *schedule = NULL;
    hpart_team *team = new_team();
    hpart_report *report = NULL;
    int64_t done[2] = {0, 0}, needed = 0;
    double makespan = -1, busy[2], utilisation[2], rows[2], sizes[16], firsts[16], processors[16];
    CHECK_OK(hpart_schedule_compute(platform, 16, NULL, &schedule));
    CHECK_REFUSED(hpart_team_run_schedule(team, schedule, options, &makespan, NULL), "the team has no processors");
    CHECK_OK(hpart_team_add(team, "first", count_rows, &done[0], NULL, NULL));
    CHECK_REFUSED(hpart_team_run_schedule(team, schedule, options, &makespan, NULL),
                  "schedule has 2 processors, the team 1");
    CHECK_OK(hpart_team_add(team, "second", count_rows, &done[1], NULL, NULL));
    CHECK_OK(hpart_team_run_schedule(team, schedule, options, &makespan, &report));
    CHECK(done[0] + done[1] == 2 * 16);
    CHECK_OK(hpart_report_get_doubles(report, "busy_seconds", busy, 2, &needed));
    CHECK_OK(hpart_report_get_doubles(report, "utilisation", utilisation, 2, &needed));
    CHECK_OK(hpart_report_get_doubles(report, "rows", rows, 2, &needed));
    CHECK(2 * rows[0] == (double)done[0] && 2 * rows[1] == (double)done[1]);
    CHECK(makespan > 0 && busy[0] >= 0 && busy[0] <= makespan * (1 + 1e-12) && busy[1] <= makespan * (1 + 1e-12));
    CHECK(utilisation[0] == busy[0] / makespan && utilisation[1] == busy[1] / makespan);
    CHECK_OK(hpart_report_get_doubles(report, "package_size", sizes, 16, &needed));
    CHECK_OK(hpart_report_get_doubles(report, "package_first", firsts, 16, &needed));
    CHECK_OK(hpart_report_get_doubles(report, "package_processor", processors, 16, &needed));
    double sum = 0;
    for (int64_t k = 0; k < needed; ++k) {
        sum += sizes[k];
        rows[processors[k] == 0 ? 0 : 1] -= sizes[k];
        for (int64_t other = 0; other < k; ++other)
            CHECK(firsts[k] + sizes[k] <= firsts[other] || firsts[other] + sizes[other] <= firsts[k]);
    }
    CHECK(sum == 16 && rows[0] == 0 && rows[1] == 0);
    CHECK(int_of(report, "repetitions") == 2);
    hpart_report_destroy(report);
    report = NULL;
    makespan = untouched;
    CHECK_REFUSED(hpart_team_run_schedule(team, NULL, options, &makespan, NULL), "schedule is NULL");
    CHECK_REFUSED(hpart_team_run_schedule(team, schedule, options, NULL, NULL), "makespan is NULL");
    CHECK_OK(hpart_options_set_int(options, "check", 1));
    CHECK_FAILS(hpart_team_run_schedule(team, schedule, options, &makespan, &report), HPART_ERR_UNSUPPORTED,
                "do not run one built-in kernel");
    CHECK_OK(hpart_options_set_int(options, "check", 0));
    hpart_schedule_destroy(schedule);
    schedule = NULL;
    CHECK_OK(hpart_schedule_compute(platform, 0, NULL, &schedule));
    CHECK_REFUSED(hpart_team_run_schedule(team, schedule, options, &makespan, NULL), "schedule has no packages");

    done[0] = done[1] = 0;
    CHECK_OK(hpart_team_self_schedule(team, "guided", 100, NULL, options, &makespan, &report));
    CHECK(done[0] + done[1] == 2 * 100 && makespan < untouched);
    hpart_report_destroy(report);
    report = NULL;
    makespan = untouched;
    CHECK_OK(hpart_options_set_int(options, "package", 77));
    CHECK_FAILS(hpart_team_self_schedule(team, "fixed", 154, NULL, options, &makespan, &report), HPART_ERR_CALLBACK,
                "size 77: the kernel returned 1");
    CHECK_REFUSED(hpart_team_self_schedule(team, "guide", 1, NULL, options, &makespan, NULL), "did you mean 'guided'?");
    CHECK_REFUSED(hpart_team_self_schedule(team, "guided", 0, NULL, options, &makespan, NULL), "size is 0");
    CHECK_FAILS(hpart_team_self_schedule(team, "fixed", 17, platform, options, &makespan, NULL), HPART_ERR_INFEASIBLE,
                "1 of 17 are left");
    CHECK_REFUSED(hpart_team_run_schedule(team, schedule, options, &makespan, NULL), "'package'");
    CHECK(makespan == untouched && report == NULL);
    hpart_schedule_destroy(schedule);
    hpart_team_destroy(team);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

/* One shared problem in packages: its rows are checked. */
static void test_builtin(void)
{
    const char *kernels[] = {"dgemm", "dgemv", "zfft"}, *dims[] = {"n=8,k=4", "n=8", "n=16"};
    hpart_platform *platform = two_processors();
    hpart_schedule *schedule = NULL;
    hpart_options *options = once();
    CHECK_OK(hpart_options_set_int(options, "check", 1));
    CHECK_OK(hpart_schedule_compute(platform, 30, NULL, &schedule));
    for (int k = 0; k < 3; ++k) {
        hpart_team *team = new_team();
        hpart_options *kernel = new_options();
        hpart_report *report = NULL;
        double makespan = -1;
        CHECK_OK(hpart_options_set_string(kernel, "dims", dims[k]));
        hpart_status status = hpart_team_add_builtin(team, "a", kernels[k], "cpu:0", kernel);
        if (status != HPART_ERR_UNSUPPORTED) { /* else without its library */
            CHECK_OK(status);
            CHECK_OK(hpart_team_add_builtin(team, "b", kernels[k], "cpu:0", kernel));
            CHECK_OK(hpart_team_run_schedule(team, schedule, options, &makespan, &report));
            CHECK(int_of(report, "checked") == 1 && makespan >= 0);
            hpart_report_destroy(report);
            report = NULL;
            CHECK_OK(hpart_team_self_schedule(team, "sigmoid", 50, NULL, options, &makespan, &report));
            hpart_report_destroy(report);
        }
        hpart_options_destroy(kernel);
        hpart_team_destroy(team);
    }
    hpart_schedule_destroy(schedule);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

/* Programs that print the functions' times: the run is the simulation. One that fails ends the call. */
static void test_programs(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = once(), *printed = options_of("time_from=stdout"),
                  *simulated = options_of("method=guided");
    hpart_schedule *schedule = NULL;
    hpart_team *team = new_team();
    double makespan = 0;
    CHECK_OK(hpart_team_add_program(
        team, "P0", "sh -c 'case {size} in 2) echo 2000;; 4) echo 3000;; 8) echo 4000;; esac'", printed));
    CHECK_OK(hpart_team_add_program(
        team, "P1", "sh -c 'case {size} in 2) echo 3000;; 4) echo 4000;; 8) echo 6000;; esac'", printed));
    CHECK_OK(hpart_schedule_compute(platform, 16, NULL, &schedule));
    CHECK_OK(hpart_team_run_schedule(team, schedule, options, &makespan, NULL));
    CHECK(makespan == 6000);
    hpart_schedule_destroy(schedule);
    schedule = NULL;
    CHECK_OK(hpart_schedule_compute(platform, 30, simulated, &schedule));
    CHECK_OK(hpart_team_self_schedule(team, "guided", 30, platform, options, &makespan, NULL));
    CHECK(makespan == 1000 * hpart_schedule_makespan(schedule));
    hpart_team_destroy(team);
    team = new_team();
    CHECK_OK(hpart_team_add_program(team, "fails", "sh -c 'test {size} -gt 2'", NULL));
    CHECK_OK(hpart_team_add_program(team, "sleeps", "sleep 1000", NULL)); /* ended at once */
    CHECK_FAILS(hpart_team_self_schedule(team, "fixed", 4, platform, options, &makespan, NULL), HPART_ERR_CALLBACK,
                "processor 'fails', size 2");
    hpart_schedule_destroy(schedule);
    hpart_team_destroy(team);
    hpart_options_destroy(simulated);
    hpart_options_destroy(printed);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

static void test_table(void)
{
    const char *path = "schedule_test_table.csv";
    const int64_t sizes[] = {2, 4, 8};
    const double faster[] = {1, 1, 1};
    hpart_platform *platform = two_processors();
    hpart_schedule *schedule = NULL, *read = NULL;
    hpart_report *report = NULL;
    double utilisation[2];
    int64_t needed = 0;
    remove(path);
    CHECK_FAILS(hpart_schedule_read(path, "app", 16, NULL, &read), HPART_ERR_IO, path);
    CHECK_OK(hpart_schedule_compute(platform, 16, NULL, &schedule));
    CHECK_OK(hpart_schedule_write(schedule, path, "app"));
    CHECK_OK(hpart_schedule_write(schedule, path, "app, once more"));
    CHECK_OK(hpart_schedule_write(schedule, path, "app")); /* replaced */
    CHECK_OK(hpart_schedule_read(path, "app", 16, platform, &read));
    CHECK(hpart_schedule_makespan(read) == 6 && hpart_schedule_tasks(read) == hpart_schedule_tasks(schedule));
    for (int64_t k = 0; k < hpart_schedule_tasks(schedule); ++k) {
        int64_t task[3], same[3];
        CHECK_OK(hpart_schedule_task(schedule, k, &task[0], &task[1], &task[2]));
        CHECK_OK(hpart_schedule_task(read, k, &same[0], &same[1], &same[2]));
        CHECK(task[0] == same[0] && task[1] == same[1] && task[2] == same[2]);
    }
    CHECK_OK(hpart_schedule_report(read, &report));
    CHECK_OK(hpart_report_get_doubles(report, "utilisation", utilisation, 2, &needed));
    CHECK(int_of(report, "optimal") == 1 && utilisation[0] == 4.0 / 6 && utilisation[1] == 1);
    hpart_report_destroy(report);
    hpart_schedule_destroy(read);
    read = NULL;
    CHECK_FAILS(hpart_schedule_read(path, "app", 17, platform, &read), HPART_ERR_INFEASIBLE, "no schedule of size 17");
    CHECK_FAILS(hpart_schedule_read(path, "ap", 16, platform, &read), HPART_ERR_INFEASIBLE, "'ap'");
    CHECK_REFUSED(hpart_schedule_read(path, "", 16, platform, &read), "application is ''");
    CHECK_REFUSED(hpart_schedule_write(schedule, path, "two\nlines"), "one line");
    CHECK_OK(hpart_platform_set_name(platform, 1, "other"));
    CHECK_FAILS(hpart_schedule_read(path, "app", 16, platform, &read), HPART_ERR_INFEASIBLE, "processors[1] is '1'");
    CHECK_OK(hpart_platform_set_name(platform, 1, "1"));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 3, sizes, faster));
    CHECK_FAILS(hpart_schedule_read(path, "app", 16, platform, &read), HPART_ERR_INFEASIBLE, "its makespan is 6 s");
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 1, sizes, faster));
    CHECK_FAILS(hpart_schedule_read(path, "app", 16, platform, &read), HPART_ERR_INFEASIBLE, "has no time at size 8");
    CHECK(read == NULL);
    CHECK_OK(hpart_schedule_read(path, "app", 16, NULL, &read)); /* as it is written */
    CHECK(hpart_schedule_makespan(read) == 6);
    CHECK_OK(hpart_schedule_write(read, path, "copy"));
    hpart_schedule_destroy(read);
    read = NULL;
    CHECK_OK(hpart_schedule_read(path, "copy", 16, NULL, &read));
    CHECK(hpart_schedule_makespan(read) == 6);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs("processor,size,time\n", file) >= 0 && fclose(file) == 0);
    CHECK_FAILS(hpart_schedule_write(schedule, path, "app"), HPART_ERR_FORMAT, "a table of schedules begins with");
    remove(path);
    hpart_schedule_destroy(read);
    hpart_schedule_destroy(schedule);
    hpart_platform_destroy(platform);
}

int main(void)
{
    test_kernels();
    test_builtin();
    test_programs();
    test_table();
    return check_result();
}
