/* The caller's own product under hpart's operations. */
#include "devices.h"

enum { n = 150 };

struct own {
    int calls, freed, fail_at, wrong, in_another;
    hpart_device *device; /* to call it in its own product */
    const void *scratch;
    int64_t longest; /* 0: any side */
};

static double element(const double *matrix, int64_t ld, int32_t trans, int64_t i, int64_t j)
{
    return trans == HPART_NO_TRANSPOSE ? matrix[i * ld + j] : matrix[j * ld + i];
}

/* On the host. */
static int multiply(void *queue, const hpart_product *p, void *user)
{
    struct own *own = user;
    const double alpha = *(const double *)p->alpha, beta = *(const double *)p->beta;
    const double *a = (const double *)p->a + p->offset_a, *b = (const double *)p->b + p->offset_b;
    double *c = (double *)p->c + p->offset_c;
    ++own->calls;
    if (own->calls == own->fail_at) return 7;
    if (own->longest > 0 && (p->k > own->longest || p->lda > own->longest || p->ldb > own->longest)) return 9;
    own->scratch = p->scratch;
    if (own->device != NULL) {
        const double one = 1;
        double sum = 0;
        own->in_another = hpart_dgemm(own->device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, 1, 1, 1, 1,
                                      &one, 1, &one, 1, 0, &sum, 1, NULL, NULL);
    }
    if (queue != NULL || p->type != 'd' || p->device != 0) return 8;
    for (int64_t i = 0; i < p->m; ++i)
        for (int64_t j = 0; j < p->n; ++j) {
            double sum = 0;
            for (int64_t k = 0; k < p->k; ++k)
                sum += element(a, p->lda, p->transa, i, k) * element(b, p->ldb, p->transb, k, j);
            c[i * p->ldc + j] = (own->wrong ? 1 : alpha) * sum + (beta == 0 ? 0 : beta * c[i * p->ldc + j]);
        }
    return 0;
}

static void count_free(void *user) { ++((struct own *)user)->freed; }

static double a[n * n], b[n * n], c[n * n], right[n * n];

static void fill(void)
{
    for (int64_t k = 0; k < n * n; ++k) {
        a[k] = (double)(k * 7 % 11) - 5;
        b[k] = (double)(k * 5 % 13) - 6;
        c[k] = (double)(k % 3);
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) sum += a[k * n + i] * b[k * n + j];
            right[i * n + j] = 2 * sum + 3 * c[i * n + j];
        }
}

static hpart_status product(hpart_device *device, const char *kernel, hpart_report **report)
{
    hpart_options *options = new_options();
    if (kernel != NULL) CHECK_OK(hpart_options_set_string(options, "kernel", kernel));
    fill();
    const hpart_status status = hpart_dgemm(device, HPART_ROW_MAJOR, HPART_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 2, a,
                                            n, b, n, 3, c, n, options, report);
    hpart_options_destroy(options);
    return status;
}

static int is_right(void)
{
    for (int64_t k = 0; k < n * n; ++k)
        if (fabs(c[k] - right[k]) > 1e-9) return 0;
    return 1;
}

static void expect_own(hpart_device *device, struct own *own, const char *kernel)
{
    const int before = own->calls;
    hpart_report *report = NULL;
    CHECK_OK(product(device, kernel, &report));
    CHECK(is_right());
    CHECK(own->calls > before);
    char kernel_used[32] = "";
    CHECK_OK(hpart_report_get_string(report, "kernel", kernel_used, sizeof kernel_used, NULL));
    CHECK(strcmp(kernel_used, "user") == 0);
    hpart_report_destroy(report);
}

static hpart_status set(hpart_device *device, struct own *own)
{
    return hpart_device_set_gemm(device, 'd', 4, 8, 0, 64, multiply, own, count_free);
}

static void test_products(int64_t memory_limit)
{
    struct own own = {0, 0, 0, 0, 0, NULL, NULL, 0}, second = own;
    hpart_device *device = open_or_skip("host", memory_limit);
    hpart_report *report = NULL;
    if (device == NULL || is_missing(product(device, NULL, NULL))) return;
    CHECK_FAILS(product(device, "user", NULL), HPART_ERR_UNSUPPORTED, "has none for this type");
    CHECK_OK(set(device, &own));
    CHECK(own.calls == 19); /* of the check */
    expect_own(device, &own, NULL);
    expect_own(device, &own, "user");
    CHECK(own.scratch != NULL);
    /* One of hpart's own by its name. */
    const int before = own.calls;
    CHECK_OK(product(device, "openblas", NULL));
    CHECK(is_right() && own.calls == before);
    /* A second one takes its place; the first is freed. */
    CHECK_OK(set(device, &second));
    CHECK(own.freed == 1 && second.freed == 0);
    expect_own(device, &second, NULL);
    /* A failed one leaves it, and stays the caller's. */
    own.wrong = 1;
    CHECK_REFUSED(set(device, &own), "kernel is 'user', which is no product");
    own.wrong = 0, own.fail_at = own.calls + 3;
    CHECK_FAILS(set(device, &own), HPART_ERR_CALLBACK, "returned 7");
    CHECK(own.freed == 1);
    expect_own(device, &second, NULL);
    second.fail_at = second.calls + 1;
    CHECK_FAILS(product(device, NULL, NULL), HPART_ERR_CALLBACK, "returned 7");
    expect_own(device, &second, NULL);
    second.device = device;
    expect_own(device, &second, NULL);
    CHECK(second.in_another == HPART_ERR_INVALID_ARGUMENT);
    second.device = NULL;
    CHECK_OK(hpart_device_set_gemm(device, 'd', 0, 0, 0, 0, NULL, NULL, NULL));
    CHECK(second.freed == 1);
    CHECK_OK(product(device, NULL, &report));
    CHECK(is_right());
    hpart_report_destroy(report);
    CHECK_OK(set(device, &second));
    hpart_device_close(device);
    CHECK(second.freed == 2);
}

