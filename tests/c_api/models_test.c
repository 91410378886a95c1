/* Shapes, slices, shares, matrices, and getters of what was set. */
#include "check.h"

static int cube(int64_t size, double *operations, void *user)
{
    (void)user;
    *operations = (double)size * (double)size * (double)size;
    return 0;
}

static int nothing(int64_t size, double *operations, void *user)
{
    (void)size;
    (void)user;
    *operations = 0;
    return 0;
}

static int refuse(int64_t size, double *operations, void *user)
{
    (void)operations;
    (void)user;
    return size == 2 ? 5 : 0;
}

static hpart_platform *jagged(void)
{
    hpart_platform *platform = new_platform(1);
    const int64_t sizes[] = {1, 2, 3, 4};
    const double seconds[] = {1, 4, 2, 8};
    CHECK_OK(hpart_platform_set_time_function(platform, 0, 4, sizes, seconds));
    return platform;
}

static void shapes(void)
{
    hpart_platform *platform = jagged();
    hpart_report *report = NULL;
    CHECK_OK(hpart_platform_report_shape(platform, 0, NULL, NULL, &report));
    CHECK(int_of(report, "points") == 4);
    CHECK(int_of(report, "fpm") == 0);
    CHECK(double_of(report, "time_variation") == 100);
    CHECK(hpart_report_type(report, "time_variation") == HPART_REPORT_DOUBLE);
    CHECK(hpart_report_type(report, "time_falls") == HPART_REPORT_INT);
    CHECK(hpart_report_type(report, "energy_falls") == -1);
    CHECK(hpart_report_type(report, NULL) == -1 && hpart_report_type(NULL, "points") == -1);
    hpart_report_destroy(report);
    CHECK_OK(hpart_platform_report_shape(platform, 0, cube, NULL, &report));
    CHECK(int_of(report, "speed_falls") == 1); /* 1, 2, 13.5, 8 */
    hpart_report_destroy(report);
    report = NULL;
    CHECK_REFUSED(hpart_platform_report_shape(platform, 0, nothing, NULL, &report), "complexity of size 1 is 0");
    CHECK_FAILS(hpart_platform_report_shape(platform, 0, refuse, NULL, &report), HPART_ERR_CALLBACK, "returned 5");
    CHECK_REFUSED(hpart_platform_report_shape(platform, 1, NULL, NULL, &report), "from 0 to 0");
    CHECK_REFUSED(hpart_platform_report_shape(NULL, 0, NULL, NULL, &report), "platform is NULL");
    CHECK_REFUSED(hpart_platform_report_shape(platform, 0, NULL, NULL, NULL), "report is NULL");
    CHECK(report == NULL);
    hpart_platform_destroy(platform);
}

static void slices(void)
{
    const char *path = "c_models_test.csv";
    hpart_options *options = options_of("interpolate=linear");
    hpart_platform *slice = NULL;
    double seconds[2];
    FILE *file = fopen(path, "w");
    CHECK(file != NULL &&
          fputs("parameter,processor,size,time\n300,CPU,1,2\n300,CPU,2,8\n100,CPU,1,1\n100,CPU,2,4\n", file) >= 0);
    CHECK(fclose(file) == 0);
    CHECK_OK(hpart_platform_read_slice(path, 300, NULL, &slice));
    CHECK_OK(hpart_platform_get_function(slice, 0, NULL, seconds, NULL, 2, NULL));
    CHECK(seconds[1] == 8);
    hpart_platform_destroy(slice);
    slice = NULL;
    CHECK_REFUSED(hpart_platform_read_slice(path, 200, NULL, &slice), "100 below and 300 above");
    CHECK(slice == NULL);
    CHECK_OK(hpart_platform_read_slice(path, 200, options, &slice));
    CHECK_OK(hpart_platform_get_function(slice, 0, NULL, seconds, NULL, 2, NULL));
    CHECK(seconds[1] == 6);
    hpart_platform_destroy(slice);
    slice = NULL;
    CHECK_OK(hpart_options_set_string(options, "interpolate", "akima"));
    CHECK_REFUSED(hpart_platform_read_slice(path, 200, options, &slice), "must be none or linear");
    CHECK_OK(hpart_options_set_int(options, "threads", 1));
    CHECK_REFUSED(hpart_platform_read_slice(path, 200, options, &slice), "threads");
    hpart_options_destroy(options);
    CHECK_FAILS(hpart_platform_read(path, &slice), HPART_ERR_FORMAT, "a column of family files");
    CHECK_REFUSED(hpart_platform_read_slice(path, 300, NULL, NULL), "platform is NULL");
    CHECK_REFUSED(hpart_platform_read_slice(NULL, 300, NULL, &slice), "path is NULL");
    remove(path);
    CHECK_FAILS(hpart_platform_read_slice(path, 300, NULL, &slice), HPART_ERR_IO, "c_models_test.csv");
    CHECK(slice == NULL);
}

