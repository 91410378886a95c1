/* A platform that has been used and is changed gives what a fresh platform with the same values gives. */
#include "check.h"

enum { PROCESSORS = 3, POINTS = 4, LARGEST = 13, MOST_VALUES = 4096 };

static const int64_t sizes[POINTS] = {1, 2, 4, 5};

static void add_functions(hpart_platform *platform)
{
    static const double seconds[PROCESSORS][POINTS] = {{4, 7, 9, 15}, {2, 5, 6, 11}, {3, 4, 12, 13}};
    static const double joules[PROCESSORS][POINTS] = {{5, 6, 14, 20}, {9, 15, 33, 40}, {2, 7, 9, 17}};
    int64_t i;
    for (i = 0; i < PROCESSORS; ++i) {
        CHECK_OK(hpart_platform_set_time_function(platform, i, POINTS, sizes, seconds[i]));
        CHECK_OK(hpart_platform_set_energy_function(platform, i, POINTS, sizes, joules[i]));
    }
}

static int cube(int64_t size, double *operations, void *user)
{
    (void)user;
    *operations = (double)(size * size * size);
    return 0;
}

/* Each is one setter, with values that change a result. */
static void set_name(hpart_platform *p) { CHECK_OK(hpart_platform_set_name(p, 1, "renamed")); }
static void set_time(hpart_platform *p)
{
    const double seconds[POINTS] = {1, 3, 8, 9};
    CHECK_OK(hpart_platform_set_time_function(p, 0, POINTS, sizes, seconds));
}
static void set_energy(hpart_platform *p)
{
    const double joules[POINTS] = {1, 3, 4, 60};
    CHECK_OK(hpart_platform_set_energy_function(p, 1, POINTS, sizes, joules));
}
static void set_speed(hpart_platform *p)
{
    const double speeds[POINTS] = {1, 3, 7, 9};
    CHECK_OK(hpart_platform_set_speed_function(p, 2, POINTS, sizes, speeds, cube, NULL));
}
static void set_fewer_points(hpart_platform *p)
{
    CHECK_OK(hpart_platform_set_time_function(p, 2, 1, sizes + 2, (double[]){2}));
}
static void set_time_interval(hpart_platform *p)
{
    CHECK_OK(hpart_platform_set_time_interval(p, 0, 1, sizes, (double[]){0.5}, (double[]){5}, (int64_t[]){7}));
}
static void set_energy_interval(hpart_platform *p)
{
    CHECK_OK(hpart_platform_set_energy_interval(p, 1, 1, sizes + 1, (double[]){2.5}, (double[]){16}, (int64_t[]){5}));
}
static void set_limits(hpart_platform *p) { CHECK_OK(hpart_platform_set_limits(p, 0, 2, 4)); }
static void set_base_power(hpart_platform *p) { CHECK_OK(hpart_platform_set_base_power(p, 6)); }
static void set_node(hpart_platform *p) { CHECK_OK(hpart_platform_set_node(p, 1, 2, 11)); }
static void set_link(hpart_platform *p) { CHECK_OK(hpart_platform_set_link(p, 0, 1, 3, 0.5)); }
static void set_link_back(hpart_platform *p) { CHECK_OK(hpart_platform_set_link(p, 1, 0, 2, 0.25)); }
static void set_host_link(hpart_platform *p) { CHECK_OK(hpart_platform_set_host_link(p, 1, 1.5, 2)); }
static void set_link_energy(hpart_platform *p) { CHECK_OK(hpart_platform_set_link_energy(p, 0, 1, 4)); }
static void set_host_link_energy(hpart_platform *p) { CHECK_OK(hpart_platform_set_host_link_energy(p, 1, 3)); }
static void set_border(hpart_platform *p) { CHECK_OK(hpart_platform_set_border_bytes(p, 2)); }
static void set_kernel(hpart_platform *p) { CHECK_OK(hpart_platform_set_kernel(p, "mine")); }

static void (*const changes[])(hpart_platform *) = {
    set_name,      set_base_power,    set_border,      set_link,
    set_link_back, set_host_link,     set_link_energy, set_host_link_energy,
    set_node,      set_kernel,        set_time,        set_energy,
    set_speed,     set_time_interval, set_limits,      set_energy_interval,
    set_name,      set_energy,        set_base_power,  set_fewer_points};
enum { CHANGES = sizeof changes / sizeof *changes };

/* Setters that refuse, and change nothing. */
static void refused_setters(hpart_platform *p)
{
    const double nothing[1] = {-1}, high[1] = {1};
    CHECK_REFUSED(hpart_platform_set_name(p, 1, ""), "name");
    CHECK_REFUSED(hpart_platform_set_time_function(p, 0, 1, sizes, nothing), "-1");
    CHECK_REFUSED(hpart_platform_set_energy_function(p, 0, 1, sizes, nothing), "-1");
    CHECK_REFUSED(hpart_platform_set_speed_function(p, 0, 1, sizes, nothing, NULL, NULL), "-1");
    CHECK_REFUSED(hpart_platform_set_time_interval(p, 0, 1, sizes, (double[]){2}, high, NULL), "; it must be");
    CHECK_REFUSED(hpart_platform_set_energy_interval(p, 0, 1, sizes, (double[]){2}, high, NULL), "; it must be");
    CHECK_REFUSED(hpart_platform_set_limits(p, 0, 3, 2), "");
    CHECK_REFUSED(hpart_platform_set_base_power(p, -1), "-1");
    CHECK_REFUSED(hpart_platform_set_node(p, 2, 1, 1), "");
    CHECK_REFUSED(hpart_platform_set_link(p, 0, 1, -1, 1), "-1");
    CHECK_REFUSED(hpart_platform_set_host_link(p, 0, -1, 1), "-1");
    CHECK_REFUSED(hpart_platform_set_link_energy(p, 0, 1, -1), "-1");
    CHECK_REFUSED(hpart_platform_set_host_link_energy(p, 0, -1), "-1");
    CHECK_REFUSED(hpart_platform_set_border_bytes(p, -1), "-1");
    CHECK_REFUSED(hpart_platform_set_kernel(p, "two\nlines"), "");
}

