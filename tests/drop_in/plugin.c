/* A plugin that brings a BLAS of its own, whose product is always 7: with OWN_BLAS that BLAS, else the plugin. */
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);

#ifdef OWN_BLAS
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
    (void)beta, (void)ldc;
    *c = 7;
}
#else
double product_of_plugin(void);
double product_of_plugin(void)
{
    const int n = 1;
    const double one = 1;
    double c = 0;
    dgemm_("N", "N", &n, &n, &n, &one, &one, &n, &one, &n, &one, &c, &n);
    return c;
}
#endif
