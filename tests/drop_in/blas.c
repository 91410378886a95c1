/* A BLAS with other names or other integers, for libhpart_blas where no library of that kind is: DGEMM, IDAMAX and INTEGER are defined. */
void DGEMM(const char *transa, const char *transb, const INTEGER *m, const INTEGER *n, const INTEGER *k,
           const double *alpha, const double *a, const INTEGER *lda, const double *b, const INTEGER *ldb,
           const double *beta, double *c, const INTEGER *ldc)
{
    const int a_is_transposed = (*transa & ~0x20) != 'N', b_is_transposed = (*transb & ~0x20) != 'N';
    for (INTEGER j = 0; j < *n; ++j)
        for (INTEGER i = 0; i < *m; ++i) {
            double sum = 0;
            for (INTEGER l = 0; l < *k; ++l)
                sum +=
                    a[a_is_transposed ? i * *lda + l : l * *lda + i] * b[b_is_transposed ? l * *ldb + j : j * *ldb + l];
            c[j * *ldc + i] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[j * *ldc + i]);
        }
}

INTEGER IDAMAX(const INTEGER *n, const double *x, const INTEGER *incx)
{
    INTEGER largest = 0;
    for (INTEGER k = 1; k < *n; ++k) {
        const double one = x[k * *incx], other = x[largest * *incx];
        if ((one < 0 ? -one : one) > (other < 0 ? -other : other)) largest = k;
    }
    return *n < 1 ? 0 : largest + 1;
}
