/* Each operation once on the host, in columns with gaps between them, all sizes and leading dimensions unlike: the interface hands
 * each argument to its place. Rows and the four types are in tests/cpp, the numbers of every form in tests/unit. */
#include "devices.h"

#include <complex.h>
#include <math.h>

enum { columns = HPART_COLUMN_MAJOR, plain = HPART_NO_TRANSPOSE, flip = HPART_TRANSPOSE };
enum { adjoint = HPART_CONJUGATE_TRANSPOSE, upper = HPART_UPPER, lower = HPART_LOWER };

typedef double complex number;

static const number i = 1.0 * I;
static hpart_device *device;

static void check_near(int line, const double *found, const double *expected, size_t bytes)
{
    for (size_t k = 0; k < bytes / sizeof(double); ++k) {
        const int is_right = fabs(found[k] - expected[k]) < 1e-13;
        CHECK(is_right);
        if (!is_right) printf("  line %d, double %d: %g, not %g\n", line, (int)k, found[k], expected[k]);
    }
}

/* Two arrays of one length, of doubles or of complex numbers. */
#define CHECK_NEAR(found, expected)                                                                                    \
    check_near(__LINE__, (const double *)(found), (const double *)(expected), sizeof(expected))

static void test_gemm(void)
{
    const number a[] = {1, i, 2, 99, 0, 3, 1 + i, 99}, b[] = {1, 99, 2, 99, i, 99};
    const number alpha = i, beta = 2, expected[] = {2 + i, -1 + 9 * i, 77};
    number c[] = {1, i, 77};
    hpart_report *report = NULL;
    if (is_missing(
            hpart_zgemm(device, columns, adjoint, flip, 2, 1, 3, &alpha, a, 4, b, 2, &beta, c, 3, NULL, &report)))
        return;
    CHECK_NEAR(c, expected);
    CHECK(double_of(report, "seconds") >= 0);
    hpart_report_destroy(report);
}

/* x in every second element, y backwards. */
static void test_gemv(void)
{
    const number a[] = {1, 2, 99, i, 0, 99, 3, 1, 99}, x[] = {1, 99, i};
    const number alpha = 2, beta = i, expected[] = {5 + 2 * i, 2 * i, 2 + 5 * i};
    number y[] = {i, 0, 1};
    if (is_missing(hpart_zgemv(device, columns, flip, 2, 3, &alpha, a, 3, x, 2, &beta, y, -1, NULL, NULL))) return;
    CHECK_NEAR(y, expected);
}

static void test_syrk(void)
{
    const number a[] = {1, i, 2, 99, 0, 3, 1, 99};
    const number alpha = i, beta = 2, expected[] = {2 + 4 * i, 55, 77, -3 + 4 * i, 10 * i, 77};
    number c[] = {1, 55, 77, i, 0, 77};
    if (is_missing(hpart_zsyrk(device, columns, upper, flip, 2, 3, &alpha, a, 4, &beta, c, 3, NULL, NULL))) return;
    CHECK_NEAR(c, expected);
}

static void test_herk(void)
{
    const number a[] = {1, i, 2, 99, 0, 3, 1, 99}, expected[] = {15, 4 + 9 * i, 77, 55, 26, 77};
    number c[] = {1, i, 77, 55, 2, 77};
    if (is_missing(hpart_zherk(device, columns, lower, adjoint, 2, 3, 2, a, 4, 3, c, 3, NULL, NULL))) return;
    CHECK_NEAR(c, expected);
}

/* Neither the other triangle nor a diagonal of ones is read. */
static void test_trsm(void)
{
    const number a[] = {55, 55, 99, 2 * i, 55, 99}, alpha = 2, expected[] = {1, 77, i, 77};
    number b[] = {1.5, 77, 0.5 * i, 77};
    if (is_missing(hpart_ztrsm(device, columns, HPART_RIGHT, upper, adjoint, HPART_UNIT, 1, 2, &alpha, a, 3, b, 2, NULL,
                               NULL)))
        return;
    CHECK_NEAR(b, expected);
}

