/* Self-adaptable applications as a C99 program sees them. */
#include "check.h"

enum { untouched = 12345 };

static void run_iteration(hpart_adaptive *adaptive, const double *speeds)
{
    int64_t x[3];
    double seconds[3];
    int i;
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] + x[1] + x[2] == 1000);
    for (i = 0; i < 3; ++i) seconds[i] = (double)x[i] / speeds[i];
    CHECK_OK(hpart_adaptive_update(adaptive, x, seconds));
}

static void test_use(void)
{
    const double speeds[] = {1, 2, 7};
    int64_t x[3] = {untouched, untouched, untouched}, count = 0, sizes[8];
    double seconds[8];
    int k;
    hpart_adaptive *adaptive = NULL;
    hpart_platform *functions = NULL;
    hpart_report *report = NULL;
    CHECK_OK(hpart_adaptive_create(3, 1000, NULL, &adaptive));
    CHECK(hpart_adaptive_processors(adaptive) == 3);
    CHECK(hpart_adaptive_converged(adaptive) == 0);
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] + x[1] + x[2] == 1000 && x[0] >= 333 && x[0] <= 334);
    for (k = 0; k < 3; ++k) run_iteration(adaptive, speeds);
    CHECK(hpart_adaptive_converged(adaptive) == 1);
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] > 90 && x[0] < 110 && x[2] > 680);

    CHECK_OK(hpart_adaptive_functions(adaptive, &functions));
    CHECK_OK(hpart_platform_get_function(functions, 2, sizes, seconds, NULL, 8, &count));
    CHECK(count >= 2 && fabs(seconds[0] - (double)sizes[0] / 7) < 1e-12);
    hpart_platform_destroy(functions);

    CHECK_OK(hpart_adaptive_report(adaptive, &report));
    CHECK(int_of(report, "iterations") == 3);
    CHECK(int_of(report, "moves") == 1);
    CHECK(double_of(report, "imbalance") >= 0 && double_of(report, "imbalance") < 0.1);
    hpart_report_destroy(report);

    CHECK_OK(hpart_adaptive_set_limits(adaptive, 2, 0, 500));
    CHECK(hpart_adaptive_converged(adaptive) == 0);
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[2] == 500);
    seconds[0] = seconds[1] = 1;
    seconds[2] = INFINITY;
    CHECK_OK(hpart_adaptive_update(adaptive, NULL, seconds));
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[2] == 0 && x[0] + x[1] == 1000);
    hpart_adaptive_destroy(adaptive);
}

static void test_another_size(void)
{
    const double speeds[] = {1, 2, 7};
    int64_t x[3];
    hpart_adaptive *adaptive = NULL;
    CHECK_OK(hpart_adaptive_create(3, 1000, NULL, &adaptive));
    run_iteration(adaptive, speeds);
    CHECK_OK(hpart_adaptive_set_size(adaptive, 1000000));
    CHECK(hpart_adaptive_converged(adaptive) == 0);
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] + x[1] + x[2] == 1000000);
    CHECK_OK(hpart_adaptive_set_size(adaptive, 1000));
    CHECK_REFUSED(hpart_adaptive_set_size(adaptive, -1), "size is -1");
    CHECK_REFUSED(hpart_adaptive_set_size(adaptive, ((int64_t)1 << 53) + 1), "2^53");
    CHECK_REFUSED(hpart_adaptive_set_size(NULL, 1000), "adaptive");
    CHECK_OK(hpart_adaptive_set_limits(adaptive, 2, 800, 900));
    CHECK_FAILS(hpart_adaptive_set_size(adaptive, 700), HPART_ERR_INFEASIBLE, "700");
    run_iteration(adaptive, speeds);
    hpart_adaptive_destroy(adaptive);
}

static void test_warm_start(void)
{
    const int64_t sizes[] = {400, 500, 600};
    const double times[] = {9, 4, 8}, other_times[] = {5, 7, 6};
    int64_t x[2];
    hpart_adaptive *adaptive = NULL;
    hpart_platform *platform = new_platform(2);
    CHECK_OK(hpart_adaptive_create(2, 1000, NULL, &adaptive));
    CHECK_REFUSED(hpart_adaptive_start_from(adaptive, platform), "no time functions");
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 3, sizes, times));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 3, sizes, other_times));
    CHECK_OK(hpart_adaptive_start_from(adaptive, platform));
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] == 500 && x[1] == 500); /* 7 seconds; 8 and 9 with the others */
    CHECK_REFUSED(hpart_adaptive_start_from(adaptive, NULL), "platform");
    CHECK_REFUSED(hpart_adaptive_start_from(NULL, platform), "adaptive");
    CHECK_OK(hpart_platform_set_limits(platform, 0, 1, 300));
    CHECK_OK(hpart_platform_set_limits(platform, 1, 1, 600));
    CHECK_FAILS(hpart_adaptive_start_from(adaptive, platform), HPART_ERR_INFEASIBLE, "900");
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] == 500 && x[1] == 500);
    CHECK_OK(hpart_adaptive_update(adaptive, NULL, times));
    CHECK_REFUSED(hpart_adaptive_start_from(adaptive, platform), "1 iteration");
    hpart_adaptive_destroy(adaptive);

    adaptive = NULL;
    CHECK_OK(hpart_adaptive_create(3, 1000, NULL, &adaptive));
    CHECK_REFUSED(hpart_adaptive_start_from(adaptive, platform), "2 processors");
    hpart_platform_destroy(platform);
    hpart_adaptive_destroy(adaptive);
}

