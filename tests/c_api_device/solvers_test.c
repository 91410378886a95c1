/* Factorisations, solvers and transforms of every type in either layout: what the factors multiply to, what the solutions leave,
 * singular matrices, sums by the definition. The algorithms are tested inside the library. */
#include "matrices.h"

/* Void pointers stand for the arrays of any type. */
#define BY_TYPE(type, name, ...)                                                                                       \
    ((type) == 's'   ? hpart_s##name(__VA_ARGS__)                                                                      \
     : (type) == 'd' ? hpart_d##name(__VA_ARGS__)                                                                      \
     : (type) == 'c' ? hpart_c##name(__VA_ARGS__)                                                                      \
                     : hpart_z##name(__VA_ARGS__))

enum { n = 9, wide = 12 };

/* Hermitian if asked; the diagonal is larger than the rest of a row. */
static struct matrix dominant_matrix(char type, int32_t layout, int64_t rows, int64_t columns, int hermitian)
{
    struct matrix a = random_matrix(type, layout, rows, columns);
    for (int64_t i = 0; i < rows && i < columns; ++i) {
        for (int64_t j = 0; hermitian && j < i; ++j) put(&a, j, i, conj(now(&a, i, j)));
        put(&a, i, i, 2.0 * (double)(rows + columns));
    }
    keep_before(&a);
    return a;
}

static void check_small(double difference, const struct matrix *a, const char *what)
{
    const int within = difference <= 2000 * epsilon_of(a->type);
    CHECK(within);
    if (!within) printf("  %c%s, layout %d: %g\n", a->type, what, a->layout, difference);
}

/* Largest element of A X - B; with the first rows of both only. */
static double residual(const struct matrix *a, const struct matrix *x)
{
    double worst = 0;
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t j = 0; j < x->columns; ++j) {
            number sum = -then(x, i, j);
            for (int64_t p = 0; p < a->columns; ++p) sum += then(a, i, p) * now(x, p, j);
            worst = fmax(worst, cabs(sum));
        }
    return worst;
}

static void test_lu(hpart_device *device, char type, int32_t layout)
{
    struct matrix a = random_matrix(type, layout, n, wide);
    int64_t pivots[n] = {0}, order[n];
    if (!is_missing(BY_TYPE(type, getrf, device, layout, n, wide, a.data, a.ld, pivots, NULL, NULL))) {
        double worst = 0;
        for (int64_t i = 0; i < n; ++i) order[i] = i;
        for (int64_t k = 0; k < n; ++k) {
            CHECK(pivots[k] >= k + 1 && pivots[k] <= n);
            const int64_t other = order[pivots[k] - 1];
            order[pivots[k] - 1] = order[k];
            order[k] = other;
        }
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < wide; ++j) {
                number sum = i <= j ? now(&a, i, j) : 0;
                for (int64_t p = 0; p < i && p <= j; ++p) sum += now(&a, i, p) * now(&a, p, j);
                worst = fmax(worst, cabs(sum - then(&a, order[i], j)));
            }
        check_small(worst, &a, "getrf");
        CHECK(gaps_are_untouched(&a));
    }
    free_matrices(1, &a);
}

static void test_cholesky(hpart_device *device, char type, int32_t layout, int32_t uplo)
{
    struct matrix a = dominant_matrix(type, layout, n, n, 1);
    for (int64_t i = 0; i < n; ++i) /* neither read nor written */
        for (int64_t j = 0; j < n; ++j)
            if (uplo == HPART_UPPER ? j < i : j > i) put(&a, i, j, 77);
    if (!is_missing(BY_TYPE(type, potrf, device, layout, uplo, n, a.data, a.ld, NULL, NULL))) {
        double worst = 0;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                if (uplo == HPART_UPPER ? j < i : j > i) {
                    CHECK(now(&a, i, j) == 77);
                    continue;
                }
                number sum = 0;
                for (int64_t p = 0; p <= i && p <= j; ++p)
                    sum +=
                        uplo == HPART_LOWER ? now(&a, i, p) * conj(now(&a, j, p)) : conj(now(&a, p, i)) * now(&a, p, j);
                worst = fmax(worst, cabs(sum - then(&a, i, j)));
            }
        check_small(worst, &a, "potrf");
    }
    free_matrices(1, &a);
}

