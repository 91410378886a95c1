/* Partitions, fronts and schedules through the C interface: the thesis's examples, outputs, reports, limits, cancelling. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

/* Appendix F of the thesis: two processors, n = 4. */
static hpart_platform *appendix_f(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4};
    static const double first[] = {10, 30, 20, 25}, second[] = {15, 25, 35};
    hpart_platform *platform = NULL;
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 4, sizes, first));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 4, sizes, first));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 3, sizes, second));
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 3, sizes, second));
    return platform;
}

static void one_distribution(void)
{
    hpart_platform *platform = appendix_f();
    hpart_report *report = NULL;
    int64_t x[2] = {-1, -1}, optimal = 0, active = 0;
    double seconds = -1, joules = -1, bound = -1, gap = -1;
    char method[16];
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 4, NULL, x, &seconds, &joules, &report));
    CHECK(x[0] == 3 && x[1] == 1 && seconds == 20 && joules == 35);
    CHECK_OK(hpart_report_get_int(report, "optimal", &optimal));
    CHECK_OK(hpart_report_get_int(report, "active", &active));
    CHECK_OK(hpart_report_get_double(report, "lower_bound", &bound));
    CHECK_OK(hpart_report_get_double(report, "gap", &gap));
    CHECK_OK(hpart_report_get_string(report, "method", method, sizeof method, NULL));
    CHECK(optimal == 1 && active == 2 && bound == 20 && gap == 0 && strcmp(method, "exact") == 0);
    hpart_report_destroy(report);
    CHECK_OK(hpart_partition_energy(platform, 4, NULL, x, &joules));
    CHECK(x[0] == 4 && x[1] == 0 && joules == 25);
    CHECK_OK(hpart_partition_time(platform, 0, NULL, x, &seconds));
    CHECK(x[0] == 0 && x[1] == 0 && seconds == 0);
    CHECK_REFUSED(hpart_partition_total_energy(platform, 4, NULL, x, &joules), "base power");
    CHECK_OK(hpart_platform_set_base_power(platform, 3));
    CHECK_OK(hpart_partition_total_energy(platform, 4, NULL, x, &joules));
    CHECK(joules == 95 && x[0] == 3 && x[1] == 1); /* 20 s x 3 W + 35 J, against 25 s x 3 W + 25 J = 100 J */
    hpart_platform_destroy(platform);
}

static void infeasible(void)
{
    hpart_platform *platform = appendix_f();
    int64_t x[2] = {-1, -1};
    double seconds = -1;
    hpart_report *report = NULL;
    CHECK_FAILS(hpart_partition(platform, HPART_OBJECTIVE_TIME, 8, NULL, x, &seconds, NULL, &report),
                HPART_ERR_INFEASIBLE, "7");
    CHECK(x[0] == -1 && seconds == -1 && report == NULL);
    CHECK_FAILS(hpart_partition_time(platform, INT64_MAX - 1, NULL, x, &seconds), HPART_ERR_INFEASIBLE, "7");
    CHECK_REFUSED(hpart_partition_time(platform, INT64_MAX, NULL, x, &seconds), "at most 9223372036854775806");
    CHECK_REFUSED(hpart_partition_time(platform, -1, NULL, x, &seconds), "size is -1");
    CHECK_REFUSED(hpart_partition(platform, 3, 4, NULL, x, NULL, NULL, NULL), "objective is 3");
    CHECK_REFUSED(hpart_partition_time(platform, 4, NULL, NULL, &seconds), "x is NULL");
    hpart_platform_destroy(platform);
}

/* Values whose sums overflow are refused, never compared as infinities. */
static void overflow(void)
{
    static const int64_t sizes[] = {4, 10}, packages[] = {1};
    static const double seconds[] = {1, 1}, joules[] = {0, 1e308}, long_seconds[] = {1.7e308};
    hpart_platform *platform = NULL;
    hpart_front *front = NULL;
    hpart_schedule *schedule = NULL;
    int64_t x[2];
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 2, sizes, joules));
    CHECK_FAILS(hpart_partition_energy(platform, 10, NULL, x, NULL), HPART_ERR_NUMERICAL, "1e+280");
    CHECK_FAILS(hpart_front_compute(platform, 10, HPART_ENERGY_DYNAMIC, NULL, &front), HPART_ERR_NUMERICAL, "energies");
    CHECK_OK(hpart_partition_time(platform, 10, NULL, x, NULL));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 1, packages, long_seconds));
    CHECK_FAILS(hpart_schedule_compute(platform, 2, NULL, &schedule), HPART_ERR_NUMERICAL, "packages");
    hpart_platform_destroy(platform);
}

