/* Teams with meters as a C99 program sees them: a node whose meter knows what its kernels burn. */
#include "check.h"

#include <pthread.h>
#include <time.h>

enum { untouched = 12345 };

/* Simulated: a repetition takes a second by the meter's clock, the node takes 58 W. */
struct world {
    double seconds, joules;
    int fails, freed;
};

struct burner {
    struct world *world;
    double joules; /* a unit of size */
    double extra;  /* of this much a run */
};

static const double base_watts = 58;

static int burn(int64_t size, void *user)
{
    struct burner *burner = user;
    burner->world->seconds += 1;
    burner->world->joules += base_watts + burner->joules * (double)size + burner->extra;
    return 0;
}

static int read_world(void *user, double *value, double *seconds)
{
    struct world *world = user;
    *value = world->joules;
    *seconds = world->seconds;
    return world->fails ? 9 : 0;
}

static void let_go(void *user) { ++((struct world *)user)->freed; }

static hpart_meter *meter_of(struct world *world)
{
    hpart_meter *meter = NULL;
    CHECK_OK(hpart_meter_create("world", read_world, HPART_JOULES, 1e-6, 0, world, let_go, &meter));
    return meter;
}

/* The node, its meter, and the team and options of each test. */
static struct world world;
static hpart_meter *meter;
static hpart_team *team;
static hpart_options *options;

static void set_up(void)
{
    world = (struct world){0, 0, 0, 0};
    meter = meter_of(&world);
    team = new_team();
    options = options_of("min_repetitions=2 max_repetitions=3 warmup=0 base_power=58");
}

static void tear_down(void)
{
    hpart_team_destroy(team);
    CHECK(world.freed == 0); /* borrowed */
    hpart_meter_close(meter);
    CHECK(world.freed == 1);
    hpart_options_destroy(options);
}

static int is_near(double a, double b) { return a - b < 1e-9 && b - a < 1e-9; }

static void test_attaching(void)
{
    struct world other = {0, 0, 0, 0};
    struct burner burner = {&world, 1, 0};
    hpart_meter *own = meter_of(&other);
    CHECK_OK(hpart_team_add(team, "a", burn, &burner, NULL, NULL));
    CHECK_REFUSED(hpart_team_set_meter(NULL, -1, meter), "team is NULL");
    CHECK_REFUSED(hpart_team_set_meter(team, -2, meter), "processor is -2");
    CHECK_REFUSED(hpart_team_set_meter(team, 1, meter), "processor is 1");
    CHECK_OK(hpart_team_set_meter(team, -1, meter));
    CHECK_REFUSED(hpart_team_set_meter(team, 0, own), "the whole node has a meter");
    CHECK_OK(hpart_team_set_meter(team, -1, NULL));
    CHECK_OK(hpart_team_set_meter(team, 0, own));
    CHECK_REFUSED(hpart_team_set_meter(team, -1, meter), "has a meter of its own");
    CHECK_OK(hpart_team_set_meter(team, 0, NULL));
    hpart_meter_close(own);
}

static void test_measure(void)
{
    struct burner burner = {&world, 3, 0};
    hpart_report *report = NULL;
    const int64_t x[2] = {7, 0};
    double seconds[2] = {untouched, untouched}, joules[2] = {untouched, untouched};
    CHECK_OK(hpart_team_add(team, "a", burn, &burner, NULL, NULL));
    CHECK_OK(hpart_team_add(team, "b", burn, &burner, NULL, NULL));
    CHECK_REFUSED(hpart_team_measure(team, x, options, seconds, joules, NULL), "processor 'a' has no meter");
    CHECK_OK(hpart_team_set_meter(team, -1, meter));

    CHECK_OK(hpart_team_measure(team, x, options, seconds, joules, &report));
    CHECK(is_near(joules[0], 21) && joules[1] == untouched);
    CHECK(seconds[0] >= 0 && seconds[1] == 0);
    CHECK(is_near(double_of(report, "energy_total"), 21 + base_watts));
    hpart_report_destroy(report);

    joules[0] = seconds[0] = untouched;
    world.fails = 1;
    CHECK_FAILS(hpart_team_measure(team, x, options, seconds, joules, &report), HPART_ERR_CALLBACK, "returned 9");
    CHECK(joules[0] == untouched && seconds[0] == untouched);
    CHECK_OK(hpart_team_measure(team, x, options, seconds, NULL, NULL)); /* times need no meter */
    world.fails = 0;
    CHECK_OK(hpart_team_set_meter(team, -1, NULL));
    CHECK_OK(hpart_team_set_meter(team, 0, meter));
    CHECK_REFUSED(hpart_team_measure(team, x, options, seconds, joules, NULL), "processor 'b' has no meter");
}

