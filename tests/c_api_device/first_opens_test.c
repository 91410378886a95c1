/* The first calls of a process open devices from many threads at once. */
#include "check.h"

#include <pthread.h>

enum { threads = 12, rounds = 5 };

static pthread_barrier_t start;
static hpart_status found[threads];

static void *open_and_close(void *number)
{
    static const char *const specs[] = {"opencl:0:0", "opencl:0:0:0", "opencl:0:0,host"};
    const int64_t mine = *(const int64_t *)number;
    pthread_barrier_wait(&start);
    for (int round = 0; round < rounds && found[mine] == HPART_SUCCESS; ++round) {
        hpart_device *device = NULL;
        found[mine] = hpart_device_open(specs[(mine + round) % 3], NULL, &device);
        hpart_device_close(device);
    }
    return NULL;
}

int main(void)
{
    pthread_t all[threads];
    int64_t numbers[threads];
    hpart_device *device = NULL;
    CHECK(pthread_barrier_init(&start, NULL, threads) == 0);
    for (int64_t k = 0; k < threads; ++k) {
        numbers[k] = k;
        CHECK(pthread_create(&all[k], NULL, open_and_close, &numbers[k]) == 0);
    }
    for (int64_t k = 0; k < threads; ++k) pthread_join(all[k], NULL);
    /* A machine without OpenCL refuses all of them alike. */
    const hpart_status expected = hpart_device_open("opencl:0:0", NULL, &device);
    hpart_device_close(device);
    for (int64_t k = 0; k < threads; ++k) CHECK(found[k] == expected);
    CHECK(expected == HPART_SUCCESS || expected == HPART_ERR_DEVICE || expected == HPART_ERR_UNSUPPORTED);
    return check_result();
}
