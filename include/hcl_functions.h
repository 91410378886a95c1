/* Shared by hcl_hpopta.h, hcl_heopta.h and hcl_hepopta.h: the lists of the HCL tools as a platform.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HCL_FUNCTIONS_H
#define HCL_FUNCTIONS_H

#include <hpart.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions of p processors, one after another in each list; NULL if memory is exhausted or the lists are invalid. */
static inline hpart_platform *hcl_platform_(unsigned int p, const unsigned int *npoints, const unsigned int *psizes,
                                            const double *etimes, const double *energies)
{
    hpart_platform *platform = NULL;
    hpart_status status = hpart_platform_create((int64_t)p, &platform);
    size_t first = 0;
    unsigned int i, k;
    if (npoints == NULL || psizes == NULL || etimes == NULL || energies == NULL) status = HPART_ERR_INVALID_ARGUMENT;
    for (i = 0; i < p && status == HPART_SUCCESS; ++i) {
        int64_t *sizes = (int64_t *)malloc(((size_t)npoints[i] + 1) * sizeof *sizes);
        if (sizes == NULL) {
            status = HPART_ERR_OUT_OF_MEMORY;
            break;
        }
        for (k = 0; k < npoints[i]; ++k) sizes[k] = (int64_t)psizes[first + k];
        status = hpart_platform_set_time_function(platform, (int64_t)i, (int64_t)npoints[i], sizes, etimes + first);
        if (status == HPART_SUCCESS)
            status = hpart_platform_set_energy_function(platform, (int64_t)i, (int64_t)npoints[i], sizes, energies + first);
        free(sizes);
        first += npoints[i];
    }
    if (status == HPART_SUCCESS) return platform;
    hpart_platform_destroy(platform);
    return NULL;
}

/* The least value of the objective, and its distribution. */
static inline int hcl_partition_(int verbosity, const char *name, int32_t objective, unsigned int n, unsigned int p,
                                 const unsigned int *npoints, const unsigned int *psizes, const double *values, unsigned int *xOpt,
                                 double *eOpt)
{
    hpart_platform *platform = hcl_platform_(p, npoints, psizes, values, values);
    int64_t *x = platform == NULL ? NULL : (int64_t *)malloc((size_t)p * sizeof *x);
    double value = 0;
    unsigned int i;
    int result = -1;
    if (x != NULL && xOpt != NULL && eOpt != NULL &&
        hpart_partition(platform, objective, (int64_t)n, NULL, x, objective == HPART_OBJECTIVE_TIME ? &value : NULL,
                        objective == HPART_OBJECTIVE_TIME ? NULL : &value, NULL) == HPART_SUCCESS) {
        for (i = 0; i < p; ++i) xOpt[i] = (unsigned int)x[i];
        *eOpt = value;
        result = 0;
        if (verbosity > 0) {
            printf("%s: n = %u, optimum %.17g, distribution", name, n, value);
            for (i = 0; i < p; ++i) printf(" %u", xOpt[i]);
            printf("\n");
        }
    } else if (verbosity > 0) {
        fprintf(stderr, "%s: %s\n", name, hpart_last_error());
    }
    free(x);
    hpart_platform_destroy(platform);
    return result;
}

#endif