static int read_idle(void *user, double *value, double *seconds)
{
    double *clock = user;
    *value = 50;
    *seconds = *clock += 0.1;
    return 0;
}

static int stop_base_power(double fraction, const char *what, void *user)
{
    CHECK(fraction < 0 && strstr(what, "base power") != NULL);
    return ++*(int *)user == 3;
}

/* A base power that would take eleven days ends when the progress callback says so. */
static void test_base_power_can_be_stopped(void)
{
    struct burner burner = {&world, 1, 0};
    hpart_options *endless = options_of("base_seconds=1e6");
    hpart_meter *idle = NULL;
    const int64_t sizes[1] = {1};
    double seconds = untouched, joules = untouched, clock = 0;
    int told = 0;
    CHECK_OK(hpart_meter_create("idle", read_idle, HPART_WATTS, 0.1, 0, &clock, NULL, &idle));
    CHECK_OK(hpart_team_add(team, "a", burn, &burner, NULL, NULL));
    CHECK_OK(hpart_team_set_meter(team, -1, idle));
    CHECK_OK(hpart_options_set_progress(endless, stop_base_power, &told, NULL));
    CHECK_FAILS(hpart_team_measure(team, sizes, endless, &seconds, &joules, NULL), HPART_ERR_CANCELLED,
                "measuring the base power");
    CHECK(told == 3 && seconds == untouched && joules == untouched && world.seconds == 0);
    CHECK_OK(hpart_team_set_meter(team, -1, NULL));
    hpart_meter_close(idle);
    hpart_options_destroy(endless);
}

