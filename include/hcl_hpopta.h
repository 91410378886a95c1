/* The interface of HPOPTA, so that codes written for it compile with hpart (pkg-config hpart-hcl): Khaleghzadeh's thesis,
 * Appendix F.1.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The distribution xOpt[p] of the workload n that takes least time, and in eOpt that time. npoints[p]: points of each processor's
 * time function; psizes, etimes: their sizes, positive and distinct, and times, the first processor's before the second's and so on.
 * A processor may stay idle. 0 on success; -1 on failure, after which the outputs are as they were, and hpart_last_error says why
 * where the reason is hpart's. verbosity 0 prints nothing; above 0 one line, on standard error after a failure. */
#ifndef HCL_HPOPTA_H
#define HCL_HPOPTA_H

#include "hcl_functions.h"

static inline int HCL_hpopta(const int verbosity, const unsigned int n, const unsigned int p, const unsigned int *npoints,
                             const unsigned int *psizes, const double *etimes, unsigned int *xOpt, double *eOpt)
{
    return hcl_partition_(verbosity, "hpopta", HPART_OBJECTIVE_TIME, n, p, npoints, psizes, etimes, xOpt, eOpt);
}

static inline int hcl_hpopta(const int verbosity, const unsigned int n, const unsigned int p, const unsigned int *npoints,
                             const unsigned int *psizes, const double *etimes, unsigned int *xOpt, double *eOpt)
{
    return HCL_hpopta(verbosity, n, p, npoints, psizes, etimes, xOpt, eOpt);
}

#endif
