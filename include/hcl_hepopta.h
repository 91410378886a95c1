/* The interface of HEPOPTA and HTPOPTA, so that codes written for them compile with hpart (pkg-config hpart-hcl): Khaleghzadeh's
 * thesis, Appendix F.3.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All Pareto-optimal solutions of the workload n for time and dynamic energy, and, where the base power bp is above 0, for time
 * and total energy, bp x time + dynamic energy. npoints[p]: points of each processor's functions; psizes, etimes, energies: their
 * sizes, positive and distinct, times and dynamic energies, the first processor's before the second's and so on.
 *
 * *DEparetoSols and *TEparetoSols become one block each, of *nDEParetoSolutions and *nTEParetoSolutions solutions, in increasing
 * time. A solution is 2 + p doubles: its time, its energy (dynamic or total) and the p sizes of its distribution, so that solution k
 * begins at (*DEparetoSols)[k * (2 + p)]. The caller frees each block with free(). If bp is 0, *nTEParetoSolutions is 0 and
 * *TEparetoSols NULL. Both pointers must point to a pointer; the thesis's own listing does not initialise them.
 * Returns 0 on success; -1 on failure, with unchanged outputs and, if the failure is hpart's, hpart_last_error. verbosity 0 prints
 * nothing; above 0 one line per solution, and the failure on standard error. */
#ifndef HCL_HEPOPTA_H
#define HCL_HEPOPTA_H

#include "hcl_functions.h"

/* The front as one block; NULL on failure. */
static inline double *hcl_front_(int verbosity, const hpart_platform *platform, unsigned int n, unsigned int p, int32_t energy,
                                 unsigned int *count)
{
    const size_t width = 2 + (size_t)p;
    hpart_front *front = NULL;
    int64_t *x = (int64_t *)malloc((size_t)p * sizeof *x);
    double *block = NULL;
    int64_t points = 0, k;
    unsigned int i;
    if (x != NULL && hpart_front_compute(platform, (int64_t)n, energy, NULL, &front) == HPART_SUCCESS) {
        points = hpart_front_count(front);
        block = (double *)malloc((size_t)points * width * sizeof *block);
    }
    for (k = 0; block != NULL && k < points; ++k) {
        double *solution = block + (size_t)k * width;
        (void)hpart_front_point(front, k, &solution[0], &solution[1], x);
        for (i = 0; i < p; ++i) solution[2 + i] = (double)x[i];
        if (verbosity == 0) continue;
        printf("hepopta: n = %u, time %.17g, %s energy %.17g, distribution", n, solution[0],
               energy == HPART_ENERGY_TOTAL ? "total" : "dynamic", solution[1]);
        for (i = 0; i < p; ++i) printf(" %u", (unsigned int)x[i]);
        printf("\n");
    }
    if (block != NULL) *count = (unsigned int)points;
    hpart_front_destroy(front);
    free(x);
    return block;
}

static inline int HCL_hepopta(const int verbosity, const unsigned int n, const unsigned int p, const double bp,
                              const unsigned int *npoints, const unsigned int *psizes, const double *etimes, const double *energies,
                              unsigned int *nDEParetoSolutions, double **DEparetoSols, unsigned int *nTEParetoSolutions,
                              double **TEparetoSols)
{
    hpart_platform *platform = hcl_platform_(p, npoints, psizes, etimes, energies);
    double *dynamic_sols = NULL, *total_sols = NULL;
    unsigned int dynamic_count = 0, total_count = 0;
    int result = -1;
    if (platform != NULL && nDEParetoSolutions != NULL && DEparetoSols != NULL && nTEParetoSolutions != NULL &&
        TEparetoSols != NULL && hpart_platform_set_base_power(platform, bp) == HPART_SUCCESS)
        dynamic_sols = hcl_front_(verbosity, platform, n, p, HPART_ENERGY_DYNAMIC, &dynamic_count);
    if (dynamic_sols != NULL && bp > 0) total_sols = hcl_front_(verbosity, platform, n, p, HPART_ENERGY_TOTAL, &total_count);
    if (dynamic_sols != NULL && (total_sols != NULL || !(bp > 0))) {
        *nDEParetoSolutions = dynamic_count;
        *DEparetoSols = dynamic_sols;
        *nTEParetoSolutions = total_count;
        *TEparetoSols = total_sols;
        result = 0;
    } else {
        free(dynamic_sols);
        if (verbosity > 0) fprintf(stderr, "hepopta: %s\n", hpart_last_error());
    }
    hpart_platform_destroy(platform);
    return result;
}

static inline int hcl_hepopta(const int verbosity, const unsigned int n, const unsigned int p, const double bp,
                              const unsigned int *npoints, const unsigned int *psizes, const double *etimes, const double *energies,
                              unsigned int *nDEParetoSolutions, double **DEparetoSols, unsigned int *nTEParetoSolutions,
                              double **TEparetoSols)
{
    return HCL_hepopta(verbosity, n, p, bp, npoints, psizes, etimes, energies, nDEParetoSolutions, DEparetoSols, nTEParetoSolutions,
                       TEparetoSols);
}

#endif
