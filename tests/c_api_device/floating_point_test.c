/* Every call leaves the floating-point environment as it was, computes in the default one, and gives a callback its user's. */
#include "devices.h"

enum { processors = 2, points = 4, n = 120 };

/* With a memory limit that makes small problems larger than the device, and none. */
static const struct {
    const char *spec;
    int64_t memory_limit;
} tested_devices[] = {{"host", -1}, {"host", 65536}, {"opencl:0:0", 65536}};

static const int traps =
#ifdef __GLIBC__
    FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
#else
    0;
#endif

static int traps_now(void)
{
#ifdef __GLIBC__
    return fegetexcept();
#else
    return 0;
#endif
}

/* The user's environment: traps, a rounding that is not the usual one, one flag. */
static void set_users(void)
{
#ifdef __GLIBC__
    feenableexcept(traps);
#endif
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_INEXACT);
}

static int is_users(void) { return fegetround() == FE_UPWARD && traps_now() == traps; }

/* The call succeeds and leaves all as it was. */
#define CHECK_QUIET(call)                                                                                              \
    do {                                                                                                               \
        set_users();                                                                                                   \
        const hpart_status status_ = (call);                                                                           \
        const int flags_ = fetestexcept(FE_ALL_EXCEPT), is_users_ = is_users();                                        \
        CHECK_OK(status_);                                                                                             \
        CHECK(flags_ == FE_INEXACT);                                                                                   \
        CHECK(is_users_);                                                                                              \
    } while (0)

static hpart_platform *make_platform(void)
{
    static const int64_t sizes[points] = {1, 2, 3, 4};
    static const double seconds[points] = {0, 0, 1, 0.3}, joules[points] = {0, 1, 0, 2};
    hpart_platform *platform = NULL;
    CHECK_QUIET(hpart_platform_create(processors, &platform));
    CHECK_QUIET(hpart_platform_set_base_power(platform, 3));
    for (int64_t i = 0; i < processors; ++i) {
        CHECK_QUIET(hpart_platform_set_time_function(platform, i, points, sizes, seconds));
        CHECK_QUIET(hpart_platform_set_energy_function(platform, i, points, sizes, joules));
    }
    return platform;
}

/* Times and energies of 0: speeds that are infinite. */
static void test_partitions(void)
{
    static const char *const methods[] = {"exact", "hpopta", "data-locality", "hipopta",    "popta",   "paraleph",
                                          "equal", "cpm",    "fpm",           "smooth-fpm", "balanced"};
    static const char *const schedules[] = {"exact", "wdah", "wdah-heuristic"};
    hpart_platform *platform = make_platform();
    hpart_options *options = NULL;
    int64_t x[processors];
    double seconds = 0;
    CHECK_QUIET(hpart_options_create(&options));
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
        for (int64_t size = 2; size <= 8; size += 2) {
            CHECK_QUIET(hpart_options_set_string(options, "method", methods[k]));
            CHECK_QUIET(hpart_partition_time(platform, size, options, x, &seconds));
        }
    for (size_t k = 0; k < sizeof schedules / sizeof *schedules; ++k) {
        hpart_schedule *schedule = NULL;
        CHECK_QUIET(hpart_options_set_string(options, "method", schedules[k]));
        CHECK_QUIET(hpart_schedule_compute(platform, 7, options, &schedule));
        hpart_schedule_destroy(schedule);
    }
    hpart_options_destroy(options);
    for (int32_t kind = HPART_ENERGY_DYNAMIC; kind <= HPART_ENERGY_TOTAL; ++kind) {
        hpart_front *front = NULL;
        CHECK_QUIET(hpart_front_compute(platform, 6, kind, NULL, &front));
        hpart_front_destroy(front);
    }
    hpart_report *report = NULL;
    CHECK_QUIET(hpart_platform_report_shape(platform, 0, NULL, NULL, &report));
    hpart_report_destroy(report);
    hpart_platform_destroy(platform);
}

static void test_operations(void)
{
    static double a[n * n], b[n * n], c[n * n], line[2 * n * n];
    for (int k = 0; k < n * n; ++k) a[k] = k % 7, b[k] = k % 5;
    for (size_t k = 0; k < sizeof tested_devices / sizeof *tested_devices; ++k) {
        hpart_device *device = open_or_skip(tested_devices[k].spec, tested_devices[k].memory_limit);
        if (device == NULL) continue;
        hpart_report *report = NULL;
        const int64_t dims[] = {n, n};
        CHECK_QUIET(hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 1, a, n, b, n,
                                0, c, n, NULL, &report));
        hpart_report_destroy(report);
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += a[3 * n + i] * b[i * n + 5];
        CHECK(c[3 * n + 5] == sum);
        set_users();
        const hpart_status status = hpart_zfft(device, 2, dims, 1, -1, line, line, NULL, NULL);
        CHECK(is_users() && fetestexcept(FE_ALL_EXCEPT) == FE_INEXACT);
        is_missing(status);
        hpart_device_close(device);
    }
}

static int kernel(int64_t size, void *user)
{
    (void)size;
    *(int *)user += is_users() ? 1 : -1000;
    return 0;
}

static int complexity(int64_t size, double *operations, void *user)
{
    *operations = (double)size;
    return kernel(size, user);
}

static int progress(double fraction, const char *what, void *user)
{
    (void)fraction, (void)what;
    return kernel(1, user);
}

static int read_meter(void *user, double *value, double *seconds)
{
    static double now = 0;
    *value = 3;
    *seconds = now += 1;
    return kernel(1, user);
}

/* On the caller's thread and on hpart's. */
static void test_callbacks(void)
{
    int runs = 0, counts = 0, tells = 0, reads = 0;
    const int64_t x[] = {1}, sizes[] = {1, 2};
    const double speeds[] = {1, 2};
    double seconds = 0;
    hpart_options *options = NULL;
    hpart_team *team = NULL;
    hpart_meter *meter = NULL;
    hpart_platform *platform = NULL;
    CHECK_QUIET(hpart_platform_create(1, &platform));
    CHECK_QUIET(hpart_platform_set_speed_function(platform, 0, 2, sizes, speeds, complexity, &counts));
    hpart_platform_destroy(platform);
    CHECK_QUIET(hpart_options_create(&options));
    CHECK_QUIET(hpart_options_set_progress(options, progress, &tells, NULL));
    CHECK_QUIET(hpart_options_set_int(options, "min_repetitions", 3));
    CHECK_QUIET(hpart_options_set_int(options, "max_repetitions", 3));
    CHECK_QUIET(hpart_team_create(&team));
    CHECK_QUIET(hpart_team_add(team, "a", kernel, &runs, NULL, NULL));
    CHECK_QUIET(hpart_team_measure(team, x, options, &seconds, NULL, NULL));
    CHECK_QUIET(hpart_meter_create("meter", read_meter, HPART_WATTS, 0.001, 0, &reads, NULL, &meter));
    CHECK_QUIET(hpart_meter_start(meter));
    CHECK_QUIET(hpart_meter_stop(meter, NULL, NULL));
    CHECK(runs > 0 && counts > 0 && tells > 0 && reads > 0);
    hpart_meter_close(meter);
    hpart_team_destroy(team);
    hpart_options_destroy(options);
}

int main(void)
{
    set_users();
    test_partitions();
    test_operations();
    test_callbacks();
    return check_result();
}
