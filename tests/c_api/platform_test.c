#include "check.h"

static int square(int64_t size, double *operations, void *user)
{
    *operations = (double)size * (double)size * *(double *)user;
    return 0;
}

static int refuse(int64_t size, double *operations, void *user)
{
    (void)operations;
    (void)user;
    return size == 2 ? 3 : 0;
}

static int not_finite(int64_t size, double *operations, void *user)
{
    (void)size;
    (void)user;
    *operations = INFINITY;
    return 0;
}

static void functions(void)
{
    hpart_platform *platform = new_platform(2);
    const int64_t sizes[] = {4, 1, 2};
    const double values[] = {40, 10, 20};
    int64_t got_sizes[3] = {-1, -1, -1}, needed = 0;
    double seconds[3] = {-1, -1, -1}, joules[3] = {-1, -1, -1}, factor = 2;
    CHECK(hpart_platform_processors(platform) == 2);
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 3, sizes, values));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 1, sizes, values));
    CHECK_OK(hpart_platform_get_function(platform, 0, NULL, NULL, NULL, 0, &needed));
    CHECK(needed == 3);
    CHECK_REFUSED(hpart_platform_get_function(platform, 0, got_sizes, seconds, joules, 2, &needed),
                  "capacity is 2; 3 are needed");
    CHECK(got_sizes[0] == -1 && seconds[0] == -1);
    CHECK_OK(hpart_platform_get_function(platform, 0, got_sizes, seconds, joules, 3, NULL));
    CHECK(got_sizes[0] == 1 && got_sizes[1] == 2 && got_sizes[2] == 4);
    CHECK(seconds[2] == 40 && joules[2] == 40 && isnan(joules[0]));
    CHECK_OK(hpart_platform_get_function(platform, 0, NULL, seconds, NULL, 3, NULL));
    CHECK_OK(hpart_platform_get_function(platform, 1, got_sizes, NULL, NULL, 3, &needed));
    CHECK(needed == 0);

    CHECK_OK(hpart_platform_set_speed_function(platform, 1, 3, sizes, values, NULL, NULL));
    CHECK_OK(hpart_platform_get_function(platform, 1, NULL, seconds, NULL, 3, NULL));
    CHECK(seconds[0] == 0.1 && seconds[1] == 0.1 && seconds[2] == 0.1);
    CHECK_OK(hpart_platform_set_speed_function(platform, 1, 3, sizes, values, square, &factor));
    CHECK_OK(hpart_platform_get_function(platform, 1, NULL, seconds, NULL, 3, NULL));
    CHECK(seconds[0] == 0.2 && seconds[2] == 0.8);
    CHECK_FAILS(hpart_platform_set_speed_function(platform, 1, 3, sizes, values, refuse, NULL), HPART_ERR_CALLBACK,
                "returned 3 for size 2");
    CHECK_REFUSED(hpart_platform_set_speed_function(platform, 1, 3, sizes, values, not_finite, NULL), "inf");
    CHECK_OK(hpart_platform_get_function(platform, 1, NULL, seconds, NULL, 3, NULL));
    CHECK(seconds[2] == 0.8);
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 0, NULL, NULL));
    CHECK_OK(hpart_platform_get_function(platform, 1, NULL, NULL, NULL, 0, &needed));
    CHECK(needed == 0);
    hpart_platform_destroy(platform);
}

static void wrong_functions(void)
{
    hpart_platform *platform = new_platform(1);
    const int64_t sizes[] = {1, 2}, zero[] = {0, 1};
    const double values[] = {1, 2}, negative[] = {1, -2}, none[] = {1, 0};
    CHECK_REFUSED(hpart_platform_set_time_function(platform, 0, 2, sizes, negative), "seconds[1] is -2");
    CHECK_REFUSED(hpart_platform_set_energy_function(platform, 0, 2, sizes, negative), "joules[1] is -2");
    CHECK_REFUSED(hpart_platform_set_speed_function(platform, 0, 2, sizes, none, NULL, NULL), "speeds[1] is 0");
    CHECK_REFUSED(hpart_platform_set_speed_function(platform, 0, 2, zero, values, NULL, NULL), "sizes[0] is 0");
    CHECK_REFUSED(hpart_platform_set_time_function(platform, 0, -1, sizes, values), "-1");
    CHECK_REFUSED(hpart_platform_set_time_function(platform, 0, INT64_MAX, sizes, values), "9223372036854775807");
    CHECK_REFUSED(hpart_platform_set_time_function(platform, 1, 2, sizes, values), "from 0 to 0");
    CHECK_REFUSED(hpart_platform_set_time_function(platform, 0, 2, NULL, values), "sizes is NULL");
    CHECK_REFUSED(hpart_platform_set_time_function(platform, 0, 2, sizes, NULL), "seconds is NULL");
    hpart_platform_destroy(platform);
}

