/* Prints partitions, fronts, schedules, baselines and messages of random platforms, to the last bit: the output is the same on every
 * machine. Argument: the number of instances. */
#include <hpart.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_processors = 6, most_points = 24 };

static uint64_t state = 20261126;

/* One call a statement: the order in which arguments are evaluated differs between machines. */
static int64_t between(int64_t low, int64_t high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

static double value(int is_whole)
{
    const int64_t whole = between(1, 40);
    const int64_t part = between(0, 1000000006);
    return is_whole ? (double)whole : (double)whole + (double)part / 1000000007.0;
}

static void print_status(const char *what, hpart_status status)
{
    printf("%s %" PRId32 "%s%s\n", what, status, status == HPART_SUCCESS ? "" : ": ",
           status == HPART_SUCCESS ? "" : hpart_last_error());
}

static void print_report(hpart_report *report)
{
    int64_t k;
    for (k = 0; k < hpart_report_count(report); ++k) {
        const char *key = hpart_report_key(report, k);
        double values[256];
        char text[256];
        int64_t needed = 0, i;
        if (strcmp(key, "solve_seconds") == 0) continue;
        printf("  %s", key);
        if (hpart_report_get_doubles(report, key, values, 256, &needed) == HPART_SUCCESS)
            for (i = 0; i < needed; ++i) printf(" %a", values[i]);
        else if (hpart_report_get_string(report, key, text, sizeof text, &needed) == HPART_SUCCESS)
            printf(" %s", text);
        printf("\n");
    }
    hpart_report_destroy(report);
}

static void print_sizes(int64_t processors, const int64_t *x)
{
    int64_t i;
    for (i = 0; i < processors; ++i) printf(" %" PRId64, x[i]);
}

static hpart_options *options_of(const char *text)
{
    char words[256], *word;
    hpart_options *options = NULL;
    if (hpart_options_create(&options) != HPART_SUCCESS) exit(1);
    strcpy(words, text);
    for (word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value_of = strchr(word, '=');
        *value_of = '\0';
        if (hpart_options_set_string(options, word, value_of + 1) != HPART_SUCCESS) exit(1);
    }
    return options;
}

static hpart_platform *any_platform(int64_t *processors, int64_t *size)
{
    hpart_platform *platform = NULL;
    const int is_whole = between(0, 1) == 0;
    const int is_alike = between(0, 3) == 0;
    int64_t i, j, k;
    int64_t sizes[most_points];
    double seconds[most_points], joules[most_points], latency, bandwidth;
    *processors = between(2, most_processors);
    *size = 0;
    if (hpart_platform_create(*processors, &platform) != HPART_SUCCESS) exit(1);
    hpart_platform_set_base_power(platform, value(is_whole));
    hpart_platform_set_border_bytes(platform, value(is_whole));
    for (i = 0; i < *processors; ++i) {
        static int64_t points;
        if (i == 0 || !is_alike) {
            points = between(3, most_points);
            for (k = 0; k < points; ++k) {
                sizes[k] = (k > 0 ? sizes[k - 1] : 0) + between(1, 4);
                seconds[k] = value(is_whole);
                joules[k] = value(is_whole);
            }
        }
        hpart_platform_set_time_function(platform, i, points, sizes, seconds);
        hpart_platform_set_energy_function(platform, i, points, sizes, joules);
        *size += sizes[between(0, points - 1)];
        latency = value(0) / 100;
        bandwidth = 10 * value(0);
        hpart_platform_set_host_link(platform, i, latency, bandwidth);
        for (j = 0; j < *processors; ++j) {
            if (i == j) continue;
            latency = value(0) / 100;
            bandwidth = 10 * value(0);
            hpart_platform_set_link(platform, i, j, latency, bandwidth);
        }
    }
    return platform;
}

static void partition(const hpart_platform *platform, int32_t objective, int64_t processors, int64_t size,
                      const char *text)
{
    int64_t x[most_processors] = {0};
    double seconds = 0, joules = 0;
    hpart_report *report = NULL;
    hpart_options *options = options_of(text);
    const hpart_status status = hpart_partition(platform, objective, size, options, x, &seconds, &joules, &report);
    printf("%s %" PRId32 " %s", "partition", objective, text);
    print_status("", status);
    if (status == HPART_SUCCESS) {
        print_sizes(processors, x);
        printf(" %a %a\n", seconds, joules);
        print_report(report);
    }
    hpart_options_destroy(options);
}

static void front(const hpart_platform *platform, int32_t energy, int64_t processors, int64_t size, const char *text)
{
    hpart_front *points = NULL;
    hpart_options *options = options_of(text);
    int64_t x[most_processors], k;
    printf("front %" PRId32 " %s", energy, text);
    print_status("", hpart_front_compute(platform, size, energy, options, &points));
    for (k = 0; k < hpart_front_count(points); ++k) {
        double seconds = 0, joules = 0;
        hpart_front_point(points, k, &seconds, &joules, x);
        printf(" %a %a", seconds, joules);
        print_sizes(processors, x);
        printf("\n");
    }
    hpart_front_destroy(points);
    hpart_options_destroy(options);
}

static void schedule(const hpart_platform *platform, int64_t size, const char *text)
{
    hpart_schedule *made = NULL;
    hpart_options *options = options_of(text);
    int64_t k;
    printf("schedule %s", text);
    print_status("", hpart_schedule_compute(platform, size, options, &made));
    for (k = 0; k < hpart_schedule_tasks(made); ++k) {
        int64_t processor = 0, package = 0, repeats = 0;
        hpart_schedule_task(made, k, &processor, &package, &repeats);
        printf(" %" PRId64 ":%" PRId64 "x%" PRId64, processor, package, repeats);
    }
    printf(" %a\n", hpart_schedule_makespan(made));
    hpart_schedule_destroy(made);
    hpart_options_destroy(options);
}

int main(int argc, char **argv)
{
    static const char *const calls[] = {"method=exact",        "ties=fewest",
                                        "method=equal",        "method=cpm",
                                        "method=fpm",          "method=balanced",
                                        "method=smooth-fpm",   "interpolate=linear",
                                        "interpolate=akima",   "max_active=2",
                                        "slowdown=1.5",        "communication=host unit_bytes=3",
                                        "communication=chain", "communication=summa matrix_block=4"};
    const int64_t instances = argc > 1 ? atoll(argv[1]) : 60;
    int64_t k;
    for (k = 0; k < instances; ++k) {
        int64_t processors = 0, size = 0, any;
        size_t i;
        int32_t objective;
        hpart_platform *platform = any_platform(&processors, &size);
        printf("instance %" PRId64 ": %" PRId64 " processors, size %" PRId64 "\n", k, processors, size);
        for (i = 0; i < sizeof calls / sizeof *calls; ++i)
            for (objective = HPART_OBJECTIVE_TIME; objective <= HPART_OBJECTIVE_SUM_TIME; ++objective)
                partition(platform, objective, processors, size, calls[i]);
        partition(platform, HPART_OBJECTIVE_TIME, processors, size, "method=hpopta");
        partition(platform, HPART_OBJECTIVE_ENERGY, processors, size, "method=heopta");
        partition(platform, HPART_OBJECTIVE_TIME, processors, 1000000, "method=exact");
        for (objective = HPART_ENERGY_DYNAMIC; objective <= HPART_ENERGY_TOTAL; ++objective) {
            front(platform, objective, processors, size, "method=exact");
            front(platform, objective, processors, size, "max_points=3");
            front(platform, objective, processors, size, "eps=0.1");
        }
        any = between(1, 200);
        schedule(platform, any, "method=exact");
        schedule(platform, any, "method=wdah");
        schedule(platform, any, "method=sigmoid");
        hpart_platform_destroy(platform);
    }
    return 0;
}
