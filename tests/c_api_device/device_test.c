/* Devices: what opens and what does not, their options, pinned memory, progress. */
#include "devices.h"

enum { n = 200 };

static void test_open(void)
{
    static const char *const malformed[] = {"", "gpu", "host,", "host:0", "host, host", NULL};
    hpart_device *device = NULL;
    CHECK_REFUSED(hpart_device_open(NULL, NULL, &device), "spec is NULL");
    CHECK_REFUSED(hpart_device_open("host", NULL, NULL), "device is NULL");
    for (const char *const *spec = malformed; *spec != NULL; ++spec)
        CHECK(hpart_device_open(*spec, NULL, &device) == HPART_ERR_INVALID_ARGUMENT);
    if (hpart_device_count() > 0) {
        CHECK(hpart_device_open("opencl:99:0", NULL, &device) == HPART_ERR_DEVICE);
        CHECK(hpart_device_open("opencl:0:99", NULL, &device) == HPART_ERR_DEVICE);
    }
    CHECK(device == NULL);
    hpart_device_close(NULL);
}

static double a[n * n], b[n * n], c[n * n];

static hpart_status multiply(hpart_device *device, const hpart_options *options, hpart_report **report)
{
    return hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 1, a, n, b, n, 0, c, n,
                       options, report);
}

static void test_options(void)
{
    hpart_device *device = NULL;
    hpart_options *options = options_of("ties=fewest");
    CHECK_REFUSED(hpart_device_open("host", options, &device), "'ties' does not belong to device");
    CHECK_REFUSED(hpart_options_set_int(options, "memory_limit", 0),
                  "'memory_limit' is 0; it must be a number of at least 1");
    hpart_options_destroy(options);
    options = options_of("memory_limit=1000000 plan=hclooc");
    CHECK_OK(hpart_device_open("host", options, &device));
    hpart_report *report = NULL;
    const hpart_status status = multiply(device, NULL, &report);
    if (!is_missing(status)) {
        /* The device's own options are the defaults of its operations, */
        char plan[64] = "";
        CHECK_OK(hpart_report_get_string(report, "plan", plan, sizeof plan, NULL));
        CHECK(strstr(plan, "hclooc") != NULL);
        hpart_report_destroy(report);
        /* may be said again to a call, but not be others there, */
        CHECK_OK(multiply(device, options, NULL));
        CHECK_OK(hpart_options_set_int(options, "memory_limit", 2000000));
        CHECK_REFUSED(multiply(device, options, NULL), "when a device is opened");
    }
    hpart_options_destroy(options);
    /* and what is foreign to a call is refused there. */
    options = options_of("deadline=1");
    CHECK_REFUSED(multiply(device, options, NULL),
                  "'deadline' does not belong to gemm and the other products; their options are");
    hpart_options_destroy(options);
    const int64_t dims[1] = {4};
    options = options_of("tile=64x64x64");
    CHECK_REFUSED(hpart_zfft(device, 1, dims, 1, -1, a, c, options, NULL), "'tile' does not belong to fft");
    hpart_options_destroy(options);
    options = options_of("run_on=host");
    CHECK_REFUSED(multiply(device, options, NULL), "'run_on' does not belong to gemm");
    const hpart_status product =
        hpart_dgemv(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, n, n, 1, a, n, b, 1, 0, c, 1, options, NULL);
    if (product != HPART_ERR_UNSUPPORTED) CHECK_OK(product);
    hpart_options_destroy(options);
    options = options_of("max_points=5");
    CHECK_REFUSED(hpart_dpotrf(device, HPART_ROW_MAJOR, HPART_LOWER, n, c, n, options, NULL),
                  "'max_points' does not belong to factor");
    hpart_options_destroy(options);
    hpart_device_close(device);
}

