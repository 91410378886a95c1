/* A program outside hpart's tree with a library of HPART_CORE_ONLY: it partitions and adapts; what is left out says so. */
#include "check.h"

static void partitions(void)
{
    const int64_t sizes[] = {2, 4, 8, 10};
    const double cpu[] = {1.0, 2.0, 5.0, 7.0}, gpu[] = {2.0, 2.1, 2.5, 6.0};
    hpart_platform *platform = new_platform(2);
    int64_t x[2] = {0, 0};
    double seconds = 0;
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 4, sizes, cpu));
    CHECK_OK(hpart_platform_set_time_function(platform, 1, 4, sizes, gpu));
    CHECK_OK(hpart_partition_time(platform, 12, NULL, x, &seconds));
    CHECK(x[0] == 4 && x[1] == 8 && seconds == 2.5);
    hpart_platform_destroy(platform);
}

static void adapts(void)
{
    hpart_adaptive *adaptive = NULL;
    const double seconds[] = {3, 1};
    int64_t x[2] = {0, 0};
    CHECK_OK(hpart_adaptive_create(2, 100, NULL, &adaptive));
    CHECK_OK(hpart_adaptive_update(adaptive, NULL, seconds));
    CHECK_OK(hpart_adaptive_distribution(adaptive, x));
    CHECK(x[0] < x[1] && x[0] + x[1] == 100);
    hpart_adaptive_destroy(adaptive);
}

static void says_what_is_left_out(void)
{
    hpart_device *device = NULL;
    hpart_team *team = NULL;
    hpart_meter *meter = NULL;
    hpart_report *info = NULL;
    double c = 0;
    CHECK_FAILS(hpart_device_open("host", NULL, &device), HPART_ERR_UNSUPPORTED, "hpart_device_open");
    CHECK(strstr(hpart_last_error(), "HPART_CORE_ONLY") != NULL); /* the remedy */
    CHECK(hpart_dgemm(NULL, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, 1, 1, 1, 1, &c, 1, &c, 1, 0, &c, 1,
                      NULL, NULL) == HPART_ERR_UNSUPPORTED);
    CHECK(hpart_team_create(&team) == HPART_ERR_UNSUPPORTED && team == NULL);
    CHECK(hpart_meter_open("rapl", NULL, &meter) == HPART_ERR_UNSUPPORTED && meter == NULL);
    CHECK(hpart_device_count() == 0 && hpart_meter_count() == 0);
    CHECK(hpart_team_processors(NULL) == -1 && hpart_alloc_pinned(NULL, 8) == NULL); /* as for NULL */
    hpart_device_close(NULL);
    CHECK_OK(hpart_info(&info));
    CHECK(hpart_report_count(info) >= 2);
    hpart_report_destroy(info);
}

int main(void)
{
    partitions();
    adapts();
    says_what_is_left_out();
    return check_result();
}
