/* The objects behind FORTRAN 77's handles. A handle is a number from 1 on that fits INTEGER*4. A number is not given again before
 * 2^31 - 1 others were, so a destroyed object's number is not another object's. Object n is in slot n modulo the number of
 * slots; a new object takes the next number whose slot is free. Any thread may call. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct slot {
    int32_t number; /* 0: free */
    int32_t kind;
    void *object;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static int32_t slot_count, live_count, last_number;

static struct slot *slot_of(int32_t number)
{
    struct slot *slot = number < 1 || slot_count == 0 ? NULL : &slots[number % slot_count];
    return slot != NULL && slot->number == number ? slot : NULL;
}

/* Numbers that differ modulo the old count also differ modulo its double. */
static int grow(void)
{
    const int32_t wider = slot_count == 0 ? 64 : 2 * slot_count;
    struct slot *more = slot_count > INT32_MAX / 4 ? NULL : calloc((size_t)wider, sizeof *more);
    if (more == NULL) return 0;
    for (int32_t i = 0; i < slot_count; ++i)
        if (slots[i].number != 0) more[slots[i].number % wider] = slots[i];
    free(slots);
    slots = more;
    slot_count = wider;
    return 1;
}

/* The new handle; 0: no memory. */
int32_t hpart_f77_table_add(int32_t kind, void *object)
{
    pthread_mutex_lock(&mutex);
    int32_t number = 0;
    if (live_count < slot_count / 2 || grow()) {
        do last_number = last_number == INT32_MAX ? 1 : last_number + 1;
        while (slots[last_number % slot_count].number != 0);
        number = last_number;
        slots[number % slot_count] = (struct slot){number, kind, object};
        ++live_count;
    }
    pthread_mutex_unlock(&mutex);
    return number;
}

/* The kind and the object of a handle; 0 and NULL: there is none. With `remove` the handle is no longer one. */
int32_t hpart_f77_table_find(int32_t number, int32_t remove, void **object)
{
    pthread_mutex_lock(&mutex);
    struct slot *slot = slot_of(number);
    const int32_t kind = slot == NULL ? 0 : slot->kind;
    *object = slot == NULL ? NULL : slot->object;
    if (slot != NULL && remove) {
        slot->number = 0;
        --live_count;
    }
    pthread_mutex_unlock(&mutex);
    return kind;
}