static void methods(void)
{
    static const char *const names[] = {"exact", "equal", "cpm", "fpm", "balanced"};
    hpart_platform *platform = appendix_f();
    hpart_options *options = NULL;
    int64_t x[2];
    double best = 0, seconds = 0;
    size_t k;
    CHECK_OK(hpart_options_create(&options));
    for (k = 0; k < sizeof names / sizeof *names; ++k) {
        CHECK_OK(hpart_options_set_string(options, "method", names[k]));
        CHECK_OK(hpart_partition_time(platform, 4, options, x, &seconds));
        CHECK(x[0] + x[1] == 4);
        if (k == 0) best = seconds;
        CHECK(seconds >= best);
    }
    CHECK_OK(hpart_options_set_string(options, "method", "magic"));
    CHECK_REFUSED(hpart_partition_time(platform, 4, options, x, &seconds), "balanced");
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

static void front(void)
{
    hpart_platform *platform = appendix_f();
    hpart_front *front = NULL;
    hpart_report *report = NULL;
    int64_t x[2], k;
    double seconds, joules;
    CHECK_OK(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, NULL, &front));
    CHECK(hpart_front_count(front) == 2);
    CHECK_OK(hpart_front_point(front, 0, &seconds, &joules, x));
    CHECK(seconds == 20 && joules == 35 && x[0] == 3 && x[1] == 1);
    CHECK_OK(hpart_front_point(front, 1, &seconds, &joules, NULL));
    CHECK(seconds == 25 && joules == 25);
    for (k = -1; k <= 2; k += 3) CHECK_REFUSED(hpart_front_point(front, k, &seconds, NULL, NULL), "points 0 to 1");
    CHECK_OK(hpart_front_report(front, &report));
    CHECK(hpart_report_count(report) > 0 && hpart_report_key(report, 0) != NULL);
    CHECK(hpart_report_key(report, -1) == NULL && hpart_report_key(report, hpart_report_count(report)) == NULL);
    hpart_report_destroy(report);
    hpart_front_destroy(front);
    front = NULL;
    CHECK_REFUSED(hpart_front_compute(platform, 4, HPART_ENERGY_TOTAL, NULL, &front), "base power");
    CHECK_REFUSED(hpart_front_compute(platform, 4, 2, NULL, &front), "energy is 2");
    CHECK_FAILS(hpart_front_compute(platform, 8, HPART_ENERGY_DYNAMIC, NULL, &front), HPART_ERR_INFEASIBLE, "7");
    CHECK(front == NULL);
    CHECK_OK(hpart_platform_set_base_power(platform, 3));
    CHECK_OK(hpart_front_compute(platform, 4, HPART_ENERGY_TOTAL, NULL, &front));
    CHECK(hpart_front_count(front) == 1);
    CHECK_OK(hpart_front_point(front, 0, &seconds, &joules, x));
    CHECK(seconds == 20 && joules == 95);
    hpart_front_destroy(front);
    hpart_front_destroy(NULL);
    hpart_platform_destroy(platform);
}

