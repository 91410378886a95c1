/* Factorisations and solvers of all types: what the factors multiply to, what the solutions leave, singular matrices. */
#include "numbers.h"

enum { largest = 80 };

static const int32_t layouts[] = {HPART_ROW_MAJOR, HPART_COLUMN_MAJOR};

static int64_t some_size(void)
{
    static const int64_t edges[] = {0, 1, 2, 3, 16, 17, 63, 64, 65, largest};
    return random_below(2) == 0 ? random_below(40) : edges[random_below(sizeof edges / sizeof edges[0])];
}

/* A matrix and its copy before it was overwritten. */
struct matrix {
    char type;
    int32_t layout;
    int64_t rows, columns, ld;
    void *data, *before;
};

static struct matrix random_matrix(char type, int32_t layout, int64_t rows, int64_t columns)
{
    struct matrix a = {type, layout, rows, columns, some_ld(layout, rows, columns), NULL, NULL};
    a.data = random_array(type, elements(layout, rows, columns, a.ld));
    a.before = copy_of(type, a.data, elements(layout, rows, columns, a.ld));
    return a;
}

static void keep_before(struct matrix *a)
{
    memcpy(a->before, a->data, (size_t)elements(a->layout, a->rows, a->columns, a->ld) * bytes_of(a->type));
}

static void free_matrix(struct matrix *a)
{
    free(a->data);
    free(a->before);
}

static number now(const struct matrix *a, int64_t i, int64_t j)
{
    return get(a->type, a->data, place(a->layout, i, j, a->ld));
}
static number then(const struct matrix *a, int64_t i, int64_t j)
{
    return get(a->type, a->before, place(a->layout, i, j, a->ld));
}
static void put(struct matrix *a, int64_t i, int64_t j, number value)
{
    set(a->type, a->data, place(a->layout, i, j, a->ld), value);
}

/* Hermitian, its diagonal larger than the rest of a row. */
static struct matrix positive_matrix(char type, int32_t layout, int64_t n)
{
    struct matrix a = random_matrix(type, layout, n, n);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) put(&a, j, i, conj(now(&a, i, j)));
        put(&a, i, i, 2.0 * (double)n + 1.0);
    }
    keep_before(&a);
    return a;
}

/* Every entry of the difference is within the rounding of so many operations on numbers of that size. */
static void check_small(double difference, const struct matrix *a, double size, const char *what)
{
    const int within = difference <= 30 * (double)(a->rows + a->columns + 3) * epsilon_of(a->type) * size;
    CHECK(within);
    if (!within)
        printf("  %s of %c %d x %d, layout %d: %g\n", what, a->type, (int)a->rows, (int)a->columns, a->layout,
               difference);
}

static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

static hpart_status getrf(hpart_device *device, struct matrix *a, int64_t *pivots, hpart_report **report)
{
    switch (a->type) {
    case 's': return hpart_sgetrf(device, a->layout, a->rows, a->columns, a->data, a->ld, pivots, NULL, report);
    case 'd': return hpart_dgetrf(device, a->layout, a->rows, a->columns, a->data, a->ld, pivots, NULL, report);
    case 'c': return hpart_cgetrf(device, a->layout, a->rows, a->columns, a->data, a->ld, pivots, NULL, report);
    default: return hpart_zgetrf(device, a->layout, a->rows, a->columns, a->data, a->ld, pivots, NULL, report);
    }
}

static void test_getrf(hpart_device *device, char type)
{
    struct matrix a = random_matrix(type, layouts[random_below(2)], some_size(), some_size());
    const int64_t least = a.rows < a.columns ? a.rows : a.columns;
    int64_t pivots[largest + 1] = {0}, order[largest + 1];
    if (!is_missing(getrf(device, &a, pivots, NULL))) {
        double worst = 0;
        for (int64_t i = 0; i < a.rows; ++i) order[i] = i;
        for (int64_t k = 0; k < least; ++k) {
            CHECK(pivots[k] >= k + 1 && pivots[k] <= a.rows);
            const int64_t other = order[pivots[k] - 1];
            order[pivots[k] - 1] = order[k];
            order[k] = other;
        }
        for (int64_t i = 0; i < a.rows; ++i)
            for (int64_t j = 0; j < a.columns; ++j) {
                number sum = i <= j && i < least ? now(&a, i, j) : 0;
                for (int64_t p = 0; p < least && p < i && p <= j; ++p) sum += now(&a, i, p) * now(&a, p, j);
                worst = larger(cabs(sum - then(&a, order[i], j)), worst);
            }
        check_small(worst, &a, 8, "getrf");
    }
    free_matrix(&a);
}