static void test_additivity(void)
{
    struct burner burner = {&world, 2, 4};
    hpart_platform *alone = new_platform(1);
    hpart_report *report = NULL;
    const int64_t x[3] = {3, 5, 8}, sizes[3] = {3, 5, 8};
    const double times[3] = {1, 1, 1}, energies[3] = {8, 14, 25}; /* 10, 14, 20 in truth: 25, 0 and -20 % */
    double least = untouched, mean = untouched, largest = untouched;
    CHECK_OK(hpart_team_add(team, "a", burn, &burner, NULL, NULL));
    CHECK_REFUSED(hpart_energy_additivity(NULL, NULL, 1, x, options, NULL, NULL, NULL, NULL), "team is NULL");
    CHECK_REFUSED(hpart_energy_additivity(team, NULL, 1, x, options, NULL, NULL, NULL, NULL),
                  "no meter of the whole node");
    CHECK_OK(hpart_team_set_meter(team, -1, meter));
    CHECK_REFUSED(hpart_energy_additivity(team, NULL, 0, x, options, NULL, NULL, NULL, NULL), "distributions is 0");
    CHECK_REFUSED(hpart_energy_additivity(team, NULL, 1, NULL, options, NULL, NULL, NULL, NULL), "x is NULL");

    CHECK_OK(hpart_platform_set_time_function(alone, 0, 3, sizes, times));
    CHECK_OK(hpart_platform_set_energy_function(alone, 0, 3, sizes, energies));
    CHECK_OK(hpart_energy_additivity(team, alone, 3, x, options, &least, &mean, &largest, &report));
    CHECK(is_near(least, 0) && is_near(mean, 15) && is_near(largest, 25));
    CHECK(is_near(double_of(report, "additive"), 0));
    hpart_report_destroy(report);
    hpart_platform_destroy(alone);
    CHECK_OK(hpart_platform_create(2, &alone));
    CHECK_REFUSED(hpart_energy_additivity(team, alone, 1, x, options, NULL, NULL, NULL, NULL),
                  "alone has 2 processors");
    hpart_platform_destroy(alone);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* As the threads of a library's pool do after their work. */
static void *spin(void *user)
{
    const double end = now() + *(const double *)user;
    while (now() < end) {}
    return NULL;
}

static int doze(int64_t size, void *user)
{
    const struct timespec time = {0, 2000000};
    (void)size;
    (void)user;
    return nanosleep(&time, NULL);
}

static void test_windows_begin_at_rest(void)
{
    const double spinning_seconds = 0.1, watts = 10;
    const int64_t size = 1;
    double seconds = untouched, joules = untouched;
    hpart_meter *estimate = NULL;
    pthread_t pool;
    CHECK_OK(hpart_meter_open("estimate:10", NULL, &estimate));
    CHECK_OK(hpart_options_set_double(options, "base_power", 0));
    CHECK_OK(hpart_team_add(team, "a", doze, NULL, NULL, NULL));
    CHECK_OK(hpart_team_set_meter(team, -1, estimate));
    CHECK(pthread_create(&pool, NULL, spin, (void *)(uintptr_t)&spinning_seconds) == 0);
    CHECK_OK(hpart_team_measure(team, &size, options, &seconds, &joules, NULL));
    CHECK(pthread_join(pool, NULL) == 0);
    /* A repetition of 2 ms beside a thread that spins takes 20 mJ, a kernel that sleeps next to nothing. */
    CHECK(joules < 0.3 * watts * 0.002);
    CHECK_OK(hpart_team_set_meter(team, -1, NULL));
    hpart_meter_close(estimate);
}

static void test_optimize_front(void)
{
    struct burner dear = {&world, 3, 5}, cheap = {&world, 2, 0};
    hpart_front *front = NULL;
    hpart_platform *measured = NULL;
    hpart_report *report = NULL, *same = NULL;
    const int64_t sizes[] = {1, 2, 3, 4, 5, 6};
    int64_t x[2] = {-1, -1}, points = 0;
    double seconds = untouched, joules = untouched;
    CHECK_OK(hpart_team_add(team, "dear", burn, &dear, NULL, NULL));
    CHECK_OK(hpart_team_add(team, "cheap", burn, &cheap, NULL, NULL));
    CHECK_REFUSED(hpart_team_optimize_front(team, 8, 0, 6, sizes, options, &front, NULL, NULL), "has no meter");
    CHECK_OK(hpart_team_set_meter(team, -1, meter));
    CHECK_OK(hpart_options_set_string(options, "sizes", "all"));
    CHECK_OK(hpart_team_optimize_front(team, 8, HPART_ENERGY_DYNAMIC, 6, sizes, options, &front, &measured, &report));
    points = int_of(report, "points");
    CHECK(points >= 1 && hpart_front_count(front) == points && hpart_front_processors(front) == 2);
    CHECK_OK(hpart_front_point(front, points - 1, &seconds, &joules, x));
    CHECK(x[0] == 2 && x[1] == 6 && is_near(joules, 23) && seconds < 1); /* the least energy, at any time */
    CHECK_OK(hpart_front_report(front, &same));
    CHECK(hpart_report_count(same) == hpart_report_count(report));
    CHECK(hpart_platform_processors(measured) == 2);
    hpart_front_destroy(front);
    hpart_platform_destroy(measured);
    hpart_report_destroy(report);
    hpart_report_destroy(same);
    front = NULL;
    CHECK_REFUSED(hpart_team_optimize_front(team, 8, 2, 6, sizes, options, &front, NULL, NULL), "energy is 2");
    CHECK_REFUSED(hpart_team_optimize_front(team, 0, 0, 6, sizes, options, &front, NULL, NULL), "size is 0");
    CHECK_REFUSED(hpart_team_optimize_front(team, 8, 0, 6, sizes, options, NULL, NULL, NULL), "front is NULL");
    CHECK_REFUSED(hpart_team_optimize_front(team, 8, 0, 6, NULL, options, &front, NULL, NULL), "sizes is NULL");
    CHECK_REFUSED(hpart_team_optimize_front(NULL, 8, 0, 6, sizes, options, &front, NULL, NULL), "team is NULL");
    CHECK(front == NULL);
}

int main(void)
{
    static void (*const tests[])(void) = {test_windows_begin_at_rest,     test_attaching,  test_measure,
                                          test_base_power_can_be_stopped, test_additivity, test_optimize_front};
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
        set_up();
        tests[k]();
        tear_down();
    }
    return check_result();
}
