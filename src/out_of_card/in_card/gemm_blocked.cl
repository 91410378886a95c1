// C = alpha op(A) op(B) + beta C, row-major, for devices whose work-items are threads of a processor with vector units.
//
// A work-group is one item and makes a block of C. For each part of k, op(A)'s part of the block is packed, and then, for each
// sliver of COLUMNS columns, op(B)'s: contiguous, zero beyond the matrix, real and imaginary parts in vectors of their own. Tiles of ROWS rows of the
// sliver are summed in registers, so that an element of B is loaded once for ROWS products and one of A for COLUMNS. What
// loops over a tile's sums is unrolled and inlined: an array that is indexed would leave the registers. A tile's rows
// beyond the last repeat it and are not stored.
//
// Conjugates: A enters as it is. conj(A) op(B) is the conjugate of A conj(op(B)), so that signs of imaginary parts where B
// is packed (sign_b) and of the sums (sign_sum) do for all.
//
// Built with DOUBLE, COMPLEX, TRANSPOSE_A and TRANSPOSE_B, each 0 or 1; WIDTH, the lanes of a vector; ROWS; VECTORS, of a
// sliver's columns; DEPTH, the most of k at a time; BLOCK_ROWS, the most rows of a block.

#if DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#define REAL_NAME double
#else
typedef float real;
#define REAL_NAME float
#endif
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
typedef JOIN(REAL_NAME, WIDTH) vector;
#define LOAD(from) JOIN(vload, WIDTH)(0, from)
#define STORE(value, to) JOIN(vstore, WIDTH)(value, 0, to)

#define PARTS (1 + COMPLEX)
#define COLUMNS (VECTORS * WIDTH)
#define LANES (VECTORS * PARTS)
#define DEPTH_OF_SLIVER (LANES * WIDTH) // reals of one k

#define UNROLLED(...) _Pragma("unroll") for (__VA_ARGS__)
#ifdef __clang__
#define INLINED __attribute__((always_inline)) inline
#else
#define INLINED inline
#endif
// PoCL's prefetch() does nothing. Clang for cores has an instruction; Clang for SPIR-V, which Mesa calls, must not get that.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define PREFETCH(what) __builtin_prefetch((const void *)(ulong)(what), 1, 3)
#else
#define PREFETCH(what) prefetch(what, 1)
#endif

// a0 b0 a1 b1 ...
INLINED vector lower_pairs(vector a, vector b)
{
    vector out;
    out.even = a.lo;
    out.odd = b.lo;
    return out;
}
INLINED vector upper_pairs(vector a, vector b)
{
    vector out;
    out.even = a.hi;
    out.odd = b.hi;
    return out;
}

INLINED void load_lanes(const __global real *from, real sign, vector out[PARTS])
{
#if COMPLEX
    const vector low = LOAD(from), high = LOAD(from + WIDTH);
    out[0].lo = low.even;
    out[0].hi = high.even;
    out[1].lo = low.odd;
    out[1].hi = high.odd;
    out[1] *= sign;
#else
    out[0] = LOAD(from);
#endif
}

INLINED void store_lanes(const vector lanes[PARTS], __local real *to)
{
    UNROLLED(int part = 0; part < PARTS; ++part) STORE(lanes[part], to + part * COLUMNS);
}

// The first `count` of WIDTH elements, which may be none, and zeros.
INLINED void pack_some_lanes(const __global real *from, long distance, long count, real sign, __local real *to)
{
    for (long j = 0; j < WIDTH; ++j) {
        to[j] = j < count ? from[PARTS * j * distance] : 0;
#if COMPLEX
        to[COLUMNS + j] = j < count ? from[PARTS * j * distance + 1] * sign : 0;
#endif
    }
}

// Declares x, `size` vectors of `size` lanes: the transpose of those that `load` loads for i. A turn takes row i, lane j to
// the place whose index, i's digits before j's, is rotated by one digit: after log2(size) turns i and j have changed places.
#define SQUARE_TRANSPOSED(type, size, load, x)                                                                         \
    type x[size];                                                                                                      \
    UNROLLED(int i = 0; i < size; ++i) x[i] = load;                                                                    \
    UNROLLED(int turn = 1; turn < size; turn *= 2)                                                                     \
    {                                                                                                                  \
        type turned[size];                                                                                             \
        UNROLLED(int i = 0; i < size / 2; ++i)                                                                         \
        {                                                                                                              \
            turned[2 * i].even = x[i].lo;                                                                              \
            turned[2 * i].odd = x[i + size / 2].lo;                                                                    \
            turned[2 * i + 1].even = x[i].hi;                                                                          \
            turned[2 * i + 1].odd = x[i + size / 2].hi;                                                                \
        }                                                                                                              \
        UNROLLED(int i = 0; i < size; ++i) x[i] = turned[i];                                                           \
    }

