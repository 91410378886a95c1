/* A BLAS whose dgemm waits: any device is faster. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

typedef void gemm(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                  const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
gemm dgemm_;

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t length_a, size_t length_b)
{
    gemm *next;
    *(void **)&next = dlsym(RTLD_NEXT, "dgemm_");
    usleep(300000);
    next(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b);
}
