/* Every wrong argument of the operations is refused before anything is written, and the message names it. */
#include "devices.h"

enum { row = HPART_ROW_MAJOR, column = HPART_COLUMN_MAJOR, plain = HPART_NO_TRANSPOSE, flip = HPART_TRANSPOSE };
enum { upper = HPART_UPPER, lower = HPART_LOWER, left = HPART_LEFT, general = HPART_NON_UNIT };

static hpart_device *device;
static double a[64], b[64], c[64];
static double one[2] = {1, 0};
static int64_t pivots[8];

/* gemm of 3 x 4 by 4 x 5 */
static hpart_status gemm(int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n, int64_t k, int64_t lda,
                         int64_t ldb, int64_t ldc)
{
    return hpart_dgemm(device, layout, transa, transb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc, NULL, NULL);
}

static void test_gemm(void)
{
    CHECK_REFUSED(hpart_dgemm(NULL, row, plain, plain, 1, 1, 1, 1, a, 1, b, 1, 0, c, 1, NULL, NULL), "device is NULL");
    CHECK_REFUSED(gemm(100, plain, plain, 3, 5, 4, 4, 5, 5), "layout is 100; it must be 101 (row-major) or 102");
    CHECK_REFUSED(gemm(row, 0, plain, 3, 5, 4, 4, 5, 5), "transa is 0; it must be 111");
    CHECK_REFUSED(gemm(row, plain, 114, 3, 5, 4, 4, 5, 5), "transb is 114; it must be 111");
    CHECK_REFUSED(gemm(row, plain, plain, -3, 5, 4, 4, 5, 5), "m is -3; it must not be negative");
    CHECK_REFUSED(gemm(row, plain, plain, 3, -5, 4, 4, 5, 5), "n is -5");
    CHECK_REFUSED(gemm(row, plain, plain, 3, 5, -4, 4, 5, 5), "k is -4");
    CHECK_REFUSED(gemm(row, plain, plain, 3, 5, 4, 3, 5, 5),
                  "lda is 3; it must be at least 4 for the 3 x 4 matrix A (row-major)");
    CHECK_REFUSED(gemm(column, plain, plain, 3, 5, 4, 2, 5, 5),
                  "lda is 2; it must be at least 3 for the 3 x 4 matrix A (column");
    CHECK_REFUSED(gemm(row, flip, plain, 3, 5, 4, 2, 5, 5), "lda is 2; it must be at least 3 for the 4 x 3 matrix A");
    CHECK_REFUSED(gemm(row, plain, plain, 3, 5, 4, 4, 4, 5), "ldb is 4; it must be at least 5");
    CHECK_REFUSED(gemm(row, plain, plain, 3, 5, 4, 4, 5, 4), "ldc is 4; it must be at least 5");
    CHECK_REFUSED(gemm(row, plain, plain, 0, 0, 0, 0, 1, 1), "lda is 0; it must be at least 1");
    CHECK_REFUSED(gemm(row, plain, plain, INT64_MAX / 2, 5, 4, 4, 5, 5), "a takes more than 9223372036854775807 bytes");
    CHECK_REFUSED(gemm(row, plain, plain, 3, 5, 4, INT64_MAX / 8, 5, 5), "a takes more than");
    CHECK_REFUSED(gemm(row, plain, plain, 3, 5, 4, 4, INT64_MAX, 5), "b takes more than");
    CHECK_REFUSED(gemm(row, plain, plain, INT64_MAX / 9, 1, 0, 1, 1, 9), "c takes more than");
    CHECK_REFUSED(hpart_dgemm(device, row, plain, plain, 3, 5, 4, 1, NULL, 4, b, 5, 0, c, 5, NULL, NULL),
                  "a is NULL; it must be the 3 x 4 matrix A");
    CHECK_REFUSED(hpart_dgemm(device, row, plain, plain, 3, 5, 4, 1, a, 4, NULL, 5, 0, c, 5, NULL, NULL), "b is NULL");
    CHECK_REFUSED(hpart_dgemm(device, row, plain, plain, 3, 5, 4, 1, a, 4, b, 5, 0, NULL, 5, NULL, NULL), "c is NULL");
    CHECK_REFUSED(hpart_zgemm(device, row, plain, plain, 1, 1, 1, NULL, a, 1, b, 1, one, c, 1, NULL, NULL),
                  "alpha is NULL");
    CHECK_REFUSED(hpart_zgemm(device, row, plain, plain, 1, 1, 1, one, a, 1, b, 1, NULL, c, 1, NULL, NULL),
                  "beta is NULL");
    CHECK_REFUSED(hpart_cgemm(device, row, plain, plain, 1, 1, 1, NULL, a, 1, b, 1, one, c, 1, NULL, NULL),
                  "alpha is NULL");
}