#if TRANSPOSE_B
INLINED vector load_part(const __global real *from, int part, real sign)
{
    vector lanes[PARTS];
    load_lanes(from, sign, lanes);
    return part == 0 ? lanes[0] : lanes[COMPLEX];
}

// Real or imaginary parts of WIDTH x WIDTH elements.
INLINED void pack_square(const __global real *from, long ld, int part, real sign, __local real *to)
{
    SQUARE_TRANSPOSED(vector, WIDTH, load_part(from + PARTS * i * ld, part, sign), x)
    UNROLLED(int i = 0; i < WIDTH; ++i) STORE(x[i], to + i * DEPTH_OF_SLIVER);
}
#endif

// A part of WIDTH columns of op(B), `count` of which are the matrix's.
INLINED void pack_vector(const __global real *from, long ld, long depth, long count, real sign, __local real *to)
{
    long q = 0;
#if TRANSPOSE_B
    for (; count >= WIDTH && q + WIDTH <= depth; q += WIDTH)
        for (int part = 0; part < PARTS; ++part)
            pack_square(from + PARTS * q, ld, part, sign, to + q * DEPTH_OF_SLIVER + part * COLUMNS);
    for (; q < depth; ++q) pack_some_lanes(from + PARTS * q, ld, count, sign, to + q * DEPTH_OF_SLIVER);
#else
    for (; q < depth; ++q) pack_some_lanes(from + PARTS * q * ld, 1, count, sign, to + q * DEPTH_OF_SLIVER);
#endif
}

// `columns` of op(B), at least one.
INLINED void pack_sliver(const __global real *from, long ld, long depth, long columns, real sign, __local real *to)
{
#if TRANSPOSE_B
    const long distance = ld;
#else
    const long distance = 1;
    if (columns >= COLUMNS) {
        for (long q = 0; q < depth; ++q) {
            UNROLLED(int v = 0; v < VECTORS; ++v)
            {
                vector lanes[PARTS];
                load_lanes(from + PARTS * (q * ld + v * WIDTH), sign, lanes);
                store_lanes(lanes, to + q * DEPTH_OF_SLIVER + v * WIDTH);
            }
        }
        return;
    }
#endif
    for (int v = 0; v < VECTORS; ++v)
        pack_vector(from + PARTS * v * WIDTH * distance, ld, depth, columns - v * WIDTH, sign, to + v * WIDTH);
}

// Packed A is panels of ROWS x DEPTH, each a single stream for the sums: a panel's columns contiguous. Complex rows stay
// contiguous, as A has them: they would gain less than it costs to turn them. Unpacked rows would fall on each other in the
// caches where ld is a power of two, and columns onto a page each.
#define COLUMNS_OF_A (TRANSPOSE_A || !COMPLEX)
#if COLUMNS_OF_A
#define A_ROW_STEP 1
#define A_DEPTH_STEP ROWS
#else
#define A_ROW_STEP DEPTH
#define A_DEPTH_STEP 1
#endif

// The first `rows` of a panel; whole panels' loops are unrolled.
INLINED void pack_panel(const __global real *from, long ld, long rows, long depth, __local real *to)
{
    long q = 0;
#if TRANSPOSE_A
    if (rows == ROWS)
        for (; q < depth; ++q) {
            UNROLLED(int r = 0; r < PARTS * ROWS; ++r) to[PARTS * ROWS * q + r] = from[PARTS * q * ld + r];
        }
    for (; q < depth; ++q)
        for (long r = 0; r < PARTS * rows; ++r) to[PARTS * ROWS * q + r] = from[PARTS * q * ld + r];
#elif COMPLEX
    for (long r = 0; r < rows; ++r, from += PARTS * ld, to += PARTS * DEPTH) {
        for (q = 0; q + WIDTH <= PARTS * depth; q += WIDTH) STORE(LOAD(from + q), to + q);
        for (; q < PARTS * depth; ++q) to[q] = from[q];
    }
#else
    if (rows == ROWS)
        for (; q + ROWS <= depth; q += ROWS) {
            SQUARE_TRANSPOSED(JOIN(REAL_NAME, ROWS), ROWS, JOIN(vload, ROWS)(0, from + i * ld + q), x)
            UNROLLED(int i = 0; i < ROWS; ++i) JOIN(vstore, ROWS)(x[i], 0, to + (q + i) * ROWS);
        }
    for (; q < depth; ++q)
        for (long r = 0; r < rows; ++r) to[ROWS * q + r] = from[r * ld + q];
#endif
}