static hpart_status potrf(hpart_device *device, int32_t uplo, struct matrix *a, hpart_report **report)
{
    switch (a->type) {
    case 's': return hpart_spotrf(device, a->layout, uplo, a->rows, a->data, a->ld, NULL, report);
    case 'd': return hpart_dpotrf(device, a->layout, uplo, a->rows, a->data, a->ld, NULL, report);
    case 'c': return hpart_cpotrf(device, a->layout, uplo, a->rows, a->data, a->ld, NULL, report);
    default: return hpart_zpotrf(device, a->layout, uplo, a->rows, a->data, a->ld, NULL, report);
    }
}

static void test_potrf(hpart_device *device, char type)
{
    const int32_t uplo = random_below(2) == 0 ? HPART_UPPER : HPART_LOWER;
    struct matrix a = positive_matrix(type, layouts[random_below(2)], some_size());
    /* The other triangle is neither read nor written. */
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.rows; ++j)
            if (uplo == HPART_UPPER ? j < i : j > i) put(&a, i, j, 77);
    if (!is_missing(potrf(device, uplo, &a, NULL))) {
        double worst = 0;
        int touched = 0;
        for (int64_t i = 0; i < a.rows; ++i)
            for (int64_t j = 0; j < a.rows; ++j) {
                if (uplo == HPART_UPPER ? j < i : j > i) {
                    touched += now(&a, i, j) != 77;
                    continue;
                }
                number sum = 0;
                for (int64_t p = 0; p <= i && p <= j; ++p)
                    sum +=
                        uplo == HPART_LOWER ? now(&a, i, p) * conj(now(&a, j, p)) : conj(now(&a, p, i)) * now(&a, p, j);
                worst = larger(cabs(sum - then(&a, i, j)), worst);
            }
        CHECK(touched == 0);
        check_small(worst, &a, 2.0 * (double)a.rows + 1, "potrf");
    }
    free_matrix(&a);
}

static hpart_status geqrf(hpart_device *device, struct matrix *a, void *tau)
{
    switch (a->type) {
    case 's': return hpart_sgeqrf(device, a->layout, a->rows, a->columns, a->data, a->ld, tau, NULL, NULL);
    case 'd': return hpart_dgeqrf(device, a->layout, a->rows, a->columns, a->data, a->ld, tau, NULL, NULL);
    case 'c': return hpart_cgeqrf(device, a->layout, a->rows, a->columns, a->data, a->ld, tau, NULL, NULL);
    default: return hpart_zgeqrf(device, a->layout, a->rows, a->columns, a->data, a->ld, tau, NULL, NULL);
    }
}

static void test_geqrf(hpart_device *device, char type)
{
    struct matrix a = random_matrix(type, layouts[random_below(2)], some_size(), some_size());
    const int64_t least = a.rows < a.columns ? a.rows : a.columns;
    void *tau = random_array(type, least);
    if (!is_missing(geqrf(device, &a, tau))) {
        double worst = 0;
        for (int64_t j = 0; j < a.columns; ++j) {
            /* Column j of Q R: the reflectors on column j of R, the last one first. */
            number column[largest + 1] = {0};
            for (int64_t i = 0; i <= j && i < a.rows; ++i) column[i] = now(&a, i, j);
            for (int64_t k = least - 1; k >= 0; --k) {
                number dot = column[k];
                for (int64_t i = k + 1; i < a.rows; ++i) dot += conj(now(&a, i, k)) * column[i];
                dot *= get(type, tau, k);
                column[k] -= dot;
                for (int64_t i = k + 1; i < a.rows; ++i) column[i] -= now(&a, i, k) * dot;
            }
            for (int64_t i = 0; i < a.rows; ++i) worst = larger(cabs(column[i] - then(&a, i, j)), worst);
        }
        check_small(worst, &a, 8, "geqrf");
    }
    free(tau);
    free_matrix(&a);
}