static void test_qr(hpart_device *device, char type, int32_t layout)
{
    struct matrix a = random_matrix(type, layout, wide, n), tau = random_matrix(type, HPART_COLUMN_MAJOR, n, 1);
    if (!is_missing(BY_TYPE(type, geqrf, device, layout, wide, n, a.data, a.ld, tau.data, NULL, NULL))) {
        double worst = 0;
        for (int64_t j = 0; j < n; ++j) {
            /* Column j of Q R: the reflectors on column j of R, the last one first. */
            number column[wide] = {0};
            for (int64_t i = 0; i <= j; ++i) column[i] = now(&a, i, j);
            for (int64_t k = n - 1; k >= 0; --k) {
                number dot = column[k];
                for (int64_t i = k + 1; i < wide; ++i) dot += conj(now(&a, i, k)) * column[i];
                dot *= now(&tau, k, 0);
                column[k] -= dot;
                for (int64_t i = k + 1; i < wide; ++i) column[i] -= now(&a, i, k) * dot;
            }
            for (int64_t i = 0; i < wide; ++i) worst = fmax(worst, cabs(column[i] - then(&a, i, j)));
        }
        check_small(worst, &a, "geqrf");
    }
    free_matrices(2, &a, &tau);
}

static void test_solvers(hpart_device *device, char type, int32_t layout, int32_t uplo)
{
    enum { nrhs = 3 };
    int64_t pivots[n];
    struct matrix a = dominant_matrix(type, layout, n, n, 0), p = dominant_matrix(type, layout, n, n, 1),
                  w = dominant_matrix(type, layout, n, wide, 0), b = random_matrix(type, layout, n, nrhs),
                  c = random_matrix(type, layout, n, nrhs), d = random_matrix(type, layout, wide, nrhs);
    if (!is_missing(BY_TYPE(type, gesv, device, layout, n, nrhs, a.data, a.ld, pivots, b.data, b.ld, NULL, NULL)))
        check_small(residual(&a, &b), &a, "gesv");
    if (!is_missing(BY_TYPE(type, posv, device, layout, uplo, n, nrhs, p.data, p.ld, c.data, c.ld, NULL, NULL)))
        check_small(residual(&p, &c), &p, "posv");
    if (!is_missing(BY_TYPE(type, gels, device, layout, HPART_NO_TRANSPOSE, n, wide, nrhs, w.data, w.ld, d.data, d.ld,
                            NULL, NULL)))
        check_small(residual(&w, &d), &w, "gels");
    free_matrices(6, &a, &p, &w, &b, &c, &d);
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

static void test_singular(hpart_device *device, char type, int32_t layout)
{
    struct matrix a = random_matrix(type, layout, n, n), b = random_matrix(type, layout, n, 2),
                  p = dominant_matrix(type, layout, n, n, 1);
    int64_t pivots[n] = {0};
    hpart_report *report = NULL;
    for (int64_t i = 0; i < n; ++i) put(&a, i, 6, 0);
    hpart_status status = BY_TYPE(type, getrf, device, layout, n, n, a.data, a.ld, pivots, NULL, &report);
    if (status != HPART_ERR_UNSUPPORTED) {
        CHECK_FAILS(status, HPART_ERR_NUMERICAL, "7");
        expect_info(report, 7);
        CHECK(pivots[0] >= 1);
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) put(&a, i, j, j == 3 ? 0 : i == j ? 2 : 0.01);
        CHECK(BY_TYPE(type, gesv, device, layout, n, 2, a.data, a.ld, pivots, b.data, b.ld, NULL, NULL) ==
              HPART_ERR_NUMERICAL);
        CHECK(now(&b, n - 1, 1) == then(&b, n - 1, 1) && now(&b, 0, 0) == then(&b, 0, 0));
        put(&p, 5, 5, -1);
        report = NULL;
        status = BY_TYPE(type, potrf, device, layout, HPART_LOWER, n, p.data, p.ld, NULL, &report);
        CHECK_FAILS(status, HPART_ERR_NUMERICAL, "6");
        expect_info(report, 6);
    }
    free_matrices(3, &a, &b, &p);
}