static void test_trmm(void)
{
    const number a[] = {55, 55, 99, 2 * i, 55, 99}, alpha = 2, expected[] = {6, 77, 2 * i, 77};
    number b[] = {1, 77, i, 77};
    if (is_missing(hpart_ztrmm(device, columns, HPART_RIGHT, upper, adjoint, HPART_UNIT, 1, 2, &alpha, a, 3, b, 2, NULL,
                               NULL)))
        return;
    CHECK_NEAR(b, expected);
}

/* Neither the other triangle nor the imaginary part of the diagonal is read. */
static void test_hemm(void)
{
    const number a[] = {2 + 9 * i, 3 + i, 99, 55, 4, 99}, b[] = {1, i}, one = 1, zero = 0;
    const number expected[] = {3 + 3 * i, 3 + 5 * i}, symmetric[] = {1 + 12 * i, 3 + 5 * i};
    number c[] = {77, 77};
    if (is_missing(hpart_zhemm(device, columns, HPART_LEFT, lower, 2, 1, &one, a, 3, b, 2, &zero, c, 2, NULL, NULL)))
        return;
    CHECK_NEAR(c, expected);
    CHECK_OK(hpart_zsymm(device, columns, HPART_LEFT, lower, 2, 1, &one, a, 3, b, 2, &zero, c, 2, NULL, NULL));
    CHECK_NEAR(c, symmetric);
}

static void test_one_triangle(void)
{
    const double a[] = {1, 2}, b[] = {3, 4}, product[] = {3, 6, 77, 8}, both[] = {9, 16, 77, 24};
    double c[] = {55, 55, 77, 55};
    if (is_missing(hpart_dgemmt(device, columns, lower, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, 2, 1, 1, a, 2, b, 1, 0,
                                c, 2, NULL, NULL)))
        return;
    CHECK_NEAR(c, product);
    CHECK_OK(hpart_dsyr2k(device, columns, lower, HPART_NO_TRANSPOSE, 2, 1, 1, a, 2, b, 2, 1, c, 2, NULL, NULL));
    CHECK_NEAR(c, both);
    const number za[] = {1, i}, zb[] = {2, 3}, alpha = i;
    number zc[] = {5 + 9 * i, 0, 77, 5};
    CHECK_OK(
        hpart_zher2k(device, columns, lower, HPART_NO_TRANSPOSE, 2, 1, &alpha, za, 2, zb, 2, 1, zc, 2, NULL, NULL));
    const number right[] = {5, -2 - 3 * i, 77, 5 - 6};
    CHECK_NEAR(zc, right);
}

static void test_batch(void)
{
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6};
    double c[] = {1, 77, 1, 77};
    if (is_missing(hpart_dgemm_strided_batched(device, columns, flip, HPART_NO_TRANSPOSE, 1, 1, 2, 1, a, 2, 2, b, 2, 0,
                                               2, c, 1, 2, 2, NULL, NULL)))
        return;
    const double expected[] = {19, 77, 41, 77};
    CHECK_NEAR(c, expected);
}