static void test_pinned(const char *spec)
{
    hpart_device *device = open_or_skip(spec, -1);
    if (device == NULL) return;
    CHECK(hpart_alloc_pinned(NULL, 100) == NULL);
    CHECK(strstr(hpart_last_error(), "device is NULL") != NULL);
    CHECK(hpart_alloc_pinned(device, -1) == NULL);
    CHECK(strstr(hpart_last_error(), "bytes is -1") != NULL);
    CHECK(hpart_alloc_pinned(device, INT64_MAX) == NULL);
    void *empty = hpart_alloc_pinned(device, 0);
    double *x = hpart_alloc_pinned(device, n * n * (int64_t)sizeof *x), *left = hpart_alloc_pinned(device, 4096);
    CHECK(empty != NULL && x != NULL && left != NULL);
    memcpy(x, a, sizeof a);
    if (!is_missing(multiply(device, NULL, NULL))) {
        static double expected[n * n];
        memcpy(expected, c, sizeof c);
        CHECK_OK(hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 1, x, n, b, n, 0,
                             c, n, NULL, NULL));
        double worst = 0;
        for (int64_t k = 0; k < n * n; ++k) worst = fmax(worst, fabs(c[k] - expected[k]));
        CHECK(worst < 1e-12);
    }
    hpart_free_pinned(device, x);
    hpart_free_pinned(device, empty);
    hpart_free_pinned(device, NULL);
    hpart_free_pinned(device, a);
    CHECK(strstr(hpart_last_error(), "no pinned memory of this device") != NULL);
    hpart_free_pinned(NULL, left);
    CHECK(strstr(hpart_last_error(), "device is NULL") != NULL);
    CHECK_REFUSED(hpart_pin(NULL, a, sizeof a), "device is NULL");
    CHECK_REFUSED(hpart_pin(device, NULL, 8), "memory is NULL");
    CHECK_REFUSED(hpart_pin(device, a, 0), "bytes is 0");
    CHECK_REFUSED(hpart_pin(device, a, -1), "bytes is -1");
    CHECK_REFUSED(hpart_pin(device, (void *)(UINTPTR_MAX - 7), 9), "no memory of this process");
    CHECK_REFUSED(hpart_pin(device, (void *)4096, 8), "no memory of this process");
    CHECK_REFUSED(hpart_pin(device, a, INT64_MAX), "no memory of this process");
    CHECK_REFUSED(hpart_pin(device, (char *)left + 4095, 2), "pinned for this device already");
    CHECK_OK(hpart_pin(device, a, sizeof a / 2));
    CHECK_REFUSED(hpart_pin(device, a, sizeof a), "pinned for this device already");
    CHECK_REFUSED(hpart_pin(device, a + n * n / 2 - 1, 8), "pinned for this device already");
    CHECK_OK(hpart_pin(device, a + n * n / 2, sizeof a / 2));
    CHECK_OK(hpart_pin(device, b, sizeof b)); /* stays until the device is closed */
    hpart_free_pinned(device, a);
    CHECK(strstr(hpart_last_error(), "hpart_unpin unpins it") != NULL);
    hpart_unpin(device, left);
    CHECK(strstr(hpart_last_error(), "hpart_free_pinned frees it") != NULL);
    hpart_unpin(device, c);
    CHECK(strstr(hpart_last_error(), "must come from its hpart_pin") != NULL);
    if (!is_missing(multiply(device, NULL, NULL))) CHECK_OK(multiply(device, NULL, NULL));
    hpart_unpin(device, a);
    hpart_unpin(device, NULL);
    CHECK_OK(hpart_pin(device, a, 8));
    hpart_unpin(device, a + n * n / 2);
    /* Memory that is freed while it is pinned may come again: the new memory counts. */
    for (int64_t bytes = 64; bytes <= 1 << 22; bytes *= 16) {
        void *freed = malloc((size_t)bytes);
        CHECK_OK(hpart_pin(device, freed, bytes));
        free(freed);
        char *one = hpart_alloc_pinned(device, bytes), *two = hpart_alloc_pinned(device, bytes);
        CHECK(one != NULL && two != NULL && one != two);
        memset(one, 1, (size_t)bytes);
        memset(two, 2, (size_t)bytes);
        CHECK(one[bytes - 1] == 1);
        hpart_free_pinned(device, one);
        hpart_free_pinned(device, two);
    }
    hpart_device_close(device); /* with what is left */
}

static void test_cancel(const char *spec)
{
    hpart_device *device = open_or_skip(spec, 300000);
    hpart_options *options = NULL;
    int told = 0;
    if (device == NULL) return;
    CHECK_OK(hpart_options_create(&options));
    CHECK_OK(hpart_options_set_progress(options, stop_at_once, &told, NULL));
    const hpart_status status = multiply(device, options, NULL);
    if (status != HPART_ERR_UNSUPPORTED) {
        CHECK_FAILS(status, HPART_ERR_CANCELLED, "progress callback");
        CHECK(told == 1);
        CHECK_OK(multiply(device, NULL, NULL)); /* the device goes on */
    }
    hpart_options_destroy(options);
    hpart_device_close(device);
}

int main(void)
{
    static const char *const specs[] = {"host", "opencl:0:0"};
    for (int64_t k = 0; k < n * n; ++k) {
        a[k] = (double)(k * 7919 % 2001) / 1000.0 - 1.0;
        b[k] = (double)(k * 1543 % 1999) / 1000.0 - 1.0;
    }
    test_open();
    test_options();
    for (size_t s = 0; s < 2; ++s) {
        test_pinned(specs[s]);
        test_cancel(specs[s]);
    }
    return check_result();
}