/* The other products and the factorisations of a device with a memory limit use it too. */
static void test_operations(void)
{
    struct own own = {0, 0, 0, 0, 0, NULL, NULL, 0};
    hpart_device *device = open_or_skip("host", 200 << 10);
    if (device == NULL || is_missing(product(device, NULL, NULL))) return;
    CHECK_OK(set(device, &own));
    int before = own.calls;
    fill();
    CHECK_OK(hpart_dsyrk(device, HPART_ROW_MAJOR, HPART_LOWER, HPART_NO_TRANSPOSE, n, n, 1, a, n, 0, c, n, NULL, NULL));
    CHECK(own.calls > before);
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += a[100 * n + k] * a[20 * n + k];
    CHECK(fabs(c[100 * n + 20] - sum) < 1e-9);
    before = own.calls;
    for (int64_t k = 0; k < n; ++k) c[k * n + k] += 1e4;
    if (!is_missing(hpart_dpotrf(device, HPART_ROW_MAJOR, HPART_LOWER, n, c, n, NULL, NULL))) CHECK(own.calls > before);
    hpart_device_close(device);
    CHECK(own.freed == 1);
}

/* Longer sides than the product takes are cut also where the arrays are the device's memory. */
static void test_longest_side(void)
{
    enum { longest = 1024, m = 40, k = 1100 };
    struct own own = {0, 0, 0, 0, 0, NULL, NULL, 0};
    hpart_device *device = open_or_skip("host", -1);
    hpart_report *report = NULL;
    static double x[m * k], y[m * m];
    if (device == NULL || is_missing(product(device, NULL, NULL))) return;
    for (int64_t at = 0; at < m * k; ++at) x[at] = (double)(at % 5);
    own.longest = longest;
    CHECK_OK(hpart_device_set_gemm(device, 'd', 4, 8, longest, 0, multiply, &own, NULL));
    CHECK_OK(hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_TRANSPOSE, m, m, k, 1, x, k, x, k, 0, y, m,
                         NULL, &report));
    double sum = 0;
    for (int64_t at = 0; at < k; ++at) sum += x[3 * k + at] * x[7 * k + at];
    CHECK(fabs(y[3 * m + 7] - sum) < 1e-9);
    hpart_report_destroy(report);
    hpart_options *options = new_options();
    CHECK_OK(hpart_options_set_string(options, "zero_copy", "always"));
    CHECK_FAILS(hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_TRANSPOSE, m, m, k, 1, x, k, x, k, 0, y,
                            m, options, NULL),
                HPART_ERR_UNSUPPORTED, "up to 1024, not 1100");
    hpart_options_destroy(options);
    hpart_device_close(device);
}

static void test_refusals(void)
{
    struct own own = {0, 0, 0, 0, 0, NULL, NULL, 0};
    hpart_device *device = open_or_skip("host", 1 << 20);
    if (device == NULL) return;
    CHECK_REFUSED(hpart_device_set_gemm(NULL, 'd', 1, 1, 0, 0, multiply, &own, count_free), "device");
    CHECK_REFUSED(hpart_device_set_gemm(device, 'x', 1, 1, 0, 0, multiply, &own, count_free), "'s', 'd', 'c' or 'z'");
    CHECK_REFUSED(hpart_device_set_gemm(device, 256 + 'd', 1, 1, 0, 0, multiply, &own, count_free), "type is 356");
    CHECK_REFUSED(hpart_device_set_gemm(device, 'd', 0, 1, 0, 0, multiply, &own, count_free), "row_multiple is 0");
    CHECK_REFUSED(hpart_device_set_gemm(device, 'd', 1, 65537, 0, 0, multiply, &own, count_free), "1 to 65536");
    CHECK_REFUSED(hpart_device_set_gemm(device, 'd', 1, 1, 1023, 0, multiply, &own, count_free),
                  "largest_side is 1023");
    CHECK_REFUSED(hpart_device_set_gemm(device, 'd', 1, 1, 0, -1, multiply, &own, count_free), "scratch_bytes is -1");
    const hpart_status status = hpart_device_set_gemm(device, 'd', 1, 1, 0, 2 << 20, multiply, &own, count_free);
    if (!is_missing(status == HPART_ERR_UNSUPPORTED ? status : HPART_SUCCESS)) CHECK(status == HPART_ERR_OUT_OF_MEMORY);
    CHECK(own.freed == 0);
    hpart_device_close(device);
}

int main(void)
{
    test_products(-1);
    test_products(200 << 10);
    test_operations();
    test_longest_side();
    test_refusals();
    return check_result();
}
