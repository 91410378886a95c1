/* A legacy program: it calls the BLAS and LAPACK, knows nothing of hpart, and prints its results. The test compares them with a run
 * without libhpart_blas. Argument: calls (default), gemmt, product [N], threads, fork, signals, cancel, elsewhere,
 * or fail LIBRARY SYMBOL COMMAND. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OTHER_NAME /* of blas.c */
#define dgemm OTHER_NAME
typedef INTEGER integer;
#else
#define dgemm dgemm_
typedef int integer;
#endif
#define N 150
enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANSPOSE = 111, TRANSPOSE = 112, UPPER = 121, LEFT = 141 };

extern void dgemm(const char *, const char *, const integer *, const integer *, const integer *, const double *,
                  const double *, const integer *, const double *, const integer *, const double *, double *,
                  const integer *);
#ifndef OTHER_NAME
extern void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
                   const int *, const float *, const int *, const float *, float *, const int *);
extern void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
                   const int *, const double *, double *, const int *);
extern void zherk_(const char *, const char *, const int *, const int *, const double *, const void *, const int *,
                   const double *, void *, const int *);
extern void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                        double *, int);
extern void cblas_zgemm(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
                        void *, int);
extern void cblas_dsymm(int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                        int);
extern void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
extern void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *, double *,
                    const int *, int *);
extern void dgetri_(const int *, double *, const int *, const int *, double *, const int *, int *);
extern void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
extern void dpotrf_(const char *, const int *, double *, const int *, int *);
extern void zgeqrf_(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
extern void zungqr_(const int *, const int *, const int *, void *, const int *, const void *, void *, const int *,
                    int *);
extern void dormqr_(const char *, const char *, const int *, const int *, const int *, const double *, const int *,
                    const double *, double *, const int *, double *, const int *, int *);
extern void dgels_(const char *, const int *, const int *, const int *, double *, const int *, double *, const int *,
                   double *, const int *, int *);

/* The program's own error handler, as the BLAS allows. */
void xerbla_(const char *name, const int *argument, size_t length)
{
    printf("xerbla %.5s %d\n", name, *argument);
    (void)length;
}
#endif

static double *numbers(size_t count, unsigned seed)
{
    double *all = calloc(count, sizeof *all);
    for (size_t k = 0; k < count; ++k) {
        seed = seed * 1664525u + 1013904223u;
        all[k] = (double)(seed >> 8) / (1 << 24) - 0.5;
    }
    return all;
}

static double multiply(integer n, unsigned seed)
{
    const double alpha = 2, beta = -1;
    const size_t count = (size_t)n * (size_t)n;
    double *a = numbers(count, seed), *b = numbers(count, seed + 1), *c = numbers(count, seed + 2);
    dgemm("N", "t", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += c[k] * cos((double)k);
    free(a), free(b), free(c);
    return sum;
}

#ifndef OTHER_NAME
/* A few sums that depend on each element and its place. */
static void print(const char *name, const double *x, size_t count)
{
    double sum = 0, weighted = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += x[k];
        weighted += x[k] * cos((double)k);
    }
    printf("%s %.17g %.17g %.17g\n", name, sum, weighted, x[count / 3]);
}

static void products(void)
{
    const int n = N, k = 70, ld = N + 3, zero = 0, one_step = 1, back = -2;
    const double alpha = 1.5, beta = 0.25, none = 0, complex_alpha[] = {1, -2}, complex_beta[] = {0.5, 1};
    const size_t count = (size_t)ld * N;
    double *a = numbers(2 * count, 1), *b = numbers(2 * count, 2), *c = numbers(2 * count, 3), *y = numbers(2 * N, 4);
    float single[N * N], as[N * N], one = 1, nothing = 0;
    for (int i = 0; i < N * N; ++i) as[i] = (float)a[i], single[i] = NAN;
    dgemm_("N", "N", &n, &n, &k, &alpha, a, &ld, b, &ld, &beta, c, &ld);
    print("dgemm", c, count);
    sgemm_("T", "N", &n, &n, &n, &one, as, &n, as, &n, &nothing, single, &n); /* C is not read */
    for (int i = 0; i < N * N; ++i) y[i % N] += single[i];
    print("sgemm", y, N);
    cblas_dgemm(ROW_MAJOR, TRANSPOSE, NO_TRANSPOSE, n, k, n, alpha, a, ld, b, ld, beta, c, k + 1);
    print("cblas_dgemm", c, count);
    cblas_zgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, k, complex_alpha, a, ld, b, ld, complex_beta, c, ld);
    print("cblas_zgemm", c, 2 * count);
    cblas_dsymm(ROW_MAJOR, LEFT, UPPER, n, k, alpha, a, ld, b, ld, beta, c, ld);
    print("cblas_dsymm", c, count);
    zherk_("L", "C", &n, &k, &alpha, a, &ld, &beta, c, &ld);
    print("zherk", c, 2 * count);
    dgemv_("T", &n, &k, &alpha, a, &ld, b, &one_step, &beta, y, &back);
    print("dgemv", y, 2 * N);
    dgemv_("N", &n, &zero, &alpha, a, &ld, b, &one_step, &none, y, &one_step); /* the BLAS leaves y as it is */
    print("dgemv without columns", y, 2 * N);
    dgemm_("N", "N", &n, &n, &n, &alpha, a, &one_step, b, &ld, &beta, c, &ld); /* lda is too small */
    dgemm_("X", "N", &n, &n, &n, &alpha, a, &ld, b, &ld, &beta, c, &ld);
    dgemm_("N", "N", &n, &k, &k, &alpha, c, &ld, b, &ld, &beta, c + 80 * ld, &ld); /* no overlap, though one array */
    print("dgemm after errors", c, count);
    free(a), free(b), free(c), free(y);
}

