/* The meters of hpart.h as a C99 program sees them. */
#include "check.h"

enum { untouched = 12345 };

/* A meter whose clock is its own: each reading is a second and `step` units later. */
struct played {
    double value, step, wrap, seconds;
    int fail_at, readings, freed;
};

static int read_played(void *user, double *value, double *time_seconds)
{
    struct played *played = user;
    if (++played->readings == played->fail_at) return 3;
    *value = played->value;
    *time_seconds = played->seconds;
    played->value += played->step;
    if (played->wrap > 0) played->value = fmod(played->value, played->wrap);
    played->seconds += 1;
    return 0;
}

static void count_free(void *user) { ++((struct played *)user)->freed; }

static hpart_meter *counter_of(struct played *played)
{
    hpart_meter *meter = NULL;
    CHECK_OK(hpart_meter_create("played", read_played, HPART_JOULES, 1.0, played->wrap, played, count_free, &meter));
    return meter;
}

static void test_own_counter(void)
{
    struct played played = {90, 20, 100, 5, 0, 0, 0};
    double joules = untouched, seconds = untouched;
    hpart_meter *meter = counter_of(&played);
    CHECK_OK(hpart_meter_start(meter));
    CHECK_REFUSED(hpart_meter_start(meter), "started already");
    CHECK_OK(hpart_meter_stop(meter, &joules, &seconds));
    CHECK(seconds >= 1 && fabs(joules - 20 * seconds) < 1e-9); /* from 90 over the wrap to 10 */
    CHECK_OK(hpart_meter_start(meter));
    CHECK_OK(hpart_meter_stop(meter, NULL, NULL));
    joules = untouched;
    CHECK_REFUSED(hpart_meter_stop(meter, &joules, &seconds), "not started");
    CHECK(joules == untouched);
    played.fail_at = played.readings + 1;
    CHECK_FAILS(hpart_meter_start(meter), HPART_ERR_CALLBACK, "its function returned 3");
    CHECK_OK(hpart_meter_start(meter));
    played.fail_at = played.readings + 1;
    CHECK_FAILS(hpart_meter_stop(meter, &joules, &seconds), HPART_ERR_CALLBACK, "its function returned 3");
    CHECK(joules == untouched);
    CHECK(played.freed == 0);
    hpart_meter_close(meter);
    CHECK(played.freed == 1);
}

/* An interval beyond any clock's range is one that never passes. */
static void test_an_endless_interval(void)
{
    struct played played = {60, 0, 0, 0, 0, 0, 0};
    hpart_meter *meter = NULL;
    double joules = untouched;
    CHECK_OK(hpart_meter_create("played", read_played, HPART_WATTS, 1e300, 0, &played, NULL, &meter));
    CHECK_OK(hpart_meter_start(meter));
    CHECK_OK(hpart_meter_stop(meter, &joules, NULL));
    CHECK(joules == 60 && played.readings == 2);
    hpart_meter_close(meter);
}

static void test_create_refuses(void)
{
    struct played played = {0, 1, 0, 0, 0, 0, 0};
    hpart_meter *meter = NULL;
    CHECK_REFUSED(hpart_meter_create(NULL, read_played, HPART_JOULES, 1, 0, &played, count_free, &meter), "name");
    CHECK_REFUSED(hpart_meter_create("m", NULL, HPART_JOULES, 1, 0, &played, count_free, &meter), "read");
    CHECK_REFUSED(hpart_meter_create("m", read_played, 2, 1, 0, &played, count_free, &meter), "quantity is 2");
    CHECK_REFUSED(hpart_meter_create("m", read_played, HPART_JOULES, 0, 0, &played, count_free, &meter),
                  "interval_seconds");
    CHECK_REFUSED(hpart_meter_create("m", read_played, HPART_WATTS, 1e-300, 0, &played, count_free, &meter),
                  "interval_seconds is 1e-300; it must be finite and at least 1e-06");
    CHECK_REFUSED(hpart_meter_create("m", read_played, HPART_JOULES, NAN, 0, &played, count_free, &meter),
                  "interval_seconds");
    CHECK_REFUSED(hpart_meter_create("m", read_played, HPART_JOULES, 1, -1, &played, count_free, &meter), "wrap");
    CHECK_REFUSED(hpart_meter_create("m", read_played, HPART_WATTS, 1, 5, &played, count_free, &meter), "wrap");
    CHECK_REFUSED(hpart_meter_create("m", read_played, HPART_JOULES, 1, 0, &played, count_free, NULL), "meter");
    CHECK(meter == NULL);
    CHECK(played.freed == 0); /* still the caller's */
}

static void test_base_power_and_report(void)
{
    struct played played = {60, 0, 0, 0, 0, 0, 0}; /* 60 W; a second passes at each reading */
    hpart_meter *meter = NULL;
    hpart_report *report = NULL;
    double watts = untouched, error = untouched;
    CHECK_OK(hpart_meter_create("played", read_played, HPART_WATTS, 0.001, 0, &played, NULL, &meter));
    CHECK_REFUSED(hpart_meter_base_power(meter, 0.01, &watts, &error), "at least 0.02 s");
    CHECK(watts == untouched);
    CHECK_OK(hpart_meter_base_power(meter, 0.025, &watts, &error));
    CHECK(fabs(watts - 60) < 1e-9 && fabs(error - 0.5 / sqrt(3)) < 1e-9); /* half of the last decimal */
    CHECK_OK(hpart_meter_base_power(meter, 0.025, NULL, NULL));
    CHECK_OK(hpart_meter_report(meter, &report));
    CHECK(fabs(double_of(report, "base_power") - 60) < 1e-9);
    hpart_report_destroy(report);
    hpart_meter_close(meter);
}

