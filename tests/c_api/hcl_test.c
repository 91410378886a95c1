/* The interfaces of the HCL tools, on the arrays of their listings and on two processors whose front has three points. */
#include "check.h"

#include <hcl_heopta.h>
#include <hcl_hepopta.h>
#include <hcl_hpopta.h>

static const unsigned int points[] = {4, 3}, sizes[] = {1, 2, 3, 4, 1, 2, 3};
static const double values[] = {10, 30, 20, 25, 15, 25, 35};

static void optima(void)
{
    unsigned int x[2] = {7, 7};
    double optimum = -1;
    CHECK(hcl_hpopta(0, 4, 2, points, sizes, values, x, &optimum) == 0);
    CHECK(x[0] == 3 && x[1] == 1 && optimum == 20);
    CHECK(HCL_hpopta(0, 7, 2, points, sizes, values, x, &optimum) == 0);
    CHECK(x[0] == 4 && x[1] == 3 && optimum == 35);
    CHECK(hcl_heopta(0, 4, 2, points, sizes, values, x, &optimum) == 0);
    CHECK(x[0] == 4 && x[1] == 0 && optimum == 25);
    CHECK(HCL_heopta(0, 5, 2, points, sizes, values, x, &optimum) == 0);
    CHECK(x[0] == 4 && x[1] == 1 && optimum == 40);
    CHECK(hcl_hpopta(0, 0, 2, points, sizes, values, x, &optimum) == 0);
    CHECK(x[0] == 0 && x[1] == 0 && optimum == 0);
}

static void failures(void)
{
    const unsigned int twice[] = {1, 1, 3, 4, 1, 2, 3};
    unsigned int x[2] = {7, 7};
    double optimum = -1;
    CHECK(hcl_hpopta(0, 8, 2, points, sizes, values, x, &optimum) == -1);
    CHECK(strstr(hpart_last_error(), "no distribution of size 8") != NULL);
    CHECK(hcl_heopta(0, 4, 2, points, twice, values, x, &optimum) == -1);
    CHECK(strstr(hpart_last_error(), "distinct") != NULL);
    CHECK(hcl_hpopta(0, 4, 0, points, sizes, values, x, &optimum) == -1);
    CHECK(hcl_hpopta(0, 4, 2, NULL, sizes, values, x, &optimum) == -1);
    CHECK(hcl_hpopta(0, 4, 2, points, NULL, values, x, &optimum) == -1);
    CHECK(hcl_hpopta(0, 4, 2, points, sizes, NULL, x, &optimum) == -1);
    CHECK(hcl_hpopta(0, 4, 2, points, sizes, values, NULL, &optimum) == -1);
    CHECK(hcl_hpopta(0, 4, 2, points, sizes, values, x, NULL) == -1);
    CHECK(x[0] == 7 && x[1] == 7 && optimum == -1);
}

/* A solution in a block: time, energy, distribution. */
static int is_solution(const double *block, unsigned int k, double time, double energy, double x0, double x1)
{
    const double *solution = block + (size_t)k * 4;
    return solution[0] == time && solution[1] == energy && solution[2] == x0 && solution[3] == x1;
}

static void fronts(void)
{
    const unsigned int both[] = {3, 3}, of_both[] = {1, 2, 4, 1, 2, 4};
    const double seconds[] = {1, 2, 4, 3, 6, 12}, joules[] = {10, 20, 40, 1, 2, 4};
    unsigned int dynamic_count = 9, total_count = 9;
    double *dynamic_sols = NULL, *total_sols = NULL;
    CHECK(hcl_hepopta(0, 4, 2, 0, both, of_both, seconds, joules, &dynamic_count, &dynamic_sols, &total_count,
                      &total_sols) == 0);
    CHECK(dynamic_count == 3 && total_count == 0 && total_sols == NULL);
    CHECK(is_solution(dynamic_sols, 0, 4, 40, 4, 0));
    CHECK(is_solution(dynamic_sols, 1, 6, 22, 2, 2));
    CHECK(is_solution(dynamic_sols, 2, 12, 4, 0, 4));
    free(dynamic_sols);
    CHECK(HCL_hepopta(0, 4, 2, 4, both, of_both, seconds, joules, &dynamic_count, &dynamic_sols, &total_count,
                      &total_sols) == 0);
    CHECK(dynamic_count == 3 && total_count == 2);
    CHECK(is_solution(total_sols, 0, 4, 56, 4, 0) && is_solution(total_sols, 1, 6, 46, 2, 2));
    free(dynamic_sols);
    free(total_sols);
    dynamic_sols = total_sols = NULL;
    dynamic_count = 9;
    CHECK(hcl_hepopta(0, 4, 2, -1, both, of_both, seconds, joules, &dynamic_count, &dynamic_sols, &total_count,
                      &total_sols) == -1);
    CHECK(strstr(hpart_last_error(), "watts is -1") != NULL);
    CHECK(hcl_hepopta(0, 99, 2, 4, both, of_both, seconds, joules, &dynamic_count, &dynamic_sols, &total_count,
                      &total_sols) == -1);
    CHECK(hcl_hepopta(0, 4, 2, 4, both, of_both, seconds, joules, NULL, &dynamic_sols, &total_count, &total_sols) ==
          -1);
    CHECK(dynamic_count == 9 && dynamic_sols == NULL && total_sols == NULL);
}

int main(void)
{
    optima();
    failures();
    fronts();
    return check_result();
}
