/* gemm, gemv, syrk, herk and trsm of every type in either layout against sums written out: the interface hands each argument to its
 * place. The kernels are tested inside the library. */
#include "matrices.h"

static const int32_t transposes[] = {HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE};
static const number alpha = 0.5 - 0.75 * I, beta = -2 + 0.25 * I;
static const float complex single_alpha = 0.5F - 0.75F * I, single_beta = -2 + 0.25F * I;

/* The factors, as a type has them. */
static number of_type(char type, number factor) { return is_complex(type) ? factor : creal(factor); }

static void check_sum(const struct matrix *c, int64_t i, int64_t j, number expected, const char *what)
{
    const int is_right = cabs(now(c, i, j) - expected) <= 200 * epsilon_of(c->type);
    CHECK(is_right);
    if (!is_right) printf("  %c%s, layout %d: element (%d, %d)\n", c->type, what, c->layout, (int)i, (int)j);
}

static hpart_status gemm(hpart_device *device, int32_t transa, int32_t transb, int64_t k, const struct matrix *a,
                         const struct matrix *b, const struct matrix *c, hpart_report **report)
{
    const int32_t layout = c->layout;
    const int64_t m = c->rows, n = c->columns;
    switch (c->type) {
    case 's':
        return hpart_sgemm(device, layout, transa, transb, m, n, k, 0.5F, a->data, a->ld, b->data, b->ld, -2, c->data,
                           c->ld, NULL, report);
    case 'd':
        return hpart_dgemm(device, layout, transa, transb, m, n, k, 0.5, a->data, a->ld, b->data, b->ld, -2, c->data,
                           c->ld, NULL, report);
    case 'c':
        return hpart_cgemm(device, layout, transa, transb, m, n, k, &single_alpha, a->data, a->ld, b->data, b->ld,
                           &single_beta, c->data, c->ld, NULL, report);
    default:
        return hpart_zgemm(device, layout, transa, transb, m, n, k, &alpha, a->data, a->ld, b->data, b->ld, &beta,
                           c->data, c->ld, NULL, report);
    }
}

static void test_gemm(hpart_device *device, char type, int32_t layout, int32_t transa, int32_t transb)
{
    enum { m = 5, n = 7, k = 6 };
    const int plain_a = transa == HPART_NO_TRANSPOSE, plain_b = transb == HPART_NO_TRANSPOSE;
    struct matrix a = random_matrix(type, layout, plain_a ? m : k, plain_a ? k : m),
                  b = random_matrix(type, layout, plain_b ? k : n, plain_b ? n : k),
                  c = random_matrix(type, layout, m, n);
    hpart_report *report = NULL;
    if (!is_missing(gemm(device, transa, transb, k, &a, &b, &c, &report)))
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                number sum = 0;
                for (int64_t p = 0; p < k; ++p) sum += op(&a, transa, i, p) * op(&b, transb, p, j);
                check_sum(&c, i, j, of_type(type, alpha) * sum + of_type(type, beta) * then(&c, i, j), "gemm");
            }
    CHECK(gaps_are_untouched(&c));
    hpart_report_destroy(report);
    free_matrices(3, &a, &b, &c);
}

/* Vectors are columns of matrices: y backwards in every element, x in every second one. */
static void test_gemv(hpart_device *device, char type, int32_t layout, int32_t trans)
{
    enum { m = 5, n = 7, every = 2 };
    const int64_t rows = trans == HPART_NO_TRANSPOSE ? m : n, columns = trans == HPART_NO_TRANSPOSE ? n : m;
    struct matrix a = random_matrix(type, layout, m, n),
                  x = random_matrix(type, HPART_COLUMN_MAJOR, every * columns, 1),
                  y = random_matrix(type, HPART_COLUMN_MAJOR, rows, 1);
    hpart_status status;
    switch (type) {
    case 's':
        status =
            hpart_sgemv(device, layout, trans, m, n, 0.5F, a.data, a.ld, x.data, every, -2, y.data, -1, NULL, NULL);
        break;
    case 'd':
        status = hpart_dgemv(device, layout, trans, m, n, 0.5, a.data, a.ld, x.data, every, -2, y.data, -1, NULL, NULL);
        break;
    case 'c':
        status = hpart_cgemv(device, layout, trans, m, n, &single_alpha, a.data, a.ld, x.data, every, &single_beta,
                             y.data, -1, NULL, NULL);
        break;
    default:
        status = hpart_zgemv(device, layout, trans, m, n, &alpha, a.data, a.ld, x.data, every, &beta, y.data, -1, NULL,
                             NULL);
    }
    if (!is_missing(status))
        for (int64_t i = 0; i < rows; ++i) {
            number sum = 0;
            for (int64_t p = 0; p < columns; ++p) sum += op(&a, trans, i, p) * then(&x, every * p, 0);
            const int64_t place = rows - 1 - i;
            check_sum(&y, place, 0, of_type(type, alpha) * sum + of_type(type, beta) * then(&y, place, 0), "gemv");
        }
    free_matrices(3, &a, &x, &y);
}

static hpart_status syrk(hpart_device *device, int hermitian, int32_t uplo, int32_t trans, int64_t k,
                         const struct matrix *a, const struct matrix *c)
{
    const int32_t layout = c->layout;
    const int64_t n = c->rows;
    switch (c->type) {
    case 's':
        return hpart_ssyrk(device, layout, uplo, trans, n, k, 0.5F, a->data, a->ld, -2, c->data, c->ld, NULL, NULL);
    case 'd':
        return hpart_dsyrk(device, layout, uplo, trans, n, k, 0.5, a->data, a->ld, -2, c->data, c->ld, NULL, NULL);
    case 'c':
        if (hermitian)
            return hpart_cherk(device, layout, uplo, trans, n, k, 0.5F, a->data, a->ld, -2, c->data, c->ld, NULL, NULL);
        return hpart_csyrk(device, layout, uplo, trans, n, k, &single_alpha, a->data, a->ld, &single_beta, c->data,
                           c->ld, NULL, NULL);
    default:
        if (hermitian)
            return hpart_zherk(device, layout, uplo, trans, n, k, 0.5, a->data, a->ld, -2, c->data, c->ld, NULL, NULL);
        return hpart_zsyrk(device, layout, uplo, trans, n, k, &alpha, a->data, a->ld, &beta, c->data, c->ld, NULL,
                           NULL);
    }
}

