/* Nothing before it, nothing but it. */
#include <hcl_hepopta.h>

int of_hepopta(const unsigned int *points, const unsigned int *sizes, const double *values);
int of_hepopta(const unsigned int *points, const unsigned int *sizes, const double *values)
{
    unsigned int count, total_count;
    double *block, *total_block;
    const int result =
        hcl_hepopta(0, 4, 2, 0, points, sizes, values, values, &count, &block, &total_count, &total_block);
    if (result == 0) free(block);
    return result;
}
