/* Options that bound distributions and fronts, through the C interface: values and combinations that are refused, reports. What the
 * bounds give and what infeasible calls say is in tests/unit/partitioners. */
#include "check.h"

/* A fast processor that needs much energy and a slow one that needs little. */
static hpart_platform *two_processors(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4};
    static const double fast[] = {1, 2, 3, 4}, dear[] = {10, 20, 30, 40}, slow[] = {3, 6, 9, 12},
                        cheap[] = {1, 2, 3, 4};
    hpart_platform *platform = new_platform(2);
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 4, sizes, fast));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 4, sizes, dear));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 4, sizes, slow));
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 4, sizes, cheap));
    CHECK_OK(hpart_platform_set_base_power(platform, 1));
    return platform;
}

static void values_refused_when_set(void)
{
    hpart_options *options = new_options();
    const int64_t negative[] = {0, -1};
    CHECK_REFUSED(hpart_options_set_double(options, "deadline", -1), "option 'deadline' is -1");
    CHECK_REFUSED(hpart_options_set_double(options, "slowdown", 0.99), "at least 1");
    CHECK_REFUSED(hpart_options_set_double(options, "energy_budget", -0.5), "option 'energy_budget' is -0.5");
    CHECK_REFUSED(hpart_options_set_int(options, "max_active", 0), "option 'max_active' is 0");
    CHECK_REFUSED(hpart_options_set_int(options, "block", 0), "option 'block' is 0");
    CHECK_REFUSED(hpart_options_set_string(options, "idle_processors", "never"), "allowed|forbidden");
    CHECK_REFUSED(hpart_options_set_string(options, "interpolate", "cubic"), "none|linear|akima");
    CHECK_REFUSED(hpart_options_set_string(options, "objective_bound", "middle"), "estimate|high|low");
    CHECK_REFUSED(hpart_options_set_int(options, "max_moved", -1), "option 'max_moved' is -1");
    CHECK_REFUSED(hpart_options_set_int(options, "max_points", 1), "option 'max_points' is 1");
    CHECK_REFUSED(hpart_options_set_double(options, "eps", -0.1), "option 'eps' is -0.1");
    CHECK_REFUSED(hpart_options_set_previous(NULL, 2, negative), "options is NULL");
    CHECK_REFUSED(hpart_options_set_previous(options, -1, negative), "the number of x is -1");
    CHECK_REFUSED(hpart_options_set_previous(options, 2, NULL), "x is NULL");
    CHECK_REFUSED(hpart_options_set_previous(options, 2, negative), "x[1] is -1");
    CHECK_OK(hpart_options_set_previous(options, 0, NULL));
    hpart_options_destroy(options);
}

#define REFUSED_FOR(objective, key, value, phrase)                                                                     \
    do {                                                                                                               \
        hpart_options *of_one = new_options();                                                                         \
        int64_t x_of_one[2] = {-7, -7};                                                                                \
        CHECK_OK(hpart_options_set_string(of_one, key, value));                                                        \
        CHECK_REFUSED(hpart_partition(platform, objective, 4, of_one, x_of_one, NULL, NULL, NULL), phrase);            \
        CHECK(x_of_one[0] == -7);                                                                                      \
        hpart_options_destroy(of_one);                                                                                 \
    } while (0)

static void combinations_refused_by_the_call(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = new_options();
    hpart_front *front = NULL;
    hpart_schedule *schedule = NULL;
    const int64_t previous[] = {1, 3, 0};
    int64_t x[2];
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "deadline", "3", "'deadline' needs objective energy");
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "slowdown", "3", "'slowdown' needs objective energy");
    REFUSED_FOR(HPART_OBJECTIVE_ENERGY, "energy_budget", "3", "'energy_budget' needs objective time");
    REFUSED_FOR(HPART_OBJECTIVE_TOTAL_ENERGY, "energy_budget", "3", "'energy_budget'");
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "max_moved", "3", "no previous distribution");
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "max_points", "3", "does not belong to partition");

    CHECK_OK(hpart_options_set_previous(options, 3, previous));
    CHECK_REFUSED(hpart_partition_time(platform, 4, options, x, NULL), "has 3 sizes; the platform has 2 processors");
    CHECK_REFUSED(hpart_schedule_compute(platform, 4, options, &schedule), "does not belong to schedule");
    CHECK_OK(hpart_options_set_int(options, "threads", 2));
    CHECK_REFUSED(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, options, &front), "does not belong to front");
    CHECK_OK(hpart_options_set_previous(options, 2, previous));
    CHECK_OK(hpart_options_set_string(options, "ties", "fewest"));
    CHECK_REFUSED(hpart_partition_time(platform, 4, options, x, NULL), "each decides among equal optima");
    CHECK_OK(hpart_options_set_string(options, "ties", "deterministic"));
    CHECK_OK(hpart_options_set_string(options, "method", "equal"));
    CHECK_FAILS(hpart_partition_time(platform, 4, options, x, NULL), HPART_ERR_UNSUPPORTED,
                "method 'equal' does not keep");
    CHECK_OK(hpart_options_set_string(options, "method", "exact"));
    CHECK_FAILS(hpart_partition_time(platform, ((int64_t)1 << 53) + 1, options, x, NULL), HPART_ERR_UNSUPPORTED,
                "at most 9007199254740992");
    hpart_options_destroy(options);
    options = new_options();
    CHECK_OK(hpart_options_set_double(options, "deadline", 9));
    CHECK_OK(hpart_options_set_double(options, "slowdown", 2));
    CHECK_REFUSED(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, options, &front), "give one");
    CHECK(front == NULL);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

