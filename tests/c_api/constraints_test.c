/* Options that bound distributions and fronts, through the C interface: values that are refused, answers, messages. */
#include "check.h"

#include <math.h>

/* A fast processor that needs much energy and a slow one that needs little. */
static hpart_platform *two_processors(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4};
    static const double fast[] = {1, 2, 3, 4}, dear[] = {10, 20, 30, 40}, slow[] = {3, 6, 9, 12},
                        cheap[] = {1, 2, 3, 4};
    hpart_platform *platform = NULL;
    CHECK_OK(hpart_platform_create(2, &platform));
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 4, sizes, fast));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 4, sizes, dear));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 4, sizes, slow));
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 4, sizes, cheap));
    CHECK_OK(hpart_platform_set_base_power(platform, 1));
    return platform;
}

static hpart_options *new_options(void)
{
    hpart_options *options = NULL;
    CHECK_OK(hpart_options_create(&options));
    return options;
}

static void values_refused_when_set(void)
{
    hpart_options *options = new_options();
    const int64_t negative[] = {0, -1};
    CHECK_REFUSED(hpart_options_set_double(options, "deadline", nan("")), "NaN");
    CHECK_REFUSED(hpart_options_set_double(options, "deadline", -1), "option 'deadline' is -1");
    CHECK_REFUSED(hpart_options_set_double(options, "slowdown", 0.99), "at least 1");
    CHECK_REFUSED(hpart_options_set_double(options, "energy_budget", -0.5), "option 'energy_budget' is -0.5");
    CHECK_REFUSED(hpart_options_set_int(options, "max_active", 0), "option 'max_active' is 0");
    CHECK_REFUSED(hpart_options_set_int(options, "block", 0), "option 'block' is 0");
    CHECK_REFUSED(hpart_options_set_string(options, "idle_processors", "never"), "allowed|forbidden");
    CHECK_REFUSED(hpart_options_set_string(options, "interpolate", "cubic"), "none|linear|akima");
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

#define REFUSED_FOR(objective, key, value, status, phrase)                                                             \
    do {                                                                                                               \
        hpart_options *of_one = new_options();                                                                         \
        int64_t x_of_one[2] = {-7, -7};                                                                                \
        CHECK_OK(hpart_options_set_string(of_one, key, value));                                                        \
        CHECK_FAILS(hpart_partition(platform, objective, 4, of_one, x_of_one, NULL, NULL, NULL), status, phrase);      \
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
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "deadline", "3", HPART_ERR_INVALID_ARGUMENT, "'deadline' needs objective energy");
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "slowdown", "3", HPART_ERR_INVALID_ARGUMENT, "'slowdown' needs objective energy");
    REFUSED_FOR(HPART_OBJECTIVE_ENERGY, "energy_budget", "3", HPART_ERR_INVALID_ARGUMENT,
                "'energy_budget' needs objective time");
    REFUSED_FOR(HPART_OBJECTIVE_TOTAL_ENERGY, "energy_budget", "3", HPART_ERR_INVALID_ARGUMENT, "'energy_budget'");
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "max_moved", "3", HPART_ERR_INVALID_ARGUMENT, "no previous distribution");
    REFUSED_FOR(HPART_OBJECTIVE_TIME, "max_points", "3", HPART_ERR_INVALID_ARGUMENT, "does not belong to partition");

    CHECK_OK(hpart_options_set_previous(options, 3, previous));
    CHECK_REFUSED(hpart_partition_time(platform, 4, options, x, NULL), "has 3 sizes; the platform has 2 processors");
    CHECK_REFUSED(hpart_schedule_compute(platform, 4, options, &schedule), "does not belong to schedule");
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

