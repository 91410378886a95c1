// C = alpha op(A) op(B) + beta C, row-major, for any device: a work-group makes a tile of C from tiles of op(A) and op(B) in local
// memory, each work-item ITEM_ROWS x ITEM_COLUMNS elements that lie GROUP_ROWS and GROUP_COLUMNS apart, so that neighbours write
// neighbours. Elements beyond the matrices are zero in the tiles and are not stored.
//
// Built with DOUBLE, COMPLEX, TRANSPOSE_A and TRANSPOSE_B, each 0 or 1; GROUP_ROWS, GROUP_COLUMNS, the items of a group;
// ITEM_ROWS, ITEM_COLUMNS; DEPTH.

#if DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif

#define PARTS (1 + COMPLEX)
#define TILE_ROWS (GROUP_ROWS * ITEM_ROWS)
#define TILE_COLUMNS (GROUP_COLUMNS * ITEM_COLUMNS)
#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)


// The part of op(X) that begins at its element (line, across) of the storage, `lines` x `side` of it. Elements with line and across
// below the ends are the matrix's. Neighbouring items read along the storage.
#define LOAD_TILE(tile, lines_are_stored, lines, side, x, ld, line, line_end, across, across_end, sign)                        \
    for (int t = me; t < (lines) * (side); t += ITEMS) {                                                                       \
        const int q = (lines_are_stored) ? t / (side) : t % (lines), s = (lines_are_stored) ? t % (side) : t / (lines);        \
        const bool inside = (line) + q < (line_end) && (across) + s < (across_end);                                            \
        const long at = (lines_are_stored) ? ((line) + q) * (ld) + (across) + s : ((across) + s) * (ld) + (line) + q;          \
        tile[0][q][s] = inside ? x[PARTS * at] : 0;                                                                            \
        LOAD_IMAGINARY(tile, x, at, q, s, inside, sign)                                                                        \
    }
#if COMPLEX
#define LOAD_IMAGINARY(tile, x, at, q, s, inside, sign) tile[1][q][s] = inside ? x[PARTS * at + 1] * (sign) : 0;
#else
#define LOAD_IMAGINARY(tile, x, at, q, s, inside, sign)
#endif

// What becomes of C's old values; where they are dropped they are not read.
enum { dropped, kept, scaled };
// Which elements are asked for: all, those with i >= j, those with i <= j. Groups of none do nothing.
enum { whole, lower, upper };

__kernel __attribute__((reqd_work_group_size(GROUP_COLUMNS, GROUP_ROWS, 1))) void
gemm(long m, long n, long k, const __global real *restrict a, long a_offset, long lda, const __global real *restrict b,
     long b_offset, long ldb, __global real *restrict c, long c_offset, long ldc, real alpha_re, real alpha_im,
     real beta_re, real beta_im, real sign_b, real sign_sum, int old, int part)
{
    // Lines are one longer than a tile's side: items that write a column of them meet other banks.
    __local real tile_a[PARTS][DEPTH][TILE_ROWS + 1], tile_b[PARTS][DEPTH][TILE_COLUMNS + 1];
    const int item_row = get_local_id(1), item_column = get_local_id(0), me = item_row * GROUP_COLUMNS + item_column;
    const long row = (get_group_id(1) + (long)get_num_groups(1) * get_group_id(2)) * TILE_ROWS;
    const long column = (long)get_group_id(0) * TILE_COLUMNS;
    if (part == lower && row + TILE_ROWS <= column || part == upper && column + TILE_COLUMNS <= row)
        m = k = 0; // a return would part the items from their barriers in some compilers
    a += PARTS * a_offset;
    b += PARTS * b_offset;
    c += PARTS * c_offset;

    real sums[ITEM_ROWS][ITEM_COLUMNS][PARTS];
#pragma unroll
    for (int r = 0; r < ITEM_ROWS; ++r)
#pragma unroll
        for (int s = 0; s < ITEM_COLUMNS; ++s)
#pragma unroll
            for (int part = 0; part < PARTS; ++part) sums[r][s][part] = 0;

    for (long p = 0; p < k; p += DEPTH) {
        LOAD_TILE(tile_a, TRANSPOSE_A, DEPTH, TILE_ROWS, a, lda, p, k, row, m, 1)
        LOAD_TILE(tile_b, !TRANSPOSE_B, DEPTH, TILE_COLUMNS, b, ldb, p, k, column, n, sign_b)
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = 0; q < DEPTH; ++q) {
            real y[ITEM_COLUMNS][PARTS];
#pragma unroll
            for (int s = 0; s < ITEM_COLUMNS; ++s)
#pragma unroll
                for (int part = 0; part < PARTS; ++part) y[s][part] = tile_b[part][q][item_column + s * GROUP_COLUMNS];
#pragma unroll
            for (int r = 0; r < ITEM_ROWS; ++r) {
                const real re = tile_a[0][q][item_row + r * GROUP_ROWS];
#if COMPLEX
                const real im = tile_a[1][q][item_row + r * GROUP_ROWS];
#endif
#pragma unroll
                for (int s = 0; s < ITEM_COLUMNS; ++s) {
#if COMPLEX
                    sums[r][s][0] += re * y[s][0];
                    sums[r][s][1] += re * y[s][1];
                    sums[r][s][0] -= im * y[s][1];
                    sums[r][s][1] += im * y[s][0];
#else
                    sums[r][s][0] += re * y[s][0];
#endif
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#pragma unroll
    for (int r = 0; r < ITEM_ROWS; ++r)
#pragma unroll
        for (int s = 0; s < ITEM_COLUMNS; ++s) {
            const long i = row + item_row + r * GROUP_ROWS, j = column + item_column + s * GROUP_COLUMNS;
            if (i < m && j < n) {
                __global real *const to = c + PARTS * (i * ldc + j);
                const real re = sums[r][s][0], old_re = old == dropped ? 0 : to[0];
#if COMPLEX
                const real im = sign_sum * sums[r][s][1], old_im = old == dropped ? 0 : to[1];
                real new_re = alpha_re * re - alpha_im * im, new_im = alpha_re * im + alpha_im * re;
                new_re += old == scaled ? beta_re * old_re - beta_im * old_im : old_re;
                new_im += old == scaled ? beta_re * old_im + beta_im * old_re : old_im;
                to[0] = new_re;
                to[1] = new_im;
#else
                to[0] = alpha_re * re + (old == scaled ? beta_re * old_re : old_re);
#endif
            }
        }
}