/* Equation 4.9 of the WDAH thesis: n = 16, makespan 6. */
static void schedule(void)
{
    static const int64_t sizes[] = {2, 4, 8};
    static const double first[] = {2, 3, 4}, second[] = {3, 4, 6};
    hpart_platform *platform = NULL;
    hpart_schedule *schedule = NULL;
    hpart_report *report = NULL;
    double load[2] = {0, 0};
    int64_t total = 0, k;
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 3, sizes, first));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 3, sizes, second));
    CHECK_OK(hpart_schedule_compute(platform, 16, NULL, &schedule));
    CHECK(hpart_schedule_makespan(schedule) == 6);
    for (k = 0; k < hpart_schedule_tasks(schedule); ++k) {
        int64_t processor = -1, size = 0, repeats = 0, i;
        CHECK_OK(hpart_schedule_task(schedule, k, &processor, &size, &repeats));
        CHECK(processor >= 0 && processor < 2 && repeats > 0);
        total += size * repeats;
        for (i = 0; i < 3; ++i)
            if (sizes[i] == size) load[processor] += (double)repeats * (processor == 0 ? first[i] : second[i]);
    }
    CHECK(total == 16 && load[0] <= 6 && load[1] <= 6);
    CHECK_REFUSED(hpart_schedule_task(schedule, hpart_schedule_tasks(schedule), NULL, NULL, NULL), "tasks");
    CHECK_OK(hpart_schedule_report(schedule, &report));
    CHECK(hpart_report_count(report) > 0);
    hpart_report_destroy(report);
    hpart_schedule_destroy(schedule);
    hpart_schedule_destroy(NULL);
    schedule = NULL;
    CHECK_FAILS(hpart_schedule_compute(platform, 15, NULL, &schedule), HPART_ERR_INFEASIBLE, "14");
    CHECK(schedule == NULL);
    hpart_platform_destroy(platform);
}

/* Sums of odd numbers near 2^40 in as many orders as can be: far beyond any memory limit. */
static hpart_platform *hard(int64_t *size)
{
    enum { processors = 40, points = 50 };
    hpart_platform *platform = NULL;
    int64_t sizes[points], i, k;
    double values[points];
    uint64_t state = 12345;
    *size = 0;
    CHECK_OK(hpart_platform_create(processors, &platform));
    for (i = 0; i < processors; ++i) {
        for (k = 0; k < points; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sizes[k] = (k + 1) * ((int64_t)1 << 40) + (int64_t)(state >> 30);
            values[k] = (double)(state >> 40);
        }
        *size += sizes[points / 2];
        CHECK_OK(hpart_platform_set_time_function(platform, i, points, sizes, values));
        CHECK_OK(hpart_platform_set_energy_function(platform, i, points, sizes, values));
    }
    return platform;
}

static int stop(double fraction, const char *what, void *user)
{
    (void)what;
    ++*(int *)user;
    return fraction < -1 || fraction > 1 ? 2 : 1;
}

static void limits(void)
{
    int64_t size = 0, x[40], feasible = -1;
    hpart_platform *platform = hard(&size);
    hpart_options *options = NULL;
    hpart_report *report = NULL;
    hpart_front *front = NULL;
    hpart_status status;
    int calls = 0;
    CHECK_OK(hpart_options_create(&options));
    CHECK_OK(hpart_options_set_double(options, "time_limit", 0.2));
    CHECK_OK(hpart_options_set_int(options, "memory_limit", 50 * 1024 * 1024));
    memset(x, -1, sizeof x);
    status = hpart_partition(platform, HPART_OBJECTIVE_ENERGY, size, options, x, NULL, NULL, &report);
    CHECK(status == HPART_ERR_LIMIT);
    CHECK(report != NULL);
    CHECK_OK(hpart_report_get_int(report, "feasible", &feasible));
    CHECK((feasible == 1) == (x[0] != -1));
    hpart_report_destroy(report);
    CHECK(hpart_front_compute(platform, size, HPART_ENERGY_DYNAMIC, options, &front) == HPART_ERR_LIMIT);
    CHECK(front == NULL);
    CHECK_OK(hpart_options_set_double(options, "time_limit", 600));
    CHECK_OK(hpart_options_set_int(options, "memory_limit", (int64_t)4 << 30));
    CHECK_OK(hpart_options_set_progress(options, stop, &calls, NULL));
    status = hpart_partition(platform, HPART_OBJECTIVE_ENERGY, size, options, x, NULL, NULL, NULL);
    CHECK(status == HPART_ERR_CANCELLED);
    CHECK(calls == 1);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

/* An objective that lacks a function altogether is a wrong call, not one without a distribution. */
static void objectives_without_functions(void)
{
    const int64_t sizes[] = {1, 2};
    const double values[] = {1, 2};
    hpart_platform *platform = NULL;
    hpart_front *front = NULL;
    hpart_schedule *schedule = NULL;
    int64_t x[2] = {0, 0};
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_base_power(platform, 1));
    CHECK_OK(hpart_partition_energy(platform, 0, NULL, x, NULL));
    CHECK_REFUSED(hpart_partition_time(platform, 1, NULL, x, NULL), "no time functions; profile it");
    CHECK_REFUSED(hpart_schedule_compute(platform, 1, NULL, &schedule), "no time functions");
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 2, sizes, values));
    CHECK_REFUSED(hpart_partition_energy(platform, 1, NULL, x, NULL), "no time functions");
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 0, NULL, NULL));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, values));
    CHECK_OK(hpart_partition_time(platform, 1, NULL, x, NULL));
    CHECK_REFUSED(hpart_partition_energy(platform, 1, NULL, x, NULL), "no energy functions; profile with a meter");
    CHECK_REFUSED(hpart_partition_total_energy(platform, 1, NULL, x, NULL), "no energy functions");
    CHECK_REFUSED(hpart_front_compute(platform, 1, HPART_ENERGY_DYNAMIC, NULL, &front), "no energy functions");
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 2, sizes, values)); /* of the other processor */
    CHECK_FAILS(hpart_partition_energy(platform, 1, NULL, x, NULL), HPART_ERR_INFEASIBLE, "1");
    hpart_platform_destroy(platform);
}