static void answers(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = new_options();
    hpart_report *report = NULL;
    const int64_t previous[] = {1, 3};
    int64_t x[2], moved = -1;
    double seconds = 0, joules = 0, deadline = 0;
    CHECK_OK(hpart_options_set_double(options, "slowdown", 2));
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_ENERGY, 4, options, x, &seconds, &joules, &report));
    CHECK(x[0] == 2 && x[1] == 2 && seconds == 6 && joules == 22);
    CHECK_OK(hpart_report_get_double(report, "deadline", &deadline));
    CHECK(deadline == 6);
    hpart_report_destroy(report);
    hpart_options_destroy(options);

    options = new_options();
    CHECK_OK(hpart_options_set_double(options, "energy_budget", 21.5));
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 4, options, x, &seconds, &joules, NULL));
    CHECK(x[0] == 1 && x[1] == 3 && seconds == 9 && joules == 13);
    hpart_options_destroy(options);

    options = new_options();
    CHECK_OK(hpart_options_set_previous(options, 2, previous));
    CHECK_OK(hpart_options_set_int(options, "max_moved", 1));
    report = NULL;
    CHECK_OK(hpart_partition(platform, HPART_OBJECTIVE_TIME, 4, options, x, &seconds, NULL, &report));
    CHECK(x[0] == 2 && x[1] == 2 && seconds == 6);
    CHECK_OK(hpart_report_get_int(report, "moved", &moved));
    CHECK(moved == 1);
    hpart_report_destroy(report);
    hpart_options_destroy(options);

    options = new_options(); /* what chooses among sizes goes with every method */
    CHECK_OK(hpart_options_set_string(options, "method", "equal"));
    CHECK_OK(hpart_options_set_int(options, "block", 3));
    CHECK_OK(hpart_partition_time(platform, 6, options, x, &seconds));
    CHECK(x[0] == 3 && x[1] == 3);
    CHECK_OK(hpart_options_set_int(options, "block", 1));
    CHECK_OK(hpart_options_set_double(options, "deadline", 4));
    CHECK_OK(hpart_partition_energy(platform, 4, options, x, &joules));
    CHECK(x[0] == 3 && x[1] == 1);
    hpart_options_destroy(options);

    options = new_options();
    CHECK_OK(hpart_options_set_int(options, "max_active", 5)); /* more than there are: no bound */
    CHECK_OK(hpart_partition_time(platform, 4, options, x, &seconds));
    CHECK(seconds == 3);
    CHECK_OK(hpart_options_set_int(options, "max_active", 1));
    CHECK_OK(hpart_partition_time(platform, 4, options, x, &seconds));
    CHECK(x[0] == 4 && x[1] == 0 && seconds == 4);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

#define INFEASIBLE_FOR(objective, size, key, value, phrase)                                                            \
    do {                                                                                                               \
        hpart_options *of_one = new_options();                                                                         \
        int64_t x_of_one[2];                                                                                           \
        CHECK_OK(hpart_options_set_string(of_one, key, value));                                                        \
        CHECK_FAILS(hpart_partition(platform, objective, size, of_one, x_of_one, NULL, NULL, NULL),                    \
                    HPART_ERR_INFEASIBLE, phrase);                                                                     \
        hpart_options_destroy(of_one);                                                                                 \
    } while (0)

static void messages_say_what_would_do(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = new_options();
    hpart_front *front = NULL;
    const int64_t previous[] = {0, 0};
    int64_t x[2];
    INFEASIBLE_FOR(HPART_OBJECTIVE_ENERGY, 4, "deadline", "2.5", "the deadline; the least time is 3 seconds");
    INFEASIBLE_FOR(HPART_OBJECTIVE_TIME, 4, "energy_budget", "3.5", "the energy budget; the least energy is 4 joules");
    INFEASIBLE_FOR(HPART_OBJECTIVE_TIME, 5, "max_active", "1", "max_active; the fewest are 2");
    INFEASIBLE_FOR(HPART_OBJECTIVE_TIME, 5, "block", "2",
                   "4 below and 6 above; sizes are multiples of block, which is 2");
    INFEASIBLE_FOR(HPART_OBJECTIVE_TIME, 1, "idle_processors", "forbidden",
                   "none below and 2 above; idle_processors is 'forbidden'");
    INFEASIBLE_FOR(HPART_OBJECTIVE_TIME, 0, "idle_processors", "forbidden",
                   "none below and 2 above; idle_processors is 'forbidden'");
    CHECK_OK(hpart_options_set_previous(options, 2, previous));
    CHECK_OK(hpart_options_set_int(options, "max_moved", 3));
    CHECK_FAILS(hpart_partition_time(platform, 4, options, x, NULL), HPART_ERR_INFEASIBLE, "max_moved; the least is 4");
    CHECK_OK(hpart_options_set_previous(options, 0, NULL));
    hpart_options_destroy(options);

    options = new_options();
    CHECK_OK(hpart_options_set_double(options, "energy_budget", 3.5));
    CHECK_FAILS(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, options, &front), HPART_ERR_INFEASIBLE,
                "the least energy is 4 joules");
    CHECK(front == NULL);
    CHECK_OK(hpart_options_set_double(options, "energy_budget", 4)); /* feasible, but in 12 s */
    CHECK_OK(hpart_options_set_double(options, "deadline", 3));
    CHECK_FAILS(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, options, &front), HPART_ERR_INFEASIBLE,
                "no distribution of size 4 that keeps the other bounds needs at most 4 joules, the energy budget");
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

