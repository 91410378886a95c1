/* The first calls of a process open devices from many threads at once. */
#include "check.h"

#include <pthread.h>

enum { threads = 12, rounds = 5, spec_count = 3 };

static const char *const specs[spec_count] = {"opencl:0:0", "opencl:0:0:0", "opencl:0:0,host"};

static pthread_barrier_t start;
static hpart_status found[threads][spec_count];

static void *open_and_close(void *number)
{
    const int64_t mine = *(const int64_t *)number;
    pthread_barrier_wait(&start);
    for (int64_t round = 0; round < rounds; ++round) {
        const int64_t spec = (mine + round) % spec_count;
        hpart_device *device = NULL;
        const hpart_status status = hpart_device_open(specs[spec], NULL, &device);
        if (status != HPART_SUCCESS) found[mine][spec] = status;
        hpart_device_close(device);
    }
    return NULL;
}

int main(void)
{
    pthread_t all[threads];
    int64_t numbers[threads];
    CHECK(pthread_barrier_init(&start, NULL, threads) == 0);
    for (int64_t k = 0; k < threads; ++k) {
        numbers[k] = k;
        CHECK(pthread_create(&all[k], NULL, open_and_close, &numbers[k]) == 0);
    }
    for (int64_t k = 0; k < threads; ++k) pthread_join(all[k], NULL);
    /* A machine without OpenCL refuses all of them alike, and a driver without compute units refuses those. */
    for (int64_t spec = 0; spec < spec_count; ++spec) {
        hpart_device *device = NULL;
        const hpart_status expected = hpart_device_open(specs[spec], NULL, &device);
        hpart_device_close(device);
        for (int64_t k = 0; k < threads; ++k) CHECK(found[k][spec] == expected);
        CHECK(expected == HPART_SUCCESS || expected == HPART_ERR_DEVICE || expected == HPART_ERR_UNSUPPORTED);
    }
    return check_result();
}