static void intervals(void)
{
    hpart_platform *platform = new_platform(1);
    const int64_t sizes[] = {4, 1, 2}, wanted[] = {4, 1}, counts[] = {9, 5};
    const double values[] = {40, 10, 20}, low[] = {39, 10}, high[] = {42, 10};
    double time_low[3], time_high[3], energy_low[3], energy_high[3];
    int64_t repetitions[3], needed = 0;
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 3, sizes, values));
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 1, sizes, values));
    CHECK_OK(hpart_platform_get_intervals(platform, 0, time_low, NULL, NULL, NULL, repetitions, 3, &needed));
    CHECK(needed == 3 && isnan(time_low[0]) && repetitions[2] == 0);
    CHECK_OK(hpart_platform_set_time_interval(platform, 0, 2, wanted, low, high, counts));
    CHECK_OK(hpart_platform_set_energy_interval(platform, 0, 1, wanted, low, high, NULL));
    CHECK_REFUSED(hpart_platform_set_time_interval(platform, 0, 2, wanted, high, high, NULL), "low[0] is 42");
    CHECK_REFUSED(hpart_platform_set_energy_interval(platform, 0, 2, wanted, low, high, NULL), "no energy at that");
    CHECK_REFUSED(hpart_platform_set_time_interval(platform, 1, 2, wanted, low, high, NULL), "from 0 to 0");
    CHECK_REFUSED(hpart_platform_set_time_interval(platform, 0, -1, wanted, low, high, NULL), "-1");
    CHECK_REFUSED(hpart_platform_set_time_interval(platform, 0, 2, NULL, low, high, NULL), "sizes is NULL");
    CHECK_REFUSED(hpart_platform_set_energy_interval(platform, 0, 1, wanted, NULL, high, NULL), "low is NULL");
    CHECK_REFUSED(hpart_platform_set_energy_interval(platform, 0, 1, wanted, low, NULL, NULL), "high is NULL");
    CHECK_REFUSED(hpart_platform_set_time_interval(NULL, 0, 1, wanted, low, high, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_intervals(NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, &needed), "platform is NULL");
    CHECK_OK(hpart_platform_get_intervals(platform, 0, NULL, NULL, NULL, NULL, NULL, 0, &needed));
    CHECK(needed == 3);
    CHECK_REFUSED(hpart_platform_get_intervals(platform, 0, time_low, NULL, NULL, NULL, NULL, 2, &needed),
                  "capacity is 2; 3 are needed");
    CHECK_OK(
        hpart_platform_get_intervals(platform, 0, time_low, time_high, energy_low, energy_high, repetitions, 3, NULL));
    CHECK(time_low[0] == 10 && isnan(time_low[1]) && time_low[2] == 39);
    CHECK(time_high[0] == 10 && isnan(time_high[1]) && time_high[2] == 42);
    CHECK(isnan(energy_low[0]) && energy_low[2] == 39 && energy_high[2] == 42);
    CHECK(repetitions[0] == 5 && repetitions[1] == 0 && repetitions[2] == 9);
    hpart_platform_destroy(platform);
}