static hpart_status solve(hpart_device *device, int positive, int32_t uplo, struct matrix *a, int64_t *pivots,
                          struct matrix *b)
{
    const int64_t n = a->rows, nrhs = b->columns;
    switch (a->type) {
    case 's':
        return positive ? hpart_sposv(device, a->layout, uplo, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL)
                        : hpart_sgesv(device, a->layout, n, nrhs, a->data, a->ld, pivots, b->data, b->ld, NULL, NULL);
    case 'd':
        return positive ? hpart_dposv(device, a->layout, uplo, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL)
                        : hpart_dgesv(device, a->layout, n, nrhs, a->data, a->ld, pivots, b->data, b->ld, NULL, NULL);
    case 'c':
        return positive ? hpart_cposv(device, a->layout, uplo, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL)
                        : hpart_cgesv(device, a->layout, n, nrhs, a->data, a->ld, pivots, b->data, b->ld, NULL, NULL);
    default:
        return positive ? hpart_zposv(device, a->layout, uplo, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL)
                        : hpart_zgesv(device, a->layout, n, nrhs, a->data, a->ld, pivots, b->data, b->ld, NULL, NULL);
    }
}

/* Largest entry of A X - B, with what A and B were. */
static double largest_residual(const struct matrix *a, const struct matrix *b)
{
    double worst = 0;
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t j = 0; j < b->columns; ++j) {
            number sum = -then(b, i, j);
            for (int64_t p = 0; p < a->columns; ++p) sum += then(a, i, p) * now(b, p, j);
            worst = larger(cabs(sum), worst);
        }
    return worst;
}

static double largest_entry(const struct matrix *b, int64_t rows)
{
    double entry = 1;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < b->columns; ++j) entry = larger(cabs(now(b, i, j)), entry);
    return entry;
}

static void test_solve(hpart_device *device, char type, int positive)
{
    const int32_t layout = layouts[random_below(2)], uplo = random_below(2) == 0 ? HPART_UPPER : HPART_LOWER;
    const int64_t n = some_size(), nrhs = random_below(5);
    struct matrix a = positive ? positive_matrix(type, layout, n) : random_matrix(type, layout, n, n);
    struct matrix b = random_matrix(type, layout, n, nrhs);
    int64_t pivots[largest + 1];
    for (int64_t i = 0; i < n; ++i) put(&a, i, i, now(&a, i, i) + 4);
    keep_before(&a);
    if (!is_missing(solve(device, positive, uplo, &a, pivots, &b)))
        check_small(largest_residual(&a, &b), &a, (2.0 * (double)n + 8) * largest_entry(&b, n),
                    positive ? "posv" : "gesv");
    free_matrix(&b);
    free_matrix(&a);
}

static hpart_status gels(hpart_device *device, int32_t trans, struct matrix *a, struct matrix *b)
{
    const int64_t m = a->rows, n = a->columns, nrhs = b->columns;
    switch (a->type) {
    case 's': return hpart_sgels(device, a->layout, trans, m, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL);
    case 'd': return hpart_dgels(device, a->layout, trans, m, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL);
    case 'c': return hpart_cgels(device, a->layout, trans, m, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL);
    default: return hpart_zgels(device, a->layout, trans, m, n, nrhs, a->data, a->ld, b->data, b->ld, NULL, NULL);
    }
}

/* Entry of op(A), of what A was. */
static number op_then(const struct matrix *a, int32_t trans, int64_t i, int64_t j)
{
    return trans == HPART_NO_TRANSPOSE ? then(a, i, j) : conj(then(a, j, i));
}

/* A tall op(A): the residual is orthogonal to its columns. A wide one: no residual, and X is in the range of op(A)^H, which
 * is tested by its product with a vector of op(A)'s null space. */