/* Not every BLAS has gemmt: without it dgemm computes the triangle. */
static void triangle(void)
{
    const int n = N, k = 70;
    const double alpha = 1.5, beta = 0.25;
    double *a = numbers(N * N, 1), *b = numbers(N * N, 2), *c = numbers(N * N, 3), *whole = numbers(N * N, 3);
    void (*gemmt)(const char *, const char *, const char *, const int *, const int *, const double *, const double *,
                  const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t,
                  size_t);
    *(void **)&gemmt = dlsym(RTLD_DEFAULT, "dgemmt_");
    if (gemmt)
        gemmt("L", "N", "T", &n, &k, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1, 1);
    else {
        dgemm_("N", "T", &n, &n, &k, &alpha, a, &n, b, &n, &beta, whole, &n);
        for (int j = 0; j < N; ++j)
            for (int i = j; i < N; ++i) c[j * N + i] = whole[j * N + i];
    }
    print("gemmt", c, N * N);
    free(a), free(b), free(c), free(whole);
}

static void solvers(void)
{
    const int n = N, m = N + 20, few = 5, query = -1, short_work = 3;
    int info = -9, pivots[N], length = 64 * (N + 20);
    const size_t count = (size_t)m * N;
    double *a = numbers(2 * count, 5), *b = numbers(2 * count, 6), *work = numbers(2 * (size_t)length, 7),
           *tau = numbers(2 * N, 8), asked[2];
    dgetrf_(&n, &n, a, &m, pivots, &info);
    printf("dgetrf %d %d %d\n", info, pivots[0], pivots[N - 2]);
    print("dgetrf", a, count);
    dgetrs_("T", &n, &few, a, &m, pivots, b, &m, &info);
    printf("dgetrs %d\n", info);
    print("dgetrs", b, count);
    dgetri_(&n, a, &m, pivots, asked, &query, &info);
    printf("dgetri's work is long enough: %d %d\n", asked[0] >= n, info);
    dgetri_(&n, a, &m, pivots, work, &length, &info);
    printf("dgetri %d\n", info);
    print("dgetri", a, count);
    a[3 * m + 3] = 0; /* LAPACK divides by it */
    for (int k = 0; k < N; ++k) pivots[k] = k + 1;
    dgetrs_("N", &n, &few, a, &m, pivots, b, &m, &info);
    printf("dgetrs by 0: %d %d\n", info, isfinite(b[0]) != 0);
    free(a), free(b);

    a = numbers(2 * count, 9), b = numbers(2 * count, 10);
    memcpy(a + 7 * m, a + 4 * m, (size_t)m * sizeof *a); /* singular, but for rounding */
    memset(a + 90 * m, 0, (size_t)m * sizeof *a);
    dgesv_(&n, &few, a, &m, pivots, b, &m, &info);
    printf("singular dgesv %d\n", info > 0);
    free(a);
    a = numbers(2 * count, 11);
    dgesv_(&n, &few, a, &m, pivots, b, &m, &info);
    printf("dgesv %d\n", info);
    print("dgesv", b, count);
    for (int step = 0; step < 2; ++step) { /* positive definite, and not */
        for (int i = 0; i < N; ++i) a[i * m + i] = i == 100 && step == 1 ? -1 : N;
        dpotrf_("U", &n, a, &m, &info);
        printf("dpotrf %d\n", info);
        print("dpotrf", a, count);
    }
    free(a);

    a = numbers(2 * count, 12);
    zgeqrf_(&m, &few, a, &m, tau, work, &length, &info);
    print("zgeqrf", a, 2 * count);
    zungqr_(&m, &few, &few, a, &m, tau, work, &length, &info);
    print("zungqr", a, 2 * count);
    zungqr_(&m, &few, &few, a, &m, tau, work, &short_work, &info); /* too short */
    printf("zungqr with a short workspace %d\n", info);
    dormqr_("L", "C", &m, &few, &few, a, &m, tau, b, &m, work, &length, &info); /* not for real numbers */
    printf("dormqr with C %d\n", info);
    dgels_("N", &m, &n, &few, a, &m, b, &m, work, &length, &info);
    printf("dgels %d\n", info);
    print("dgels", b, N);
    memset(a, 0, count * sizeof *a);
    dgels_("N", &m, &n, &few, a, &m, b, &m, work, &length, &info); /* X = 0 in LAPACK */
    printf("dgels of 0: %d %g\n", info, b[0]);
    free(a), free(b), free(work), free(tau);
}
#endif