static void test_factors(void)
{
    const double lu[] = {4, 0.5, 77, 8, -2, 77, 2, 0, 77}, cholesky[] = {2, 55, 77, 1, 2, 77};
    double a[] = {2, 4, 77, 2, 8, 77, 1, 2, 77}, p[] = {4, 55, 77, 2, 5, 77}, q[] = {3, 4, 77}, tau = -7;
    int64_t pivots[] = {0, 0, -7};
    if (is_missing(hpart_dgetrf(device, columns, 2, 3, a, 3, pivots, NULL, NULL))) return;
    CHECK_NEAR(a, lu);
    CHECK(pivots[0] == 2 && pivots[1] == 2 && pivots[2] == -7);
    CHECK_OK(hpart_dpotrf(device, columns, upper, 2, p, 3, NULL, NULL));
    CHECK_NEAR(p, cholesky);
    CHECK_OK(hpart_dgeqrf(device, columns, 2, 1, q, 3, &tau, NULL, NULL));
    const double product[] = {q[0] * (1 - tau), -q[0] * tau * q[1], q[2]}, before[] = {3, 4, 77};
    CHECK_NEAR(product, before);
    double r[] = {3, 77, 4, 77}, one[] = {1, 0, 77};
    CHECK_OK(hpart_dormqr(device, columns, HPART_RIGHT, HPART_NO_TRANSPOSE, 1, 2, 1, q, 3, &tau, r, 2, NULL, NULL));
    const double rotated[] = {q[0], 77, 0, 77};
    CHECK_NEAR(r, rotated);
    one[0] = q[0], one[1] = q[1];
    CHECK_OK(hpart_dorgqr(device, columns, 2, 1, 1, one, 3, &tau, NULL, NULL));
    const double first[] = {3 / q[0], 4 / q[0], 77};
    CHECK_NEAR(one, first);
}

static void test_complex_q(void)
{
    const double r = sqrt(2);
    number q[] = {1, i}, tau = 0, c[] = {1, i};
    if (is_missing(hpart_zgeqrf(device, columns, 2, 1, q, 2, &tau, NULL, NULL))) return;
    CHECK_OK(hpart_zunmqr(device, columns, HPART_LEFT, adjoint, 2, 1, 1, q, 2, &tau, c, 2, NULL, NULL));
    const number rotated[] = {-r, 0};
    CHECK_NEAR(c, rotated);
    CHECK_OK(hpart_zungqr(device, columns, 2, 1, 1, q, 2, &tau, NULL, NULL));
    const number first[] = {-1 / r, -i / r};
    CHECK_NEAR(q, first);
}

static void test_solvers(void)
{
    const double solution[] = {1, 2, 77, 77}, least_norm[] = {2, 4, 4, 77};
    double a[] = {2, 4, 77, 2, 8, 77}, b[] = {6, 20, 77, 77}, p[] = {4, 2, 77, 55, 5, 77}, c[] = {8, 12, 77, 77};
    double w[] = {1, 2, 2, 77, 77}, d[] = {18, 5, 5, 77};
    int64_t pivots[2] = {0, 0};
    if (is_missing(hpart_dgesv(device, columns, 2, 1, a, 3, pivots, b, 4, NULL, NULL))) return;
    CHECK_NEAR(b, solution);
    CHECK(pivots[0] == 2 && pivots[1] == 2);
    double e[] = {6, 20, 77, 77}, f[] = {10, 18, 77, 77}, g[] = {8, 12, 77, 77};
    CHECK_OK(hpart_dgetrs(device, columns, HPART_NO_TRANSPOSE, 2, 1, a, 3, pivots, e, 4, NULL, NULL));
    CHECK_NEAR(e, solution);
    CHECK_OK(hpart_dgetrs(device, columns, HPART_TRANSPOSE, 2, 1, a, 3, pivots, f, 4, NULL, NULL));
    CHECK_NEAR(f, solution);
    const double inverse[] = {1, -0.5, 77, -0.25, 0.25, 77}, of_p[] = {5. / 16, -1. / 8, 77, 55, 0.25, 77};
    CHECK_OK(hpart_dgetri(device, columns, 2, a, 3, pivots, NULL, NULL));
    CHECK_NEAR(a, inverse);
    CHECK_OK(hpart_dposv(device, columns, lower, 2, 1, p, 3, c, 4, NULL, NULL));
    CHECK_NEAR(c, solution);
    CHECK_OK(hpart_dpotrs(device, columns, lower, 2, 1, p, 3, g, 4, NULL, NULL));
    CHECK_NEAR(g, solution);
    CHECK_OK(hpart_dpotri(device, columns, lower, 2, p, 3, NULL, NULL));
    CHECK_NEAR(p, of_p);
    CHECK_OK(hpart_dgels(device, columns, flip, 3, 1, 1, w, 5, d, 4, NULL, NULL));
    CHECK_NEAR(d, least_norm);
}