static void test_gels(hpart_device *device, char type)
{
    const int32_t layout = layouts[random_below(2)];
    const int32_t trans = random_below(2) == 0 ? HPART_NO_TRANSPOSE
                          : is_complex(type)   ? HPART_CONJUGATE_TRANSPOSE
                                               : HPART_TRANSPOSE;
    const int64_t m = 1 + random_below(40), n = 1 + random_below(40), nrhs = random_below(4);
    const int64_t rows = trans == HPART_NO_TRANSPOSE ? m : n, columns = trans == HPART_NO_TRANSPOSE ? n : m;
    struct matrix a = random_matrix(type, layout, m, n), b = random_matrix(type, layout, m > n ? m : n, nrhs);
    for (int64_t i = 0; i < m && i < n; ++i) put(&a, i, i, 10); /* full rank */
    keep_before(&a);
    if (!is_missing(gels(device, trans, &a, &b))) {
        double worst = 0;
        for (int64_t j = 0; j < nrhs; ++j) {
            number residual[largest + 1];
            for (int64_t i = 0; i < rows; ++i) {
                residual[i] = -then(&b, i, j);
                for (int64_t p = 0; p < columns; ++p) residual[i] += op_then(&a, trans, i, p) * now(&b, p, j);
            }
            if (rows >= columns)
                for (int64_t p = 0; p < columns; ++p) {
                    number dot = 0;
                    for (int64_t i = 0; i < rows; ++i) dot += conj(op_then(&a, trans, i, p)) * residual[i];
                    worst = larger(cabs(dot), worst);
                }
            else
                for (int64_t i = 0; i < rows; ++i) worst = larger(cabs(residual[i]), worst);
        }
        check_small(worst, &a, 100.0 * (double)(rows + 1) * largest_entry(&b, columns), "gels");
    }
    free_matrix(&b);
    free_matrix(&a);
}

/* A wide matrix of one row: the solution of least norm is known. */
static void test_least_norm(hpart_device *device)
{
    double a[3] = {1, 2, 2}, b[3] = {18, 5, 5};
    if (is_missing(hpart_dgels(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, 1, 3, 1, a, 3, b, 1, NULL, NULL))) return;
    CHECK(fabs(b[0] - 2) < 1e-13 && fabs(b[1] - 4) < 1e-13 && fabs(b[2] - 4) < 1e-13);
}

static void expect_info(hpart_report *report, int64_t expected)
{
    int64_t info = -7;
    CHECK_OK(hpart_report_get_int(report, "info", &info));
    CHECK(info == expected);
    hpart_report_destroy(report);
}

static void test_singular(hpart_device *device, char type)
{
    for (int l = 0; l < 2; ++l) {
        struct matrix a = random_matrix(type, layouts[l], 70, 70);
        struct matrix b = random_matrix(type, layouts[l], 70, 2);
        int64_t pivots[70] = {0};
        hpart_report *report = NULL;
        for (int64_t i = 0; i < 70; ++i) put(&a, i, 66, 0);
        hpart_status status = getrf(device, &a, pivots, &report);
        if (status != HPART_ERR_UNSUPPORTED) {
            CHECK_FAILS(status, HPART_ERR_NUMERICAL, "67");
            expect_info(report, 67);
            CHECK(pivots[0] >= 1);
            for (int64_t i = 0; i < 70; ++i)
                for (int64_t j = 0; j < 70; ++j) put(&a, i, j, j == 3 ? 0 : i == j ? 2 : 0.01);
            CHECK(solve(device, 0, 0, &a, pivots, &b) == HPART_ERR_NUMERICAL);
            CHECK(now(&b, 69, 1) == then(&b, 69, 1) && now(&b, 0, 0) == then(&b, 0, 0));
        }
        struct matrix p = positive_matrix(type, layouts[l], 70);
        put(&p, 65, 65, -1);
        report = NULL;
        status = potrf(device, HPART_LOWER, &p, &report);
        if (status != HPART_ERR_UNSUPPORTED) {
            CHECK_FAILS(status, HPART_ERR_NUMERICAL, "66");
            expect_info(report, 66);
        }
        free_matrix(&p);
        free_matrix(&b);
        free_matrix(&a);
    }
}

int main(void)
{
    const char *types = "sdcz";
    for (int d = 0; d < tested_device_count; ++d) {
        hpart_device *device = open_tested_device(d);
        if (device == NULL) continue;
        for (int t = 0; t < 4; ++t) {
            for (int round = 0; round < 8; ++round) {
                test_getrf(device, types[t]);
                test_potrf(device, types[t]);
                test_geqrf(device, types[t]);
                test_solve(device, types[t], 0);
                test_solve(device, types[t], 1);
                test_gels(device, types[t]);
            }
            test_singular(device, types[t]);
        }
        test_least_norm(device);
        hpart_device_close(device);
    }
    return check_result();
}
