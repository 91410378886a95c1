/* Checks of the C tests: each failure is one line, and the exit status tells. */
#ifndef CHECK_H
#define CHECK_H

#include "hpart.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s is false; last error: %s\n", __FILE__, __LINE__, #condition, hpart_last_error());        \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

/* The call fails with this status, and its message has this text in it. */
#define CHECK_FAILS(call, status, message)                                                                             \
    do {                                                                                                               \
        const hpart_status got = (call);                                                                               \
        if (got != (status) || strstr(hpart_last_error(), (message)) == NULL) {                                        \
            printf("%s:%d: %s gave %d (%s), expected %d with '%s'\n", __FILE__, __LINE__, #call, (int)got,             \
                   hpart_last_error(), (int)(status), (message));                                                      \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

#endif