static void test_syrk(hpart_device *device, char type, int32_t layout, int hermitian, int32_t uplo, int is_plain)
{
    enum { n = 6, k = 5 };
    const int32_t flipped = hermitian ? HPART_CONJUGATE_TRANSPOSE : HPART_TRANSPOSE,
                  trans = is_plain ? HPART_NO_TRANSPOSE : flipped;
    struct matrix a = random_matrix(type, layout, is_plain ? n : k, is_plain ? k : n),
                  c = random_matrix(type, layout, n, n);
    const number scale = hermitian ? 0.5 : of_type(type, alpha), old = hermitian ? -2 : of_type(type, beta);
    if (!is_missing(syrk(device, hermitian, uplo, trans, k, &a, &c)))
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                number sum = 0, before = then(&c, i, j);
                for (int64_t p = 0; p < k; ++p) {
                    const number second = op(&a, trans, j, p);
                    sum += op(&a, trans, i, p) * (hermitian ? conj(second) : second);
                }
                if (hermitian && i == j) before = creal(before);
                const int is_other = uplo == HPART_UPPER ? j < i : j > i;
                check_sum(&c, i, j, is_other ? before : scale * sum + old * before, hermitian ? "herk" : "syrk");
            }
    free_matrices(2, &a, &c);
}

static hpart_status trsm(hpart_device *device, int32_t side, int32_t uplo, int32_t trans, int32_t diag,
                         const struct matrix *a, const struct matrix *b)
{
    const int32_t layout = b->layout;
    const int64_t m = b->rows, n = b->columns;
    switch (b->type) {
    case 's':
        return hpart_strsm(device, layout, side, uplo, trans, diag, m, n, 0.5F, a->data, a->ld, b->data, b->ld, NULL,
                           NULL);
    case 'd':
        return hpart_dtrsm(device, layout, side, uplo, trans, diag, m, n, 0.5, a->data, a->ld, b->data, b->ld, NULL,
                           NULL);
    case 'c':
        return hpart_ctrsm(device, layout, side, uplo, trans, diag, m, n, &single_alpha, a->data, a->ld, b->data, b->ld,
                           NULL, NULL);
    default:
        return hpart_ztrsm(device, layout, side, uplo, trans, diag, m, n, &alpha, a->data, a->ld, b->data, b->ld, NULL,
                           NULL);
    }
}

static void test_trsm(hpart_device *device, char type, int32_t layout, int32_t side, int32_t uplo, int32_t trans,
                      int32_t diag)
{
    enum { m = 6, n = 4 };
    const int64_t order = side == HPART_LEFT ? m : n;
    struct matrix a = random_matrix(type, layout, order, order), b = random_matrix(type, layout, m, n);
    /* Neither the other triangle nor a diagonal of ones is read. */
    for (int64_t i = 0; i < order; ++i)
        for (int64_t j = 0; j < order; ++j)
            if (i == j ? diag == HPART_UNIT : uplo == HPART_UPPER ? j < i : j > i)
                put(&a, i, j, NAN);
            else
                put(&a, i, j, i == j ? 2 : now(&a, i, j) / 8);
    if (!is_missing(trsm(device, side, uplo, trans, diag, &a, &b)))
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                number sum = 0;
                for (int64_t p = 0; p < order; ++p) {
                    const int64_t row = side == HPART_LEFT ? i : p, column = side == HPART_LEFT ? p : j;
                    const int upper = (uplo == HPART_UPPER) == (trans == HPART_NO_TRANSPOSE);
                    if (upper ? column < row : column > row) continue;
                    const number factor = row == column && diag == HPART_UNIT ? 1 : op(&a, trans, row, column);
                    sum += factor * (side == HPART_LEFT ? now(&b, p, j) : now(&b, i, p));
                }
                CHECK(cabs(sum - of_type(type, alpha) * then(&b, i, j)) <= 200 * epsilon_of(type));
            }
    free_matrices(2, &a, &b);
}

int main(void)
{
    for (int d = 0; d < tested_device_count; ++d) {
        hpart_device *device = open_tested_device(d);
        for (int k = 0; device != NULL && k < 24; ++k) { /* every type in either layout, with each transpose */
            const char type = "sdcz"[k % 4];
            const int32_t layout = k / 4 % 2 == 0 ? HPART_ROW_MAJOR : HPART_COLUMN_MAJOR, trans = transposes[k / 8];
            const int32_t uplo = (k + k / 8) % 2 == 0 ? HPART_UPPER : HPART_LOWER;
            test_gemm(device, type, layout, trans, transposes[k % 3]);
            test_gemv(device, type, layout, trans);
            test_syrk(device, type, layout, 0, uplo, k / 8 % 2);
            if (is_complex(type)) test_syrk(device, type, layout, 1, uplo, k / 8 % 2);
            test_trsm(device, type, layout, k / 8 % 2 == 0 ? HPART_LEFT : HPART_RIGHT, uplo, trans,
                      k % 3 == 0 ? HPART_UNIT : HPART_NON_UNIT);
        }
        hpart_device_close(device);
    }
    return check_result();
}