/* Two processors of time x and energy 2 x: the links' costs by hand. */
static void costs_of_a_distribution(void)
{
    const int64_t sizes[3] = {1, 2, 3}, x[2] = {2, 3}, wrong[2] = {2, 4};
    const double seconds[3] = {1, 2, 3}, joules[3] = {2, 4, 6};
    hpart_platform *platform = new_platform(2);
    hpart_options *options = new_options();
    hpart_report *report = NULL;
    double time = 0, energy = 0;
    int64_t k;
    for (k = 0; k < 2; ++k) {
        CHECK_OK(hpart_platform_set_time_function(platform, k, 3, sizes, seconds));
        CHECK_OK(hpart_platform_set_energy_function(platform, k, 3, sizes, joules));
    }
    CHECK_OK(hpart_platform_set_link(platform, 0, 1, 1, 4)); /* 1 + 8 / 4 = 3 s both ways */
    CHECK_OK(hpart_platform_set_link_energy(platform, 0, 1, 0.5));
    CHECK_OK(hpart_platform_set_host_link_energy(platform, 1, 0.25));
    CHECK_OK(hpart_platform_set_border_bytes(platform, 8));
    CHECK_OK(hpart_platform_set_base_power(platform, 10));
    CHECK_OK(hpart_platform_set_node(platform, 1, 1, 5));
    CHECK_OK(hpart_platform_evaluate_with(platform, x, options, &time, &energy, NULL));
    CHECK(time == 3 && energy == 10);
    CHECK_OK(hpart_options_set_string(options, "communication", "chain"));
    CHECK_OK(hpart_platform_evaluate_with(platform, x, options, &time, &energy, &report));
    CHECK(time == 6 && energy == 10 + 8 * (0.5 + 2 * 0.25));
    CHECK(double_of(report, "communication_joules") == 8);
    CHECK(double_of(report, "communication_seconds") == 3);
    CHECK(double_of(report, "total_energy") == 18 + 15 * 6);
    CHECK_OK(hpart_platform_evaluate_with(platform, x, NULL, NULL, NULL, NULL));
    CHECK_REFUSED(hpart_platform_evaluate_with(platform, wrong, options, &time, NULL, NULL), "x[1] is 4");
    CHECK_REFUSED(hpart_platform_evaluate_with(platform, NULL, options, &time, NULL, NULL), "x is NULL");
    CHECK_OK(hpart_options_set_string(options, "ties", "fewest"));
    CHECK_REFUSED(hpart_platform_evaluate_with(platform, x, options, &time, NULL, NULL), "'ties'");
    hpart_report_destroy(report);
    hpart_options_destroy(options);
    hpart_platform_destroy(platform);
}

