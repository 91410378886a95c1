/* Arrays of the four types by the letter of the type, and numbers that look random. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "check.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef double complex number;

static inline int is_complex(char type) { return type == 'c' || type == 'z'; }
static inline int is_double(char type) { return type == 'd' || type == 'z'; }
static inline size_t bytes_of(char type) { return (size_t)(is_double(type) ? 8 : 4) * (is_complex(type) ? 2U : 1U); }
static inline double epsilon_of(char type) { return is_double(type) ? DBL_EPSILON : FLT_EPSILON; }

static inline number get(char type, const void *array, int64_t k)
{
    switch (type) {
    case 's': return ((const float *)array)[k];
    case 'd': return ((const double *)array)[k];
    case 'c': return ((const float complex *)array)[k];
    default: return ((const double complex *)array)[k];
    }
}

static inline void set(char type, void *array, int64_t k, number value)
{
    switch (type) {
    case 's': ((float *)array)[k] = (float)creal(value); break;
    case 'd': ((double *)array)[k] = creal(value); break;
    case 'c': ((float complex *)array)[k] = (float complex)value; break;
    default: ((double complex *)array)[k] = value; break;
    }
}

static uint64_t number_state = 12345;

static inline int64_t random_below(int64_t limit)
{
    number_state = number_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int64_t)((number_state >> 33U) % (uint64_t)limit);
}

static inline double random_real(void) { return (double)random_below(2001) / 1000.0 - 1.0; }

static inline number random_number(char type)
{
    const double real = random_real();
    return is_complex(type) ? real + random_real() * I : real;
}

/* count elements; the caller frees them. One more byte than asked for: an array of none is no NULL. */
static inline void *random_array(char type, int64_t count)
{
    void *array = malloc((size_t)count * bytes_of(type) + 1);
    for (int64_t k = 0; k < count; ++k) set(type, array, k, random_number(type));
    return array;
}

static inline void *copy_of(char type, const void *array, int64_t count)
{
    void *copy = malloc((size_t)count * bytes_of(type) + 1);
    memcpy(copy, array, (size_t)count * bytes_of(type));
    return copy;
}

/* Opens a device with a memory limit (negative: none); NULL, said on stdout, where this machine or build has none. */
static inline hpart_device *open_or_skip(const char *spec, int64_t memory_limit)
{
    hpart_options *options = NULL;
    hpart_device *device = NULL;
    CHECK_OK(hpart_options_create(&options));
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

/* With a memory limit that makes small problems larger than the device, and none. */
static const struct {
    const char *spec;
    int64_t memory_limit;
} tested_devices[] = {{"host", -1}, {"host", 65536}, {"opencl:0:0", 65536}};
enum { tested_device_count = sizeof tested_devices / sizeof tested_devices[0] };

/* NULL where there is none. */
static inline hpart_device *open_tested_device(int d)
{
    return open_or_skip(tested_devices[d].spec, tested_devices[d].memory_limit);
}

#endif