static void test_overlaps(void)
{
    CHECK_REFUSED(hpart_dgemm(device, row, plain, plain, 2, 2, 2, 1, a, 2, b, 2, 0, a + 3, 2, NULL, NULL),
                  "c overlaps a");
    CHECK_REFUSED(hpart_dgemm(device, row, plain, plain, 2, 2, 2, 1, a, 2, b + 1, 2, 0, b, 2, NULL, NULL),
                  "c overlaps b");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, 2, 0, b + 2, 1, NULL, NULL), "y overlaps x");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, 1, 0, a, 1, NULL, NULL), "y overlaps a");
    CHECK_REFUSED(hpart_dsyrk(device, row, lower, plain, 2, 2, 1, a, 2, 0, a + 3, 2, NULL, NULL), "c overlaps a");
    CHECK_REFUSED(hpart_dtrsm(device, row, left, lower, plain, general, 2, 2, 1, a, 2, a, 2, NULL, NULL),
                  "b overlaps a");
    CHECK_REFUSED(hpart_dgesv(device, row, 2, 2, a, 2, pivots, a + 2, 2, NULL, NULL), "b overlaps a");
    CHECK_REFUSED(hpart_dgetrs(device, row, 111, 2, 2, a, 2, pivots, a + 2, 2, NULL, NULL), "b overlaps a");
    CHECK_REFUSED(hpart_dgetrs(device, row, 7, 2, 2, a, 2, pivots, b, 2, NULL, NULL), "trans is 7");
    CHECK_REFUSED(hpart_dpotrs(device, row, 7, 2, 2, a, 2, b, 2, NULL, NULL), "uplo is 7");
    CHECK_REFUSED(hpart_dsymm(device, row, 7, lower, 2, 2, 1, a, 2, b, 2, 0, c, 2, NULL, NULL), "side is 7");
    CHECK_REFUSED(hpart_dsymm(device, row, left, lower, 2, 2, 1, a, 2, b, 2, 0, b, 2, NULL, NULL), "c overlaps b");
    CHECK_REFUSED(hpart_dsymm(device, row, left, lower, 2, 2, 1, NULL, 2, b, 2, 0, c, 2, NULL, NULL), "a is NULL");
    CHECK_REFUSED(hpart_dtrmm(device, row, left, lower, plain, general, 2, 2, 1, a, 2, a, 2, NULL, NULL),
                  "b overlaps a");
    CHECK_REFUSED(hpart_dgemmt(device, row, lower, plain, 7, 2, 2, 1, a, 2, b, 2, 0, c, 2, NULL, NULL), "transb is 7");
    CHECK_REFUSED(hpart_dgemmt(device, row, lower, plain, plain, 2, 2, 1, a, 2, b, 2, 0, a, 2, NULL, NULL),
                  "c overlaps a");
    CHECK_REFUSED(hpart_dsyr2k(device, row, 7, plain, 2, 2, 1, a, 2, b, 2, 0, c, 2, NULL, NULL), "uplo is 7");
    CHECK_REFUSED(hpart_zher2k(device, row, lower, HPART_TRANSPOSE, 1, 1, a, a, 1, a + 2, 1, 0, b, 1, NULL, NULL),
                  "trans is 112; for complex matrices it must be 111 (no transpose) or 113 (conjugate transpose)");
    CHECK_REFUSED(
        hpart_dgemm_strided_batched(device, row, plain, plain, 1, 1, 1, 1, a, 1, 1, b, 1, 1, 0, c, 1, 0, 2, NULL, NULL),
        "stridec is 0; it must be at least 1");
    CHECK_REFUSED(hpart_dgemm_strided_batched(device, row, plain, plain, 1, 1, 1, 1, a, 1, -1, b, 1, 1, 0, c, 1, 1, 2,
                                              NULL, NULL),
                  "stridea is -1; it must be at least 0");
    CHECK_REFUSED(hpart_dgemm_strided_batched(device, row, plain, plain, 1, 1, 1, 1, a, 1, INT64_MAX, b, 1, 0, 0, c, 1,
                                              1, 2, NULL, NULL),
                  "so far apart no array has 2 matrices");
    CHECK_REFUSED(hpart_dgemm_strided_batched(device, row, plain, plain, 1, 1, 1, 1, a, 1, 2, b, 1, 0, 0, a + 2, 1, 1,
                                              2, NULL, NULL),
                  "c overlaps a");
    CHECK_REFUSED(
        hpart_dgemm_strided_batched(device, row, plain, plain, 1, 1, 1, 1, a, 1, 0, b, 1, 0, 0, b, 1, 1, 2, NULL, NULL),
        "c overlaps b");
    /* The matrices of one array in turns share nothing. */
    double turns[] = {2, 77, 3, 77};
    const hpart_status in_turns = hpart_dgemm_strided_batched(device, row, plain, plain, 1, 1, 1, 1, turns, 1, 2, turns,
                                                              1, 2, 0, turns + 1, 1, 2, 2, NULL, NULL);
    CHECK(in_turns == HPART_ERR_UNSUPPORTED || (in_turns == HPART_SUCCESS && turns[1] == 4 && turns[3] == 9));
    CHECK_REFUSED(hpart_dgetri(device, row, 2, a, 2, (int64_t *)a, NULL, NULL), "pivots overlaps a");
    CHECK_REFUSED(hpart_dgetri(device, row, 2, a, 1, pivots, NULL, NULL), "lda is 1");
    CHECK_REFUSED(hpart_dpotri(device, row, 7, 2, a, 2, NULL, NULL), "uplo is 7");
    CHECK_REFUSED(hpart_dormqr(device, row, 7, 111, 2, 2, 2, a, 2, c, b, 2, NULL, NULL), "side is 7");
    CHECK_REFUSED(hpart_dormqr(device, row, left, plain, 2, 1, 3, a, 3, c, b, 2, NULL, NULL),
                  "k is 3; it must be at most m, which is 2");
    CHECK_REFUSED(hpart_dormqr(device, row, HPART_RIGHT, plain, 1, 2, 3, a, 3, c, b, 2, NULL, NULL),
                  "k is 3; it must be at most n, which is 2");
    CHECK_REFUSED(hpart_zunmqr(device, row, left, HPART_TRANSPOSE, 1, 1, 1, a, 2, c, b, 2, NULL, NULL),
                  "trans is 112; for complex matrices it must be 111 (no transpose) or 113 (conjugate transpose)");
    CHECK_REFUSED(hpart_dormqr(device, row, left, plain, 2, 2, 2, a, 2, c, a, 2, NULL, NULL), "c overlaps a");
    CHECK_REFUSED(hpart_dormqr(device, row, left, plain, 2, 2, 2, a, 2, b, b, 2, NULL, NULL), "c overlaps tau");
    CHECK_REFUSED(hpart_dorgqr(device, row, 2, 3, 2, a, 3, c, NULL, NULL), "n is 3; it must be at most m, which is 2");
    CHECK_REFUSED(hpart_dorgqr(device, row, 2, 2, 3, a, 2, c, NULL, NULL), "k is 3; it must be at most n, which is 2");
    CHECK_REFUSED(hpart_dorgqr(device, row, 2, 2, 2, a, 2, a, NULL, NULL), "a overlaps tau");
    CHECK_REFUSED(hpart_dorgqr(device, row, 2, 2, 2, NULL, 2, a, NULL, NULL), "a is NULL");
    /* Parts of one array side by side share nothing. */
    double whole[2][6] = {{1, 2, 5, 6, 9, 9}, {3, 4, 7, 8, 9, 9}};
    const hpart_status status = hpart_dgemm(device, row, plain, plain, 2, 2, 2, 1, &whole[0][0], 6, &whole[0][2], 6, 0,
                                            &whole[0][4], 6, NULL, NULL);
    if (!is_missing(status)) CHECK(whole[0][4] == 19 && whole[0][5] == 22 && whole[1][4] == 43 && whole[1][5] == 50);
}

