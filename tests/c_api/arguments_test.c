/* Every call with NULL where it must not be: a status, a message that names the argument, no crash, outputs untouched. */
#include "check.h"

static void handles_that_are_null(void)
{
    int64_t n = -7;
    double d = -7;
    char text[8] = "keep";
    CHECK(hpart_platform_processors(NULL) == -1);
    CHECK(hpart_front_count(NULL) == -1);
    CHECK(hpart_report_count(NULL) == -1);
    CHECK(hpart_report_key(NULL, 0) == NULL);
    CHECK(hpart_schedule_tasks(NULL) == -1);
    CHECK(isnan(hpart_schedule_makespan(NULL)));
    CHECK(hpart_team_processors(NULL) == -1);
    CHECK_REFUSED(hpart_report_get_int(NULL, "a", &n), "report is NULL");
    CHECK_REFUSED(hpart_report_get_double(NULL, "a", &d), "report is NULL");
    CHECK_REFUSED(hpart_report_get_doubles(NULL, "a", &d, 1, &n), "report is NULL");
    CHECK_REFUSED(hpart_report_get_string(NULL, "a", text, 8, &n), "report is NULL");
    CHECK_REFUSED(hpart_platform_set_name(NULL, 0, "a"), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_name(NULL, 0, text, 8, &n), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_time_function(NULL, 0, 0, NULL, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_energy_function(NULL, 0, 0, NULL, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_speed_function(NULL, 0, 0, NULL, NULL, NULL, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_function(NULL, 0, &n, NULL, NULL, 1, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_limits(NULL, 0, 1, 1), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_limits(NULL, 0, &n, &n), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_base_power(NULL, 1), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_base_power(NULL, &d), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_link(NULL, 0, 1, 0, 1), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_link(NULL, 0, 1, &d, &d), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_host_link(NULL, 0, 0, 1), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_border_bytes(NULL, 0), "platform is NULL");
    CHECK_REFUSED(hpart_platform_set_kernel(NULL, ""), "platform is NULL");
    CHECK_REFUSED(hpart_platform_get_kernel(NULL, text, 8, &n), "platform is NULL");
    CHECK_REFUSED(hpart_platform_write(NULL, "x"), "platform is NULL");
    CHECK_REFUSED(hpart_platform_evaluate(NULL, &n, &d, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_partition(NULL, 0, 0, NULL, &n, &d, NULL, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_partition_time(NULL, 0, NULL, &n, &d), "platform is NULL");
    CHECK_REFUSED(hpart_partition_energy(NULL, 0, NULL, &n, &d), "platform is NULL");
    CHECK_REFUSED(hpart_partition_total_energy(NULL, 0, NULL, &n, &d), "platform is NULL");
    CHECK_REFUSED(hpart_front_point(NULL, 0, &d, &d, &n), "front is NULL");
    CHECK_REFUSED(hpart_schedule_task(NULL, 0, &n, &n, &n), "schedule is NULL");
    CHECK(n == -7 && d == -7 && strcmp(text, "keep") == 0);
}

static void outputs_that_are_null(void)
{
    hpart_platform *platform = NULL;
    int64_t x = 0;
    CHECK_OK(hpart_platform_create(1, &platform));
    CHECK_REFUSED(hpart_platform_create(1, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_replicate(platform, 1, NULL), "cluster is NULL");
    CHECK_REFUSED(hpart_platform_replicate(NULL, 1, &platform), "node is NULL");
    CHECK_REFUSED(hpart_platform_aggregate(platform, 0, 1, NULL, NULL), "whole is NULL");
    CHECK_REFUSED(hpart_platform_aggregate(NULL, 0, 1, NULL, &platform), "node is NULL");
    CHECK_REFUSED(hpart_platform_aggregate(platform, 2, 1, NULL, &platform), "objective is 2");
    CHECK_REFUSED(hpart_platform_aggregate(platform, 0, -1, NULL, &platform), "size is -1");
    CHECK_REFUSED(hpart_platform_aggregate(platform, 0, 1, NULL, &platform), "no time functions");
    CHECK_REFUSED(hpart_platform_read(NULL, &platform), "path is NULL");
    CHECK_REFUSED(hpart_platform_read("x", NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_write(platform, NULL), "path is NULL");
    CHECK_REFUSED(hpart_platform_set_name(platform, 0, NULL), "name is NULL");
    CHECK_REFUSED(hpart_platform_get_name(platform, 0, NULL, 0, NULL), "both NULL");
    CHECK_REFUSED(hpart_platform_get_base_power(platform, NULL), "watts is NULL");
    CHECK_REFUSED(hpart_platform_set_kernel(platform, NULL), "kernel is NULL");
    CHECK_REFUSED(hpart_platform_evaluate(platform, NULL, NULL, NULL), "x is NULL");
    CHECK_REFUSED(hpart_partition_time(platform, 0, NULL, NULL, NULL), "x is NULL");
    CHECK_REFUSED(hpart_front_compute(platform, 0, 0, NULL, NULL), "front is NULL");
    CHECK_REFUSED(hpart_schedule_compute(platform, 0, NULL, NULL), "schedule is NULL");
    CHECK_REFUSED(hpart_front_report(NULL, NULL), "front is NULL");
    CHECK_REFUSED(hpart_schedule_report(NULL, NULL), "schedule is NULL");
    CHECK_REFUSED(hpart_info(NULL), "report is NULL");
    CHECK_OK(hpart_platform_evaluate(platform, &x, NULL, NULL));
    CHECK_OK(hpart_platform_get_limits(platform, 0, NULL, NULL));
    hpart_platform_destroy(platform);
    hpart_platform_destroy(NULL);
    hpart_options_destroy(NULL);
    hpart_report_destroy(NULL);
    hpart_front_destroy(NULL);
    hpart_schedule_destroy(NULL);
    hpart_team_destroy(NULL);
}

int main(void)
{
    handles_that_are_null();
    outputs_that_are_null();
    return check_result();
}
