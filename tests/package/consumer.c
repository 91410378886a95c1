/* A program outside hpart's tree. */
#include <hpart.h>

#include <stdio.h>

/* A product on the host; a library without a BLAS says so. */
static int multiplies(void)
{
    const double a[4] = {1, 2, 3, 4}, b[4] = {1, 1, 0, 1};
    double c[4] = {0, 0, 0, 0};
    hpart_device *device = NULL;
    hpart_status status = hpart_device_open("host", NULL, &device);
    if (status == HPART_SUCCESS)
        status = hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, 2, 2, 2, 1, a, 2, b, 2, 0,
                             c, 2, NULL, NULL);
    if (status != HPART_SUCCESS) fprintf(stderr, "%s\n", hpart_last_error());
    hpart_device_close(device);
    return status == HPART_ERR_UNSUPPORTED || (status == HPART_SUCCESS && c[1] == 3 && c[3] == 7);
}

int main(void)
{
    const int64_t sizes[] = {1, 2, 3};
    const double seconds[2][3] = {{1.0, 2.0, 3.0}, {0.5, 0.75, 4.0}};
    const int64_t x[] = {1, 2};
    hpart_platform *platform = NULL;
    hpart_status status;
    double time = 0.0;
    int64_t i;

    status = hpart_platform_create(2, &platform);
    for (i = 0; i < 2 && status == HPART_SUCCESS; ++i)
        status = hpart_platform_set_time_function(platform, i, 3, sizes, seconds[i]);
    if (status == HPART_SUCCESS) status = hpart_platform_evaluate(platform, x, &time, NULL);
    if (status != HPART_SUCCESS) fprintf(stderr, "%s\n", hpart_last_error());
    hpart_platform_destroy(platform);
    return status == HPART_SUCCESS && time == 1.0 && multiplies() ? 0 : 1;
}
