/* dry_run=1: the plan of a run and its predictions, without arrays. */
#include "devices.h"

#include <stdlib.h>

enum { rows = HPART_ROW_MAJOR, plain = HPART_NO_TRANSPOSE, n = 300 };

typedef hpart_status (*operation)(hpart_device *device, double *const *arrays, int64_t *pivots,
                                  const hpart_options *options, hpart_report **report);

static hpart_status product(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                            hpart_report **report)
{
    (void)pivots;
    return hpart_dgemm(device, rows, plain, plain, n, n, n, 1, arrays[0], n, arrays[1], n, 0, arrays[2], n, options,
                       report);
}

static hpart_status vector_product(hpart_device *device, double *const *arrays, int64_t *pivots,
                                   const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dgemv(device, rows, plain, n, n, 1, arrays[0], n, arrays[1], 1, 0, arrays[2], 1, options, report);
}

static hpart_status update(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                           hpart_report **report)
{
    (void)pivots;
    return hpart_dsyrk(device, rows, HPART_LOWER, plain, n, n, 1, arrays[0], n, 0, arrays[1], n, options, report);
}

static hpart_status solution(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                             hpart_report **report)
{
    (void)pivots;
    return hpart_dtrsm(device, rows, HPART_LEFT, HPART_LOWER, plain, HPART_NON_UNIT, n, n, 1, arrays[0], n, arrays[1],
                       n, options, report);
}

static hpart_status lu(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                       hpart_report **report)
{
    return hpart_dgetrf(device, rows, n, n, arrays[0], n, pivots, options, report);
}

static hpart_status cholesky(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                             hpart_report **report)
{
    (void)pivots;
    return hpart_dpotrf(device, rows, HPART_LOWER, n, arrays[0], n, options, report);
}

static hpart_status qr(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                       hpart_report **report)
{
    (void)pivots;
    return hpart_dgeqrf(device, rows, n, n, arrays[0], n, arrays[1], options, report);
}

static hpart_status solver(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                           hpart_report **report)
{
    return hpart_dgesv(device, rows, n, n, arrays[0], n, pivots, arrays[1], n, options, report);
}

static hpart_status inverse(hpart_device *device, double *const *arrays, int64_t *pivots, const hpart_options *options,
                            hpart_report **report)
{
    return hpart_dgetri(device, rows, n, arrays[0], n, pivots, options, report);
}

static hpart_status cholesky_inverse(hpart_device *device, double *const *arrays, int64_t *pivots,
                                     const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dpotri(device, rows, HPART_LOWER, n, arrays[0], n, options, report);
}

static hpart_status columns_of_q(hpart_device *device, double *const *arrays, int64_t *pivots,
                                 const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dorgqr(device, rows, n, n, n, arrays[0], n, arrays[1], options, report);
}

static hpart_status product_by_q(hpart_device *device, double *const *arrays, int64_t *pivots,
                                 const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dormqr(device, rows, HPART_RIGHT, plain, n, n, n, arrays[0], n, arrays[1], arrays[2], n, options,
                        report);
}

static hpart_status multiples(hpart_device *device, double *const *arrays, int64_t *pivots,
                              const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dtrmm(device, rows, HPART_RIGHT, HPART_LOWER, plain, HPART_UNIT, n, n, 1, arrays[0], n, arrays[1], n,
                       options, report);
}

static hpart_status symmetric_product(hpart_device *device, double *const *arrays, int64_t *pivots,
                                      const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dsymm(device, rows, HPART_LEFT, HPART_LOWER, n, n, 1, arrays[0], n, arrays[1], n, 0, arrays[2], n,
                       options, report);
}

static hpart_status triangle_of_product(hpart_device *device, double *const *arrays, int64_t *pivots,
                                        const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dgemmt(device, rows, HPART_LOWER, plain, plain, n, n, 1, arrays[0], n, arrays[1], n, 0, arrays[2], n,
                        options, report);
}

static hpart_status update_of_two(hpart_device *device, double *const *arrays, int64_t *pivots,
                                  const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dsyr2k(device, rows, HPART_LOWER, plain, n, n, 1, arrays[0], n, arrays[1], n, 0, arrays[2], n, options,
                        report);
}

static hpart_status batch_of_products(hpart_device *device, double *const *arrays, int64_t *pivots,
                                      const hpart_options *options, hpart_report **report)
{
    (void)pivots;
    return hpart_dgemm_strided_batched(device, rows, plain, plain, n / 3, n, n, 1, arrays[0], n, n / 3 * n, arrays[1],
                                       n, 0, 0, arrays[2], n, n / 3 * n, 3, options, report);
}