static void fronts(void)
{
    hpart_platform *platform = two_processors();
    hpart_options *options = new_options();
    hpart_front *front = NULL;
    double seconds = 0, joules = 0;
    CHECK_OK(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, NULL, &front));
    CHECK(hpart_front_count(front) == 4); /* 3, 6, 9 and 12 s */
    hpart_front_destroy(front);
    CHECK_OK(hpart_options_set_double(options, "deadline", 9));
    CHECK_OK(hpart_options_set_double(options, "energy_budget", 22));
    CHECK_OK(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, options, &front));
    CHECK(hpart_front_count(front) == 2);
    CHECK_OK(hpart_front_point(front, 0, &seconds, &joules, NULL));
    CHECK(seconds == 6 && joules == 22);
    hpart_front_destroy(front);
    hpart_options_destroy(options);

    options = new_options();
    CHECK_OK(hpart_options_set_int(options, "max_points", 2));
    CHECK_OK(hpart_front_compute(platform, 4, HPART_ENERGY_TOTAL, options, &front));
    CHECK(hpart_front_count(front) == 2);
    hpart_front_destroy(front);
    hpart_options_destroy(options);

    options = new_options();
    CHECK_OK(hpart_options_set_double(options, "eps", 100));
    CHECK_OK(hpart_front_compute(platform, 4, HPART_ENERGY_DYNAMIC, options, &front));
    CHECK(hpart_front_count(front) == 2); /* the ends */
    hpart_front_destroy(front);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

static void interpolation(void)
{
    static const int64_t sizes[] = {10, 1000000}, few[] = {10, 1000};
    static const double seconds[] = {1, 100000};
    hpart_platform *platform = NULL;
    hpart_options *options = new_options();
    hpart_report *report = NULL;
    int64_t x[1];
    int64_t feasible = 1;
    double time = 0;
    CHECK_OK(hpart_platform_create(1, &platform));
    /* A hint is left out when it takes a second: of few sizes it never does. */
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, few, seconds));
    CHECK_FAILS(hpart_partition_time(platform, 505, NULL, x, &time), HPART_ERR_INFEASIBLE,
                "1000 above; interpolate=linear allows size 505");
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_options_set_string(options, "interpolate", "linear"));
    CHECK_OK(hpart_partition_time(platform, 500005, options, x, &time));
    CHECK(x[0] == 500005 && fabs(time - 50000.5) < 1e-6);
    CHECK_FAILS(hpart_partition_time(platform, 9, options, x, &time), HPART_ERR_INFEASIBLE, "0 below and 10 above");
    CHECK_OK(hpart_options_set_int(options, "memory_limit", 1000000));
    CHECK_FAILS(hpart_partition_time(platform, 500005, options, x, &time), HPART_ERR_LIMIT,
                "'interpolate' makes 499997 points");
    CHECK_OK(hpart_options_set_int(options, "block", 5));
    CHECK_FAILS(hpart_partition(platform, HPART_OBJECTIVE_TIME, 500005, options, x, NULL, NULL, &report),
                HPART_ERR_LIMIT, "larger 'block', which is 5");
    CHECK_OK(hpart_report_get_int(report, "feasible", &feasible));
    CHECK(feasible == 0);
    hpart_report_destroy(report);
    /* The deadline is known before the points are. */
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 2, sizes, seconds));
    CHECK_OK(hpart_options_set_double(options, "deadline", 7));
    for (int by_time = 0; by_time < 2; ++by_time) {
        if (by_time) CHECK_OK(hpart_options_set_int(options, "memory_limit", 1000000000));
        if (by_time) CHECK_OK(hpart_options_set_double(options, "time_limit", 1e-9));
        CHECK_FAILS(hpart_partition(platform, HPART_OBJECTIVE_ENERGY, 500005, options, x, NULL, NULL, &report),
                    HPART_ERR_LIMIT, by_time ? "time_limit" : "'interpolate' makes");
        CHECK_OK(hpart_report_get_double(report, "deadline", &time));
        CHECK(time == 7);
        hpart_report_destroy(report);
    }
    hpart_options_destroy(options);
    options = new_options();
    CHECK_OK(hpart_options_set_string(options, "interpolate", "linear"));
    CHECK_OK(hpart_options_set_int(options, "block", 100));
    CHECK_FAILS(hpart_partition_time(platform, 500005, options, x, &time), HPART_ERR_INFEASIBLE,
                "500000 below and 500100 above");
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

int main(void)
{
    values_refused_when_set();
    combinations_refused_by_the_call();
    answers();
    messages_say_what_would_do();
    fronts();
    interpolation();
    return check_result();
}