static void shares_and_matrices(void)
{
    const int64_t x[] = {2, 0, 4, 2};
    double shares[4] = {-1, -1, -1, -1};
    int64_t first_rows[4], first_columns[4], heights[4], widths[4], covered = 0;
    hpart_report *report = NULL;
    int k;
    CHECK_OK(hpart_shares_compute(4, x, shares));
    CHECK(shares[0] == 0.25 && shares[1] == 0 && shares[2] == 0.5 && shares[3] == 0.25);
    CHECK_REFUSED(hpart_shares_compute(2, x + 1, NULL), "shares is NULL");
    CHECK_REFUSED(hpart_shares_compute(1, x + 1, shares), "sum to 0");
    CHECK_REFUSED(hpart_shares_compute(-1, x, shares), "-1");

    CHECK_OK(hpart_matrix_partition(4, shares, 10, 20, first_rows, first_columns, heights, widths, &report));
    for (k = 0; k < 4; ++k) covered += heights[k] * widths[k];
    CHECK(covered == 200);
    CHECK(hpart_report_type(report, "columns") == HPART_REPORT_INT);
    hpart_report_destroy(report);
    CHECK_REFUSED(hpart_matrix_partition(4, shares, 10, 20, NULL, first_columns, heights, widths, NULL),
                  "first_rows is NULL");
    CHECK_REFUSED(hpart_matrix_partition(4, NULL, 10, 20, first_rows, first_columns, heights, widths, NULL),
                  "areas is NULL");
    CHECK_REFUSED(hpart_matrix_partition(4, shares, 10, 0, first_rows, first_columns, heights, widths, NULL),
                  "columns is 0");
    shares[0] = NAN;
    CHECK_REFUSED(hpart_matrix_partition(4, shares, 10, 20, first_rows, first_columns, heights, widths, NULL),
                  "areas[0] is nan");
    shares[0] = 1;
    heights[0] = -7;
    CHECK_FAILS(hpart_matrix_partition(4, shares, 1, 2, first_rows, first_columns, heights, widths, NULL),
                HPART_ERR_INFEASIBLE, "3 positive areas");
    CHECK(heights[0] == -7);
}

static void getters(void)
{
    hpart_platform *platform = jagged();
    hpart_front *front = NULL;
    double latency = -1, bandwidth = -1, bytes = -1;
    CHECK_OK(hpart_platform_get_host_link(platform, 0, &latency, &bandwidth));
    CHECK(latency == 0 && isinf(bandwidth));
    CHECK_OK(hpart_platform_set_host_link(platform, 0, 1e-6, 2e9));
    CHECK_OK(hpart_platform_get_host_link(platform, 0, &latency, &bandwidth));
    CHECK(latency == 1e-6 && bandwidth == 2e9);
    CHECK_OK(hpart_platform_get_host_link(platform, 0, NULL, NULL));
    CHECK_REFUSED(hpart_platform_get_host_link(platform, 1, NULL, NULL), "from 0 to 0");
    CHECK_OK(hpart_platform_get_border_bytes(platform, &bytes));
    CHECK(bytes == 0);
    CHECK_OK(hpart_platform_set_border_bytes(platform, 4096));
    CHECK_OK(hpart_platform_get_border_bytes(platform, &bytes));
    CHECK(bytes == 4096);
    CHECK_REFUSED(hpart_platform_get_border_bytes(platform, NULL), "bytes is NULL");
    CHECK(hpart_front_processors(NULL) == -1);
    CHECK_OK(hpart_front_compute(platform, 0, HPART_ENERGY_DYNAMIC, NULL, &front));
    CHECK(hpart_front_processors(front) == 1);
    hpart_front_destroy(front);
    hpart_platform_destroy(platform);
}

int main(void)
{
    shapes();
    slices();
    shares_and_matrices();
    getters();
    return check_result();
}
