/* The team calls of hpart.h as a C99 program sees them. */
#include "check.h"

enum { untouched = 12345, by_time = HPART_OBJECTIVE_TIME };

struct counter {
    int calls;
    int fail_at_size; /* 0: never */
    int freed;
};

static int count_calls(int64_t size, void *user)
{
    struct counter *counter = user;
    __atomic_fetch_add(&counter->calls, 1, __ATOMIC_RELAXED);
    return counter->fail_at_size != 0 && size == counter->fail_at_size ? 7 : 0;
}

static void count_free(void *user) { ++((struct counter *)user)->freed; }

/* The team and options of each test. */
static struct counter first, second;
static hpart_team *team;
static hpart_options *options;

static void set_up(void)
{
    first = second = (struct counter){0, 0, 0};
    team = new_team();
    CHECK_OK(hpart_team_add(team, "first", count_calls, &first, count_free, "0"));
    CHECK_OK(hpart_team_add(team, "second", count_calls, &second, count_free, NULL));
    CHECK(hpart_team_processors(team) == 2);
    options = options_of("min_repetitions=2 max_repetitions=3");
}

static void tear_down(void)
{
    hpart_options_destroy(options);
    hpart_team_destroy(team);
    CHECK(first.freed == 1 && second.freed == 1);
}

static void test_optimize(void)
{
    hpart_platform *measured = NULL;
    hpart_report *report = NULL;
    const int64_t sizes[] = {8, 2, 4, 6}, wrong[] = {2, 2};
    int64_t x[2] = {-1, -1}, known = 0, counts[8];
    double seconds = untouched;
    CHECK_OK(hpart_team_optimize(team, by_time, 10, 4, sizes, options, x, &seconds, &measured, &report));
    CHECK(x[0] + x[1] == 10 && x[0] % 2 == 0 && x[0] >= 0 && x[1] >= 0);
    CHECK(seconds >= 0 && seconds < untouched);
    CHECK(hpart_platform_processors(measured) == 2);
    CHECK_OK(hpart_platform_get_intervals(measured, 0, NULL, NULL, NULL, NULL, counts, 8, &known));
    CHECK(known > 0 && counts[0] >= 2);
    CHECK(first.calls > 0 && second.calls > 0);
    hpart_platform_destroy(measured);
    hpart_report_destroy(report);
    measured = NULL;
    report = NULL;
    CHECK_OK(hpart_options_set_int(options, "confirm", 0));
    CHECK_OK(hpart_team_optimize(team, by_time, 10, 4, sizes, options, x, NULL, NULL, NULL));
    x[0] = -7;
    CHECK_FAILS(hpart_team_optimize(team, by_time, 5, 4, sizes, options, x, NULL, NULL, NULL), HPART_ERR_INFEASIBLE,
                "size 5");
    CHECK_REFUSED(hpart_team_optimize(team, HPART_OBJECTIVE_TOTAL_ENERGY, 10, 4, sizes, options, x, NULL, NULL, NULL),
                  "has no meter");
    CHECK_REFUSED(hpart_team_optimize(team, 7, 10, 4, sizes, options, x, NULL, NULL, NULL), "objective is 7");
    CHECK_REFUSED(hpart_team_optimize(team, by_time, 0, 4, sizes, options, x, NULL, NULL, NULL), "size is 0");
    CHECK_REFUSED(hpart_team_optimize(team, by_time, 10, 0, sizes, options, x, NULL, NULL, NULL), "points is 0");
    CHECK_REFUSED(hpart_team_optimize(team, by_time, 10, 2, wrong, options, x, NULL, NULL, NULL), "2 twice");
    CHECK_REFUSED(hpart_team_optimize(team, by_time, 10, 4, NULL, options, x, NULL, NULL, NULL), "sizes is NULL");
    CHECK_REFUSED(hpart_team_optimize(team, by_time, 10, 4, sizes, options, NULL, NULL, NULL, NULL), "x is NULL");
    CHECK_REFUSED(hpart_team_optimize(NULL, by_time, 10, 4, sizes, options, x, NULL, NULL, NULL), "team is NULL");
    first.fail_at_size = 2;
    CHECK_FAILS(hpart_team_optimize(team, by_time, 2, 1, sizes + 1, options, x, NULL, &measured, &report),
                HPART_ERR_CALLBACK, "size 2");
    CHECK(x[0] == -7 && measured == NULL && report == NULL);
}