static void a_previous_distribution(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = new_options();
    hpart_report *report = NULL;
    const int64_t previous[] = {1, 3};
    int64_t x[2];
    double seconds = 0;
    CHECK_OK(hpart_options_set_previous(options, 2, previous));
    CHECK_OK(hpart_options_set_int(options, "max_moved", 1));
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 4, options, x, &seconds, NULL, &report));
    CHECK(x[0] == 2 && x[1] == 2 && seconds == 6);
    CHECK(int_of(report, "moved") == 1);
    hpart_report_destroy(report);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

/* Choices among sizes go with every method. */
static void bounds_with_another_method(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = new_options();
    int64_t x[2];
    double seconds = 0, joules = 0;
    CHECK_OK(hpart_options_set_string(options, "method", "equal"));
    CHECK_OK(hpart_options_set_int(options, "block", 3));
    CHECK_OK(hpart_partition_time(platform, 6, options, x, &seconds));
    CHECK(x[0] == 3 && x[1] == 3);
    CHECK_OK(hpart_options_set_int(options, "block", 1));
    CHECK_OK(hpart_options_set_double(options, "deadline", 4));
    CHECK_OK(hpart_partition_energy(platform, 4, options, x, &joules));
    CHECK(x[0] == 3 && x[1] == 1);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

/* A limit that ends a call before there is a distribution: the report is there all the same. */
static void points_beyond_the_memory_limit(void)
{
    static const int64_t sizes[] = {10, 1000000};
    static const double seconds[] = {1, 100000};
    hpart_platform *platform = new_platform(1);
    hpart_options *options = new_options();
    hpart_report *report = NULL;
    int64_t x[1];
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_options_set_string(options, "interpolate", "linear"));
    CHECK_OK(hpart_options_set_int(options, "memory_limit", 1000000));
    CHECK_OK(hpart_options_set_int(options, "block", 5));
    CHECK_OK(hpart_options_set_double(options, "deadline", 7));
    CHECK_FAILS(hpart_partition(platform, HPART_OBJECTIVE_ENERGY, 500005, options, x, NULL, NULL, &report),
                HPART_ERR_LIMIT, "larger 'block', which is 5");
    CHECK(int_of(report, "feasible") == 0);
    CHECK(double_of(report, "deadline") == 7); /* known before the points are */
    hpart_report_destroy(report);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

/* The optimum is proved; which of the equal ones moves least is not. */
static void a_limit_after_the_optimum(void)
{
    const int64_t sizes[] = {3, 5}, others[] = {1, 3, 5}, previous[] = {0, 0};
    const double seconds[] = {2, 3}, other_seconds[] = {1, 3, 2};
    int64_t x[2] = {0, 0};
    hpart_platform *platform = NULL;
    hpart_options *options = options_of("memory_limit=1");
    hpart_report *report = NULL;
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 3, others, other_seconds));
    CHECK_OK(hpart_options_set_previous(options, 2, previous));
    CHECK_FAILS(hpart_partition(platform, HPART_OBJECTIVE_TIME, 6, options, x, NULL, NULL, &report), HPART_ERR_LIMIT,
                "the distribution given is optimal; among equal ones");
    CHECK(int_of(report, "optimal") == 1 && double_of(report, "gap") == 0 && x[0] + x[1] == 6);
    hpart_report_destroy(report);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

int main(void)
{
    values_refused_when_set();
    combinations_refused_by_the_call();
    a_previous_distribution();
    bounds_with_another_method();
    points_beyond_the_memory_limit();
    a_limit_after_the_optimum();
    return check_result();
}