INLINED void pack_a(const __global real *from, long ld, long rows, long depth, __local real *to)
{
#if TRANSPOSE_A
    const long distance = 1;
#else
    const long distance = ld;
#endif
    for (long i = 0; i < rows; i += ROWS)
        pack_panel(from + PARTS * i * distance, ld, min((long)ROWS, rows - i), depth, to + PARTS * i * DEPTH);
}

// A tile of op(A) op(B), of op(B)'s sliver that is packed. Where C will be read its lines are asked for meanwhile, in two halves:
// all at once they would keep A's lines waiting.
INLINED void sum_products(const __local real *a, long rows, const __local real *b, long depth, const __global real *c,
                          long ldc, bool will_read_c, vector sums[ROWS][LANES])
{
    const __local real *row[ROWS];
    UNROLLED(int r = 0; r < ROWS; ++r)
    {
        row[r] = a + PARTS * min((long)r, rows - 1) * A_ROW_STEP;
        UNROLLED(int v = 0; v < LANES; ++v) sums[r][v] = 0;
    }
    long q = 0;
    for (int turn = 1; turn <= 2; ++turn) {
        if (will_read_c)
            for (long r = (turn - 1) * ROWS / 2; r < turn * ROWS / 2; ++r) {
                UNROLLED(int v = 0; v < LANES; ++v) PREFETCH(c + PARTS * min(r, rows - 1) * ldc + v * WIDTH);
            }
        for (const long stop = turn * depth / 2; q < stop; ++q) {
            vector x[LANES];
            UNROLLED(int v = 0; v < LANES; ++v) x[v] = LOAD(b + q * DEPTH_OF_SLIVER + v * WIDTH);
            UNROLLED(int r = 0; r < ROWS; ++r)
            {
                const vector re = (vector)(row[r][PARTS * q * A_DEPTH_STEP]);
                UNROLLED(int v = 0; v < LANES; ++v) sums[r][v] += re * x[v];
#if COMPLEX
                const vector im = (vector)(row[r][PARTS * q * A_DEPTH_STEP + 1]);
                UNROLLED(int v = 0; v < VECTORS; ++v)
                {
                    sums[r][v] -= im * x[VECTORS + v];
                    sums[r][VECTORS + v] += im * x[v];
                }
#endif
            }
        }
    }
}

// What becomes of C's old values; where they are not kept they are not read.
enum { dropped, kept, scaled };
// Which elements are asked for: all, those with i >= j, those with i <= j. Tiles of none are passed over.
enum { whole, lower, upper };

typedef struct {
    real alpha_re, alpha_im, beta_re, beta_im, sign_sum;
    int old;
} update;

INLINED void update_lanes(__global real *c, vector re, vector im, const update how)
{
#if COMPLEX
    im *= how.sign_sum;
    const vector new_re = how.alpha_re * re - how.alpha_im * im, new_im = how.alpha_re * im + how.alpha_im * re;
    vector low = lower_pairs(new_re, new_im), high = upper_pairs(new_re, new_im);
    if (how.old == kept) {
        low += LOAD(c);
        high += LOAD(c + WIDTH);
    } else if (how.old == scaled) {
        vector was[PARTS];
        load_lanes(c, 1, was);
        const vector old_re = how.beta_re * was[0] - how.beta_im * was[1];
        const vector old_im = how.beta_re * was[1] + how.beta_im * was[0];
        low += lower_pairs(old_re, old_im);
        high += upper_pairs(old_re, old_im);
    }
    STORE(low, c);
    STORE(high, c + WIDTH);
#else
    vector value = how.alpha_re * re;
    if (how.old == kept) value += LOAD(c);
    if (how.old == scaled) value += how.beta_re * LOAD(c);
    STORE(value, c);
#endif
}