static void test_vectors(void)
{
    CHECK_REFUSED(hpart_dgemv(device, row, 9, 2, 2, 1, a, 2, b, 1, 0, c, 1, NULL, NULL), "trans is 9");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, 0, 0, c, 1, NULL, NULL),
                  "incx is 0; it must not be");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, 1, 0, c, 0, NULL, NULL), "incy is 0");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, INT64_MIN, 0, c, 1, NULL, NULL),
                  "incx is -9223372036854775808");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, INT64_MAX, 0, c, 1, NULL, NULL),
                  "x takes more than");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, NULL, 1, 0, c, 1, NULL, NULL),
                  "x is NULL; it must be a vector of 2");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 2, b, 1, 0, NULL, 1, NULL, NULL), "y is NULL");
    CHECK_REFUSED(hpart_dgemv(device, row, plain, 2, 2, 1, a, 1, b, 1, 0, c, 1, NULL, NULL), "lda is 1");
}

static void test_triangles(void)
{
    CHECK_REFUSED(hpart_dsyrk(device, row, 1, plain, 2, 2, 1, a, 2, 0, c, 2, NULL, NULL),
                  "uplo is 1; it must be 121 (upper) or 122");
    CHECK_REFUSED(hpart_zsyrk(device, row, upper, HPART_CONJUGATE_TRANSPOSE, 2, 2, one, a, 2, one, c, 2, NULL, NULL),
                  "trans is 113; for complex matrices it must be 111 (no transpose) or 112");
    CHECK_REFUSED(hpart_zherk(device, row, upper, flip, 2, 2, 1, a, 2, 0, c, 2, NULL, NULL),
                  "trans is 112; for complex matrices it must be 111 (no transpose) or 113");
    CHECK_REFUSED(hpart_dsyrk(device, row, upper, plain, -2, 2, 1, a, 2, 0, c, 2, NULL, NULL), "n is -2");
    CHECK_REFUSED(hpart_dsyrk(device, row, upper, plain, 2, -2, 1, a, 2, 0, c, 2, NULL, NULL), "k is -2");
    CHECK_REFUSED(hpart_dsyrk(device, row, upper, plain, 2, 2, 1, a, 2, 0, c, 1, NULL, NULL), "ldc is 1");
    CHECK_REFUSED(hpart_dtrsm(device, row, 1, lower, plain, general, 2, 2, 1, a, 2, b, 2, NULL, NULL),
                  "side is 1; it must be 141");
    CHECK_REFUSED(hpart_dtrsm(device, row, left, 1, plain, general, 2, 2, 1, a, 2, b, 2, NULL, NULL), "uplo is 1");
    CHECK_REFUSED(hpart_dtrsm(device, row, left, lower, 1, general, 2, 2, 1, a, 2, b, 2, NULL, NULL), "transa is 1");
    CHECK_REFUSED(hpart_dtrsm(device, row, left, lower, plain, 1, 2, 2, 1, a, 2, b, 2, NULL, NULL),
                  "diag is 1; it must be 131");
    CHECK_REFUSED(hpart_dtrsm(device, row, left, lower, plain, general, 2, 2, 1, a, 1, b, 2, NULL, NULL), "lda is 1");
    CHECK_REFUSED(hpart_dtrsm(device, row, left, lower, plain, general, 2, 2, 1, a, 2, b, 1, NULL, NULL), "ldb is 1");
}