static hpart_status transform(hpart_device *device, double *const *arrays, int64_t *pivots,
                              const hpart_options *options, hpart_report **report)
{
    const int64_t dims[] = {128, 256};
    (void)pivots;
    return hpart_zfft(device, 2, dims, 1, -1, arrays[0], arrays[1], options, report);
}

static hpart_status real_line(hpart_device *device, double *const *arrays, int64_t *pivots,
                              const hpart_options *options, hpart_report **report)
{
    const int64_t length = 65536;
    (void)pivots;
    return hpart_dfft_r2c(device, 1, &length, 1, arrays[0], arrays[1], options, report);
}

static void check_same_text(hpart_report *dry, hpart_report *run, const char *key)
{
    char of_dry[1024] = "", of_run[1024] = "";
    int64_t needed = 0;
    if (hpart_report_get_string(run, key, of_run, sizeof of_run, &needed) != HPART_SUCCESS) return;
    CHECK_OK(hpart_report_get_string(dry, key, of_dry, sizeof of_dry, &needed));
    const int is_same = strcmp(of_dry, of_run) == 0;
    CHECK(is_same);
    if (!is_same) printf("  %s: dry '%s', run '%s'\n", key, of_dry, of_run);
}

static void check_same_number(hpart_report *dry, hpart_report *run, const char *key)
{
    int64_t of_dry = -1, of_run = -1;
    if (hpart_report_get_int(run, key, &of_run) != HPART_SUCCESS) return;
    CHECK_OK(hpart_report_get_int(dry, key, &of_dry));
    CHECK(of_dry == of_run);
}

static int is_recursive(const hpart_report *report)
{
    char plan[64] = "";
    int64_t needed = 0;
    CHECK_OK(hpart_report_get_string(report, "plan", plan, sizeof plan, &needed));
    return strcmp(plan, "recursive") == 0; /* the bytes of its products are not counted before it runs */
}

/* The same plan as that of a run, and nothing is written. */
static void test_operation(const char *name, operation run, hpart_device *device, int is_limited, int is_alone)
{
    enum { count = 140000 };
    double *const arrays[] = {calloc(count, sizeof(double)), calloc(count, sizeof(double)),
                              calloc(count, sizeof(double))};
    double *const none[] = {NULL, NULL, NULL};
    int64_t pivots[n];
    for (int64_t k = 0; k < n; ++k) pivots[k] = n;
    hpart_options *dry = new_options();
    hpart_report *predicted = NULL, *done = NULL;
    CHECK_OK(hpart_options_set_int(dry, "dry_run", 1));
    for (int k = 0; k < count; ++k) arrays[0][k] = k % (n + 1) == 0 ? 2 * n : 1.0 / (1 + k % 7);

    if (!is_missing(run(device, none, NULL, dry, &predicted))) {
        double seconds = 0;
        CHECK(double_of(predicted, "seconds") == 0);
        CHECK(int_of(predicted, "bytes_to_device") == 0 && int_of(predicted, "bytes_from_device") == 0);
        const int has_seconds = hpart_report_get_double(predicted, "predicted_seconds", &seconds) == HPART_SUCCESS;
        if (is_limited) CHECK(has_seconds && seconds > 0);
        if (is_limited && is_alone) CHECK(int_of(predicted, "least_memory") > 0);

        hpart_report *again = NULL;
        CHECK_OK(run(device, arrays, pivots, dry, &again));
        CHECK(arrays[2][5] == 0 && arrays[1][5] == 0 && arrays[0][0] == 2 * n && arrays[0][1] == 0.5 && pivots[0] == n);
        hpart_report_destroy(again);

        CHECK_OK(run(device, arrays, pivots, NULL, &done));
        for (const char *const *key = (const char *const[]){"method", "plan", "tiles", "kernel", "bound_by", NULL};
             *key; ++key)
            check_same_text(predicted, done, *key);
        check_same_number(predicted, done, "panel_width");
        for (const char *const *key = (const char *const[]){"bytes_planned", "lower_bound_bytes", "device_bytes", NULL};
             *key && !is_recursive(predicted); ++key)
            check_same_number(predicted, done, *key);
        printf("%s: predicted %g s, took %g s\n", name, seconds, double_of(done, "seconds"));
    }
    hpart_report_destroy(predicted);
    hpart_report_destroy(done);
    hpart_options_destroy(dry);
    for (int k = 0; k < 3; ++k) free(arrays[k]);
}