static void test_bad_additions(void)
{
    hpart_team *other = NULL;
    struct counter counter = {0, 0, 0};
    CHECK_REFUSED(hpart_team_create(NULL), "team is NULL");
    CHECK_OK(hpart_team_create(&other));
    CHECK_REFUSED(hpart_team_add(NULL, "a", count_calls, NULL, NULL, NULL), "team is NULL");
    CHECK_REFUSED(hpart_team_add(other, NULL, count_calls, NULL, NULL, NULL), "name is NULL");
    CHECK_REFUSED(hpart_team_add(other, "a", NULL, &counter, count_free, NULL), "kernel");
    CHECK_REFUSED(hpart_team_add(other, "", count_calls, &counter, count_free, NULL), "name");
    CHECK_REFUSED(hpart_team_add(other, "a,b", count_calls, &counter, count_free, NULL), "a,b");
    CHECK_REFUSED(hpart_team_add(other, "a", count_calls, &counter, count_free, "100000"), "core 100000 is not here");
    CHECK_REFUSED(hpart_team_add(other, "a", count_calls, &counter, count_free, "0,"), "'0,'");
    CHECK_OK(hpart_team_add(other, "a", count_calls, &counter, count_free, NULL));
    CHECK_REFUSED(hpart_team_add(other, "a", count_calls, &counter, count_free, NULL), "already");
    CHECK(counter.freed == 0);
    CHECK_REFUSED(hpart_team_add_builtin(other, NULL, "dgemm", "gpu", NULL), "dims");
    CHECK_REFUSED(hpart_team_add_builtin(other, NULL, "sort", "cpu:0", NULL), "'sort'");
    CHECK_REFUSED(hpart_team_add_builtin(other, NULL, NULL, "cpu:0", NULL), "kernel is NULL");
    CHECK_REFUSED(hpart_team_add_builtin(other, NULL, "dgemm", NULL, NULL), "processor is NULL");
    CHECK(hpart_team_processors(other) == 1);
    hpart_team_destroy(other);
    CHECK(counter.freed == 1);
}

static void test_measure(void)
{
    hpart_report *report = NULL;
    const int64_t x[2] = {5, 0};
    double seconds[2] = {untouched, untouched};
    double values[6] = {0};
    int64_t needed = 0;
    CHECK_OK(hpart_team_measure(team, x, options, seconds, NULL, &report));
    CHECK(seconds[0] >= 0 && seconds[0] < untouched && seconds[1] == 0);
    CHECK(second.calls == 0);
    CHECK(first.calls == int_of(report, "repetitions") + 1);
    CHECK_OK(hpart_report_get_doubles(report, "samples", values, 6, &needed));
    CHECK(needed == 2 * int_of(report, "repetitions") && values[1] == 0);
    CHECK(hpart_report_get_doubles(report, "interval_low", values, 2, &needed) == HPART_SUCCESS && needed == 2);
    CHECK(values[0] <= seconds[0]);
    hpart_report_destroy(report);
}