/* Transforms of rows x columns points, two of them; of a half spectrum of real numbers only `columns` are there. */
static const int64_t dims[2] = {4, 6};
enum { batch = 2, rows = 4, length = 6, half = length / 2 + 1, points = rows * length };

static number transformed(char type, const void *in, int sign, int64_t u, int64_t v)
{
    const double turn = 2 * 3.14159265358979323846 * sign;
    number sum = 0;
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < length; ++c)
            sum += get(type, in, r * length + c) *
                   cexp(I * turn * ((double)(u * r) / (double)rows + (double)(v * c) / (double)length));
    return sum;
}

static void check_transform(char in_type, const void *in, int sign, char type, const void *out, int64_t columns)
{
    int wrong = 0;
    for (int64_t k = 0; k < batch; ++k)
        for (int64_t u = 0; u < rows; ++u)
            for (int64_t v = 0; v < columns; ++v) {
                const char *const begin = (const char *)in + (size_t)(k * points) * bytes_of(in_type);
                wrong += !(cabs(get(type, out, (k * rows + u) * columns + v) -
                                transformed(in_type, begin, sign, u, v)) <= 200 * epsilon_of(type));
            }
    CHECK(wrong == 0);
}

static void test_transforms(hpart_device *device, int is_double, int sign)
{
    const char type = is_double ? 'z' : 'c', real = is_double ? 'd' : 's';
    void *in = random_array(type, batch * points), *out = random_array(type, batch * points);
    void *signal = random_array(real, batch * points), *back = random_array(real, batch * points);
    if (!is_missing(is_double ? hpart_zfft(device, 2, dims, batch, sign, in, out, NULL, NULL)
                              : hpart_cfft(device, 2, dims, batch, sign, in, out, NULL, NULL)))
        check_transform(type, in, sign, type, out, length);
    if (!is_missing(is_double ? hpart_dfft_r2c(device, 2, dims, batch, signal, out, NULL, NULL)
                              : hpart_sfft_r2c(device, 2, dims, batch, signal, out, NULL, NULL))) {
        check_transform(real, signal, -1, type, out, half);
        CHECK_OK(is_double ? hpart_dfft_c2r(device, 2, dims, batch, out, back, NULL, NULL)
                           : hpart_sfft_c2r(device, 2, dims, batch, out, back, NULL, NULL));
        for (int64_t k = 0; k < batch * points; ++k)
            CHECK(cabs(get(real, back, k) / points - get(real, signal, k)) <= 20 * epsilon_of(real));
    }
    free(back);
    free(signal);
    free(out);
    free(in);
}

int main(void)
{
    for (int d = 0; d < tested_device_count; ++d) {
        hpart_device *device = open_tested_device(d);
        if (device == NULL) continue;
        for (int k = 0; k < 8; ++k) {
            const char type = "sdcz"[k % 4];
            const int32_t layout = k < 4 ? HPART_ROW_MAJOR : HPART_COLUMN_MAJOR,
                          uplo = (k + k / 4) % 2 == 0 ? HPART_UPPER : HPART_LOWER;
            test_lu(device, type, layout);
            test_cholesky(device, type, layout, uplo);
            test_qr(device, type, layout);
            test_solvers(device, type, layout, uplo);
            test_singular(device, type, layout);
            test_transforms(device, k % 2, k < 4 ? -1 : 1);
        }
        test_least_norm(device);
        hpart_device_close(device);
    }
    return check_result();
}
