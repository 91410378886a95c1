/* Nothing before it, nothing but it. */
#include <hcl_heopta.h>

double of_heopta(const unsigned int *points, const unsigned int *sizes, const double *values);
double of_heopta(const unsigned int *points, const unsigned int *sizes, const double *values)
{
    unsigned int x[2];
    double optimum = -1;
    return hcl_heopta(0, 4, 2, points, sizes, values, x, &optimum) == 0 ? optimum : -1;
}
