/* dgemm with 64-bit integers by the usual one, for a test of libhpart_blas64 where no BLAS of that kind is. */
extern void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                   const int *, const double *, const int *, const double *, double *, const int *);
void dgemm_64_(const char *transa, const char *transb, const long *m, const long *n, const long *k, const double *alpha,
               const double *a, const long *lda, const double *b, const long *ldb, const double *beta, double *c,
               const long *ldc)
{
    const int sizes[] = {(int)*m, (int)*n, (int)*k, (int)*lda, (int)*ldb, (int)*ldc};
    dgemm_(transa, transb, &sizes[0], &sizes[1], &sizes[2], alpha, a, &sizes[3], b, &sizes[4], beta, c, &sizes[5]);
}
