/* gemm, gemv, syrk, herk and trsm of all types against sums written out. */
#include "numbers.h"

static const int32_t layouts[] = {HPART_ROW_MAJOR, HPART_COLUMN_MAJOR};
static const int32_t transposes[] = {HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE};

/* gemm's options: the kernel on the device. */
static hpart_options *gemm_options = NULL;

/* 0, 1 and what is around the sizes of blocks come more often than others. */
static int64_t some_size(void)
{
    static const int64_t edges[] = {0, 1, 2, 3, 7, 8, 9, 31, 64, 97, 130};
    return random_below(2) == 0 ? random_below(60) : edges[random_below(sizeof edges / sizeof edges[0])];
}

static number some_factor(char type)
{
    switch (random_below(4)) {
    case 0: return 0;
    case 1: return 1;
    default: return random_number(type);
    }
}

static hpart_status gemm(char type, hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                         int64_t n, int64_t k, number alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                         number beta, void *c, int64_t ldc, hpart_report **report)
{
    const float complex single_alpha = (float complex)alpha, single_beta = (float complex)beta;
    switch (type) {
    case 's':
        return hpart_sgemm(device, layout, transa, transb, m, n, k, (float)creal(alpha), a, lda, b, ldb,
                           (float)creal(beta), c, ldc, gemm_options, report);
    case 'd':
        return hpart_dgemm(device, layout, transa, transb, m, n, k, creal(alpha), a, lda, b, ldb, creal(beta), c, ldc,
                           gemm_options, report);
    case 'c':
        return hpart_cgemm(device, layout, transa, transb, m, n, k, &single_alpha, a, lda, b, ldb, &single_beta, c, ldc,
                           gemm_options, report);
    default:
        return hpart_zgemm(device, layout, transa, transb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc, gemm_options,
                           report);
    }
}

static void test_gemm(hpart_device *device, char type)
{
    const int32_t layout = layouts[random_below(2)], transa = transposes[random_below(3)],
                  transb = transposes[random_below(3)];
    const int64_t m = some_size(), n = some_size(), k = some_size();
    const int64_t rows_a = transa == HPART_NO_TRANSPOSE ? m : k, columns_a = transa == HPART_NO_TRANSPOSE ? k : m;
    const int64_t rows_b = transb == HPART_NO_TRANSPOSE ? k : n, columns_b = transb == HPART_NO_TRANSPOSE ? n : k;
    const int64_t lda = some_ld(layout, rows_a, columns_a), ldb = some_ld(layout, rows_b, columns_b),
                  ldc = some_ld(layout, m, n);
    const number alpha = some_factor(type), beta = some_factor(type);
    void *a = random_array(type, elements(layout, rows_a, columns_a, lda));
    void *b = random_array(type, elements(layout, rows_b, columns_b, ldb));
    const int64_t count = elements(layout, m, n, ldc);
    void *c = random_array(type, count);
    /* If beta is 0, C is not read. */
    for (int64_t e = 0; beta == 0 && e < count; ++e) set(type, c, e, NAN);
    void *before = copy_of(type, c, count);
    hpart_report *report = NULL;
    const hpart_status status =
        gemm(type, device, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, &report);
    if (!is_missing(status)) {
        int wrong = 0;
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                const int64_t at = place(layout, i, j, ldc);
                number sum = 0;
                double size = 0;
                for (int64_t p = 0; p < k; ++p) {
                    const number product =
                        op_of(type, layout, transa, a, i, p, lda) * op_of(type, layout, transb, b, p, j, ldb);
                    sum += product;
                    size += cabs(product);
                }
                number expected = alpha == 0 ? 0 : alpha * sum;
                size = cabs(alpha) * size;
                if (beta != 0) {
                    expected += beta * get(type, before, at);
                    size += cabs(beta * get(type, before, at));
                }
                /* k products and their sum round once each, and four times as often for complex numbers. */
                wrong +=
                    !(cabs(get(type, c, at) - expected) <= 4 * (double)(k + 3) * epsilon_of(type) * (size + 1e-30));
            }
        CHECK(wrong == 0);
        if (wrong != 0)
            printf("  %cgemm %d %d %d m %d n %d k %d ld %d %d %d: %d wrong\n", type, layout, transa, transb, (int)m,
                   (int)n, (int)k, (int)lda, (int)ldb, (int)ldc, wrong);
        /* The gaps between rows or columns stay as they are. */
        int touched = 0;
        for (int64_t line = 0; line * ldc < count; ++line)
            for (int64_t e = layout == HPART_ROW_MAJOR ? n : m; e < ldc; ++e)
                touched += memcmp((char *)c + (size_t)(line * ldc + e) * bytes_of(type),
                                  (char *)before + (size_t)(line * ldc + e) * bytes_of(type), bytes_of(type)) != 0;
        CHECK(touched == 0);
        CHECK(report != NULL);
    }
    hpart_report_destroy(report);
    free(before);
    free(c);
    free(b);
    free(a);
}

