/* Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first? */
#include <hpart.h>

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    const int64_t sizes[] = {2, 4, 8, 10};
    const double cpu[] = {1.0, 2.0, 5.0, 7.0};
    const double gpu[] = {2.0, 2.1, 2.5, 6.0}; /* slow to start, and slow again when its memory is full */
    hpart_platform *platform = NULL;
    int64_t x[2];
    double seconds;

    hpart_status status = hpart_platform_create(2, &platform);
    if (!status) status = hpart_platform_set_time_function(platform, 0, 4, sizes, cpu);
    if (!status) status = hpart_platform_set_time_function(platform, 1, 4, sizes, gpu);
    if (!status) status = hpart_partition_time(platform, 12, NULL, x, &seconds);
    if (!status)
        printf("CPU %" PRId64 ", GPU %" PRId64 ": %g s\n", x[0], x[1], seconds); /* CPU 4, GPU 8: 2.5 s */
    else
        fprintf(stderr, "%s\n", hpart_last_error());
    hpart_platform_destroy(platform);
    return status ? 1 : 0;
}