static void test_options(void)
{
    const int64_t begin[] = {0, 1000, 0};
    int64_t x[3];
    hpart_options *options = new_options();
    hpart_adaptive *adaptive = NULL;
    CHECK_OK(hpart_options_set_previous(options, 3, begin));
    CHECK_OK(hpart_options_set_double(options, "tolerance", 0.1));
    CHECK_OK(hpart_options_set_double(options, "change_threshold", 0.5));
    CHECK_OK(hpart_options_set_double(options, "move_cost", 1e-6));
    CHECK_OK(hpart_options_set_int(options, "move_horizon", 10));
    CHECK_OK(hpart_adaptive_create(3, 1000, options, &adaptive));
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] == 0 && x[1] == 1000 && x[2] == 0);
    hpart_adaptive_destroy(adaptive);
    adaptive = NULL;
    CHECK_REFUSED(hpart_adaptive_create(2, 1000, options, &adaptive), "3 processors");
    CHECK_REFUSED(hpart_adaptive_create(3, 999, options, &adaptive), "999");
    CHECK_REFUSED(hpart_options_set_double(options, "tolerance", 0), "tolerance");
    CHECK_OK(hpart_options_set_double(options, "deadline", 1));
    CHECK_REFUSED(hpart_adaptive_create(3, 1000, options, &adaptive), "deadline");
    CHECK(adaptive == NULL);
    hpart_options_destroy(options);
}

static void test_refusals(void)
{
    int64_t x[2] = {5, 5};
    double seconds[2] = {1, -1};
    hpart_adaptive *adaptive = NULL;
    hpart_platform *functions = NULL;
    hpart_report *report = NULL;
    CHECK_REFUSED(hpart_adaptive_create(0, 10, NULL, &adaptive), "processors is 0");
    CHECK_REFUSED(hpart_adaptive_create(2, -1, NULL, &adaptive), "size is -1");
    CHECK_REFUSED(hpart_adaptive_create(2, 10, NULL, NULL), "adaptive");
    CHECK(adaptive == NULL);
    CHECK_OK(hpart_adaptive_create(2, 10, NULL, &adaptive));
    CHECK_REFUSED(hpart_adaptive_update(adaptive, x, seconds), "seconds[1] is -1");
    CHECK_REFUSED(hpart_adaptive_update(adaptive, x, NULL), "seconds");
    x[1] = 6;
    CHECK_REFUSED(hpart_adaptive_update(adaptive, x, seconds), "x[1]");
    seconds[0] = seconds[1] = INFINITY;
    CHECK_FAILS(hpart_adaptive_update(adaptive, NULL, seconds), HPART_ERR_INFEASIBLE, "10");
    CHECK_FAILS(hpart_adaptive_set_limits(adaptive, 0, 11, 12), HPART_ERR_INFEASIBLE, "smallest");
    CHECK_REFUSED(hpart_adaptive_set_limits(adaptive, 2, 0, 12), "processor is 2");
    CHECK_REFUSED(hpart_adaptive_distribution(adaptive, NULL), "x");
    CHECK_REFUSED(hpart_adaptive_functions(adaptive, NULL), "platform");
    CHECK_REFUSED(hpart_adaptive_report(adaptive, NULL), "report");
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] == 5 && x[1] == 5);
    hpart_adaptive_destroy(adaptive);
    hpart_adaptive_destroy(NULL);
    CHECK(hpart_adaptive_processors(NULL) == -1);
    CHECK(hpart_adaptive_converged(NULL) == -1);
    CHECK_REFUSED(hpart_adaptive_distribution(NULL, x), "adaptive");
    CHECK_REFUSED(hpart_adaptive_update(NULL, x, seconds), "adaptive");
    CHECK_REFUSED(hpart_adaptive_set_limits(NULL, 0, 0, 1), "adaptive");
    CHECK_REFUSED(hpart_adaptive_functions(NULL, &functions), "adaptive");
    CHECK_REFUSED(hpart_adaptive_report(NULL, &report), "adaptive");
    CHECK(functions == NULL && report == NULL);
}

int main(void)
{
    test_use();
    test_another_size();
    test_warm_start();
    test_options();
    test_refusals();
    return check_result();
}