static void test_solvers(void)
{
    CHECK_REFUSED(hpart_dgetrf(device, 5, 2, 2, a, 2, pivots, NULL, NULL), "layout is 5");
    CHECK_REFUSED(hpart_dgetrf(device, row, -2, 2, a, 2, pivots, NULL, NULL), "m is -2");
    CHECK_REFUSED(hpart_dgetrf(device, row, 2, 2, a, 1, pivots, NULL, NULL), "lda is 1");
    CHECK_REFUSED(hpart_dgetrf(device, row, 2, 2, a, 2, NULL, NULL, NULL),
                  "pivots is NULL; it must be an array of 2 elements");
    CHECK_REFUSED(hpart_dgetrf(device, row, 2, 2, NULL, 2, pivots, NULL, NULL), "a is NULL");
    CHECK_REFUSED(hpart_dpotrf(device, row, 7, 2, a, 2, NULL, NULL), "uplo is 7");
    CHECK_REFUSED(hpart_dpotrf(device, row, lower, -1, a, 2, NULL, NULL), "n is -1");
    CHECK_REFUSED(hpart_dgeqrf(device, row, 2, 2, a, 2, NULL, NULL, NULL), "tau is NULL");
    CHECK_REFUSED(hpart_dgeqrf(device, row, 2, 2, a, 2, a, NULL, NULL), "tau overlaps a");
    CHECK_REFUSED(hpart_dgesv(device, row, 2, -1, a, 2, pivots, b, 1, NULL, NULL), "nrhs is -1");
    CHECK_REFUSED(hpart_dgesv(device, row, 2, 2, a, 2, pivots, b, 1, NULL, NULL), "ldb is 1");
    CHECK_REFUSED(hpart_dposv(device, column, lower, 3, 2, a, 3, b, 2, NULL, NULL), "ldb is 2; it must be at least 3");
    CHECK_REFUSED(hpart_dgels(device, column, plain, 2, 3, 1, a, 2, b, 2, NULL, NULL),
                  "ldb is 2; it must be at least 3");
    CHECK_REFUSED(hpart_zgels(device, row, flip, 2, 2, 1, a, 2, b, 1, NULL, NULL), "trans is 112");
    CHECK_REFUSED(hpart_dgels(device, row, 7, 2, 2, 1, a, 2, b, 1, NULL, NULL), "trans is 7");
}