typedef struct {
    double values[MOST_VALUES];
    int count;
    char messages[LARGEST + 1][4096];
} Results;

static void add(Results *results, double value)
{
    CHECK(results->count < MOST_VALUES);
    if (results->count < MOST_VALUES) results->values[results->count++] = value;
}

static void add_partition(Results *results, const hpart_platform *p, int32_t objective, int64_t size,
                          const hpart_options *options)
{
    int64_t x[PROCESSORS] = {-1, -1, -1}, i;
    double seconds = -1, joules = -1;
    hpart_report *report = NULL;
    add(results, hpart_partition(p, objective, size, options, x, &seconds, &joules, &report));
    for (i = 0; i < PROCESSORS; ++i) add(results, (double)x[i]);
    add(results, seconds);
    add(results, joules);
    for (i = 0; report != NULL && i < 2; ++i) {
        double end = -1;
        if (hpart_report_get_double(report, i == 0 ? "time_low" : "energy_high", &end) == HPART_SUCCESS)
            add(results, end);
    }
    hpart_report_destroy(report);
}

/* Every call that takes a platform, of all sizes and objectives. */
static void observe(const hpart_platform *p, Results *results)
{
    static const char *const settings[] = {"method=exact", "communication=host unit_bytes=2", "communication=chain"};
    int64_t size, k;
    int32_t objective;
    size_t s;
    memset(results, 0, sizeof *results);
    for (s = 0; s < sizeof settings / sizeof *settings; ++s) {
        hpart_options *options = options_of(settings[s]);
        for (objective = HPART_OBJECTIVE_TIME; objective <= HPART_OBJECTIVE_SUM_TIME; ++objective)
            for (size = 1; size <= LARGEST; ++size) add_partition(results, p, objective, size, options);
        hpart_options_destroy(options);
    }
    for (size = 0; size <= LARGEST; ++size) {
        hpart_front *front = NULL;
        hpart_schedule *schedule = NULL;
        int32_t energy;
        for (energy = HPART_ENERGY_DYNAMIC; energy <= HPART_ENERGY_TOTAL; ++energy) {
            add(results, hpart_front_compute(p, size, energy, NULL, &front));
            for (k = 0; front != NULL && k < hpart_front_count(front); ++k) {
                double seconds = -1, joules = -1;
                CHECK_OK(hpart_front_point(front, k, &seconds, &joules, NULL));
                add(results, seconds);
                add(results, joules);
            }
            hpart_front_destroy(front);
            front = NULL;
        }
        add(results, hpart_schedule_compute(p, size, NULL, &schedule));
        if (schedule != NULL) add(results, hpart_schedule_makespan(schedule));
        hpart_schedule_destroy(schedule);
        /* A message with the names and limits of the platform. */
        hpart_options *all = options_of("idle_processors=forbidden");
        int64_t x[PROCESSORS];
        strcpy(results->messages[size], "");
        if (hpart_partition(p, HPART_OBJECTIVE_TIME, size, all, x, NULL, NULL, NULL) != HPART_SUCCESS)
            strcpy(results->messages[size], hpart_last_error());
        hpart_options_destroy(all);
    }
}

static int are_same(const Results *a, const Results *b)
{
    int k;
    if (a->count != b->count) return 0;
    for (k = 0; k < a->count; ++k)
        if (a->values[k] != b->values[k] && !(isnan(a->values[k]) && isnan(b->values[k]))) return 0;
    return memcmp(a->messages, b->messages, sizeof a->messages) == 0;
}

static Results of_used, of_fresh, before;

static void one_after_another(void)
{
    hpart_platform *used = new_platform(PROCESSORS);
    int k, j, differing = 0;
    add_functions(used);
    observe(used, &before);
    for (k = 0; k < CHANGES; ++k) {
        hpart_platform *fresh = new_platform(PROCESSORS);
        add_functions(fresh);
        for (j = 0; j <= k; ++j) changes[j](fresh);
        changes[k](used);
        observe(used, &of_used);
        observe(fresh, &of_fresh);
        if (!are_same(&of_used, &of_fresh)) fprintf(stderr, "change %d of %d\n", k, CHANGES);
        CHECK(are_same(&of_used, &of_fresh));
        if (!are_same(&of_used, &before)) ++differing;
        before = of_used;
        refused_setters(used);
        observe(used, &of_used);
        CHECK(are_same(&of_used, &of_fresh));
        hpart_platform_destroy(fresh);
    }
    CHECK(differing >= 12); /* else the results do not show changes */
    hpart_platform_destroy(used);
}

/* Those between two calls are seen together, in whatever order. */
static void several_at_once(void)
{
    int k;
    for (k = 0; k + 3 <= CHANGES; ++k) {
        hpart_platform *used = new_platform(PROCESSORS), *fresh = new_platform(PROCESSORS);
        int j;
        add_functions(used);
        add_functions(fresh);
        observe(used, &of_used);
        for (j = k; j < k + 3; ++j) {
            changes[j](used);
            changes[j](fresh);
            refused_setters(used);
        }
        observe(used, &of_used);
        observe(fresh, &of_fresh);
        CHECK(are_same(&of_used, &of_fresh));
        hpart_platform_destroy(used);
        hpart_platform_destroy(fresh);
    }
}

int main(void)
{
    one_after_another();
    several_at_once();
    return check_result();
}
