/* The smallest frame of a test in C: CHECK goes on after a failure, main returns check_failures() != 0. */
#ifndef CHECK_H
#define CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept */
#endif

#include <fenv.h>
#include <hpart.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With HPART_TEST_TRAPS=1 the program runs with the traps that Fortran codes are often built with. */
__attribute__((constructor)) static void set_traps(void)
{
#ifdef __GLIBC__
    if (getenv("HPART_TEST_TRAPS") != NULL) feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#endif
}

static int check_count = 0, check_failed = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        ++check_count;                                                                                                 \
        if (!(condition)) {                                                                                            \
            ++check_failed;                                                                                            \
            fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, hpart_last_error());      \
        }                                                                                                              \
    } while (0)

#define CHECK_OK(call) CHECK((call) == HPART_SUCCESS)

/* The call fails with this status, and the message has the phrase in it and is one line. */
#define CHECK_FAILS(call, status, phrase)                                                                              \
    do {                                                                                                               \
        CHECK((call) == (status));                                                                                     \
        CHECK(strstr(hpart_last_error(), (phrase)) != NULL);                                                           \
        CHECK(strchr(hpart_last_error(), '\n') == NULL);                                                               \
    } while (0)

#define CHECK_REFUSED(call, phrase) CHECK_FAILS(call, HPART_ERR_INVALID_ARGUMENT, phrase)

/* A number of a report. */
static inline int64_t int_of(const hpart_report *report, const char *key)
{
    int64_t value = INT64_MIN;
    CHECK_OK(hpart_report_get_int(report, key, &value));
    return value;
}

static inline double double_of(const hpart_report *report, const char *key)
{
    double value = -HUGE_VAL;
    CHECK_OK(hpart_report_get_double(report, key, &value));
    return value;
}

static inline hpart_options *new_options(void)
{
    hpart_options *options = NULL;
    CHECK_OK(hpart_options_create(&options));
    return options;
}

static inline hpart_platform *new_platform(int64_t processors)
{
    hpart_platform *platform = NULL;
    CHECK_OK(hpart_platform_create(processors, &platform));
    return platform;
}

static inline hpart_team *new_team(void)
{
    hpart_team *team = NULL;
    CHECK_OK(hpart_team_create(&team));
    return team;
}

/* Options from text: options_of("warmup=0 check=1"). */
static inline hpart_options *options_of(const char *settings)
{
    hpart_options *options = new_options();
    char text[256], *rest = text, *word;
    CHECK(snprintf(text, sizeof text, "%s", settings) < (int)sizeof text);
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        char *value = strchr(word, '=');
        *value = '\0';
        CHECK_OK(hpart_options_set_string(options, word, value + 1));
    }
    return options;
}

/* A progress callback that stops the call, and counts if it has a counter. */
static inline int stop_at_once(double fraction, const char *what, void *user)
{
    CHECK(fraction <= 1 && what != NULL && what[0] != '\0');
    if (user != NULL) ++*(int *)user;
    return 1;
}

static int check_result(void)
{
    printf("%d checks, %d failed\n", check_count, check_failed);
    return check_failed != 0 || check_count == 0;
}

#endif