static void test_transforms(void)
{
    const int64_t dims[2] = {2, 3}, bad[2] = {2, 0}, huge[2] = {INT64_MAX / 4, 8};
    CHECK_REFUSED(hpart_zfft(device, 0, dims, 1, -1, a, c, NULL, NULL), "rank is 0; it must be at least 1");
    CHECK_REFUSED(hpart_zfft(device, 2, NULL, 1, -1, a, c, NULL, NULL), "dims is NULL");
    CHECK_REFUSED(hpart_zfft(device, 2, bad, 1, -1, a, c, NULL, NULL), "dims[1] is 0; it must be at least 1");
    CHECK_REFUSED(hpart_zfft(device, 2, huge, 1, -1, a, c, NULL, NULL), "dims and batch");
    CHECK_REFUSED(hpart_zfft(device, 2, dims, INT64_MAX / 6, -1, a, c, NULL, NULL), "in takes more than");
    CHECK_REFUSED(hpart_zfft(device, 2, dims, -1, -1, a, c, NULL, NULL), "batch is -1");
    CHECK_REFUSED(hpart_zfft(device, 2, dims, 1, 0, a, c, NULL, NULL), "sign is 0; it must be -1 (forward) or +1");
    CHECK_REFUSED(hpart_zfft(device, 2, dims, 1, -1, NULL, c, NULL, NULL), "in is NULL");
    CHECK_REFUSED(hpart_zfft(device, 2, dims, 1, -1, a, NULL, NULL, NULL), "out is NULL");
    CHECK_REFUSED(hpart_zfft(device, 2, dims, 1, -1, a, a + 2, NULL, NULL), "out overlaps in");
    CHECK_REFUSED(hpart_dfft_r2c(device, 2, dims, 1, a + 7, a, NULL, NULL), "out overlaps in");
    CHECK_REFUSED(hpart_dfft_c2r(device, 2, dims, 1, a, a + 7, NULL, NULL), "out overlaps in");
}

