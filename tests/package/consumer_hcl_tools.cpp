// A code written for the tools hpopta, heopta and hepopta: the argument types and the numbers of the examples in
// Khaleghzadeh's thesis, Appendix F.
#include <hcl_heopta.h>
#include <hcl_hepopta.h>
#include <hcl_hpopta.h>

namespace
{

unsigned int points[] = {4, 3}, sizes[] = {1, 2, 3, 4, 1, 2, 3};
double values[] = {10, 30, 20, 25, 15, 25, 35};

} // namespace

// The example of the front hands over pointers without a value: it must compile and link, and cannot be run.
int example_of_the_front()
{
    unsigned int dynamic_count, total_count;
    double **dynamic_solutions, **total_solutions;
    return hcl_hepopta(1, 4, 2, 100, points, sizes, values, values, &dynamic_count, dynamic_solutions, &total_count,
                       total_solutions);
}

int main()
{
    unsigned int x[2];
    double optimum;
    if (hcl_hpopta(1, 4, 2, points, sizes, values, x, &optimum) != 0) return 1;
    return hcl_heopta(1, 4, 2, points, sizes, values, x, &optimum);
}