static hpart_status gemv(char type, hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n,
                         number alpha, const void *a, int64_t lda, const void *x, int64_t incx, number beta, void *y,
                         int64_t incy)
{
    const float complex single_alpha = (float complex)alpha, single_beta = (float complex)beta;
    switch (type) {
    case 's':
        return hpart_sgemv(device, layout, trans, m, n, (float)creal(alpha), a, lda, x, incx, (float)creal(beta), y,
                           incy, NULL, NULL);
    case 'd':
        return hpart_dgemv(device, layout, trans, m, n, creal(alpha), a, lda, x, incx, creal(beta), y, incy, NULL,
                           NULL);
    case 'c':
        return hpart_cgemv(device, layout, trans, m, n, &single_alpha, a, lda, x, incx, &single_beta, y, incy, NULL,
                           NULL);
    default: return hpart_zgemv(device, layout, trans, m, n, &alpha, a, lda, x, incx, &beta, y, incy, NULL, NULL);
    }
}

/* Element e of a vector of `count` with an increment, as the BLAS counts. */
static int64_t vector_place(int64_t e, int64_t count, int64_t increment)
{
    return increment > 0 ? e * increment : (e - count + 1) * increment;
}

static void test_gemv(hpart_device *device, char type)
{
    static const int64_t increments[] = {1, 2, -1, -3};
    const int32_t layout = layouts[random_below(2)], trans = transposes[random_below(3)];
    const int64_t m = some_size(), n = some_size(), lda = some_ld(layout, m, n);
    const int64_t length = trans == HPART_NO_TRANSPOSE ? m : n, depth = trans == HPART_NO_TRANSPOSE ? n : m;
    const int64_t incx = increments[random_below(4)], incy = increments[random_below(4)];
    const number alpha = some_factor(type), beta = some_factor(type);
    void *a = random_array(type, elements(layout, m, n, lda));
    void *x = random_array(type, depth * 3), *y = random_array(type, length * 3);
    for (int64_t e = 0; beta == 0 && e < length * 3; ++e) set(type, y, e, NAN);
    void *before = copy_of(type, y, length * 3);
    if (!is_missing(gemv(type, device, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))) {
        int wrong = 0;
        for (int64_t i = 0; i < length; ++i) {
            const int64_t at = vector_place(i, length, incy);
            number sum = 0;
            double size = 0;
            for (int64_t p = 0; p < depth; ++p) {
                const number product =
                    op_of(type, layout, trans, a, i, p, lda) * get(type, x, vector_place(p, depth, incx));
                sum += product;
                size += cabs(product);
            }
            number expected = alpha == 0 ? 0 : alpha * sum;
            size = cabs(alpha) * size;
            if (beta != 0) {
                expected += beta * get(type, before, at);
                size += cabs(beta * get(type, before, at));
            }
            /* The BLAS returns at once when A has no elements. */
            if (depth == 0) continue;
            wrong +=
                !(cabs(get(type, y, at) - expected) <= 4 * (double)(depth + 3) * epsilon_of(type) * (size + 1e-30));
        }
        CHECK(wrong == 0);
        if (wrong != 0)
            printf("  %cgemv %d %d m %d n %d inc %d %d\n", type, layout, trans, (int)m, (int)n, (int)incx, (int)incy);
    }
    free(before);
    free(y);
    free(x);
    free(a);
}

