/* Partitions, fronts and schedules through the C interface: the thesis's examples, outputs, reports. */
#include "check.h"

/* Appendix F of the thesis: two processors, n = 4. */
static hpart_platform *appendix_f(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4};
    static const double first[] = {10, 30, 20, 25}, second[] = {15, 25, 35};
    hpart_platform *platform = new_platform(2);
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
    int64_t x[2] = {-1, -1};
    double seconds = -1, joules = -1, sum;
    char method[16];
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_SUM_TIME, 4, NULL, x, &sum, NULL, NULL));
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 4, NULL, x, &seconds, &joules, &report));
    CHECK(sum >= seconds);
    CHECK(x[0] == 3 && x[1] == 1 && seconds == 20 && joules == 35);
    CHECK_OK(hpart_report_get_string(report, "method", method, sizeof method, NULL));
    CHECK(int_of(report, "optimal") == 1 && int_of(report, "active") == 2 && strcmp(method, "exact") == 0);
    CHECK(double_of(report, "lower_bound") == 20 && double_of(report, "gap") == 0);
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
    CHECK_REFUSED(hpart_partition(platform, 4, 4, NULL, x, NULL, NULL, NULL), "objective is 4");
    hpart_platform_destroy(platform);
}

/* Values whose sums overflow are refused, never compared as infinities. */
static void overflow(void)
{
    static const int64_t sizes[] = {4, 10}, packages[] = {1};
    static const double seconds[] = {1, 1}, joules[] = {0, 1e308}, long_seconds[] = {1.7e308};
    hpart_platform *platform = new_platform(2);
    hpart_front *front = NULL;
    hpart_schedule *schedule = NULL;
    int64_t x[2];
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 2, sizes, joules));
    CHECK_FAILS(hpart_partition_energy(platform, 10, NULL, x, NULL), HPART_ERR_NUMERICAL, "1e+280");
    CHECK_FAILS(hpart_front_compute(platform, 10, HPART_ENERGY_DYNAMIC, NULL, &front), HPART_ERR_NUMERICAL, "energies");
    CHECK_OK(hpart_partition_time(platform, 10, NULL, x, NULL));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 1, packages, long_seconds));
    CHECK_FAILS(hpart_schedule_compute(platform, 2, NULL, &schedule), HPART_ERR_NUMERICAL, "packages");
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
    hpart_platform_destroy(platform);
}

/* Equation 4.9 of the WDAH thesis: n = 16, makespan 6. */
static void schedule(void)
{
    static const int64_t sizes[] = {2, 4, 8};
    static const double first[] = {2, 3, 4}, second[] = {3, 4, 6};
    hpart_platform *platform = new_platform(2);
    hpart_schedule *schedule = NULL;
    hpart_report *report = NULL;
    double load[2] = {0, 0};
    int64_t total = 0, k;
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
    schedule = NULL;
    CHECK_FAILS(hpart_schedule_compute(platform, 15, NULL, &schedule), HPART_ERR_INFEASIBLE, "14");
    CHECK(schedule == NULL);
    hpart_platform_destroy(platform);
}

/* An objective that lacks a function altogether is a wrong call, not one without a distribution. */
static void objectives_without_functions(void)
{
    const int64_t sizes[] = {1, 2};
    const double values[] = {1, 2};
    hpart_platform *platform = new_platform(2);
    hpart_front *front = NULL;
    hpart_schedule *schedule = NULL;
    hpart_options *bounded = options_of("energy_budget=3");
    int64_t x[2] = {0, 0};
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
    CHECK_REFUSED(hpart_partition_time(platform, 1, bounded, x, NULL), "no energy functions");
    CHECK_REFUSED(hpart_front_compute(platform, 1, HPART_ENERGY_DYNAMIC, NULL, &front), "no energy functions");
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 2, sizes, values)); /* of the other processor */
    CHECK_FAILS(hpart_partition_energy(platform, 1, NULL, x, NULL), HPART_ERR_INFEASIBLE, "1");
    hpart_options_destroy(bounded);
    hpart_platform_destroy(platform);
}

int main(void)
{
    one_distribution();
    objectives_without_functions();
    infeasible();
    overflow();
    front();
    schedule();
    return check_result();
}