static void test_open(void)
{
    hpart_meter *meter = NULL;
    hpart_options *options = options_of("base_power=12.5");
    double joules = untouched, seconds = untouched;
    hpart_report *report = NULL;
    CHECK_REFUSED(hpart_meter_open("volts", NULL, &meter),
                  "rapl, perf, nvml:N, hwmon:PATH, wattsup:TTY, command:PROGRAM, "
                  "replay:FILE, estimate:W");
    CHECK_REFUSED(hpart_meter_open(NULL, NULL, &meter), "spec");
    CHECK_REFUSED(hpart_meter_open("estimate:5", NULL, NULL), "meter");
    CHECK_FAILS(hpart_meter_open("replay:no/such", NULL, &meter), HPART_ERR_IO, "no/such");
    CHECK_FAILS(hpart_meter_open("wattsup:/dev/no-such", NULL, &meter), HPART_ERR_UNSUPPORTED, "/dev/no-such");
    CHECK(meter == NULL);
    CHECK_OK(hpart_meter_open("estimate:5", options, &meter));
    CHECK_OK(hpart_meter_start(meter));
    CHECK_OK(hpart_meter_stop(meter, &joules, &seconds));
    CHECK(joules >= 0 && seconds >= 0);
    CHECK_OK(hpart_meter_report(meter, &report));
    CHECK(double_of(report, "base_power") == 12.5);
    hpart_report_destroy(report);
    hpart_meter_close(meter);
    CHECK_OK(hpart_options_set_double(options, "deadline", 1));
    CHECK_REFUSED(hpart_meter_open("estimate:5", options, &meter), "deadline");
    hpart_options_destroy(options);
}

static int stop_at_third(double fraction, const char *what, void *user)
{
    CHECK(fraction < 0 && strstr(what, "meter") != NULL);
    return ++*(int *)user == 3;
}

/* The callback of the options that a meter was opened with ends its base power, while the options live. */
static void test_base_power_can_be_stopped(void)
{
    hpart_meter *meter = NULL;
    hpart_options *options = new_options();
    double watts = untouched;
    int told = 0;
    CHECK_OK(hpart_options_set_progress(options, stop_at_third, &told, NULL));
    CHECK_OK(hpart_meter_open("estimate:5", options, &meter));
    CHECK_FAILS(hpart_meter_base_power(meter, 1e6, &watts, NULL), HPART_ERR_CANCELLED, "progress callback stopped");
    CHECK(told == 3 && watts == untouched);
    CHECK_OK(hpart_meter_base_power(meter, 0.1, NULL, NULL));
    CHECK(told > 3);
    hpart_options_destroy(options);
    told = 0;
    CHECK_OK(hpart_meter_base_power(meter, 0.1, NULL, NULL));
    CHECK(told == 0);
    hpart_meter_close(meter);
}

/* Base powers that are none. */
static void test_base_power_must_be_a_number(void)
{
    hpart_options *options = new_options();
    CHECK_REFUSED(hpart_options_set_double(options, "base_power", INFINITY), "from 0 to");
    CHECK_REFUSED(hpart_options_set_double(options, "base_power", NAN), "base_power");
    CHECK_REFUSED(hpart_options_set_double(options, "base_power", -1), "from 0 to");
    CHECK_REFUSED(hpart_options_set_string(options, "base_power", "inf"), "from 0 to");
    CHECK_REFUSED(hpart_options_set_string(options, "base_power", "nan"), "base_power");
    CHECK_REFUSED(hpart_options_set_string(options, "base_power", "1e308"), "from 0 to");
    hpart_options_destroy(options);
}

static void test_describe(void)
{
    char text[2000];
    int64_t k, needed = 0, working = 0;
    hpart_status works = untouched;
    CHECK(hpart_meter_count() == 8);
    for (k = 0; k < hpart_meter_count(); ++k) {
        CHECK_OK(hpart_meter_describe(k, text, sizeof text, &needed, &works));
        CHECK(needed == (int64_t)strlen(text) + 1 && strchr(text, ' ') != NULL && strchr(text, '\n') == NULL);
        CHECK(works <= 0);
        working += works == HPART_SUCCESS;
        CHECK_OK(hpart_meter_describe(k, NULL, 0, &needed, NULL));
    }
    CHECK(working >= 3);
    works = untouched;
    CHECK_REFUSED(hpart_meter_describe(-1, text, sizeof text, &needed, &works), "k is -1");
    CHECK_REFUSED(hpart_meter_describe(8, text, sizeof text, &needed, &works), "0 to 7");
    CHECK(works == untouched);
}

static void test_null(void)
{
    hpart_report *report = NULL;
    double value = untouched;
    hpart_meter_close(NULL);
    CHECK_REFUSED(hpart_meter_start(NULL), "meter");
    CHECK_REFUSED(hpart_meter_stop(NULL, &value, &value), "meter");
    CHECK_REFUSED(hpart_meter_base_power(NULL, 1, &value, &value), "meter");
    CHECK_REFUSED(hpart_meter_report(NULL, &report), "meter");
    CHECK(value == untouched && report == NULL);
}

int main(void)
{
    test_own_counter();
    test_an_endless_interval();
    test_create_refuses();
    test_base_power_and_report();
    test_open();
    test_base_power_can_be_stopped();
    test_base_power_must_be_a_number();
    test_describe();
    test_null();
    return check_result();
}
