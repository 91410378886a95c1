/* One platform, the first calls of many threads at once: each makes what is derived from the functions, or waits for it. Under
   ThreadSanitizer as well. */
#include "check.h"

#include <pthread.h>

enum { threads = 8, processors = 3, points = 40, size = 50, rounds = 30 };

/* The results of one thread for a platform. */
typedef struct {
    const hpart_platform *platform;
    pthread_barrier_t *start;
    hpart_status status[4];
    double seconds, joules, makespan;
    int64_t front_count;
} answers;

static hpart_platform *make_platform(void)
{
    hpart_platform *platform = new_platform(processors);
    int64_t sizes[points];
    double seconds[points], joules[points];
    for (int64_t i = 0; i < processors; ++i) {
        for (int64_t k = 0; k < points; ++k) {
            sizes[k] = k + 1;
            seconds[k] = (double)((k * 7 + i * 5) % 11 + 2 * k + 1);
            joules[k] = (double)((k * 3 + i * 8) % 13 + 3 * (points - k));
        }
        CHECK_OK(hpart_platform_set_time_function(platform, i, points, sizes, seconds));
        CHECK_OK(hpart_platform_set_energy_function(platform, i, points, sizes, joules));
    }
    return platform;
}

static void *ask(void *user)
{
    answers *mine = user;
    int64_t x[processors];
    hpart_front *front = NULL;
    hpart_schedule *schedule = NULL;
    if (mine->start != NULL) pthread_barrier_wait(mine->start);
    mine->status[0] = hpart_partition_time(mine->platform, size, NULL, x, &mine->seconds);
    mine->status[1] = hpart_partition_energy(mine->platform, size, NULL, x, &mine->joules);
    mine->status[2] = hpart_front_compute(mine->platform, size, HPART_ENERGY_DYNAMIC, NULL, &front);
    mine->front_count = hpart_front_count(front);
    mine->status[3] = hpart_schedule_compute(mine->platform, size, NULL, &schedule);
    mine->makespan = hpart_schedule_makespan(schedule);
    hpart_schedule_destroy(schedule);
    hpart_front_destroy(front);
    return NULL;
}

static void many_threads_ask_first(void)
{
    hpart_platform *alone = make_platform();
    answers right = {.platform = alone};
    ask(&right);
    for (int k = 0; k < 4; ++k) CHECK_OK(right.status[k]);
    hpart_platform_destroy(alone);
    for (int round = 0; round < rounds; ++round) {
        hpart_platform *shared = make_platform();
        pthread_barrier_t start;
        pthread_t running[threads];
        answers found[threads];
        pthread_barrier_init(&start, NULL, threads);
        for (int t = 0; t < threads; ++t) {
            found[t] = (answers){.platform = shared, .start = &start};
            CHECK(pthread_create(&running[t], NULL, ask, &found[t]) == 0);
        }
        for (int t = 0; t < threads; ++t) CHECK(pthread_join(running[t], NULL) == 0);
        for (int t = 0; t < threads; ++t) {
            for (int k = 0; k < 4; ++k) CHECK_OK(found[t].status[k]);
            CHECK(found[t].seconds == right.seconds);
            CHECK(found[t].joules == right.joules);
            CHECK(found[t].makespan == right.makespan);
            CHECK(found[t].front_count == right.front_count);
        }
        pthread_barrier_destroy(&start);
        hpart_platform_destroy(shared);
    }
}

int main(void)
{
    many_threads_ask_first();
    return check_result();
}