static void names_links_and_power(void)
{
    hpart_platform *platform = new_platform(2), *cluster = NULL;
    char name[16];
    int64_t needed = 0, smallest = 0, largest = 0;
    double watts = 0, latency = -1, bandwidth = -1, joules = -1;
    CHECK_OK(hpart_platform_set_name(platform, 0, "CPU"));
    CHECK_REFUSED(hpart_platform_set_name(platform, 1, "CPU"), "already");
    CHECK_REFUSED(hpart_platform_set_name(platform, 2, "x"), "from 0 to 1");
    CHECK_OK(hpart_platform_get_name(platform, 0, name, sizeof name, &needed));
    CHECK(strcmp(name, "CPU") == 0 && needed == 4);
    CHECK_OK(hpart_platform_get_base_power(platform, &watts));
    CHECK(isnan(watts));
    CHECK_REFUSED(hpart_platform_set_base_power(platform, -1), "watts is -1");
    CHECK_OK(hpart_platform_set_base_power(platform, 50));
    CHECK_OK(hpart_platform_set_link(platform, 0, 1, 1e-6, 1e9));
    CHECK_OK(hpart_platform_get_link(platform, 0, 1, &latency, &bandwidth));
    CHECK(latency == 1e-6 && bandwidth == 1e9);
    CHECK_OK(hpart_platform_get_link(platform, 1, 0, &latency, &bandwidth));
    CHECK(latency == 0 && isinf(bandwidth));
    CHECK_REFUSED(hpart_platform_set_link(platform, 0, 1, -1, 1), "latency_seconds");
    CHECK_REFUSED(hpart_platform_set_host_link(platform, 0, 0, 0), "bytes_per_second");
    CHECK_OK(hpart_platform_set_host_link(platform, 0, 0, INFINITY));
    CHECK_OK(hpart_platform_set_link_energy(platform, 0, 1, 3e-10));
    CHECK_OK(hpart_platform_set_link(platform, 0, 1, 2e-6, 2e9)); /* keeps the energy */
    CHECK_OK(hpart_platform_get_link_energy(platform, 0, 1, &joules));
    CHECK(joules == 3e-10);
    CHECK_OK(hpart_platform_get_link(platform, 0, 1, &latency, &bandwidth));
    CHECK(latency == 2e-6 && bandwidth == 2e9);
    CHECK_REFUSED(hpart_platform_set_link_energy(platform, 0, 0, 1), "joins two processors");
    CHECK_REFUSED(hpart_platform_set_link_energy(platform, 0, 1, NAN), "joules_per_byte is nan");
    CHECK_REFUSED(hpart_platform_get_link_energy(platform, 0, 1, NULL), "joules_per_byte is NULL");
    CHECK_OK(hpart_platform_set_host_link_energy(platform, 1, 2e-10));
    CHECK_OK(hpart_platform_get_host_link_energy(platform, 1, &joules));
    CHECK(joules == 2e-10);
    CHECK_REFUSED(hpart_platform_set_host_link_energy(platform, 1, -1), "joules_per_byte is -1");
    CHECK_OK(hpart_platform_set_node(platform, 0, 1, 30));
    CHECK_OK(hpart_platform_get_node(platform, 1, &smallest, &largest, &watts));
    CHECK(smallest == 0 && largest == 1 && watts == 30);
    CHECK_OK(hpart_platform_set_node(platform, 0, 1, 0));
    CHECK_OK(hpart_platform_get_node(platform, 1, &smallest, NULL, &watts));
    CHECK(smallest == 1 && watts == 0);
    CHECK_REFUSED(hpart_platform_get_node(platform, 2, NULL, NULL, NULL), "from 0 to 1");
    CHECK_REFUSED(hpart_platform_set_border_bytes(platform, -1), "bytes is -1");
    CHECK_REFUSED(hpart_platform_set_limits(platform, 0, 0, 1), "smallest is 0");
    CHECK_REFUSED(hpart_platform_set_limits(platform, 0, 2, 1), "largest is 1");
    CHECK_OK(hpart_platform_set_limits(platform, 0, 2, 9));
    CHECK_OK(hpart_platform_get_limits(platform, 0, &smallest, &largest));
    CHECK(smallest == 2 && largest == 9);
    CHECK_OK(hpart_platform_get_limits(platform, 1, NULL, &largest));
    CHECK(largest == INT64_MAX);
    CHECK_OK(hpart_platform_set_kernel(platform, "dgemm n=5"));
    CHECK_REFUSED(hpart_platform_set_kernel(platform, "two\nlines"), "one line");
    CHECK_OK(hpart_platform_get_kernel(platform, name, sizeof name, NULL));
    CHECK(strcmp(name, "dgemm n=5") == 0);
    CHECK_OK(hpart_platform_replicate(platform, 2, &cluster));
    CHECK(hpart_platform_processors(cluster) == 4);
    CHECK_REFUSED(hpart_platform_replicate(platform, 0, &cluster), "copies is 0");
    hpart_platform_destroy(cluster);
    hpart_platform_destroy(platform);
}

static void files(void)
{
    hpart_platform *platform = new_platform(1), *again = NULL;
    const int64_t sizes[] = {1, 2};
    const double values[] = {0.1, 0.2};
    double seconds[2] = {0, 0};
    const char *path = "c_platform_test.csv";
    FILE *file;
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, values));
    CHECK_OK(hpart_platform_write(platform, path));
    CHECK_OK(hpart_platform_read(path, &again));
    CHECK_OK(hpart_platform_get_function(again, 0, NULL, seconds, NULL, 2, NULL));
    CHECK(seconds[0] == 0.1 && seconds[1] == 0.2);
    hpart_platform_destroy(again);
    again = NULL;
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (file != NULL) {
        fputs("processor,size,time\nCPU,1,fast\n", file);
        fclose(file);
    }
    CHECK_FAILS(hpart_platform_read(path, &again), HPART_ERR_FORMAT, "c_platform_test.csv:2:7: time is 'fast'");
    CHECK(again == NULL);
    remove(path);
    CHECK_FAILS(hpart_platform_read(path, &again), HPART_ERR_IO, "c_platform_test.csv");
    CHECK_FAILS(hpart_platform_read("/", &again), HPART_ERR_IO, "directory");
    CHECK_FAILS(hpart_platform_write(platform, "/no/such/folder/file.csv"), HPART_ERR_IO, "/no/such/folder");
    CHECK_FAILS(hpart_platform_write(platform, "/dev/full"), HPART_ERR_IO, "space");
    hpart_platform_destroy(platform);
}