/* Without data nothing is done, and pointers may be NULL; more of it in empty_test.c. */
static void test_nothing_to_do(void)
{
    const int64_t dims[1] = {5};
    double y[3] = {1, 2, 3};
    /* No depth, or alpha = 0: C = beta C, and A and B may be NULL. */
    if (is_missing(hpart_dgemm(device, row, plain, plain, 3, 1, 0, 1, NULL, 1, NULL, 1, 2, y, 1, NULL, NULL))) return;
    CHECK(y[0] == 2 && y[1] == 4 && y[2] == 6);
    CHECK_OK(hpart_dgemm(device, row, plain, plain, 3, 1, 9, 0, NULL, 9, NULL, 1, 0.5, y, 1, NULL, NULL));
    CHECK(y[0] == 1 && y[1] == 2 && y[2] == 3);
    CHECK_OK(hpart_dgemv(device, row, plain, 0, 0, 1, NULL, 1, NULL, 1, 0, NULL, 1, NULL, NULL));
    CHECK_OK(hpart_dgemv(device, row, plain, 3, 4, 0, NULL, 4, NULL, 1, 2, y, 1, NULL, NULL));
    CHECK(y[0] == 2 && y[1] == 4 && y[2] == 6);
    CHECK_OK(hpart_zfft(device, 1, dims, 0, -1, NULL, NULL, NULL, NULL));
    CHECK_OK(hpart_dfft_r2c(device, 1, dims, 0, NULL, NULL, NULL, NULL));
    CHECK_OK(hpart_dfft_c2r(device, 1, dims, 0, NULL, NULL, NULL, NULL));
}

static void test_nan(void)
{
    double x[1] = {1}, y[1] = {1};
    if (is_missing(hpart_dgemm(device, row, plain, plain, 1, 1, 1, NAN, x, 1, x, 1, 0, y, 1, NULL, NULL))) return;
    CHECK(isnan(y[0]));
    y[0] = 1;
    CHECK_OK(hpart_dgemm(device, row, plain, plain, 1, 1, 1, 1, x, 1, x, 1, NAN, y, 1, NULL, NULL));
    CHECK(isnan(y[0]));
}

int main(void)
{
    hpart_options *options = new_options();
    for (int k = 0; k < 64; ++k) c[k] = 77;
    CHECK_OK(hpart_device_open("host", NULL, &device));
    test_gemm();
    test_overlaps();
    test_vectors();
    test_triangles();
    test_solvers();
    test_transforms();
    for (int k = 0; k < 64; ++k) CHECK(c[k] == 77);
    for (int k = 0; k < 8; ++k) CHECK(pivots[k] == 0);
    test_nothing_to_do();
    test_nan();
    /* A wrong argument comes before the progress callback. */
    CHECK_OK(hpart_options_set_progress(options, stop_at_once, NULL, NULL));
    CHECK_REFUSED(hpart_dgemm(device, row, plain, plain, 1, 1, 1, 1, a, 0, b, 1, 0, c, 1, options, NULL), "lda is 0");
    hpart_options_destroy(options);
    hpart_device_close(device);
    return check_result();
}