static void bounds_of_intervals(void)
{
    hpart_platform *platform = NULL;
    hpart_options *options = NULL;
    hpart_report *report = NULL;
    hpart_front *front = NULL;
    const int64_t sizes[] = {1, 2};
    const double first[] = {10, 21}, second[] = {12, 20}, low[] = {9, 15}, high[] = {18, 22}, wide[] = {30, 40};
    int64_t x[2] = {-1, -1}, needed = 0;
    double seconds = -1, end = -1, ends[4];
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, first));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 2, sizes, second));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 2, sizes, first));
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 2, sizes, second));
    CHECK_OK(hpart_options_create(&options));
    CHECK_OK(hpart_options_set_string(options, "objective_bound", "high"));
    CHECK_REFUSED(hpart_options_set_string(options, "objective_bound", "middle"), "estimate|high|low");
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 2, options, x, &seconds, NULL, &report));
    CHECK(seconds == 12); /* without intervals the values themselves */
    CHECK(hpart_report_type(report, "time_high") == -1);
    hpart_report_destroy(report);
    CHECK_OK(hpart_platform_set_time_interval(platform, 0, 2, sizes, low, high, NULL));
    CHECK_OK(hpart_platform_set_time_interval(platform, 1, 2, sizes, low, wide, NULL));
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 2, options, x, &seconds, NULL, &report));
    CHECK(seconds == 22 && x[0] == 2 && x[1] == 0);
    CHECK_OK(hpart_report_get_double(report, "time_low", &end));
    CHECK(end == 15);
    hpart_report_destroy(report);
    CHECK_OK(hpart_platform_set_time_interval(platform, 1, 1, sizes, low, high, NULL));
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 2, options, x, &seconds, NULL, &report));
    CHECK(seconds == 18 && x[0] == 1 && x[1] == 1); /* the change is seen */
    CHECK_OK(hpart_report_get_double(report, "time_high", &end));
    CHECK(end == 18);
    hpart_report_destroy(report);
    CHECK_OK(hpart_front_compute(platform, 2, HPART_ENERGY_DYNAMIC, options, &front));
    CHECK_OK(hpart_front_report(front, &report));
    CHECK_OK(hpart_report_get_doubles(report, "time_high", ends, 4, &needed));
    CHECK(needed == hpart_front_count(front) && ends[0] == 18);
    hpart_report_destroy(report);
    hpart_front_destroy(front);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

int main(void)
{
    bounds_of_intervals();
    one_distribution();
    objectives_without_functions();
    infeasible();
    overflow();
    methods();
    front();
    schedule();
    limits();
    return check_result();
}
