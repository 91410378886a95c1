/* A program outside hpart's tree with a library of HPART_CORE_ONLY: it partitions and adapts; what is left out says so. */
#include <hpart.h>

#include <stdio.h>
#include <string.h>

static int failed;

static void check(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s; the last error: %s\n", what, hpart_last_error());
    failed = 1;
}

static void partitions(void)
{
    const int64_t sizes[] = {2, 4, 8, 10};
    const double cpu[] = {1.0, 2.0, 5.0, 7.0}, gpu[] = {2.0, 2.1, 2.5, 6.0};
    hpart_platform *platform = NULL;
    int64_t x[2] = {0, 0};
    double seconds = 0;
    check(hpart_platform_create(2, &platform) == HPART_SUCCESS, "a platform");
    check(hpart_platform_set_time_function(platform, 0, 4, sizes, cpu) == HPART_SUCCESS, "a function");
    check(hpart_platform_set_time_function(platform, 1, 4, sizes, gpu) == HPART_SUCCESS, "another function");
    check(hpart_partition_time(platform, 12, NULL, x, &seconds) == HPART_SUCCESS, "a partition");
    check(x[0] == 4 && x[1] == 8 && seconds == 2.5, "12 = 4 + 8 in 2.5 s");
    hpart_platform_destroy(platform);
}

static void adapts(void)
{
    hpart_adaptive *adaptive = NULL;
    const double seconds[] = {3, 1};
    int64_t x[2] = {0, 0};
    check(hpart_adaptive_create(2, 100, NULL, &adaptive) == HPART_SUCCESS, "an adaptive application");
    check(hpart_adaptive_update(adaptive, NULL, seconds) == HPART_SUCCESS, "an iteration");
    check(hpart_adaptive_distribution(adaptive, x) == HPART_SUCCESS, "its distribution");
    check(x[0] < x[1] && x[0] + x[1] == 100, "the faster processor gets more of 100");
    hpart_adaptive_destroy(adaptive);
}

static void says_what_is_left_out(void)
{
    hpart_device *device = NULL;
    hpart_team *team = NULL;
    hpart_meter *meter = NULL;
    hpart_report *info = NULL;
    double c = 0;
    check(hpart_device_open("host", NULL, &device) == HPART_ERR_UNSUPPORTED, "no devices");
    check(strstr(hpart_last_error(), "hpart_device_open") != NULL, "the call is named");
    check(strstr(hpart_last_error(), "HPART_CORE_ONLY") != NULL, "the remedy is named");
    check(hpart_dgemm(NULL, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, 1, 1, 1, 1, &c, 1, &c, 1, 0, &c, 1,
                      NULL, NULL) == HPART_ERR_UNSUPPORTED,
          "no products");
    check(hpart_team_create(&team) == HPART_ERR_UNSUPPORTED && team == NULL, "no teams");
    check(hpart_meter_open("rapl", NULL, &meter) == HPART_ERR_UNSUPPORTED && meter == NULL, "no meters");
    check(hpart_device_count() == 0 && hpart_meter_count() == 0, "none to list");
    check(hpart_team_processors(NULL) == -1 && hpart_alloc_pinned(NULL, 8) == NULL,
          "getters give what they give for NULL");
    hpart_device_close(NULL);
    check(hpart_info(&info) == HPART_SUCCESS && hpart_report_count(info) >= 2, "the version and the compiler");
    hpart_report_destroy(info);
}

int main(void)
{
    partitions();
    adapts();
    says_what_is_left_out();
    return failed;
}
