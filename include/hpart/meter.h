/* hpart: energy meters. A part of hpart.h.
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HPART_H
#include "../hpart.h" /* which includes this part */
#endif
#ifndef HPART_METER_H
#define HPART_METER_H

/* ---- energy meters ------------------------------
 *
 * A meter measures the joules of a window from hpart_meter_start to hpart_meter_stop. It reads energy counters, which wrap, or power,
 * which it integrates over time. docs/background/energy.md. Kinds of hpart_meter_open:
 *   rapl              Intel's and AMD's counters through powercap: packages and their memory
 *   perf              the same through perf_event
 *   nvml:N            NVIDIA's device N in the order of the bus; nvml:cuda:N: the device of cuda:N
 *   hwmon:PATH        a sensor of the kernel's: "hwmon2/power1_input", its path, or "amdgpu/PPT": driver and label
 *   wattsup:TTY       a Watts up? PRO between machine and wall, at a serial port
 *   command:PROGRAM   any program that prints watts, a number per line
 *   replay:FILE       a recording instead of a sensor
 *   estimate:W        no sensor: processor seconds of this process and its children times W watts per core
 * Several joined by +, as "rapl+nvml:0": their sum.
 * hpart reads counters often enough to detect every wrap. If the energy is unknown (a counter of unknown range decreased, readings
 * came too late, a counter stands still, a meter is gone), the call fails with HPART_ERR_DEVICE. The report's short_window is 1 if the
 * window was shorter than minimum_window, 20 intervals of the meter.
 * The environment variable HPART_MACHINE_ROOT (default /) sets the folder whose proc and sys are read. */

enum {
    HPART_JOULES = 0, /* a counter */
    HPART_WATTS = 1   /* power */
};

/* Reads your own meter: its value in joules or watts, and the time of its own clock, which never decreases. hpart calls it from the
 * thread that starts or stops the meter and, between the two, from a thread of its own; never from two at once. It must not call
 * hpart_meter_... of its own meter. A non-zero return value fails the window with HPART_ERR_CALLBACK at its end, a measurement of base
 * power at once. */
typedef int (*hpart_meter_read)(void *user, double *value, double *time_seconds);

/* Opens a meter. Options: interval, lines, base_power, meter_scale, meter_offset. The last two correct its power, scale x watts + offset,
 * in windows (HPART_ERR_NUMERICAL if an energy is below 0 then) and measured base powers; base_power is in corrected watts. The options'
 * progress callback can cancel (HPART_ERR_CANCELLED) the wait for a meter that sends by itself and, until the options are destroyed,
 * the measurement of base power. Waits up to 1 s until the other threads of this process sleep, so that no window has
 * threads of a library that has just started.
 * HPART_ERR_INVALID_ARGUMENT lists the kinds, HPART_ERR_PERMISSION has the remedy, HPART_ERR_UNSUPPORTED: this machine has no such
 * meter. HPART_ERR_IO and HPART_ERR_FORMAT: a recording. HPART_ERR_DEVICE. */
HPART_API hpart_status hpart_meter_open(const char *spec, const hpart_options *options, hpart_meter **meter);
/* Creates your own meter. quantity: HPART_JOULES or HPART_WATTS. interval_seconds: between new values, at least 1e-6; hpart reads power
 * that often, a counter soon after the start and then at least once a second. wrap: joules at which the counter restarts at 0; 0: never.
 * On success the meter owns `user`: hpart_meter_close calls free_user (may be NULL) once. */
HPART_API hpart_status hpart_meter_create(const char *name, hpart_meter_read read, int32_t quantity, double interval_seconds,
                                          double wrap, void *user, hpart_free free_user, hpart_meter **meter);
/* Returns the number of kinds of meters. */
HPART_API int64_t hpart_meter_count(void);
/* Describes kind k as "FORM TEXT": its spec ("nvml:N"), a blank, and the meters of this machine, or the reason why none works and the
 * remedy. works_here (may be NULL): HPART_SUCCESS, HPART_ERR_PERMISSION, HPART_ERR_UNSUPPORTED or another status. */
HPART_API hpart_status hpart_meter_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed, hpart_status *works_here);
/* Opens a window. HPART_ERR_INVALID_ARGUMENT: one is open already. */
HPART_API hpart_status hpart_meter_start(hpart_meter *meter);
/* Closes the window, also after an error. joules: of all of the meter's channels; seconds: by its clock; each may be NULL.
 * HPART_ERR_DEVICE, HPART_ERR_PERMISSION, HPART_ERR_CALLBACK: the meter failed since the start. HPART_ERR_NUMERICAL: the energy
 * exceeds a double. */
HPART_API hpart_status hpart_meter_stop(hpart_meter *meter, double *joules, double *seconds);
/* Measures the mean power of the next `seconds` (at least minimum_window) and its standard error by batch means; each may be NULL. The
 * machine must be idle; the call waits for rest as hpart_meter_open does. The meter keeps the result for its report.
 * HPART_ERR_CANCELLED: see hpart_meter_open. */
HPART_API hpart_status hpart_meter_base_power(hpart_meter *meter, double seconds, double *watts, double *standard_error);
/* Reports on a meter. Keys: meter, method (counter, integrated, estimated, replayed), interval, minimum_window, channels (rows: name),
 * meter_scale, meter_offset; failure: the error since its start, as soon as it is known.
 * With a base power: base_power, base_power_error.
 * Last window: joules, seconds, watts, channel_joules (array, in the order of channels), readings, missed (values of a power meter
 * that did not come), short_window, busy (other processes, and activity of disks, the network, paging and fans, in the window and while
 * the base power was measured; empty if there was none); with a base power also dynamic_joules = joules - base_power * seconds,
 * dynamic_joules_error. */
HPART_API hpart_status hpart_meter_report(const hpart_meter *meter, hpart_report **report);
HPART_API void hpart_meter_close(hpart_meter *meter);

#endif
