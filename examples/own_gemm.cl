// hpart gemm group=8x8 tile=32x32
//
// C = alpha op(A) op(B) + beta C, row-major, as hpart calls it with the option kernel=source:own_gemm.cl. The first line says how many
// work-items a group has (rows x columns) and how many elements of C it makes. A kernel has the BLAS's name for its type: sgemm, dgemm,
// cgemm, zgemm; a file may lack those that nobody calls. transpose_a and transpose_b: 0: as it is, 1: transposed, 2: conjugated too.
// Offsets and leading dimensions count elements. Where beta is 0, C must not be read. A device may have few groups in a dimension: the row
// of a group is get_group_id(1) + get_num_groups(1) * get_group_id(2).
// Here each work-item makes 4 x 4 elements.

#define TILE 32
#define ITEM 4

#define GEMM(name, real)                                                                                                       \
    __kernel void name(int transpose_a, int transpose_b, long m, long n, long k, real alpha, __global const real *a,           \
                       long a_offset, long lda, __global const real *b, long b_offset, long ldb, real beta, __global real *c,  \
                       long c_offset, long ldc)                                                                                \
    {                                                                                                                          \
        const long group_row = get_group_id(1) + get_num_groups(1) * get_group_id(2);                                          \
        const long row = group_row * TILE + get_local_id(1) * ITEM, column = get_group_id(0) * TILE + get_local_id(0) * ITEM;  \
        const long a_row = transpose_a ? 1 : lda, a_column = transpose_a ? lda : 1;                                            \
        const long b_row = transpose_b ? 1 : ldb, b_column = transpose_b ? ldb : 1;                                            \
        real sums[ITEM][ITEM] = {{0}};                                                                                         \
        for (long p = 0; p < k; ++p)                                                                                           \
            for (int i = 0; i < ITEM; ++i) {                                                                                   \
                if (row + i >= m) break;                                                                                       \
                const real left = a[a_offset + (row + i) * a_row + p * a_column];                                              \
                for (int j = 0; j < ITEM; ++j)                                                                                 \
                    if (column + j < n) sums[i][j] += left * b[b_offset + p * b_row + (column + j) * b_column];                \
            }                                                                                                                  \
        for (int i = 0; i < ITEM; ++i)                                                                                         \
            for (int j = 0; j < ITEM; ++j) {                                                                                   \
                if (row + i >= m || column + j >= n) continue;                                                                 \
                __global real *to = c + c_offset + (row + i) * ldc + column + j;                                               \
                *to = alpha * sums[i][j] + (beta == 0 ? 0 : beta * *to);                                                       \
            }                                                                                                                  \
    }

GEMM(sgemm, float)

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
GEMM(dgemm, double)
#endif