/* A failure that has a report. */
static void test_singular(void)
{
    double a[] = {2, 1, 0, 0}, b[] = {3, 4}, p[] = {1, 0, 0, -1};
    int64_t pivots[2] = {0, 0};
    hpart_report *report = NULL;
    const hpart_status status = hpart_dgetrf(device, columns, 2, 2, a, 2, pivots, NULL, &report);
    if (status == HPART_ERR_UNSUPPORTED) return;
    CHECK_FAILS(status, HPART_ERR_NUMERICAL, "2");
    CHECK(int_of(report, "info") == 2 && pivots[0] == 1);
    hpart_report_destroy(report);
    CHECK(hpart_dgesv(device, columns, 2, 1, a, 2, pivots, b, 2, NULL, NULL) == HPART_ERR_NUMERICAL);
    CHECK_FAILS(hpart_dgetrs(device, columns, HPART_NO_TRANSPOSE, 2, 1, a, 2, pivots, b, 2, NULL, NULL),
                HPART_ERR_NUMERICAL, "2, 2");
    CHECK_FAILS(hpart_dpotrs(device, columns, lower, 2, 1, a, 2, b, 2, NULL, NULL), HPART_ERR_NUMERICAL, "2, 2");
    pivots[1] = 0;
    CHECK_FAILS(hpart_dgetrs(device, columns, HPART_NO_TRANSPOSE, 2, 1, a, 2, pivots, b, 2, NULL, NULL),
                HPART_ERR_INVALID_ARGUMENT, "pivots[1] is 0");
    CHECK_FAILS(hpart_dgetri(device, columns, 2, a, 2, pivots, NULL, NULL), HPART_ERR_INVALID_ARGUMENT,
                "pivots[1] is 0");
    pivots[1] = 2;
    CHECK_FAILS(hpart_dgetri(device, columns, 2, a, 2, pivots, NULL, NULL), HPART_ERR_NUMERICAL, "a is not changed");
    CHECK(a[0] == 2 && b[0] == 3 && b[1] == 4);
    report = NULL;
    CHECK_FAILS(hpart_dpotrf(device, columns, lower, 2, p, 2, NULL, &report), HPART_ERR_NUMERICAL, "2");
    CHECK(int_of(report, "info") == 2);
    hpart_report_destroy(report);
}

/* Two arrays of 2 x 4 points: a one in the middle, whose transform goes round, and a one at the beginning. */
static void test_complex_transforms(void)
{
    const int64_t dims[] = {2, 4};
    number in[16] = {0}, out[16];
    in[5] = 1;
    in[8] = 1;
    const number expected[] = {1, i, -1, -i, -1, -i, 1, i, 1, 1, 1, 1, 1, 1, 1, 1};
    if (is_missing(hpart_zfft(device, 2, dims, 2, 1, (const double *)in, (double *)out, NULL, NULL))) return;
    CHECK_NEAR(out, expected);
}

static void test_real_transforms(void)
{
    const int64_t dims[] = {4};
    const double in[] = {1, 2, 3, 4}, forward[] = {10, 0, -2, 2, -2, 0}, backward[] = {4, 8, 12, 16};
    double half[6], back[4];
    if (is_missing(hpart_dfft_r2c(device, 1, dims, 1, in, half, NULL, NULL))) return;
    CHECK_NEAR(half, forward);
    CHECK_OK(hpart_dfft_c2r(device, 1, dims, 1, half, back, NULL, NULL));
    CHECK_NEAR(back, backward);
}

int main(void)
{
    CHECK_OK(hpart_device_open("host", NULL, &device));
    test_gemm();
    test_gemv();
    test_syrk();
    test_herk();
    test_trsm();
    test_trmm();
    test_hemm();
    test_one_triangle();
    test_batch();
    test_factors();
    test_complex_q();
    test_solvers();
    test_singular();
    test_complex_transforms();
    test_real_transforms();
    hpart_device_close(device);
    return check_result();
}
