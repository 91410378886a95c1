/* The first calls of a process open devices from many threads at once. Its signal handlers stay its own. */
#include "check.h"

#include <pthread.h>
#include <signal.h>

enum { threads = 12, rounds = 5, spec_count = 3 };

static const char *const specs[spec_count] = {"opencl:0:0", "opencl:0:0:0", "opencl:0:0,host"};

static pthread_barrier_t start;
static hpart_status found[threads][spec_count];

static const int signals[] = {SIGUSR1, SIGHUP, SIGINT, SIGTERM};
enum { signal_count = sizeof signals / sizeof signals[0] };
static volatile sig_atomic_t seen;

static void see(int number) { seen += number != 0; }

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
    for (int k = 0; k < signal_count; ++k) CHECK(signal(signals[k], see) != SIG_ERR);
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
    for (int k = 0; k < signal_count; ++k) CHECK(raise(signals[k]) == 0);
    CHECK(seen == signal_count);
    for (int k = 0; k < signal_count; ++k) CHECK(signal(signals[k], SIG_DFL) == see);
    return check_result();
}