static hpart_status syrk(char type, int hermitian, hpart_device *device, int32_t layout, int32_t uplo, int32_t trans,
                         int64_t n, int64_t k, number alpha, const void *a, int64_t lda, number beta, void *c,
                         int64_t ldc)
{
    const float complex single_alpha = (float complex)alpha, single_beta = (float complex)beta;
    switch (type) {
    case 's':
        return hpart_ssyrk(device, layout, uplo, trans, n, k, (float)creal(alpha), a, lda, (float)creal(beta), c, ldc,
                           NULL, NULL);
    case 'd':
        return hpart_dsyrk(device, layout, uplo, trans, n, k, creal(alpha), a, lda, creal(beta), c, ldc, NULL, NULL);
    case 'c':
        if (hermitian)
            return hpart_cherk(device, layout, uplo, trans, n, k, (float)creal(alpha), a, lda, (float)creal(beta), c,
                               ldc, NULL, NULL);
        return hpart_csyrk(device, layout, uplo, trans, n, k, &single_alpha, a, lda, &single_beta, c, ldc, NULL, NULL);
    default:
        if (hermitian)
            return hpart_zherk(device, layout, uplo, trans, n, k, creal(alpha), a, lda, creal(beta), c, ldc, NULL,
                               NULL);
        return hpart_zsyrk(device, layout, uplo, trans, n, k, &alpha, a, lda, &beta, c, ldc, NULL, NULL);
    }
}

static void test_syrk(hpart_device *device, char type)
{
    const int hermitian = is_complex(type) && random_below(2) == 0;
    const int32_t flipped = hermitian ? HPART_CONJUGATE_TRANSPOSE : HPART_TRANSPOSE;
    const int32_t layout = layouts[random_below(2)], uplo = random_below(2) == 0 ? HPART_UPPER : HPART_LOWER;
    const int32_t trans = random_below(2) == 0 ? HPART_NO_TRANSPOSE : flipped;
    const int64_t n = some_size(), k = some_size();
    const int64_t rows = trans == HPART_NO_TRANSPOSE ? n : k, columns = trans == HPART_NO_TRANSPOSE ? k : n;
    const int64_t lda = some_ld(layout, rows, columns), ldc = some_ld(layout, n, n),
                  count = elements(layout, n, n, ldc);
    number alpha = some_factor(type), beta = some_factor(type);
    if (hermitian) alpha = creal(alpha), beta = creal(beta);
    void *a = random_array(type, elements(layout, rows, columns, lda)), *c = random_array(type, count);
    void *before = copy_of(type, c, count);
    if (!is_missing(syrk(type, hermitian, device, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc))) {
        int wrong = 0, touched = 0;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                const int64_t at = place(layout, i, j, ldc);
                if (uplo == HPART_UPPER ? j < i : j > i) {
                    touched += get(type, c, at) != get(type, before, at);
                    continue;
                }
                number sum = 0;
                double size = 0;
                for (int64_t p = 0; p < k; ++p) {
                    const number second = op_of(type, layout, trans, a, j, p, lda);
                    const number product =
                        op_of(type, layout, trans, a, i, p, lda) * (hermitian ? conj(second) : second);
                    sum += product;
                    size += cabs(product);
                }
                number old = get(type, before, at);
                if (hermitian && i == j) old = creal(old);
                const number expected = alpha * sum + beta * old;
                size = cabs(alpha) * size + cabs(beta * old);
                const number found = get(type, c, at);
                /* The BLAS may leave C as it is when there is nothing to do. */
                if ((alpha == 0 || k == 0) && beta == 1) continue;
                wrong += !(cabs(found - expected) <= 4 * (double)(k + 3) * epsilon_of(type) * (size + 1e-30));
            }
        CHECK(wrong == 0 && touched == 0);
        if (wrong + touched != 0)
            printf("  %csyrk %d uplo %d trans %d hermitian %d n %d k %d: %d wrong, %d touched\n", type, layout, uplo,
                   trans, hermitian, (int)n, (int)k, wrong, touched);
    }
    free(before);
    free(c);
    free(a);
}