static void measured_facts(void)
{
    const char *path = "c_platform_facts.csv", *expected = "{\"measured\": \"one after another\", \"notes\": "
                                                           "[{\"kind\": \"failed\", \"processor\": \"A\", \"size\": 5, "
                                                           "\"text\": \"ended with \\\"x\\\"\"}]}";
    hpart_platform *platform = NULL;
    hpart_report *report = NULL, *row = NULL;
    char text[200];
    int64_t count = -1, needed = -1;
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file == NULL) return;
    fputs(
        "# measured = one after another\n# failed: A size 5 ended with \"x\"\n# by hand\nprocessor,size,time\nA,1,1\n",
        file);
    fclose(file);
    CHECK_OK(hpart_platform_read(path, &platform));
    CHECK_OK(hpart_platform_report(platform, &report));
    CHECK(hpart_report_count(report) == 2 && hpart_report_type(report, "notes") == HPART_REPORT_TABLE);
    CHECK_OK(hpart_report_rows(report, "notes", &count));
    CHECK(count == 1);
    CHECK_OK(hpart_report_row(report, "notes", 0, &row));
    CHECK(int_of(row, "size") == 5);
    hpart_report_destroy(row);
    row = NULL;
    CHECK_REFUSED(hpart_report_row(report, "notes", 1, &row), "k is 1; the report's key 'notes' has 1 row");
    CHECK_REFUSED(hpart_report_row(report, "notes", -1, &row), "k is -1");
    CHECK_REFUSED(hpart_report_row(report, "measured", 0, &row), "is not a list of rows");
    CHECK_REFUSED(hpart_report_row(report, "notes", 0, NULL), "row is NULL");
    CHECK_REFUSED(hpart_report_rows(report, "notes", NULL), "count is NULL");
    CHECK_REFUSED(hpart_report_rows(report, "rows", &count), "no key 'rows'");
    CHECK_REFUSED(hpart_report_get_int(report, "notes", &count), "is not an integer");
    CHECK(row == NULL);
    CHECK_OK(hpart_report_json(report, text, sizeof text, &needed));
    CHECK(strcmp(text, expected) == 0 && needed == (int64_t)strlen(expected) + 1);
    CHECK_OK(hpart_report_get_string(report, "notes", text, sizeof text, NULL));
    CHECK(text[0] == '[');
    CHECK_REFUSED(hpart_report_json(NULL, text, sizeof text, NULL), "report is NULL");
    CHECK_REFUSED(hpart_platform_report(NULL, &report), "platform is NULL");
    CHECK_REFUSED(hpart_platform_report(platform, NULL), "report is NULL");
    hpart_report_destroy(report);
    hpart_platform_destroy(platform);
    remove(path);
}

static void evaluate(void)
{
    hpart_platform *platform = new_platform(2);
    const int64_t sizes[] = {1, 2};
    const double values[] = {0.1, 0.2};
    int64_t x[2] = {2, 1};
    double seconds = -1, joules = -1;
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 2, sizes, values));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 2, sizes, values));
    CHECK_OK(hpart_platform_evaluate(platform, x, &seconds, NULL));
    CHECK(seconds == 0.2);
    CHECK_REFUSED(hpart_platform_evaluate(platform, x, &seconds, &joules), "no energy");
    CHECK(joules == -1);
    CHECK_OK(hpart_platform_set_energy_function(platform, 0, 2, sizes, values));
    CHECK_OK(hpart_platform_set_energy_function(platform, 1, 2, sizes, values));
    CHECK_OK(hpart_platform_evaluate(platform, x, NULL, &joules));
    CHECK(joules == 0.2 + 0.1);
    x[1] = 3;
    CHECK_REFUSED(hpart_platform_evaluate(platform, x, &seconds, NULL), "x[1] is 3");
    x[1] = INT64_MIN;
    CHECK_REFUSED(hpart_platform_evaluate(platform, x, &seconds, NULL), "x[1]");
    hpart_platform_destroy(platform);
}

int main(void)
{
    functions();
    wrong_functions();
    intervals();
    names_links_and_power();
    costs_of_a_distribution();
    files();
    measured_facts();
    evaluate();
    return check_result();
}
