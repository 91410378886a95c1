/* The macros of HCLWattsUp, so that codes written for it compile with hpart.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     HCL_WATTSUP_START();
 *     kernels();
 *     double joules = HCL_WATTSUP_STOP();
 *
 * START opens and starts a meter, STOP stops and closes it; both stand in one source file, one pair at a time. The meter is the
 * one that HCL_WATTSUP_METER in the environment names, as hpart_meter_open takes it ("rapl", "wattsup:/dev/ttyUSB1", ...), else the
 * Watts up? PRO at /dev/ttyUSB0. The energy is total, of all that the meter sees. START is an hpart_status; STOP is NaN when START or
 * it failed, and hpart_last_error says why. */
#ifndef HCL_WATTSUP_H
#define HCL_WATTSUP_H

#include <hpart.h>
#include <math.h>
#include <stdlib.h>

static hpart_meter *hcl_wattsup_meter_ = NULL;

static inline hpart_status hcl_wattsup_start_(void)
{
    const char *spec = getenv("HCL_WATTSUP_METER");
    hpart_status status = HPART_SUCCESS;
    if (hcl_wattsup_meter_ == NULL)
        status = hpart_meter_open(spec != NULL ? spec : "wattsup:/dev/ttyUSB0", NULL, &hcl_wattsup_meter_);
    return status != HPART_SUCCESS ? status : hpart_meter_start(hcl_wattsup_meter_);
}

static inline double hcl_wattsup_stop_(void)
{
    double joules = (double)NAN;
    if (hcl_wattsup_meter_ == NULL) return joules; /* what START said stays */
    (void)hpart_meter_stop(hcl_wattsup_meter_, &joules, NULL);
    hpart_meter_close(hcl_wattsup_meter_);
    hcl_wattsup_meter_ = NULL;
    return joules;
}

#define HCL_WATTSUP_START() hcl_wattsup_start_()
#define HCL_WATTSUP_STOP() hcl_wattsup_stop_()

#endif