static void test_device(const char *spec, int64_t memory_limit)
{
    hpart_device *device = open_or_skip(spec, memory_limit);
    if (device == NULL) return;
    const int is_limited = memory_limit > 0, is_alone = strchr(spec, ',') == NULL;
    printf("%s, limit %lld\n", spec, (long long)memory_limit);
    test_operation("dgemm", product, device, is_limited, is_alone);
    test_operation("dgemv", vector_product, device, 0, is_alone);
    test_operation("dsyrk", update, device, is_limited, is_alone);
    test_operation("dtrsm", solution, device, is_limited, is_alone);
    test_operation("dgetrf", lu, device, is_limited, is_alone);
    test_operation("dpotrf", cholesky, device, is_limited, is_alone);
    test_operation("dgeqrf", qr, device, is_limited, is_alone);
    test_operation("dgesv", solver, device, is_limited, is_alone);
    test_operation("dgetri", inverse, device, is_limited, is_alone);
    test_operation("dpotri", cholesky_inverse, device, is_limited, is_alone);
    test_operation("dorgqr", columns_of_q, device, is_limited, is_alone);
    test_operation("dormqr", product_by_q, device, is_limited, is_alone);
    test_operation("dtrmm", multiples, device, is_limited, is_alone);
    test_operation("dsymm", symmetric_product, device, is_limited, is_alone);
    test_operation("dgemmt", triangle_of_product, device, is_limited, is_alone);
    test_operation("dsyr2k", update_of_two, device, is_limited, is_alone);
    test_operation("dgemm_strided_batched", batch_of_products, device, is_limited, is_alone);
    test_operation("zfft", transform, device, is_limited, is_alone);
    test_operation("dfft_r2c", real_line, device, is_limited, is_alone);
    hpart_device_close(device);
}

/* With least_memory there is a plan; with a tenth less there is none. */
static void test_least_memory(const char *name, operation run)
{
    hpart_device *device = open_or_skip("opencl:0:0", 500000);
    if (device == NULL) return;
    double *const none[] = {NULL, NULL, NULL};
    hpart_options *dry = new_options();
    hpart_report *report = NULL;
    CHECK_OK(hpart_options_set_int(dry, "dry_run", 1));
    if (!is_missing(run(device, none, NULL, dry, &report))) {
        const int64_t least = int_of(report, "least_memory");
        hpart_device *enough = open_or_skip("opencl:0:0", least), *less = open_or_skip("opencl:0:0", 9 * least / 10);
        CHECK_OK(run(enough, none, NULL, dry, NULL));
        CHECK_FAILS(run(less, none, NULL, dry, NULL), HPART_ERR_OUT_OF_MEMORY, "bytes would do");
        printf("%s needs %lld bytes\n", name, (long long)least);
        hpart_device_close(enough);
        hpart_device_close(less);
    }
    hpart_report_destroy(report);
    hpart_options_destroy(dry);
    hpart_device_close(device);
}

/* The same message as a run has. */
static void test_too_little_memory(void)
{
    hpart_device *device = open_or_skip("opencl:0:0", 64);
    if (device == NULL) return;
    double *const none[] = {NULL, NULL, NULL};
    hpart_options *dry = new_options();
    CHECK_OK(hpart_options_set_int(dry, "dry_run", 1));
    CHECK_FAILS(product(device, none, NULL, dry, NULL), HPART_ERR_OUT_OF_MEMORY, "bytes would do");
    CHECK_FAILS(product(device, none, NULL, NULL, NULL), HPART_ERR_INVALID_ARGUMENT, "a is NULL");
    hpart_options_destroy(dry);
    hpart_device_close(device);
}

int main(void)
{
    test_device("host", -1);
    test_device("opencl:0:0", -1);
    test_device("opencl:0:0", 500000);
    test_device("opencl:0:0,host", 500000);
    test_least_memory("dgemm", product);
    test_least_memory("dsyrk", update);
    test_least_memory("dgetrf", lu);
    test_least_memory("dgeqrf", qr);
    test_least_memory("dtrmm", multiples);
    test_least_memory("dsymm", symmetric_product);
    test_least_memory("dgemmt", triangle_of_product);
    test_least_memory("dgemm_strided_batched", batch_of_products);
    test_least_memory("dgetri", inverse);
    test_least_memory("dpotri", cholesky_inverse);
    test_least_memory("dormqr", product_by_q);
    test_too_little_memory();
    return check_result();
}