static void test_bad_measure(void)
{
    hpart_team *empty = new_team();
    hpart_report *report = NULL;
    const int64_t good[2] = {1, 1}, negative[2] = {1, -4}, failing[2] = {1, 13}, huge[2] = {INT64_MAX, 1};
    double seconds[2] = {untouched, untouched}, joules = untouched;
    second.fail_at_size = 13;
    CHECK_REFUSED(hpart_team_measure(NULL, good, options, seconds, NULL, &report), "team");
    CHECK_REFUSED(hpart_team_measure(empty, good, options, seconds, NULL, &report), "no processors");
    CHECK_REFUSED(hpart_team_measure(team, NULL, options, seconds, NULL, &report), "x is");
    CHECK_REFUSED(hpart_team_measure(team, good, options, NULL, NULL, &report), "mean_seconds");
    CHECK_REFUSED(hpart_team_measure(team, good, options, seconds, &joules, &report), "has no meter");
    CHECK_REFUSED(hpart_team_measure(team, negative, options, seconds, NULL, &report), "x[1] is -4");
    CHECK_REFUSED(hpart_team_measure(team, huge, options, seconds, NULL, &report), "sum");
    CHECK(first.calls == 0);
    CHECK_FAILS(hpart_team_measure(team, failing, options, seconds, NULL, &report), HPART_ERR_CALLBACK,
                "processor 'second', size 13: the kernel returned 7");
    CHECK_OK(hpart_options_set_int(options, "check", 1));
    CHECK_REFUSED(hpart_team_measure(team, good, options, seconds, NULL, &report), "'check' does not belong");
    CHECK(seconds[0] == untouched && seconds[1] == untouched && joules == untouched && report == NULL);
    hpart_team_destroy(empty);
}

static void test_cancel(void)
{
    hpart_platform *platform = NULL;
    const int64_t x[2] = {1, 1};
    double seconds[2] = {untouched, untouched};
    int told = 0;
    CHECK_OK(hpart_options_set_progress(options, stop_at_once, &told, NULL));
    CHECK_FAILS(hpart_team_measure(team, x, options, seconds, NULL, NULL), HPART_ERR_CANCELLED, "at: warming up");
    CHECK_REFUSED(hpart_team_profile(team, 2, x, options, &platform), "distinct");
    CHECK_FAILS(hpart_team_profile(team, 1, x, options, &platform), HPART_ERR_CANCELLED, "size 1");
    CHECK(told == 2 && seconds[0] == untouched && platform == NULL);
}

/* Some rounds of at most two distributions have ended by then, with their uncounted runs. */
static int stop_after_runs(double fraction, const char *what, void *user)
{
    (void)fraction;
    (void)what;
    return __atomic_load_n((int *)user, __ATOMIC_RELAXED) >= 20;
}

static void test_cancel_keeps_repetitions(void)
{
    const int64_t x[4] = {1, 1, 2, 0};
    hpart_options *endless = options_of("precision=1e-6 min_repetitions=1000000000 max_repetitions=1000000000");
    hpart_report *report = NULL;
    double seconds[2] = {untouched, untouched};
    int64_t repetitions = 0;
    char reason[32];
    CHECK_OK(hpart_options_set_progress(endless, stop_after_runs, &first.calls, NULL));
    CHECK_FAILS(hpart_team_measure(team, x, endless, seconds, NULL, &report), HPART_ERR_CANCELLED, "repetitions");
    CHECK_OK(hpart_report_get_int(report, "repetitions", &repetitions));
    CHECK(repetitions >= 2 && seconds[0] >= 0 && seconds[1] >= 0 && seconds[0] != untouched);
    CHECK_OK(hpart_report_get_string(report, "stop_reason", reason, sizeof reason, NULL));
    CHECK(strcmp(reason, "cancelled") == 0);
    hpart_report_destroy(report);
    report = NULL;
    first.calls = 0;
    seconds[0] = seconds[1] = untouched;
    CHECK_FAILS(hpart_team_compare(team, 2, x, endless, seconds, &report), HPART_ERR_CANCELLED, "rounds");
    CHECK_OK(hpart_report_get_int(report, "repetitions", &repetitions));
    CHECK(repetitions >= 2 && seconds[0] >= 0 && seconds[1] >= 0 && seconds[0] != untouched);
    CHECK_OK(hpart_report_get_string(report, "stop_reason", reason, sizeof reason, NULL));
    CHECK(strcmp(reason, "cancelled") == 0);
    hpart_report_destroy(report);
    hpart_options_destroy(endless);
}

