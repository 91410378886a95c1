/* The interface of HEOPTA, so that codes written for it compile with hpart (pkg-config hpart-hcl): Khaleghzadeh's thesis,
 * Appendix F.2.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The distribution xOpt[p] of the workload n that needs least dynamic energy, and in eOpt that energy. npoints[p]: points of each
 * processor's energy function; psizes, energies: their sizes, positive and distinct, and joules, the first processor's before the
 * second's and so on.
 * A processor may stay idle. 0 on success; -1 on failure, after which the outputs are as they were, and hpart_last_error says why
 * where the reason is hpart's. verbosity 0 prints nothing; above 0 one line, on standard error after a failure. */
#ifndef HCL_HEOPTA_H
#define HCL_HEOPTA_H

#include "hcl_functions.h"

static inline int HCL_heopta(const int verbosity, const unsigned int n, const unsigned int p, const unsigned int *npoints,
                             const unsigned int *psizes, const double *energies, unsigned int *xOpt, double *eOpt)
{
    return hcl_partition_(verbosity, "heopta", HPART_OBJECTIVE_ENERGY, n, p, npoints, psizes, energies, xOpt, eOpt);
}

static inline int hcl_heopta(const int verbosity, const unsigned int n, const unsigned int p, const unsigned int *npoints,
                             const unsigned int *psizes, const double *energies, unsigned int *xOpt, double *eOpt)
{
    return HCL_heopta(verbosity, n, p, npoints, psizes, energies, xOpt, eOpt);
}

#endif