static void *many_products(void *argument)
{
    double *sums = argument;
    for (unsigned k = 0; k < 6; ++k) sums[k] = multiply(N, 20 + k);
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    static double sums[4][6];
    for (int t = 0; t < 4; ++t) pthread_create(&all[t], NULL, many_products, sums[t]);
    for (int t = 0; t < 4; ++t) pthread_join(all[t], NULL);
    for (int t = 0; t < 4; ++t)
        for (int k = 0; k < 6; ++k) printf("thread %.17g\n", sums[t][k]);
}

static volatile sig_atomic_t signals_seen;
static void see(int signal) { signals_seen += signal != 0; }

/* The handlers of the program are its own after a product, too. */
static void signals(void)
{
    const int all[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGTERM};
    for (int k = 0; k < 4; ++k) signal(all[k], see);
    printf("product %.17g\n", multiply(N, 60));
    for (int k = 0; k < 4; ++k) raise(all[k]);
    printf("seen %d\n", (int)signals_seen);
}

static void *products_for_ever(void *begun)
{
    for (unsigned k = 0;; ++k) {
        multiply(N, k);
        *(volatile int *)begun = 1;
        pthread_testcancel();
    }
    return NULL;
}

static void cancel(void)
{
    pthread_t thread;
    void *result = NULL;
    volatile int begun = 0;
    pthread_create(&thread, NULL, products_for_ever, (void *)&begun);
    while (!begun) usleep(1000);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
}

/* The fake driver is there from the first product on. A command of the next one fails, and all that follow. */
static void fail(const char *library, const char *symbol, int command)
{
    printf("before %.17g\n", multiply(N, 30));
    void *driver = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (driver) {
        void (*fail_command)(long, int);
        *(void **)&fail_command = dlsym(driver, symbol);
        fail_command(command, 700);
    }
    for (unsigned k = 31; k < 34; ++k) printf("after %.17g\n", multiply(N, k));
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "calls";
    if (!strcmp(part, "threads"))
        threads();
    else if (!strcmp(part, "signals"))
        signals();
    else if (!strcmp(part, "cancel"))
        cancel();
    else if (!strcmp(part, "elsewhere"))
        printf("left %d %.17g\n", chdir("/"), multiply(N, 70));
    else if (!strcmp(part, "fail"))
        fail(arguments[2], arguments[3], atoi(arguments[4]));
    else if (!strcmp(part, "fork")) {
        printf("parent %.17g\n", multiply(N, 40));
        fflush(stdout);
        const pid_t child = fork();
        printf("%s %.17g\n", child ? "parent" : "child", multiply(N, 41));
        if (!child) return 0;
        int status = 1;
        waitpid(child, &status, 0);
        printf("status %d\n", status);
    } else if (!strcmp(part, "product"))
        printf("product %.17g\n", multiply(count > 2 ? atoi(arguments[2]) : N, 50));
#ifndef OTHER_NAME
    else if (!strcmp(part, "gemmt"))
        triangle();
    else {
        products();
        solvers();
    }
#endif
    return 0;
}