static void test_profile(void)
{
    hpart_platform *platform = NULL;
    const int64_t sizes[3] = {30, 10, 20}, bad[2] = {3, 0};
    int64_t found[3] = {0, 0, 0}, needed = 0;
    CHECK_REFUSED(hpart_team_profile(team, 0, sizes, options, &platform), "points is 0");
    CHECK_REFUSED(hpart_team_profile(team, 3, NULL, options, &platform), "sizes is NULL");
    CHECK_REFUSED(hpart_team_profile(team, 3, sizes, options, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_team_profile(team, 2, bad, options, &platform), "sizes[1] is 0");
    CHECK(platform == NULL && first.calls == 0);
    CHECK_OK(hpart_team_profile(team, 3, sizes, options, &platform));
    CHECK(hpart_platform_processors(platform) == 2);
    CHECK(hpart_platform_get_function(platform, 1, found, NULL, NULL, 3, &needed) == HPART_SUCCESS && needed == 3);
    CHECK(found[0] == 10 && found[1] == 20 && found[2] == 30);
    hpart_platform_destroy(platform);
}

static void test_links(void)
{
    struct counter third = {0, 0, 0};
    hpart_platform *platform = new_platform(3), *other = new_platform(2);
    double latency = 0, bandwidth = 0, joules = 0;
    const char *ways[] = {"bandwidth=ping-pong", "bandwidth=ring"};
    CHECK_OK(hpart_team_add(team, "third", count_calls, &third, NULL, "0"));
    CHECK_OK(hpart_platform_set_link_energy(platform, 0, 2, 1e-9));
    for (int k = 0; k < 2; ++k) {
        hpart_options *way = options_of(ways[k]);
        CHECK_OK(hpart_team_measure_links(team, way, platform));
        for (int from = 0; from < 3; ++from)
            for (int to = 0; to < 3; ++to) {
                CHECK_OK(hpart_platform_get_link(platform, from, to, &latency, &bandwidth));
                CHECK(from == to || (latency > 0 && latency < 1 && bandwidth > 1e6 && bandwidth < 1e13));
            }
        hpart_options_destroy(way);
    }
    CHECK_OK(hpart_platform_get_link_energy(platform, 0, 2, &joules));
    CHECK(joules == 1e-9 && first.calls == 0);
    CHECK_REFUSED(hpart_team_measure_links(team, NULL, other), "2 processors, the team 3");
    CHECK_REFUSED(hpart_team_measure_links(team, NULL, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_team_measure_links(NULL, NULL, platform), "team is NULL");
    hpart_platform_destroy(other);
    hpart_platform_destroy(platform);
}

static void test_kernel_names(void)
{
    CHECK_REFUSED(hpart_team_set_kernel(NULL, "heat 1.3"), "team is NULL");
    CHECK_REFUSED(hpart_team_set_kernel(team, NULL), "kernel is NULL");
    CHECK_REFUSED(hpart_team_set_kernel(team, "two\nlines"), "one line");
    CHECK_OK(hpart_team_set_kernel(team, "heat 1.3"));
}

static void test_shared_cores(void)
{
    struct counter third = {0, 0, 0};
    hpart_report *report = NULL;
    const int64_t both[3] = {1, 0, 2}, one[3] = {0, 0, 3};
    char warning[8] = "none";
    double seconds[3];
    int64_t needed = 0;
    CHECK_OK(hpart_team_add(team, "third", count_calls, &third, NULL, "0"));
    CHECK_REFUSED(hpart_team_measure(team, both, options, seconds, NULL, NULL), "'first' and 'third' share core 0");
    CHECK_REFUSED(hpart_team_execute(team, both, NULL, seconds, NULL), "share core 0");
    CHECK(first.calls + third.calls == 0);
    CHECK_OK(hpart_team_measure(team, one, options, seconds, NULL, NULL));
    CHECK_OK(hpart_options_set_string(options, "overlap", "allowed"));
    CHECK_OK(hpart_team_measure(team, both, options, seconds, NULL, &report));
    CHECK_OK(hpart_report_get_string(report, "binding_warning", warning, sizeof warning, &needed));
    CHECK(int_of(report, "binding_kept") == 1 && warning[0] == '\0');
    hpart_report_destroy(report);
}

static void test_execute(void)
{
    hpart_options *check = options_of("check=1");
    hpart_report *report = NULL;
    const int64_t x[2] = {3, 4}, nothing[2] = {0, 0};
    double seconds[2] = {untouched, untouched};
    CHECK_OK(hpart_team_execute(team, x, NULL, seconds, &report));
    CHECK(first.calls == 2 && second.calls == 2 && seconds[0] < untouched && seconds[1] < untouched);
    CHECK(int_of(report, "checked") == 0);
    hpart_report_destroy(report);
    CHECK(hpart_team_execute(team, nothing, NULL, seconds, NULL) == HPART_SUCCESS && seconds[0] == 0);
    seconds[0] = untouched;
    CHECK_FAILS(hpart_team_execute(team, x, check, seconds, NULL), HPART_ERR_UNSUPPORTED, "check");
    CHECK_REFUSED(hpart_team_execute(team, x, NULL, NULL, NULL), "seconds is NULL");
    CHECK(seconds[0] == untouched);
    hpart_options_destroy(check);
}

static void test_compare(void)
{
    hpart_report *report = NULL;
    const int64_t x[] = {3, 5, 8, 0, 0, 8}, idle[] = {1, 1, 0, 0};
    double seconds[3] = {untouched, untouched, untouched}, ratios[3], confidence = 0;
    int64_t rounds = 0, needed = 0;
    CHECK_OK(hpart_options_set_int(options, "warmup", 2));
    CHECK_OK(hpart_team_compare(team, 3, x, options, seconds, &report));
    CHECK(seconds[0] >= 0 && seconds[2] >= 0 && seconds[2] < untouched);
    rounds = int_of(report, "repetitions");
    CHECK(rounds >= 2 && rounds <= 3);
    CHECK(first.calls == 6 * rounds &&
          second.calls == 6 * rounds); /* two of three distributions, two runs of warm-up */
    CHECK_OK(hpart_report_get_doubles(report, "ratios", ratios, 3, &needed));
    CHECK(needed == 3 && ratios[0] == 1);
    CHECK_OK(hpart_report_get_double(report, "confidence", &confidence));
    CHECK(confidence == 0.95);
    hpart_report_destroy(report);
    report = NULL;
    CHECK_OK(hpart_team_compare(team, 1, x, options, seconds, NULL));
    seconds[0] = untouched;
    CHECK_REFUSED(hpart_team_compare(team, INT64_MAX, x, options, seconds, NULL), "9223372036854775807");
    CHECK_REFUSED(hpart_team_compare(team, 2, NULL, options, seconds, NULL), "x is NULL");
    CHECK_REFUSED(hpart_team_compare(team, 2, x, options, NULL, NULL), "mean_seconds is NULL");
    CHECK_REFUSED(hpart_team_compare(NULL, 2, x, options, seconds, NULL), "team is NULL");
    CHECK_REFUSED(hpart_team_compare(team, 2, idle, options, seconds, &report), "distribution[1] gives no processor");
    first.fail_at_size = 8;
    CHECK_FAILS(hpart_team_compare(team, 3, x, options, seconds, &report), HPART_ERR_CALLBACK, "'first'");
    CHECK(seconds[0] == untouched && report == NULL);
}

int main(void)
{
    static void (*const tests[])(void) = {test_compare,      test_optimize,    test_bad_additions,
                                          test_measure,      test_bad_measure, test_cancel,
                                          test_profile,      test_links,       test_kernel_names,
                                          test_shared_cores, test_execute,     test_cancel_keeps_repetitions};
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
        set_up();
        tests[k]();
        tear_down();
    }
    return check_result();
}