INLINED void update_element(__global real *c, real re, real im, const update how)
{
    real old_re = 0;
    if (how.old != dropped) old_re = c[0];
#if COMPLEX
    im *= how.sign_sum;
    real old_im = 0;
    if (how.old != dropped) old_im = c[1];
    const real new_re = how.alpha_re * re - how.alpha_im * im, new_im = how.alpha_re * im + how.alpha_im * re;
    if (how.old == scaled) {
        c[0] = new_re + (how.beta_re * old_re - how.beta_im * old_im);
        c[1] = new_im + (how.beta_re * old_im + how.beta_im * old_re);
    } else {
        c[0] = new_re + old_re;
        c[1] = new_im + old_im;
    }
#else
    c[0] = how.alpha_re * re + (how.old == scaled ? how.beta_re * old_re : old_re);
#endif
}

INLINED void update_tile(__global real *c, long ldc, const vector sums[ROWS][LANES], long rows, long columns,
                         const update how)
{
    if (columns == COLUMNS) {
        UNROLLED(int r = 0; r < ROWS; ++r)
        {
            if (r < rows) {
                UNROLLED(int v = 0; v < VECTORS; ++v)
                update_lanes(c + PARTS * (r * ldc + v * WIDTH), sums[r][v], sums[r][v + VECTORS * COMPLEX], how);
            }
        }
        return;
    }
    real some[ROWS][DEPTH_OF_SLIVER];
    UNROLLED(int r = 0; r < ROWS; ++r)
    {
        UNROLLED(int v = 0; v < LANES; ++v) STORE(sums[r][v], some[r] + v * WIDTH);
    }
    for (long r = 0; r < rows; ++r)
        for (long s = 0; s < columns; ++s)
            update_element(c + PARTS * (r * ldc + s), some[r][s], some[r][s + COLUMNS * COMPLEX], how);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm(long m, long n, long k, long block_rows, long block_columns, long part_depth, const __global real *restrict a,
     long a_offset, long lda, const __global real *restrict b, long b_offset, long ldb, __global real *restrict c,
     long c_offset, long ldc, real alpha_re, real alpha_im, real beta_re, real beta_im, real sign_b, real sign_sum,
     int old, int part)
{
    __local real packed_b[DEPTH * DEPTH_OF_SLIVER] __attribute__((aligned(128)));
    __local real packed_a[PARTS * BLOCK_ROWS * DEPTH] __attribute__((aligned(128)));
    // Drivers hand out groups by their numbers, many at first and few in the end: small ones first.
    const long block_row = part == upper ? get_num_groups(1) - 1 - get_group_id(1) : get_group_id(1);
    long i_begin = block_row * block_rows, i_end = min(i_begin + block_rows, m);
    long j_begin = (long)get_group_id(0) * block_columns, j_end = min(j_begin + block_columns, n);
    if (part == lower) {
        i_begin += max(0L, j_begin - i_begin) / ROWS * ROWS;
        j_end = min(j_end, i_end);
    } else if (part == upper) {
        j_begin += max(0L, i_begin - j_begin) / COLUMNS * COLUMNS;
        i_end = min(i_end, j_end);
    }
    if (i_begin >= i_end || j_begin >= j_end) return;
    update how = {alpha_re, alpha_im, beta_re, beta_im, sign_sum, old};
    a += PARTS * a_offset;
    b += PARTS * b_offset;
    c += PARTS * c_offset;
    for (long p = 0; p < k; p += part_depth, how.old = kept) {
        const long depth = min(part_depth, k - p);
#if TRANSPOSE_A
        pack_a(a + PARTS * (p * lda + i_begin), lda, i_end - i_begin, depth, packed_a);
#else
        pack_a(a + PARTS * (i_begin * lda + p), lda, i_end - i_begin, depth, packed_a);
#endif
        for (long j = j_begin; j < j_end; j += COLUMNS) {
            const long columns = min((long)COLUMNS, j_end - j);
#if TRANSPOSE_B
            pack_sliver(b + PARTS * (j * ldb + p), ldb, depth, columns, sign_b, packed_b);
#else
            pack_sliver(b + PARTS * (p * ldb + j), ldb, depth, columns, sign_b, packed_b);
#endif
            const long first = part == lower ? i_begin + max(0L, j - i_begin) / ROWS * ROWS : i_begin;
            const long end = part == upper ? min(i_end, j + columns) : i_end;
            for (long i = first; i < end; i += ROWS) {
                const long rows = min((long)ROWS, end - i);
                __global real *const tile = c + PARTS * (i * ldc + j);
                vector sums[ROWS][LANES];
                sum_products(packed_a + PARTS * (i - i_begin) * DEPTH, rows, packed_b, depth, tile, ldc,
                             how.old != dropped && columns == COLUMNS, sums);
                update_tile(tile, ldc, sums, rows, columns, how);
            }
        }
    }
}