static hpart_status trsm(char type, hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t trans,
                         int32_t diag, int64_t m, int64_t n, number alpha, const void *a, int64_t lda, void *b,
                         int64_t ldb)
{
    const float complex single_alpha = (float complex)alpha;
    switch (type) {
    case 's':
        return hpart_strsm(device, layout, side, uplo, trans, diag, m, n, (float)creal(alpha), a, lda, b, ldb, NULL,
                           NULL);
    case 'd':
        return hpart_dtrsm(device, layout, side, uplo, trans, diag, m, n, creal(alpha), a, lda, b, ldb, NULL, NULL);
    case 'c':
        return hpart_ctrsm(device, layout, side, uplo, trans, diag, m, n, &single_alpha, a, lda, b, ldb, NULL, NULL);
    default: return hpart_ztrsm(device, layout, side, uplo, trans, diag, m, n, &alpha, a, lda, b, ldb, NULL, NULL);
    }
}

static void test_trsm(hpart_device *device, char type)
{
    const int32_t layout = layouts[random_below(2)], side = random_below(2) == 0 ? HPART_LEFT : HPART_RIGHT;
    const int32_t uplo = random_below(2) == 0 ? HPART_UPPER : HPART_LOWER, trans = transposes[random_below(3)];
    const int32_t diag = random_below(2) == 0 ? HPART_UNIT : HPART_NON_UNIT;
    const int64_t m = some_size(), n = some_size(), order = side == HPART_LEFT ? m : n;
    const int64_t lda = some_ld(layout, order, order), ldb = some_ld(layout, m, n), count = elements(layout, m, n, ldb);
    const number alpha = some_factor(type);
    void *a = random_array(type, elements(layout, order, order, lda)), *b = random_array(type, count);
    for (int64_t e = 0; e < elements(layout, order, order, lda); ++e)
        set(type, a, e, get(type, a, e) / (double)(order + 1)); /* well conditioned, also with ones on the diagonal */
    for (int64_t e = 0; e < order; ++e) set(type, a, place(layout, e, e, lda), 2.0 + random_real());
    for (int64_t i = 0; i < order; ++i) /* the other triangle is not read */
        for (int64_t j = 0; j < order; ++j)
            if (uplo == HPART_UPPER ? j < i : j > i) set(type, a, place(layout, i, j, lda), NAN);
    void *before = copy_of(type, b, count);
    if (!is_missing(trsm(type, device, layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))) {
        int wrong = 0;
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                number sum = 0;
                double size = 1;
                for (int64_t p = 0; p < order; ++p) {
                    const int64_t row = side == HPART_LEFT ? i : p, column = side == HPART_LEFT ? p : j;
                    const int upper = (uplo == HPART_UPPER) == (trans == HPART_NO_TRANSPOSE);
                    if (upper ? column < row : column > row) continue;
                    const number x =
                        get(type, b, side == HPART_LEFT ? place(layout, p, j, ldb) : place(layout, i, p, ldb));
                    const number factor =
                        row == column && diag == HPART_UNIT ? 1 : op_of(type, layout, trans, a, row, column, lda);
                    sum += factor * x;
                    size += cabs(factor * x);
                }
                const number right = alpha * get(type, before, place(layout, i, j, ldb));
                wrong += !(cabs(sum - right) <= 16 * (double)(order + 3) * epsilon_of(type) * size);
            }
        CHECK(wrong == 0);
        if (wrong != 0)
            printf("  %ctrsm %d side %d uplo %d trans %d diag %d m %d n %d: %d wrong\n", type, layout, side, uplo,
                   trans, diag, (int)m, (int)n, wrong);
    }
    free(before);
    free(b);
    free(a);
}

int main(void)
{
    const char *types = "sdcz";
    static const char *const kernels[] = {"auto", "openblas", "blocked"}; /* a device has some of them */
    for (int d = 0; d < tested_device_count; ++d) {
        hpart_device *device = open_tested_device(d);
        for (int round = 0; device != NULL && round < 15; ++round)
            for (int t = 0; t < 4; ++t) {
                CHECK_OK(hpart_options_create(&gemm_options));
                CHECK_OK(hpart_options_set_string(gemm_options, "kernel", kernels[round % 3]));
                test_gemm(device, types[t]);
                hpart_options_destroy(gemm_options);
                test_gemv(device, types[t]);
                test_syrk(device, types[t]);
                test_trsm(device, types[t]);
            }
        hpart_device_close(device);
    }
    return check_result();
}
