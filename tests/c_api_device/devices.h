/* Devices that may be absent, operations that a build may lack. */
#ifndef DEVICES_H
#define DEVICES_H

#include "check.h"

/* Opens a device with a memory limit (negative: none); NULL, said on stdout, where this machine or build has none. */
static inline hpart_device *open_or_skip(const char *spec, int64_t memory_limit)
{
    hpart_options *options = new_options();
    hpart_device *device = NULL;
    if (memory_limit >= 0) CHECK_OK(hpart_options_set_int(options, "memory_limit", memory_limit));
    const hpart_status status = hpart_device_open(spec, options, &device);
    hpart_options_destroy(options);
    if (status == HPART_ERR_UNSUPPORTED || (status == HPART_ERR_DEVICE && hpart_device_count() == 0)) {
        printf("skipped %s: %s\n", spec, hpart_last_error());
        return NULL;
    }
    CHECK_OK(status);
    return device;
}

/* True if the build lacks a part that the call needs; counts any other failure. */
static inline int is_missing(hpart_status status)
{
    if (status == HPART_ERR_UNSUPPORTED) {
        printf("skipped: %s\n", hpart_last_error());
        return 1;
    }
    CHECK_OK(status);
    return status != HPART_SUCCESS;
}

#endif
